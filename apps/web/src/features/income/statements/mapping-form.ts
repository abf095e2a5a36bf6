import type { PresetForm, PresetRow, StatementHead } from '@regie/contract/routes/statements.ts';
import {
  type IncomeKind,
  type JoinField,
  joinTexts,
  maxHeaderLine,
  type PreambleField,
  positionName,
  preambleFields,
  type SkipCondition,
  type StatementField,
  skipTest,
  uniqueNames,
} from '@regie/contract/statements.ts';
import { capital } from '@regie/values/formats.ts';
import { type MonthForm, readMonth } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';
import {
  commonWidth,
  currencyBeside,
  currencyOf,
  guessHeader,
  guessMeanings,
  guessMonthForm,
  guessPreamble,
  isValue,
} from './mapping-guess.ts';
import { frStatements } from './statements.fr.ts';

export type Mark = '.' | ',' | 'either';
export type Meaning = StatementField | '';

export type SkipRule = { column: string; when: SkipCondition; words: string; reason?: string };

export interface MappingValues extends Record<string, unknown> {
  hasHeader: boolean;
  /** The header's line, from 1; undefined or NaN when not set. */
  headerLine: number | undefined;
  meanings: Meaning[];
  preamble: Partial<Record<PreambleField, string>>;
  source: string;
  name: string;
  currency: string;
  store: string;
  monthForm: MonthForm | '';
  decimalMark: Mark;
  kind: IncomeKind | '';
  emptyAmount: 'refuse' | 'leaveOut' | 'sum';
  sum: { column: string; sign: 1 | -1; mayBeEmpty: boolean }[];
  skips: SkipRule[];
  joins: { field: JoinField; column: string }[];
  /** In percent, as typed. */
  deduction: string;
  /** For a file without a currency: saved with this file, not in the preset. */
  month: number | undefined;
}

const maxSignature = 100;

const indexOfHeader = (head: StatementHead, { hasHeader, headerLine }: MappingValues) =>
  hasHeader ? head.rows.findIndex(({ line }) => line === headerLine && line <= maxHeaderLine) : -1;

export const isHeaderMissing = (head: StatementHead, values: MappingValues) =>
  values.hasHeader && indexOfHeader(head, values) < 0;

export const columnNames = (head: StatementHead, values: MappingValues): string[] =>
  values.hasHeader
    ? uniqueNames(head.rows[indexOfHeader(head, values)]?.cells ?? [])
    : Array.from({ length: commonWidth(head.rows) }, (_, column) => positionName(column + 1));

export const hasWords = ({ when }: Pick<SkipRule, 'when'>) => when === 'is' || when === 'contains';

const skipsOf = ({ skips }: MappingValues) =>
  skips
    .map(({ words, ...rule }) => ({
      ...rule,
      words: words
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '' && hasWords(rule)),
    }))
    .filter(({ column, words, ...rule }) => column !== '' && (words.length > 0 || !hasWords(rule)));

export function dataRows(head: StatementHead, values: MappingValues) {
  const index = indexOfHeader(head, values);
  if (values.hasHeader && index < 0) return [];
  const width = commonWidth(head.rows);
  const names = columnNames(head, values).map(foldName);
  const skips = skipsOf(values)
    .map((rule) => ({ at: names.indexOf(foldName(rule.column)), leavesOut: skipTest(rule) }))
    .filter(({ at }) => at >= 0);
  return head.rows
    .slice(index + 1)
    .filter(
      ({ cells }) =>
        (values.hasHeader || cells.length === width) && !skips.some(({ at, leavesOut }) => leavesOut(cells[at] ?? '')),
    );
}

export function fieldText(head: StatementHead, values: MappingValues, field: StatementField, cells: readonly string[]) {
  const text = cells[columnOf(values, field)] ?? '';
  const join = values.joins.find((one) => one.field === field && one.column !== '');
  if (!join) return text;
  const names = columnNames(head, values).map(foldName);
  return joinTexts(join.field, text, cells[names.indexOf(foldName(join.column))] ?? '');
}

