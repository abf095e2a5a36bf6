import { exchangeRateMessages, maxEcbCharacters } from '@regie/contract/exchange-rates.ts';
import type { EcbRates } from '@regie/contract/routes/accounting.ts';
import type { MonthBoard } from '@regie/contract/routes/months.ts';
import { addMonths, findMonth, type Month, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { setCurrency } from '#test/lines.ts';
import { buildStatement } from '#test/statements.ts';

const app = useApp();
let staff: TestClient & { admin: TestAdmin };

beforeAll(async () => {
  staff = await app.signInWith(['manage_settings', 'read_reports', 'edit_reports']);
});
type Rate = readonly [month: string, currency: string, rate: string];
const fileOf = (rates: readonly Rate[]) =>
  [
    'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE',
    ...rates.map(([month, currency, rate]) => `EXR.M.${currency}.EUR.SP00.A,M,${currency},EUR,SP00,A,${month},${rate}`),
  ].join('\n');
const send = (text: string, options: { dryRun?: boolean; withUnused?: boolean } = {}) =>
  staff.post('/api/exchange-rates/ecb', { text, ...options });
const preview = async (text: string, withUnused = false) =>
  (await send(text, { dryRun: true, withUnused })).data as EcbRates;
const test = () => ({ owner: app.owner, ownerUrl: app.database.ownerUrl });
const setRate = (month: string, currency: string, rate: number) =>
  staff.put('/api/exchange-rates', { month: monthToMs(month), currency, rate, confirmFar: true });
const listRates = async (currency: string) =>
  (
    await sql<{ told: string }>`
      SELECT to_char(month, 'YYYY-MM') || ' ' || currency || ' ' || rate AS told FROM exchange_rates WHERE currency = ${currency} ORDER BY month`.execute(
      app.owner,
    )
  ).rows.map(({ told }) => told);

it('shows different, new and equal rates, then sets them all', async () => {
  const file = fileOf([
    ['2019-12', 'CHF', '1.1113'],
    ['2020-01', 'CHF', '1.1100000'],
    ['2025-01', 'CHF', '1.13'],
    ['2026-04', 'CHF', '1.1724681818181818'],
    ['2026-05', 'CHF', '1.16085'],
  ]);
  await setRate('2020-01', 'CHF', 1.1);
  await setRate('2025-01', 'CHF', 1.13);
  const before = await listRates('CHF');
  const expected = {
    changes: [
      { month: monthToMs('2020-01'), currency: 'CHF', rate: 1.11, former: 1.1 },
      { month: monthToMs('2026-05'), currency: 'CHF', rate: 1.16085, former: null },
      { month: monthToMs('2026-04'), currency: 'CHF', rate: 1.1724681818, former: null },
    ],
    unchanged: 1,
    unused: [],
    tooEarly: 1,
    leftOut: [],
  };
  expect(await send(file, { dryRun: true })).toMatchObject({ status: 200, message: '', data: expected });
  expect(await listRates('CHF')).toEqual(before);
  expect(await app.journal('exchange_rate.import_ecb')).toEqual([]);

  expect(await send(file)).toMatchObject({ status: 200, message: 'Les taux sont enregistrés', data: expected });
  expect(await listRates('CHF')).toEqual([
    '2020-01 CHF 1.1100000000',
    '2025-01 CHF 1.1300000000',
    '2026-04 CHF 1.1724681818',
    '2026-05 CHF 1.1608500000',
  ]);
  const entries = await app.journal('exchange_rate.import_ecb');
  expect(entries.map(({ entityId, before: was, after }) => [entityId, was, after])).toEqual([
    ['2020-01 CHF', { rate: '1.1000000000' }, { rate: '1.1100000000' }],
    ['2026-05 CHF', null, { rate: '1.1608500000' }],
    ['2026-04 CHF', null, { rate: '1.1724681818' }],
  ]);
  const { data } = await staff.get('/api/exchange-rates?limit=1');
  expect(data).toMatchObject([{ updatedBy: expect.stringContaining('Camille') }]);

  // Importing the file again changes and journals nothing.
  expect(await send(file)).toMatchObject({ status: 200, data: { changes: [], unchanged: 4 } });
  expect(await app.journal('exchange_rate.import_ecb')).toHaveLength(3);
});

it('marks future months, and rates far from the present one or the month before', async () => {
  await setRate('2024-01', 'GBP', 0.86);
  await setRate('2024-03', 'GBP', 0.85);
  const file = fileOf([
    ['2024-01', 'GBP', '8.6'],
    ['2024-02', 'GBP', '0.855'],
    ['2024-03', 'GBP', '0.854'],
    ['2024-04', 'GBP', '17.08'],
    ['2099-01', 'GBP', '17.1'],
  ]);
  const { changes } = await preview(file);
  expect(changes.map(({ month, isFuture, farFrom }) => [findMonth(month), isFuture, farFrom])).toEqual([
    ['2024-03', false, null],
    ['2024-01', false, 0.86],
    ['2099-01', true, null],
    ['2024-04', false, 0.854],
    ['2024-02', false, 8.6],
  ]);
});

it('imports currencies in use, and the others on request', { tags: ['slow'] }, async () => {
  const isrc = (await buildTrack(app.db, await buildAccount(app.db))).isrc;
  const statement = await buildStatement(test(), [{ isrc, month: '2026-05', amount: '1' }]);
  await setCurrency(app.owner, statement, 'SEK');
  const file = fileOf([
    ['2026-05', 'SEK', '10.9'],
    ['2026-05', 'JPY', '184.12'],
    ['2026-05', 'BRL', '6.31'],
  ]);
  expect(await preview(file)).toMatchObject({ changes: [{ currency: 'SEK' }], unused: ['BRL', 'JPY'] });
  expect(await preview(file, true)).toMatchObject({
    changes: [{ currency: 'BRL' }, { currency: 'JPY' }, { currency: 'SEK' }],
    unused: ['BRL', 'JPY'],
  });
  await send(file, { withUnused: true });
  expect(await preview(file)).toMatchObject({ changes: [], unchanged: 3, unused: [] });
});

it('updates unmatched totals for many months at once, but not posted income', { tags: ['slow'] }, async () => {
  const isrc = (await buildTrack(app.db, await buildAccount(app.db))).isrc;
  const months = Array.from({ length: 14 }, (_, index) => addMonths('2024-06' as Month, index));
  await setRate('2024-01', 'USD', 1.1);
  await buildStatement(
    test(),
    months.map((month, index) => ({ isrc: `FRECB26001${String(index).padStart(2, '0')}`, month, amount: '100' })),
  );
  await buildStatement(test(), [{ isrc, month: '2024-06', amount: '110' }], { isChecked: true });
  const posting = { fromDate: monthToMs('2024-06'), confirmRates: true };
  expect(await postMonthAsShown(staff, posting)).toMatchObject({ data: { grossEur: 100 } });

  const ascending = months.map((month, index): Rate => [month, 'USD', `1.${String(20 + index)}`]);
  const descending = months.map((month, index): Rate => [month, 'USD', `1.${String(60 - index)}`]).reverse();
  for (const rates of [ascending, descending]) {
    await send(fileOf(rates));
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  }
  const reply = await staff.get(`/api/reporting/months?from=${posting.fromDate}&to=${posting.fromDate}`);
  expect((reply.data as MonthBoard).cells).toMatchObject([{ postedEur: 100, unmatchedEur: 62.5 }]);
});

it.each([
  ['nothing', '', exchangeRateMessages.ecbRequired],
  ['daily rates', 'Date,USD,JPY\n2026-05-29,1.1588,184.1\n', exchangeRateMessages.ecbDaily],
  ['too much', `${fileOf([])}${'\n'.repeat(maxEcbCharacters)}`, exchangeRateMessages.ecbTooLarge],
  [
    'one rate that cannot be read among good ones',
    fileOf([
      ['2026-04', 'USD', '1.17'],
      ['2026-05', 'USD', 'un'],
    ]),
    exchangeRateMessages.ecbRate(3, 'un'),
  ],
])('refuses %s, and sets nothing', async (_name, text, message) => {
  const before = await listRates('USD');
  expect(await send(text)).toMatchObject({ status: 422, errors: { text: message } });
  expect(await listRates('USD')).toEqual(before);
});

it('needs manage_settings to import rates', async () => {
  const reader = await app.signInWith(['read_reports']);
  const text = fileOf([['2026-05', 'USD', '1.16']]);
  expect(await reader.post('/api/exchange-rates/ecb', { text, dryRun: true })).toMatchObject({ status: 403 });
});
