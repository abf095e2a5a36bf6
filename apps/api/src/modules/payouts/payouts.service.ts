import { messages } from '@regie/contract/messages.ts';
import {
  ApprovalCause,
  findPayoutRefusal,
  formatPayoutNumber,
  type PayoutState,
  payoutMessages,
} from '@regie/contract/payouts.ts';
import type {
  PayoutDetail,
  PayoutEditForm,
  PayoutReceipt,
  PayoutRequestForm,
  payoutRoutes,
  RequestOptions,
} from '@regie/contract/routes/payouts.ts';
import { states } from '@regie/contract/states.ts';
import type { z } from '@regie/contract/zod.ts';
import { toCents, toDecimal, wholeCents } from '@regie/values/decimal.ts';
import { sql } from 'kysely';
import { nightAlert, writeAudit, writeAudits } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import { toFrenchEuros, toWireNumber } from '#src/lib/money.ts';
import type { Answer, Caller } from '#src/lib/route.ts';
import { readSettings } from '#src/modules/settings/settings.service.ts';
import { hasTooFewAdmins, readIndependence } from '#src/modules/staff/independence.service.ts';
import { canStillApprove } from '#src/modules/staff/staff.service.ts';
import { insertPayouts, type NewPayout, postPaid, reversePayouts } from './payout-postings.service.ts';
import * as queries from './payouts.queries.ts';
import * as rules from './payouts.rules.ts';

type Db = Database | Trx;
type ListQuery = z.output<typeof payoutRoutes.listCancelledPayouts.query>;

const idsOf = (rows: readonly queries.PayoutRow[]) => rows.map(({ id }) => id);

/** One page of the payouts in a state. */
export async function listPayouts(
  db: Db,
  caller: Caller,
  state: PayoutState,
  query: ListQuery,
): Promise<Answer<z.input<typeof payoutRoutes.listPendingPayouts.response>>> {
  const { rows, meta } = await queries.listPayouts(db, states.payout.toStored[state], query);
  const judge = state === 'PENDING' ? await readApproval(db, caller, idsOf(rows)) : undefined;
  const data = [];
  for (const row of rows) data.push(rules.toWirePayout(row, (await judge?.(planned(row)))?.state === 'missing'));
  return { data, meta };
}

/** @throws AppError not_found */
export async function getPayout(db: Db, caller: Caller, id: number): Promise<PayoutDetail> {
  const row = await queries.findPayout(db, id);
  if (!row) throw notFound();
  const makersOf = row.state === 'pending' ? await readMakers(db, caller, [id]) : undefined;
  const judge = makersOf && (await readApproval(db, caller, [id], makersOf));
  const approval = await judge?.(planned(row));
  return {
    ...rules.toWirePayout(row, approval?.state === 'missing'),
    approvalCauses: approval?.causes ?? [],
    account: rules.toMaskedAccount(row.beneficiary),
    ...(await queries.findPayoutActors(db, id)),
    exportedAt: row.exportedAt?.getTime() ?? null,
    canApprove:
      makersOf !== undefined &&
      findApprovalRefusal(row, caller) === undefined &&
      !(await isDependent(db, caller, row, makersOf)),
    version: await queries.readVersion(db, [id]),
  };
}

/**
 * Returns the full account number of a payout's destination; the access is recorded in the journal.
 * @throws AppError not_found, conflict for PayPal
 */
export async function revealAccount(trx: Trx, caller: Caller, id: number): Promise<{ iban: string }> {
  const row = await queries.findPayout(trx, id);
  if (!row) throw notFound();
  const { iban } = row.beneficiary;
  if (iban === null) throw conflict(messages.notBank);
  const after = { destination: rules.maskDestination(row.beneficiary) };
  await writeAudit(trx, caller, { action: 'payout.reveal', entityId: id, after });
  return { iban };
}

/**
 * The receipt's content, including the account number; the access is recorded in the journal.
 * @throws AppError not_found, conflict when the payout is not paid
 */
