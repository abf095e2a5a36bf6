import { hash } from 'node:crypto';
import type { ListMeta } from '@regie/contract/envelope.ts';
import { type RawBuilder, type Sql, sql } from 'kysely';
import { type Database, queryRows, queryValue, type Trx } from './db.ts';
import { AppError } from './errors.ts';
import { toWireNumber } from './money.ts';

/** Lists count exactly up to this number (product §31.5). */
export const countLimit = 10_000;

type Bound = string | number | null;

export interface ListQuery<Sort extends string = string> {
  limit: number;
  cursor?: string | undefined;
  q?: string | undefined;
  sort: Sort;
  order: 'asc' | 'desc';
}

export interface Keyset {
  /** `WHERE` condition for rows after the cursor; true without one. */
  after: RawBuilder<boolean>;
  orderBy: RawBuilder<unknown>;
  limit: number;
  tag: string;
  cursorValue: RawBuilder<unknown>;
  /** The cursor's sort key, for lists that first select groups of rows. */
  from: Bound | undefined;
}

export interface SortKey {
  /** SQL of the sort expression; never null. */
  expression: RawBuilder<unknown>;
  type: 'text' | 'bigint' | 'numeric' | 'date' | 'timestamptz';
}

/**
 * A keyset page: by the sort key, then by id in the same direction, so that depth costs nothing (product §31.5).
 * @throws AppError invalid_data for a foreign cursor, or one of another list or sort
 */
export function keyset(query: ListQuery, keys: Record<string, SortKey>, id: RawBuilder<unknown>): Keyset {
  const key = keys[query.sort];
  if (!key) throw new AppError('invalid_data');
  const direction: Sql | RawBuilder<unknown> = sql.raw(query.order);
  const orderBy = sql`${key.expression} ${direction}, ${id} ${direction}`;
  const tag = `${query.sort}:${query.order}:${fingerprint(keys, id)}`;
  let after = sql<boolean>`true`;
  let from: Bound | undefined;
  if (query.cursor !== undefined) {
    const [value, lastId] = decodeCursor(query.cursor, tag, key.type);
    from = value;
    const comparison = sql.raw(query.order === 'asc' ? '>' : '<');
    after = sql<boolean>`(${key.expression}, ${id}) ${comparison} (${value}::${sql.raw(key.type)}, ${lastId}::bigint)`;
  }
  return { after, orderBy, limit: query.limit, tag, cursorValue: sql`(${key.expression})::text`, from };
}

const fingerprints = new WeakMap<Record<string, SortKey>, string>();

function fingerprint(keys: Record<string, SortKey>, id: RawBuilder<unknown>): string {
  const stored = fingerprints.get(keys);
  if (stored !== undefined) return stored;
  const sorts = Object.entries(keys).map(([name, key]) => [name, key.type, key.expression.toOperationNode()]);
  const text = JSON.stringify([sorts, id.toOperationNode()]);
  const computed = hash('sha256', text, 'base64url').slice(0, 8);
  fingerprints.set(keys, computed);
  return computed;
}

const cursorValues: Record<SortKey['type'], RegExp> = {
  text: /^[^\0]*$/,
  bigint: /^-?\d{1,18}$/,
  numeric: /^-?\d{1,40}(\.\d{1,40})?$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  timestamptz: /^\d{4}-\d{2}-\d{2}[T ][\d:.]+(Z|[+-][\d:]+)?$/,
};

const encodeCursor = (...parts: [tag: string, value: Bound, id: number]) =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

function decodeCursor(cursor: string, tag: string, type: SortKey['type']): [Bound, number] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parsed) && parsed.length === 3 && parsed[0] === tag && Number.isSafeInteger(parsed[2])) {
      const value: unknown = parsed[1];
      if ((typeof value === 'string' || typeof value === 'number') && cursorValues[type].test(String(value)))
        return [value, parsed[2]];
    }
  } catch {
    // Handled below.
  }
  throw new AppError('invalid_data');
}

/** Cuts a page out of `limit + 1` rows. `cursorValue` returns the sort key; by default the column of that name. */
export function cutPage<Row extends { id: number | string; cursorValue?: Bound }>(
  rows: Row[],
  page: Keyset,
  cursorValue: (row: Row) => Bound = (row) => row.cursorValue ?? null,
): { rows: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const nextCursor =
    rows.length > page.limit && last ? encodeCursor(page.tag, cursorValue(last), Number(last.id)) : null;
  return { rows: shown, nextCursor };
}

type Count = Pick<ListMeta, 'total' | 'totalIsExact'>;

export const capCount = (n: number): Count => ({ total: Math.min(n, countLimit), totalIsExact: n <= countLimit });

/** SQL that counts a list and stops beyond 10 000. */
export const countExpression = (from: RawBuilder<unknown>) =>
  sql<number>`(SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${sql.lit(countLimit + 1)}) AS counted)`;

export const countUpTo = async (db: Database | Trx, from: RawBuilder<unknown>) =>
  capCount(await queryValue<number>(db)`SELECT ${countExpression(from)}`);

/** Amounts are exact in the database and rounded once, as a sum. */
type Summed = Record<'amount' | 'currency', RawBuilder<unknown>>;

/** Counts rows up to 10 000, and sums them by currency when there are not more. */
export async function countAndSum(db: Database | Trx, from: RawBuilder<unknown>, { amount, currency }: Summed) {
  const rows = await queryRows<{ currency: string; amount: string; n: number }>(db)`
    SELECT currency, sum(amount) AS amount, count(*)::integer AS n
      FROM (SELECT ${amount} AS amount, ${currency} AS currency ${from} LIMIT ${sql.lit(countLimit + 1)}) AS counted
     GROUP BY currency ORDER BY currency`;
  const count = capCount(rows.reduce((sum, { n }) => sum + n, 0));
  const sums = rows.map((row) => ({ currency: row.currency, amount: toWireNumber(row.amount) }));
  return { ...count, sums: count.totalIsExact ? sums : null };
}

/**
 * One page of the rows that meet every condition, and their count. The page is cut before the joins, whose cost then
 * does not depend on the table. `columns` may use the table `from` under its alias `row`, and the joins.
 */
export async function readPage<Row extends { id: number | string }>(
  db: Database | Trx,
  page: Keyset,
  of: {
    columns: RawBuilder<unknown>;
    from: RawBuilder<unknown>;
    row: string;
    where: readonly RawBuilder<unknown>[];
    joins?: RawBuilder<unknown>;
    /** What the list's total adds up; may use the table only. */
    sum?: Summed;
  },
): Promise<{ rows: Row[]; meta: ListMeta }> {
  const from = sql`FROM ${of.from} WHERE ${sql.join(of.where, sql` AND `)}`;
  const [rows, count] = await Promise.all([
    queryRows<Row & { cursorValue: string }>(db)`
      SELECT ${of.columns}, ${page.cursorValue} AS cursor_value
        FROM (SELECT ${sql.ref(of.row)}.* ${from} AND ${page.after} ORDER BY ${page.orderBy}
               LIMIT ${sql.lit(page.limit + 1)}) ${sql.ref(of.row)} ${of.joins ?? sql``}
       ORDER BY ${page.orderBy}`,
    of.sum ? countAndSum(db, from, of.sum) : countUpTo(db, from),
  ]);
  const cut = cutPage(rows, page);
  return { rows: cut.rows, meta: { nextCursor: cut.nextCursor, ...count } };
}
