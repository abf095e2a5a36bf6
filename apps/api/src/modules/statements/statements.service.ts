import type {
  CheckedStatements,
  Consequence,
  Difference,
  Differences,
  Statement,
  StatementAlert,
  StatementDetail,
  StatementForm,
  StatementHead,
} from '@regie/contract/routes/statements.ts';
import {
  type Charset,
  ownPresetId,
  type StatementPreset,
  type StatementStatus,
  statementMessages,
} from '@regie/contract/statements.ts';
import { addMonths, findMonth, monthToMs } from '@regie/values/month.ts';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import type { ByteRange, FileAnswer } from '#src/lib/file-answer.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import type { Caller } from '#src/lib/route.ts';
import {
  describeRates,
  findUnconfirmed,
  isConfirmedRate,
  isFutureMonth,
  isStaleRate,
  type UsedRate,
} from '#src/modules/exchange-rates/exchange-rates.service.ts';
import { mapPresets } from '#src/modules/presets/presets.service.ts';
import { reverseImport } from '#src/modules/reports/reversals.service.ts';
import { readLines } from '#src/reading/read-lines.ts';
import { readStatementHead } from '#src/reading/read-statement.ts';
import { StatementRefusal } from '#src/reading/refusal.ts';
import * as differences from './differences.queries.ts';
import * as queries from './statements.queries.ts';

type Db = Database | Trx;

const earliest = '2020-01-01';
const toMs = (day: string) => monthToMs(day.slice(0, 7));
const monthMs = (day: string | null) => (day === null ? null : toMs(day));
const eur = (amount: string | null) => (amount === null ? null : toWireNumber(amount));
/** Removes trailing zeros added by numeric division or a column's scale. */
const exact = (amount: string) => (amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount);
const isLive = (status: StatementStatus | null) => status === 'loaded' || status === 'checked';
const isZero = (amount: string) => /^-?0*\.?0*$/.test(amount);

function refOf(id: number | null, fileName: string | null, status: StatementStatus | null) {
  return id === null || fileName === null || status === null ? null : { id, fileName, status };
}

function problemOf({ status, findings }: queries.StatementRow): Statement['problem'] {
  if (status === 'refused' && findings.refusal) return { asksSheets: false, ...findings.refusal };
  if ((status === 'received' || status === 'reading') && findings.failure) {
    return { message: findings.failure.message, line: null, asksSheets: false };
  }
  return null;
}

function toWire(row: queries.StatementRow, presets: Map<string, StatementPreset>): Statement {
  const preset = row.preset === null ? undefined : presets.get(row.preset);
  return {
    ...row,
    preset:
      row.preset === null
        ? null
        : { key: row.preset, name: preset?.name ?? row.preset, isVerified: preset?.isVerified ?? false },
    firstMonth: monthMs(row.firstMonth),
    lastMonth: monthMs(row.lastMonth),
    amountEur: eur(row.amountEur),
    unmatchedEur: eur(row.unmatchedEur),
    postedEur: eur(row.postedEur),
    amounts: (row.amounts ?? []).map(({ currency, amount }) => ({ currency, amount: toWireNumber(amount) })),
    problem: problemOf(row),
    replaces: refOf(row.replaces, row.replacedName, row.replacedStatus),
    createdAt: row.createdAt.getTime(),
    createdBy: row.createdByName,
  };
}

export async function listStatements(
  db: Db,
  {
    month,
    ended,
    ...query
  }: Omit<queries.StatementFilter, 'month' | 'hasEnded'> & {
    month?: number | undefined;
    ended?: 'true' | 'false' | undefined;
  },
) {
  const filter = {
    ...query,
    ...(month === undefined ? {} : { month: toDate(findMonth(month)) }),
    hasEnded: ended === 'true',
  };
  const [{ rows, meta }, presets] = await Promise.all([queries.listStatements(db, filter), mapPresets(db)]);
  return { data: rows.map((row) => toWire(row, presets)), meta };
}

export const listSources = queries.listSources;
export const incomeState = queries.incomeState;
export const isDoubled = queries.isDoubled;
export const doubledEur = queries.doubledEur;
export const findDoubled = queries.findDoubled;

