import {
  type AuditAction,
  auditActionNames,
  auditEntityNames,
  entities,
  findAuditField,
} from '@regie/contract/audit.ts';
import type { RecordLink } from '@regie/contract/entity.ts';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { JournalEntry, JournalRecord } from '@regie/contract/routes/staff.ts';
import { formatMonth } from '@regie/values/formats.ts';
import { fr } from '#src/lib/fr.ts';

export function fieldLabel(action: AuditAction, path: string): string {
  const field = findAuditField(action, path);
  if (field === undefined) return path;
  const [, template] = /^contractTemplates\.([^.]+)\./.exec(path) ?? [];
  return field[1] + (template === undefined ? '' : ` «\u00a0${template}\u00a0»`);
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

/** A record's name without its kind: `Serge Diallo`, `n° 42, ventes.csv`, `janv. 2026`. */
export function recordName({ kind, id }: Reference, record: JournalRecord | undefined): string {
  const number = /^\d+$/.test(id) ? fr.list.recordNumber(id) : id;
  if (kind === 'month') return monthLabel(id);
  if (kind === 'exchange_rate')
    return id.replace(/^(\S+) (\w+)$/, (_, month, currency) => `${currency}, ${monthLabel(month)}`);
  if (!record?.name) return number;
  if (kind === 'payout_batch') return `${number} (${record.name})`;
  if (kind === 'payout') return `${formatPayoutNumber(Number(id))}, ${record.name}`;
  return entities[kind].isNumbered ? `${number}, ${record.name}` : record.name;
}

/** `Import n° 42, ventes.csv`, `Taux de change USD, janv. 2026`. */
export function recordLabel(entry: JournalEntry): string {
  const kind = auditEntityNames[entry.entity];
  if (entry.entityId === null) return kind;
  const reference = { kind: entry.entity, id: entry.entityId };
  return `${kind} ${recordName(reference, findRecord(entry, reference))}`;
}

export const entryName = (entry: JournalEntry): string => `${auditActionNames[entry.action]} · ${recordLabel(entry)}`;

export const who = ({ admin }: JournalEntry): string => admin?.name ?? fr.common.system;

export function recordLink(reference: Reference, record: JournalRecord | undefined): RecordLink | undefined {
  if (record ? record.isGone : !entities[reference.kind].isUnstored) return undefined;
  return entities[reference.kind].link?.(record ?? reference);
}
