import { type AuditEntity, entityTables } from './audit.ts';
import type { Columns, Table, Tables } from './entity.ts';

export const splitNames = (names = ''): string[] => names.split(/\s+/).filter(Boolean);

/** One key per column, and the default of `of`. */
function complete(table: Table): Table {
  const ids = splitNames(table.columns);
  const owned = ids.includes('account_id') ? { account: 't.account_id = $id' } : { admin: 't.admin_id = $id' };
  const split = (columns: Columns | undefined) =>
    columns &&
    Object.fromEntries(Object.entries(columns).flatMap(([names, how]) => splitNames(names).map((name) => [name, how])));
  return {
    ...table,
    of: table.of ?? (table.says === undefined ? undefined : owned),
    ...{ account: split(table.account), admin: split(table.admin) },
    ...{ third: split(table.third), secret: split(table.secret) },
  };
}
export const completeTables = (given: Tables): Tables =>
  Object.fromEntries(Object.entries(given).map(([name, table]) => [name, complete(table)]));

export const tables = completeTables(Object.assign({}, ...Object.values(entityTables)));

/** The table of each kind's records, for kinds that have one. */
export const recordTables = (Object.entries(entityTables) as [AuditEntity, Tables][]).flatMap(([kind, own]) =>
  Object.keys(own).flatMap((table) => {
    const { record, of } = tables[table] ?? {};
    return record ? [{ ...record, kind, table, ofAccount: record.ofAccount ?? of?.account }] : [];
  }),
);
