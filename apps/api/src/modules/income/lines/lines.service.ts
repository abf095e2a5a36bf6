import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { IncomeKind } from '@regie/contract/statements.ts';
import { sql } from 'kysely';
import type { Client, ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type ColumnEngine, createColumnEngine, literal } from '#src/lib/column-engine.ts';
import { queryRows, type Trx } from '#src/lib/db.ts';
import { createLocalCopies } from '#src/lib/local-copies.ts';
import { createStorage } from '#src/lib/open-storage.ts';
import { newToken } from '#src/lib/secrets.ts';
import { newStorageKey, type Storage } from '#src/lib/storage.ts';

/**
 * The lines of statements: neighbouring rows that differ only in numbers, added up. One Parquet file a statement and
 * month, sorted by item, never changed (docs/decisions/400). Amounts are the file's, unscaled: `amount` has eighteen
 * decimals, `amount_rest` what follows in units of 10^-48; quantities likewise.
 */
export interface LineStore {
  readonly engine: ColumnEngine;
  readonly storage: Storage;
  makeFolder(): Promise<AsyncDisposable & { path: string }>;
  pathOf(key: string): Promise<string>;
  close(): Promise<void>;
}

/** The process then takes up to 380 MB: measured with eight million lines. */
const memoryMb = 144;
const threads = 2;

/** @param folder on this machine, for files being written and copies of a bucket's files */
export function createLineStore({ storage, folder }: { storage: Storage; folder: string }): LineStore {
  const copies = createLocalCopies(storage, join(folder, 'copies'));
  const folders = [folder, storage.folder].filter((path) => path !== undefined);
  // Two engines in one folder would write the same names.
  const tempFolder = join(folder, `spilled-${newToken()}`);
  const engine = createColumnEngine({ folders, tempFolder, memoryMb, threads });
  return {
    engine,
    storage,
    async makeFolder() {
      const path = join(folder, newToken());
      await mkdir(path, { recursive: true, mode: 0o700 });
      return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
    },
    pathOf: async (key) => (storage.folder === undefined ? copies.pathOf(key) : join(storage.folder, key)),
    async close() {
      await engine.close();
      await rm(tempFolder, { recursive: true, force: true });
    },
  };
}

/** Within the uploads, whose leftovers the nightly job removes. */
export const linesDirOf = ({ dataDir }: { dataDir: string }): string => join(dataDir, 'uploads', 'lines');

export const openLines = (
  env: { dataDir: string; storageUrl: string },
  storage = createStorage(env.storageUrl),
): LineStore => createLineStore({ storage, folder: linesDirOf(env) });

/** Columns of `LineSummer`'s text; numbers in parts, which are read ten times faster than long decimals. */
const textColumns = {
  month: 'DATE',
  store: 'VARCHAR',
  country: 'VARCHAR',
  item: 'VARCHAR',
  kind: 'VARCHAR',
  currency: 'VARCHAR',
  quantity_whole: 'BIGINT',
  quantity_part: 'DECIMAL(18,18)',
  quantity_end: 'VARCHAR',
  amount_whole: 'BIGINT',
  amount_part: 'DECIMAL(18,18)',
  amount_end: 'VARCHAR',
  rows: 'INTEGER',
  first_line: 'BIGINT',
};
/** For PostgreSQL: no quotes or escapes, an empty text is not null; control signs occur in none. */
const textOptions = `FORMAT csv, DELIMITER E'\\t', QUOTE E'\\b', NULL E'\\x01'`;
const absent = '\u0001';

/** @param isInOrder by one thread, which keeps the order of the lines */
export const readText = (path: string, columns: Record<string, string>, isInOrder = false) =>
  `read_csv(${literal(path)}, auto_detect = false, header = false, delim = '\t', quote = '', escape = '', nullstr = ${literal(absent)}, columns = {${Object.entries(
    columns,
  )
    .map(([name, type]) => `${name}: '${type}'`)
    .join(', ')}}${isInOrder ? ', parallel = false' : ''})`;

const inOne = (name: string) => `
  ${name}_whole::DECIMAL(38,18) + ${name}_part::DECIMAL(38,18) AS ${name},
  CASE WHEN ${name}_end = '' THEN 0 ELSE ${name}_end::DECIMAL(38,0) END AS ${name}_rest`;
