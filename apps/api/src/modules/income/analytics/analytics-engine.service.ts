import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineFailure, literal } from '#src/lib/column-engine.ts';
import { type LineStore, readText } from '#src/modules/income/lines/lines.service.ts';

/** Adds up lines: the engine of this machine, or a ClickHouse cluster (docs/decisions/440). */
export interface AnalyticsEngine {
  /** @param signal aborts running questions */
  open(signal: AbortSignal): Promise<AnalyticsSession>;
  close(): Promise<void>;
}

export type ColumnType = 'text' | 'whole' | 'date' | 'float' | 'decimal';
export type Columns = Record<string, ColumnType>;
/** Null is a missing number; numbers may be text. */
type Cell = string | number | null;

export interface Dialect {
  /** Whether several nodes read the files. */
  isOfNodes: boolean;
  literal(text: string): string;
  /** A table of a few rows, at least one. */
  values(columns: Columns, rows: readonly (readonly Cell[])[]): string;
}

/** Questions with shared inputs, which are removed with the session. */
export interface AnalyticsSession extends Dialect, AsyncDisposable {
  /** `filename` is the column of the file's name, in the order of the keys in `names`. */
  readLines(storageKeys: readonly string[]): Promise<{ table: string; filename: string; names: string[] }>;
  /** A table of many rows: tab-separated lines without quotes or escapes. */
  readText(columns: Columns, pieces: AsyncIterable<string> | Iterable<string>): Promise<string>;
  /** @throws EngineFailure; what the signal was aborted with */
  rows<Row>(question: string): Promise<Row[]>;
  /** In the same format. @throws EngineFailure, also for more than `maxBytes` */
  text(question: string, maxBytes: number): Promise<string>;
}

const typeNames: Record<ColumnType, string> = {
  text: 'VARCHAR',
  whole: 'BIGINT',
  date: 'DATE',
  float: 'DOUBLE',
  decimal: 'DECIMAL(38,18)',
};
const copiedAtOnce = 8;

export const localEngine = (lines: LineStore): AnalyticsEngine => ({
  close: async () => undefined,
  async open(signal) {
    const folder = await lines.makeFolder();
    let texts = 0;
    return {
      isOfNodes: false,
      literal,
      values(columns, rows) {
        const names = Object.keys(columns);
        const typed = Object.entries(columns).map(([name, type]) => `CAST(${name} AS ${typeNames[type]}) AS ${name}`);
        const written = (cell: Cell) => (cell === null ? 'NULL' : literal(String(cell)));
        const cells = rows.map((row) => `(${row.map(written).join(', ')})`);
        return `(SELECT ${typed.join(', ')} FROM (VALUES ${cells.join(', ')}) v (${names.join(', ')}))`;
      },
      async readLines(storageKeys) {
        const names: string[] = [];
        for (let at = 0; at < storageKeys.length; at += copiedAtOnce) {
          signal.throwIfAborted();
          const some = storageKeys.slice(at, at + copiedAtOnce);
          names.push(...(await Promise.all(some.map((key) => lines.pathOf(key)))));
        }
        const table = `read_parquet([${names.map(literal).join(', ')}], filename = true)`;
        return { table, filename: 'filename', names };
      },
      async readText(columns, pieces) {
        texts += 1;
        const path = join(folder.path, `${texts}.tsv`);
        await writeFile(path, pieces, { signal });
        const types = Object.entries(columns).map(([name, type]) => [name, typeNames[type]]);
        return readText(path, Object.fromEntries(types));
      },
      rows: <Row>(question: string) => lines.engine.run<Row>([question], { signal }),
      async text(question, maxBytes) {
        const path = join(folder.path, 'answer.tsv');
        await lines.engine.run(
          [`COPY (${question}) TO ${literal(path)} (FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '')`],
          { signal },
        );
        if ((await stat(path)).size > maxBytes) throw new EngineFailure('the answer is too long', 'size');
        return await readFile(path, 'utf8');
      },
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
});
