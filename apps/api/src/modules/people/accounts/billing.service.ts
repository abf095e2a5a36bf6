import { findBankFaults, toStoredIban } from '@regie/contract/bank-details.ts';
import { messages } from '@regie/contract/messages.ts';
import type { BankForm, BillingAccount, PaypalForm } from '@regie/contract/routes/billing.ts';
import { toMicros } from '@regie/values/decimal.ts';
import { formatIban, isMaskedAccountNumber, maskAccountNumber } from '@regie/values/iban.ts';
import { changesBetween, parisTime, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { toFrenchEuros } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { billingChangedLetter } from './accounts.letters.ts';
import { lockAccount } from './accounts.queries.ts';
import { requireAccount } from './accounts.service.ts';
import * as queries from './billing.queries.ts';

const updatedAt = (row: queries.BillingRow): number => (row.changedAt ?? row.createdAt).getTime();

function toWire(row: queries.BillingRow): BillingAccount {
  return {
    ...toWireRow(row),
    userId: row.accountId,
    iban: row.iban === null ? null : maskAccountNumber(row.iban),
    updatedAt: updatedAt(row),
    changedBy: row.changedByName,
    account: { id: row.accountId, fname: row.firstName, lname: row.lastName },
  };
}

export async function listBillingAccounts(
  db: Trx,
  accountId: number,
  query: Parameters<typeof queries.listBillingAccounts>[2],
) {
  await requireAccount(db, accountId);
  const { rows, meta } = await queries.listBillingAccounts(db, accountId, query);
  return { data: rows.map(toWire), meta };
}

export async function getBillingAccount(db: Trx, id: number): Promise<BillingAccount> {
  const row = orNotFound(await queries.findBillingAccount(db, id));
  return toWire(row);
}

/** With a warning while payouts to them are blocked. */
async function answerWith(trx: Trx, id: number) {
  const data = await getBillingAccount(trx, id);
  return {
    data,
    warnings: data.blockedUntil === null ? [] : [messages.billingHeld(parisTime.format(data.blockedUntil))],
  };
}

/** The access is journalled. @throws not_found, conflict for PayPal */
export async function revealBillingAccount(trx: Trx, caller: Caller, id: number): Promise<{ iban: string }> {
  const row = orNotFound(await queries.findBillingAccount(trx, id));
  if (row.iban === null) throw conflict(messages.notBank);
  await writeAudit(trx, caller, {
    action: 'billing.reveal',
    entityId: id,
    after: { userId: row.accountId, iban: maskAccountNumber(row.iban) },
  });
  return { iban: row.iban };
}

type Details = ReturnType<typeof bankDetails> | ReturnType<typeof paypalDetails>;

const bankDetails = ({ updatedAt: _, ...form }: BankForm) => ({ ...form, iban: toStoredIban(form.iban) });
const paypalDetails = ({ updatedAt: _, ...form }: PaypalForm) => form;

const maskedFields = new Set(['iban', 'swift']);
const masked = (record: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      key,
      maskedFields.has(key) && typeof value === 'string' ? maskAccountNumber(value) : value,
    ]),
  );

function checkBank(form: BankForm): void {
  const faults = isMaskedAccountNumber(form.iban) ? { iban: messages.ibanWrong } : findBankFaults(form);
  if (Object.keys(faults).length > 0) throw invalid({ ...faults });
}

