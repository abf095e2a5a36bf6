import { createHash, randomBytes } from 'node:crypto';
import { bankMessages, isDoubtful } from '@regie/contract/bank-answers.ts';
import {
  type BatchState,
  type BatchTransition,
  canTransitionBatch,
  type PaymentFile,
  payoutMessages,
  preflightProblems,
} from '@regie/contract/payouts.ts';
import {
  type Batch,
  type BatchDetail,
  maxLeft,
  type PreflightRow,
  type payoutBatchRoutes,
} from '@regie/contract/routes/payouts.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import type { z } from '@regie/contract/zod.ts';
import { toCents, toDecimal } from '@regie/values/decimal.ts';
import { sql, type UpdateObject } from 'kysely';
import { type Actor, writeAudit, writeAudits } from '#src/lib/audit.ts';
import type { DB } from '#src/lib/db.generated.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { bufferAnswer, type FileAnswer } from '#src/lib/file-answer.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { adminOf, type Caller } from '#src/lib/route.ts';
import { writeSepaFile } from '#src/lib/sepa.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { judgePayments, sendPayments } from '#src/modules/money/signatures/payments.service.ts';
import { defineProposal, findProposal } from '#src/modules/money/signing/proposals.service.ts';
import { lockSignatures } from '#src/modules/money/signing/signing.service.ts';
import { maskDestination } from '#src/modules/people/accounts/billing.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import * as bank from './bank-answers.queries.ts';
import * as files from './batch-files.rules.ts';
import * as batches from './batches.queries.ts';
import { postPaid } from './payout-postings.service.ts';
import * as payouts from './payouts.queries.ts';
import * as rules from './payouts.rules.ts';

/* The preflight */

interface Judged extends Pick<payouts.PayoutRow, 'destination' | 'accountId'> {
  row: PreflightRow;
}

/** `batchId` is the batch being checked again. */
export const judge = (
  row: payouts.PayoutRow,
  former: payouts.FormerPayment | undefined,
  largeEur: number,
  batchId: number | null = null,
): Judged => ({
  row: {
    payoutId: row.id,
    userId: row.accountId,
    name: `${row.firstName} ${row.lastName}`.trim(),
    payoutAmount: toWireNumber(row.amountEur),
    payoutNet: toWireNumber(row.netEur),
    file: files.fileOf(row.beneficiary),
    destination: maskDestination(row.beneficiary),
    writtenName: files.findWrittenName(row.beneficiary),
    problems: rules.findProblems(row, { batchId, largeEur }),
    ...rules.findChanges(row, former),
    bankAnswer: row.bankAnswer,
  },
  destination: row.destination,
  accountId: row.accountId,
});

