import type { Readable } from 'node:stream';
import { type Charset, sheetStride } from '@regie/contract/statements.ts';
import { type ArchiveMember, listMembers, otherFile, requireArchive, type StoredFile } from './archives.ts';
import { cellsOf, type DecimalMark, DecimalSums, readDecimal } from './decimals.ts';
import { assertText, decodeText, detectCharset, lineFeeds } from './decode.ts';
import { createDsrReader, isDsr, recogniseDsr } from './dsr-reader.ts';
import { containerOf, headText, openBytes, readHead, readInnerHead } from './open-file.ts';
import { listPreamble } from './preamble.ts';
import {
  type HeaderCandidate,
  type HeadRow,
  headerCandidates,
  headRows,
  type KnownPreset,
  type PresetMatch,
  type PresetMismatch,
  type Recognition,
  recognise,
} from './recognise.ts';
import { type FileRow, RecordScanner } from './records.ts';
import { atLine, StatementRefusal } from './refusal.ts';
import { createSummaryReader, type DeclaredAmount } from './summary-reader.ts';
import type { SummedLines } from './summing.ts';
import {
  createTableReader,
  detectCurrency,
  detectMark,
  detectMonthForms,
  MadeRow,
  type ReadingChoice,
  type RowReader,
  type StatementReader,
} from './table-reader.ts';
import { isWorkbook, openStoredWorkbook, readSheet, readSheetHeads, readWorkbookRows } from './workbook-reader.ts';

/** A matching preset, and what staff must enter before it can read the file. */
export interface MatchingPreset {
  key: string;
  source: string;
  name: string;
  needsMonth: boolean;
  needsCurrency: boolean;
  /** The file's invalid or contradictory texts, as written. */
  unclear: PresetMatch['unclear'];
  /** The possible currencies, most likely first. */
  currencies: readonly string[];
}

/** Staff chooses among matching presets. Stored with the statement. */
type AmbiguousFindings = { presets: MatchingPreset[]; rows: HeadRow[]; charsets: CharsetSample[] };
/** A charset, and the first text whose decoding depends on it. */
export type CharsetSample = { charset: Charset; sample: string };
export type LeftOut = { name: string; reason: string; canRead: boolean };

export interface OpenedStatement {
  is: 'recognised';
  known: KnownPreset;
  /** The sheets of a workbook that are read, and those that are not. */
  sheets: readonly string[];
  leftOut: readonly LeftOut[];
  /** Reads the file from the start. @throws StatementRefusal with the line; then nothing counts */
  lines: () => AsyncGenerator<SummedLines, void>;
  readonly totals: ReturnType<typeof totalsOf>;
  /** Bytes of the stored (possibly compressed) file; parts of a workbook are read twice. */
  readonly bytesRead: number;
}

/** A store's summary by currency; not income. */
export interface OpenedSummary {
  is: 'summary';
  known: KnownPreset;
  /** Reads the whole file. @throws StatementRefusal with the line */
  amounts: () => Promise<DeclaredAmount[]>;
  /** Bank accounts named in the file, after reading. */
  readonly banks: readonly string[];
}

export interface ReadOptions {
  chosen?: string | undefined;
  /** `YYYY-MM-01`, for a file without a month. */
  month?: string | undefined;
  currency?: string | undefined;
  /** Sheets of a workbook to read; all matching ones by default. */
  sheets?: readonly string[] | undefined;
  charset?: Charset | undefined;
  decimalMark?: DecimalMark | undefined;
}

/** Large enough for the lines in which a header is searched. */
const headBytes = 512 * 1024;
const maxShownRows = 20;
const maxShownCells = 200;
const maxShownValues = 500;
const maxShownText = 200;

const shownRows = (rows: readonly HeadRow[] = []) => rows.slice(0, maxShownRows).map(shownRow);
const shownRow = ({ line, cells }: HeadRow): HeadRow => ({
  line,
  cells: cells.slice(0, maxShownCells).map((cell) => cell.slice(0, maxShownText).replaceAll('\0', ' ')),
});

function counting(file: StoredFile, onBytes: (bytes: number) => void): StoredFile {
  return {
    sizeBytes: file.sizeBytes,
    open: async (range) => {
      const stream: Readable = await file.open(range);
      stream.on('data', (chunk: Buffer) => onBytes(chunk.length));
      // A 'data' listener would start the stream.
      return stream.pause();
    },
  };
}