/** Rates at which the waiting income would be posted; missing currencies are named. */
const usedRates = (months: readonly queries.MonthRow[]): UsedRate[] =>
  months.flatMap(({ month, currency, rate, rateMonth, isWaiting }) =>
    isWaiting && rate !== null && rateMonth !== null ? [{ month, currency, rate, rateMonth }] : [],
  );

/** Whether two of these may belong to the same bank account: one may replace the other. */
function shareBank(summaries: queries.DeclarationRow['summaries']): boolean {
  const seen = new Set<string>();
  return (
    summaries.length > 1 &&
    summaries.some(({ banks }) => {
      if (!banks?.length || banks.some((bank) => seen.has(bank))) return true;
      for (const bank of banks) seen.add(bank);
      return false;
    })
  );
}

/** @throws AppError not_found */
export async function getStatement(db: Db, id: number, nowMs = Date.now()): Promise<StatementDetail> {
  const row = await queries.findStatement(db, id);
  if (!row) throw notFound();
  const fitting = row.findings.presets ?? [];
  const [
    presets,
    months,
    doubled,
    imports,
    correctedBy,
    [declared],
    duplicates,
    contained,
    members,
    lastCurrencies,
    declarations,
  ] = await Promise.all([
    mapPresets(db),
    queries.listMonths(db, [id]),
    queries.listDuplicateStores(db, id),
    queries.listImports(db, id),
    queries.findCorrection(db, id),
    queries.listDeclared(db, [id]),
    queries.listDuplicates(db, [id]),
    queries.findContained(db, row),
    queries.listMembers(db, id),
    queries.mapLastCurrencies(
      db,
      fitting.filter(({ needsCurrency }) => needsCurrency).map(({ source }) => source),
    ),
    queries.listDeclarations(db, [id]),
  ]);
  const { findings } = row;
  return {
    ...toWire(row, presets),
    sha256: row.sha256.toString('hex'),
    hasFile: row.storageKey !== null,
    countedRows: row.countedRows,
    lines: row.lines,
    skipped: Object.entries(findings.skipped ?? {}).map(([reason, rows]) => ({ reason, rows })),
    accountingMonth: monthMs(row.accountingMonth),
    declaredAmount: row.declaredAmount === null ? null : exact(row.declaredAmount),
    declaredCurrency: row.declaredCurrency,
    deduction: findings.deduction ?? null,
    declaredSum: declared ? exact(declared.sum) : null,
    declaredDeduction: declared ? exact(declared.deduction) : null,
    declaredDifference: declared ? exact(declared.difference) : null,
    declarations: declarations.map((found) => ({
      ...found,
      month: toMs(found.month),
      summaries: found.summaries.map(({ id, fileName }) => ({ id, fileName })),
      isDoubled: shareBank(found.summaries),
      earned: exact(found.earned),
      owed: exact(found.owed),
      sum: exact(found.sum),
      difference: exact(found.difference),
      payments: found.payments.map(({ rate, proceeds, currency }) => ({
        rate: rate === null ? null : exact(rate),
        proceeds: exact(proceeds),
        currency,
      })),
    })),
    months: months.map((month) => {
      const [used] = usedRates([month]);
      return {
        month: toMs(month.month),
        currency: month.currency,
        amount: exact(month.amount),
        unmatchedAmount: exact(month.unmatchedAmount),
        postedAmount: exact(month.postedAmount),
        rate: eur(month.rate),
        rateMonth: monthMs(month.rateMonth),
        isStale: used !== undefined && isStaleRate(used),
        isFuture: used !== undefined && isFutureMonth(month.month, nowMs),
        isConfirmed: used !== undefined && isConfirmedRate(used, row.confirmedRates),
        amountEur: eur(month.amountEur),
        unmatchedEur: eur(month.unmatchedEur),
        postedEur: eur(month.postedEur),
        isTooEarly: month.month < earliest,
      };
    }),
    doubled: doubled.map((found) => ({ ...found, month: toMs(found.month) })),
    duplicates: duplicates.map((found) => ({ ...found, amountEur: eur(found.amountEur) })),
    contains: contained ? { ...contained, amountEur: eur(contained.amountEur) } : null,
    imports: imports.map((found) => ({ id: found.id, month: toMs(found.month) })),
    correctedBy: correctedBy ? { ...correctedBy, status: correctedBy.status as StatementStatus } : null,
    version: versionOf(row),
    loadedAt: row.loadedAt?.getTime() ?? null,
    checkedAt: row.checkedAt?.getTime() ?? null,
    checkedBy: row.checkedByName,
    checkNote: row.checkNote,
    sheets: findings.sheets ?? [],
    leftOut: findings.leftOut ?? [],
    mayBeCutAt: findings.mayBeCutAt ?? null,
    announced: findings.announced ?? [],
    members,
    unpackedFrom: refOf(row.unpackedFrom, row.archiveName, row.archiveStatus),
    choices: {
      currency: row.choices.currency ?? null,
      charset: row.choices.charset ?? null,
      decimalMark: row.choices.decimalMark ?? null,
      sheets: row.choices.sheets ?? null,
    },
    endedAt: row.endedAt?.getTime() ?? null,
    endedBy: row.endedByName,
    head:
      row.status === 'unrecognised' || row.status === 'ambiguous'
        ? {
            rows: findings.rows ?? [],
            charsets: findings.charsets ?? [],
            fitting: fitting.map((found) => {
              const last = lastCurrencies.get(found.source);
              const currencies = [...new Set([...(last === undefined ? [] : [last]), ...found.currencies])];
              return { ...found, unclear: found.unclear ?? {}, currencies, lastCurrency: last ?? null };
            }),
            tried: findings.tried ?? [],
          }
        : null,
  };
}

