import type {
  Alias,
  Assigned,
  Candidate,
  UnmatchedDetail,
  UnmatchedItem,
  Waiting,
} from '@regie/contract/routes/unmatched.ts';
import { unmatchedMessages } from '@regie/contract/unmatched.ts';
import { findMonth, monthToMs } from '@regie/values/month.ts';
import { type Actor, writeAudit, writeAudits } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, notFound, orNotFound } from '#src/lib/errors.ts';
import type { ListQuery } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import { requireRecentFactor, type Session } from '#src/lib/session.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { type LineStore, listPlaces } from '#src/modules/income/lines/lines.service.ts';
import { listCandidates } from './candidates.queries.ts';
import * as queries from './unmatched.queries.ts';
import { isClear } from './unmatched.rules.ts';

type WireFilter = Omit<queries.Filter, 'month'> & { month?: number | undefined };
const toFilter = <Query extends WireFilter>({ month, ...rest }: Query) => ({
  ...rest,
  month: month === undefined ? undefined : toDate(findMonth(month)),
});

const nothing: queries.WaitingRow = { amountEur: '0', withoutRate: [], quantity: '0', statements: 0 };
const toWaiting = (row: queries.WaitingRow = nothing): Waiting => toWireRow(row, 'amountEur', 'quantity');

const toItem = (row: queries.UnmatchedRow, found: readonly Candidate[]): UnmatchedItem => ({
  ...toWireRow(row, 'amountEur', 'quantity', 'totalEur'),
  fromMonth: monthToMs(row.fromMonth),
  toMonth: monthToMs(row.toMonth),
  candidates: [...found],
  isClear: isClear(found),
});

async function withCandidates(db: Trx, rows: readonly queries.UnmatchedRow[]): Promise<UnmatchedItem[]> {
  const keys = rows.map(({ key }) => key);
  const byKey = Map.groupBy(await listCandidates(db, keys), ({ key }) => key);
  return rows.map((row) => toItem(row, byKey.get(row.key) ?? []));
}

export async function listUnmatched(db: Trx, query: WireFilter & ListQuery) {
  const { rows, ...meta } = await queries.listUnmatched(db, toFilter(query));
  return { data: await withCandidates(db, rows), meta };
}

const toTotals = (totals: queries.Totals) => ({ ...totals, amountEur: toWireNumber(totals.amountEur) });

export const countUnmatched = async (db: Trx) => toTotals(await queries.countUnmatched(db));
export const { countUnmatchedItems, searchUnmatched } = queries;

export async function sumUnmatched(db: Trx, filter: WireFilter) {
  const asked = toFilter(filter);
  const [totals, sources, missing] = await Promise.all([
    queries.sumUnmatched(db, asked),
    queries.listSources(db),
    queries.findMissingRate(db, asked),
  ]);
  return {
    ...toTotals(totals),
    sources,
    missingRate: missing ? { ...missing, month: monthToMs(missing.month) } : null,
  };
}

/** @throws AppError not_found unless the item waits without a track */
export async function getUnmatched(db: Trx, key: string): Promise<UnmatchedDetail> {
  const [row, files] = await Promise.all([queries.findUnmatched(db, key), queries.listFiles(db, key)]);
  const [item] = await withCandidates(db, [orNotFound(row)]);
  return {
    ...orNotFound(item),
    files: files.map((file) => ({
      ...toWireRow(file, 'quantity', 'amount', 'amountEur'),
      month: monthToMs(file.month),
    })),
  };
}

/** The item's lines in one statement. @throws AppError not_found unless it waits there without a track */
export async function listUnmatchedLines(db: Trx, store: LineStore, key: string, statementId: number) {
  const keys = await queries.listWaitingKeys(db, key, statementId);
  if (keys.length === 0) throw notFound();
  const { places, total } = await listPlaces(db, store, statementId, keys);
  return { lines: places.map((place) => toWireRow(place, 'quantity', 'amount')), total };
}

type Assignment = { key: string; trackId: number };

/** Locks the items. One that already has the track is done. */
async function judge(trx: Trx, assignments: readonly Assignment[]) {
  const keys = assignments.map(({ key }) => key);
  const items = await queries.lockItems(trx, keys);
  const trackIds = assignments.map(({ trackId }) => trackId);
  const titles = await queries.findTracks(trx, trackIds);
  const distinct = new Set<string>();
  return assignments.map((assignment) => {
    const { key, trackId } = assignment;
    const item = items.get(key);
    const refused = (reason: string, field?: 'trackId') => ({ ...assignment, is: 'refused' as const, reason, field });
    if (!item) return { ...assignment, is: 'missing' as const, reason: unmatchedMessages.unknownItem };
    if (distinct.has(key)) return refused(unmatchedMessages.twice);
    distinct.add(key);
    const title = titles.get(trackId);
    if (title === undefined) return refused(unmatchedMessages.unknownTrack, 'trackId');
    if (item.aliasTrackId === trackId) return { ...assignment, is: 'same' as const };
    if (item.aliasTrackId !== null) return refused(unmatchedMessages.hasAlias(item.trackTitle ?? ''));
    if (item.trackId !== null) return refused(unmatchedMessages.hasTrack(item.trackTitle ?? ''));
    return { ...assignment, is: 'new' as const, title };
  });
}

const waitingAmounts = (row: queries.WaitingRow | undefined) => ({
  waitingEur: row?.amountEur ?? '0',
  statements: row?.statements ?? 0,
});

const matched = (isrc: string, trackId: number, waiting: queries.WaitingRow | undefined) => ({
  action: 'income_item.match' as const,
  entityId: isrc,
  after: { trackId, ...waitingAmounts(waiting) },
});