export async function getReceipt(db: Trx, caller: Caller, id: number): Promise<PayoutReceipt> {
  const row = await queries.findPayout(db, id);
  if (!row) throw notFound();
  if (row.state !== 'paid' || !row.paidAt) throw conflict(payoutMessages.notPaid);
  const after = { destination: rules.maskDestination(row.beneficiary) };
  await writeAudit(db, caller, { action: 'payout.receipt', entityId: id, after });
  const { house } = await readSettings(db);
  return {
    payoutId: row.id,
    payoutAmount: toWireNumber(row.amountEur),
    payoutFee: toWireNumber(row.feeEur),
    payoutNet: toWireNumber(row.netEur),
    paidAt: row.paidAt.getTime(),
    userId: row.accountId,
    userFname: row.firstName,
    userLname: row.lastName,
    account: rules.toWireAccount(row.beneficiary),
    house,
  };
}

/* Requests */

const toJournal = (row: queries.PayoutRow) => ({
  state: states.payout.toWire[row.state],
  amount: row.amountEur,
  fee: row.feeEur,
  userId: row.accountId,
  type: row.beneficiary.type,
  destination: rules.maskDestination(row.beneficiary),
});

/**
 * Reserves part of a balance (product §33.21). Concurrent requests cannot exceed the balance.
 * @throws AppError validation_failed
 */
export async function requestPayout(trx: Trx, caller: Caller, form: PayoutRequestForm): Promise<number> {
  const { payoutFeeEur } = await readSettings(trx);
  const facts = await queries.lockForRequest(trx, form.userId, form.account);
  if (!facts) throw invalid({ userId: messages.unknownAccount });
  if (facts.state !== 'enabled') throw invalid({ global: messages.accountDisabled });
  if (facts.billingId === null) throw invalid({ account: payoutMessages.account });
  const cents = toCents(form.amount);
  if (cents > wholeCents(facts.balance)) throw invalid({ amount: payoutMessages.amountOverBalance });
  const refusal = rules.findAmountRefusal(cents, payoutFeeEur);
  if (refusal !== undefined) throw invalid({ amount: refusal });
  const [payout] = await insertPayouts(
    trx,
    [{ accountId: form.userId, billingId: facts.billingId, amount: toDecimal(cents) }],
    { adminId: caller.adminId, feeEur: toDecimal(toCents(payoutFeeEur)) },
  );
  if (!payout) throw new Error('no payout was added');
  await writeAudit(trx, caller, requestEntry(payout.id, form.userId, toDecimal(cents), facts.billingId));
  return payout.id;
}

const requestEntry = (id: number, userId: number, amountEur: string, billingAccountId: number) => ({
  action: 'payout.request' as const,
  entityId: id,
  after: { userId, amount: amountEur, billingAccountId },
});

/** The options of a request on behalf of an account. @throws AppError not_found */
export async function getRequestOptions(db: Db, accountId: number): Promise<RequestOptions> {
  const [account] = await queries.findAccounts(db, [accountId]);
  if (!account) throw notFound();
  const { payoutFeeEur } = await readSettings(db);
  const billings = await queries.listBillings(db, accountId);
  const preferred = account.preferredBillingId;
  const available = wholeCents(account.balance);
  return {
    userId: account.id,
    fname: account.firstName,
    lname: account.lastName,
    email: account.email,
    state: states.account.toWire[account.state],
    income: toWireNumber(account.balance),
    available: toWireNumber(toDecimal(available)),
    fee: payoutFeeEur,
    obstacle: rules.findAmountRefusal(available, payoutFeeEur, payoutMessages.balanceWithinFee) ?? null,
    accounts: billings
      .toSorted((a, b) => Number(b.beneficiary.id === preferred) - Number(a.beneficiary.id === preferred))
      .map(({ beneficiary, isRecentlyChanged }) => ({
        id: beneficiary.id,
        type: beneficiary.type,
        owner: beneficiary.owner,
        destination: rules.maskDestination(beneficiary),
        isRecentlyChanged,
      })),
  };
}

