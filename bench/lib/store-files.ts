import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createDatabase } from '@regie/api/lib/db.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { Client as PgClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Client, nodeOptions, type World } from './world.ts';

/** Store files sorted by track; of `rowsPerLine` rows with one store and country the load makes one line. */
export const storeForms = {
  narrow: { columns: 13, delimiter: '\t', extension: 'tsv', rowsPerLine: 1 },
  wide: { columns: 37, delimiter: ',', extension: 'csv', rowsPerLine: 4 },
} as const;
export type StoreForm = keyof typeof storeForms;

const stores = 'Spotify,Apple Music,Deezer,YouTube (Ads),Amazon,Tidal,Napster,Qobuz,TikTok,Meta,Boomplay,Anghami'.split(
  ',',
);
const countries = 'FR DE GB US ES IT BE NL CH CA SE NO DK FI PL PT BR MX AR JP'.split(' ');
const plans = ['Premium', 'Free', 'Family', 'Student'];
const narrowHeader =
  'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)\r\n';
const wideHeader =
  'Royalty ID,Asset ISRC,Asset Title,Asset Version,Asset Artist,Asset Duration,Sale net receipts calculation,Sale net receipts,Contract deal term,Contract Reference,Reported Royalty,Asset/Product,Territory,Quantity,Sale Type,Sale User Type,Sale Start date,Sale End date,Sale Store Name,DSP,Royalty Calculation Base,Product Reference,Asset Reference,Product Share,Asset Share,Exchange Rate,Currency,Product Title,Product Artist,Product UPC,Product Catalog Number,Product Label,Report Run ID,Report ID,Sale ID,Statement Run ID,Statement Run Name\n';

/** A seeded random generator. */
function createNumbers(): (below: number) => number {
  let seed = 7;
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
}

/** Rows (stores × countries) per track and month. */
export const rowsPerTrack = 50;

/** A file's month and range of track numbers; numbers above the catalogue's are unknown. */
export interface StoreFileOf {
  month: string;
  firstTrack: number;
}

function* rowsOf(form: StoreForm, rows: number, { month, firstTrack }: StoreFileOf): Generator<string> {
  const number = createNumbers();
  const { rowsPerLine } = storeForms[form];
  yield form === 'narrow' ? narrowHeader : wideHeader;
  let text = '';
  let place = [0, 0];
  for (let row = 0; row < rows; row++) {
    const track = firstTrack + Math.floor(row / rowsPerTrack);
    if (row % rowsPerLine === 0) place = [number(stores.length), number(countries.length)];
    const [store, country] = [stores[place[0] ?? 0], countries[place[1] ?? 0]];
    const isrc = `FRBCH${String(track + 1).padStart(7, '0')}`;
    const amount = `0.0${String(number(9_999_999)).padStart(7, '0')}`;
    const barcode = 3_000_000_000_000 + track;
    text +=
      form === 'narrow'
        ? `2025-03-02\t${month}\t${store}\tArtiste ${track % 4000}\tTitre numéro ${track}\t${isrc}\t${barcode}\t${number(300)}\t100\tSong\t${country}\t0\t${amount}\r\n`
        : `${12_345_678_901 + row},${isrc},"Titre, numéro ${track}",,"Artiste ""${track % 4000}""",170,£0.003245673 × 100% of sale × 100% of asset × 0.985 £/£ = £0.003196987905,${amount}03450794,85%,Label 1,${amount}7587933175,Asset,${country},${number(300)},Streaming,${plans[row % plans.length]} plan,${month}-01,${month}-31,${store},${store},royalty,,,1,1,0.985,GBP,"Album ${track % 9000}",Artiste,${barcode},ABCD123,Label 1,1234567890,987,${row},55,Run\n`;
    if (text.length > 1 << 20) {
      yield text;
      text = '';
    }
  }
  yield text;
}

export async function writeStoreFile(
  path: string,
  form: StoreForm,
  rows: number,
  of: StoreFileOf = { month: '2025-01', firstTrack: 0 },
): Promise<void> {
  await pipeline(rowsOf(form, rows, of), createWriteStream(path));
}

