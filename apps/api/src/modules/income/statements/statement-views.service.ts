import type { Difference, Differences, Statement, StatementDetail } from '@regie/contract/routes/statements.ts';
import type { StatementPreset, StatementStatus } from '@regie/contract/statements.ts';
import { addMonths, findMonth, monthToMs } from '@regie/values/month.ts';
import { notFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import { mapPresets } from '#src/modules/income/presets/presets.service.ts';
import {
  isConfirmedRate,
  isFutureMonth,
  isStaleRate,
} from '#src/modules/money/exchange-rates/exchange-rates.service.ts';
import * as differences from './differences.queries.ts';
import { usedRates } from './statement-checks.service.ts';
import * as queries from './statements.queries.ts';
import { earliest, exact, monthBefore } from './statements.rules.ts';
import { type Db, versionOf } from './statements.service.ts';

const toMs = (day: string) => monthToMs(day.slice(0, 7));

const monthMs = (day: string | null) => (day === null ? null : toMs(day));

const eur = (amount: string | null) => (amount === null ? null : toWireNumber(amount));

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
