import { createHash } from 'node:crypto';
import { messages } from '@regie/contract/messages.ts';
import { payoutMessages, preflightProblems } from '@regie/contract/payouts.ts';
import { type Everyone, maxBatch } from '@regie/contract/routes/payouts.ts';
import { toCents, toDecimal } from '@regie/values/decimal.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { judgePayments } from '#src/modules/money/signatures/payments.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { createBatch, isBlocking, isWarned, judge, judgeTogether } from './batches.service.ts';
import * as queries from './payouts.queries.ts';
import { lacksSignatures } from './payouts.rules.ts';
import { lockAccounts, planBalances, requestPlanned } from './payouts.service.ts';

/**
 * Requests every payable balance and batches it with the loose pending payouts; blocked ones are left out with the
 * reason.
 * @throws conflict when the dry run showed something else; validation_failed for unconfirmed warnings, too many payouts
 * or none
 */
export async function payEveryone(
  trx: Trx,
  caller: Caller,
  form: { dryRun: boolean; version?: string | undefined; confirmWarnings: boolean },
): Promise<Everyone> {
  const { payoutFeeEur, payoutAlertEur } = await readSettings(trx);
  const unpaid = await queries.findUnpaidIds(trx);
  const accounts = form.dryRun ? await queries.findAccounts(trx, unpaid) : await lockAccounts(trx, unpaid);
  const { wanted, skipped } = planBalances(accounts, payoutFeeEur);
  const planned = queries.planRows(wanted, toDecimal(toCents(payoutFeeEur)));
  const candidates = [
    ...(await queries.findPayouts(trx, await queries.findLoosePayoutIds(trx))),
    ...(await queries.findIfRequested(trx, planned)),
  ];
  const judged = judge(candidates, payoutAlertEur);
  const isPayable = judged.map(({ row }) => !isBlocking(row));
  const payable = candidates.filter((_, index) => isPayable[index]);
  const payments = judged.filter((_, index) => isPayable[index]);
  const rows = judgeTogether(payments).map((row, index) => ({
    ...row,
    userId: payable[index]?.accountId ?? 0,
    payoutId: row.payoutId > 0 ? row.payoutId : null,
  }));
  const blocked = judged.flatMap(({ row }, index) =>
    isPayable[index]
      ? []
      : {
          userId: candidates[index]?.accountId ?? 0,
          name: row.name,
          amountEur: row.payoutAmount,
          reason:
            row.problems.map((problem) => preflightProblems[problem]).find((problem) => problem.isBlocking)?.label ??
            '',
        },
  );
  const hash = createHash('sha256');
  for (const [index, { userId, payoutId, payoutNet, problems }] of rows.entries()) {
    hash.update(`${userId} ${payoutId} ${payoutNet} ${payments[index]?.destination} ${problems.join()}\n`);
  }
  const ids = payable.map(({ id }) => id);
  const judgedPayments = await judgePayments(trx, ids, true, planned);
  const needing = ids.filter((id) => lacksSignatures(judgedPayments.get(id))).length;
  const everyone: Everyone = {
    batchId: null,
    version: hash.digest('hex'),
    rows,
    leftOut: [...skipped, ...blocked],
    netEur: toWireNumber(toDecimal(payable.reduce((sum, { netEur }) => sum + toCents(netEur), 0n))),
    hasWarnings: rows.some(isWarned),
    needSignatures: needing,
  };
  if (form.dryRun) return everyone;
  if (form.version !== everyone.version) throw conflict(payoutMessages.everyoneChanged);
  if (rows.length === 0) throw invalid({ payouts: payoutMessages.batchEmpty });
  if (rows.length > maxBatch) throw invalid({ payouts: messages.maxItems(maxBatch) });
  const paid = new Set(rows.flatMap(({ payoutId, userId }) => (payoutId === null ? userId : [])));
  const requested = await requestPlanned(
    trx,
    caller,
    wanted.filter(({ accountId }) => paid.has(accountId)),
    payoutFeeEur,
  );
  const payouts = [...rows.flatMap(({ payoutId }) => payoutId ?? []), ...requested.map(({ payoutId }) => payoutId)];
  return { ...everyone, batchId: await createBatch(trx, caller, { payouts, confirmWarnings: form.confirmWarnings }) };
}
