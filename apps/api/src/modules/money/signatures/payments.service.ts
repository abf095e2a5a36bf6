import { type SignatureReason, signatureMessages } from '@regie/contract/signatures.ts';
import { toCents } from '@regie/values/decimal.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import * as money from '#src/modules/money/signing/signed-money.service.ts';
import * as signing from '#src/modules/money/signing/signing.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';

export interface JudgedPayment {
  facts: money.PaymentFacts;
  /** Also when it has them; empty when it needs none. */
  reasons: SignatureReason[];
  signatures: signing.Signature[];
  isComplete: boolean;
}

interface House {
  unsignedEur: bigint;
  recentEur: bigint;
  limits: { unsigned: bigint; recent: bigint };
}

async function readHouse(db: Database): Promise<House> {
  const { unsignedEur, payoutApprovalEur } = await readSettings(db);
  const sums = await money.sumUnsignedPayments(db);
  return {
    unsignedEur: toCents(sums.unsignedEur),
    recentEur: toCents(sums.recentEur),
    limits: { unsigned: toCents(unsignedEur), recent: toCents(payoutApprovalEur) },
  };
}

export const toShown = (facts: money.PaymentFacts): signing.Shown => ({
  subject: 'payout',
  id: facts.id,
  version: facts.version,
  unsignedEur: facts.unsignedEur,
});

export const isFlagged = (facts: money.PaymentFacts): boolean =>
  toCents(facts.unsignedEur) > 0n || facts.isNewDestination;
const sum = (facts: readonly money.PaymentFacts[]) =>
  facts.reduce((total, { amountEur }) => total + toCents(amountEur), 0n);

/** Why each payout paid in one act needs signatures. */
function findReasons(
  house: House,
  all: readonly money.PaymentFacts[],
  isComplete: (id: number) => boolean,
): (facts: money.PaymentFacts) => SignatureReason[] {
  const bare = all.filter(({ id }) => !isComplete(id));
  const isOverUnsigned = house.unsignedEur + sum(bare.filter(isFlagged)) > house.limits.unsigned;
  // What the first limit holds back does not count in the second.
  const rest = isOverUnsigned ? bare.filter((facts) => !isFlagged(facts)) : bare;
  const isOverRecent = house.recentEur + sum(rest) > house.limits.recent;
  return (facts) => [
    ...(isOverUnsigned && toCents(facts.unsignedEur) > 0n ? (['unsigned'] as const) : []),
    ...(isOverUnsigned && facts.isNewDestination ? (['destination'] as const) : []),
    ...(isOverRecent && !(isOverUnsigned && isFlagged(facts)) ? (['amount'] as const) : []),
    ...(facts.isDoubtful ? (['payee'] as const) : []),
  ];
}

/**
 * Which payouts need signatures, and what they have. Sent ones need none.
 * @param isOneAct paid together, as a batch; else each is judged alone
 * @param planned payouts to be requested, as JSON rows with negative ids, and those that they replace
 */
export async function judgePayments(
  db: Database,
  ids: readonly number[],
  isOneAct: boolean,
  planned?: money.PlannedPayments,
): Promise<Map<number, JudgedPayment>> {
  const [house, payments, signatories] = await Promise.all([
    readHouse(db),
    money.readPayments(db, ids, planned),
    signing.listSignatories(db),
  ]);
  const waiting = payments.filter(({ moveId }) => moveId === null);
  const signatures = await signing.findSignatures(db, payments.map(toShown));
  const needed = signing.countNeeded(signatories);
  const isComplete = (id: number) => needed !== undefined && signing.countSigners(signatures.get(id)) >= needed;
  const together = isOneAct ? findReasons(house, waiting, isComplete) : undefined;
  return new Map(
    payments.map((facts) => {
      const find = together ?? findReasons(house, [facts], () => false);
      const reasons = facts.moveId === null ? find(facts) : [];
      return [
        facts.id,
        { facts, reasons, signatures: signatures.get(facts.id) ?? [], isComplete: isComplete(facts.id) },
      ];
    }),
  );
}

/**
 * Records payments when they are exported or paid without a file, and uses their signatures; a signatory signs by it.
 * @throws conflict for a missing signature
 */
export async function sendPayments(
  trx: Trx,
  caller: Caller,
  ids: readonly number[],
): Promise<{ signed: number; unsigned: number }> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  await signing.lockSignatures(trx);
  const payments = await money.readPayments(trx, ids);
  // All: the limit of 24 hours depends on what else is paid.
  await signing.signByAct(trx, caller, payments.map(toShown));
  const judged = [...(await judgePayments(trx, ids, true)).values()];
  const missing = judged.filter(({ reasons, isComplete }) => reasons.length > 0 && !isComplete).length;
  if (missing > 0) {
    const isEmpty = (await signing.listSignatories(trx)).length === 0;
    throw conflict(isEmpty ? signatureMessages.nobody : signatureMessages.missing(missing));
  }
  const signed = await signing.useSignatures(trx, payments.map(toShown));
  await money.insertMoves(trx, caller.adminId, payments, signed);
  return { signed: signed.size, unsigned: payments.length - signed.size };
}