/** The fastest level, and the smallest for sorted lines. */
const parquet = 'FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1';
const sums = ['quantity', 'amount']
  .map((name) => `sum(${name}) AS ${name}, sum(${name}_rest) AS ${name}_rest`)
  .join(', ');

/** Enumerated: sorting and writing take half the time of text. */
const numbered = ['store', 'country', 'kind', 'currency'] as const;

/** In PostgreSQL: the exact number of a pair of columns. */
export const exactly = (number: string, rest: string): string => `trim_scale(${number} + ${rest} * 1e-48)`;

/** Of a piece of text: one is read while the next is written. */
const pieceBytes = 32 * 1024 * 1024;

type LineFile = { month: string; key: string; lines: number; sizeBytes: number; sha256: string };

/** Turns lines of text into a statement's files and sums, which count with the caller's transaction. */
export class LineWriter implements AsyncDisposable {
  readonly #store: LineStore;
  readonly #folder: AsyncDisposable & { path: string };
  /** In memory, and in the engine's folder beyond that: a file would be synchronised with the disk. */
  readonly #table = `lines_${newToken().replace(/\W/g, '_')}`;
  readonly #hold: Disposable;
  #piece: Buffer[] = [];
  #pieceBytes = 0;
  #pieces = 0;
  #reading: Promise<unknown>;

  private constructor(store: LineStore, folder: AsyncDisposable & { path: string }) {
    this.#store = store;
    this.#folder = folder;
    this.#hold = store.engine.hold();
    const columns = Object.entries(textColumns).map(([name, type]) => `${name} ${type}`);
    this.#reading = store.engine.run([`CREATE TABLE ${this.#table} (${columns.join(', ')})`]);
    // The next `await` reports it.
    this.#reading.catch(() => undefined);
  }

  static async create(store: LineStore): Promise<LineWriter> {
    return new LineWriter(store, await store.makeFolder());
  }

