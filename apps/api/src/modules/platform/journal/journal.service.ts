import { type AuditAction, type AuditEntity, findAuditField, flattenFields, kindOf } from '@regie/contract/audit.ts';
import type { JournalRecord } from '@regie/contract/routes/staff.ts';
import { ownPresetKey } from '@regie/contract/statements.ts';
import type { Database } from '#src/lib/db.ts';
import { mapPresets } from '#src/modules/income/presets/presets.service.ts';
import {
  findRecords,
  findRows,
  type JournalQuery,
  type JournalRow,
  listJournal as listRows,
  nameFields,
} from './journal.queries.ts';

type Reference = { kind: AuditEntity; id: string };
type States = Pick<JournalRow, 'before' | 'after'>;

function findReferences(action: AuditAction, { before, after }: States): Reference[] {
  return [before, after].flatMap((state) =>
    [...flattenFields(state)].flatMap(([path, value]) => {
      const field = findAuditField(action, path);
      const kind = field?.[0] === 'preset' ? 'statement_preset' : field && kindOf(field);
      if (kind === undefined) return [];
      return [value]
        .flat()
        .flatMap((id) => (typeof id === 'number' || typeof id === 'string' ? [{ kind, id: String(id) }] : []));
    }),
  );
}

/** For records that no longer exist. */
function findStoredName({ before, after }: States): string | null {
  const fields = { ...after, ...before };
  if (typeof fields.fname === 'string' && typeof fields.lname === 'string') return `${fields.fname} ${fields.lname}`;
  const name = nameFields.map((field) => fields[field]).find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name : null;
}

const keyOf = ({ kind, id }: Reference) => `${kind} ${id}`;

export async function listJournal(db: Database, query: JournalQuery) {
  const { rows, ...meta } = await listRows(db, query);
  return { data: await nameRecords(db, rows), meta };
}

/** Newest first, without origins. */
export async function findEntries(db: Database, ids: readonly number[]) {
  const entries = ids.length === 0 ? [] : await nameRecords(db, await findRows(db, ids));
  return entries.map((entry) => ({ ...entry, requestId: null, address: null, agent: null }));
}

async function nameRecords(db: Database, rows: readonly JournalRow[]) {
  const named = rows.map((row) => ({
    row,
    references: [
      ...(row.entityId === null ? [] : [{ kind: row.entity, id: row.entityId }]),
      ...findReferences(row.action, row),
    ],
  }));
  const wanted = new Map<AuditEntity, Set<string>>();
  for (const { kind, id } of named.flatMap(({ references }) => references)) {
    wanted.set(kind, (wanted.get(kind) ?? new Set()).add(id));
  }
  wanted.set(
    'admin',
    new Set([...(wanted.get('admin') ?? []), ...rows.flatMap(({ adminId }) => adminId ?? [])].map(String)),
  );
  const found = new Map<string, JournalRecord>(
    (await findRecords(db, wanted)).map((record) => [keyOf(record), record]),
  );
  const presetIds = wanted.get('statement_preset');
  if (presetIds) {
    const presets = await mapPresets(db);
    for (const id of presetIds) {
      const preset = presets.get(/^\d+$/.test(id) ? ownPresetKey(Number(id)) : id);
      const record = { kind: 'statement_preset' as const, id, name: preset?.name ?? null };
      if (preset) found.set(keyOf(record), { ...record, isGone: false, ownerId: null, place: null });
    }
  }
  const toRecord = (reference: Reference, row: JournalRow): JournalRecord[] => {
    const record = found.get(keyOf(reference));
    if (record) return [record];
    const isOwn = reference.kind === row.entity && reference.id === row.entityId;
    const name = isOwn ? findStoredName(row) : null;
    // Others are shown by kind and id.
    return name === null ? [] : [{ ...reference, name, isGone: true, ownerId: null, place: null }];
  };
  return named.map(({ row, references }) => ({
    ...row,
    at: row.at.getTime(),
    admin:
      row.adminId === null
        ? null
        : { id: row.adminId, name: found.get(keyOf({ kind: 'admin', id: String(row.adminId) }))?.name ?? '' },
    records: [
      ...new Map(
        references.flatMap((reference) => toRecord(reference, row)).map((record) => [keyOf(record), record]),
      ).values(),
    ],
  }));
}
