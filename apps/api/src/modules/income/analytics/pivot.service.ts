import { isSpan, type PivotDimension, pivotDimensions, pivotLimits, startOfSpan } from '@regie/contract/analytics.ts';
import { type Pivot, type PivotEntry, type PivotQuery, pivotMessages } from '@regie/contract/routes/analytics.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { EngineFailure } from '#src/lib/column-engine.ts';
import type { Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, invalid } from '#src/lib/errors.ts';
import { questionSeconds } from '#src/lib/metrics.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { findDoubled } from '#src/modules/income/statements/statements.service.ts';
import { findBounds, listNames, type Named } from './analytics.queries.ts';
import { toMissingRates } from './analytics.service.ts';
import { type AnalyticsSession, localEngine } from './analytics-engine.service.ts';
import * as queries from './pivot.queries.ts';
import {
  type Cut,
  cellsQuestion,
  needsOwners,
  type Ranked,
  rankQuestion,
  type Sources,
  type StatementSources,
} from './pivot.questions.ts';

const defaultMonths = 12;
/** About a million sums of a cell, month, kind and currency, which PostgreSQL adds up in seconds. */
const maxCellBytes = 64 * 1024 * 1024;
const noNumbers = { rows: [], columns: [], cells: [], rowTotals: [], columnTotals: [], total: 0, missingRates: [] };

/**
 * Income by one or two dimensions (product §22.16): the engine adds up the lines, PostgreSQL turns the sums into euros.
 * @param left aborted when nobody waits for the answer
 * @throws AppError validation_failed when it takes too long or too much memory
 */
export async function getPivot(
  db: Trx,
  deps: Pick<Deps, 'db' | 'lines' | 'analytics'>,
  query: PivotQuery,
  left: AbortSignal,
  limits = { ms: pivotLimits.seconds * 1000, cellBytes: maxCellBytes },
): Promise<Pivot> {
  const late = AbortSignal.timeout(limits.ms);
  const stop = questionSeconds.startTimer({ engine: deps.analytics ? 'clickhouse' : 'duckdb' });
  let outcome = 'failed';
  try {
    const answer = await ask(db, deps, query, { signal: AbortSignal.any([left, late]), cellBytes: limits.cellBytes });
    outcome = 'answered';
    return answer;
  } catch (error) {
    if (left.aborted) {
      outcome = 'stopped';
      throw new AppError('unavailable');
    }
    const limit = error instanceof EngineFailure ? error.limit : undefined;
    if (late.aborted || limit === 'time') throw invalid({ global: pivotMessages.tooLong });
    if (limit === 'size') throw invalid({ global: pivotMessages.tooLarge });
    throw error;
  } finally {
    stop({ outcome });
  }
}

async function ask(
  db: Trx,
  { db: pool, lines, analytics = localEngine(lines) }: Pick<Deps, 'db' | 'lines' | 'analytics'>,
  query: PivotQuery,
  { signal, cellBytes }: { signal: AbortSignal; cellBytes: number },
): Promise<Pivot> {
  const cut = toCut(query);
  await using session = await analytics.open(signal);
  // One snapshot: a statement loaded meanwhile is in all of them or in none.
  const read = await pool
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => readSources(trx, session, query, cut));
  const filters = await nameFilters(db, cut);
  const period = {
    fromDate: read.fromDate,
    toDate: read.toDate,
    doubledEur: toWireNumber(read.doubled.amount),
    doubledStatements: read.doubled.statements,
  };
  const ranked = read.sources ? await rank(session, cut, read.sources) : [];
  if (!read.sources || ranked.length === 0) return { ...noNumbers, ...period, filters };
  const text = await session.text(cellsQuestion(cut, read.sources, ranked), cellBytes);
  const isEuros = cut.measure === 'euros';
  const [sums, unrated] = await Promise.all([
    isEuros ? queries.sumEuros(db, text, read.rates) : queries.sumCells(db, text),
    isEuros ? queries.listUnrated(db, text, read.rates) : [],
  ]);
  signal.throwIfAborted();
  return {
    ...period,
    ...(await toTable(db, cut, ranked, sums)),
    missingRates: toMissingRates(unrated),
    filters,
  };
}