type Reader = Pick<RowReader, 'seen' | 'mayBeCutAt'>;

/** A sheet of a workbook, or a whole other file. */
interface Part {
  name: string | undefined;
  /** Hidden sheets are read only when staff chose them. */
  isHidden: boolean;
  cuts: HeaderCandidate[];
  /** The first rows under a match. */
  rows: (fit: PresetMatch) => readonly HeadRow[];
  /** The rows used to detect number formats. */
  texts: (fit: PresetMatch) => readonly HeadRow[];
  recognise: (presets: readonly KnownPreset[]) => Recognition;
  read: (
    file: StoredFile,
    fit: PresetMatch,
    choice: ReadingChoice,
    onReader: (reader: Reader) => void,
  ) => AsyncGenerator<SummedLines, void>;
  /** Each row is valid until the next one. */
  readRows: (file: StoredFile, fit: PresetMatch, onRow: (row: FileRow) => void) => Promise<void>;
}

type InspectedFile = { charset: Charset | undefined; charsets: CharsetSample[]; parts: Part[] };

/** The required values that neither the file nor staff has given. */
function describeMatch(fit: PresetMatch, part: Part, { month, currency }: ReadOptions): MatchingPreset {
  const { key, preset } = fit.known;
  const { columns, preamble, signCurrencies } = fit;
  const said = currency ?? preamble.currency ?? preset.currency ?? detectCurrency(fit, part.rows(fit));
  const isSaidByRows =
    columns.currency !== undefined || (preset.currencySign !== undefined && signCurrencies.length < 2);
  return {
    key,
    source: preset.source,
    name: preset.name,
    needsMonth: columns.month === undefined && preamble.month === undefined && month === undefined,
    needsCurrency: !isSaidByRows && said === undefined,
    unclear: fit.unclear,
    currencies: signCurrencies.length > 1 ? signCurrencies : preset.currencies,
  };
}

/** Decides by the start of a file how to read it: compression, charset, preset. @throws StatementRefusal */
export async function openStatement(
  file: StoredFile,
  presets: readonly KnownPreset[],
  options: ReadOptions = {},
): Promise<
  | OpenedStatement
  | OpenedSummary
  | { is: 'ambiguous'; findings: AmbiguousFindings }
  | { is: 'unrecognised'; findings: { tried: PresetMismatch[]; rows: HeadRow[] } }
