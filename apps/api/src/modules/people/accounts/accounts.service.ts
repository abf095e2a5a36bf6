import { findCompanyFaults } from '@regie/contract/companies.ts';
import { messages } from '@regie/contract/messages.ts';
import type { Profile, ProfileForm } from '@regie/contract/routes/accounts.ts';
import { states } from '@regie/contract/states.ts';
import type { Updateable } from 'kysely';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { Accounts } from '#src/lib/db.generated.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { toFrenchEuros, toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { requireRecentFactor } from '#src/lib/session.ts';
import { lockSignatures } from '#src/modules/money/signing/signing.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { emailChangedLetter } from './accounts.letters.ts';
import * as queries from './accounts.queries.ts';
import { isSameIncome, judgeIncome } from './accounts.rules.ts';
import { adjustBalance, findWaitingAdjustment } from './adjustments.service.ts';

export const toFields = (row: queries.StoredAccount) => ({
  id: row.id,
  fname: row.firstName,
  lname: row.lastName,
  email: row.email,
  company: row.company,
  address: row.address,
  address2: row.address2,
  city: row.city,
  postcode: row.postcode,
  country: row.country,
  tax: row.vatNumber,
  siren: row.siren,
  electronicAddress: row.electronicAddress,
  vatRegime: row.vatRegime,
  statementPeriod: row.statementPeriod,
  timezone: row.timezone,
  state: states.account.toWire[row.state],
  role: states.role.toWire[row.role],
  income: toWireNumber(row.balance),
  libraryIncomePercentile: toWireNumber(row.libraryPercentile),
  youtubeChannelIncomePercentile: toWireNumber(row.youtubePercentile),
  memo: row.memo,
  createdAt: row.createdAt.getTime(),
  updatedAt: row.updatedAt.getTime(),
  erasedAt: row.erasedAt?.getTime() ?? null,
  subscriptionUntil: row.subscriptionUntil === null ? null : row.subscriptionUntil.split('-').reverse().join('/'),
  referrersPercentile: toWireNumber(row.referrers),
});

/** Fields that only manage_profiles shows. */
const hiddenFields = {
  ...{
    address: null,
    address2: null,
    city: null,
    postcode: null,
    country: null,
    tax: null,
    siren: null,
    electronicAddress: null,
    vatRegime: null,
    statementPeriod: null,
    timezone: null,
    memo: null,
  },
  ...{ libraryIncomePercentile: null, youtubeChannelIncomePercentile: null, referrersPercentile: null },
  ...{ createdAt: null, updatedAt: null, erasedAt: null, subscriptionUntil: null },
};

/** With the data for row colours (product §22.4). */
export async function listProfiles(
  db: Trx,
  caller: Caller,
  query: Omit<queries.AccountFilter, 'role' | 'state'> & { role?: Profile['role']; state?: Profile['state'] },
) {
  const { accounts, labels, meta } = await queries.listAccounts(db, {
    ...query,
    role: query.role && states.role.toStored[query.role],
    state: query.state && states.account.toStored[query.state],
  });
  return {
    data: {
      accounts: accounts.map((row) => ({
        ...toFields(row),
        ...(caller.can('manage_profiles') ? {} : hiddenFields),
        hasLabelSubscription: row.subscriptionUntil !== null,
      })),
      accountsWithLabelSubscription: labels.map((row) => ({ userId: row.id })),
    },
    meta,
  };
}

const toProfile = async (db: Trx, row: queries.StoredAccount): Promise<Profile> => ({
  ...toFields(row),
  pendingAdjustment: await findWaitingAdjustment(db, row.id),
});

export const { isUsable, countWithoutSiren } = queries;

/** @throws validation_failed on `userId` for an unknown or erased account */
export async function checkAccount(db: Trx, id: number): Promise<void> {
  if (!(await queries.isUsable(db, id))) throw invalid({ userId: messages.unknownAccount });
}

export async function requireAccount(db: Trx, id: number): Promise<queries.StoredAccount> {
  return orNotFound(await queries.findAccount(db, id));
}

export const getProfile = async (db: Trx, id: number): Promise<Profile> => toProfile(db, await requireAccount(db, id));

