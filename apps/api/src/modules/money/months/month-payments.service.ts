import { payoutMessages } from '@regie/contract/payouts.ts';
import type { MonthPayments } from '@regie/contract/routes/months.ts';
import { fromMicros, microsPerCent, roundParts, roundToCents, toDecimal, toMicros } from '@regie/values/decimal.ts';
import { findMonth } from '@regie/values/month.ts';
import type { Trx } from '#src/lib/db.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import type { Caller } from '#src/lib/route.ts';
import { payEveryone } from '#src/modules/money/payouts/pay-everyone.service.ts';
import { findPendingBatch } from '#src/modules/money/payouts/payouts.service.ts';
import { listCredits } from './months.queries.ts';
import { splitCredit } from './months.rules.ts';

const sum = (amounts: readonly bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);

/** What is paid, requested, payable and blocked of what a month credited to accounts (product §33.31). */
export async function getMonthPayments(db: Trx, caller: Caller, monthMs: number): Promise<MonthPayments> {
  const rows = await listCredits(db, toDate(findMonth(monthMs)));
  const everyone = await payEveryone(db, caller, { dryRun: true, confirmWarnings: false });
  const payable = new Set(everyone.rows.flatMap(({ payoutId, userId }) => (payoutId === null ? userId : [])));
  const reasons = new Map(everyone.leftOut.map(({ userId, reason }) => [userId, reason]));
  const credits = rows.map(({ accountId, credit, later, income, balance, paid, pending }) => ({
    accountId,
    ...splitCredit({
      ...{ credit: toMicros(credit), later: toMicros(later), income: toMicros(income) },
      ...{ balance: toMicros(balance), paid: toMicros(paid), pending: toMicros(pending) },
    }),
  }));
  const rest = credits.filter((one) => one.rest > 0n);
  const blocked = Map.groupBy(
    rest.filter(({ accountId }) => !payable.has(accountId)),
    ({ accountId }) => reasons.get(accountId) ?? payoutMessages.balanceTooSmall,
  );
  const parts = [
    sum(credits.map((one) => one.paid)),
    sum(credits.map((one) => one.pending)),
    sum(credits.map((one) => one.adjusted)),
    sum(rest.flatMap((one) => (payable.has(one.accountId) ? one.rest : []))),
    ...[...blocked.values()].map((accounts) => sum(accounts.map((one) => one.rest))),
  ];
  const total = sum(parts);
  const shown = roundParts(parts, roundToCents(total), microsPerCent).map((cents) =>
    toWireNumber(cents < 0n ? `-${toDecimal(-cents)}` : toDecimal(cents)),
  );
  const [paidEur = 0, pendingEur = 0, adjustedEur = 0, payableEur = 0, ...blockedEur] = shown;
  return {
    ...{ creditedEur: toWireNumber(fromMicros(total)), paidEur, pendingEur, adjustedEur, payableEur },
    blocked: [...blocked]
      .map(([reason, accounts], index) => ({ reason, accounts: accounts.length, amountEur: blockedEur[index] ?? 0 }))
      .filter(({ amountEur }) => amountEur !== 0)
      .toSorted((a, b) => b.amountEur - a.amountEur),
    pendingBatch: await findPendingBatch(
      db,
      credits.flatMap(({ accountId, pending }) => (pending > 0n ? accountId : [])),
    ),
    ...{ netEur: everyone.netEur, payouts: everyone.rows.length },
  };
}