/** Seconds to COPY the same bytes into an unlogged table of text columns. */
export async function copyBytes(world: World, database: string, path: string, form: StoreForm): Promise<number> {
  const client = new PgClient({ connectionString: world.url(database) });
  await client.connect();
  try {
    const { columns, delimiter } = storeForms[form];
    const list = Array.from({ length: columns }, (_, index) => `c${index} text`).join(', ');
    await client.query(`CREATE UNLOGGED TABLE raw_bytes (${list})`);
    const start = performance.now();
    const mark = delimiter === '\t' ? `E'\\t'` : `'${delimiter}'`;
    await pipeline(
      createReadStream(path),
      client.query(copyFrom(`COPY raw_bytes FROM STDIN (FORMAT csv, HEADER, DELIMITER ${mark})`)),
    );
    return (performance.now() - start) / 1000;
  } finally {
    await client.query('DROP TABLE raw_bytes');
    await client.end();
  }
}

export interface Loaded {
  statementId: number;
  seconds: number;
  /** Peak memory of its process, including Node. */
  peakBytes: number;
}

/** Loads a file like the worker. */
export async function loadStoreFile(world: World, database: string, path: string): Promise<Loaded> {
  const db = createDatabase(world.url(database), { max: 1 });
  try {
    const { size } = await stat(path);
    const { rows } = await sql<{ id: number }>`
      INSERT INTO statements (file_name, size_bytes, sha256)
      VALUES (${path.split('/').at(-1)}, ${size}, ${createHash('sha256').update(`${path} ${Math.random()}`).digest()}) RETURNING id`.execute(
      db,
    );
    const statementId = rows[0]?.id ?? 0;
    const child = fork(
      new URL('store-load.ts', import.meta.url),
      [world.url(database), String(statementId), path],
      nodeOptions,
    );
    const [loaded] = (await once(child, 'message')) as [Omit<Loaded, 'statementId'>];
    if (child.exitCode === null) await once(child, 'exit');
    const after = await sql<{
      status: string;
      findings: unknown;
    }>`SELECT status, findings FROM statements WHERE id = ${statementId}`.execute(db);
    if (after.rows[0]?.status !== 'loaded') throw new Error(`not loaded: ${JSON.stringify(after.rows[0])}`);
    return { statementId, ...loaded };
  } finally {
    await db.destroy();
  }
}

/** Checks a statement like staff. */
export async function checkStatement(client: Client, statementId: number): Promise<void> {
  await sql`UPDATE statements SET status = 'checked', checked_at = now() WHERE id = ${statementId}`.execute(client.db);
}

async function buildReports(client: Client, month: string, named: { dryRun: true } | { version: string }) {
  const reply = await fetch(`${client.address}/api/reporting/automatic`, {
    method: 'POST',
    headers: {
      ...client.headers,
      'content-type': 'application/json',
      'idempotency-key': `${month} ${client.pid} ${Object.keys(named)}`,
    },
    body: JSON.stringify({ fromDate: monthToMs(month), confirmRates: true, ...named }),
  });
  if (!reply.ok) throw new Error(`posting a month answered ${reply.status}: ${await reply.text()}`);
  return reply.text();
}

/** Posts a month like staff, after its dry run. @returns seconds */
export async function postMonth(client: Client, month: string): Promise<number> {
  const { version } = (JSON.parse(await buildReports(client, month, { dryRun: true })) as { data: { version: string } })
    .data;
  // VACUUM first, as happens before staff post: the baseline is measured without background work too.
  await sql`VACUUM (ANALYZE) statement_sums, income_items`.execute(client.db);
  await sql`CHECKPOINT`.execute(client.db);
  const start = performance.now();
  await buildReports(client, month, { version });
  return (performance.now() - start) / 1000;
}

const told = `from=${monthToMs('2025-01')}`;
/** The month before; half of its tracks are unknown. */
export const monthBefore = '2024-12';
const before = `month=${monthToMs(monthBefore)}`;
/** Pages that add up a month's statements. */
export const storePages: readonly (readonly [string, string])[] = [
  ['month board', `/reporting/months?from=${monthToMs('2024-02')}&to=${monthToMs('2025-01')}`],
  ['analytics, figures', `/reporting/analytics/summary?${told}`],
  ['analytics, months', '/reporting/analytics/history'],
  ['analytics by store', `/reporting/analytics?by=store&${told}`],
  ['analytics by country', `/reporting/analytics?by=country&${told}`],
  ['analytics by track', `/reporting/analytics?by=track&${told}`],
  ['analytics by release', `/reporting/analytics?by=release&${told}&sort=quantity`],
  ['analytics by account, of a year', `/reporting/analytics?by=account&span=year&${told}`],
  ['analytics by month', '/reporting/analytics?by=period&sort=period'],
  ['inbox by month', `/reporting/unmatched?${before}`],
  ['inbox by source', '/reporting/unmatched?source=DistroKid'],
  ['inbox by month, totals', `/reporting/unmatched/summary?${before}`],
];
