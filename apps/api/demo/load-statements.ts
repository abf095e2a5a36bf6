import { createHash } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import type { Actor } from '#src/lib/audit.ts';
import { type Database, queryColumn, queryValue, type Trx } from '#src/lib/db.ts';
import type { ByteRange } from '#src/lib/file-answer.ts';
import type { Storage } from '#src/lib/storage.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';
import { openLoader } from '#src/modules/income/statements/load.service.ts';
import { replaceStatement } from '#src/modules/income/statements/statements.service.ts';
import { postAutomaticReport } from '#src/modules/money/months/months.service.ts';
import { dayAfterMonth, instantOn, reportMonthCount, reportMonths } from './calendar.ts';
import { demoKey } from './demo-files.ts';
import type { EntryDates } from './entry-dates.ts';
import { at, Random, seedOf } from './random.ts';
import { isImported, monthRoyalties, type RoyaltyBlock } from './royalties.ts';
import type { DemoStaff } from './staff.ts';
import {
  type Sale,
  type StatementSource,
  sources,
  toSales,
  unknownStatement,
  writeOpenShop,
} from './statement-files.ts';

/** Number of last months left open. */
const openMonths = 2;
const lastMonth = reportMonthCount - 1;
/** When its files are validated and posted, in days after a month. */
const postingDays = 6;

interface StatementOptions {
  blocks: readonly RoyaltyBlock[];
  firstMonth: number;
  /** Distinguishes the files of this load from another's; empty for the first. */
  fileSuffix: string;
}

interface DemoStatement {
  fileName: string;
  source: string;
  /** Month after which it arrives, and days from its end. */
  month: number;
  days: number;
  isChecked: boolean;
  /** File name. */
  replaces?: string;
  content: string;
}
export type StoredStatement = Omit<DemoStatement, 'content' | 'days'> & {
  id: number;
  storageKey: string;
  sizeBytes: number;
};

function* inventStatements({ blocks, firstMonth, fileSuffix }: StatementOptions): Generator<DemoStatement> {
  const quarter = new Map<StatementSource, Sale[]>();
  for (let month = firstMonth; month <= lastMonth; month += 1) {
    const name = at(reportMonths, month);
    const royalties = [...monthRoyalties(blocks, month)].filter(({ track }) => !isImported(track, month));
    for (const source of sources) {
      const { days, extension, isQuarterly, write } = source;
      const sales = quarter.get(source) ?? [];
      for (const { track, royalty } of royalties) sales.push(...toSales(source, track, royalty, name));
      quarter.set(source, sales);
      // The last file of the shop is the export of a month.
      const isDue =
        !isQuarterly || Number(name.slice(5)) % 3 === 0 || (source.name === 'Bandcamp' && month === lastMonth);
      if (!isDue) continue;
      quarter.delete(source);
      const fileName = `${source.name.replaceAll(' ', '')}_${name}${fileSuffix}.${extension}`;
      const common = { fileName, source: source.name, month, days, isChecked: month < lastMonth };
      const statement = { ...common, content: write(sales) };
      yield* fileSuffix === '' ? withFaults(statement, source, sales) : [statement];
    }
    if (month === lastMonth && fileSuffix === '') {
      const tracks = royalties.slice(0, 24).map(({ track }) => track);
      const fileName = `releve-nouvelle-plateforme-${name}.csv`;
      yield { fileName, source: '', month, days: 12, isChecked: false, content: unknownStatement(name, tracks) };
    }
  }
}

/**
 * What staff find when closing a month: a wrong file and its correction, a file sent twice; in the last month titles
 * without a track, a currency without a rate, a damaged file.
 */
function withFaults(statement: DemoStatement, { write }: StatementSource, sales: readonly Sale[]): DemoStatement[] {
  const { source, month, fileName, content } = statement;
  const named = (suffix: string) => fileName.replace(/(?=\.\w+$)/, suffix);
  switch (`${source} ${lastMonth - month}`) {
    case 'The Orchard 2': {
      const wrong = write(sales.map((sale) => ({ ...sale, amount: sale.amount * 2 })));
      const corrected = { ...statement, fileName: named('_corrige'), replaces: fileName, days: statement.days + 2 };
      return [{ ...statement, content: wrong, isChecked: false }, corrected];
    }
    case 'DistroKid 1': {
      const more = sales.slice(0, 3).map((sale) => ({ ...sale, store: 'YouTube Music' }));
      const again = { fileName: named('_copie'), days: 42, isChecked: false, content: write([...sales, ...more]) };
      return [statement, { ...statement, ...again }];
    }
    case 'DistroKid 0':
      return [{ ...statement, content: write([...sales, ...inventStrangers(sales)]) }];
    case 'Bandcamp 0':
      return [{ ...statement, content: writeOpenShop(sales) }];
    case 'Believe 0': {
      const lines = content.split('\n');
      lines[12] = at(lines, 12).split(';').slice(0, 9).join(';');
      return [{ ...statement, content: lines.join('\n') }];
    }
    default:
      return [statement];
  }
}

/** Titles that the catalogue does not have. */
const inventStrangers = (sales: readonly Sale[]): Sale[] =>
  [
    ['Nuit blanche (remix)', 'Collectif Ardoise'] as const,
    ['Le quai des brumes', 'Jeanne Moreau-Diop'] as const,
    ['Sous la pluie fine', 'Collectif Ardoise'] as const,
  ].map(([title, artist], index) => {
    const sale = at(sales, index);
    return { ...sale, track: { ...sale.track, isrc: `FRX9Z26${41_001 + index}`, title, artist, barcode: '' } };
  });

