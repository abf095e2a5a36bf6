import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { AppError, notFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { type Caller, route } from '#src/lib/route.ts';

const systemLabels: Record<string, string> = {
  store: 'Revenus reçus des plateformes',
  paid: 'Versé aux comptes',
  platform: 'Part du distributeur',
  adjustment: 'Régularisations',
};

/** Transactions of reports need the capability of reports; others need that of accounts or payouts. */
const mayRead = (
  caller: Caller,
  { importId, payoutId }: { importId: number | null; payoutId: number | null },
): boolean =>
  caller.can('manage_profiles') ||
  importId !== null ||
  (payoutId !== null && (caller.can('read_pending_payout') || caller.can('read_paid_payout')));

export const ledgerRoutes = [
  route(routes.getLedgerTransaction, async ({ params, caller }, db) => {
    const transaction = await db
      .selectFrom('ledgerTransactions as t')
      .leftJoin('admins as a', 'a.id', 't.adminId')
      .leftJoin('imports as i', 'i.id', 't.importId')
      .select([
        't.id',
        't.kind',
        't.occurredAt',
        't.memo',
        't.importId',
        't.payoutId',
        't.reverses',
        't.accountId',
        'i.type',
        'i.month',
        'i.fileName',
        'a.firstName',
        'a.lastName',
      ])
      .where('t.id', '=', params.id)
      .executeTakeFirst();
    if (!transaction) throw notFound();
    if (!mayRead(caller, transaction)) throw new AppError('forbidden');
    const [reversals, postings] = await Promise.all([
      db
        .selectFrom('ledgerTransactions')
        .select('id')
        .where('reverses', '=', params.id)
        .orderBy('id')
        .limit(500)
        .execute(),
      db
        .selectFrom('ledgerPostings as p')
        .innerJoin('ledgerBalances as b', (join) =>
          join.onRef('b.account', '=', 'p.account').onRef('b.currency', '=', 'p.currency'),
        )
        .leftJoin('accounts as c', 'c.id', 'b.accountId')
        .select(['p.account', 'p.currency', 'p.amount', 'b.amount as balance'])
        .select(
          sql<string>`coalesce(nullif(trim(c.first_name || ' ' || c.last_name), ''), c.company, c.email::text, '')`.as(
            'name',
          ),
        )
        .where('p.transactionId', '=', params.id)
        .orderBy(sql`p.account LIKE 'account:%'`, 'desc')
        .orderBy('p.account')
        .execute(),
    ]);
    return {
      data: {
        id: transaction.id,
        kind: transaction.kind,
        occurredAt: transaction.occurredAt.getTime(),
        memo: transaction.memo,
        importId: transaction.importId,
        import:
          transaction.type === null || transaction.month === null
            ? null
            : {
                type: transaction.type === 'youtube' ? ('youtube' as const) : ('platform' as const),
                month: monthToMs(transaction.month),
                fileName: transaction.fileName,
                accountId: transaction.accountId,
              },
        reverses: transaction.reverses,
        reversedBy: reversals.map((row) => row.id),
        admin: transaction.firstName === null ? null : `${transaction.firstName} ${transaction.lastName}`,
        postings: postings.map((posting) => ({
          account: posting.account,
          label: systemLabels[posting.account] ?? (posting.name === '' ? posting.account : posting.name),
          currency: posting.currency,
          amount: toWireNumber(posting.amount),
          balance: toWireNumber(posting.balance),
        })),
      },
    };
  }),
];