/** What can be paid to an account now, why nothing can, and why nothing can be requested. @throws AppError not_found */
export async function getPayable(db: Db, accountId: number) {
  const [[account], billings, { payoutFeeEur }] = await Promise.all([
    queries.findAccounts(db, [accountId]),
    queries.listBillings(db, accountId),
    readSettings(db),
  ]);
  if (!account) throw notFound();
  const obstacle = rules.findObstacle(account, payoutFeeEur) ?? null;
  const isSuspended = billings.every(({ isRecentlyChanged }) => isRecentlyChanged);
  const reason = obstacle ?? (isSuspended ? payoutMessages.recentlyChanged : null);
  return { payableEur: reason === null ? toWireNumber(toDecimal(wholeCents(account.balance))) : 0, reason, obstacle };
}

interface Balances {
  wanted: NewPayout[];
  skipped: { userId: number; name: string; amountEur: number; reason: string }[];
}

/** The whole balances that can be requested, each to the details last paid to, and why the others cannot. */
export function planBalances(accounts: readonly queries.AccountRow[], payoutFeeEur: number): Balances {
  const plan: Balances = { wanted: [], skipped: [] };
  for (const account of accounts) {
    const { id, firstName, lastName, balance, preferredBillingId } = account;
    const reason = rules.findBalanceRefusal(account, payoutFeeEur);
    if (reason === undefined && preferredBillingId !== null) {
      plan.wanted.push({ accountId: id, billingId: preferredBillingId, amount: toDecimal(wholeCents(balance)) });
    } else {
      plan.skipped.push({
        userId: id,
        name: `${firstName} ${lastName}`.trim(),
        amountEur: toWireNumber(toDecimal(wholeCents(balance))),
        reason: reason ?? payoutMessages.account,
      });
    }
  }
  return plan;
}

/** Locks accounts for requests and returns them with their balances. */
export async function lockAccounts(trx: Trx, users: readonly number[]): Promise<queries.AccountRow[]> {
  await queries.lockAccounts(trx, users);
  const balances = await queries.lockBalances(trx, users);
  const accounts = await queries.findAccounts(trx, users);
  return accounts.map((account) => ({ ...account, balance: balances.get(account.id) ?? '0' }));
}

/** Requests payouts of locked accounts. @returns their ids by account */
export async function requestPlanned(
  trx: Trx,
  caller: Caller,
  wanted: readonly NewPayout[],
  payoutFeeEur: number,
): Promise<Map<number, number>> {
  if (wanted.length === 0) return new Map();
  const feeEur = toDecimal(toCents(payoutFeeEur));
  const payouts = await insertPayouts(trx, wanted, { adminId: caller.adminId, feeEur });
  const ids = new Map(payouts.map(({ id, accountId }) => [accountId, id]));
  const entries = wanted.map(({ accountId, amount, billingId }) => {
    const id = ids.get(accountId);
    if (id === undefined) throw new Error('insertPayouts left out an account');
    return requestEntry(id, accountId, amount, billingId);
  });
  await writeAudits(trx, caller, entries);
  return ids;
}

/** Requests whole balances; returns the accounts left out, with reasons. */
export async function requestBalances(
  trx: Trx,
  caller: Caller,
  users: readonly number[],
): Promise<z.input<typeof payoutRoutes.requestBalances.response>> {
  const { payoutFeeEur } = await readSettings(trx);
  const { wanted, skipped } = planBalances(await lockAccounts(trx, users), payoutFeeEur);
  const ids = await requestPlanned(trx, caller, wanted, payoutFeeEur);
  const requested = wanted.map(({ accountId, amount }) => ({
    userId: accountId,
    payoutId: ids.get(accountId) ?? 0,
    amount: toWireNumber(amount),
  }));
  return { requested, skipped };
}