  /** Takes lines as `SummedLines.copyText`. */
  async add(text: Buffer): Promise<void> {
    this.#piece.push(text);
    this.#pieceBytes += text.length;
    if (this.#pieceBytes >= pieceBytes) await this.#handOver();
  }

  async #handOver(): Promise<void> {
    this.#pieces += 1;
    const path = join(this.#folder.path, `${this.#pieces}.tsv`);
    await writeFile(path, this.#piece);
    this.#piece = [];
    this.#pieceBytes = 0;
    await this.#reading;
    this.#reading = this.#store.engine
      .run([`INSERT INTO ${this.#table} SELECT * FROM ${readText(path, textColumns)}`])
      .then(() => rm(path));
    this.#reading.catch(() => undefined);
  }

  /**
   * Writes the sums by month, item, kind and currency into the temporary table `loaded_sums`, and stores a file for
   * each month. `useSums` runs while the files are written.
   * @throws Error when the engine read other than `lines` lines; what `useSums` throws
   */
  async end(
    main: Client,
    { statementId, lines, useSums }: { statementId: number; lines: number; useSums?: () => Promise<void> },
  ): Promise<void> {
    await this.#handOver();
    await this.#reading;
    const months = await this.#store.engine.run<{ month: string; lines: string }>([
      `SELECT month, count(*) AS lines FROM ${this.#table} GROUP BY month ORDER BY month`,
    ]);
    const read = months.reduce((sum, month) => sum + Number(month.lines), 0);
    if (read !== lines) throw new Error(`the engine took ${read} of ${lines} lines`);
    await this.#sumUp(main);
    const storeMonths = async () => {
      const files: LineFile[] = [];
      for (const { month, lines } of months)
        files.push({ ...(await this.#storeMonth(month)), month, lines: Number(lines) });
      return files;
    };
    const [files] = await Promise.all([storeMonths(), useSums?.()]);
    await nameFiles(main, statementId, files);
  }

  async #sumUp(main: Client): Promise<void> {
    const path = join(this.#folder.path, 'sums.tsv');
    await this.#store.engine.run([
      `COPY (SELECT item, month, kind, currency, ${sums}, sum(rows)
               FROM (SELECT item, month, kind, currency, rows, ${inOne('quantity')}, ${inOne('amount')} FROM ${this.#table})
              GROUP BY item, month, kind, currency)
         TO ${literal(path)} (FORMAT csv, DELIMITER '\t', HEADER false)`,
    ]);
    await main.query(
      `CREATE TEMPORARY TABLE loaded_sums (item text COLLATE "C", month date, kind text COLLATE "C", currency text COLLATE "C",
         quantity numeric, quantity_rest numeric, amount numeric, amount_rest numeric, rows bigint) ON COMMIT DROP`,
    );
    await copyIn(main, 'loaded_sums', createReadStream(path));
  }

  async #storeMonth(month: string): Promise<Omit<LineFile, 'month' | 'lines'>> {
    const path = join(this.#folder.path, `${month}.parquet`);
    const ofMonth = `FROM ${this.#table} WHERE month = DATE ${literal(month)}`;
    const values = numbered.map((name) => `${name}::${name}_value AS ${name}`);
    await this.#store.engine.run([
      ...numbered.map(
        (name) => `CREATE TEMPORARY TYPE ${name}_value AS ENUM (SELECT DISTINCT ${name} ${ofMonth} ORDER BY ${name})`,
      ),
      `COPY (SELECT month, store, country, item, kind, currency, ${inOne('quantity')}, ${inOne('amount')}, rows, first_line
               FROM (SELECT * REPLACE (${values.join(', ')}) ${ofMonth}) ORDER BY item, first_line, kind)
         TO ${literal(path)} (${parquet})`,
    ]);
    return storeFile(this.#store, path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading.catch(() => undefined);
    // Fails when its process has ended, and with it the table.
    await this.#store.engine.run([`DROP TABLE IF EXISTS ${this.#table}`]).catch(() => undefined);
    this.#hold[Symbol.dispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** @param from a table, or a query in parentheses */
export async function copyOut(main: ClientBase, from: string, path: string): Promise<void> {
  await pipeline(main.query(copyTo(`COPY ${from} TO STDOUT (${textOptions})`)), createWriteStream(path));
}

export async function copyIn(main: ClientBase, table: string, text: Readable): Promise<void> {
  await pipeline(text, main.query(copyFrom(`COPY ${table} FROM STDIN (${textOptions})`)));
}

/** Stores a finished Parquet file, which the caller names in `files`. */
export async function storeFile({ storage }: LineStore, path: string) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const { size: sizeBytes } = await stat(path);
  const key = newStorageKey('lines', 'parquet');
  await storage.putFile(key, { path, sizeBytes, isSettled: true }, Buffer.alloc(0));
  return { key, sizeBytes, sha256: hash.digest('hex') };
}

/** Replaces those of an earlier load. */
async function nameFiles(main: Client, statementId: number, files: readonly LineFile[]): Promise<void> {
  await forgetLines(main, statementId);
  await main.query(
    `WITH stored AS (
       INSERT INTO files (storage_key, kind, original_name, content_type, size_bytes, sha256)
       SELECT f.key, 'lines', format('%s-%s.parquet', $1::bigint, to_char(f.month, 'YYYY-MM')), 'application/vnd.apache.parquet',
              f."sizeBytes", decode(f.sha256, 'hex')
         FROM jsonb_to_recordset($2::jsonb) AS f (month date, key text, "sizeBytes" bigint, sha256 text)
       RETURNING id, storage_key
     )
     INSERT INTO statement_line_files (statement_id, month, file_id, lines)
     SELECT $1, f.month, s.id, f.lines
       FROM jsonb_to_recordset($2::jsonb) AS f (month date, key text, lines bigint) JOIN stored s ON s.storage_key = f.key`,
    [statementId, JSON.stringify(files)],
  );
}

/** Moves the files of a statement's lines to the bin. */
export async function forgetLines(main: Pick<Client, 'query'>, statementId: number): Promise<void> {
  await main.query(
    `WITH gone AS (DELETE FROM statement_line_files WHERE statement_id = $1 RETURNING file_id)
     UPDATE files SET binned_at = now() FROM gone WHERE files.id = gone.file_id`,
    [statementId],
  );
}

type NamedFile = { statementId: number; storageKey: string };

const listFiles = (db: Trx, statementIds: readonly number[], months?: readonly string[]) => queryRows<NamedFile>(db)`
    SELECT l.statement_id, f.storage_key FROM statement_line_files l JOIN files f ON f.id = l.file_id
     WHERE l.statement_id = ANY (${statementIds}::bigint[]) ${months ? sql`AND l.month = ANY (${months}::date[])` : sql``}
     ORDER BY l.statement_id, l.month`;

export async function readFiles(store: LineStore, files: readonly { storageKey: string }[]): Promise<string> {
  const paths: string[] = [];
  for (const { storageKey } of files) paths.push(literal(await store.pathOf(storageKey)));
  return `read_parquet([${paths.join(', ')}])`;
}

export type LineKey = Record<'item' | 'month' | 'kind' | 'currency', string>;

export interface Place extends Record<'store' | 'country' | 'currency' | 'quantity' | 'amount', string> {
  kind: IncomeKind;
  rows: number;
  lines: number;
  firstLines: number[];
}

const shownPlaces = 200;
const shownFirstLines = 20;

/** The lines with one of these keys, by place, largest first, and the number of places. */
export async function listPlaces(
  db: Trx,
  store: LineStore,
  statementId: number,
  keys: readonly LineKey[],
): Promise<{ places: Place[]; total: number }> {
  const files = await listFiles(
    db,
    [statementId],
    keys.map(({ month }) => month),
  );
  if (files.length === 0) return { places: [], total: 0 };
  const tuples = keys.map(
    ({ item, month, kind, currency }) => `(${[item, kind, currency].map(literal).join(', ')}, DATE ${literal(month)})`,
  );
  const found = await store.engine.run<Place & { total: string }>([
    `SELECT store, country, kind, currency, ${sums}, sum(rows)::BIGINT AS rows, count(*) AS lines,
            list(first_line ORDER BY first_line)[1:${shownFirstLines}] AS "firstLines", count(*) OVER () AS total
       FROM ${await readFiles(store, files)}
      -- Alone, it tells the reader which parts of a file to skip.
      WHERE item IN (${[...new Set(keys.map(({ item }) => literal(item)))].join(', ')})
        AND (item, kind, currency, month) IN (${tuples.join(', ')})
      GROUP BY store, country, kind, currency
      ORDER BY abs(sum(amount)) DESC, store, country, kind, currency LIMIT ${shownPlaces}`,
  ]);
  const exact = await queryRows<{ quantity: string; amount: string }>(db)`
    SELECT ${sql.raw(exactly('quantity', 'quantity_rest'))} AS quantity, ${sql.raw(exactly('amount', 'amount_rest'))} AS amount
      FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
                      AS (quantity numeric, quantity_rest numeric, amount numeric, amount_rest numeric)) WITH ORDINALITY
     ORDER BY ordinality`;
  return {
    places: found.map((place, index) => ({
      ...place,
      ...exact[index],
      rows: Number(place.rows),
      lines: Number(place.lines),
      firstLines: place.firstLines.map(Number),
    })),
    total: Number(found[0]?.total ?? 0),
  };
}

type LineSums = Record<'month' | 'currency' | 'quantity' | 'quantityRest' | 'amount' | 'amountRest', string> & {
  statementId: number;
};

/** Statements with a file that cannot be read are named instead. */
export async function sumLines(
  db: Trx,
  store: LineStore,
  statementIds: readonly number[],
): Promise<{ sums: LineSums[]; unreadable: number[] }> {
  const sums: LineSums[] = [];
  const unreadable: number[] = [];
  const add = async (files: readonly NamedFile[]): Promise<void> => {
    const parts: string[] = [];
    for (const file of files) {
      parts.push(`SELECT ${file.statementId} AS "statementId", * FROM ${await readFiles(store, [file])}`);
    }
    sums.push(
      ...(await store.engine.run<LineSums>([
        `SELECT "statementId", month, currency, sum(quantity) AS quantity, sum(quantity_rest) AS "quantityRest",
                sum(amount) AS amount, sum(amount_rest) AS "amountRest"
           FROM (${parts.join(' UNION ALL ')}) GROUP BY "statementId", month, currency`,
      ])),
    );
  };
  const files = await listFiles(db, statementIds);
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const some = files.slice(at, at + filesAtOnce);
    await add(some).catch(async () => {
      for (const file of some) await add([file]).catch(() => unreadable.push(file.statementId));
    });
  }
  return { sums, unreadable };
}
const filesAtOnce = 100;

