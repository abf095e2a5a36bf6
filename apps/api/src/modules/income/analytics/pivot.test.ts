import { rename } from 'node:fs/promises';
import { type PivotDimension, pivotDimensions, startOfSpan, writeValues } from '@regie/contract/analytics.ts';
import { messages } from '@regie/contract/messages.ts';
import { type Pivot, pivotMessages } from '@regie/contract/routes/analytics.ts';
import { addMonths, monthToMs } from '@regie/values/month.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { literal } from '#src/lib/column-engine.ts';
import { questionSeconds } from '#src/lib/metrics.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { deepCount } from '#test/deep.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { setCurrency, testLines } from '#test/lines.ts';
import { toText } from '#test/model.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';
import { getPivot } from './pivot.service.ts';
import { refreshAnalytics } from './refresh.service.ts';

const app = useApp();
let staff: TestClient;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports']);
  // Euros of the tests divide without a rest; Canadian dollars have no rate.
  await sql`INSERT INTO exchange_rates (month, currency, rate)
    VALUES ('2030-12-01', 'USD', 1.25), ('2030-12-01', 'GBP', 0.5)`.execute(app.owner);
  await sql`DELETE FROM exchange_rates WHERE currency = 'CAD'`.execute(app.owner);
});

type Asked = Partial<Record<'from' | 'to' | 'rows' | 'columns' | 'measure' | 'unit' | PivotDimension, string | number>>;
const ask = (query: Asked) =>
  staff.get(`/api/reporting/analytics/pivot?${new URLSearchParams(query as Record<string, string>)}`);
const pivot = async (query: Asked) => {
  const { status, data, message } = await ask(query);
  if (status !== 200) throw new Error(message);
  return data as Pivot;
};
const build = (rows: readonly StatementRow[], options?: Parameters<typeof buildStatement>[2]) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, options);

/** A table by the values of its rows and columns; `*` is a total, `+` the others. */
function toCells({ rows, columns, cells, rowTotals, columnTotals, total }: Pivot): Record<string, number> {
  const keyOf = ({ value, others }: Pivot['rows'][number]) => (others === null ? value : `+${others}`);
  const found: Record<string, number> = { '* *': total };
  rows.forEach((row, at) => {
    found[`${keyOf(row)} *`] = rowTotals[at] ?? Number.NaN;
    columns.forEach((column, across) => {
      const cell = cells[at]?.[across];
      if (cell !== null) found[`${keyOf(row)} ${keyOf(column)}`] = cell ?? Number.NaN;
    });
  });
  columns.forEach((column, across) => {
    found[`* ${keyOf(column)}`] = columnTotals[across] ?? Number.NaN;
  });
  return found;
}

const stores = { Deezer: 'stream', iTunes: 'download', 'YouTube (Ads)': 'video' } as const;
const decimals = 10;
/** A line of the model: a value in each dimension, and numbers; amounts in 10^-8 of the currency. */
type Line = Record<PivotDimension, string> & { quantity: number; units: bigint };
/** In 10^-10 of a euro. */
const eurosOf: Record<string, (units: bigint) => bigint> = {
  EUR: (units) => units * 100n,
  USD: (units) => units * 80n,
  GBP: (units) => units * 200n,
  CAD: () => 0n,
};

