import { readFileSync } from 'node:fs';
import type { StatementPreset } from '@regie/contract/statements.ts';
import { expect, it } from 'vitest';
import { hasSharedData, sharedData } from '#test/shared-data.ts';
import { readStatement, totalsOf, workbookOf } from '#test/statement-files.ts';
import { preset } from './presets/preset.ts';

const header = ['Titre', 'ISRC', 'Mois', 'Type', 'Net EUR'];
const rows = [
  ['Un', 'FRABC2400001', '2024-01', 'Vente', '1.50'],
  ['', '', '2024-01', '', '1.50'],
  ['Deux', 'FRABC2400002', '2024-01', 'Retenue à la source', '9'],
  ['Trois', 'FRABC2400003', '2024-01', 'Vente', '0.00'],
  ['Quatre', 'FRABC2400004', '2024-02', 'Vente', '2'],
];
const file = [header, ...rows].map((cells) => cells.join(';')).join('\n');

const withRules = (skip: StatementPreset['skip'], given: Partial<StatementPreset> = {}) => ({
  key: 'custom:1',
  preset: preset({
    source: 'Radio',
    name: 'Radio, mensuel',
    columns: { title: ['Titre'], isrc: ['ISRC'], month: ['Mois'], amount: ['Net EUR'] },
    signature: ['Type'],
    currency: 'EUR',
    monthForms: ['YYYY-MM'],
    skip,
    ...given,
  }),
});
const reason = 'Écartée par une règle';

it.each<[string, StatementPreset['skip'][number], number, string]>([
  ['whose cell is empty', { column: 'Titre', when: 'empty', words: [], reason }, 1, '12.5'],
  ['whose cell is zero', { column: 'Net EUR', when: 'zero', words: [], reason }, 1, '14'],
  ['whose cell contains a text', { column: 'Type', when: 'contains', words: ['RETENUE A'], reason }, 1, '5'],
  ['whose cell is a word', { column: 'Type', words: ['vente'], reason }, 3, '10.5'],
])('a rule leaves out the rows %s', async (_, rule, left, total) => {
  const read = await readStatement(file, {}, [withRules([rule])]);
  expect(totalsOf(read.lines)).toEqual({ EUR: total });
  expect(Object.fromEntries(read.totals.skipped)).toEqual({ [reason]: left });
  expect(read.totals.rows).toBe(rows.length);
});

it.each(['0', '0,00', '-0.000', '0 €', 'USD 0.00', '(0.00)', '0E-10', '.0'])('«%s» is zero', async (zero) => {
  const text = [header, ['Un', 'FRABC2400001', '2024-01', 'Vente', '1'], ['Deux', 'X', '2024-01', zero, '2']];
  const rule = { column: 'Type', when: 'zero' as const, words: [], reason };
  const read = await readStatement(text.map((cells) => cells.join(';')).join('\n'), {}, [withRules([rule])]);
  expect(totalsOf(read.lines)).toEqual({ EUR: '1' });
});

it.each(['', ' ', '10', '0.01', 'N/A', '-'])('«%s» is not zero', async (other) => {
  const text = [header, ['Deux', 'X', '2024-01', other, '2']].map((cells) => cells.join(';')).join('\n');
  const rule = { column: 'Type', when: 'zero' as const, words: [], reason };
  expect(totalsOf((await readStatement(text, {}, [withRules([rule])])).lines)).toEqual({ EUR: '2' });
});

it('a row that a rule leaves out may contain invalid values', async () => {
  const rule = { column: 'Titre', when: 'empty' as const, words: [], reason };
  const sheet = workbookOf([
    header,
    ['Un', 'FRABC2400001', '2024-01', 'Vente', { n: '1.5' }],
    ['', '', 'au total', '', { f: 'SUM(E2:E2)', n: '1.5' }],
  ]);
  expect(totalsOf((await readStatement(sheet, {}, [withRules([rule])])).lines)).toEqual({ EUR: '1.5' });
});

it('a shorter row does not reuse cells of the row before it', async () => {
  const rule = { column: 'Colonne 3', words: ['S'], reason };
  const own = withRules([rule], {
    width: 3,
    columns: { isrc: ['Colonne 1'], amount: ['Colonne 2'] },
    signature: [],
  });
  const text = 'FRABC2400001,1,\nFRABC2400002,2,S\nFRABC2400003,3\n';
  const reading = readStatement(text, { chosen: 'custom:1', month: '2024-01-01' }, [own]);
  await expect(reading).rejects.toMatchObject({ line: 3 });
});