const samplesOf = (head: StatementHead, values: MappingValues, column: number) =>
  dataRows(head, values).flatMap((row) => row.cells[column] ?? []);
export const columnOf = (values: MappingValues, field: StatementField) => values.meanings.indexOf(field);
export const hasColumn = (values: MappingValues, field: StatementField) => columnOf(values, field) >= 0;
const isPreambleField = (field: StatementField): field is PreambleField =>
  (preambleFields as readonly string[]).includes(field);
export const isMapped = (values: MappingValues, field: StatementField) =>
  hasColumn(values, field) || (isPreambleField(field) && values.preamble[field] !== undefined);

export function preambleOf(head: StatementHead, values: MappingValues): { name: string; values: string[] }[] {
  if (!values.hasHeader || isHeaderMissing(head, values)) return [];
  const above = head.preamble.filter(({ line }) => line < (values.headerLine ?? 0));
  return [...Map.groupBy(above, ({ name }) => foldName(name)).values()].map((pairs) => ({
    name: pairs[0]?.name ?? '',
    values: pairs.map(({ value }) => value),
  }));
}

export function preambleValue(head: StatementHead, values: MappingValues, field: PreambleField): string | undefined {
  const chosen = values.preamble[field];
  if (chosen === undefined) return undefined;
  return preambleOf(head, values).find(({ name }) => foldName(name) === foldName(chosen))?.values[0];
}

/** Without the footers, which have few cells. */
const wholeRows = (head: StatementHead, values: MappingValues) =>
  dataRows(head, values).filter(({ cells }) => 2 * cells.length > columnNames(head, values).length);

export function guessForm(head: StatementHead, values: MappingValues): MonthForm | '' {
  const column = columnOf(values, 'month');
  const preamble = (['month', 'periodEnd'] as const).flatMap((field) => preambleValue(head, values, field) ?? []);
  const rows = wholeRows(head, values);
  const dates = rows.map(({ cells }) => fieldText(head, values, 'month', cells)).filter(isValue);
  const others = rows.flatMap(({ cells }) => cells);
  return guessMonthForm(column >= 0 ? dates : preamble, others) ?? '';
}

export function withHeader(
  head: StatementHead,
  values: MappingValues,
  header: Pick<MappingValues, 'hasHeader' | 'headerLine'>,
): MappingValues {
  const moved = { ...values, ...header };
  const meanings = guessMeanings(
    columnNames(head, moved),
    wholeRows(head, moved).map(({ cells }) => cells),
  );
  const next = { ...moved, meanings, preamble: guessPreamble(preambleOf(head, moved), meanings) };
  return { ...next, currency: guessCurrency(head, next), monthForm: guessForm(head, next) };
}

/** As the name of the amount's column or its cells give it. */
export function guessCurrency(head: StatementHead, values: MappingValues): string {
  const column = columnOf(values, 'amount');
  const name = columnNames(head, values)[column] ?? '';
  return currencyOf(name) ?? currencyBeside(samplesOf(head, values, column)) ?? values.currency;
}

const kinds = /\d|^(?:exports?|releves?|rapports?|reports?|statements?|royalt(?:y|ies)|sales)$/;
const isKind = (word: string) => kinds.test(foldName(word)) || readMonth(`${word} 2000`, ['MMMM YYYY']) !== undefined;

/** A source's name from that of its file, without dates, numbers and kinds: `radio-nova_2026-10.csv` is `Radio nova`. */
export const sourceOf = (fileName: string): string =>
  capital(
    fileName
      .replace(/\.[a-z]{2,4}(?:\.gz)?$/i, '')
      .split(/[\s_.-]+/)
      .filter((word) => !isKind(word))
      .join(' '),
  );