/**
 * Records in the journal the ISRCs that tracks were just given or lost: those that income has come for, and those that
 * now lead to this track instead of another account's. The caller attributes the income paid for them, and needs a
 * recent second factor (docs/decisions/320). @throws AppError forbidden
 */
export async function journalMatches(
  trx: Trx,
  actor: Actor & { session?: Session | undefined },
  changes: readonly queries.IsrcChange[],
): Promise<void> {
  const isrcs = changes.flatMap(({ isrc }) => (isrc === null ? [] : [isrc]));
  const knownIsrcs = await queries.listKnownIsrcs(trx, isrcs);
  const waiting = await queries.measure(trx, [...knownIsrcs], 'waiting', 'item');
  const taken = await queries.listMovedIsrcs(trx, changes);
  if (actor.session && knownIsrcs.size + taken.length > 0) requireRecentFactor(actor.session);
  await writeAudits(
    trx,
    actor,
    changes.flatMap(({ trackId, isrc }) =>
      isrc !== null && knownIsrcs.has(isrc) ? [matched(isrc, trackId, waiting.get(isrc))] : [],
    ),
  );
  await writeAudits(
    trx,
    actor,
    taken.map(({ trackId, isrc, title, formerTrackId, formerTitle }) => ({
      action: 'track.take_isrc' as const,
      entityId: trackId,
      before: { trackId: formerTrackId },
      after: { isrc },
      alert: { kind: 'destination', text: unmatchedMessages.takenIsrc(isrc, formerTitle, title) },
    })),
  );
}

async function assign(trx: Trx, actor: Actor, assignments: readonly (Assignment & { title: string })[]) {
  const keys = assignments.map(({ key }) => key);
  const each = await queries.measure(trx, keys, 'waiting', 'item');
  await queries.writeAliases(trx, assignments, actor.adminId);
  await writeAudits(
    trx,
    actor,
    assignments.map(({ key, trackId, title }) => ({
      action: 'income_item.assign' as const,
      entityId: key,
      before: { trackId: null },
      after: { trackId, title, ...waitingAmounts(each.get(key)) },
    })),
  );
}

async function toAssigned(trx: Trx, keys: readonly string[]): Promise<Assigned> {
  const finished = await queries.listFinished(trx, keys);
  return {
    ...toWaiting((await queries.measure(trx, keys, 'waiting')).get('')),
    finished: finished.map(({ source, month }) => ({ source, month: monthToMs(month) })),
  };
}

/**
 * The item's waiting income and that of later files go to the track.
 * @throws AppError not_found; validation_failed on `trackId`; conflict when the item has another track
 */
export async function assignTrack(trx: Trx, actor: Actor, assignment: Assignment): Promise<Assigned> {
  const [judged] = await judge(trx, [assignment]);
  if (!judged || judged.is === 'missing') throw notFound();
  if (judged.is === 'refused') {
    throw judged.field ? invalid({ [judged.field]: judged.reason }) : conflict(judged.reason);
  }
  if (judged.is === 'new') await assign(trx, actor, [judged]);
  return toAssigned(trx, [judged.key]);
}

/** Sets the tracks of many items; refused ones do not block the others. */
export async function assignTracks(trx: Trx, actor: Actor, assignments: readonly Assignment[]) {
  const judged = await judge(trx, assignments);
  const fresh = judged.filter((one) => one.is === 'new');
  if (fresh.length > 0) await assign(trx, actor, fresh);
  return {
    ...(await toAssigned(
      trx,
      fresh.map(({ key }) => key),
    )),
    assigned: judged.filter(({ is }) => is === 'new' || is === 'same').length,
    refused: judged.flatMap((one) =>
      one.is === 'refused' || one.is === 'missing' ? [{ key: one.key, reason: one.reason }] : [],
    ),
  };
}

/**
 * Waiting income goes back to the track of its ISRC, or to the unmatched list; posted income stays with its track.
 * @throws AppError not_found; conflict without an alias
 */
export async function unassignTrack(trx: Trx, actor: Actor, key: string) {
  const item = orNotFound((await queries.lockItems(trx, [key])).get(key));
  if (item.aliasTrackId === null) throw conflict(unmatchedMessages.hasNoAlias);
  const waiting = (await queries.measure(trx, [key], 'waiting')).get('') ?? nothing;
  const posted = (await queries.measure(trx, [key], 'posted')).get('') ?? nothing;
  await queries.writeAliases(trx, [{ key, trackId: null }], actor.adminId);
  await writeAudit(trx, actor, {
    action: 'income_item.unassign',
    entityId: key,
    before: {
      trackId: item.aliasTrackId,
      title: item.trackTitle,
      waitingEur: waiting.amountEur,
      statements: waiting.statements,
    },
    after: { trackId: null },
  });
  // Its future income goes to the track that has the ISRC.
  const next = (await queries.lockItems(trx, [key])).get(key)?.trackId;
  if (next)
    await writeAudit(trx, actor, matched(key, next, (await queries.measure(trx, [key], 'waiting', 'item')).get(key)));
  return { waiting: toWaiting(waiting), posted: toWaiting(posted) };
}

export async function listAliases(db: Trx, query: Parameters<typeof queries.listAliases>[1]) {
  const { rows, meta } = await queries.listAliases(db, query);
  const keys = rows.map(({ key }) => key);
  const [waiting, posted] = await Promise.all([
    queries.measure(db, keys, 'waiting', 'item'),
    queries.measure(db, keys, 'posted', 'item'),
  ]);
  const data = rows.map(
    (row): Alias => ({
      ...row,
      isrc: row.itemIsrc,
      track: row,
      assignedAt: row.aliasAt.getTime(),
      waiting: toWaiting(waiting.get(row.key)),
      posted: toWaiting(posted.get(row.key)),
    }),
  );
  return { data, meta };
}
