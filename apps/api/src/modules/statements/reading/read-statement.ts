import type { Readable } from 'node:stream';
import type { StoredFile } from './archives.ts';
import { decodeText, guessCharset, lineFeeds } from './decode.ts';
import { createDsrReader, isDsr, recogniseDsr } from './dsr-reader.ts';
import { containerOf, headText, openBytes, readHead, readInnerHead } from './open-file.ts';
import {
  cutsOf,
  type Fit,
  type HeadRow,
  headRows,
  type KnownPreset,
  type Miss,
  type Recognition,
  recognise,
} from './recognise.ts';
import type { Delimiter } from './records.ts';
import { StatementRefusal } from './refusal.ts';
import type { SummedLines } from './summing.ts';
import { createTableReader, type ReadingChoice, type StatementReader, settleMark } from './table-reader.ts';
import { isWorkbook, readWorkbook, readWorkbookHead } from './workbook-reader.ts';

/** Why a file is not read yet: staff chooses among the presets that fit, or makes a new one. Kept with the statement. */
export interface AmbiguousFindings {
  /** Whether the one preset that fits needs to be told the month of the file. */
  needsMonth: boolean;
  presets: { key: string; source: string; name: string }[];
  rows: HeadRow[];
}
export interface UnrecognisedFindings {
  /** The presets that came nearest, and what they miss. */
  tried: Miss[];
  delimiter: Delimiter;
  rows: HeadRow[];
}

export interface ReadTotals {
  rows: number;
  counted: number;
  /** Rows that are no income, by the reason. */
  skipped: ReadonlyMap<string, number>;
}

export interface OpenedStatement {
  is: 'recognised';
  known: KnownPreset;
  /** Reads the file from its beginning. @throws StatementRefusal naming the line: nothing of it counts then */
  lines: () => AsyncGenerator<SummedLines, void>;
  /** Of what was read so far. */
  readonly totals: ReadTotals;
  /** Bytes of the stored file, packed as it may be; parts of a workbook are read twice. */
  readonly bytesRead: number;
}

export interface ReadOptions {
  /** Key of the preset that staff chose. */
  chosen?: string | undefined;
  /** `YYYY-MM-01`, of a file that says none. */
  month?: string | undefined;
  /** What every line begins with: the columns before those that the file fills. */
  prefix?: string;
}

const headBytes = 128 * 1024;
const maxShownRows = 20;
const maxShownCells = 200;
const maxShownText = 200;

const shownRow = ({ line, cells }: HeadRow): HeadRow => ({
  line,
  cells: cells.slice(0, maxShownCells).map((cell) => cell.slice(0, maxShownText).replaceAll('\0', ' ')),
});
const nothingRead: ReadTotals = { rows: 0, counted: 0, skipped: new Map() };

/** The same file, telling how much of it was read. */
function counting(file: StoredFile, onBytes: (bytes: number) => void): StoredFile {
  return {
    sizeBytes: file.sizeBytes,
    open: async (range) => {
      const stream: Readable = await file.open(range);
      stream.on('data', (chunk: Buffer) => onBytes(chunk.length));
      // Listening must not begin the reading.
      return stream.pause();
    },
  };
}

/** How the rows of a recognised file are read. */
interface Way {
  found: Recognition;
  /** The first rows under a fit. */
  rows: (fit: Fit) => readonly HeadRow[];
  read: (file: StoredFile, fit: Fit, onReader: (reader: ReadTotals) => void) => AsyncGenerator<SummedLines, void>;
}

/**
 * Looks at a stored file's beginning and says how it is read: packed or not, in which characters, by which preset.
 * @throws StatementRefusal for what is no statement at all
 */
export async function openStatement(
  file: StoredFile,
  presets: readonly KnownPreset[],
  { chosen, month, prefix = '' }: ReadOptions = {},
): Promise<
  | OpenedStatement
  | { is: 'ambiguous'; findings: AmbiguousFindings }
  | { is: 'unrecognised'; findings: UnrecognisedFindings }