async function create(trx: Trx, caller: Caller, accountId: number, type: 'bank' | 'paypal', details: Details) {
  // Of two simultaneous entries, the second is a change.
  const account = orNotFound(await lockAccount(trx, accountId));
  const isFirst = !(await queries.hasDestination(trx, accountId));
  const { id } = await trx
    .insertInto('billingAccounts')
    .values({ ...details, accountId, type, ...(isFirst ? {} : { changedAt: new Date(), changedBy: caller.adminId }) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeAudit(trx, caller, {
    action: 'billing.create',
    entityId: id,
    after: { userId: accountId, type, ...masked(details) },
    alert: await alertLargeBalance(trx, account),
  });
  if (!isFirst) await notifyChange(trx, id, []);
  return answerWith(trx, id);
}

/** Details change on an account with a large unpaid amount. */
async function alertLargeBalance(trx: Trx, account: { id: number; firstName: string; lastName: string }) {
  const { payoutAlertEur } = await readSettings(trx);
  const balance = await queries.findUnpaid(trx, account.id);
  if (toMicros(balance) <= toMicros(String(payoutAlertEur))) return undefined;
  const text = `Des coordonnées de paiement sont ajoutées ou changées pour un compte dont le solde, versements en attente compris, est de ${toFrenchEuros(balance)}\u00a0: ${account.firstName} ${account.lastName}.`;
  return { kind: 'destination' as const, text };
}

/** See product §35.5. */
async function notifyChange(trx: Trx, id: number, formerEmails: readonly (string | null)[]): Promise<void> {
  const row = await queries.findBillingAccount(trx, id);
  if (!row) throw new Error('the details just written are missing');
  const account = {
    name: `${row.firstName} ${row.lastName}`.trim(),
    destination: row.type === 'bank' ? formatDestination(row.iban) : (row.email ?? ''),
    type: row.type,
  };
  const settings = await readSettings(trx);
  const emails = await queries.listKnownEmails(trx, row.accountId);
  for (const to of new Set([...formerEmails, ...emails])) {
    if (to !== null) await enqueue(trx, 'send_mail', billingChangedLetter(to, account, settings));
  }
}

/** @throws not_found; validation_failed for an invalid IBAN or BIC */
export function createBankAccount(trx: Trx, caller: Caller, accountId: number, form: BankForm) {
  checkBank(form);
  return create(trx, caller, accountId, 'bank', bankDetails(form));
}

export const createPaypalAccount = (trx: Trx, caller: Caller, accountId: number, form: PaypalForm) =>
  create(trx, caller, accountId, 'paypal', paypalDetails(form));

/** Journals the last 4 characters, notifies and blocks payouts. */
async function edit(
  trx: Trx,
  caller: Caller,
  id: number,
  expected: { type: 'bank' | 'paypal'; refusal: string; updatedAt: number | undefined },
  details: Details,
) {
  const row = orNotFound(await queries.findBillingAccount(trx, id, true));
  if (row.type !== expected.type) throw conflict(expected.refusal);
  if (expected.updatedAt !== undefined && expected.updatedAt !== updatedAt(row)) throw conflict();
  const changes = changesBetween({ ...row }, details);
  if (!changes) return answerWith(trx, id);
  await trx
    .updateTable('billingAccounts')
    .set({ ...details, changedAt: new Date(), changedBy: caller.adminId })
    .where('id', '=', id)
    .execute();
  await writeAudit(trx, caller, {
    action: 'billing.edit',
    entityId: id,
    before: masked(changes.before),
    after: masked(changes.after),
    alert: await alertLargeBalance(trx, { id: row.accountId, firstName: row.firstName, lastName: row.lastName }),
  });
  await notifyChange(trx, id, [row.email]);
  return answerWith(trx, id);
}

const formatDestination = (iban: string | null) => (iban === null ? '' : formatIban(maskAccountNumber(iban)));

/** @throws not_found, conflict, validation_failed */
export async function editBankAccount(trx: Trx, caller: Caller, id: number, given: BankForm) {
  const form = { ...given, iban: await wholeNumber(trx, id, given.iban) };
  checkBank(form);
  const expected = { type: 'bank', refusal: messages.notBank, updatedAt: form.updatedAt } as const;
  return edit(trx, caller, id, expected, bankDetails(form));
}

/** The stored number when the form returns the masked one. */
async function wholeNumber(trx: Trx, id: number, given: string): Promise<string> {
  if (!isMaskedAccountNumber(given)) return given;
  const present = (await queries.findBillingAccount(trx, id))?.iban ?? null;
  return present !== null && maskAccountNumber(present) === given ? present : given;
}

/** @throws not_found, conflict */
export function editPaypalAccount(trx: Trx, caller: Caller, id: number, form: PaypalForm) {
  const expected = { type: 'paypal', refusal: messages.notPaypal, updatedAt: form.updatedAt } as const;
  return edit(trx, caller, id, expected, paypalDetails(form));
}

/** `•••• 2606`, `a•••@exemple.fr` */
export function maskDestination({ type, iban, email }: Pick<queries.BillingRow, 'type' | 'iban' | 'email'>): string {
  if (type === 'bank') return `•••• ${(iban ?? '').slice(-4)}`;
  const [name = '', host = ''] = (email ?? '').split('@');
  return `${name.slice(0, 1)}•••@${host}`;
}
