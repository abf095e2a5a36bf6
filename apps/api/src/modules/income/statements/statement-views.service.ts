import type { Difference, Differences, Statement, StatementDetail } from '@regie/contract/routes/statements.ts';
import type { StatementPreset, StatementStatus } from '@regie/contract/statements.ts';
import { addMonths, findMonth, monthToMs } from '@regie/values/month.ts';
import { orNotFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { mapPresets } from '#src/modules/income/presets/presets.service.ts';
import {
  isConfirmedRate,
  isFutureMonth,
  isStaleRate,
} from '#src/modules/money/exchange-rates/exchange-rates.service.ts';
import * as differences from './differences.queries.ts';
import { usedRates } from './statement-checks.service.ts';
import * as queries from './statements.queries.ts';
import { earliest, exact, isLive, monthBefore } from './statements.rules.ts';
import { type Db, versionOf } from './statements.service.ts';

const monthMs = (day: string | null) => (day === null ? null : monthToMs(day));

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
    ...toWireRow(row, 'amountEur', 'unmatchedEur', 'postedEur'),
    preset:
      row.preset === null
        ? null
        : { key: row.preset, name: preset?.name ?? row.preset, isVerified: preset?.isVerified ?? false },
    firstMonth: monthMs(row.firstMonth),
    lastMonth: monthMs(row.lastMonth),
    amounts: (row.amounts ?? []).map((sum) => toWireRow(sum, 'amount')),
    problem: problemOf(row),
    replaces: refOf(row.replaces, row.replacedName, row.replacedStatus),
    createdBy: row.createdByName,
  };
}

type StatementQuery = Omit<queries.StatementFilter, 'month' | 'hasEnded'> & {
  month?: number | undefined;
  ended?: 'true' | 'false' | undefined;
};

export async function listStatements(db: Db, { month, ended, ...query }: StatementQuery) {
  const filter = {
    ...query,
    month: month === undefined ? undefined : toDate(findMonth(month)),
    hasEnded: ended === 'true',
  };
  const [{ rows, meta }, presets] = await Promise.all([queries.listStatements(db, filter), mapPresets(db)]);
  return { data: rows.map((row) => toWire(row, presets)), meta };
}

export const searchStatements = async (db: Db, q: string, amount: string | null, limit: number) =>
  (await queries.searchStatements(db, q, amount, limit)).map((row) => toWire(row, new Map()));

/** Whether two of these may belong to the same bank account: one may replace the other. */
const shareBank = (summaries: queries.DeclarationRow['summaries']): boolean =>
  summaries.some(({ banks }, index) =>
    summaries
      .slice(0, index)
      .some((other) => !banks?.length || !other.banks?.length || banks.some((bank) => other.banks?.includes(bank))),
  );

/** @throws AppError not_found */
export async function getStatement(db: Db, id: number, nowMs = Date.now()): Promise<StatementDetail> {
  const row = orNotFound(await queries.findStatement(db, id));
  const fitting = row.findings.presets ?? [];
  const [presets, months, doubled, imports, correctedBy, [declared]] = await Promise.all([
    mapPresets(db),
    queries.listMonths(db, [id]),
    queries.listDuplicateStores(db, id),
    queries.listImports(db, id),
    queries.findCorrection(db, id),
    queries.listDeclared(db, [id]),
  ]);
  const [duplicates, contained, members, lastCurrencies, declarations] = await Promise.all([
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
    ...toWireRow(row),
    ...toWire(row, presets),
    sha256: row.sha256.toString('hex'),
    hasFile: row.storageKey !== null,
    skipped: Object.entries(findings.skipped ?? {}).map(([reason, rows]) => ({ reason, rows })),
    accountingMonth: monthMs(row.accountingMonth),
    declaredAmount: row.declaredAmount && exact(row.declaredAmount),
    deduction: findings.deduction ?? null,
    declaredSum: declared ? exact(declared.sum) : null,
    declaredDeduction: declared ? exact(declared.deduction) : null,
    declaredDifference: declared ? exact(declared.difference) : null,
    declarations: declarations.map((found) => ({
      ...found,
      month: monthToMs(found.month),
      isDoubled: shareBank(found.summaries),
      earned: exact(found.earned),
      owed: exact(found.owed),
      sum: exact(found.sum),
      difference: exact(found.difference),
      payments: found.payments.map((payment) => ({
        ...payment,
        rate: payment.rate && exact(payment.rate),
        proceeds: exact(payment.proceeds),
      })),
    })),
    months: months.map((month) => {
      const [used] = usedRates([month]);
      return {
        ...toWireRow(month, 'rate', 'amountEur', 'unmatchedEur', 'postedEur'),
        month: monthToMs(month.month),
        amount: exact(month.amount),
        unmatchedAmount: exact(month.unmatchedAmount),
        postedAmount: exact(month.postedAmount),
        rateMonth: monthMs(month.rateMonth),
        isStale: used !== undefined && isStaleRate(used),
        isFuture: used !== undefined && isFutureMonth(month.month, nowMs),
        isConfirmed: used !== undefined && isConfirmedRate(used, row.confirmedRates),
        isTooEarly: month.month < earliest,
      };
    }),
    doubled: doubled.map((found) => ({ ...found, month: monthToMs(found.month) })),
    duplicates: duplicates.map((found) => toWireRow(found, 'amountEur')),
    contains: contained ? toWireRow(contained, 'amountEur') : null,
    imports: imports.map((found) => ({ id: found.id, month: monthToMs(found.month) })),
    correctedBy: correctedBy ?? null,
    version: versionOf(row),
    checkedBy: row.checkedByName,
    sheets: findings.sheets ?? [],
    leftOut: findings.leftOut ?? [],
    mayBeCutAt: findings.mayBeCutAt ?? null,
    announced: findings.announced ?? [],
    equalTotals: findings.equalTotals ?? [],
    members,
    unpackedFrom: refOf(row.unpackedFrom, row.archiveName, row.archiveStatus),
    choices: { currency: null, charset: null, decimalMark: null, sheets: null, ...row.choices },
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

/** @throws AppError not_found */
export async function getDifferences(db: Db, id: number): Promise<Differences> {
  const row = orNotFound(await queries.findStatement(db, id));
  if (row.source === null || !isLive(row.status)) return null;
  const month = await queries.findMainMonth(db, id);
  if (month === undefined) return null;
  const own = { source: row.source, without: isLive(row.replacedStatus) ? (row.replaces ?? 0) : 0, month };
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
  const toDifference = (row: differences.DifferenceRow): Difference =>
    toWireRow(row, 'amountEur', 'formerEur', 'differenceEur');
  return {
    month: monthToMs(month),
    formerMonth: monthToMs(formerMonth),
    amountEur: toWireNumber(total?.amountEur ?? '0'),
    formerEur: toWireNumber(total?.formerEur ?? '0'),
    doubledEur: toWireNumber(doubled.amount),
    formerDoubledEur: toWireNumber(formerDoubled.amount),
    stores: stores.map(toDifference),
    countries: countries.map(toDifference),
    tracks: tracks.map(toDifference),
  };
}
