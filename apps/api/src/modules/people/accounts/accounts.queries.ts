import type { VatRegime } from '@regie/contract/companies.ts';
import type { CompanyNumbers } from '@regie/contract/routes/accounts.ts';
import type { StatementPeriod } from '@regie/contract/statement-period.ts';
import { type Selectable, sql } from 'kysely';
import type { Accounts } from '#src/lib/db.generated.ts';
import { type Database, exists, queryColumn, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { countAndSum, countUpTo, cutPage, keyset, type ListQuery } from '#src/lib/keyset.ts';
import { matchesAccount } from '#src/lib/text-search.ts';
import { ledgerName } from '#src/modules/money/ledger/ledger.service.ts';
import type { StoredRole, StoredState } from './accounts.rules.ts';

export interface AccountFilter extends ListQuery<'name' | 'id'> {
  kind: 'accounts' | 'accountsWithLabelSubscription';
  role?: StoredRole | undefined;
  state?: StoredState | undefined;
  subscription?: 'label' | 'none' | undefined;
  siren?: 'missing' | undefined;
}

export interface StoredAccount extends Selectable<Accounts> {
  role: StoredRole;
  state: StoredState;
  vatRegime: VatRegime | null;
  statementPeriod: StatementPeriod | null;
  /** EUR, decimal text. */
  balance: string;
  /** Of the label subscription, yyyy-MM-dd. */
  subscriptionUntil: string | null;
  /** Sum of its referrers' percentages, decimal text. */
  referrers: string;
}

/** A paid order of the plan with a future due date (product §34.7). */
const labelOrders = sql`FROM orders o WHERE o.account_id = a.id AND o.plan = 'label' AND o.status = 'paid'
     AND o.due_date >= (now() AT TIME ZONE 'Europe/Paris')::date`;
const hasLabel = sql<boolean>`EXISTS (SELECT 1 ${labelOrders})`;

const balance = sql`coalesce((SELECT amount FROM ledger_balances b WHERE b.account_id = a.id AND b.currency = 'EUR'), 0)`;
const fields = sql`
  a.*, ${balance} AS balance,
  (SELECT max(o.due_date)::date ${labelOrders}) AS subscription_until,
  (SELECT coalesce(sum(r.percentile), 0) FROM referrals r WHERE r.referred_id = a.id AND r.deleted_at IS NULL) AS referrers`;

const withoutSiren = sql<boolean>`a.company <> '' AND a.siren IS NULL AND coalesce(a.country, 'France') = 'France'`;
export const countWithoutSiren = (db: Database) => queryValue<number>(db)`
    SELECT count(*) FROM accounts a WHERE ${withoutSiren}`;

function conditions(filter: AccountFilter) {
  const all = [sql<boolean>`true`];
  if (filter.q) all.push(matchesAccount(filter.q));
  // Literals let the planner use the partial indexes.
  if (filter.role) all.push(sql<boolean>`a.role = ${sql.lit(filter.role)}`);
  if (filter.state) all.push(sql<boolean>`a.state = ${sql.lit(filter.state)}`);
  if (filter.state && filter.state !== 'enabled') all.push(sql<boolean>`a.state <> 'enabled'`);
  if (filter.subscription === 'label') all.push(hasLabel);
  if (filter.subscription === 'none') all.push(sql<boolean>`NOT ${hasLabel}`);
  if (filter.siren === 'missing') all.push(withoutSiren);
  return sql<boolean>`${sql.join(all, sql` AND `)}`;
}

/** `kind` selects the paged list (product §31.6). */
export async function listAccounts(db: Database, filter: AccountFilter) {
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
      SELECT ${fields}
        FROM (SELECT a.*, ${cursorValue} AS cursor_value FROM accounts a WHERE ${matches} AND ${accountPage.after}
               ORDER BY ${accountPage.orderBy} LIMIT ${accountPage.limit + 1}) a
       ORDER BY ${accountPage.orderBy}`.execute(db),
    sql<{ id: number; cursorValue: number }>`
      SELECT a.id, a.id AS cursor_value FROM accounts a WHERE ${hasLabel} AND ${labelPage.after}
       ORDER BY ${labelPage.orderBy} LIMIT ${labelPage.limit + 1}`.execute(db),
    isOfAccounts
      ? countAndSum(db, sql`FROM accounts a WHERE ${matches}`, {
          amount: sql`trunc(${balance}, 2)`,
          currency: sql`'EUR'`,
        })
      : countUpTo(db, sql`FROM accounts a WHERE ${hasLabel}`),
  ]);
  const accountCut = cutPage(accounts.rows, accountPage);
  const labelCut = cutPage(labels.rows, labelPage);
  return {
    accounts: accountCut.rows,
    labels: labelCut.rows,
    meta: { nextCursor: (isOfAccounts ? accountCut : labelCut).nextCursor, ...count },
  };
}

export const findAccount = (db: Database, id: number) =>
  queryRow<StoredAccount>(db)`SELECT ${fields} FROM accounts a WHERE a.id = ${id}`;

/** It exists and is not erased. */
export const isUsable = (db: Database, id: number) => exists(db)`
    SELECT FROM accounts WHERE id = ${id} AND erased_at IS NULL`;

/** Not an erased account; imports can still post to it. */
export const lockAccount = (trx: Trx, id: number) => queryRow<StoredAccount>(trx)`
    SELECT ${fields} FROM accounts a WHERE a.id = ${id} AND a.erased_at IS NULL FOR NO KEY UPDATE OF a`;

/** By number or e-mail, without erased ones. */
export const lockNamedAccounts = (trx: Trx, ids: readonly number[], emails: readonly string[]) =>
  queryRows<StoredAccount>(trx)`
    SELECT ${fields} FROM accounts a
     WHERE (a.id = ANY(${ids}::bigint[]) OR a.email = ANY(${emails}::citext[])) AND a.erased_at IS NULL
     ORDER BY a.id FOR NO KEY UPDATE OF a`;

/** Only what is empty. */
export const fillCompanies = (trx: Trx, companies: readonly (CompanyNumbers & { id: number })[]) =>
  sql`
    UPDATE accounts a
       SET siren = coalesce(a.siren, n.siren), electronic_address = coalesce(a.electronic_address, n."electronicAddress"),
           vat_number = coalesce(a.vat_number, n.tax), vat_regime = coalesce(a.vat_regime, n."vatRegime"),
           updated_at = now()
      FROM jsonb_to_recordset(${JSON.stringify(companies)}::jsonb)
           AS n (id bigint, siren text, "electronicAddress" text, tax text, "vatRegime" text)
     WHERE a.id = n.id`.execute(trx);

/** EUR, decimal text. */
export async function findBalance(db: Database, accountId: number): Promise<string> {
  const [amount = '0'] = await queryColumn<string>(db)`
    SELECT amount FROM ledger_balances WHERE account = ${ledgerName.account(accountId)} AND currency = 'EUR'`;
  return amount;
}

/** Balances before each movement of 12 hours, latest first. */
export const listFormerBalances = (db: Trx, accountId: number, balance: string) => queryColumn<string>(db)`
    SELECT ${balance}::numeric - sum(amount) OVER (ORDER BY occurred_at DESC, transaction_id DESC) AS balance
      FROM ledger_postings
     WHERE account = ${ledgerName.account(accountId)} AND currency = 'EUR' AND occurred_at > now() - interval '12 hours'
     ORDER BY occurred_at DESC, transaction_id DESC LIMIT 1000`;
