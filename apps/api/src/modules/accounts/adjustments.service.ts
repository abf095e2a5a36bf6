import { messages } from '@regie/contract/messages.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { PendingAdjustment } from '@regie/contract/routes/accounts.ts';
import { fromMicros, toMicros } from '@regie/values/decimal.ts';
import { de } from '@regie/values/elision.ts';
import { sql } from 'kysely';
import { writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError, conflict, notFound } from '#src/lib/errors.ts';
import { toFrenchEuros, toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { ledgerName, postAdjustment } from '#src/modules/ledger/ledger.service.ts';
import { readSettings } from '#src/modules/settings/settings.service.ts';
import { notifyDeciders } from '#src/modules/staff/deciders.service.ts';
import { hasTooFewAdmins, isIndependent } from '#src/modules/staff/independence.service.ts';
import { findAccount, findBalance, lockAccount } from './accounts.queries.ts';

interface WaitingAdjustment {
  id: number;
  /** EUR, six decimals. */
  amountEur: string;
  reason: string;
  proposedBy: number;
  proposedAt: Date;
  name: string;
}

async function findWaiting(db: Trx, accountId: number): Promise<WaitingAdjustment | undefined> {
  return db
    .selectFrom('balanceAdjustments as d')
    .innerJoin('admins as a', 'a.id', 'd.proposedBy')
    .select(['d.id', 'd.amountEur', 'd.reason', 'd.proposedBy', 'd.proposedAt'])
    .select(sql<string>`a.first_name || ' ' || a.last_name`.as('name'))
    .where('d.accountId', '=', accountId)
    .where('d.decidedAt', 'is', null)
    .executeTakeFirst();
}

/** EUR of adjustments within 30 days, both signs added up. */
async function sumAdjusted(db: Trx, accountId: number): Promise<string> {
  const { rows } = await sql<{ total: string }>`
    SELECT coalesce(sum(abs(p.amount)), 0) AS total
      FROM ledger_transactions t JOIN ledger_postings p ON p.transaction_id = t.id AND p.account = ${ledgerName.adjustment}
     WHERE t.account_id = ${accountId} AND t.kind = 'adjustment' AND t.occurred_at > now() - interval '30 days'`.execute(
    db,
  );
  return rows[0]?.total ?? '0';
}

const size = (micros: bigint) => (micros < 0n ? -micros : micros);

export interface Adjustment {
  accountId: number;
  /** EUR, six decimals; positive credits the account. */
  amountEur: string;
  /** The balance the adjustment was based on. */
  balance: string;
  reason: string;
}

/**
 * Adjusts a balance, or proposes the adjustment to a second person when those of 30 days exceed the setting
 * (product §39.16).
 * @returns whether it waits for a second person
 * @throws AppError conflict when the balance changed since
 */
export async function adjustBalance(trx: Trx, caller: Caller, adjustment: Adjustment): Promise<boolean> {
  const { accountId, amountEur, reason } = adjustment;
  const { adjustmentApprovalEur: limit } = await readSettings(trx);
  const total = toMicros(await sumAdjusted(trx, accountId)) + size(toMicros(amountEur));
  const isDue = limit !== null && total > toMicros(String(limit));
  const isUnchecked = isDue && (await hasTooFewAdmins(trx, 'manage_profiles'));
  const waiting = await findWaiting(trx, accountId);
  if (waiting) await decide(trx, caller, waiting.id, false);
  if (!isDue || isUnchecked || caller.adminId === null) {
    await post(trx, caller, adjustment, isUnchecked ? { unchecked: true } : {});
    return false;
  }
  await trx
    .insertInto('balanceAdjustments')
    .values({ accountId, amountEur, reason, proposedBy: caller.adminId })
    .execute();
  const text = await alertText(trx, accountId, 'Une régularisation du solde est proposée', amountEur);
  await notifyDeciders(
    trx,
    'manage_profiles',
    [caller.adminId],
    `${text} Elle attend une seconde personne sur son profil.`,
  );
  await writeAudit(trx, caller, {
    action: 'account.propose_adjustment',
    entityId: accountId,
    after: { amount: amountEur, reason },
    alert: { kind: 'adjustment', text },
  });
  return true;
}

async function alertText(db: Trx, accountId: number, what: string, amountEur: string): Promise<string> {
  const account = await findAccount(db, accountId);
  return `${what}\u00a0: ${toFrenchEuros(amountEur)}, compte ${de(`${account?.firstName} ${account?.lastName}`)}.`;
}

async function post(
  trx: Trx,
  caller: Caller,
  { accountId, amountEur, balance, reason }: Adjustment,
  about: { unchecked?: true; proposedBy?: number },
): Promise<void> {
  await postAdjustment(trx, { accountId, amountEur, adminId: about.proposedBy ?? caller.adminId, reason });
  // Posting locks the balance, so changes since it was read show now.
  const after = await findBalance(trx, accountId);
  if (toMicros(after) - toMicros(balance) !== toMicros(amountEur)) throw conflict(messages.balanceMoved);
  await writeAudit(trx, caller, {
    action: 'account.adjust',
    entityId: accountId,
    before: { income: balance },
    after: { income: after, reason, ...about },
    alert: { kind: 'adjustment', text: await alertText(trx, accountId, 'Un solde est corrigé', amountEur) },
  });
}

async function decide(trx: Trx, caller: Caller, id: number, isApproved: boolean): Promise<void> {
  await trx
    .updateTable('balanceAdjustments')
    .set({ decidedBy: caller.adminId, decidedAt: sql<Date>`now()`, isApproved })
    .where('id', '=', id)
    .execute();
}

/** The pending adjustment of an account; null without one. */
export async function describeWaiting(db: Trx, caller: Caller, accountId: number): Promise<PendingAdjustment | null> {
  const waiting = await findWaiting(db, accountId);
  if (!waiting) return null;
  return {
    amountEur: toWireNumber(waiting.amountEur),
    reason: waiting.reason,
    proposedBy: waiting.name,
    proposedAt: waiting.proposedAt.getTime(),
    canApprove: caller.adminId !== null && (await isIndependent(db, caller.adminId, waiting.proposedBy)),
  };
}

async function lockWaiting(trx: Trx, accountId: number): Promise<WaitingAdjustment> {
  await lockAccount(trx, accountId);
  const waiting = await findWaiting(trx, accountId);
  if (!waiting) throw notFound();
  return waiting;
}

/**
 * Approves and posts the pending adjustment as the second person.
 * @throws AppError not_found without one; conflict when it was replaced or would make the balance negative; forbidden
 * for its proposer and admins who depend on them
 */
export async function approveAdjustment(trx: Trx, caller: Caller, accountId: number, seenEur: number): Promise<void> {
  const waiting = await lockWaiting(trx, accountId);
  if (toWireNumber(waiting.amountEur) !== seenEur) throw conflict();
  if (caller.adminId === null || !(await isIndependent(trx, caller.adminId, waiting.proposedBy))) {
    throw new AppError('forbidden', payoutMessages.approverDepends);
  }
  const balance = await findBalance(trx, accountId);
  const after = toMicros(balance) + toMicros(waiting.amountEur);
  if (after < 0n && toMicros(waiting.amountEur) < 0n) throw conflict(messages.incomeNegative);
  await decide(trx, caller, waiting.id, true);
  const { amountEur, reason, proposedBy } = waiting;
  await post(trx, caller, { accountId, amountEur: fromMicros(toMicros(amountEur)), balance, reason }, { proposedBy });
}

/** Withdraws the pending adjustment. @throws AppError not_found without one */
export async function withdrawAdjustment(trx: Trx, caller: Caller, accountId: number): Promise<void> {
  if (!(await findAccount(trx, accountId))) throw notFound();
  const waiting = await lockWaiting(trx, accountId);
  await decide(trx, caller, waiting.id, false);
  await writeAudit(trx, caller, {
    action: 'account.withdraw_adjustment',
    entityId: accountId,
    before: { amount: waiting.amountEur, reason: waiting.reason },
  });
}
