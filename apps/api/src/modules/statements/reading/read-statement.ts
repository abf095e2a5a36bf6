import type { Readable } from 'node:stream';
import type { StoredFile } from './archives.ts';
import { decodeText, guessCharset } from './decode.ts';
import { containerOf, headText, openBytes, readInnerHead } from './open-file.ts';
import { type Fit, headRows, type KnownPreset, type Miss, recognise } from './recognise.ts';
import type { Delimiter } from './records.ts';
import { StatementRefusal } from './refusal.ts';
import type { SummedLines } from './summing.ts';
import { createTableReader, type StatementReader, settleMark } from './table-reader.ts';

/** A row as the file has it, for the person who decides. */
export interface ShownRow {
  line: number;
  cells: string[];
}

/** Why a file is not read yet: staff chooses among the presets that fit, or makes a new one. Kept with the statement. */
export interface AmbiguousFindings {
  /** Whether the one preset that fits needs to be told the month of the file. */
  needsMonth: boolean;
  presets: { key: string; source: string; name: string }[];
  rows: ShownRow[];
}
export interface UnrecognisedFindings {
  /** The presets that came nearest, and what they miss. */
  tried: Miss[];
  delimiter: Delimiter;
  rows: ShownRow[];
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
  /** Bytes of the stored file, packed as it may be. */
  readonly bytesRead: number;
}

export interface ReadOptions {
  /** Key of the preset that staff chose. */
  chosen?: string | undefined;
  /** `YYYY-MM-01`, of a file that says none. */
  month?: string | undefined;
}

const headBytes = 128 * 1024;
const maxShownRows = 20;
const maxShownCells = 200;
const maxShownText = 200;

const shownRow = ({ line, cells }: ShownRow): ShownRow => ({
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

/**
 * Looks at a stored file's beginning and says how it is read: packed or not, in which characters, by which preset.
 * @throws StatementRefusal for what is no statement at all
 */
export async function openStatement(
  file: StoredFile,
  presets: readonly KnownPreset[],
  { chosen, month }: ReadOptions = {},
): Promise<
  | OpenedStatement
  | { is: 'ambiguous'; findings: AmbiguousFindings }
  | { is: 'unrecognised'; findings: UnrecognisedFindings }
> {
  const candidates = chosen === undefined ? presets : presets.filter(({ key }) => key === chosen);
  const container = containerOf(await readInnerHead(file, 'plain', 8));
  const head = await readInnerHead(file, container, headBytes);
  const charset = guessCharset(head);
  const text = await firstText(head, charset);
  if (text.trim() === '') throw new StatementRefusal('Ce fichier est vide');
  const found = recognise(text, candidates);
  if (found.is === 'unrecognised') {
    const { misses: tried, delimiter, rows } = found;
    return { is: 'unrecognised', findings: { tried, delimiter, rows: rows.map(shownRow) } };
  }
  if (found.is === 'ambiguous') return ask(found.fits, false);
  if (found.fit.columns.month === undefined && month === undefined) return ask([found.fit], true);
  return openTable(found.fit);

  function ask(fits: readonly Fit[], needsMonth: boolean): { is: 'ambiguous'; findings: AmbiguousFindings } {
    const fitting = fits.map(({ known: { key, preset } }) => ({ key, source: preset.source, name: preset.name }));
    const [first] = fits;
    const rows = first ? headRows(text, first.delimiter).slice(0, maxShownRows).map(shownRow) : [];
    return { is: 'ambiguous', findings: { presets: fitting, needsMonth, rows } };
  }

  function openTable(fit: Fit): OpenedStatement {
    const mark = settleMark(fit, text);
    let bytesRead = 0;
    let reader: StatementReader | undefined;
    return {
      is: 'recognised',
      known: fit.known,
      async *lines() {
        bytesRead = 0;
        reader = createTableReader(fit, { mark, month });
        const counted = counting(file, (bytes) => {
          bytesRead += bytes;
        });
        yield* readText(reader, decodeText(openBytes(counted, container), charset));
      },
      get totals() {
        return reader ?? nothingRead;
      },
      get bytesRead() {
        return bytesRead;
      },
    };
  }
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

async function* readText(reader: StatementReader, texts: AsyncIterable<string>): AsyncGenerator<SummedLines, void> {
  try {
    for await (const text of texts) yield* reader.push(text);
  } catch (error) {
    // Whatever is wrong with the bytes is wrong behind the last row that was read.
    if (error instanceof StatementRefusal && error.line === undefined) {
      throw new StatementRefusal(error.message, reader.line);
    }
    throw error;
  }
  yield* reader.end();
}