/** Adds problems across payouts: two to one destination or account. */
export function judgeTogether<One extends Judged>(judged: readonly One[]): One[] {
  const counts = new Map<string | number, number>();
  for (const { destination, accountId } of judged) {
    for (const one of [destination, accountId]) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return judged.map((one) =>
    (counts.get(one.destination) ?? 0) > 1 || (counts.get(one.accountId) ?? 0) > 1
      ? { ...one, row: { ...one.row, problems: [...one.row.problems, 'duplicate_beneficiary'] } }
      : one,
  );
}

const pieceSize = 500;

/** In chunks: ten thousand payouts with all details use too much memory. */
async function judgePayouts(db: Database, ids: readonly number[], batchId: number | null = null) {
  const { payoutAlertEur } = await readSettings(db);
  const sorted = ids.toSorted((a, b) => a - b);
  const judged: Judged[] = [];
  let [totalCents, netCents] = [0n, 0n];
  for (let first = 0; first < sorted.length; first += pieceSize) {
    const rows = await payouts.findPayouts(db, sorted.slice(first, first + pieceSize));
    const former = await payouts.findFormerPayments(db, rows);
    judged.push(...rows.map((row) => judge(row, former.get(row.id), payoutAlertEur, batchId)));
    totalCents += sumCents(rows.map((row) => row.amountEur));
    netCents += sumCents(rows.flatMap((row) => (row.netEur.startsWith('-') ? [] : [row.netEur])));
  }
  return { rows: judgeTogether(judged).map(({ row }) => row), totalCents, netCents };
}

export const sumCents = (amounts: readonly string[]) => amounts.reduce((sum, amount) => sum + toCents(amount), 0n);
export const isBlocking = (row: Pick<PreflightRow, 'problems'>) =>
  row.problems.some((problem) => preflightProblems[problem].isBlocking);
export const isWarned = (row: Pick<PreflightRow, 'problems'>) =>
  row.problems.some((problem) => !preflightProblems[problem].isBlocking);

/** The problems that prevent exporting these payouts together. @throws validation_failed for an unknown payout */
export async function preflight(db: Database, ids: readonly number[]) {
  const { rows, totalCents, netCents } = await judgePayouts(db, ids);
  if (rows.length !== ids.length) throw invalid({ payouts: payoutMessages.notPending });
  return {
    rows,
    count: rows.length,
    totalEur: toWireNumber(toDecimal(totalCents)),
    netEur: toWireNumber(toDecimal(netCents)),
    ...rules.countUnsigned((await judgePayments(db, ids, true)).values()),
    hasBlocking: rows.some(isBlocking),
    hasWarnings: rows.some(isWarned),
  };
}

/** `RG20261121-3F9A1C1D`: at most 20 characters, so that EndToEndIds stay within 35. */
function newMessageId(now: Date): string {
  return `RG${now.toISOString().slice(0, 10).replaceAll('-', '')}-${randomBytes(4).toString('hex').toUpperCase()}`;
}

export async function createBatch(
  trx: Trx,
  caller: Caller,
  form: { payouts: readonly number[]; confirmWarnings: boolean },
): Promise<number> {
  await payouts.lockPayouts(trx, form.payouts);
  const checked = await preflight(trx, form.payouts);
  if (checked.hasBlocking) throw invalid({ payouts: payoutMessages.batchBlocked });
  if (checked.hasWarnings && !form.confirmWarnings) throw invalid({ confirmWarnings: payoutMessages.batchWarned });
  return writeBatch(trx, caller, { ...checked, payoutIds: form.payouts });
}

/** The caller has locked and checked the payouts. */
export async function writeBatch(
  trx: Trx,
  caller: Caller,
  {
    payoutIds,
    rows,
    totalEur: amount,
  }: { payoutIds: readonly number[]; rows: readonly Pick<PreflightRow, 'problems'>[]; totalEur: number },
): Promise<number> {
  const messageId = newMessageId(new Date());
  const id = await batches.insertBatch(trx, { messageId, createdBy: adminOf(caller), payoutIds });
  const problems = [...new Set(rows.flatMap((row) => row.problems))];
  await writeAudit(trx, caller, {
    action: 'payout_batch.create',
    entityId: id,
    after: { messageId, count: payoutIds.length, amount, ...(problems.length > 0 ? { problems } : {}) },
  });
  return id;
}

/* Reading */

const step = (at: Date | null, by: string | null) => (at === null ? null : { at: at.getTime(), by: by ?? '' });

const toWire = (row: batches.BatchRow): Batch => ({
  id: row.id,
  state: row.state,
  messageId: row.messageId,
  count: row.payoutsCount,
  totalEur: toWireNumber(row.totalEur),
  created: { at: row.createdAt.getTime(), by: row.createdByName },
  exported: step(row.exportedAt, row.exportedByName),
  paid: step(row.paidAt, row.paidByName),
  voided: step(row.voidedAt, row.voidedByName),
});

export async function listBatches(db: Database, query: z.output<typeof payoutBatchRoutes.listBatches.query>) {
  const { rows, meta } = await batches.listBatches(db, query);
  return { data: rows.map(toWire), meta };
}

export async function getBatch(db: Database, id: number) {
  const row = orNotFound(await batches.findBatch(db, id));
  const ids = await payouts.findBatchPayoutIds(db, id);
  const isOpen = row.state === 'draft';
  const { rows: judged, netCents } = await judgePayouts(db, ids, id);
  const sent = await bank.listSent(db, id);
  const paid = row.exportedAt
    ? sent.map(({ beneficiary, netEur }) => ({ file: files.fileOf(beneficiary), netEur }))
    : judged.map(({ file, payoutNet }) => ({ file, netEur: toDecimal(toCents(payoutNet)) }));
  const of = (file: PaymentFile) => paid.filter((one) => one.file === file);
  return {
    ...toWire(row),
    netEur: toWireNumber(toDecimal(netCents)),
    files: { sepa: of('sepa').length, paypal: of('paypal').length, manual: of('manual').length },
    sepaEur: toWireNumber(toDecimal(sumCents(of('sepa').map(({ netEur }) => netEur)))),
    sepaSha256: hashSepaFile(row, sent),
    blocking: isOpen ? judged.filter(isBlocking).length : 0,
    stopped: row.state === 'exported' ? await payouts.findStoppedAccounts(db, id) : [],
    bank: await describeBank(db, id, sent),
  };
}

async function describeBank(db: Database, id: number, sent: readonly bank.SentRow[]): Promise<BatchDetail['bank']> {
  const reports = await bank.listReports(db, id);
  const open = await findProposal(db, 'batch', id);
  const left = sent.filter(({ hasLeft }) => hasLeft).map(({ payoutId }) => payoutId);
  const { payoutAlertEur } = await readSettings(db);
  const rows = await payouts.findPayouts(db, left.slice(0, maxLeft));
  const answers = sent.flatMap(({ lastVerdict, lastOutcome }) => [lastVerdict ?? [], lastOutcome ?? []].flat());
  return {
    reports: reports.map((report) => toWireRow(report)),
    counts: Object.fromEntries(
      [...Map.groupBy(answers, (answer) => answer)].map(([answer, of]) => [answer, of.length]),
    ),
    isExecuted: await bank.isExecuted(db, id, sent),
    doubtful: countDoubtful(sent),
    rejected: findRejected(sent).length,
    left: rows.map((row) => judge(row, undefined, payoutAlertEur, row.batchId).row),
    looseIds: await bank.findLoose(db, left),
    proposal: open ? { id: open.id, move: (open.value as Proposed).move } : null,
  };
}

export async function listBatchPayouts(
  db: Database,
  id: number,
  query: z.output<typeof payoutBatchRoutes.listBatchPayouts.query>,
) {
  const row = orNotFound(await batches.findBatch(db, id));
  // All of an open batch: two payouts to one destination may be on different pages.
  const open = row.state === 'draft' ? (await judgePayouts(db, await payouts.findBatchPayoutIds(db, id), id)).rows : [];
  const first = open.filter(({ problems, changes }) => problems.length + changes.length > 0);
  const firstIds = first.map(({ payoutId }) => payoutId);
  const { rows, meta } = await payouts.listBatchPayouts(db, id, firstIds, query);
  const judged = new Map(open.map((one) => [one.payoutId, one]));
  const shown = (payout: payouts.PayoutRow): PreflightRow =>
    judged.get(payout.id) ?? { ...judge(payout, undefined, 0, id).row, problems: [], changes: [] };
  return { data: rows.map(shown), meta };
}

/* Moves */

/** @throws not_found, conflict */
export async function lockForMove(
  trx: Trx,
  caller: Actor,
  id: number,
  move: BatchTransition,
): Promise<{ batch: batches.BatchRow; ids: number[] }> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  await lockSignatures(trx);
  // Payouts join a batch only at its creation, so this list is complete.
  await payouts.lockPayouts(trx, await payouts.findBatchPayoutIds(trx, id));
  await batches.lockBatch(trx, id);
  const batch = orNotFound(await batches.findBatch(trx, id));
  if (!canTransitionBatch(move, batch.state)) {
    throw conflict(move === 'answer' && batch.state === 'paid' ? bankMessages.paid : payoutMessages.batchState);
  }
  const ids = await payouts.findBatchPayoutIds(trx, id);
  if (ids.length === 0 && move === 'export') throw conflict(payoutMessages.batchEmpty);
  return { batch, ids };
}

