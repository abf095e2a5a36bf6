import { type AuditAction, type AuditEntity, auditActionNames, auditEntityNames } from '@regie/contract/audit.ts';
import { auditFields, findAuditField } from '@regie/contract/audit-fields.ts';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { JournalEntry, JournalRecord } from '@regie/contract/routes/staff.ts';
import { paths } from '#src/app/paths.ts';
import { formatMonth } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';

/** The French name of a field; an unknown field is shown as stored. */
export function fieldLabel(action: AuditAction, path: string): string {
  const field = findAuditField(action, path);
  if (field === undefined) return path;
  const [, template] = /^contractTemplates\.([^.]+)\./.exec(path) ?? [];
  return auditFields[field][1] + (template === undefined ? '' : ` «\u00a0${template}\u00a0»`);
}

/** `janv. 2026` for `2026-01`; any other text is unchanged. */
export function monthLabel(text: string): string {
  const month = /^(\d{4})-(\d{2})(-01)?$/.exec(text);
  // The middle of the month is in the month in every time zone.
  return month ? formatMonth(Date.UTC(Number(month[1]), Number(month[2]) - 1, 15)) : text;
}

type Reference = Pick<JournalRecord, 'kind' | 'id'>;

export const findRecord = (entry: Pick<JournalEntry, 'records'>, { kind, id }: Reference): JournalRecord | undefined =>
  entry.records.find((record) => record.kind === kind && record.id === id);

/** Kinds whose records are labelled by number. */
const numbered: ReadonlySet<AuditEntity> = new Set(['order', 'import', 'report', 'ticket', 'code_edit']);

/** A record's name without its kind: `Serge Diallo`, `n° 42, ventes.csv`, `janv. 2026`. */
export function recordName({ kind, id }: Reference, record: JournalRecord | undefined): string {
  const number = /^\d+$/.test(id) ? fr.list.recordNumber(id) : id;
  if (kind === 'month') return monthLabel(id);
  if (kind === 'exchange_rate')
    return id.replace(/^(\S+) (\w+)$/, (_, month, currency) => `${currency}, ${monthLabel(month)}`);
  if (!record?.name) return number;
  if (kind === 'payout_batch') return `${number} (${record.name})`;
  if (kind === 'payout') return `${formatPayoutNumber(Number(id))}, ${record.name}`;
  return numbered.has(kind) ? `${number}, ${record.name}` : record.name;
}

/** `Import n° 42, ventes.csv`, `Taux de change USD, janv. 2026`. */
export function recordLabel(entry: JournalEntry): string {
  const kind = auditEntityNames[entry.entity];
  if (entry.entityId === null) return kind;
  const reference = { kind: entry.entity, id: entry.entityId };
  return `${kind} ${recordName(reference, findRecord(entry, reference))}`;
}

/** What was done to what: `Réglage proposé · Réglages`. */
export const entryName = (entry: JournalEntry): string => `${auditActionNames[entry.action]} · ${recordLabel(entry)}`;

export const who = ({ admin }: JournalEntry): string => admin?.name ?? fr.common.system;

export interface RecordLink {
  to: string;
  search?: Record<string, string>;
}

type Linked = Reference & Partial<Pick<JournalRecord, 'name' | 'ownerId' | 'place'>>;

const byName =
  (to: string) =>
  ({ id, name }: Linked): RecordLink => ({ to, search: { q: name ?? id } });
const toOwner =
  (to: (id: number) => string) =>
  ({ ownerId }: Linked): RecordLink | undefined =>
    ownerId ? { to: to(ownerId) } : undefined;
const toPage =
  (to: (id: number) => string) =>
  ({ id }: Linked): RecordLink => ({ to: to(Number(id)) });

/** The screen of each kind of record: its page, its owner's, or the list filtered to it. */
const links: Record<AuditEntity, (record: Linked) => RecordLink | undefined> = {
  admin: byName(paths.manageAdmins),
  invitation: () => ({ to: paths.manageAdmins }),
  account: toPage(paths.profile),
  referral: toOwner(paths.accountReferrals),
  billing_account: ({ id, place }) => ({
    to: place === 'paypal' ? paths.paypalAccount(Number(id)) : paths.bankAccount(Number(id)),
  }),
  release: toPage(paths.release),
  track: toOwner(paths.release),
  artist: byName(paths.artists),
  order: toPage(paths.invoice),
  payout: toPage(paths.payout),
  payout_batch: toPage(paths.payoutBatch),
  exchange_rate: ({ id }) => ({ to: paths.exchangeRates, search: { currency: id.split(' ')[1] ?? '' } }),
  import: toPage(paths.import),
  report: toPage(paths.report),
  month: ({ id }) => ({ to: paths.reporting('all'), search: { from: id, to: id } }),
  statement: toPage(paths.storeStatement),
  statement_preset: () => ({ to: paths.statements }),
  income_item: ({ place, name, id, ...record }) =>
    place ? { to: paths.unmatched, search: { tab: place, q: name ?? id } } : toOwner(paths.release)({ ...record, id }),
  smartlink: toPage(paths.smartlink),
  promo_code: byName(paths.promoCodes),
  ticket: ({ id, place }) => ({ to: paths.tickets(place === 'closed' ? 'closed' : 'opened'), search: { q: id } }),
  contract: toOwner(paths.accountContracts),
  code_edit: ({ name }) => ({ to: paths.bulkEdit, ...(name ? { search: { q: name } } : {}) }),
  settings: () => ({ to: paths.settings }),
  job: () => undefined,
  mail: () => undefined,
  file: () => undefined,
};

/** Kinds without a stored record: their id says everything. */
const unstored: ReadonlySet<AuditEntity> = new Set(['exchange_rate', 'month', 'settings']);

/** The link to a record; undefined for deleted records and kinds without a screen. */
export function recordLink(reference: Reference, record: JournalRecord | undefined): RecordLink | undefined {
  if (record ? record.isGone : !unstored.has(reference.kind)) return undefined;
  return links[reference.kind](record ?? reference);
}