const joining = (join: StatementPreset['join'], monthForms: StatementPreset['monthForms']) =>
  withRules([], {
    columns: { title: ['Titre'], month: ['Année'], amount: ['Net EUR'] },
    join,
    signature: [],
    monthForms,
  });
const joined = (period: string) => `Titre;Remix;Année;Trimestre;Net EUR\nUn;Club;${period};1.5\nUn;;${period};2\n`;

it.each<[string, StatementPreset['monthForms'], string]>([
  ['2024;1', ['YYYYQ'], '2024-01-01'],
  ['2024;3', ['YYYYQ'], '2024-07-01'],
  ['2024;Q2', ['YYYY-Qn'], '2024-04-01'],
  ['2024;3', ['YYYY-MM'], '2024-03-01'],
  ['2024;12', ['YYYY-MM'], '2024-12-01'],
  ['2024;mars', ['YYYY-MM'], 'refused'],
])('the period «%s» in two columns is read', async (period, monthForms, month) => {
  const known = joining({ month: 'Trimestre', title: 'Remix' }, monthForms);
  const read = readStatement(joined(period), {}, [known]);
  if (month === 'refused') {
    await expect(read).rejects.toMatchObject({ line: 2, message: expect.stringContaining('«\u00a02024 mars\u00a0»') });
    return;
  }
  expect((await read).lines).toMatchObject([{ month }, { month }]);
});

it('a title in two columns distinguishes versions', async () => {
  const { items } = await readStatement(joined('2024;1'), {}, [
    joining({ month: 'Trimestre', title: 'Remix' }, ['YYYYQ']),
  ]);
  expect(items.map(({ title }) => title)).toEqual(['Un (Club)', 'Un']);
});

it('a file without the second column is not recognised', async () => {
  const known = joining({ title: 'Version' }, ['YYYY-MM']);
  await expect(readStatement(joined('2024-01;'), {}, [known])).rejects.toThrow('Version');
});

it('a file without a header is read by a date in two columns', async () => {
  const own = withRules([], {
    width: 4,
    columns: { isrc: ['Colonne 1'], month: ['Colonne 2'], amount: ['Colonne 4'] },
    join: { month: 'Colonne 3' },
    signature: [],
    monthForms: ['YYYYQ'],
  });
  const read = await readStatement('FRABC2400001,2024,2,1.5\n', { chosen: 'custom:1' }, [own]);
  expect(read.lines).toMatchObject([{ month: '2024-04-01', amount: '1.5' }]);
});

it('a formula in the second column of a date is refused', async () => {
  const sheet = workbookOf([
    ['Titre', 'Remix', 'Année', 'Trimestre', 'Net EUR'],
    ['Un', '', { n: '2024' }, { f: 'A1', n: '1' }, { n: '1.5' }],
  ]);
  await expect(readStatement(sheet, {}, [joining({ month: 'Trimestre' }, ['YYYYQ'])])).rejects.toMatchObject({
    message: expect.stringContaining('Trimestre'),
    line: 2,
  });
});

const named = { columns: { isrc: ['ISRC'], title: ['Titel'], month: ['Zeitraum'], amount: ['Betrag'] }, signature: [] };

it.each<[string, StatementPreset['monthForms'], string]>([
  ['01.10.2024-31.12.2024', ['D/M/YY'], '2024-10-01'],
  // The end tells the day from the month.
  ['01.10.2024 bis 31.12.2024', ['YYYY-MM'], '2024-10-01'],
  ['Okt - Dez 2024', ['YYYY-Qn'], '2024-10-01'],
  ['20244', ['YYYYQ'], '2024-10-01'],
])('the period «%s» in one cell is read', async (period, monthForms, month) => {
  const text = `ISRC;Titel;Zeitraum;Betrag\nFRABC2400001;Un;${period};"1,50"\n`;
  const known = withRules([], { ...named, decimalMark: ',', currency: 'EUR', monthForms });
  const read = await readStatement(text, {}, [known]);
  expect(read.lines).toMatchObject([{ month, amount: '1.5' }]);
});

it.skipIf(!hasSharedData('minimal'))('the file of a society with its period in one cell', async () => {
  const known = withRules([], { ...named, signature: ['Abrechnungsjahr'], decimalMark: ',', monthForms: ['D/M/YY'] });
  const read = await readStatement(readFileSync(sharedData('minimal/7-period-range-in-one-cell.csv')), {}, [known]);
  expect(totalsOf(read.lines)).toEqual({ EUR: '1234.5' });
  expect(new Set(read.lines.map(({ month }) => month))).toEqual(new Set(['2024-01-01']));
});