const lineColumns = 'month, store, country, item, kind, currency';

/**
 * Writes the lines that a statement shares with others into the temporary table `duplicate_common`, for the rows of
 * `duplicate_left` and `duplicate_places` (`find_equal_sums`).
 */
export async function compareLines(main: Client, store: LineStore, statementId: number, others: readonly number[]) {
  await main.query(
    `CREATE TEMPORARY TABLE duplicate_read (other_id bigint, month date, currency text COLLATE "C",
       quantity numeric, quantity_rest numeric, amount numeric, amount_rest numeric, rows bigint, first_line bigint,
       other_quantity numeric, other_quantity_rest numeric, other_amount numeric, other_amount_rest numeric, other_rows bigint,
       other_first_line bigint) ON COMMIT DROP`,
  );
  if (others.length > 0) await readCommonLines(main, store, statementId, others);
  await main.query(
    `CREATE TEMPORARY TABLE duplicate_common ON COMMIT DROP AS
       SELECT other_id, month, currency, quantity, amount, rows, first_line, other_quantity, other_amount, other_rows, other_first_line,
              quantity = other_quantity AND amount = other_amount AS is_equal
         FROM (SELECT other_id, month, currency, rows, first_line, other_rows, other_first_line,
                      ${exactly('quantity', 'quantity_rest')} AS quantity, ${exactly('amount', 'amount_rest')} AS amount,
                      ${exactly('other_quantity', 'other_quantity_rest')} AS other_quantity,
                      ${exactly('other_amount', 'other_amount_rest')} AS other_amount
                 FROM duplicate_read) r
        WHERE amount <> 0 AND other_amount <> 0`,
  );
  await main.query('ANALYZE duplicate_common');
}