const emptyValues: MappingValues = {
  hasHeader: true,
  headerLine: undefined,
  meanings: [],
  preamble: {},
  source: '',
  name: '',
  currency: '',
  store: '',
  monthForm: '',
  decimalMark: 'either',
  kind: '',
  emptyAmount: 'refuse',
  sum: [{ column: '', sign: 1, mayBeEmpty: false }],
  skips: [],
  joins: [],
  deduction: '',
  month: undefined,
};

export type FileValues = Pick<MappingValues, 'currency' | 'month'> & Partial<Pick<MappingValues, 'source'>>;

export function startMapping(head: StatementHead, fileValues: FileValues): MappingValues {
  const rows = head.rows.filter(({ line }) => line <= maxHeaderLine);
  const header = guessHeader(rows);
  return withHeader(
    head,
    { ...emptyValues, ...fileValues, name: fileValues.source ?? '' },
    { hasHeader: header !== undefined, headerLine: rows[header ?? 0]?.line },
  );
}

function findHeader(head: StatementHead, names: ReadonlySet<string>): number | undefined {
  const ranked = head.rows
    .filter(({ line }) => line <= maxHeaderLine)
    .map(({ line, cells }) => ({ line, matches: cells.filter((cell) => names.has(foldName(cell))).length }))
    .toSorted((a, b) => b.matches - a.matches || a.line - b.line);
  return ranked[0] && ranked[0].matches > 0 ? ranked[0].line : undefined;
}

export function startPresetEdit(head: StatementHead, preset: PresetRow, fileValues: FileValues): MappingValues {
  const entries = Object.entries(preset.columns) as [StatementField, string[]][];
  const names = new Set([...entries.flatMap(([, columns]) => columns), ...preset.signature].map(foldName));
  const rows = head.rows.filter(({ line }) => line <= maxHeaderLine);
  const hasHeader = preset.width === undefined;
  const headerLine = hasHeader ? (findHeader(head, names) ?? rows[guessHeader(rows) ?? 0]?.line) : undefined;
  const columns = columnNames(head, { ...emptyValues, hasHeader, headerLine });
  const [monthForm = ''] = preset.monthForms;
  const sum = typeof preset.emptyAmount === 'object' ? preset.emptyAmount.sum : undefined;
  const meanings = columns.map(
    (column): Meaning =>
      entries.find(([, called]) => called.some((name) => foldName(name) === foldName(column)))?.[0] ?? '',
  );
  return {
    ...emptyValues,
    ...fileValues,
    hasHeader,
    headerLine,
    meanings: meanings.map((meaning, index) => (meanings.indexOf(meaning) === index ? meaning : '')),
    preamble: Object.fromEntries(Object.entries(preset.preamble).map(([field, [name]]) => [field, name])),
    source: preset.source,
    name: preset.name,
    currency: preset.currency ?? fileValues.currency,
    store: preset.store ?? '',
    monthForm,
    decimalMark: preset.decimalMark,
    kind: preset.kind ?? '',
    emptyAmount: sum ? 'sum' : (preset.emptyAmount as 'refuse' | 'leaveOut'),
    ...(sum ? { sum } : {}),
    skips: preset.skip.map(({ when = 'is', words, ...rule }) => ({ ...rule, when, words: words.join(', ') })),
    joins: (Object.entries(preset.join ?? {}) as [JoinField, string][]).map(([field, column]) => ({ field, column })),
    deduction: (preset.deduction ?? '').replace('.', ','),
  };
}

const kindWords = {
  stream: ['stream', 'subscription', 'abonnement', 'ad supported', 'play', 'écoute'],
  download: ['download', 'téléchargement', 'album', 'single', 'track', 'purchase', 'sale', 'vente'],
  video: ['video', 'vidéo', 'clip'],
};