> {
  const candidates = options.chosen === undefined ? presets : presets.filter(({ key }) => key === options.chosen);
  const looked = await inspectFile(file, options.charset);
  const chosenParts = looked.parts.filter(
    ({ name, isHidden }) => name === undefined || (options.sheets?.includes(name) ?? !isHidden),
  );
  const found = chosenParts.map((part) => ({ part, found: resolve(part.recognise(candidates), options) }));
  const fitting = found.flatMap(({ part, found: { fits } }) => (fits.length > 0 ? [{ part, fits }] : []));
  const [first] = fitting;
  if (!first) {
    const [widest] = found.toSorted((one, other) => other.part.cuts.length - one.part.cuts.length);
    const unread = widest?.found.unrecognised;
    return { is: 'unrecognised', findings: { tried: unread?.misses ?? [], rows: shownRows(unread?.rows) } };
  }
  // Sheets of one form are one statement; with several forms, staff chooses one, or sheets.
  const keys = new Set(fitting.flatMap(({ fits }) => fits.map((fit) => fit.known.key)));
  const readable = [...keys].map((key) =>
    fitting.flatMap(({ part, fits }) => {
      const fit = fits.find(({ known }) => known.key === key);
      return fit ? [{ part, fit, fitting: describeMatch(fit, part, options) }] : [];
    }),
  );
  const [only, ...others] = readable;
  const asks = (parts: typeof only) =>
    parts?.some(({ fitting: { needsMonth, needsCurrency } }) => needsMonth || needsCurrency);
  const isPositional = options.chosen === undefined && only?.some(({ fit }) => fit.known.preset.width !== undefined);
  if (!only?.[0] || others.length > 0 || asks(only) || isPositional || looked.charsets.length > 0) {
    const told = readable.flatMap((parts) => {
      const [one] = parts;
      if (!one) return [];
      const needs = (field: 'needsMonth' | 'needsCurrency') => parts.some((each) => each.fitting[field]);
      return [{ ...one.fitting, needsMonth: needs('needsMonth'), needsCurrency: needs('needsCurrency') }];
    });
    const rows = shownRows(first.fits[0] && first.part.rows(first.fits[0]));
    return { is: 'ambiguous', findings: { presets: told, rows, charsets: looked.charsets } };
  }
  const [start] = only;
  const { fit } = start;
  if (fit.known.preset.layout === 'summary') {
    const banks: string[] = [];
    return { is: 'summary', known: fit.known, banks, amounts: () => readSummary(file, only, options, banks) };
  }
  const unread = looked.parts.filter((part) => !only.some((read) => read.part === part));
  const reasonOf = (part: Part) => {
    if (!chosenParts.includes(part)) return part.isHidden ? leftOutReasons.hidden : leftOutReasons.notChosen;
    if (cellCount(part) === 0) return leftOutReasons.empty;
    const fits = resolve(part.recognise(presets), {}).fits.length > 0;
    return fits ? leftOutReasons.otherForm : leftOutReasons.unknown;
  };
  const leftOut = unread.map((part) => ({ name: part.name ?? '', reason: reasonOf(part), canRead: true }));
  let bytesRead = 0;
  let readers: Reader[] = [];
  return {
    is: 'recognised',
    known: fit.known,
    sheets: only.flatMap(({ part: { name } }) => (name === undefined ? [] : [name])),
    leftOut,
    async *lines() {
      bytesRead = 0;
      readers = [];
      const read: ReadSheet[] = [];
      const counted = counting(file, (bytes) => {
        bytesRead += bytes;
      });
      for (const { part, fit } of only) {
        const sums = new SheetSums();
        const lines = part.read(counted, fit, choiceOf(part, fit, options), (begun) => readers.push(begun));
        for await (const summed of inSheet(part.name, lines)) {
          if (only.length > 1) sums.add(summed);
          yield summed;
        }
        read.push({ name: part.name ?? '', sums });
      }
      // Sheets chosen by staff are not checked for repetition.
      if (options.sheets === undefined) requireDifferent(read);
    },
    get totals() {
      return totalsOf(readers);
    },
    get bytesRead() {
      return bytesRead;
    },
  };
}

const choiceOf = (part: Part, fit: PresetMatch, options: ReadOptions): ReadingChoice => ({
  mark: options.decimalMark ?? detectMark(fit, part.texts(fit)),
  isMarkChosen: options.decimalMark !== undefined,
  monthForms: detectMonthForms(fit, part.rows(fit)),
  month: options.month,
  currency: options.currency ?? detectCurrency(fit, part.rows(fit)),
});

async function readSummary(
  file: StoredFile,
  parts: readonly { part: Part; fit: PresetMatch }[],
  { month, decimalMark }: ReadOptions,
  banks: string[],
): Promise<DeclaredAmount[]> {
  const amounts: DeclaredAmount[] = [];
  for (const { part, fit } of parts) {
    const reader = createSummaryReader(fit, { mark: decimalMark ?? detectMark(fit, part.texts(fit)), month });
    await part.readRows(file, fit, reader.take);
    amounts.push(...reader.end());
    banks.push(...reader.banks);
  }
  return amounts;
}

/** Whether the file is a ZIP of files. @throws StatementRefusal for a document of another program */
export async function isArchive(file: StoredFile): Promise<boolean> {
  if (containerOf(await readHead(file, 8)) !== 'zip' || (await isWorkbook(file))) return false;
  await requireArchive(file);
  return true;
}

/** Undefined for other files than an archive with more than one text file. @throws StatementRefusal */
export async function findMembers(file: StoredFile): Promise<ArchiveMember[] | undefined> {
  return (await isArchive(file)) ? listMembers(file) : undefined;
}