async function readCommonLines(main: Client, store: LineStore, statementId: number, others: readonly number[]) {
  await using folder = await store.makeFolder();
  const textOf = async (table: string, columns: Record<string, string>) => {
    const path = join(folder.path, `${table}.tsv`);
    await copyOut(main, table, path);
    return readText(path, columns);
  };
  const key = { month: 'DATE', item: 'VARCHAR', kind: 'VARCHAR', currency: 'VARCHAR' };
  const left = await textOf('duplicate_left', { other_id: 'BIGINT', ...key });
  const { month, kind, currency } = key;
  const places = await textOf('duplicate_places', { other_id: 'BIGINT', store: 'VARCHAR', month, kind, currency });
  const { rows: files } = await main.query<NamedFile>(
    `SELECT l.statement_id AS "statementId", f.storage_key AS "storageKey"
       FROM statement_line_files l JOIN files f ON f.id = l.file_id
      WHERE l.statement_id = ANY ($1::bigint[]) AND l.month IN (SELECT month FROM duplicate_left) ORDER BY 1, l.month`,
    [[statementId, ...others]],
  );
  const isOwn = (file: NamedFile) => Number(file.statementId) === statementId;
  const own = files.filter(isOwn);
  const ofOthers: string[] = [];
  for (const file of files.filter((other) => !isOwn(other)))
    ofOthers.push(`SELECT ${file.statementId} AS other_id, * FROM ${await readFiles(store, [file])}`);
  if (ofOthers.length === 0 || own.length === 0) return;
  const common = join(folder.path, 'common.tsv');
  await store.engine.run([
    `COPY (
       WITH wanted AS MATERIALIZED (SELECT * FROM ${left}), place AS MATERIALIZED (SELECT * FROM ${places}),
       own AS MATERIALIZED (
         SELECT ${lineColumns}, ${sums}, sum(rows) AS rows, min(first_line) AS first_line FROM ${await readFiles(store, own)}
          WHERE (month, item, kind, currency) IN (SELECT (month, item, kind, currency) FROM wanted)
            AND (store, month, kind, currency) IN (SELECT (store, month, kind, currency) FROM place)
          GROUP BY ${lineColumns}
       ),
       other AS (
         SELECT other_id, ${lineColumns}, ${sums}, sum(rows) AS rows, min(first_line) AS first_line
           FROM (${ofOthers.join(' UNION ALL ')})
          WHERE (other_id, month, item, kind, currency) IN (SELECT (other_id, month, item, kind, currency) FROM wanted)
            AND (${lineColumns}) IN (SELECT (${lineColumns}) FROM own)
          GROUP BY other_id, ${lineColumns}
       )
       SELECT o.other_id, own.month, own.currency, own.quantity, own.quantity_rest, own.amount, own.amount_rest, own.rows,
              own.first_line, o.quantity, o.quantity_rest, o.amount, o.amount_rest, o.rows, o.first_line
         FROM other o JOIN own USING (${lineColumns})
     ) TO ${literal(common)} (FORMAT csv, DELIMITER '\t', HEADER false)`,
  ]);
  await copyIn(main, 'duplicate_read', createReadStream(common));
}