const now = sql<Date>`now()`;
const toJournal = (batch: batches.BatchRow) => ({
  state: batch.state,
  messageId: batch.messageId,
  count: batch.payoutsCount,
  amount: batch.totalEur,
});

/** @param sent how many payouts left with and without signatures */
async function move(
  trx: Trx,
  caller: Actor,
  batch: batches.BatchRow,
  verb: 'export' | 'pay' | 'void',
  { state, ...changes }: UpdateObject<DB, 'payoutBatches'> & { state: BatchState },
  sent?: { signed: number; unsigned: number },
) {
  const { id } = batch;
  await trx
    .updateTable('payoutBatches')
    .set({ state, ...changes })
    .where('id', '=', id)
    .execute();
  await writeAudit(trx, caller, {
    action: `payout_batch.${verb}`,
    entityId: id,
    before: toJournal(batch),
    after: { ...toJournal(batch), state, ...sent },
  });
  return { id, state };
}

/**
 * Freezes the beneficiaries and allows the files: from now on the money may have been sent. Exporting again changes
 * nothing.
 * @throws not_found, conflict for a problem or a missing signature
 */
export async function exportBatch(trx: Trx, caller: Caller, id: number): Promise<Pick<Batch, 'id' | 'state'>> {
  const { batch, ids } = await lockForMove(trx, caller, id, 'export');
  if (batch.state === 'exported' || batch.state === 'paid') return batch;
  const { house, sepaAddress } = await readSettings(trx);
  const { rows: judged } = await judgePayouts(trx, ids, id);
  if (judged.some(isBlocking)) throw conflict(payoutMessages.batchBlocked);
  const debtor = files.toDebtor(house);
  const hasSepa = judged.some((one) => one.file === 'sepa');
  if (typeof debtor === 'string' && hasSepa) {
    throw conflict(debtor === 'iban' ? payoutMessages.houseBank : payoutMessages.houseName);
  }
  const frozen =
    typeof debtor === 'string'
      ? { name: house.name, addressLines: [], postcode: '', town: '', country: '', iban: '', bic: '' }
      : { ...debtor, ...(sepaAddress === 'structured' && { isStructured: true }) };
  const sent = await sendPayments(trx, caller, ids);
  await payouts.freezeBeneficiaries(trx, ids, new Date());
  const step = { exportedAt: now, exportedBy: caller.adminId, debtor: JSON.stringify(frozen) };
  return move(trx, caller, batch, 'export', { state: 'exported', ...step }, sent);
}

