import { sql } from 'kysely';
import { type Database, exists, queryColumn, queryRow, type Trx } from '#src/lib/db.ts';
import { countUpTo, cutPage, keyset, type ListQuery } from '#src/lib/keyset.ts';
import { matchesAccount } from '#src/lib/text-search.ts';
import { ledgerName } from '#src/modules/money/ledger/ledger.service.ts';
import type { StoredRole, StoredState } from './accounts.rules.ts';

export interface AccountFilter extends ListQuery<'name' | 'id'> {
  kind: 'accounts' | 'accountsWithLabelSubscription';
  role?: StoredRole | undefined;
  state?: StoredState | undefined;
  subscription?: 'label' | 'none' | undefined;
}

export interface StoredAccount {
  id: number;
  firstName: string;
  lastName: string;
  email: string | null;
  company: string | null;
  address: string | null;
  address2: string | null;
  city: string | null;
  postcode: string | null;
  country: string | null;
  vatNumber: string | null;
  timezone: string | null;
  role: StoredRole;
  state: StoredState;
  libraryPercentile: string;
  youtubePercentile: string;
  memo: string | null;
  createdAt: Date;
  updatedAt: Date;
  erasedAt: Date | null;
  /** EUR, decimal text. */
  balance: string;
  /** Last day of the current label subscription, yyyy-MM-dd. */
  subscriptionUntil: string | null;
  /** The sum of its referrers' percentages of the account's net, decimal text. */
  referrers: string;
}

/** An account has a label subscription while a paid order of that plan has a due date in the future (product §34.7). */
const labelOrders = sql`FROM orders o WHERE o.account_id = a.id AND o.plan = 'label' AND o.status = 'paid'
     AND o.due_date >= (now() AT TIME ZONE 'Europe/Paris')::date`;
const hasLabel = sql<boolean>`EXISTS (SELECT 1 ${labelOrders})`;

const fields = sql`
  a.id, a.first_name, a.last_name, a.email, a.company, a.address, a.address2, a.city, a.postcode, a.country,
  a.vat_number, a.timezone, a.role, a.state, a.library_percentile, a.youtube_percentile, a.memo, a.created_at,
  a.updated_at, a.erased_at,
  coalesce((SELECT amount FROM ledger_balances b WHERE b.account_id = a.id AND b.currency = 'EUR'), 0) AS balance,
  (SELECT max(o.due_date)::date ${labelOrders}) AS subscription_until,
  (SELECT coalesce(sum(r.percentile), 0) FROM referrals r WHERE r.referred_id = a.id AND r.deleted_at IS NULL) AS referrers`;

function conditions(filter: AccountFilter) {
  const all = [sql<boolean>`true`];
  if (filter.q) all.push(matchesAccount(filter.q));
  // Literals, so that the planner can use the partial indexes.
  if (filter.role) all.push(sql<boolean>`a.role = ${sql.lit(filter.role)}`);
  if (filter.state) all.push(sql<boolean>`a.state = ${sql.lit(filter.state)}`);
  if (filter.state && filter.state !== 'enabled') all.push(sql<boolean>`a.state <> 'enabled'`);
  if (filter.subscription === 'label') all.push(hasLabel);
  if (filter.subscription === 'none') all.push(sql<boolean>`NOT ${hasLabel}`);
  return sql<boolean>`${sql.join(all, sql` AND `)}`;
}

/** Returns both lists; `kind` selects the paged one (product §31.6). */
export async function listAccounts(db: Database | Trx, filter: AccountFilter) {
  const isOfAccounts = filter.kind === 'accounts';
  const matches = conditions(filter);
  const accountPage = keyset(
    isOfAccounts ? filter : { ...filter, cursor: undefined, sort: 'name' },
    { name: { expression: sql`a.last_name`, type: 'text' }, id: { expression: sql`a.id`, type: 'bigint' } },
    sql`a.id`,
  );
  const labelPage = keyset(
    { ...filter, cursor: isOfAccounts ? undefined : filter.cursor, sort: 'id' },
    { id: { expression: sql`a.id`, type: 'bigint' } },
    sql`a.id`,
  );
  const cursorValue = isOfAccounts && filter.sort === 'id' ? sql`a.id` : sql`a.last_name`;
  const [accounts, labels, count] = await Promise.all([
    sql<StoredAccount & { cursorValue: string | number }>`
      SELECT ${fields}, a.cursor_value
        FROM (SELECT a.*, ${cursorValue} AS cursor_value FROM accounts a WHERE ${matches} AND ${accountPage.after}
               ORDER BY ${accountPage.orderBy} LIMIT ${accountPage.limit + 1}) a
       ORDER BY ${accountPage.orderBy}`.execute(db),
    sql<{ id: number; cursorValue: number }>`
      SELECT a.id, a.id AS cursor_value FROM accounts a WHERE ${hasLabel} AND ${labelPage.after}
       ORDER BY ${labelPage.orderBy} LIMIT ${labelPage.limit + 1}`.execute(db),
    countUpTo(db, isOfAccounts ? sql`FROM accounts a WHERE ${matches}` : sql`FROM accounts a WHERE ${hasLabel}`),
  ]);
  const accountCut = cutPage(accounts.rows, accountPage);
  const labelCut = cutPage(labels.rows, labelPage);
  return {
    accounts: accountCut.rows,
    labels: labelCut.rows,
    meta: { nextCursor: (isOfAccounts ? accountCut : labelCut).nextCursor, ...count },
  };
}

export const findAccount = (db: Database | Trx, id: number) =>
  queryRow<StoredAccount>(db)`SELECT ${fields} FROM accounts a WHERE a.id = ${id}`;

/** Whether records may be added to the account: it exists, and its data was not erased. */
export const isUsable = (db: Database | Trx, id: number) => exists(db)`
    SELECT FROM accounts WHERE id = ${id} AND erased_at IS NULL`;

/** Locks the account until the transaction ends; imports can still post to it. Not one whose data was erased. */
export const lockAccount = (trx: Trx, id: number) => queryRow<StoredAccount>(trx)`
    SELECT ${fields} FROM accounts a WHERE a.id = ${id} AND a.erased_at IS NULL FOR NO KEY UPDATE OF a`;

/** EUR, decimal text. */
export async function findBalance(db: Database | Trx, accountId: number): Promise<string> {
  const [amount = '0'] = await queryColumn<string>(db)`
    SELECT amount FROM ledger_balances WHERE account = ${ledgerName.account(accountId)} AND currency = 'EUR'`;
  return amount;
}

/** What an account's balance was in the last 12 hours, before each movement; decimal text, latest first. */
export const listFormerBalances = (db: Trx, accountId: number, balance: string) => queryColumn<string>(db)`
    SELECT ${balance}::numeric - sum(amount) OVER (ORDER BY occurred_at DESC, transaction_id DESC) AS balance
      FROM ledger_postings
     WHERE account = ${ledgerName.account(accountId)} AND currency = 'EUR' AND occurred_at > now() - interval '12 hours'
     ORDER BY occurred_at DESC, transaction_id DESC LIMIT 1000`;