const monthBefore = (day: string) => `${addMonths(day.slice(0, 7), -1)}-01`;

/** @throws AppError not_found */
export async function getDifferences(db: Db, id: number): Promise<Differences> {
  const row = await queries.findStatement(db, id);
  if (!row) throw notFound();
  if (row.source === null || (row.status !== 'loaded' && row.status !== 'checked')) return null;
  const month = await queries.findMainMonth(db, id);
  if (month === undefined) return null;
  const without = row.replacedStatus === 'loaded' || row.replacedStatus === 'checked' ? (row.replaces ?? 0) : 0;
  const own = { source: row.source, without, month };
  const formerMonth = (await differences.findFormerMonth(db, own)) ?? monthBefore(month);
  const compared = { ...own, formerMonth };
  const monthsOf = (day: string) => ({ from: day, to: `${addMonths(day.slice(0, 7), 1)}-01` });
  const [doubled, formerDoubled, total, stores, countries, tracks] = await Promise.all([
    queries.findDoubled(db, { ...own, ...monthsOf(month) }),
    queries.findDoubled(db, { ...own, ...monthsOf(formerMonth) }),
    differences.sumMonths(db, compared),
    differences.listDifferences(db, compared, 'store'),
    differences.listDifferences(db, compared, 'country'),
    differences.listTrackDifferences(db, compared),
  ]);
  const toDifference = (found: differences.DifferenceRow): Difference => ({
    label: found.label,
    trackId: found.trackId,
    amountEur: toWireNumber(found.amountEur),
    formerEur: toWireNumber(found.formerEur),
    differenceEur: toWireNumber(found.differenceEur),
  });
  return {
    month: toMs(month),
    formerMonth: toMs(formerMonth),
    amountEur: toWireNumber(total.amountEur),
    formerEur: toWireNumber(total.formerEur),
    doubledEur: toWireNumber(doubled.amount),
    formerDoubledEur: toWireNumber(formerDoubled.amount),
    stores: stores.map(toDifference),
    countries: countries.map(toDifference),
    tracks: tracks.map(toDifference),
  };
}

/** Stores the largest differences by track of a month, `YYYY-MM-01`, for `getDifferences`. */
export const storeDifferences = (trx: Trx, month: string): Promise<void> =>
  differences.storeTrackDifferences(trx, { month, formerMonth: monthBefore(month) });

/* Actions */

/** The version a check refers to: the load, the accounting month, the declared amount. */
const versionOf = ({
  loadedAt,
  accountingMonth,
  declaredAmount,
  declaredCurrency,
}: queries.StatementDetailRow): string =>
  [loadedAt?.getTime(), accountingMonth, declaredAmount === null ? null : exact(declaredAmount), declaredCurrency].join(
    ' ',
  );

