import { routes } from '@regie/contract/routes.ts';
import { sql } from 'kysely';
import { containsPattern, countUpTo, cutPage, keyset } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { route } from '#src/lib/route.ts';

interface AccountRow {
  id: number;
  firstName: string;
  lastName: string;
  email: string | null;
  company: string | null;
  role: 'customer' | 'label';
  state: 'enabled' | 'hold' | 'disabled';
  balance: string;
}

const wireRole = { customer: 'CUSTOMER', label: 'LABEL' } as const;
const wireState = { enabled: 'ENABLED', hold: 'HOLD', disabled: 'DISABLED' } as const;

export const accountRoutes = [
  route(routes.listProfiles, async ({ query }, db) => {
    const isOfAccounts = query.kind === 'accounts';
    const text = sql<boolean>`(${query.q ?? ''} = '' OR a.search LIKE fold(${containsPattern(query.q ?? '')}))`;
    const accountPage = keyset(
      isOfAccounts ? query : { ...query, cursor: undefined, sort: 'name' },
      { name: { expression: sql`a.last_name`, type: 'text' }, id: { expression: sql`a.id`, type: 'bigint' } },
      sql`a.id`,
    );
    const labelPage = keyset(
      { ...query, cursor: isOfAccounts ? undefined : query.cursor, sort: 'id' },
      { id: { expression: sql`a.id`, type: 'bigint' } },
      sql`a.id`,
    );
    // A label subscription is a paid order of that plan whose due date has not passed (decisions §4).
    const hasLabel = sql<boolean>`EXISTS (
      SELECT 1 FROM orders o WHERE o.account_id = a.id AND o.plan = 'label' AND o.status = 'paid' AND o.due_date >= (now() AT TIME ZONE 'Europe/Paris')::date)`;
    const cursorValue = isOfAccounts && query.sort === 'id' ? sql`a.id` : sql`a.last_name`;
    const [accounts, labels, count] = await Promise.all([
      sql<AccountRow & { cursorValue: string | number }>`
        SELECT a.*, coalesce(b.amount, 0) AS balance
          FROM (SELECT a.id, a.first_name, a.last_name, a.email, a.company, a.role, a.state, ${cursorValue} AS cursor_value
                  FROM accounts a WHERE ${text} AND ${accountPage.after}
                 ORDER BY ${accountPage.orderBy} LIMIT ${accountPage.limit + 1}) a
          LEFT JOIN ledger_balances b ON b.account_id = a.id AND b.currency = 'EUR'
         ORDER BY ${accountPage.orderBy}`.execute(db),
      sql<{ id: number; cursorValue: number }>`
        SELECT a.id, a.id AS cursor_value FROM accounts a WHERE ${hasLabel} AND ${labelPage.after}
         ORDER BY ${labelPage.orderBy} LIMIT ${labelPage.limit + 1}`.execute(db),
      countUpTo(db, isOfAccounts ? sql`FROM accounts a WHERE ${text}` : sql`FROM accounts a WHERE ${hasLabel}`),
    ]);
    const accountCut = cutPage(accounts.rows, accountPage);
    const labelCut = cutPage(labels.rows, labelPage);
    return {
      data: {
        accounts: accountCut.rows.map((row) => ({
          id: row.id,
          fname: row.firstName,
          lname: row.lastName,
          email: row.email,
          company: row.company,
          role: wireRole[row.role],
          state: wireState[row.state],
          income: toWireNumber(row.balance),
        })),
        accountsWithLabelSubscription: labelCut.rows.map((row) => ({ userId: row.id })),
      },
      meta: { nextCursor: (isOfAccounts ? accountCut : labelCut).nextCursor, ...count },
    };
  }),
];
