import type { Statement, StatementDetail, StatementUpload } from '@regie/contract/routes/statements.ts';
import { monthToMs } from '@regie/values/month.ts';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { checkAsShown } from '#test/as-shown.ts';
import { setRate } from '#test/factories.ts';
import { zipOf } from '#test/statement-files.ts';
import { appleMusicFile, appleSummaryFile } from '#test/statements.ts';

const app = useApp();
let staff: TestClient;
let names = 0;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports']);
  await app.owner.deleteFrom('exchangeRates').execute();
  for (const currency of ['USD', 'JPY', 'AUD']) await setRate(app.db, currency, '2025-01', 1.25);
});

/** Uploads files at once and reads them in one run. */
async function drop(...files: readonly (string | Buffer)[]): Promise<number[]> {
  const ids: number[] = [];
  for (const content of files) {
    const bytes = Buffer.from(content);
    const form = { fileName: `apple-${++names}.txt`, sizeBytes: bytes.length };
    const { id } = (await staff.post('/api/reporting/statements/uploads', form)).data as StatementUpload;
    const chunk = { field: 'chunk', fileName: 'chunk', bytes };
    const reply = await staff.upload(`/api/reporting/statements/uploads/${id}`, chunk, { 'x-file-start': '0' });
    expect(reply.status).toBe(200);
    ids.push((reply.data as StatementUpload).statementId ?? 0);
  }
  await app.runJobs();
  return ids;
}
const get = async (id = 0) => (await staff.get(`/api/reporting/statements/${id}`)).data as StatementDetail;
const declarationsOf = async (id = 0) => (await get(id)).declarations;
const check = (id = 0, note?: string) =>
  checkAsShown(staff, `/api/reporting/statements/${id}`, note === undefined ? {} : { note });
const remove = (id = 0) => staff.delete(`/api/reporting/statements/${id}`);

afterEach(async () => {
  const { data } = await staff.get('/api/reporting/statements');
  for (const { id } of data as Statement[]) expect((await remove(id)).status).toBe(200);
});