async function lock(trx: Trx, id: number): Promise<queries.StatementDetailRow> {
  const row = await queries.lockStatement(trx, id);
  if (!row) throw notFound();
  return row;
}

/**
 * Sets the accounting month and the declared amount. Posted income keeps its month.
 * @throws AppError not_found; conflict when it is checked, ended or posted
 */
export async function editStatement(trx: Trx, caller: Caller, id: number, form: StatementForm) {
  const row = await lock(trx, id);
  if (row.status === 'checked') throw conflict(statementMessages.checkedFirst);
  if (row.status === 'replaced' || row.status === 'removed' || row.status === 'summary') {
    throw conflict(statementMessages.notEditable);
  }
  const accountingMonth = form.accountingMonth === null ? null : toDate(findMonth(form.accountingMonth));
  if (accountingMonth !== row.accountingMonth && (await queries.listImports(trx, id)).length > 0) {
    throw conflict(statementMessages.isPosted);
  }
  const before = {
    accountingMonth: row.accountingMonth,
    declaredAmount: row.declaredAmount === null ? null : exact(row.declaredAmount),
    declaredCurrency: row.declaredCurrency,
  };
  const after = {
    accountingMonth,
    declaredAmount: form.declaredAmount === null ? null : exact(form.declaredAmount),
    declaredCurrency: form.declaredCurrency,
  };
  const changes = changesBetween(before, after);
  if (changes) {
    await queries.setFacts(trx, id, after);
    await writeAudit(trx, caller, { action: 'statement.edit', entityId: id, ...changes });
  }
  return { id, status: row.status };
}

export interface ReadingForm {
  preset: string | null;
  month?: number | undefined;
  currency?: string | undefined;
  /** Null restores the file's own. */
  sheets?: string[] | null | undefined;
  charset?: Charset | null | undefined;
  decimalMark?: '.' | ',' | null | undefined;
}

const mayBeRead: readonly StatementStatus[] = ['unrecognised', 'ambiguous', 'refused', 'summary', 'loaded'];

/**
 * Loads a file again with a chosen preset or all; earlier results are deleted first.
 * @throws AppError not_found; conflict while it is being read, checked, posted or ended; validation_failed
 */
export async function readWith(trx: Trx, caller: Caller, id: number, { preset, month, ...told }: ReadingForm) {
  const row = await lock(trx, id);
  if (row.status === 'checked') throw conflict(statementMessages.checkedFirst);
  if (!mayBeRead.includes(row.status)) throw conflict(statementMessages.notWaiting);
  if (row.storageKey === null) throw conflict(statementMessages.fileGone);
  if ((await queries.listImports(trx, id)).length > 0) throw conflict(statementMessages.isPosted);
  if (preset !== null && !(await mapPresets(trx)).has(preset))
    throw invalid({ preset: statementMessages.unknownPreset });
  const accountingMonth = month === undefined ? row.accountingMonth : toDate(findMonth(month));
  const asked = (row.findings.presets ?? []).find(({ key }) => key === preset);
  if (asked?.needsMonth && accountingMonth === null) throw invalid({ month: statementMessages.monthRequired });
  if (asked?.needsCurrency && told.currency === undefined) {
    throw invalid({ currency: statementMessages.currencyRequired });
  }
  if (row.findings.charsets?.length && preset !== null && !told.charset) {
    throw invalid({ charset: statementMessages.charsetRequired });
  }
  const { sheets, charset, decimalMark, ...others } = { ...row.choices, ...told };
  const choices = {
    ...others,
    ...(sheets && { sheets }),
    ...(charset && { charset }),
    ...(decimalMark && { decimalMark }),
  };
  await queries.queueReload(trx, id, { preset, accountingMonth, choices });
  await writeAudit(trx, caller, {
    action: 'statement.read_with',
    entityId: id,
    before: { status: row.status, preset: row.preset, accountingMonth: row.accountingMonth, ...row.choices },
    after: { preset, accountingMonth, ...choices },
  });
  await enqueue(trx, 'read_statement', { statementId: id });
  return { id, status: 'received' as const };
}

