import type { PresetRow, StatementHead } from '@regie/contract/routes/statements.ts';
import { StatementPreset } from '@regie/contract/statements.ts';
import { describe, expect, it } from 'vitest';
import {
  currencyInName,
  dataRows,
  fieldText,
  isHeaderMissing,
  needsCurrency,
  preambleOf,
  sourceOf,
  startMapping,
  startPresetEdit,
  toPreset,
  withHeader,
} from './mapping-form.ts';

const rows = [
  ['Currency', 'AUD'],
  ['Period', '2026-03-01'],
  [''],
  ['Song code', 'Label', 'Amount'],
  ['FRZ992600001', 'Un', '1.5'],
].map((cells, index) => ({ line: index + 1, cells }));
const head: StatementHead = {
  charset: 'utf-8',
  hiddenSheets: [],
  sheets: [],
  sheet: null,
  preset: null,
  rows,
  preamble: [
    { name: 'Currency', value: 'AUD', line: 1 },
    { name: 'Period', value: '2026-03-01', line: 2 },
    { name: 'Song code', value: 'FRZ992600001', line: 5 },
  ],
};
const fileValues = { currency: '', month: undefined };

describe('the mapping form', () => {
  it.each([
    ['Ondine_octobre_2026.csv', 'Ondine'],
    ['Streamly export 2026-10.csv', 'Streamly'],
    ['relevé-royalties_radio-nova_déc.2026.csv.gz', 'Radio nova'],
    ['Marseille Sales Report.xlsx', 'Marseille'],
    ['export_2026-10.csv', ''],
  ])('names the source of %s %j', (fileName, source) => expect(sourceOf(fileName)).toBe(source));

  it('offers preamble values, and uses none unasked', () => {
    const values = startMapping(head, fileValues);
    expect(values).toMatchObject({
      headerLine: 4,
      meanings: ['isrc', '', 'amount'],
      preamble: { currency: 'Currency', month: 'Period' },
      monthForm: 'YYYY-MM-DD',
    });
    expect(preambleOf(head, values).map(({ name }) => name)).toEqual(['Currency', 'Period']);
    expect(needsCurrency(head, values)).toBe(false);
    const preset = toPreset(head, values);
    expect(preset).toMatchObject({
      columns: { isrc: ['Song code'], amount: ['Amount'] },
      preamble: { currency: ['Currency'], month: ['Period'] },
      signature: ['Label'],
      monthForms: ['YYYY-MM-DD'],
    });
    expect(preset.currency).toBeUndefined();
  });

  it('preserves the input when another header is chosen, and reports a missing header', () => {
    const values = { ...startMapping(head, fileValues), source: 'Radio', name: 'Radio, mensuel' };
    const moved = withHeader(head, values, { hasHeader: true, headerLine: 1 });
    expect(moved).toMatchObject({ source: 'Radio', meanings: ['', ''], preamble: {} });
    expect(isHeaderMissing(head, withHeader(head, values, { hasHeader: true, headerLine: 9 }))).toBe(true);
    expect(withHeader(head, values, { hasHeader: false, headerLine: 4 }).meanings).toHaveLength(2);
  });

  it('stores a currency in the preset only when the amount column’s name has it', () => {
    const named = {
      ...head,
      rows: rows.map((row) => (row.line === 4 ? { ...row, cells: ['ISRC', 'Label', 'Net EUR'] } : row)),
    };
    const values = { ...startMapping(named, fileValues), preamble: {} };
    expect(values.currency).toBe('EUR');
    expect(currencyInName(named, values)).toBe('EUR');
    expect(toPreset(named, values).currency).toBe('EUR');
    const other = { ...values, currency: 'USD' };
    expect(needsCurrency(named, other)).toBe(true);
    expect(toPreset(named, other).currency).toBeUndefined();
  });

  it('edits a preset without changing fields that the form does not show', () => {
    const preset: PresetRow = {
      ...StatementPreset.parse({
        source: 'Radio',
        name: 'Radio, mensuel',
        isVerified: true,
        layout: 'table',
        columns: { isrc: ['Code', 'Song code'], amount: ['Total'] },
        preamble: { currency: ['Currency', 'Devise'] },
        optional: [],
        signature: ['Label'],
        absent: ['Royalty type'],
        emptyAmount: { sum: [{ column: 'Amount', sign: -1, mayBeEmpty: true }] },
        monthForms: ['YYYY-MM', 'YYYYMM'],
        decimalMark: '.',
        kinds: {},
        skip: [{ column: 'Label', words: ['interne'], reason: 'Interne' }],
        footers: ['Fin'],
      }),
      key: 'custom:7',
      id: 7,
    };
    const values = startPresetEdit(head, preset, { currency: 'AUD', month: 1 });
    expect(values).toMatchObject({
      headerLine: 4,
      meanings: ['isrc', '', ''],
      emptyAmount: 'sum',
      monthForm: 'YYYY-MM',
      source: 'Radio',
    });
    expect(toPreset(head, { ...values, meanings: ['isrc', '', 'amount'] }, preset)).toMatchObject({
      replaces: 7,
      columns: { isrc: ['Code', 'Song code'], amount: ['Amount'] },
      preamble: { currency: ['Currency', 'Devise'] },
      absent: ['Royalty type'],
      emptyAmount: { sum: [{ column: 'Amount', sign: -1, mayBeEmpty: true }] },
      monthForms: ['YYYY-MM', 'YYYYMM'],
      skip: [{ column: 'Label', words: ['interne'] }],
      footers: ['Fin'],
    });
  });

  it('leaves out rows, joins columns and deducts by its rules', () => {
    const lines = [
      ['ISRC', 'Titre', 'Version', 'Année', 'Trimestre', 'Montant'],
      ['FRX122500001', 'Un', 'Live', '2025', '1', '1.50'],
      ['', '', '', '2025', '1', '1.50'],
      ['FRX122500002', 'Deux', '', '2025', '4', '0.00'],
    ];
    const file = { ...head, preamble: [], rows: lines.map((cells, index) => ({ line: index + 1, cells })) };
    const guessed = startMapping(file, fileValues);
    const values = {
      ...guessed,
      meanings: ['isrc', 'title', '', 'month', '', 'amount'] as typeof guessed.meanings,
      skips: [
        { column: 'ISRC', when: 'empty' as const, words: 'ignorés' },
        { column: 'Titre', when: 'contains' as const, words: ' total , ' },
        { column: 'Titre', when: 'is' as const, words: ' ' },
        { column: '', when: 'zero' as const, words: '' },
      ],
      joins: [
        { field: 'title' as const, column: 'Version' },
        { field: 'month' as const, column: 'Trimestre' },
        { field: 'artist' as const, column: 'Version' },
      ],
      deduction: ' 2,5 ',
    };
    const [first, second, ...others] = dataRows(file, values);
    expect(others).toEqual([]);
    expect(fieldText(file, values, 'title', first?.cells ?? [])).toBe('Un (Live)');
    expect(fieldText(file, values, 'month', second?.cells ?? [])).toBe('2025 4');
    const made = toPreset(file, { ...values, monthForm: 'YYYYQ' });
    expect(made).toMatchObject({
      skip: [
        { column: 'ISRC', when: 'empty', words: [] },
        { column: 'Titre', when: 'contains', words: ['total'] },
      ],
      join: { title: 'Version', month: 'Trimestre' },
      deduction: '2.5',
    });
    expect(made.skip).toHaveLength(2);
    const stored = {
      ...StatementPreset.parse({ ...made, source: 'Radio', name: 'Radio', isVerified: false, layout: 'table' }),
      key: 'custom:8',
      id: 8,
    };
    const again = startPresetEdit(file, stored, fileValues);
    expect(toPreset(file, again, stored)).toMatchObject({ skip: made.skip, join: made.join, deduction: '2.5' });
  });
});