/** Freezes the beneficiaries of paid payouts, for callers that insert them as paid. */
export const freezeBeneficiaries = (trx: Trx, ids: readonly number[]): Promise<void> =>
  queries.freezeBeneficiaries(trx, ids, null);

/* Approval */

/** A payout or batch the caller is about to send. */
export interface PlannedMove {
  payoutIds: readonly number[];
  amountCents: bigint;
  approvedBy: number | null;
}

/** `unchecked`: an approval is required, but no other admin exists who could give it (product §39.17). */
export type ApprovalState = 'not_due' | 'given' | 'missing' | 'unchecked';

/** With the causes for which an approval is due. */
export interface Approval {
  state: ApprovalState;
  causes: ApprovalCause[];
}

type FindMakers = (payoutId: number, isMeant: (adminId: number) => boolean) => queries.Maker[];

/**
 * Finds, among the admins `isMeant` selects, the makers of what one of these payouts depends on. Income they brought
 * counts once its sum exceeds `adjustmentApprovalEur`. The caller and admins counted as the same person are one maker.
 */
async function readMakers(db: Db, { adminId }: Caller, ids: readonly number[]): Promise<FindMakers> {
  const { adjustmentApprovalEur } = await readSettings(db);
  const { isIndependent, samePersonAs } = await readIndependence(db);
  const together = adminId === null ? [] : samePersonAs(adminId);
  const checkedImports = (await queries.listStatementImports(db))
    .filter(({ createdBy, checkedBy }) =>
      checkedBy.every((id) => id !== null && createdBy !== null && isIndependent(id, createdBy)),
    )
    .map(({ id }) => id);
  const makers = Map.groupBy(await queries.listMakers(db, ids, checkedImports, together), ({ payoutId }) => payoutId);
  return (payoutId, isMeant) => {
    const meant = (makers.get(payoutId) ?? []).filter(({ adminId }) => isMeant(adminId));
    const cents = meant.reduce((sum, { incomeEur }) => sum + toCents(incomeEur ?? '0'), 0n);
    const isMuch = adjustmentApprovalEur !== null && cents > toCents(adjustmentApprovalEur);
    return meant.filter(({ incomeEur }) => incomeEur === null || isMuch);
  };
}

/**
 * The approval state of the caller's moves of payouts in `ids`. Approval is required above the setting: for the amount,
 * for the 24-hour sum of all admins who count as the caller, or for the label's sum without approval. It is also
 * required of makers of what the payout depends on, and of admins who could act as one (product §33.23).
 */
export async function readApproval(
  db: Db,
  caller: Caller,
  ids: readonly number[],
  known?: FindMakers,
): Promise<(move: PlannedMove) => Promise<Approval>> {
  const { adminId } = caller;
  if (adminId === null) throw new AppError('unauthorized');
  const { payoutApprovalEur, payoutHouseApprovalEur } = await readSettings(db);
  const recentOfHouse = toCents(await queries.sumUnapprovedMoves(db));
  const { areApart, isIndependent, samePersonAs } = await readIndependence(db);
  const recent = toCents(await queries.sumRecentMoves(db, samePersonAs(adminId)));
  const makersOf = known ?? (await readMakers(db, caller, ids));
  const canApprove = new Map<number, boolean>();
  const isApprover = async (approverId: number): Promise<boolean> => {
    const known = canApprove.get(approverId) ?? (await canStillApprove(db, approverId));
    canApprove.set(approverId, known);
    return known;
  };
  let isTooSmall: boolean | undefined;
  return async ({ payoutIds, amountCents, approvedBy }) => {
    const own = payoutIds.flatMap((id) => makersOf(id, (maker) => !areApart(maker, adminId)));
    const found = new Set<ApprovalCause>(own.flatMap((maker) => maker.causes));
    if (rules.isApprovalDue(amountCents, recent, payoutApprovalEur)) found.add('amount');
    if (rules.isApprovalDue(amountCents, recentOfHouse, payoutHouseApprovalEur)) found.add('house');
    const causes = ApprovalCause.options.filter((cause) => found.has(cause));
    if (causes.length === 0) return { state: 'not_due', causes };
    const firsts = [adminId, ...own.map((maker) => maker.adminId)];
    if (approvedBy !== null && firsts.every((first) => isIndependent(approvedBy, first))) {
      if (await isApprover(approvedBy)) return { state: 'given', causes };
    }
    isTooSmall ??= await hasTooFewAdmins(db, 'edit_pending_payout');
    return { state: isTooSmall ? 'unchecked' : 'missing', causes };
  };
}