/** Absent fields stay unchanged. */
function toColumns(form: ProfileForm): Updateable<Accounts> {
  const columns: Updateable<Accounts> = {
    firstName: form.fname,
    lastName: form.lname,
    email: form.email,
    company: form.company,
    address: form.address,
    address2: form.address2,
    city: form.city,
    postcode: form.postcode,
    country: form.country,
    vatNumber: form.tax,
    siren: form.siren,
    electronicAddress: form.electronicAddress,
    vatRegime: form.vatRegime,
    statementPeriod: form.statementPeriod,
    timezone: form.timezone,
    role: form.role && states.role.toStored[form.role],
    state: form.state && states.account.toStored[form.state],
    libraryPercentile: form.libraryIncomePercentile === undefined ? undefined : form.libraryIncomePercentile.toFixed(2),
    youtubePercentile:
      form.youtubeChannelIncomePercentile === undefined ? undefined : form.youtubeChannelIncomePercentile.toFixed(2),
    memo: form.memo,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

const journalled = ({
  createdAt,
  updatedAt,
  erasedAt,
  income,
  subscriptionUntil,
  referrersPercentile,
  pendingAdjustment,
  ...rest
}: Profile) => rest;

/** What an account earns, whether it is paid, and who is told of changes to where. */
const guardedColumns = ['role', 'state', 'libraryPercentile', 'youtubePercentile', 'email'];

/** @throws forbidden */
function checkFactor({ session }: Caller): void {
  if (session) requireRecentFactor(session);
}

/**
 * Adjusts the balance to `income`, at once or once signed. Without `incomeSeen`, a balance of the last 12 hours is no
 * change.
 * @returns warnings
 * @throws conflict when the balance changed; validation_failed below zero
 */
async function adjustIncome(trx: Trx, caller: Caller, id: number, form: ProfileForm): Promise<string[]> {
  const balance = await queries.findBalance(trx, id);
  const change = judgeIncome(balance, form);
  const { income } = form;
  if (change.kind === 'none' || income === undefined) return [];
  if (change.kind === 'moved') throw conflict(messages.balanceMoved);
  if (form.incomeSeen === undefined) {
    const former = await queries.listFormerBalances(trx, id, balance);
    if (former.some((one) => isSameIncome(one, income))) return [messages.balanceKept(toFrenchEuros(balance))];
  }
  if (change.kind === 'negative') throw invalid({ income: messages.incomeNegative });
  checkFactor(caller);
  const reason = form.reason ?? messages.noReason;
  const adjustment = { accountId: id, amountEur: change.amountEur, balance, reason };
  if (await adjustBalance(trx, caller, adjustment)) {
    return [messages.adjustmentWaits(toFrenchEuros(change.amountEur), !form.reason)];
  }
  return form.reason ? [] : [messages.adjustedWithoutReason];
}

export async function readDefaultShares(db: Trx) {
  const { libraryIncomePercentile, youtubeChannelIncomePercentile, statementPeriod } = await readSettings(db);
  return { libraryIncomePercentile, youtubeChannelIncomePercentile, houseStatementPeriod: statementPeriod };
}

/** @throws validation_failed for numbers of different companies */
function checkCompany(numbers: Parameters<typeof findCompanyFaults>[0]): void {
  const faults = findCompanyFaults(numbers);
  if (Object.keys(faults).length > 0) throw invalid(faults);
}

/** See product §25.1; an opening balance is an adjustment. */
export async function createProfile(trx: Trx, caller: Caller, form: ProfileForm) {
  checkCompany(form);
  const shares = await readDefaultShares(trx);
  const { libraryIncomePercentile: library = shares.libraryIncomePercentile } = form;
  const { youtubeChannelIncomePercentile: youtube = shares.youtubeChannelIncomePercentile } = form;
  if (library !== shares.libraryIncomePercentile || youtube !== shares.youtubeChannelIncomePercentile) {
    checkFactor(caller);
  }
  const { id } = await trx
    .insertInto('accounts')
    .values({ ...toColumns(form), libraryPercentile: library.toFixed(2), youtubePercentile: youtube.toFixed(2) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeAudit(trx, caller, {
    action: 'account.create',
    entityId: id,
    after: journalled(await getProfile(trx, id)),
  });
  return { data: { id }, warnings: await adjustIncome(trx, caller, id, form) };
}

/**
 * New percentages apply to later imports (product §33.10). What moves money or opens a door needs a recent factor
 * (product §31.24).
 * @throws not_found; conflict when account or balance changed
 */
export async function editProfile(trx: Trx, caller: Caller, id: number, form: ProfileForm) {
  // Lock order of a last signature, which applies its adjustment.
  if (form.income !== undefined) await lockSignatures(trx);
  const row = orNotFound(await queries.lockAccount(trx, id));
  if (form.updatedAt !== undefined && form.updatedAt !== row.updatedAt.getTime()) throw conflict();
  const before = await toProfile(trx, row);
  const present = new Map<string, unknown>(Object.entries(row));
  const columns = Object.fromEntries(
    Object.entries(toColumns(form)).filter(([key, value]) => present.get(key) !== value),
  );
  if (guardedColumns.some((name) => name in columns)) checkFactor(caller);
  if (Object.keys(columns).length > 0) {
    await trx
      .updateTable('accounts')
      .set({ ...columns, updatedAt: new Date() })
      .where('id', '=', id)
      .execute();
  }
  // After the percentages: an import's first batch locks them before balances.
  const warnings = await adjustIncome(trx, caller, id, form);
  const after = await getProfile(trx, id);
  // The present numbers of a caller that does not know these fields are not its fault.
  if ('siren' in columns || 'electronicAddress' in columns) checkCompany(after);
  const changes = changesBetween(journalled(before), {
    ...journalled(after),
    ...(warnings.length > 0 ? { warnings } : {}),
  });
  if (changes) {
    await writeAudit(trx, caller, { action: 'account.edit', entityId: id, ...changes });
    await notifyEmailChange(trx, before, after);
  }
  return { data: after, warnings };
}

/** Both addresses: the new one receives the letters about bank details. */
async function notifyEmailChange(trx: Trx, before: Profile, after: Profile): Promise<void> {
  if (before.email === after.email || before.email === null) return;
  const account = { name: `${after.fname} ${after.lname}`.trim(), email: after.email };
  const settings = await readSettings(trx);
  for (const to of new Set([before.email, after.email])) {
    if (to !== null) await enqueue(trx, 'send_mail', emailChangedLetter(to, account, settings));
  }
}