/** A move of an exported batch that needs signatures, and the amount it moves, EUR. */
interface Proposed {
  move: 'pay' | 'abandon' | 'return';
  amountEur: string;
}

const propose = defineProposal('batch', {
  sign: 'payout_batch.sign',
  rights: ['edit_pending_payout'],
  amountOf: (value) => (value as Proposed).amountEur,
  apply: (trx, actor, { target, value }) => {
    const run = { pay: payNow, abandon: abandonNow, return: returnNow };
    return run[(value as Proposed).move](trx, actor, Number(target));
  },
});

const findRejected = (sent: readonly bank.SentRow[]) =>
  sent.filter(({ hasLeft, lastOutcome }) => !hasLeft && lastOutcome === 'rejected').map(({ payoutId }) => payoutId);
const countDoubtful = (sent: readonly bank.SentRow[]) =>
  sent.filter(({ hasLeft, lastVerdict }) => !hasLeft && isDoubtful(lastVerdict)).length;

/** @throws not_found; conflict for a disabled account or a rejected payment */
async function lockForPay(trx: Trx, actor: Actor, id: number) {
  const { batch, ids } = await lockForMove(trx, actor, id, 'pay');
  if (!(await payouts.arePending(trx, ids))) throw conflict();
  const stopped = await payouts.findStoppedAccounts(trx, id);
  if (stopped.length > 0) throw conflict(payoutMessages.batchStopped(stopped.map(({ name }) => name)));
  const sent = await bank.listSent(trx, id);
  if (findRejected(sent).length > 0) throw conflict(bankMessages.rejectedUnpaid);
  return { batch, ids, doubtful: countDoubtful(sent) };
}

async function payNow(trx: Trx, actor: Actor, id: number): Promise<void> {
  const { batch, ids } = await lockForPay(trx, actor, id);
  await payouts.markPaid(trx, ids, actor.adminId);
  await postPaid(trx, ids, actor.adminId);
  await move(trx, actor, batch, 'pay', { state: 'paid', paidAt: now, paidBy: actor.adminId });
}