/** Reads a file of an archive that was left out. @throws AppError not_found; conflict when it is not such a file */
export async function readMember(trx: Trx, caller: Caller, id: number, name: string) {
  const row = await lock(trx, id);
  const isLeftOut = (row.findings.leftOut ?? []).some((member) => member.name === name && member.canRead);
  if (row.status !== 'unpacked' || !isLeftOut || row.storageKey === null) throw conflict(statementMessages.noMember);
  const choices = { ...row.choices, members: [...(row.choices.members ?? []), name] };
  await queries.queueReload(trx, id, { preset: null, accountingMonth: null, choices });
  await writeAudit(trx, caller, {
    action: 'statement.read_with',
    entityId: id,
    before: { status: row.status },
    after: { member: name },
  });
  await enqueue(trx, 'read_statement', { statementId: id });
  return { id };
}

/**
 * For the journal: `2025-01 USD 12.5 / 12.75 (-0.25)`, the sum of the lines, the declared amount and the difference.
 */
const describeDeclaration = ({ month, currency, sum, earned, difference }: queries.DeclarationRow) =>
  `${month.slice(0, 7)} ${currency} ${exact(sum)} / ${exact(earned)} (${exact(difference)})`;

const frenchMonth = new Intl.DateTimeFormat('fr-FR', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** What the check of a statement goes by. */
interface Examination {
  row: queries.StatementDetailRow;
  /** Why it cannot be checked. */
  refusal: AppError | undefined;
  /** The reason is a currency without a rate. */
  lacksRate: boolean;
  declared: queries.DeclaredRow | undefined;
  /** Summaries that differ from the lines by more than rounding. */
  differing: queries.DeclarationRow[];
  /** What the file says of its rows, and they do not. */
  announced: string[];
  isDifferent: boolean;
  /** Stale rates and future months. */
  doubtful: UsedRate[];
  /** The largest first. */
  duplicates: queries.DuplicateRow[];
  isUnmatched: boolean;
  /** Nobody has validated a statement that its preset read. */
  isUnproven: boolean;
}

async function examine(db: Db, rows: readonly queries.StatementDetailRow[], nowMs: number): Promise<Examination[]> {
  const ids = rows.map(({ id }) => id);
  const months = Map.groupBy(await queries.listMonths(db, ids), ({ statementId }) => statementId);
  const declared = new Map((await queries.listDeclared(db, ids)).map((found) => [found.statementId, found]));
  const differing = Map.groupBy(
    (await queries.listDeclarations(db, ids)).filter(({ isRounding }) => !isRounding),
    ({ comparedId }) => comparedId,
  );
  const duplicates = Map.groupBy(await queries.listDuplicates(db, ids), ({ comparedId }) => comparedId);
  const presets = await mapPresets(db);
  return rows.map((row) => {
    const own = months.get(row.id) ?? [];
    const refusal = refusalOf(row, own);
    const found = { declared: declared.get(row.id), differing: differing.get(row.id) ?? [] };
    return {
      row,
      ...found,
      refusal: refusal ?? rateRefusalOf(own),
      lacksRate: refusal === undefined && own.some(({ rate }) => rate === null),
      announced: [...new Set((row.findings.announced ?? []).map(statementMessages.announced))],
      isDifferent: found.differing.length > 0 || (found.declared !== undefined && !isZero(found.declared.difference)),
      doubtful: findUnconfirmed(usedRates(own), nowMs),
      duplicates: duplicates.get(row.id) ?? [],
      isUnmatched: own.some((month) => month.isUnmatched),
      isUnproven: row.preset !== null && presets.get(row.preset)?.isVerified === false,
    };
  });
}

/** Why a statement of this status cannot be validated. */
function statusProblem(status: string): AppError | undefined {
  if (status === 'loaded') return undefined;
  return conflict(status === 'checked' ? statementMessages.alreadyChecked : statementMessages.notLoaded);
}

function refusalOf(row: queries.StatementDetailRow, months: readonly queries.MonthRow[]): AppError | undefined {
  const problem = statusProblem(row.status);
  if (problem) return problem;
  if (row.countedRows === 0) return conflict(statementMessages.noRows);
  // Both would be posted, and duplicates are not reported between a correction and its statement.
  if (isLive(row.replacedStatus)) return conflict(statementMessages.replacesFirst);
  if (months.some(({ month }) => month < earliest)) return invalid({ accountingMonth: statementMessages.tooEarly });
  return undefined;
}

function rateRefusalOf(months: readonly queries.MonthRow[]): AppError | undefined {
  const withoutRate = months.find(({ rate }) => rate === null);
  if (!withoutRate) return undefined;
  const month = frenchMonth.format(new Date(`${withoutRate.month}T00:00:00Z`));
  return invalid({ global: statementMessages.rateMissing(withoutRate.currency, month) });
}

/** What keeps a statement from being checked unseen, in the words of the refusals; nothing when no person is needed. */
function alertsOf(found: Examination): StatementAlert[] {
  const { row, refusal, lacksRate, isDifferent, doubtful, duplicates, isUnmatched, isUnproven } = found;
  if (refusal) {
    const message = Object.values(refusal.errors)[0] ?? refusal.message;
    return [{ kind: lacksRate ? 'rate' : 'refused', message, canReplace: isLive(row.replacedStatus) }];
  }
  return [
    ...found.announced.map((message) => ({ kind: 'difference' as const, message })),
    ...(isDifferent ? [{ kind: 'difference' as const, message: statementMessages.noteRequired }] : []),
    ...(doubtful.length > 0 ? [{ kind: 'rates' as const, message: statementMessages.confirmRates }] : []),
    ...duplicates.map(({ statementId, lines, fileName }) => {
      const canReplace = row.findings.contains?.includes(statementId) === true;
      const message = (canReplace ? statementMessages.extends : statementMessages.duplicates)(lines, fileName);
      return { kind: 'duplicates' as const, message, canReplace };
    }),
    ...(row.findings.mayBeCutAt == null ? [] : [{ kind: 'cut' as const, message: statementMessages.mayBeCut }]),
    ...(isUnproven ? [{ kind: 'preset' as const, message: statementMessages.unverifiedPreset }] : []),
    ...(isUnmatched ? [{ kind: 'unmatched' as const, message: statementMessages.unmatched }] : []),
  ];
}

/** For loaded statements: the version that a check refers to, and what a person must look at first. */
export async function listAlerts(
  db: Db,
  ids: readonly number[],
  nowMs = Date.now(),
): Promise<Map<number, { version: string; alerts: StatementAlert[] }>> {
  if (ids.length === 0) return new Map();
  const found = await examine(db, await queries.listDetails(db, ids), nowMs);
  return new Map(found.map((one) => [one.row.id, { version: versionOf(one.row), alerts: alertsOf(one) }]));
}

interface Review {
  version: string;
  note?: string | undefined;
  confirmRates?: boolean;
  confirmDuplicates?: boolean;
}

/**
 * Marks a loaded statement as checked, and stores the confirmed stale rates, future months and duplicate lines. @throws
 * AppError not_found; conflict; validation_failed when it cannot be posted; on `confirmRates` for an unconfirmed rate
 * or month; on `confirmDuplicates` when another statement has some of its lines
 */
export async function checkStatement(trx: Trx, caller: Caller, id: number, review: Review, nowMs = Date.now()) {
  if (caller.adminId === null) throw new AppError('unauthorized');
  const row = await lock(trx, id);
  const problem = statusProblem(row.status);
  if (problem) throw problem;
  if (review.version !== versionOf(row)) throw conflict(statementMessages.changed);
  const [found] = await examine(trx, [row], nowMs);
  if (!found) throw notFound();
  const { refusal, announced, isDifferent, doubtful, duplicates } = found;
  if (refusal) throw refusal;
  const note = review.note === undefined || review.note === '' ? null : review.note;
  if (note === null && (isDifferent || announced.length > 0)) throw invalid({ note: statementMessages.noteRequired });
  const [largest] = duplicates;
  // Report them together, so that staff confirms once.
  const unconfirmed = {
    ...(doubtful.length > 0 && !review.confirmRates ? { confirmRates: statementMessages.confirmRates } : {}),
    ...(largest && !review.confirmDuplicates
      ? { confirmDuplicates: statementMessages.duplicates(largest.lines, largest.fileName) }
      : {}),
  };
  if (Object.keys(unconfirmed).length > 0) throw invalid(unconfirmed);
  await setChecked(trx, { ...caller, adminId: caller.adminId }, found, note);
  return { id, status: 'checked' as const };
}

async function setChecked(trx: Trx, caller: Caller & { adminId: number }, found: Examination, note: string | null) {
  const { row, declared, differing, announced, doubtful, duplicates } = found;
  const others = duplicates.map(({ statementId }) => statementId);
  await queries.setConfirmed(trx, row.id, others);
  await queries.setChecked(trx, row.id, { adminId: caller.adminId, note, confirmedRates: doubtful });
  await writeAudit(trx, caller, {
    action: 'statement.check',
    entityId: row.id,
    before: { status: 'loaded' },
    after: {
      status: 'checked',
      ...(declared ? { difference: exact(declared.difference), currency: row.declaredCurrency } : {}),
      ...(announced.length === 0 ? {} : { announced }),
      ...(differing.length === 0 ? {} : { declarations: differing.map(describeDeclaration) }),
      ...(note === null ? {} : { note }),
      ...(doubtful.length === 0 ? {} : { confirmedRates: describeRates(doubtful) }),
      ...(others.length > 0
        ? {
            duplicateOf: others,
            duplicateLines: duplicates.map(({ lines }) => lines),
            duplicateEur: duplicates.map(({ amountEur }) => amountEur),
          }
        : {}),
    },
  });
}

/**
 * Checks the shown statements that need no person: no difference from a declared amount, no duplicate, known and recent
 * rates, no future month, no income without a track. The others are left, each with its reason.
 */
export async function checkStatements(
  trx: Trx,
  caller: Caller,
  shown: readonly { id: number; version: string }[],
  nowMs = Date.now(),
): Promise<CheckedStatements> {
  const { adminId } = caller;
  if (adminId === null) throw new AppError('unauthorized');
  const versions = new Map(shown.map(({ id, version }) => [id, version]));
  const rows = await queries.lockStatements(trx, [...versions.keys()]);
  const checked: number[] = [];
  const left: CheckedStatements['left'] = [];
  for (const found of await examine(trx, rows, nowMs)) {
    const { id, fileName } = found.row;
    const isChanged = versions.get(id) !== versionOf(found.row);
    const reason = isChanged ? statementMessages.changed : alertsOf(found)[0]?.message;
    if (reason !== undefined) {
      left.push({ id, fileName, reason });
      continue;
    }
    await setChecked(trx, { ...caller, adminId }, found, null);
    checked.push(id);
  }
  return { checked, left };
}

/** @throws AppError not_found; conflict when it is not checked, or while lines of it are posted */
export async function uncheckStatement(trx: Trx, caller: Caller, id: number) {
  const row = await lock(trx, id);
  if (row.status !== 'checked') throw conflict(statementMessages.notChecked);
  if ((await queries.listImports(trx, id)).length > 0) throw conflict(statementMessages.isPosted);
  await queries.setChecked(trx, id, undefined);
  await queries.setConfirmed(trx, id, []);
  await writeAudit(trx, caller, {
    action: 'statement.uncheck',
    entityId: id,
    before: { status: 'checked', note: row.checkNote },
    after: { status: 'loaded' },
  });
  return { id, status: 'loaded' as const };
}

/**
 * Replaces the statement that this one corrects, or a former one it contains (`replaces`): the former one's postings
 * are reversed, and its income comes from this one.
 * @throws AppError not_found; conflict
 */
export async function replaceStatement(
  trx: Trx,
  caller: Caller,
  id: number,
  { isDryRun, replaces }: { isDryRun: boolean; replaces?: number | undefined },
): Promise<Consequence> {
  const named = await queries.findStatement(trx, id);
  if (!named) throw notFound();
  const formerId = replaces ?? named.replaces;
  if (formerId === null) throw conflict(statementMessages.replacesNothing);
  if (formerId !== named.replaces && !named.findings.contains?.includes(formerId))
    throw conflict(statementMessages.containsNothing);
  // Lock the lower id first, like posting a month, to avoid deadlocks.
  await queries.lockStatement(trx, Math.min(formerId, id));
  const [former, row] = [await lock(trx, formerId), await lock(trx, id)];
  if (formerId !== row.replaces && isLive(row.replacedStatus)) throw conflict(statementMessages.replacesFirst);
  if (!isLive(row.status)) throw conflict(statementMessages.notLoaded);
  if (!isLive(former.status)) throw conflict(statementMessages.replacesGone);
  const imports = await queries.listImports(trx, former.id);
  const measured = await queries.measureImports(
    trx,
    imports.map((found) => found.id),
  );
  const consequence = {
    replaced: { id: former.id, fileName: former.fileName, status: former.status },
    imports: imports.length,
    reports: measured.reports,
    amountEur: toWireNumber(measured.amount),
  };
  if (isDryRun) return consequence;
  if (formerId !== row.replaces) await queries.setReplaces(trx, id, formerId);
  for (const found of imports) await reverseImport(trx, caller, found.id);
  await queries.endStatement(trx, former.id, { status: 'replaced', adminId: caller.adminId });
  await writeAudit(trx, caller, {
    action: 'statement.replace',
    entityId: former.id,
    before: { status: former.status, fileName: former.fileName },
    after: {
      status: 'replaced',
      by: id,
      imports: consequence.imports,
      reports: consequence.reports,
      amountEur: consequence.amountEur,
    },
  });
  await enqueue(trx, 'drop_statement', { statementId: former.id });
  return { ...consequence, replaced: { ...consequence.replaced, status: 'replaced' } };
}

/**
 * Deletes a statement; a running load stops by itself.
 * @throws AppError not_found; conflict while lines of it are posted
 */
export async function deleteStatement(trx: Trx, caller: Caller, id: number) {
  const row = await lock(trx, id);
  if (row.status === 'replaced' || row.status === 'removed') throw notFound();
  if ((await queries.listImports(trx, id)).length > 0) throw conflict(statementMessages.isPosted);
  await queries.endStatement(trx, id, { status: 'removed', adminId: caller.adminId });
  await writeAudit(trx, caller, {
    action: 'statement.remove',
    entityId: id,
    before: { status: row.status, fileName: row.fileName, source: row.source, rows: row.rows },
    after: { status: 'removed' },
  });
  await enqueue(trx, 'drop_statement', { statementId: id });
  return { id, status: 'removed' as const };
}

/* Stored file */

/** @throws AppError not_found */
async function getFile(db: Db, { storage }: Deps, id: number) {
  const row = await queries.findStatement(db, id);
  if (row?.storageKey == null) throw notFound();
  const { storageKey: key } = row;
  return { row, file: { sizeBytes: row.sizeBytes, open: (range?: ByteRange) => storage.open(key, range) } };
}

const refused = (error: unknown): never => {
  throw error instanceof StatementRefusal ? conflict(error.message) : error;
};

/** @throws AppError not_found */
export async function downloadStatement(db: Db, deps: Deps, id: number): Promise<FileAnswer> {
  const { row, file } = await getFile(db, deps, id);
  return {
    content: file.open,
    sizeBytes: file.sizeBytes,
    contentType: 'application/octet-stream',
    etag: `"${row.sha256.toString('hex')}"`,
    fileName: row.fileName,
  };
}

/** The first lines of the stored file as cells. @throws AppError not_found; conflict when it has none */
export async function getHead(
  db: Db,
  deps: Deps,
  id: number,
  query: { sheet?: string | undefined; charset?: Charset | undefined },
): Promise<StatementHead> {
  const { row, file } = await getFile(db, deps, id);
  const charset = query.charset ?? row.choices.charset;
  const head = await readStatementHead(file, { sheet: query.sheet, charset }).catch(refused);
  return { ...head, preset: ownPresetId(row.preset ?? '') ?? null };
}

/** Lines of the stored file, numbered as in reports. @throws AppError not_found; conflict when it has none */
export async function getLines(db: Db, deps: Deps, id: number, query: { from: number; count: number }) {
  const { row, file } = await getFile(db, deps, id);
  const near = await queries.findLineOffset(db, id, query.from);
  return readLines(file, { ...query, charset: row.choices.charset }, near).catch(refused);
}
