import { messages } from '@regie/contract/messages.ts';
import {
  isChronological,
  type NewTicketForm,
  type Ticket,
  type TicketDetail,
  type TicketForm,
} from '@regie/contract/routes/tickets.ts';
import { states } from '@regie/contract/states.ts';
import { formatTiming, parseTiming, ticketMessages } from '@regie/contract/tickets.ts';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { checkAccount } from '#src/modules/people/accounts/accounts.service.ts';
import * as queries from './tickets.queries.ts';

const toTiming = (seconds: number | null) => (seconds === null ? null : formatTiming(seconds));
const toSeconds = (timing: string | null | undefined): number | null => (timing ? (parseTiming(timing) ?? null) : null);

function toTicket(row: queries.TicketRow): Ticket {
  return {
    ...toWireRow(row),
    status: states.ticket.toWire[row.status],
    startAt: toTiming(row.startSeconds),
    endAt: toTiming(row.endSeconds),
    Track:
      row.trackId === null
        ? null
        : { id: row.trackId, title: row.trackTitle ?? '', isrc: row.isrc, releaseId: row.releaseId },
    Account:
      row.accountId === null ? null : { id: row.accountId, fname: row.firstName ?? '', lname: row.lastName ?? '' },
  };
}

type Described = Pick<Ticket, 'status' | 'url' | 'startAt' | 'endAt' | 'isClaimed' | 'isProtected' | 'note'>;
const describe = ({ status, url, startAt, endAt, isClaimed, isProtected, note }: Described) => ({
  status,
  url,
  startAt,
  endAt,
  isClaimed,
  isProtected,
  note,
});

export async function listTickets(
  db: Trx,
  status: queries.StoredStatus,
  filter: Parameters<typeof queries.listTickets>[2],
) {
  const { rows, meta } = await queries.listTickets(db, status, filter);
  return { data: rows.map(toTicket), meta };
}

export async function getTicket(db: Trx, id: number, filter: queries.TicketFilter): Promise<TicketDetail> {
  const row = orNotFound(await queries.findTicket(db, id));
  return { ...toTicket(row), ...(await queries.findNeighbours(db, row, filter)) };
}

async function readLocked(trx: Trx, id: number): Promise<Ticket> {
  const row = orNotFound(await queries.lockTicket(trx, id));
  return toTicket(row);
}

/** See product §24.4. @throws not_found; conflict when it changed since `updatedAt` */
export async function editTicket(trx: Trx, caller: Caller, id: number, form: TicketForm): Promise<Ticket> {
  const before = await readLocked(trx, id);
  if (form.updatedAt !== undefined && form.updatedAt !== before.updatedAt) throw conflict(ticketMessages.changed);
  const { startAt = before.startAt, endAt = before.endAt } = form;
  if (!isChronological({ startAt, endAt })) throw invalid({ endAt: messages.invalidPeriod });
  const { status, url, isClaimed, isProtected, note = before.note } = form;
  const times = { startSeconds: toSeconds(startAt), endSeconds: toSeconds(endAt) };
  const after = { ...form, note, startAt: toTiming(times.startSeconds), endAt: toTiming(times.endSeconds) };
  const changes = changesBetween(describe(before), describe(after));
  if (!changes) return before;
  const stored = states.ticket.toStored[status];
  await queries.updateTicket(trx, id, { status: stored, url, ...times, isClaimed, isProtected, note });
  await writeAudit(trx, caller, { action: 'ticket.edit', entityId: id, ...changes });
  return readLocked(trx, id);
}

/**
 * The track determines the customer.
 * @throws validation_failed for an unknown track or account, or ones that do not fit
 */
export async function createTicket(trx: Trx, caller: Caller, form: NewTicketForm): Promise<Ticket> {
  const trackId = form.trackId ?? null;
  const owner = trackId === null ? undefined : await queries.findTrackOwner(trx, trackId);
  if (trackId !== null && !owner) throw invalid({ trackId: ticketMessages.unknownTrack });
  const accountId = form.userId ?? owner?.accountId ?? null;
  if (owner && owner.accountId !== accountId) throw invalid({ trackId: ticketMessages.trackOfOther });
  if (accountId !== null && !owner) await checkAccount(trx, accountId);
  const id = await queries.insertTicket(trx, {
    title: form.title,
    status: 'opened',
    url: form.url,
    startSeconds: toSeconds(form.startAt),
    endSeconds: toSeconds(form.endAt),
    isClaimed: form.isClaimed,
    isProtected: form.isProtected,
    accountId,
    trackId,
    createdBy: caller.adminId,
  });
  const ticket = await readLocked(trx, id);
  await writeAudit(trx, caller, {
    action: 'ticket.create',
    entityId: id,
    after: { title: ticket.title, ...describe(ticket), trackId, userId: accountId },
  });
  return ticket;
}