> {
  const candidates = chosen === undefined ? presets : presets.filter(({ key }) => key === chosen);
  const { found: looked, rows, read } = await findWay(file, candidates, { month, prefix });
  // Positions alone say little: such a preset reads a file once staff has chosen it.
  const [only, ...others] = looked.is === 'ambiguous' ? looked.fits : [];
  const found: Recognition =
    chosen !== undefined && only && others.length === 0 ? { is: 'recognised', fit: only } : looked;
  if (found.is === 'unrecognised') {
    const { misses: tried, delimiter } = found;
    return { is: 'unrecognised', findings: { tried, delimiter, rows: found.rows.map(shownRow) } };
  }
  const fits = found.is === 'ambiguous' ? found.fits : [found.fit];
  const [fit] = fits;
  const needsMonth = fits.length === 1 && fit?.columns.month === undefined && month === undefined;
  if (!fit || found.is === 'ambiguous' || needsMonth) {
    const fitting = fits.map(({ known: { key, preset } }) => ({ key, source: preset.source, name: preset.name }));
    const shown = fit ? rows(fit).slice(0, maxShownRows).map(shownRow) : [];
    return { is: 'ambiguous', findings: { presets: fitting, needsMonth, rows: shown } };
  }
  let bytesRead = 0;
  let reader = nothingRead;
  return {
    is: 'recognised',
    known: fit.known,
    async *lines() {
      bytesRead = 0;
      const counted = counting(file, (bytes) => {
        bytesRead += bytes;
      });
      yield* read(counted, fit, (begun) => {
        reader = begun;
      });
    },
    get totals() {
      const { rows: all, counted, skipped } = reader;
      return { rows: all, counted, skipped };
    },
    get bytesRead() {
      return bytesRead;
    },
  };
}

/** A PDF, a page, XML, JSON: what is text and no table. */
const otherKinds = /^\ufeff?\s*(?:%PDF|<[!?a-z]|\[?\s*\{)/i;
const oldWorkbook = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

async function findWay(
  file: StoredFile,
  presets: readonly KnownPreset[],
  options: Omit<ReadingChoice, 'mark'>,
): Promise<Way> {
  const start = await readHead(file, 8);
  if (start.subarray(0, 4).equals(oldWorkbook)) {
    throw new StatementRefusal(
      'Ce classeur est d’un ancien Excel, ou protégé par un mot de passe\u00a0: enregistrez-le en XLSX ou en CSV',
    );
  }
  const container = containerOf(start);
  if (container === 'zip' && (await isWorkbook(file))) {
    const head = await readWorkbookHead(file);
    return {
      found: recognise([{ delimiter: '\t', rows: head.rows }], presets),
      rows: () => head.rows,
      read: (stored, fit, onReader) =>
        readWorkbook(stored, fit, { mark: settleMark(fit, head.texts), ...options }, onReader),
    };
  }
  const head = await readInnerHead(file, container, headBytes);
  const charset = guessCharset(head);
  const written = await firstText(head, charset);
  if (written.trim() === '') throw new StatementRefusal('Ce fichier est vide');
  const lines = lineFeeds(written);
  const text = lines(written);
  const cuts = cutsOf(text);
  if (otherKinds.test(text) || cuts.every((cut) => cut.rows.every(({ cells }) => cells.length < 2))) {
    throw new StatementRefusal('Ce fichier n’est pas un tableau\u00a0: exportez le relevé en CSV, TSV ou XLSX');
  }
  const isFlat = isDsr(text);
  const rows = (fit: Fit) => headRows(text, fit.delimiter, Number.POSITIVE_INFINITY);
  return {
    found: isFlat ? recogniseDsr(text, presets) : recognise(cuts, presets),
    rows,
    async *read(stored, fit, onReader) {
      const choice = { mark: settleMark(fit, rows(fit)), ...options };
      const reader = isFlat ? createDsrReader(fit.known, choice) : createTableReader(fit, choice);
      onReader(reader);
      yield* readText(reader, decodeText(openBytes(stored, container), charset), lines);
    },
  };
}

/** The head's text; what no text is, is refused here already. */
async function firstText(head: Buffer, charset: ReturnType<typeof guessCharset>): Promise<string> {
  const text = headText(head, charset);
  async function* once() {
    yield Buffer.from(text.slice(0, 4000), 'utf8');
  }
  for await (const _ of decodeText(once(), 'utf-8')) break;
  return text;
}

async function* readText(
  reader: StatementReader,
  texts: AsyncIterable<string>,
  lines: (text: string) => string,
): AsyncGenerator<SummedLines, void> {
  try {
    for await (const text of texts) yield* reader.push(lines(text));
  } catch (error) {
    // Whatever is wrong with the bytes is wrong behind the last row that was read.
    if (error instanceof StatementRefusal && error.line === undefined) {
      throw new StatementRefusal(error.message, reader.line);
    }
    throw error;
  }
  yield* reader.end();
}