/** The chosen currency when the name of the amount's column gives it for all files of the preset. */
export function currencyInName(head: StatementHead, values: MappingValues): string | undefined {
  const name = columnNames(head, values)[columnOf(values, 'amount')] ?? '';
  const { currency } = values;
  const isNamed = /^[A-Z]{3}$/.test(currency) && new RegExp(`\\b${currency}\\b`, 'i').test(name);
  return isNamed || currencyOf(name) === currency ? currency : undefined;
}

export const needsCurrency = (head: StatementHead, values: MappingValues) =>
  !isMapped(values, 'currency') && currencyInName(head, values) === undefined;

/** The aliases of an edited preset are kept when one of them is chosen. */
const namesOf = (name: string, aliases: readonly string[] | undefined) =>
  aliases?.some((one) => foldName(one) === foldName(name)) ? [...aliases] : [name];

export function toPreset(head: StatementHead, values: MappingValues, editedPreset?: PresetRow): PresetForm {
  const names = columnNames(head, values);
  const folded = names.map(foldName);
  const isUsable = (index: number) =>
    folded[index] !== '' && folded.indexOf(folded[index] ?? '') === folded.lastIndexOf(folded[index] ?? '');
  const columns = Object.fromEntries(
    values.meanings.flatMap((field, index) =>
      field === '' ? [] : [[field, namesOf(names[index] ?? '', editedPreset?.columns[field])] as const],
    ),
  );
  const preamble = values.hasHeader
    ? Object.fromEntries(
        Object.entries(values.preamble).map(([field, name]) => [
          field,
          namesOf(name, editedPreset?.preamble[field as PreambleField]),
        ]),
      )
    : {};
  const setByForm = (field: 'currency' | 'store', text: string | undefined) =>
    isMapped(values, field) || text === undefined || text.trim() === '' ? {} : { [field]: text.trim() };
  const joins = values.joins.flatMap(({ field, column }) =>
    column !== '' && hasColumn(values, field) ? [[field, column] as const] : [],
  );
  const { monthForm } = values;
  return {
    source: values.source,
    name: values.name,
    columns,
    preamble,
    optional: (editedPreset?.optional ?? []).filter((field) => columns[field] !== undefined),
    // The other columns are the signature, so that similar files are not mistaken for this format.
    ...(values.hasHeader
      ? {
          signature: names
            .filter((_, index) => values.meanings[index] === '' && isUsable(index))
            .slice(0, maxSignature),
        }
      : { width: names.length, signature: [] }),
    absent: editedPreset?.absent ?? [],
    ...setByForm('currency', currencyInName(head, values)),
    currencies: editedPreset?.currencies ?? [],
    ...(editedPreset?.currencySign ? { currencySign: editedPreset.currencySign } : {}),
    ...setByForm('store', values.store),
    ...(hasColumn(values, 'kind') || values.kind === '' ? {} : { kind: values.kind }),
    ...(editedPreset?.negative ? { negative: editedPreset.negative } : {}),
    ...(editedPreset?.incomes ? { incomes: editedPreset.incomes } : {}),
    emptyAmount: values.emptyAmount === 'sum' ? { sum: values.sum } : values.emptyAmount,
    calendar: editedPreset?.calendar ?? 'common',
    monthForms:
      monthForm === ''
        ? isMapped(values, 'month')
          ? []
          : ['YYYY-MM']
        : editedPreset?.monthForms.includes(monthForm)
          ? editedPreset.monthForms
          : [monthForm],
    decimalMark: values.decimalMark,
    kinds: hasColumn(values, 'kind') ? (editedPreset?.columns.kind ? editedPreset.kinds : kindWords) : {},
    skip: skipsOf(values).map((rule) => ({ reason: frStatements.mapping.rules.reason, ...rule })),
    ...(joins.length > 0 ? { join: Object.fromEntries(joins) } : {}),
    ...(values.deduction.trim() === '' ? {} : { deduction: values.deduction.trim().replace(',', '.') }),
    footers: editedPreset?.footers ?? [],
    ...(editedPreset?.id == null ? {} : { replaces: editedPreset.id }),
  };
}