const toCut = ({ rows, columns, measure, unit, ...query }: PivotQuery): Cut => ({
  rows,
  columns,
  measure,
  unit,
  filters: Object.fromEntries(pivotDimensions.flatMap((by) => (query[by] ? [[by, query[by]]] : []))),
});

/** @returns no `sources` without income in the period */
async function readSources(trx: Trx, session: AnalyticsSession, query: PivotQuery, cut: Cut) {
  const { last } = await findBounds(trx);
  const to = query.to !== undefined ? monthOfInstant(query.to) : last?.slice(0, 7);
  if (to === undefined) {
    return { fromDate: null, toDate: null, rates: [], doubled: { amount: '0', statements: [] }, sources: undefined };
  }
  const from = query.from !== undefined ? monthOfInstant(query.from) : addMonths(to, 1 - defaultMonths);
  if (to >= addMonths(from, pivotLimits.months)) throw invalid({ from: pivotMessages.tooManyMonths });
  const months = [`${from}-01`, `${to}-01`] as const;
  const incomeFiles = await queries.listIncomeFiles(trx, ...months);
  const importRates = await queries.listImportRates(trx, ...months);
  const doubled = await findDoubled(trx, { from: months[0], to: `${addMonths(to, 1)}-01` });
  // Files of a month with the same rates are one, so that there are few cells.
  const byRates = new Map<string, queries.Rate[]>();
  const files = incomeFiles
    .map(({ rates, ...file }) => {
      const key = JSON.stringify([file.month, rates]);
      const known =
        byRates.get(key) ?? rates.map((rate) => ({ ...rate, rated: String(byRates.size), month: file.month }));
      byRates.set(key, known);
      const rated = known[0]?.rated ?? '';
      return { ...file, rated, quarter: startOfSpan('quarter', file.month), year: startOfSpan('year', file.month) };
    })
    .filter((file) =>
      (['month', 'quarter', 'year', 'source'] as const).every((by) => cut.filters[by]?.includes(file[by]) ?? true),
    );
  const rates = [...[...byRates.values()].flat(), ...importRates];
  const read = { fromDate: monthToMs(from), toDate: monthToMs(to), rates, doubled };
  const items = files.length === 0 ? [] : await queries.listOwnedItems(trx, cut.filters);
  const imported = importRates.length === 0 ? '' : await queries.findImported(trx, cut, ...months);
  const statements = items?.length === 0 ? undefined : await readStatements(trx, session, cut, { files, items });
  if (!statements && imported === '') return { ...read, sources: undefined };
  const sources: Sources = {
    dialect: session,
    statements,
    imports:
      imported === ''
        ? undefined
        : await session.readText(
            {
              ...{ row_value: 'text', column_value: 'text', rated: 'text', currency: 'text' },
              ...{ number: 'decimal', rest: 'decimal' },
            },
            [imported],
          ),
    rates: session.values(
      { rated: 'text', currency: 'text', rate: 'float' },
      rates.map(({ rated, currency, rate }) => [rated, currency, rate && Number(rate)]),
    ),
  };
  return { ...read, sources };
}

type PivotFile = Omit<Awaited<ReturnType<typeof queries.listIncomeFiles>>[number], 'rates'> &
  Record<'rated' | 'quarter' | 'year', string>;

async function readStatements(
  trx: Trx,
  session: AnalyticsSession,
  cut: Cut,
  { files, items }: { files: readonly PivotFile[]; items: readonly string[] | undefined },
): Promise<StatementSources> {
  const lines = await session.readLines(files.map(({ storageKey }) => storageKey));
  return {
    lines,
    files: session.values(
      {
        ...{ file: 'text', statement_id: 'whole', source: 'text', rated: 'text' },
        ...{ month: 'text', quarter: 'text', year: 'text' },
      },
      files.map(({ statementId, source, rated, month, quarter, year }, index) => [
        lines.names[index] ?? '',
        ...[statementId, source, rated, month, quarter, year],
      ]),
    ),
    items,
    ...(needsOwners(cut) && (await readOwners(trx, session, files, items))),
  };
}