const planned = (row: queries.PayoutRow): PlannedMove => ({
  payoutIds: [row.id],
  amountCents: toCents(row.amountEur),
  approvedBy: row.approvedBy,
});

function findApprovalRefusal(row: queries.PayoutRow, caller: Caller): string | undefined {
  if (row.state !== 'pending' || row.exportedAt) return payoutMessages.notPending;
  if (row.approvedBy !== null && row.approvedBy === caller.adminId) return payoutMessages.alreadyApproved;
  return caller.can('edit_pending_payout') ? undefined : messages.forbidden;
}

/** Whether the caller could act as the requester or a maker of what the payout depends on, or joined recently. */
async function isDependent(db: Db, caller: Caller, row: queries.PayoutRow, makersOf: FindMakers): Promise<boolean> {
  const { isIndependent } = await readIndependence(db);
  const firsts = [row.createdBy, ...makersOf(row.id, () => true).map((maker) => maker.adminId)];
  return firsts.some(
    (first) =>
      first !== null && first !== caller.adminId && (caller.adminId === null || !isIndependent(caller.adminId, first)),
  );
}

/**
 * Approves a pending payout. Whether the approver counts as a second admin is checked again at the move.
 * @param version the version the approver's page showed
 * @throws AppError not_found; conflict, also when the payout changed since the page loaded; forbidden for admins who
 * depend on the requester or the makers
 */