/**
 * The bank accepted the files. With a near or another name among the payees, it waits for signatures.
 * @throws not_found; conflict for a disabled account, or without signatories
 */
export async function payBatch(trx: Trx, caller: Caller, id: number) {
  const { batch, doubtful } = await lockForPay(trx, caller, id);
  if (doubtful > 0) return proposeMove(trx, caller, batch, 'pay', { doubtful });
  await payNow(trx, caller, id);
  return { data: { id, state: 'paid' as const } };
}

/** @throws not_found; conflict when the bank executed anything */
async function lockForAbandon(trx: Trx, actor: Actor, id: number) {
  const { batch, ids } = await lockForMove(trx, actor, id, 'abandon');
  if (await bank.isExecuted(trx, id, await bank.listSent(trx, id))) throw conflict(bankMessages.executed);
  return { batch, ids };
}

async function abandonNow(trx: Trx, actor: Actor, id: number): Promise<void> {
  const { batch, ids } = await lockForAbandon(trx, actor, id);
  if (!(await payouts.arePending(trx, ids))) throw conflict();
  await leave(trx, actor, id, ids);
  // A batch that is over keeps what it was.
  const { payoutsCount, totalEur } = batch;
  await move(trx, actor, batch, 'void', {
    ...{ state: 'void', voidedAt: now, voidedBy: actor.adminId, payoutsCount, totalEur },
  });
}

/**
 * Nothing of its files was executed: once it is signed the batch is void, and its payouts wait again.
 * @throws not_found; conflict when the bank executed anything, or without signatories
 */
export async function abandonBatch(trx: Trx, caller: Caller, id: number) {
  const { batch } = await lockForAbandon(trx, caller, id);
  return proposeMove(trx, caller, batch, 'abandon', {});
}

/** @throws not_found; conflict without a rejected payout */
async function lockForReturn(trx: Trx, actor: Actor, id: number) {
  const { batch } = await lockForMove(trx, actor, id, 'return');
  const ids = findRejected(await bank.listSent(trx, id));
  if (ids.length === 0) throw conflict(bankMessages.noneRejected);
  return { batch, ids };
}

async function returnNow(trx: Trx, actor: Actor, id: number): Promise<void> {
  const { ids } = await lockForReturn(trx, actor, id);
  await leave(trx, actor, id, ids);
  await writeAudit(trx, actor, { action: 'payout_batch.return', entityId: id, after: { returned: ids.length } });
  await journalLeft(
    trx,
    actor,
    ids.map((payoutId) => ({ payoutId, code: null, said: null })),
  );
}

/**
 * Its payouts that are rejected as typed, or as its whole file, wait again once it is signed.
 * @throws not_found; conflict without a rejected payout, or without signatories
 */
export async function returnRejected(trx: Trx, caller: Caller, id: number) {
  const { batch, ids } = await lockForReturn(trx, caller, id);
  return proposeMove(trx, caller, batch, 'return', { returned: ids.length });
}

async function leave(trx: Trx, actor: Actor, id: number, ids: readonly number[]) {
  const answers = ids.map((payoutId) => ({
    ...{ payoutId, verdict: null, outcome: 'unexecuted' as const, code: null, said: null },
  }));
  await bank.insertAnswers(trx, { batchId: id, adminId: adminOf(actor) }, answers, new Set(ids));
  await bank.leaveExported(trx, id, ids);
}

export const journalLeft = (
  trx: Trx,
  actor: Actor,
  left: readonly { payoutId: number; code: string | null; said: string | null }[],
) =>
  writeAudits(
    trx,
    actor,
    left.map(({ payoutId, code, said }) => ({
      action: 'payout.reject' as const,
      entityId: payoutId,
      after: { code, reason: said },
    })),
  );

