import { entities } from '@regie/contract/audit.ts';
import type { Erasure, Subject, Table, Tables } from '@regie/contract/entity.ts';
import { completeTables, recordTables, splitNames, tables } from '@regie/contract/tables.ts';

/** Records shown in the account's journal, and those that name a person. */
const recordsOfAccount = recordTables.flatMap(({ kind, table }) => {
  const condition = tables[table]?.of?.account;
  const isAbout = entities[kind].isOfAccount || entities[kind].personal;
  return isAbout && condition ? `SELECT '${kind}' AS entity, t.id::text AS id FROM ${table} t WHERE ${condition}` : [];
});
/** By the journal's index: entries of the account's record and of all it owns. */
const journalOfAccount = `t.id IN (
  SELECT l.id FROM audit_log l JOIN (${recordsOfAccount.join(' UNION ALL ')}) owned
    ON owned.entity = l.entity AND owned.id = l.entity_id
  UNION ALL SELECT l.id FROM audit_log l
   WHERE l.entity = 'mail' AND lower(l.after ->> 'to') IN (
     SELECT lower(a.email::text) FROM accounts a WHERE a.id = $id
     UNION SELECT lower(b.email::text) FROM billing_accounts b WHERE b.account_id = $id))`;

/** Not those of what they did. */
export const journalAboutAdmin = `t.id IN (
  SELECT l.id FROM audit_log l WHERE l.entity = 'admin' AND l.entity_id = $id::text
  UNION ALL SELECT l.id FROM audit_log l JOIN admins a ON a.id = $id
   WHERE l.entity = 'invitation' AND lower(a.email::text) IN (lower(l.after ->> 'email'), lower(l.before ->> 'email'))
      OR l.entity = 'mail' AND lower(l.after ->> 'to') = lower(a.email::text)
      OR l.entity = 'billing_account' AND l.after ->> 'changedBy' = a.first_name || ' ' || a.last_name)`;
const onlyAboutAdmin = (column: string) => `CASE WHEN ${journalAboutAdmin} THEN t.${column} END`;

/** Of no entity. */
const otherTables: Tables = {
  rate_limits: { columns: 'key points expire' },
  audit_log: {
    says: 'Journal',
    of: { account: journalOfAccount, admin: `(t.admin_id = $id OR ${journalAboutAdmin})` },
    columns: 'id at action entity entity_id request_id fields admin_id',
    account: { before: 'redact', after: 'redact' },
    admin: { address: 'redact', agent: 'redact' },
    secret: {
      search: 'follow',
      salt: { keep: 'always', why: 'a random number' },
      digest: { keep: 'always', why: 'salted; the salt is replaced when the entry is redacted' },
    },
    // Acts on customers are not the admin's data.
    shown: { admin: { before: onlyAboutAdmin('before'), after: onlyAboutAdmin('after') } },
  },
  journal_redactions: { columns: 'id entry_id at content_hash' },
  backups: { columns: 'id name ended_at size_bytes is_encrypted error' },
  chain_links: { columns: 'seq source row_id hash sealed_at' },
  chain_marks: { columns: 'source sealed_below' },
  migrations: { columns: 'name hash applied_at' },
};

/** Every column of the database, as its test checks. */
export const personalData: Tables = { ...tables, ...completeTables(otherTables) };

/** Once per class. */
export const columnsOf = ({ columns, account, admin, third, secret }: Table): string[] => [
  ...splitNames(columns),
  ...[account, admin, third, secret].flatMap((of) => Object.keys(of ?? {})),
];

/** The colleague who acted is the colleague's data. */
const isActor = (column: string) => column === 'admin_id' || column.endsWith('_by');

/** With their SQL. */
export function exportedColumns(table: Table, subject: Subject): { name: string; expression: string }[] {
  const personal = subject === 'account' ? { ...table.account, ...table.third } : table.admin;
  const names = [
    ...splitNames(table.columns).filter((column) => subject === 'admin' || !isActor(column)),
    ...Object.entries(personal ?? {}).flatMap(([name, how]) => (how === 'follow' ? [] : [name])),
    ...Object.keys(table.shown?.[subject] ?? {}),
  ];
  return names.map((name) => ({ name, expression: table.shown?.[subject]?.[name] ?? `t.${name}` }));
}

export const erasuresOf = (table: Table, subject: Subject): [string, Erasure][] =>
  Object.entries({ ...table[subject], ...(table.of?.[subject] ? table.secret : {}) });