it('adds up random statements like a model, by any dimensions and filters, to the last decimal', {
  tags: ['slow'],
}, async () => {
  const accounts = [await buildAccount(app.db), await buildAccount(app.db)];
  const owned = await Promise.all(
    [0, 0, 1].map(async (at) => {
      const account = accounts[at] ?? 0;
      const releaseId = await buildRelease(app.db, account);
      return { ...(await buildTrack(app.db, account, { releaseId })), release: releaseId, account };
    }),
  );
  const isrcs = [...owned.map(({ isrc }) => isrc), 'FRPIV3100001'];
  const row = fc.record({
    isrc: fc.constantFrom(...isrcs),
    month: fc.constantFrom('2031-01', '2031-02', '2031-05', '2032-01'),
    store: fc.constantFrom(...(Object.keys(stores) as (keyof typeof stores)[])),
    country: fc.constantFrom('FR', 'BE', 'CH', ''),
    quantity: fc.integer({ min: -5, max: 1000 }),
    units: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 13n }),
  });
  const statement = fc.record({
    rows: fc.array(row, { minLength: 1, maxLength: 12 }),
    currency: fc.constantFrom('USD', 'EUR', 'GBP', 'CAD'),
    source: fc.constantFrom('DistroKid', 'Une, deux \\ et ~'),
    accountingMonth: fc.option(fc.constantFrom('2031-03', '2032-02'), { nil: undefined }),
    isLive: fc.boolean().map((one) => one || undefined),
  });
  const dimension = fc.constantFrom(...pivotDimensions);
  const question = fc.record({
    rows: dimension,
    columns: fc.option(dimension, { nil: undefined }),
    measure: fc.constantFrom('euros', 'quantity', 'amount'),
    unit: fc.constantFrom('USD', 'CAD'),
    filters: fc.uniqueArray(fc.tuple(dimension, fc.nat({ max: 20 }), fc.nat({ max: 20 })), {
      maxLength: 2,
      selector: ([by]) => by,
    }),
    from: fc.constantFrom('2031-01', '2031-02'),
    months: fc.constantFrom(0, 3, 13),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(statement, { minLength: 1, maxLength: 4 }),
      fc.array(question, { minLength: 6, maxLength: 6 }),
      async (statements, questions) => {
        await app.owner.updateTable('statements').set({ status: 'refused' }).where('endedAt', 'is', null).execute();
        const lines: Line[] = [];
        for (const { rows, currency, source, accountingMonth, isLive } of statements) {
          const id = await build(
            rows.map(({ units, ...given }) => ({ ...given, amount: toText(units, 8) })),
            { ...(accountingMonth && { accountingMonth: `${accountingMonth}-01` }) },
          );
          await setCurrency(app.owner, id, currency);
          await app.owner
            .updateTable('statements')
            .set({ source, ...(isLive ? {} : { status: 'refused' }) })
            .where('id', '=', id)
            .execute();
          for (const { isrc, month, store, country, quantity, units } of isLive ? rows : []) {
            const posted = accountingMonth ?? month;
            const owner = owned.find((one) => one.isrc === isrc);
            lines.push({
              month: posted,
              quarter: startOfSpan('quarter', posted),
              year: startOfSpan('year', posted),
              store,
              country,
              kind: stores[store],
              source,
              currency,
              track: String(owner?.id ?? ''),
              release: String(owner?.release ?? ''),
              account: String(owner?.account ?? ''),
              quantity,
              units,
            });
          }
        }
        for (const { rows, columns, measure, unit, filters, from, months } of questions) {
          if (rows === columns) continue;
          const to = addMonths(from, months);
          const chosen = filters.flatMap(([by, ...at]) => {
            const known = [...new Set(lines.map((line) => line[by]))].sort();
            const values = [...new Set(at.map((one) => known[one % known.length]))].filter((one) => one !== undefined);
            return values.length === 0 ? [] : [{ by, values }];
          });
          const cut = lines.filter(
            (line) =>
              line.month >= from &&
              line.month <= to &&
              (measure !== 'amount' || line.currency === unit) &&
              chosen.every(({ by, values }) => values.includes(line[by])),
          );
          const expected = new Map<string, bigint>();
          for (const line of cut) {
            const value =
              measure === 'quantity'
                ? BigInt(line.quantity) * 10n ** 10n
                : measure === 'amount'
                  ? line.units * 100n
                  : (eurosOf[line.currency]?.(line.units) ?? 0n);
            const across = columns ? [line[columns], '*'] : ['*'];
            for (const of of [line[rows], '*'])
              for (const with_ of across)
                expected.set(`${of} ${with_}`, (expected.get(`${of} ${with_}`) ?? 0n) + value);
          }
          const told = await pivot({
            from: monthToMs(from),
            to: monthToMs(to),
            rows,
            ...(columns && { columns }),
            measure,
            unit,
            ...Object.fromEntries(chosen.map(({ by, values }) => [by, writeValues(values)])),
          });
          expect(toCells(told)).toEqual({
            '* *': 0,
            ...Object.fromEntries([...expected].map(([key, value]) => [key, Number(toText(value, decimals))])),
          });
          const unrated = cut.filter(({ currency }) => measure === 'euros' && currency === 'CAD');
          const unratedMonths = [...new Set(unrated.map(({ month }) => month))].sort();
          expect(told.missingRates).toEqual(
            unratedMonths.map((month) => ({
              month: monthToMs(month),
              currency: 'CAD',
              amount: Number(
                toText(
                  unrated.filter((line) => line.month === month).reduce((sum, { units }) => sum + units, 0n),
                  8,
                ),
              ),
            })),
          );
        }
      },
    ),
    { numRuns: deepCount(200) },
  );
});