async function proposeMove(trx: Trx, caller: Caller, batch: batches.BatchRow, verb: Proposed['move'], after: object) {
  const { id } = batch;
  const proposal = await propose(trx, caller, {
    target: id,
    value: { move: verb, amountEur: batch.totalEur } satisfies Proposed,
    entry: { action: `payout_batch.propose_${verb}`, entityId: id, after: { ...toJournal(batch), ...after } },
  });
  if (proposal) return { data: { id, state: batch.state }, message: signatureMessages.waits };
  return { data: { id, state: orNotFound(await batches.findBatch(trx, id)).state } };
}

/** @throws not_found, conflict */
export async function voidBatch(trx: Trx, caller: Caller, id: number) {
  const { batch, ids } = await lockForMove(trx, caller, id, 'void');
  await sql`UPDATE payouts SET batch_id = NULL WHERE id = ANY(${ids}::bigint[])`.execute(trx);
  return move(trx, caller, batch, 'void', { state: 'void', voidedAt: now, voidedBy: caller.adminId });
}

/* Files */

const inFile = (sent: readonly bank.SentRow[], file: PaymentFile) =>
  sent.filter(({ beneficiary }) => files.fileOf(beneficiary) === file);

/** Each download of account numbers is journalled. */
async function findExported(db: Trx, caller: Caller, id: number, file: PaymentFile) {
  const batch = orNotFound(await batches.findBatch(db, id));
  if (!batch.exportedAt || !batch.debtor || batch.state === 'void') throw conflict(payoutMessages.batchState);
  const frozen = inFile(await bank.listSent(db, id), file);
  if (frozen.length > 0) {
    await writeAudit(db, caller, {
      action: 'payout_batch.download',
      entityId: id,
      after: { file, payouts: frozen.length },
    });
  }
  return { batch, debtor: batch.debtor, exportedAt: batch.exportedAt, frozen };
}

const parisDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris' });

/** Every download returns the same bytes. @throws not_found, conflict */
export async function makeSepaFile(db: Trx, caller: Caller, id: number): Promise<FileAnswer> {
  const { batch, debtor, exportedAt, frozen } = await findExported(db, caller, id, 'sepa');
  if (frozen.length === 0) throw conflict(payoutMessages.noFile);
  const pieces = [...writeSepa(batch.messageId, debtor, exportedAt, frozen)];
  return bufferAnswer(Buffer.concat(pieces), 'application/xml; charset=utf-8', `${batch.messageId}-sepa.xml`);
}

function* writeSepa(
  messageId: string,
  debtor: NonNullable<batches.BatchRow['debtor']>,
  exportedAt: Date,
  frozen: readonly bank.SentRow[],
): Generator<Buffer> {
  const transfers = frozen.map((payout) => files.toSepaTransfer(payout, { messageId, houseName: debtor.name }));
  const header = { messageId, createdAt: exportedAt, executionDay: parisDay.format(exportedAt), debtor };
  for (const piece of writeSepaFile(header, transfers)) yield Buffer.from(piece);
}

function hashSepaFile({ messageId, debtor, exportedAt }: batches.BatchRow, sent: readonly bank.SentRow[]) {
  const frozen = inFile(sent, 'sepa');
  if (!debtor || !exportedAt || frozen.length === 0) return null;
  const hash = createHash('sha256');
  for (const piece of writeSepa(messageId, debtor, exportedAt, frozen)) hash.update(piece);
  return hash.digest('hex');
}

/** @throws not_found, conflict */
export async function makePaypalFile(db: Trx, caller: Caller, id: number): Promise<FileAnswer> {
  const { batch, debtor, frozen } = await findExported(db, caller, id, 'paypal');
  if (frozen.length === 0) throw conflict(payoutMessages.noFile);
  const text = frozen.map((payout) => `${files.paypalLine(payout, debtor.name)}\r\n`).join('');
  return bufferAnswer(Buffer.from(text), 'text/csv; charset=utf-8', `${batch.messageId}-paypal.csv`);
}

/** Payouts to transfer by hand. @throws not_found, conflict */
export async function listManual(db: Trx, caller: Caller, id: number) {
  const { frozen } = await findExported(db, caller, id, 'manual');
  return frozen.map((payout) => ({
    payoutId: payout.payoutId,
    payoutNet: toWireNumber(payout.netEur),
    account: payout.beneficiary,
  }));
}
