import { type SignatureReason, signatureMessages } from '@regie/contract/signatures.ts';
import { toCents } from '@regie/values/decimal.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import * as money from '#src/modules/money/signing/signed-money.service.ts';
import {
  countNeeded,
  countSigners,
  findSignatures,
  listSignatories,
  lockSignatures,
  type Shown,
  type Signature,
  signByAct,
  useSignatures,
} from '#src/modules/money/signing/signing.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';

type Db = Database | Trx;

export interface JudgedPayment {
  facts: money.PaymentFacts;
  /** Why it needs signatures, also when it has them; empty when it needs none. */
  reasons: SignatureReason[];
  signatures: Signature[];
  isComplete: boolean;
}

interface House {
  unsignedEur: bigint;
  recentEur: bigint;
  limits: { unsigned: bigint; recent: bigint };
}

async function readHouse(db: Db): Promise<House> {
  const { unsignedEur, payoutApprovalEur } = await readSettings(db);
  const sums = await money.sumUnsignedPayments(db);
  return {
    unsignedEur: toCents(sums.unsignedEur),
    recentEur: toCents(sums.recentEur),
    limits: { unsigned: toCents(unsignedEur), recent: toCents(payoutApprovalEur) },
  };
}

export const toShown = (facts: money.PaymentFacts): Shown => ({
  subject: 'payout',
  id: facts.id,
  version: facts.version,
  unsignedEur: facts.unsignedEur,
});

export const isFlagged = (facts: money.PaymentFacts): boolean =>
  toCents(facts.unsignedEur) > 0n || facts.isNewDestination;
const sum = (facts: readonly money.PaymentFacts[]) =>
  facts.reduce((total, { amountEur }) => total + toCents(amountEur), 0n);

/** Why each of the payouts that are paid in one act needs signatures; `isComplete` tells those that have them. */
function findReasons(
  house: House,
  all: readonly money.PaymentFacts[],
  isComplete: (id: number) => boolean,
): (facts: money.PaymentFacts) => SignatureReason[] {
  const bare = all.filter(({ id }) => !isComplete(id));
  const isOverUnsigned = house.unsignedEur + sum(bare.filter(isFlagged)) > house.limits.unsigned;
  // What the first limit already holds back does not leave without signature.
  const rest = isOverUnsigned ? bare.filter((facts) => !isFlagged(facts)) : bare;
  const isOverRecent = house.recentEur + sum(rest) > house.limits.recent;
  return (facts) => [
    ...(isOverUnsigned && toCents(facts.unsignedEur) > 0n ? (['unsigned'] as const) : []),
    ...(isOverUnsigned && facts.isNewDestination ? (['destination'] as const) : []),
    ...(isOverRecent && !(isOverUnsigned && isFlagged(facts)) ? (['amount'] as const) : []),
  ];
}

/**
 * Which of these payouts need signatures, and what they have. Payouts that were sent need none.
 * @param isOneAct they are paid together, as a batch; otherwise each is judged as if it were paid alone
 * @param planned payouts that are not requested yet, as JSON rows with negative ids
 */
export async function judgePayments(
  db: Db,
  ids: readonly number[],
  isOneAct: boolean,
  planned = '[]',
): Promise<Map<number, JudgedPayment>> {
  const [house, payments, signatories] = await Promise.all([
    readHouse(db),
    money.readPayments(db, ids, planned),
    listSignatories(db),
  ]);
  const waiting = payments.filter(({ moveId }) => moveId === null);
  const signatures = await findSignatures(db, payments.map(toShown));
  const needed = countNeeded(signatories);
  const isComplete = (id: number) => needed !== undefined && countSigners(signatures.get(id)) >= needed;
  const together = isOneAct ? findReasons(house, waiting, isComplete) : undefined;
  return new Map(
    payments.map((facts) => {
      // Signed or not, it tells why it needs signatures.
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
 * Records that payouts leave the house, when they are exported or paid without a file, and uses their signatures; a
 * signatory who acts signs by it.
 * @throws AppError conflict when one of them lacks a signature
 */
export async function sendPayments(
  trx: Trx,
  caller: Caller,
  ids: readonly number[],
): Promise<{ signed: number; unsigned: number }> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  await lockSignatures(trx);
  const payments = await money.readPayments(trx, ids);
  // All of them: which of them the limit of 24 hours concerns depends on what else is paid.
  await signByAct(trx, caller, payments.map(toShown));
  const judged = [...(await judgePayments(trx, ids, true)).values()];
  const missing = judged.filter(({ reasons, isComplete }) => reasons.length > 0 && !isComplete).length;
  if (missing > 0) {
    const isEmpty = (await listSignatories(trx)).length === 0;
    throw conflict(isEmpty ? signatureMessages.nobody : signatureMessages.missing(missing));
  }
  const signed = await useSignatures(trx, payments.map(toShown));
  await money.insertMoves(trx, caller.adminId, payments, signed);
  return { signed: signed.size, unsigned: payments.length - signed.size };
}