/** The first lines of a file as cells, with the values above a header. @throws StatementRefusal */
export async function readStatementHead(
  file: StoredFile,
  choice: { sheet?: string | undefined; charset?: Charset | undefined },
) {
  const { charset, parts } = await inspectFile(file, choice.charset);
  // A cover sheet has fewer cells than a table.
  const [fullest] = parts.toSorted(
    (one, other) => Number(one.isHidden) - Number(other.isHidden) || cellCount(other) - cellCount(one),
  );
  const part = parts.find(({ name }) => name === choice.sheet) ?? fullest;
  const found = recognise(part?.cuts ?? [], []);
  const rows = found.is === 'unrecognised' ? found.rows.map(shownRow) : [];
  return {
    charset: charset ?? null,
    sheets: parts.flatMap(({ name }) => (name === undefined ? [] : [name])),
    hiddenSheets: parts.flatMap(({ name, isHidden }) => (isHidden && name !== undefined ? [name] : [])),
    sheet: part?.name ?? null,
    rows,
    preamble: listPreamble(rows).slice(0, maxShownValues),
  };
}

/** The cells of a line and their columns' names in the header above it; its text when it has none. @throws StatementRefusal */
export async function cellsIn(file: StoredFile, line: number, text: string, known?: KnownPreset, charset?: Charset) {
  const { parts } = await inspectFile(file, charset);
  const fits = parts.flatMap((part) => resolve(part.recognise(known ? [known] : []), { chosen: known?.key }).fits);
  const fit = fits.findLast(({ headerLine }) => headerLine <= line);
  const cells = fit ? (headRows(text, fit.delimiter, 1)[0]?.cells ?? []) : [text];
  return cells.map((value, index) => ({ name: fit?.names[index] ?? '', value }));
}

const cellCount = ({ cuts }: Part) =>
  Math.max(0, ...cuts.map(({ rows }) => rows.reduce((sum, { cells }) => sum + cells.length, 0)));

const leftOutReasons = {
  empty: 'Feuille vide',
  unknown: 'Aucun modèle ne reconnaît cette feuille',
  otherForm: 'Cette feuille a la forme d’un autre modèle que celui du relevé',
  notChosen: 'Feuille non choisie',
  hidden: 'Feuille masquée',
} as const;

/** The matches of a part. A preset by positions is a weak match, so it must be chosen by staff. */
function resolve(found: Recognition, { chosen }: ReadOptions) {
  if (found.is === 'recognised') return { fits: [found.fit] };
  if (found.is === 'ambiguous') return { fits: chosen === undefined ? found.fits : found.fits.slice(0, 1) };
  return { fits: [], unrecognised: found };
}

function totalsOf(readers: readonly Reader[]) {
  const skipped = new Map<string, number>();
  for (const reader of readers) {
    for (const [reason, rows] of reader.seen.skipped) skipped.set(reason, (skipped.get(reason) ?? 0) + rows);
  }
  const sum = (of: 'rows' | 'counted') => readers.reduce((total, reader) => total + reader.seen[of], 0);
  const mayBeCutAt = readers.find((reader) => reader.mayBeCutAt !== undefined)?.mayBeCutAt;
  const announced = readers.flatMap((reader) => reader.seen.announced);
  const totalLines = readers.flatMap((reader) => reader.seen.totalLines ?? []);
  // The total of one sheet is not that of the file.
  const equalTotals = readers.length > 1 ? [] : readers.flatMap((reader) => reader.seen.equalTotals ?? []);
  return { rows: sum('rows'), counted: sum('counted'), skipped, announced, mayBeCutAt, totalLines, equalTotals };
}

/** Positions of currency and amount in a line, from its end. */
const fromEnd = { currency: -5, amount: -3 };

/** Sums of lines by currency. */
export class SheetSums {
  readonly #slots = new Map<string, number>();
  readonly #sums = new DecimalSums(maxSheetCurrencies);
  readonly lines = new Set<string>();

  add({ copyText }: SummedLines): void {
    for (const line of String(copyText).split('\n').slice(0, -1)) {
      const cells = cellsOf(line);
      // The line without its position and number of rows.
      if (this.lines.size < maxComparedLines) this.lines.add(cells.slice(0, -2).join('\t'));
      this.#addTo(cells.at(fromEnd.currency) ?? '', cells.at(fromEnd.amount) ?? '');
    }
  }

  addSheet(other: SheetSums): void {
    for (const [currency, text] of other.texts()) this.#addTo(currency, text);
  }

