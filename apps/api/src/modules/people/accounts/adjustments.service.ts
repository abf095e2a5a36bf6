import { messages } from '@regie/contract/messages.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import { toMicros } from '@regie/values/decimal.ts';
import { de } from '@regie/values/elision.ts';
import { type Actor, type AuditEntry, writeAudit } from '#src/lib/audit.ts';
import { queryValue, type Trx } from '#src/lib/db.ts';
import { conflict } from '#src/lib/errors.ts';
import { toFrenchEuros, toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { ledgerName, postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { defineProposal, endProposal, findProposal } from '#src/modules/money/signing/proposals.service.ts';
import { coverAdjustment } from '#src/modules/money/signing/signed-money.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { findAccount, findBalance, lockAccount } from './accounts.queries.ts';

/** EUR of 30 days, both signs added up. */
const sumAdjusted = (db: Trx, accountId: number) => queryValue<string>(db)`
    SELECT coalesce(sum(abs(p.amount)), 0) AS total
      FROM ledger_transactions t JOIN ledger_postings p ON p.transaction_id = t.id AND p.account = ${ledgerName.adjustment}
     WHERE t.account_id = ${accountId} AND t.kind = 'adjustment' AND t.occurred_at > now() - interval '30 days'`;

const size = (micros: bigint) => (micros < 0n ? -micros : micros);

export interface Adjustment {
  accountId: number;
  /** EUR, six decimals; positive credits the account. */
  amountEur: string;
  /** The balance that the adjustment was based on. */
  balance: string;
  reason: string;
}

interface Proposed {
  amountEur: string;
  reason: string;
}

const propose = defineProposal('adjustment', {
  sign: 'account.sign_adjustment',
  rights: ['manage_profiles'],
  amountOf: (value) => (value as Proposed).amountEur,
  /** @throws conflict for a negative balance */
  apply: async (trx, actor, { id, target, value, proposedBy }) => {
    const accountId = Number(target);
    const { amountEur, reason } = value as Proposed;
    await lockAccount(trx, accountId);
    const balance = await findBalance(trx, accountId);
    const after = toMicros(balance) + toMicros(amountEur);
    if (toMicros(amountEur) < 0n && after < 0n) throw conflict(messages.incomeNegative);
    await post(trx, actor, { accountId, amountEur, balance, reason }, { proposedBy });
    await coverAdjustment(trx, accountId, id, amountEur);
  },
});

/**
 * Where adjustments of 30 days exceed the setting, it is proposed (product §39.16).
 * @returns whether it waits
 * @throws conflict when the balance changed
 */
export async function adjustBalance(trx: Trx, caller: Caller, adjustment: Adjustment): Promise<boolean> {
  const { accountId, amountEur, reason } = adjustment;
  const { adjustmentApprovalEur: limit } = await readSettings(trx);
  const total = toMicros(await sumAdjusted(trx, accountId)) + size(toMicros(amountEur));
  if (limit === null || total <= toMicros(String(limit))) {
    const open = await findProposal(trx, 'adjustment', accountId);
    if (open) await endProposal(trx, open, caller.adminId);
    await post(trx, caller, adjustment, {});
    return false;
  }
  const text = await alertText(trx, accountId, 'Une régularisation du solde est proposée', amountEur);
  const value: Proposed = { amountEur, reason };
  const entry: AuditEntry = {
    action: 'account.propose_adjustment',
    entityId: accountId,
    after: { amount: amountEur, reason },
    alert: { kind: 'adjustment', text },
  };
  return (await propose(trx, caller, { target: accountId, value, entry })) !== undefined;
}

async function alertText(db: Trx, accountId: number, what: string, amountEur: string): Promise<string> {
  const account = await findAccount(db, accountId);
  return `${what}\u00a0: ${toFrenchEuros(amountEur)}, compte ${de(`${account?.firstName} ${account?.lastName}`)}.`;
}

async function post(
  trx: Trx,
  actor: Actor,
  { accountId, amountEur, balance, reason }: Adjustment,
  about: { proposedBy?: number },
): Promise<void> {
  await postAdjustment(trx, { accountId, amountEur, adminId: about.proposedBy ?? actor.adminId, reason });
  // Posting locks the balance: changes since it was read show now.
  const after = await findBalance(trx, accountId);
  if (toMicros(after) - toMicros(balance) !== toMicros(amountEur)) throw conflict(messages.balanceMoved);
  await writeAudit(trx, actor, {
    action: 'account.adjust',
    entityId: accountId,
    before: { income: balance },
    after: { income: after, reason, ...about },
    alert: { kind: 'adjustment', text: await alertText(trx, accountId, 'Un solde est corrigé', amountEur) },
  });
}

export async function findWaitingAdjustment(db: Trx, accountId: number): Promise<Profile['pendingAdjustment']> {
  const proposal = await findProposal(db, 'adjustment', accountId);
  return proposal ? { id: proposal.id, amountEur: toWireNumber((proposal.value as Proposed).amountEur) } : null;
}