/** Stores the files of the demo's statements, as their sources sent them. Those of a killed load are found again. */
async function storeFiles(
  db: Database,
  storage: Storage,
  options: StatementOptions,
  adminId: number | null,
): Promise<StoredStatement[]> {
  return db.transaction().execute(async (trx) => {
    const stored: StoredStatement[] = [];
    for (const { content, days, ...statement } of inventStatements(options)) {
      const { fileName } = statement;
      const bytes = Buffer.from(content);
      const storageKey = demoKey('statement', 'bin', fileName);
      await storage.put(storageKey, bytes, bytes.length);
      const sha256 = createHash('sha256').update(bytes).digest();
      const random = new Random(seedOf('statement', fileName));
      const arrivedAt = instantOn(dayAfterMonth(at(reportMonths, statement.month)) + days, random);
      const replaces = stored.find((one) => one.fileName === statement.replaces)?.id ?? null;
      const id = await queryValue<number>(trx)`
        WITH file AS (
          INSERT INTO files (storage_key, kind, original_name, content_type, size_bytes, sha256, created_by, created_at)
          VALUES (${storageKey}, 'statement', ${fileName}, 'application/octet-stream', ${bytes.length}, ${sha256}, ${adminId}, ${arrivedAt})
          ON CONFLICT (storage_key) DO NOTHING RETURNING *
        ),
        added AS (
          INSERT INTO statements (file_name, size_bytes, sha256, file_id, created_by, created_at, replaces)
          SELECT original_name, size_bytes, sha256, id, created_by, created_at, ${replaces} FROM file RETURNING id
        )
        SELECT id FROM added
        UNION ALL SELECT s.id FROM statements s JOIN files f ON f.id = s.file_id WHERE f.storage_key = ${storageKey}`;
      stored.push({ ...statement, id, storageKey, sizeBytes: bytes.length });
    }
    return stored;
  });
}

/**
 * Reads the statements of the demo with the normal code, in one engine; those of different sources at the same time.
 * Each is loaded in its own transaction, like those of staff; what a killed load has left to read is read by the next.
 */
export async function loadStatements(
  db: Database,
  { ownerUrl, storage, ...options }: StatementOptions & { ownerUrl: string; storage: Storage; adminId: number | null },
): Promise<StoredStatement[]> {
  const stored = await storeFiles(db, storage, options, options.adminId);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'regie-demo-'));
  await using closing = new AsyncDisposableStack();
  const lines = createLineStore({ storage, folder: folder.path });
  closing.defer(() => lines.close());
  const loadAll = async (statements: readonly StoredStatement[]) => {
    await using loader = await openLoader(ownerUrl);
    for (const { id: statementId, storageKey, sizeBytes } of statements) {
      const file = { sizeBytes, open: (range?: ByteRange) => storage.open(storageKey, range) };
      await loader.load({ statementId, file, lines });
    }
  };
  await Promise.all([...Map.groupBy(stored, ({ source }) => source).values()].map(loadAll));
  await sql`
    UPDATE statements SET loaded_at = created_at + interval '1 minute'
     WHERE id = ANY(${stored.map(({ id }) => id)}::bigint[]) AND loaded_at IS NOT NULL`.execute(db);
  return stored;
}

/** Validates what has come after a month, and posts it: the months of a quarter too, but not those left open. */
export async function postStatements(
  trx: Trx,
  dates: EntryDates,
  month: number,
  { statements, staff }: { statements: readonly StoredStatement[]; staff: DemoStaff },
): Promise<void> {
  const arrived = statements.filter((statement) => statement.month === month);
  const actor: Actor = { adminId: staff.reportsAdminId, requestId: null };
  const random = new Random(seedOf('statement days', month));
  const day = dayAfterMonth(at(reportMonths, month)) + postingDays;
  for (const { id, replaces } of arrived) {
    if (replaces === undefined) continue;
    await replaceStatement(trx, actor, id, { isDryRun: false });
    const instant = instantOn(day - 1, random);
    await sql`UPDATE statements SET ended_at = ${instant} WHERE ended_at = now()`.execute(trx);
    await dates.date(instant);
  }
  const checked = arrived.filter(({ isChecked }) => isChecked).map(({ id }) => id);
  await sql`
    UPDATE statements SET status = 'checked', checked_at = ${instantOn(day - 1, random)}, checked_by = ${staff.accountsAdminId}
     WHERE id = ANY(${checked}::bigint[]) AND status = 'loaded'`.execute(trx);
  const months = await queryColumn<string>(trx)`
    SELECT DISTINCT to_char(m.month, 'YYYY-MM') AS month FROM statement_months m
     WHERE m.statement_id = ANY(${checked}::bigint[]) AND m.sums > m.unmatched_sums + m.posted_sums
       AND m.month < ${`${at(reportMonths, reportMonthCount - openMonths)}-01`}::date ORDER BY 1`;
  for (const one of months) await postAutomaticReport(trx, actor, { monthMs: monthToMs(one), isDryRun: false });
  await dates.date(instantOn(day, random));
}
