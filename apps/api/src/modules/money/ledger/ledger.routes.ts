import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { queryColumn, queryRows } from '#src/lib/db.ts';
import { AppError, orNotFound } from '#src/lib/errors.ts';
import { type Caller, route } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';

const systemLabels: Record<string, string> = {
  store: 'Revenus reçus des plateformes',
  paid: 'Versé aux comptes',
  platform: 'Part du distributeur',
  adjustment: 'Régularisations',
};

/** Transactions of reports need a right of reports, others one of accounts or payouts. */
const mayRead = (
  caller: Caller,
  { importId, payoutId }: { importId: number | null; payoutId: number | null },
): boolean =>
  caller.can('manage_profiles') ||
  importId !== null ||
  (payoutId !== null && (caller.can('read_pending_payout') || caller.can('read_paid_payout')));

interface PostingRow {
  account: string;
  currency: string;
  amount: string;
  balance: string;
  payoutId: number | null;
  accountId: number | null;
  name: string;
}

/** In words: `Versement V-000054, Fanta Keïta`. */
function labelOf({ account, payoutId, accountId, name }: PostingRow): string {
  const holder = name || `Compte ${accountId}`;
  return systemLabels[account] ?? (payoutId === null ? holder : `Versement ${formatPayoutNumber(payoutId)}, ${holder}`);
}

export const ledgerRoutes = [
  route(routes.getLedgerTransaction, async ({ params, caller }, db) => {
    const transaction = orNotFound(
      await db
        .selectFrom('ledgerTransactions as t')
        .leftJoin('admins as a', 'a.id', 't.adminId')
        .leftJoin('imports as i', 'i.id', 't.importId')
        .select(['t.id', 't.kind', 't.occurredAt', 't.memo', 't.importId', 't.payoutId', 't.reverses', 't.accountId'])
        .select(['i.type', 'i.month', 'i.fileName', 'a.firstName', 'a.lastName'])
        .where('t.id', '=', params.id)
        .executeTakeFirst(),
    );
    if (!mayRead(caller, transaction)) throw new AppError('forbidden');
    const reversedBy = await queryColumn<number>(db)`
      SELECT id FROM ledger_transactions WHERE reverses = ${params.id} ORDER BY id LIMIT 500`;
    const postings = await queryRows<PostingRow>(db)`
      SELECT p.account, p.currency, p.amount, b.amount AS balance, v.id AS payout_id, c.id AS account_id,
             coalesce(nullif(trim(c.first_name || ' ' || c.last_name), ''), c.company, c.email::text, '') AS name
        FROM ledger_postings p
        JOIN ledger_balances b USING (account, currency)
        LEFT JOIN payouts v ON v.id = CASE WHEN p.account LIKE 'payout:%' THEN substr(p.account, 8)::bigint END
        LEFT JOIN accounts c ON c.id = coalesce(b.account_id, v.account_id)
       WHERE p.transaction_id = ${params.id} ORDER BY p.account LIKE 'account:%' DESC, p.account`;
    return {
      data: {
        ...toWireRow(transaction),
        import:
          transaction.type === null || transaction.month === null
            ? null
            : {
                type: transaction.type === 'youtube' ? ('youtube' as const) : ('platform' as const),
                month: monthToMs(transaction.month),
                fileName: transaction.fileName,
                accountId: transaction.accountId,
              },
        reversedBy,
        admin: transaction.firstName === null ? null : `${transaction.firstName} ${transaction.lastName}`,
        postings: postings.map((posting) => ({
          ...toWireRow(posting, 'amount', 'balance'),
          label: labelOf(posting),
        })),
      },
    };
  }),
];