describe('a store summary beside the statements of its month', () => {
  const files = {
    usd: appleMusicFile({ month: '2025-02', currency: 'USD', amounts: ['70.251', '30.5'] }),
    jpy: appleMusicFile({ month: '2025-02', currency: 'JPY', amounts: ['179.4'] }),
    summary: appleSummaryFile('February, 2025', [
      ['United States (USD)', '60.75', '60.75', '0.9', '54.68', 'EUR'],
      ['Rest of World (USD)', '40.50', '30.25', '0.9', '27.23', 'EUR'],
      ['Japan (JPY)', '179', '142', '', '', ''],
      ['Sweden (SEK)', '3.10', '3.10', '0.09', '0.28', 'EUR'],
    ]),
  };

  it.each([
    ['first', ['summary', 'usd', 'jpy']],
    ['last', ['usd', 'jpy', 'summary']],
    ['in between', ['jpy', 'summary', 'usd']],
  ] as const)('is compared at any position in one upload: %s', { tags: ['slow'] }, async (_, order) => {
    const dropped = await drop(...order.map((name) => files[name]));
    const [usd = 0, jpy = 0, summary = 0] = (['usd', 'jpy', 'summary'] as const).map(
      (name) => dropped[order.indexOf(name)],
    );
    const declared = await get(summary);
    expect(declared).toMatchObject({
      status: 'summary',
      source: 'Apple',
      preset: { key: 'apple-summary' },
      rows: 4,
      countedRows: 0,
      months: [],
      amountEur: null,
      firstMonth: monthToMs('2025-02'),
    });
    expect(declared.declarations).toEqual([
      {
        month: monthToMs('2025-02'),
        currency: 'JPY',
        earned: '179',
        owed: '142',
        sum: '179.4',
        difference: '0.4',
        // The yen has no smaller unit.
        isRounding: true,
        payments: [],
        summaries: [{ id: summary, fileName: declared.fileName }],
        isDoubled: false,
        statements: [{ id: jpy, fileName: expect.any(String) }],
        statementCount: 1,
      },
      expect.objectContaining({ currency: 'SEK', sum: '0', difference: '-3.1', isRounding: false, statements: [] }),
      {
        month: monthToMs('2025-02'),
        currency: 'USD',
        earned: '101.25',
        owed: '91',
        sum: '100.751',
        difference: '-0.499',
        isRounding: false,
        payments: [{ rate: '0.9', proceeds: '81.91', currency: 'EUR' }],
        summaries: [{ id: summary, fileName: declared.fileName }],
        isDoubled: false,
        statements: [{ id: usd, fileName: expect.any(String) }],
        statementCount: 1,
      },
    ]);
    // Each statement is compared in its own currency.
    expect(await declarationsOf(jpy)).toEqual([declared.declarations[0]]);
    expect(await declarationsOf(usd)).toEqual([declared.declarations[2]]);
    expect((await check(jpy)).status).toBe(200);
  });

  it('needs a note when amounts differ; the journal records both', { tags: ['slow'] }, async () => {
    const [usd, radio] = await drop(
      files.usd,
      appleMusicFile({ month: '2025-02', currency: 'USD', amounts: ['0.499'], type: 'Apple Music Radio' }),
      files.summary,
    );
    // Both statements together equal the declared amount.
    expect(await declarationsOf(usd)).toMatchObject([{ sum: '101.25', difference: '0', statementCount: 2 }]);
    await remove(radio);
    expect(await check(usd)).toMatchObject({
      status: 422,
      errors: { note: 'Le montant déclaré diffère de la somme des lignes\u00a0: expliquez l’écart' },
    });
    expect((await check(usd, 'La radio manque')).status).toBe(200);
    expect((await app.journal('statement.check')).at(-1)?.after).toEqual({
      status: 'checked',
      declarations: ['2025-02 USD 100.751 / 101.25 (-0.499)'],
      note: 'La radio manque',
    });
  });

  it('is ignored in favour of an amount that staff entered for the currency', { tags: ['slow'] }, async () => {
    const [usd, summary] = await drop(files.usd, files.summary);
    const form = { accountingMonth: null, declaredAmount: '100,751', declaredCurrency: 'USD' };
    expect((await staff.put(`/api/reporting/statements/${usd}`, form)).status).toBe(200);
    expect(await get(usd)).toMatchObject({ declaredDifference: '0', declarations: [] });
    expect((await check(usd)).status).toBe(200);
    // The summary's own page still compares.
    expect((await declarationsOf(summary)).at(-1)).toMatchObject({ currency: 'USD', difference: '-0.499' });
  });

  it('is compared by the month of the lines, not the month they are posted to', { tags: ['slow'] }, async () => {
    const [usd] = await drop(files.usd, files.summary);
    const form = { accountingMonth: monthToMs('2025-06'), declaredAmount: null, declaredCurrency: null };
    expect((await staff.put(`/api/reporting/statements/${usd}`, form)).status).toBe(200);
    expect(await declarationsOf(usd)).toMatchObject([{ month: monthToMs('2025-02'), currency: 'USD' }]);
  });

  it('declares nothing once it is deleted, and can be uploaded again', { tags: ['slow'] }, async () => {
    const [usd, summary] = await drop(files.usd, files.summary);
    expect(await declarationsOf(usd)).toHaveLength(1);
    expect((await remove(summary)).status).toBe(200);
    expect(await declarationsOf(usd)).toEqual([]);
    expect(await app.db.selectFrom('declaredAmounts').select('currency').execute()).toEqual([]);
    expect((await check(usd)).status).toBe(200);
    const [again] = await drop(files.summary);
    expect(again).not.toBe(summary);
    expect(await declarationsOf(usd)).toHaveLength(1);
  });

  it('is never income: it cannot be checked or edited, and reading it again changes nothing', async () => {
    const [summary] = await drop(files.summary);
    expect(await check(summary)).toMatchObject({
      status: 409,
      message: 'Ce relevé n’a pas été lu, ou il a été retiré depuis',
    });
    const form = { accountingMonth: monthToMs('2025-06'), declaredAmount: null, declaredCurrency: null };
    expect(await staff.put(`/api/reporting/statements/${summary}`, form)).toMatchObject({ status: 409 });
    const before = await declarationsOf(summary);
    expect(await staff.post(`/api/reporting/statements/${summary}/preset`, { preset: null })).toMatchObject({
      status: 200,
    });
    expect(await declarationsOf(summary)).toEqual([]);
    await app.runJobs();
    expect(await get(summary)).toMatchObject({ status: 'summary', declarations: before });
    const listed = await staff.get(
      `/api/reporting/statements?status=summary&source=Apple&month=${monthToMs('2025-02')}`,
    );
    expect((listed.data as Statement[]).map(({ id }) => id)).toEqual([summary]);
  });

  it('without a month uses the month that staff chose', { tags: ['slow'] }, async () => {
    const [usd, summary] = await drop(files.usd, files.summary.replace('(February, 2025)', '(2025年2月)'));
    expect(await get(summary)).toMatchObject({
      status: 'ambiguous',
      head: { fitting: [{ key: 'apple-summary', needsMonth: true, needsCurrency: false }] },
    });
    const form = { preset: 'apple-summary', month: monthToMs('2025-02') };
    expect((await staff.post(`/api/reporting/statements/${summary}/preset`, form)).status).toBe(200);
    await app.runJobs();
    expect(await declarationsOf(usd)).toMatchObject([{ summaries: [{ id: summary }], earned: '101.25' }]);
  });

  it('adds to another summary of its month, as for two accounts', { tags: ['slow'] }, async () => {
    const other = appleSummaryFile('February, 2025', [
      ['Canada (USD)', '9.75', '9.75', '0.8', '7.80', 'EUR'],
      ['Guam (USD)', '1', '1', '0.9', '0.9', 'EUR'],
    ]);
    const paid = (text: string, bank: string) => `${text}"Paid to ${bank}"\r\n`;
    const [usd, summary, second] = await drop(
      files.usd,
      paid(files.summary, 'BANQUE ****1234'),
      paid(other, 'BANQUE ****5678'),
    );
    expect(await declarationsOf(usd)).toMatchObject([
      {
        earned: '112',
        isDoubled: false,
        payments: [
          { rate: '0.8', proceeds: '7.8' },
          { rate: '0.9', proceeds: '82.81' },
        ],
        summaries: [{ id: summary }, { id: second }],
      },
    ]);
  });

  it.each([
    ['of the same account', 'Paid to BANQUE ****1234', 'Paid to BANQUE ****1234'],
    ['of an account that one of them does not name', 'Paid to BANQUE ****1234', ''],
  ])('is marked as a newer version when another one of its month is %s', async (_, one, other) => {
    const [usd, , second] = await drop(files.usd, `${files.summary}"${one}"\r\n`, `${files.summary}\r\n"${other}"\r\n`);
    expect(await declarationsOf(usd)).toMatchObject([{ earned: '202.5', isDoubled: true }]);
    await remove(second);
    expect(await declarationsOf(usd)).toMatchObject([{ earned: '101.25', isDoubled: false }]);
  });

  it('counts a correction at once on its page, and elsewhere once it replaces the statement', {
    tags: ['slow'],
  }, async () => {
    const [usd = 0, summary] = await drop(files.usd, files.summary);
    const [corrected = 0] = await drop(
      appleMusicFile({ month: '2025-02', currency: 'USD', amounts: ['70.75', '30.5'] }),
    );
    await app.owner.updateTable('statements').set({ replaces: usd }).where('id', '=', corrected).execute();
    expect(await declarationsOf(usd)).toMatchObject([{ sum: '100.751', statements: [{ id: usd }] }]);
    expect(await declarationsOf(corrected)).toMatchObject([{ sum: '101.25', statements: [{ id: corrected }] }]);
    expect((await staff.post(`/api/reporting/statements/${corrected}/replace`, {})).status).toBe(200);
    expect((await declarationsOf(summary)).at(-1)).toMatchObject({ sum: '101.25', statements: [{ id: corrected }] });
  });

  it('in an archive is handled like the other files', { tags: ['slow'] }, async () => {
    const [archive] = await drop(
      zipOf([
        { name: 'S1_80012345_0225_US.txt', content: files.usd },
        { name: 'financial_report.csv', content: files.summary },
      ]),
    );
    const { members, leftOut, status } = await get(archive);
    expect({ leftOut, status }).toEqual({ leftOut: [], status: 'unpacked' });
    expect(members.map(({ fileName, status }) => [fileName, status])).toEqual([
      ['financial_report.csv', 'summary'],
      ['S1_80012345_0225_US.txt', 'loaded'],
    ]);
    expect(await declarationsOf(members[1]?.id)).toMatchObject([{ earned: '101.25' }]);
  });

  it('that is refused names its line and declares nothing', async () => {
    const [summary] = await drop(files.summary.replace('"60.75"', '"soixante"'));
    expect(await get(summary)).toMatchObject({
      status: 'refused',
      problem: { line: 4, message: '«\u00a0soixante\u00a0» n’est pas un montant' },
      declarations: [],
    });
  });
});