async function readOwners(
  trx: Trx,
  session: AnalyticsSession,
  files: readonly PivotFile[],
  items: readonly string[] | undefined,
): Promise<Pick<StatementSources, 'owners' | 'exceptions'>> {
  const owner = { track: 'text', release: 'text', account: 'text' } as const;
  const exceptions = await queries.findExceptions(trx, files, items);
  return {
    owners: await session.readText({ item: 'text', ...owner }, queries.readOwners(trx, items)),
    ...(exceptions !== '' && {
      exceptions: await session.readText(
        { statement_id: 'whole', month: 'date', item: 'text', kind: 'text', currency: 'text', ...owner },
        [exceptions],
      ),
    }),
  };
}

async function rank(session: AnalyticsSession, cut: Cut, sources: Sources): Promise<Ranked[]> {
  const ranked = await session.rows<Record<'is_row' | 'value' | 'place' | 'total', string>>(rankQuestion(cut, sources));
  return ranked.map(({ is_row, value, place, total }) => ({
    isRow: Number(is_row) === 1,
    value,
    place: Number(place),
    total: Number(total),
  }));
}

async function toTable(db: Trx, cut: Cut, ranked: readonly Ranked[], sums: readonly queries.Sum[]) {
  const sumByPlace = new Map(sums.map(({ row, column, sum }) => [`${row} ${column}`, toWireNumber(sum)]));
  const sumOf = (row: number | null, column: number | null) => sumByPlace.get(`${row} ${column}`);
  const [rankedRows = [], rankedColumns = []] = [true, false].map((isRow) =>
    ranked.filter((one) => one.isRow === isRow),
  );
  const rows = await toEntries(db, cut.rows, rankedRows, (place) => sumOf(place, null) ?? 0);
  const columns = cut.columns
    ? await toEntries(db, cut.columns, rankedColumns, (place) => sumOf(null, place) ?? 0)
    : [];
  return {
    rows: rows.map(({ entry }) => entry),
    columns: columns.map(({ entry }) => entry),
    cells: rows.map((row) => columns.map((column) => sumOf(row.place, column.place) ?? null)),
    rowTotals: rows.map(({ place }) => sumOf(place, null) ?? 0),
    columnTotals: columns.map(({ place }) => sumOf(null, place) ?? 0),
    total: sumOf(null, null) ?? 0,
  };
}

/** In the order of the table, with the place of their sums; place 0 has the others. */
async function toEntries(
  db: Trx,
  by: PivotDimension,
  ranked: readonly Ranked[],
  totalOf: (place: number) => number,
): Promise<{ place: number; entry: PivotEntry }[]> {
  const values = ranked.map(({ value }) => value);
  const names = await findNames(db, by, values);
  const entries = ranked
    .map(({ value, place }) => ({ place, entry: { ...(names.get(value) ?? toNamed(value)), others: null } }))
    .sort((one, other) =>
      isSpan(by)
        ? one.entry.value.localeCompare(other.entry.value)
        : totalOf(other.place) - totalOf(one.place) || one.place - other.place,
    );
  const others = (ranked[0]?.total ?? 0) - ranked.length;
  return others > 0 ? [...entries, { place: 0, entry: { ...toNamed(''), others } }] : entries;
}

const noRecord = { artists: '', isrc: null, libraryId: null, userId: null };
const toNamed = (value: string): Named => ({ value, name: value, ...noRecord });

async function findNames(db: Trx, by: PivotDimension, values: readonly string[]): Promise<Map<string, Named>> {
  if (by !== 'track' && by !== 'release' && by !== 'account') return new Map();
  const ids = values.filter((value) => /^[1-9]\d{0,17}$/.test(value));
  return new Map((await listNames(db, by, ids)).map((named) => [named.value, named]));
}

async function nameFilters(db: Trx, { filters }: Cut): Promise<Pivot['filters']> {
  const named = pivotDimensions.map(async (by) => {
    const values = filters[by] ?? [];
    const names = await findNames(db, by, values);
    return values.map((value) => ({ by, ...(names.get(value) ?? toNamed(value)) }));
  });
  return (await Promise.all(named)).flat();
}