  #addTo(currency: string, amount: string): void {
    const slot = this.#slots.get(currency) ?? this.#slots.size;
    this.#slots.set(currency, slot);
    readDecimal(amount, '.');
    this.#sums.add(slot);
  }

  texts(): [string, string][] {
    return [...this.#slots].map(([currency, slot]): [string, string] => [currency, this.#sums.text(slot)]).toSorted();
  }

  /** Empty sheets are always equal. */
  isSame(other: SheetSums): boolean {
    const texts = this.texts();
    return texts.some(([, sum]) => sum !== '0') && String(texts) === String(other.texts());
  }
}
const maxSheetCurrencies = 512;
/** Number of lines compared between sheets; repetition shows at the start. */
const maxComparedLines = 20_000;

type ReadSheet = { name: string; sums: SheetSums };

/** @throws StatementRefusal when a sheet repeats others, by sum or lines, and would count twice */
function requireDifferent(read: readonly ReadSheet[]): void {
  for (const [index, { name, sums }] of read.entries()) {
    const others = read.filter((_, at) => at !== index);
    const repetition = findSameSum(sums, others, index) ?? findSameLines(sums, others);
    if (repetition === undefined) continue;
    const sentence = `La feuille «\u00a0${name}\u00a0» ${repetition}\u00a0: choisissez les feuilles à lire`;
    throw new StatementRefusal(sentence, { asksSheets: true });
  }
}

const sheetNames = (sheets: readonly ReadSheet[]) =>
  `${sheets.length === 1 ? 'la feuille' : 'les feuilles'} ${sheets.map(({ name }) => `«\u00a0${name}\u00a0»`).join(', ')}`;

/** Whether adjacent other sheets add up to the same: a quarter after its months, a year after its quarters. */
function findSameSum(sums: SheetSums, others: readonly ReadSheet[], index: number): string | undefined {
  const twin = others.slice(index).find((other) => other.sums.isSame(sums));
  if (twin) return `a le même total que ${sheetNames([twin])}`;
  for (const first of others.keys()) {
    const total = new SheetSums();
    for (const [offset, other] of others.slice(first).entries()) {
      total.addSheet(other.sums);
      if (offset === 0 || !sums.isSame(total)) continue;
      const run = others.slice(first, first + offset + 1);
      return `a le même total que ${run.length === others.length ? 'toutes les autres ensemble' : `${sheetNames(run)} ensemble`}`;
    }
  }
  return undefined;
}

/** Whether at least half of its lines, and at least two, are identical in other sheets. */
function findSameLines({ lines }: SheetSums, others: readonly ReadSheet[]): string | undefined {
  const shared = others
    .map((sheet) => ({ sheet, count: [...lines].filter((line) => sheet.sums.lines.has(line)).length }))
    .filter(({ count }) => count > 0);
  const count = shared.reduce((sum, one) => sum + one.count, 0);
  if (count < 2 || count * 2 < lines.size) return undefined;
  return `a des lignes qui sont aussi dans ${sheetNames(shared.map(({ sheet }) => sheet))}`;
}

/** Adds the sheet's name to errors about a whole sheet; line numbers already identify it. */
async function* inSheet(
  name: string | undefined,
  lines: AsyncGenerator<SummedLines, void>,
): AsyncGenerator<SummedLines, void> {
  try {
    yield* lines;
  } catch (error) {
    if (name === undefined || !(error instanceof StatementRefusal) || error.line !== undefined) throw error;
    throw new StatementRefusal(`Feuille «\u00a0${name}\u00a0»\u00a0: ${error.message}`);
  }
}

