import { createHash } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Month, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { createDatabase, type Database } from '#src/lib/db.ts';
import type { Storage } from '#src/lib/storage.ts';
import { refreshAnalytics } from '#src/modules/income/analytics/refresh.service.ts';
import { createLineStore, type LineStore } from '#src/modules/income/lines/lines.service.ts';
import { loadStatement } from '#src/modules/income/statements/load.service.ts';
import { postAutomaticReport } from '#src/modules/money/months/months.service.ts';
import { dayAfterMonth, instantOn, reportMonthCount, reportMonths } from './calendar.ts';
import { demoKey } from './demo-files.ts';
import { EntryDates } from './entry-dates.ts';
import { at, Random, seedOf } from './random.ts';
import { findStaff } from './staff.ts';
import {
  bandcampStatement,
  believeStatement,
  distrokidStatement,
  type SoldTrack,
  unknownStatement,
} from './statement-files.ts';

/** Pounds per euro, from the first month on. */
const poundRate = '0.8590';
const soldTracks = 72;
/** Number of last months left open. */
const openMonths = 2;

interface Loading {
  db: Database;
  ownerUrl: string;
  lines: LineStore;
  adminId: number | null;
}

interface DemoStatement {
  name: string;
  content: string;
  /** Arrival time of its file. */
  at: string;
  isChecked: boolean;
}

/**
 * Adds two years of store statements to the reports imported by CSV, using the normal code: three sources in three
 * formats, posted month by month. The last two months have the problems of an open month: unmatched income, a file sent
 * twice, a damaged one, an unknown format, a currency without a rate. Loaded only once.
 */
export async function loadStatements(options: { ownerUrl: string; storage: Storage; months: number }): Promise<void> {
  const db = createDatabase(options.ownerUrl, { max: 2 });
  try {
    const { rows } = await sql`SELECT FROM statements LIMIT 1`.execute(db);
    if (rows.length > 0) return;
    const { reportsAdminId: adminId } = await db.transaction().execute(findStaff);
    await using folder = await mkdtempDisposable(join(tmpdir(), 'regie-demo-'));
    await using closing = new AsyncDisposableStack();
    const lines = createLineStore({ storage: options.storage, folder: folder.path });
    closing.defer(() => lines.close());
    const loading = { ...options, db, adminId, lines };
    await db
      .insertInto('exchangeRates')
      .values({ month: `${at(reportMonths, 0)}-01`, currency: 'GBP', rate: poundRate })
      .onConflict((conflict) => conflict.columns(['currency', 'month']).doNothing())
      .execute();
    const tracks = await findSoldTracks(db);
    for (let index = reportMonthCount - options.months; index < reportMonthCount; index += 1) {
      await loadMonth(loading, index, tracks);
    }
    await loadProblems(loading, tracks);
    await refreshAnalytics(db);
  } finally {
    await db.destroy();
  }
}