it('counts posted income for its track after the ISRC moves to another track', { tags: ['slow'] }, async () => {
  const [account, other] = [await buildAccount(app.db), await buildAccount(app.db)];
  const track = await buildTrack(app.db, account, { isrc: 'FRPIV3500001' });
  const next = await buildTrack(app.db, other);
  const at = { from: monthToMs('2035-01'), to: monthToMs('2035-02') };
  const line = { isrc: 'FRPIV3500001', amount: '12.5' };
  await build([{ ...line, month: '2035-01' }], { isChecked: true });
  expect((await postMonthAsShown(staff, { fromDate: monthToMs('2035-01'), confirmRates: true })).status).toBe(200);
  await build([{ ...line, month: '2035-02', amount: '2.5' }]);
  await sql`UPDATE income_items SET alias_track_id = ${next.id} WHERE key = 'FRPIV3500001'`.execute(app.owner);
  await sql`SELECT match_items(ARRAY['FRPIV3500001'])`.execute(app.owner);
  expect(toCells(await pivot({ ...at, rows: 'track', columns: 'month' }))).toEqual({
    [`${track.id} 2035-01`]: 10,
    [`${track.id} *`]: 10,
    [`${next.id} 2035-02`]: 2,
    [`${next.id} *`]: 2,
    '* 2035-01': 10,
    '* 2035-02': 2,
    '* *': 12,
  });
  expect(toCells(await pivot({ ...at, rows: 'store', account: String(account) }))).toMatchObject({ '* *': 10 });
  const told = await pivot({ ...at, rows: 'store', track: String(next.id) });
  expect(told).toMatchObject({ total: 2, filters: [{ by: 'track', value: String(next.id), userId: other }] });
});

it('shows the largest rows and columns, and adds up the others', { tags: ['slow'] }, async () => {
  const amounts = Array.from({ length: 230 }, (_, at) => ({ store: `Plateforme ${at}`, amount: at + 1 }));
  await build(amounts.map(({ store, amount }) => ({ store, amount: String(amount * 1.25), month: '2036-01' })));
  const sum = (from: number, to: number) => ((from + to) * (to - from + 1)) / 2;
  const at = { from: monthToMs('2036-01'), to: monthToMs('2036-01') };
  const rows = await pivot({ ...at, rows: 'store', columns: 'country' });
  expect(rows.rows).toHaveLength(201);
  expect(rows.rows[0]).toMatchObject({ value: 'Plateforme 229', others: null });
  expect(rows.rows.at(-1)).toMatchObject({ value: '', others: 30 });
  expect(rows.rowTotals.at(-1)).toBe(sum(1, 30));
  expect(rows.total).toBe(sum(1, 230));
  const columns = await pivot({ ...at, rows: 'country', columns: 'store' });
  expect(columns.columns).toHaveLength(61);
  expect(columns.columns.at(-1)).toMatchObject({ others: 170 });
  expect(columns.columnTotals.at(-1)).toBe(sum(1, 170));
  expect(columns.cells[0]?.at(-1)).toBe(sum(1, 170));
});

it('adds up decimals beyond the eighteenth', async () => {
  await build(['FR', 'FR', 'BE'].map((country) => ({ month: '2037-01', country, amount: `0.${'0'.repeat(29)}4` })));
  const month = monthToMs('2037-01');
  const told = await pivot({ from: month, to: month, rows: 'country', measure: 'amount', unit: 'USD' });
  expect(toCells(told)).toEqual({ 'FR *': 8e-30, 'BE *': 4e-30, '* *': 1.2e-29 });
});