/** HTML, XML, JSON: text without a table. */
const otherKinds = /^\ufeff?\s*(?:<[!?a-z]|\[?\s*\{)/i;
const otherFiles: readonly (readonly [start: RegExp, name: string])[] = [
  [
    /^(?:d0cf11e0|09(?:00|02|04|08)(?:0[4-9a-f]|10)00)/,
    'un classeur d’un ancien Excel (XLS), ou protégé par un mot de passe',
  ],
  [/^25504446/, 'un PDF'],
  [/^52617221/, 'une archive RAR'],
  [/^377abcaf/, 'une archive 7z'],
  [/^(?:425a683\d314159|fd377a58|28b52ffd)/, 'une archive compressée autrement qu’en ZIP ou GZ'],
];

/** @throws StatementRefusal when the file is not a statement */
async function inspectFile(file: StoredFile, told: Charset | undefined): Promise<InspectedFile> {
  const container = containerOf(await readHead(file, 8));
  if (container === 'zip' && (await isWorkbook(file))) return inspectWorkbook(file);
  const head = await readInnerHead(file, container, headBytes);
  const start = head.toString('hex', 0, 8);
  const [, other] = otherFiles.find(([pattern]) => pattern.test(start)) ?? [];
  if (other !== undefined) throw new StatementRefusal(otherFile(other));
  const { charset, others } = told ? { charset: told, others: [] } : detectCharset(head);
  const written = headText(head, charset);
  assertText(written);
  if (written.trim() === '') throw new StatementRefusal('Ce fichier est vide');
  const lines = lineFeeds(written);
  const text = lines(written);
  const cuts = headerCandidates(text);
  if (otherKinds.test(text) || cuts.every((cut) => cut.rows.every(({ cells }) => cells.length < 2))) {
    throw new StatementRefusal('Ce fichier n’est pas un tableau\u00a0: exportez le relevé en CSV, TSV ou XLSX');
  }
  const isFlat = isDsr(text);
  const rows = (fit: PresetMatch) => headRows(text, fit.delimiter, Number.POSITIVE_INFINITY, fit.header.length);
  const part: Part = {
    name: undefined,
    isHidden: false,
    cuts,
    rows,
    texts: rows,
    recognise: (presets) => (isFlat ? recogniseDsr(text, presets) : recognise(cuts, presets)),
    async *read(stored, fit, choice, onReader) {
      const reader = isFlat ? createDsrReader(fit.known, choice) : createTableReader(fit, choice);
      onReader(reader);
      yield* readText(reader, decodeText(openBytes(stored, container), charset), lines);
    },
    async readRows(stored, fit, onRow) {
      const scanner = new RecordScanner(fit.delimiter, onRow, { width: fit.header.length });
      try {
        for await (const piece of decodeText(openBytes(stored, container), charset)) scanner.push(lines(piece));
        scanner.end();
      } catch (error) {
        throw atLine(error, scanner.nextLine);
      }
    },
  };
  const mayBe = others.length === 0 ? [] : [charset, ...others];
  const charsets = mayBe.map((each) => ({ charset: each, sample: sampleOf(headText(head, each)) }));
  return { charset, charsets, parts: [part] };
}

async function inspectWorkbook(file: StoredFile): Promise<InspectedFile> {
  const workbook = await openStoredWorkbook(file);
  const heads = await readSheetHeads(workbook);
  const parts = heads.map(({ name, isHidden, rows, texts }, sheet): Part => {
    const cuts: HeaderCandidate[] = [{ delimiter: '\t', rows }];
    return {
      name,
      isHidden,
      cuts,
      rows: () => rows,
      texts: () => texts,
      recognise: (presets) => recognise(cuts, presets),
      async *read(stored, fit, choice, onReader) {
        yield* readSheet(await openStoredWorkbook(stored), sheet, fit, choice, onReader);
      },
      async readRows(stored, fit, onRow) {
        const made = new MadeRow();
        for await (const { line, cells } of readWorkbookRows(stored)) {
          if (Math.floor(line / sheetStride) !== sheet) continue;
          // Trailing empty cells are not stored.
          const padding = Array<string>(Math.max(0, fit.header.length - cells.length)).fill('');
          onRow(made.of(line, [...cells, ...padding]));
        }
      },
    };
  });
  return { charset: undefined, charsets: [], parts };
}

const sampleOf = (text: string) =>
  (/[^\t\n\r,;"]*[^\p{ASCII}][^\t\n\r,;"]*/u.exec(text)?.[0] ?? '').slice(0, maxShownText);

async function* readText(
  reader: StatementReader,
  texts: AsyncIterable<string>,
  lines: (text: string) => string,
): AsyncGenerator<SummedLines, void> {
  try {
    for await (const text of texts) yield* reader.push(lines(text));
  } catch (error) {
    // Errors in the bytes are of the line after the last row read.
    throw atLine(error, reader.line);
  }
  yield* reader.end();
}
