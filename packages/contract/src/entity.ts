/** What a field of a journal entry holds; a list holds several values of the type. */
type AuditValue =
  /** The number of a record of this kind: `#account`. */
  | `#${string}`
  /** The name of another field. */
  | 'field'
  /** The key of a statement preset: `distrokid`, or `custom:` and a number. */
  | 'preset'
  | 'text'
  | 'prose'
  /** Shown exactly as typed: ISRC, IBAN, a checksum. */
  | 'code'
  | 'number'
  /** A position: stored from 0, shown from 1. */
  | 'index'
  /** A number that is not a quantity: a year, a number in a series. */
  | 'figure'
  /** An exact amount, as typed or as in the ledger. */
  | 'eur'
  /** A computed amount, shown to the cent. */
  | 'eurSum'
  | 'usdSum'
  /** An amount in the currency given by another field of the entry. */
  | 'money'
  | 'percent'
  | 'rate'
  | 'bytes'
  | 'boolean'
  /** `2026-10-30` or `30/10/2026`. */
  | 'day'
  | 'instant'
  | 'month'
  | 'capability'
  | 'platform'
  | 'territory'
  /** `2024-04 USD 1.0824000000 (2024-01)`: month, currency, rate, and the earlier month of that rate. */
  | 'oldRate'
  /** `2025-02 USD 100.751 / 101.25 (-0.499)`: read, declared, and the difference. */
  | 'declaration'
  /** One of these values, with their French names. */
  | Readonly<Record<string, string>>;

/** What a field holds, and its French name. Spaces before : ; ! ? are U+00A0. */
export type AuditField = readonly [holds: AuditValue, label: string];
/** By name, or by action and name: `auth.signin:factor`. */
export type AuditFields = Readonly<Record<string, AuditField>>;

export interface RecordLink {
  to: string;
  search?: Record<string, string>;
}
export interface LinkedRecord {
  id: string;
  name?: string | null;
  ownerId?: number | null;
  place?: string | null;
}

export interface Entity {
  label: string;
  /** Every action that was ever stored. */
  actions: Readonly<Record<string, string>>;
  fields?: AuditFields;
  /** Fields that name or describe a person: erasure redacts them. */
  personal?: AuditFields;
  /** The screen of a record: its page, its owner's, or the list filtered to it. */
  link?: (record: LinkedRecord) => RecordLink | undefined;
  /** The journal of an account includes these records of the account. */
  isOfAccount?: true;
  isNumbered?: true;
  /** The id says everything: there is no row to name it by. */
  isUnstored?: true;
}

export const toList =
  (to: string) =>
  ({ id, name }: LinkedRecord): RecordLink => ({ to, search: { q: name ?? id } });
export const toPage =
  (to: string, end = '') =>
  ({ id }: LinkedRecord): RecordLink => ({ to: `${to}/${id}${end}` });
export const toOwner =
  (to: string, end = '') =>
  ({ ownerId }: LinkedRecord): RecordLink | undefined =>
    ownerId ? { to: `${to}/${ownerId}${end}` } : undefined;

/** Whose data a row can be exported and erased for. */
export type Subject = 'account' | 'admin';

/** How long something outlives an erasure: accounting records (L123-22 Code de commerce), proof of contracts (2224 Code civil). */
export type Term = 'accounting' | 'contracts';

/** What erasure does with a value. */
export type Erasure =
  /** Replaced by this SQL expression over the row `t`. */
  | { put: string }
  /** The same, once the legal term has passed. */
  | { keep: Term; put: string }
  /** Kept for good, with the reason. */
  | { keep: 'always'; why: string }
  /** The row is deleted. */
  | 'delete'
  /** The journal's values are redacted one by one: `personal` of each entity. */
  | 'redact'
  /** Derived from other columns: it follows them. */
  | 'follow'
  /** Deleted with its row by a nightly job, within the days named in the settings or in product §40. */
  | 'expire';

/** How the journal names and finds a record: SQL over its row `t`. */
interface StoredRecord {
  join?: string;
  /** A text that identifies it in place of `id`. */
  key?: string;
  name: string;
  isGone?: string;
  /** The number of the record whose page shows it. */
  owner?: string;
  /** What the link depends on. */
  place?: string;
  /** The folded text that a search compares, or the records whose names it compares; by default the name. */
  search?: string | { accounts: readonly string[] } | { release: string } | false;
  /** The records of the account `$id`, where the table itself holds nothing about it. */
  ofAccount?: string;
}

export type Columns = Readonly<Record<string, Erasure>>;

export interface Table {
  record?: StoredRecord;
  /** SQL: when the legal term of what is kept begins; by default with the erasure. */
  dated?: string;
  /** What an export calls it. */
  says?: string;
  /** SQL over `t`: the rows about the subject `$id`; in exported tables by default by `account_id` or `admin_id`. */
  of?: Partial<Record<Subject, string>> | undefined;
  /** Not personal: ids, amounts, dates, states, descriptions of works, and the numbers of admins who acted. */
  columns?: string;
  account?: Columns | undefined;
  admin?: Columns | undefined;
  /** Artists, contributors and other people that customers and stores name; exported with the account. */
  third?: Columns | undefined;
  /** Credentials and hashes: never exported. */
  secret?: Columns | undefined;
  /** Where an export shows less than the column: SQL over `t`. */
  shown?: Partial<Record<Subject, Record<string, string>>>;
}
/** The tables of an entity, with the names in the database. Only the server imports them. */
export type Tables = Readonly<Record<string, Table>>;

export const clear = { put: 'NULL' };
export const blank = { put: `''` };
export const credit = { keep: 'always', why: 'credits of a published work belong to its authors' } as const;
export const clearAfterAccounting = { keep: 'accounting', put: 'NULL' } as const;
export const ofAccount = 't.account_id = $id';
export const ofTrack = 't.track_id IN (SELECT k.id FROM tracks k WHERE k.account_id = $id)';

/** SQL: the e-mail of `row` in brackets, where another of the table has the same name. */
export const emailApart = (table: 'accounts' | 'admins', row: string) => `CASE
  WHEN EXISTS (SELECT FROM ${table} o
                WHERE o.last_name = ${row}.last_name AND o.first_name = ${row}.first_name AND o.id <> ${row}.id)
  THEN coalesce(' (' || ${row}.email || ')', '') ELSE '' END`;
export const accountName = (row: string) =>
  `coalesce(nullif(btrim(${row}.first_name || ' ' || ${row}.last_name), '') || ${emailApart('accounts', row)}, ${row}.company)`;

export const labelsOf = (table: Readonly<Record<string, { label: string }>>) =>
  Object.fromEntries(Object.entries(table).map(([key, { label }]) => [key, label]));