/** Tracks released before the first month, each ISRC once, from many accounts. */
async function findSoldTracks(db: Database): Promise<SoldTrack[]> {
  const { rows } = await sql<SoldTrack>`
    SELECT t.isrc, t.title, coalesce(r.artist_name, '') AS artist, coalesce(r.barcode, '') AS barcode
      FROM tracks t JOIN releases r ON r.id = t.release_id
     WHERE r.status = 'delivered' AND r.digital_release_date < ${`${at(reportMonths, 0)}-01`}::date AND t.isrc IS NOT NULL
       AND (SELECT count(*) FROM tracks o WHERE o.isrc = t.isrc) = 1
     ORDER BY t.id LIMIT ${soldTracks}`.execute(db);
  return rows.map((row) => ({
    ...row,
    title: row.title.replace(/[\t",;]/g, ' '),
    artist: row.artist.replace(/[\t",;]/g, ' '),
  }));
}

const share = (tracks: readonly SoldTrack[], part: number) => tracks.filter((_, index) => index % 3 === part);

async function loadMonth(loading: Loading, index: number, tracks: readonly SoldTrack[]): Promise<void> {
  const month = at(reportMonths, index);
  const random = new Random(seedOf('statement days', month));
  const arrival = dayAfterMonth(month) + 8;
  const isOpen = index >= reportMonthCount - openMonths;
  const isLast = index === reportMonthCount - 1;
  const strangers: SoldTrack[] = [1, 2, 3].map((n) => ({
    isrc: `FRX9Z26${String(41_000 + n)}`,
    title: at(['Nuit blanche (remix)', 'Le quai des brumes', 'Sous la pluie fine'], n - 1),
    artist: at(['Collectif Ardoise', 'Jeanne Moreau-Diop', 'Collectif Ardoise'], n - 1),
    barcode: '',
  }));
  const add = (name: string, content: string, days: number, isChecked: boolean) =>
    load(loading, { name, content, at: instantOn(arrival + days, random), isChecked });
  const sold = isLast ? [...share(tracks, 0), ...strangers] : share(tracks, 0);
  await add(`DistroKid_${month}.tsv`, distrokidStatement(month, sold), 0, !isLast);
  // One source sends nothing for the last month, so it is expected.
  if (!isLast) await add(`Believe_${month}.csv`, believeStatement(month, share(tracks, 1)), 2, true);
  if (index % 3 === 0 || isLast) {
    const sales = bandcampStatement(month, share(tracks, 2).slice(0, 8), ['EUR', isLast ? 'CHF' : 'GBP']);
    await add(`bandcamp-ventes-${month}.csv`, sales, 3, !isOpen);
  }
  if (!isOpen) await post(loading, month, instantOn(arrival + 5, random));
}

/** Adds what staff find when closing a month. */
async function loadProblems(loading: Loading, tracks: readonly SoldTrack[]): Promise<void> {
  const last = at(reportMonths, reportMonthCount - 1);
  const before = at(reportMonths, reportMonthCount - openMonths);
  const random = new Random(seedOf('statement problems'));
  const arrival = dayAfterMonth(last) + 12;
  const again = distrokidStatement(
    before,
    [...share(tracks, 0), ...share(tracks, 2).slice(0, 1)],
    new Random(seedOf('distrokid', before)),
  );
  const damaged = believeStatement(last, share(tracks, 1)).split('\n');
  damaged[12] = (damaged[12] ?? '').split(';').slice(0, 9).join(';');
  const problems: [string, string][] = [
    [`DistroKid_${before}_copie.tsv`, again],
    [`Believe_${last}.csv`, damaged.join('\n')],
    [`releve-nouvelle-plateforme-${last}.csv`, unknownStatement(last, share(tracks, 2))],
  ];
  for (const [name, content] of problems) {
    await load(loading, { name, content, at: instantOn(arrival, random), isChecked: false });
  }
}

async function load({ db, ownerUrl, lines, adminId }: Loading, statement: DemoStatement): Promise<void> {
  const bytes = Buffer.from(statement.content);
  const sha256 = createHash('sha256').update(bytes).digest();
  const storageKey = demoKey('statement', 'bin', statement.name);
  await lines.storage.put(storageKey, bytes, bytes.length);
  const statementId = await db.transaction().execute(async (trx) => {
    const file = await trx
      .insertInto('files')
      .values({
        storageKey,
        kind: 'statement',
        originalName: statement.name,
        contentType: 'application/octet-stream',
        sizeBytes: bytes.length,
        sha256,
        createdBy: adminId,
        createdAt: statement.at,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id } = await trx
      .insertInto('statements')
      .values({
        fileName: statement.name,
        sizeBytes: bytes.length,
        sha256,
        fileId: file.id,
        createdBy: adminId,
        createdAt: statement.at,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
  await loadStatement(ownerUrl, {
    statementId,
    file: {
      sizeBytes: bytes.length,
      open: async (range) => Readable.from([bytes.subarray(range?.start ?? 0, (range?.end ?? bytes.length - 1) + 1)]),
    },
    lines,
    chosen: undefined,
  });
  await sql`
    UPDATE statements
       SET loaded_at = CASE WHEN loaded_at IS NOT NULL THEN ${statement.at}::timestamptz END,
           status = CASE WHEN status = 'loaded' AND ${statement.isChecked} THEN 'checked' ELSE status END,
           checked_at = CASE WHEN status = 'loaded' AND ${statement.isChecked} THEN ${statement.at}::timestamptz + interval '1 day' END,
           checked_by = CASE WHEN status = 'loaded' AND ${statement.isChecked} THEN ${adminId}::bigint END
     WHERE id = ${statementId}`.execute(db);
}

async function post({ db, adminId }: Loading, month: Month, instant: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const dates = await EntryDates.start(trx);
    const wanted = { monthMs: monthToMs(month), isDryRun: false, confirmRates: true };
    await postAutomaticReport(trx, { adminId, requestId: null }, wanted);
    await dates.date(instant);
  });
}
