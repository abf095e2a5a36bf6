import type { AccountFigures, AccountStatementKind } from '@regie/contract/routes/account-statement.ts';
import { addMonths, monthToMs } from '@regie/values/month.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError, notFound } from '#src/lib/errors.ts';
import { capCount } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { ledgerName } from '#src/modules/money/ledger/ledger.service.ts';
import { getPayable, getPending } from '#src/modules/money/payouts/payouts.service.ts';
import { requireAccount } from '#src/modules/people/accounts/accounts.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import * as queries from './account-statements.queries.ts';

const kindOf = (line: queries.Line): AccountStatementKind =>
  line.kind === 'report' ? (line.isOwn ? 'import' : 'referral') : line.kind;

export async function getStatement(db: Trx, filter: queries.StatementFilter) {
  await requireAccount(db, filter.userId);
  const { opening, closing, lines, meta } = await queries.readStatement(db, filter);
  return {
    data: {
      openingEur: toWireNumber(opening),
      closingEur: toWireNumber(closing),
      lines: lines.map((line) => ({
        ...toWireRow(line),
        kind: kindOf(line),
        amountEur: toWireNumber(line.amount),
        balanceEur: toWireNumber(line.balance),
        import:
          line.importId === null || line.importType === null || line.importMonth === null
            ? null
            : {
                id: line.importId,
                type: line.importType,
                month: monthToMs(line.importMonth),
                fileName: line.fileName,
                batch: line.importBatch,
              },
        referred:
          line.referredId === null || line.kind !== 'report'
            ? null
            : { id: line.referredId, name: line.referredName ?? '' },
        payoutId: line.kind === 'payout' ? line.payoutId : null,
        admin: line.adminName,
      })),
    },
    meta,
  };
}

export async function listStatementMonths(db: Trx, accountId: number) {
  await requireAccount(db, accountId);
  return (await queries.sumMonths(db, accountId)).map((row) => ({
    month: monthToMs(row.month),
    openingEur: toWireNumber(row.opening),
    importsEur: toWireNumber(row.imports),
    referralsEur: toWireNumber(row.referrals),
    payoutsEur: toWireNumber(row.payouts),
    adjustmentsEur: toWireNumber(row.adjustments),
    closingEur: toWireNumber(row.closing),
  }));
}

function readCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const [, share, id] = /^(-?\d{1,14}(?:\.\d{1,6})?)_(\d{1,15})$/.exec(cursor) ?? [];
  if (share === undefined || id === undefined) throw new AppError('invalid_data');
  return { share, id: Number(id) };
}

/** The reports, percentages and rate behind a posting. @throws not_found also for a posting that is not of an import */
export async function explainPosting(
  db: Trx,
  transactionId: number,
  query: { userId: number; limit: number; cursor?: string | undefined },
) {
  const transaction = await db
    .selectFrom('ledgerTransactions as t')
    .innerJoin('ledgerPostings as p', 'p.transactionId', 't.id')
    .innerJoin('imports as i', 'i.id', 't.importId')
    .select(['t.accountId', 'i.id as importId', 'i.month', 'i.rate'])
    .where('t.id', '=', transactionId)
    .where('p.account', '=', ledgerName.account(query.userId))
    .executeTakeFirst();
  if (!transaction || transaction.accountId === null) throw notFound();
  const { rows, total, count } = await queries.listPostedReports(
    db,
    {
      importId: transaction.importId,
      month: transaction.month,
      incomeOf: transaction.accountId,
      accountId: query.userId,
    },
    { limit: query.limit, after: readCursor(query.cursor) },
  );
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  return {
    data: {
      rate: toWireNumber(transaction.rate),
      totalEur: toWireNumber(total),
      reports: shown.map((row) => ({
        ...toWireRow(row, 'grossUsd', 'grossEur', 'percentile', 'accountEur', 'referralPercentile'),
        shareEur: toWireNumber(row.share),
      })),
    },
    meta: { nextCursor: last ? `${last.share}_${last.id}` : null, ...capCount(count) },
  };
}

const shownMonths = 12;

/** Twelve months up to the latest with income. */
function fillMonths(rows: readonly queries.IncomeRow[]): AccountFigures['months'] {
  const [latest] = rows;
  if (!latest) return [];
  const byMonth = new Map(rows.map((row) => [row.month, row]));
  return Array.from({ length: shownMonths }, (_, index) => {
    const month = addMonths(latest.month, index + 1 - shownMonths);
    const { own = '0', referrals = '0' } = byMonth.get(month) ?? {};
    return { month: monthToMs(month), ownEur: toWireNumber(own), referralsEur: toWireNumber(referrals) };
  });
}

export async function getAccountPayable(db: Trx, accountId: number) {
  return { ...(await getPayable(db, accountId)), ...(await getPending(db, accountId)) };
}

export async function getAccountFigures(db: Trx, caller: Caller, accountId: number): Promise<AccountFigures> {
  await requireAccount(db, accountId);
  const mayReadTickets = caller.can('read_tools') || caller.can('edit_tools');
  const [months, tracks, payouts, releases, billings, hasBilling, openTickets] = await Promise.all([
    queries.sumIncome(db, accountId),
    queries.listTopTracks(db, accountId),
    queries.listPendingPayouts(db, accountId),
    queries.countReleases(db, accountId),
    queries.listChangedDetails(db, accountId),
    queries.hasDetails(db, accountId),
    mayReadTickets ? queries.countOpenTickets(db, accountId) : null,
  ]);
  return {
    months: fillMonths(months),
    topTracks: tracks.map(({ earned, streams, ...track }) => ({
      ...track,
      streams: Number(streams),
      earnedEur: toWireNumber(earned),
    })),
    pendingPayouts: payouts.map((payout) => toWireRow(payout, 'amountEur')),
    releases,
    blockedBillings: billings.map((one) => toWireRow(one)),
    hasBilling,
    openTickets,
  };
}

export async function getStatementParties(db: Trx, accountId: number) {
  const [account, { house }] = await Promise.all([requireAccount(db, accountId), readSettings(db)]);
  const name = `${account.firstName} ${account.lastName}`.trim();
  const town = [account.postcode, account.city].filter(Boolean).join(' ');
  return {
    house,
    account: {
      id: account.id,
      name: name || account.company || '',
      lines: [name ? account.company : null, account.address, account.address2, town, account.country].flatMap(
        (line) => line || [],
      ),
    },
  };
}