it('shows the last twelve months with income when no period is requested', async () => {
  await build([{ month: '2050-03', amount: '1.25' }]);
  await refreshAnalytics(app.owner);
  const told = await pivot({});
  expect(told).toMatchObject({ fromDate: monthToMs('2049-04'), toDate: monthToMs('2050-03'), total: 1 });
});

it('counts its answered queries in the metrics', async () => {
  const answered = async () => {
    const { values } = await questionSeconds.get();
    return values.find(({ metricName, labels }) => metricName?.endsWith('_count') && labels.outcome === 'answered')
      ?.value;
  };
  const before = (await answered()) ?? 0;
  await pivot({});
  expect(await answered()).toBe(before + 1);
});

it('names the field at fault of an invalid query', async () => {
  const errors = async (query: Asked) => {
    const { status, errors } = await ask(query);
    return [status, errors];
  };
  expect(await errors({ rows: 'store', columns: 'store' })).toEqual([422, { columns: pivotMessages.sameAxes }]);
  expect(await errors({ measure: 'amount' })).toEqual([422, { unit: pivotMessages.currency }]);
  expect(await errors({ from: monthToMs('2031-02'), to: monthToMs('2031-01') })).toEqual([
    422,
    { to: messages.invalidPeriod },
  ]);
  expect(await errors({ from: monthToMs('2021-01'), to: monthToMs('2031-01') })).toEqual([
    422,
    { from: pivotMessages.tooManyMonths },
  ]);
  await build([{ month: '2031-01', amount: '1.25' }]);
  await refreshAnalytics(app.owner);
  expect(await errors({ from: 0 })).toEqual([422, { from: pivotMessages.tooManyMonths }]);
  const values = Array.from({ length: 51 }, (_, at) => `Plateforme ${at}`);
  expect(await errors({ store: writeValues(values) })).toEqual([422, { store: pivotMessages.tooManyValues }]);
});

it('ends a query whose caller aborts, or that takes too long or too much memory', { tags: ['slow'] }, async () => {
  const id = await build([{ month: '2051-01', amount: '1.25' }]);
  const { rows } = await sql<{ storageKey: string }>`
    SELECT f.storage_key FROM statement_line_files l JOIN files f ON f.id = l.file_id WHERE l.statement_id = ${id}`.execute(
    app.owner,
  );
  const path = await testLines.pathOf(rows[0]?.storageKey ?? '');
  // As many lines as take seconds.
  await testLines.engine.run([
    `COPY (SELECT l.* REPLACE (l.item || range AS item) FROM ${literal(path)} l, range(5_000_000))
       TO ${literal(`${path}.new`)} (FORMAT parquet)`,
  ]);
  await rename(`${path}.new`, path);
  const query = {
    from: monthToMs('2051-01'),
    to: monthToMs('2051-01'),
    rows: 'track',
    columns: 'store',
    measure: 'euros',
  } as Parameters<typeof getPivot>[2];
  const left = new AbortController();
  const ask = (signal: AbortSignal, limits?: Parameters<typeof getPivot>[4]) =>
    app.db.transaction().execute((trx) => getPivot(trx, app.deps, query, signal, limits));
  const asked = ask(left.signal);
  setTimeout(() => left.abort(), 100);
  await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
  await expect(ask(new AbortController().signal, { ms: 100, cellBytes: 1000 })).rejects.toMatchObject({
    code: 'validation_failed',
    message: pivotMessages.tooLong,
  });
  await expect(ask(new AbortController().signal, { ms: 30_000, cellBytes: 10 })).rejects.toMatchObject({
    code: 'validation_failed',
    message: pivotMessages.tooLarge,
  });
  const startedAt = performance.now();
  expect((await ask(new AbortController().signal)).total).toBe(5_000_000);
  expect(performance.now() - startedAt).toBeGreaterThan(100);
});

it('needs read_reports', async () => {
  const stranger = await app.signInWith(['read_platforms_stats']);
  expect((await stranger.get('/api/reporting/analytics/pivot')).status).toBe(403);
});