export async function approvePayout(trx: Trx, caller: Caller, id: number, version: string): Promise<void> {
  await queries.lockPayouts(trx, [id]);
  const row = await queries.findPayout(trx, id);
  if (!row) throw notFound();
  const refusal = findApprovalRefusal(row, caller);
  if (refusal !== undefined) throw conflict(refusal);
  if (await isDependent(trx, caller, row, await readMakers(trx, caller, [id])))
    throw new AppError('forbidden', payoutMessages.approverDepends);
  if (version !== (await queries.readVersion(trx, [id]))) throw conflict(payoutMessages.payoutChanged);
  await trx
    .updateTable('payouts')
    .set({ approvedBy: caller.adminId, approvedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
  await writeAudit(trx, caller, {
    action: 'payout.approve',
    entityId: id,
    after: toJournal(row),
    alert: nightAlert(
      `Le versement ${formatPayoutNumber(id)} est approuvé la nuit\u00a0: ${toFrenchEuros(row.amountEur)}.`,
    ),
  });
}

/* Moves */

const needs = { pending: 'edit_pending_payout', paid: 'edit_paid_payout', cancelled: undefined } as const;

async function lockOwn(trx: Trx, caller: Caller, id: number): Promise<queries.PayoutRow> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  // Lock first: the sums of the last 24 hours must not change during the check.
  await queries.lockMoves(trx);
  await queries.lockPayouts(trx, [id]);
  const row = await queries.findPayout(trx, id);
  if (!row) throw notFound();
  const capability = needs[row.state];
  if (capability !== undefined && !caller.can(capability)) throw new AppError('forbidden');
  return row;
}

/** Removes a changing payout from its draft batch: the batch's approval does not cover the change. */
async function leaveBatch(trx: Trx, caller: Caller, row: queries.PayoutRow): Promise<void> {
  if (row.batchId === null || row.exportedAt) return;
  await trx.updateTable('payouts').set({ batchId: null }).where('id', '=', row.id).execute();
  const { rows } = await sql<{ state: string }>`
    UPDATE payout_batches SET state = 'draft', approved_by = NULL, approved_at = NULL,
           payouts_count = payouts_count - 1, total_eur = total_eur - ${row.amountEur}::numeric
     WHERE id = ${row.batchId} AND state IN ('draft', 'approved')
    RETURNING state`.execute(trx);
  if (rows.length === 0) throw conflict();
  await writeAudit(trx, caller, {
    action: 'payout_batch.shrink',
    entityId: row.batchId,
    before: { payoutId: row.id, amount: row.amountEur },
  });
}

/** Puts a payment that is taken back into the batch that it left, if that is still open; its approval is asked again. */
async function rejoinBatch(trx: Trx, caller: Caller, row: queries.PayoutRow): Promise<number | null> {
  const batchId = await queries.findLeftBatch(trx, row.id);
  if (batchId === undefined) return null;
  await trx.updateTable('payouts').set({ batchId }).where('id', '=', row.id).execute();
  await sql`
    UPDATE payout_batches SET state = 'draft', approved_by = NULL, approved_at = NULL,
           payouts_count = payouts_count + 1, total_eur = total_eur + ${row.amountEur}::numeric
     WHERE id = ${batchId}`.execute(trx);
  await writeAudit(trx, caller, {
    action: 'payout_batch.rejoin',
    entityId: batchId,
    after: { payoutId: row.id, amount: row.amountEur },
  });
  return batchId;
}

/**
 * Moves a payout along the state table of product §33.19, with its ledger transactions; its present state changes
 * nothing.
 * @throws AppError not_found, forbidden, conflict with the table's reason
 */
export async function editPayout(
  trx: Trx,
  caller: Caller,
  id: number,
  form: PayoutEditForm,
): Promise<Answer<z.input<typeof payoutRoutes.editPayout.response>>> {
  const row = await lockOwn(trx, caller, id);
  const data = { payoutId: id, payoutState: form.status, batchId: null };
  if (states.payout.toWire[row.state] === form.status) return { data, message: payoutMessages.alreadySo };
  const isPayment = row.state === 'pending' && form.status === 'PAID';
  const approval = isPayment ? await (await readApproval(trx, caller, [id]))(planned(row)) : undefined;
  const refusal = findPayoutRefusal(form.status, rules.toFacts(row, approval?.state === 'missing'));
  if (refusal !== undefined) throw conflict(refusal);
  const isTakenBack = form.status === 'PENDING' && rules.canTakeBack(row, caller.adminId);
  const reason = form.reason || null;
  const warnings = row.state === 'paid' && form.status === 'CANCEL' && reason === null ? [payoutMessages.noReason] : [];
  await leaveBatch(trx, caller, row);
  const { adminId } = caller;
  let batchId: number | null = null;
  if (isPayment) {
    await trx
      .updateTable('payouts')
      .set({
        state: 'paid',
        paidAt: sql<Date>`now()`,
        paidBy: adminId,
        // Freeze the beneficiary: the details may change later.
        beneficiary: JSON.stringify(row.beneficiary),
      })
      .where('id', '=', id)
      .execute();
    await postPaid(trx, [id], adminId);
    await queries.insertMoves(trx, [id], {
      adminId,
      kind: 'paid',
      approvedBy: approval?.state === 'given' ? row.approvedBy : null,
    });
  } else if (form.status === 'PENDING') {
    if (isTakenBack) batchId = await rejoinBatch(trx, caller, row);
    await trx
      .updateTable('payouts')
      .set({
        ...{ state: 'pending', paidAt: null, paidBy: null, beneficiary: null },
        ...(isTakenBack ? {} : { approvedBy: null, approvedAt: null }),
      })
      .where('id', '=', id)
      .execute();
    await reversePayouts(trx, [id], { what: 'payment', adminId, done: ' remis en attente' });
  } else {
    const isReturn = row.state === 'paid';
    await trx
      .updateTable('payouts')
      .set({
        state: 'cancelled',
        paidAt: null,
        paidBy: null,
        cancelledAt: sql<Date>`now()`,
        cancelledBy: adminId,
        cancelReason: reason,
        returnedAt: isReturn ? sql<Date>`now()` : null,
      })
      .where('id', '=', id)
      .execute();
    const done = isReturn ? '\u00a0: paiement rejeté' : ' annulé';
    await reversePayouts(trx, [id], { what: 'all', adminId, done });
  }
  await writeAudit(trx, caller, {
    action: isPayment ? 'payout.pay' : isTakenBack ? 'payout.take_back' : undoAction(row, form.status),
    entityId: id,
    before: toJournal(row),
    after: {
      ...toJournal(row),
      state: form.status,
      ...(reason === null ? {} : { reason }),
      ...(isPayment && row.approvedBy !== null ? { approvedBy: row.approvedBy } : {}),
      ...(approval?.state === 'unchecked' ? { unchecked: true } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  });
  return { data: { ...data, batchId }, warnings };
}

const undoAction = (row: queries.PayoutRow, status: PayoutState) =>
  status === 'PENDING' ? 'payout.reopen' : row.state === 'paid' ? 'payout.return' : 'payout.cancel';

/** Deletes a payout and returns its amount to the account. @throws AppError not_found, forbidden, conflict */
export async function deletePayout(trx: Trx, caller: Caller, id: number): Promise<void> {
  const row = await lockOwn(trx, caller, id);
  const refusal = findPayoutRefusal('delete', rules.toFacts(row, false));
  if (refusal !== undefined) throw conflict(refusal);
  await leaveBatch(trx, caller, row);
  await trx.updateTable('payouts').set({ deletedAt: sql<Date>`now()` }).where('id', '=', id).execute();
  await reversePayouts(trx, [id], { what: 'all', adminId: caller.adminId, done: ' supprimé' });
  await writeAudit(trx, caller, { action: 'payout.delete', entityId: id, before: toJournal(row) });
}

/** Marks the receipt of a paid payout as downloaded: from now on the payment can only be returned. @throws AppError */
export async function markDownloaded(trx: Trx, caller: Caller, id: number): Promise<void> {
  await queries.lockPayouts(trx, [id]);
  const row = await queries.findPayout(trx, id);
  if (!row) throw notFound();
  if (row.state !== 'paid') throw conflict(payoutMessages.notPaid);
  if (row.downloadedAt) return;
  await trx.updateTable('payouts').set({ downloadedAt: sql<Date>`now()` }).where('id', '=', id).execute();
  await writeAudit(trx, caller, { action: 'payout.download', entityId: id, after: toJournal(row) });
}

/* Unpaid accounts */

/** EUR of the unpaid balances that can be paid now. */
export async function sumPayable(db: Db): Promise<number> {
  return toWireNumber(await queries.sumPayable(db, (await readSettings(db)).payoutFeeEur));
}

export async function listUnpaidAccounts(
  db: Db,
  query: z.output<typeof payoutRoutes.listUnpaidAccounts.query>,
): Promise<Answer<z.input<typeof payoutRoutes.listUnpaidAccounts.response>>> {
  const { payoutFeeEur } = await readSettings(db);
  const { rows, meta } = await queries.listUnpaidAccounts(db, query);
  return {
    data: rows.map((row) => ({
      ...row,
      fname: row.firstName,
      lname: row.lastName,
      income: toWireNumber(row.balance),
      role: states.role.toWire[row.role],
      state: states.account.toWire[row.state],
      pendingAmount: toWireNumber(row.pendingEur),
      obstacle: rules.findBalanceRefusal(row, payoutFeeEur) ?? null,
    })),
    meta,
  };
}
