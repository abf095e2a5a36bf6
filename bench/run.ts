import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { monthToMs } from '@regie/values/month.ts';
import { buildWebIfChanged } from '#scripts/lib/web-build.ts';
import { compareAudioUploads } from './lib/audio.ts';
import { comparePicture, makeCover, measureCoverUpload } from './lib/covers.ts';
import { measureEntry } from './lib/entry.ts';
import { compareExplanations } from './lib/explanations.ts';
import { measureFelt } from './lib/felt.ts';
import { copyFloor, copyReportsFloor, findLater, importFile, transactionsPerAccount } from './lib/imports.ts';
import { compareJournals, createEntries } from './lib/journal.ts';
import { measureLines, statementBytes } from './lib/lines.ts';
import { compareThroughput, findDeepestPage, median, medianTimes } from './lib/lists.ts';
import { peakWhileLoading, sendStatement } from './lib/memory.ts';
import { compareRequests, createOwedAccounts, measureBatch } from './lib/payouts.ts';
import { compareMonths } from './lib/pivot.ts';
import { compareReleaseLists } from './lib/release-lists.ts';
import { createReleases } from './lib/releases.ts';
import { publishStatements } from './lib/royalty-runs.ts';
import { compareSearch } from './lib/search.ts';
import { comparePage, compareSmartlinkPage } from './lib/smartlinks.ts';
import { compareStatementPdfs } from './lib/statement-pdfs.ts';
import { compareStatements } from './lib/statements.ts';
import {
  checkStatement,
  copyBytes,
  type Loaded,
  loadStoreFile,
  monthBefore,
  postMonth,
  rowsPerTrack,
  type StoreForm,
  storeForms,
  storePages,
  writeStoreFile,
} from './lib/store-files.ts';
import { compareTools } from './lib/tools.ts';
import { createCatalogue, createWorld, migrateWorld, startServer, startWholeServer, type World } from './lib/world.ts';

/**
 * Checks the project's speed limits as ratios to baselines measured in the same run, since absolute times mean nothing
 * on a shared machine. `--quick` uses a tenth of the sizes or less, and leaves out `felt`, whose limits
 * are times; `--only` selects parts.
 */
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
});
const scale = values.quick ? 10 : 1;

let short = 0;
function print(name: string, value: number, limit: { atLeast?: number; atMost?: number }, unit = ''): void {
  const isMet = limit.atLeast === undefined ? value <= (limit.atMost ?? 0) : value >= limit.atLeast;
  if (!isMet) short += 1;
  const target = limit.atLeast === undefined ? `<= ${limit.atMost}` : `>= ${limit.atLeast}`;
  process.stdout.write(
    `${name.padEnd(58)} ${`${value.toFixed(2)}${unit}`.padStart(10)}  ${`${target}${unit}`.padEnd(10)} ${isMet ? 'ok' : 'short'}\n`,
  );
}
const note = (text: string) => process.stdout.write(`# ${text}\n`);

const tracks = 1_000_000 / scale;
const smallImport = 100_000 / scale;
const tinyImport = 10_000 / scale;
/** The import limit applies at this size, also in a quick run. */
const promisedImport = 100_000;
const megabyte = 1024 * 1024;

/** Cost of a report file compared to its reports alone, repeated on fresh databases because the machine is shared. */
async function measureImport(world: World, catalogue: string): Promise<void> {
  const imports: number[] = [];
  const floors: number[] = [];
  let transactions = 0;
  for (const n of values.quick ? [1] : [1, 2, 3]) {
    const [name, floor] = [`import-${n}`, `import-floor-${n}`];
    for (const database of [name, floor]) await world.clone(catalogue, database);
    const server = await startServer(world, name);
    imports.push((await importFile(server, { rows: promisedImport, tracks, month: '2025-01' })).seconds);
    transactions = Math.max(transactions, await transactionsPerAccount(server));
    await server.stop();
    floors.push(await copyReportsFloor(world, name, floor));
  }
  const rate = (seconds: readonly number[]) => Math.round(promisedImport / median([...seconds]));
  note(`import of ${promisedImport} rows: ${rate(imports)} rows/s; COPY of its reports alone ${rate(floors)} rows/s`);
  print(`CSV import of ${promisedImport} rows ÷ COPY of its reports alone`, median(floors) / median(imports), {
    atLeast: 0.5,
  });
  print('ledger transactions of an import per account', transactions, { atMost: 1.2 });
}

/** Imports of reports, and the lists that show them. */
async function measureReports(world: World): Promise<void> {
  await world.clone('regie', 'catalogue');
  await createCatalogue(world, 'catalogue', { accounts: 4000, tracks });
  for (const name of ['large', 'small', 'tiny', 'floor']) await world.clone('catalogue', name);
  await measureImport(world, 'catalogue');
  const small = await startServer(world, 'small');
  const smallRun = await importFile(small, { rows: smallImport, tracks, month: '2025-01' });
  await small.stop();

  const tiny = await startServer(world, 'tiny');
  await importFile(tiny, { rows: tinyImport, tracks, month: '2025-01' });

  const large = await startServer(world, 'large');
  const laterOfLarge = await findLater(large);
  const largeRun = await importFile(large, { rows: tracks, tracks, month: '2025-01' });
  const floorSeconds = await copyFloor(world, 'large', 'floor', laterOfLarge);
  const rate = (run: { rows: number; seconds: number }) => run.rows / run.seconds;
  note(
    `import ${Math.round(rate(largeRun))} rows/s; COPY of the same tuples ${Math.round(tracks / floorSeconds)} rows/s`,
  );
  print('CSV import ÷ COPY of the same tuples', rate(largeRun) / (tracks / floorSeconds), { atLeast: 0.5 });
  print(`import rate at ${tracks} rows ÷ at ${smallImport}`, rate(largeRun) / rate(smallRun), { atLeast: 0.85 });
  print(`server memory growth over ${tracks} rows`, largeRun.memoryGrowthBytes / megabyte, { atMost: 250 }, ' MB');

  const list = '/reporting/all';
  const deepest = await findDeepestPage(large, list);
  const repeats = values.quick ? 20 : 40;
  const [first = 0, last = 0] = await medianTimes(
    [
      { client: large, path: `${list}?limit=50` },
      { client: large, path: deepest },
    ],
    repeats,
  );
  note(`reports list: first page ${first.toFixed(1)} ms, deepest ${last.toFixed(1)} ms`);
  print(`reports list: deepest page ÷ first at ${tracks}`, last / first, { atMost: 2 });
  const [atLarge = 0, atTiny = 0] = await medianTimes(
    [
      { client: large, path: `${list}?limit=50` },
      { client: tiny, path: `${list}?limit=50` },
    ],
    repeats,
  );
  print(`reports list: first page at ${tracks} ÷ at ${tinyImport}`, atLarge / atTiny, { atMost: 2 });
  const accounting = '/accounting/stats/common?type=platform';
  const [figuresAtLarge = 0, figuresAtTiny = 0] = await medianTimes(
    [
      { client: large, path: accounting },
      { client: tiny, path: accounting },
    ],
    repeats,
  );
  note(`accounting figures ${figuresAtLarge.toFixed(1)} ms, ${figuresAtTiny.toFixed(1)} ms`);
  print(`accounting figures: after ${tracks} rows ÷ after ${tinyImport}`, figuresAtLarge / figuresAtTiny, {
    atMost: 2,
  });
  const compared = `/reporting/compare?subject=track&value=1&a=${monthToMs('2024-12')}&b=${monthToMs('2025-01')}`;
  const [whyAtLarge = 0, whyAtTiny = 0] = await medianTimes(
    [
      { client: large, path: compared },
      { client: tiny, path: compared },
    ],
    repeats,
  );
  note(`two months of a track compared ${whyAtLarge.toFixed(1)} ms, ${whyAtTiny.toFixed(1)} ms`);
  print(`two months of a track compared: after ${tracks} rows ÷ after ${tinyImport}`, whyAtLarge / whyAtTiny, {
    atMost: 2,
  });
  const [listRate, floorRate] = await compareThroughput(
    large,
    [`${list}?limit=50`, '/bench/select-one'],
    values.quick ? 0.5 : 4,
  );
  note(`list ${Math.round(listRate)}/s, select 1 ${Math.round(floorRate)}/s`);
  print('signed-in list ÷ select 1 behind the same check', listRate / floorRate, { atLeast: 0.5 });
  await Promise.all([large.stop(), tiny.stop()]);
}

/** Account statements, payouts and their files. */
async function measureMoney(world: World): Promise<void> {
  for (const name of ['statements', 'owed-few', 'owed-many', 'batch']) await world.clone('regie', name);
  const movements = { many: 100_000 / scale, few: 100 };
  const [long, brief] = await compareStatements(world, 'statements', { ...movements, repeats: values.quick ? 20 : 40 });
  note(
    `statement of account: first page of ${movements.many} movements ${long.toFixed(1)} ms, of 100 ${brief.toFixed(1)} ms`,
  );
  print(`statement of account: first page at ${movements.many} ÷ at 100`, long / brief, { atMost: 2 });

  const [someOwed, manyOwed] = values.quick ? [1_000, 20_000] : [10_000, 1_000_000];
  await createOwedAccounts(world, 'owed-few', someOwed);
  await createOwedAccounts(world, 'owed-many', manyOwed);
  const [owedFew, owedMany] = [await startServer(world, 'owed-few'), await startServer(world, 'owed-many')];
  const unpaid = '/payouts/unpaid-accounts?limit=50';
  const [ofManyOwed = 0, ofSomeOwed = 0] = await medianTimes(
    [
      { client: owedMany, path: unpaid },
      { client: owedFew, path: unpaid },
    ],
    values.quick ? 20 : 40,
  );
  note(`unpaid accounts: first page ${ofManyOwed.toFixed(1)} ms, ${ofSomeOwed.toFixed(1)} ms`);
  print(`unpaid accounts: first page at ${manyOwed} ÷ at ${someOwed}`, ofManyOwed / ofSomeOwed, { atMost: 2 });
  const [requestMs, bareRequestMs] = await compareRequests(owedFew, values.quick ? 60 : 300);
  note(`payout request ${requestMs.toFixed(1)} ms, its rows alone ${bareRequestMs.toFixed(1)} ms`);
  print('payout requests ÷ the same rows by a bare transaction', bareRequestMs / requestMs, { atLeast: 0.5 });
  await Promise.all([owedFew.stop(), owedMany.stop()]);

  const transfers = 10_000 / scale;
  const batch = await measureBatch(world, 'batch', transfers);
  note(`batch of ${transfers} payouts made, exported and paid; its SEPA file in ${batch.fileMs.toFixed(0)} ms`);
  print(
    `server memory growth over a SEPA file of ${transfers}`,
    batch.memoryGrowthBytes / megabyte,
    { atMost: 250 },
    ' MB',
  );
}

/** The pages for missing codes, duplicates and similar titles. */
async function measureTools(world: World): Promise<void> {
  for (const name of ['tools-few', 'tools-many']) await world.clone('regie', name);
  const [fewTracks, manyTracks] = values.quick ? [500, 5_000] : [10_000, 1_000_000];
  const toolPages = await compareTools(
    world,
    { database: 'tools-few', tracks: fewTracks },
    { database: 'tools-many', tracks: manyTracks },
    values.quick ? 10 : 40,
  );
  for (const { name, fewMs, manyMs } of toolPages) {
    note(`${name}: first page ${manyMs.toFixed(1)} ms, ${fewMs.toFixed(1)} ms`);
    print(`${name}: first page at ${manyTracks} ÷ at ${fewTracks}`, manyMs / fewMs, { atMost: 2 });
  }
}

/** Lists and searches of releases, and global search. */
async function measureReleases(world: World): Promise<void> {
  for (const name of ['few', 'many']) await world.clone('regie', name);
  // Quick runs use smaller catalogues.
  const [few, many] = values.quick ? [1_000, 10_000] : [10_000, 1_000_000];
  await Promise.all([createReleases(world, 'few', few), createReleases(world, 'many', many)]);
  const [ofFew, ofMany] = [await startServer(world, 'few'), await startServer(world, 'many')];
  note(`${many} releases with three tracks each, and ${few}: the same questions of both`);
  const ratios = await compareReleaseLists(
    { client: ofFew, releases: few },
    { client: ofMany, releases: many },
    values.quick ? 5 : 30,
  );
  for (const { name, fewMs, manyMs, isExtreme } of ratios) {
    const times = `${fewMs.toFixed(1)} ms, ${manyMs.toFixed(1)} ms`;
    if (isExtreme) note(`${name}: ${(manyMs / fewMs).toFixed(2)} (${times})`);
    else print(`${name}: at ${many} ÷ at ${few}`, manyMs / fewMs, { atMost: 2 });
  }
  const [searchFew, searchMany] = await compareSearch(
    { client: ofFew, releases: few },
    { client: ofMany, releases: many },
    values.quick ? 3 : 20,
  );
  note(`palette: 95 % of the answers within ${searchFew.toFixed(1)} ms, ${searchMany.toFixed(1)} ms`);
  print(`palette search: p95 at ${many} releases ÷ at ${few}`, searchMany / searchFew, { atMost: 3 });
  await Promise.all([ofFew.stop(), ofMany.stop()]);
}

/** Uploads the previous month, half unmatched, to a server that has already handled lists, imports and loads. */
async function receiveFormer(world: World, database: string, folder: string, rows: number) {
  const tracksOfFile = rows / rowsPerTrack;
  const firstTrack = 5_000_000 / scale / rowsPerTrack - Math.floor(tracksOfFile / 2);
  const path = join(folder, `former-${rows}.tsv`);
  await writeStoreFile(path, 'narrow', rows, { month: monthBefore, firstTrack });
  const earlier = join(folder, `earlier-${rows}.tsv`);
  await writeStoreFile(earlier, 'narrow', 100_000 / scale, { month: '2024-06', firstTrack: 0 });
  const dataDir = join(folder, database);
  const server = await startWholeServer(world, database, dataDir);
  await medianTimes(
    ['/reporting/all', '/releases/delivered', '/accounts/profiles'].map((list) => ({ client: server, path: list })),
    20,
  );
  await importFile(server, { rows: smallImport, tracks: smallImport, month: '2024-06' });
  await peakWhileLoading(server, await sendStatement(server, earlier));
  const statementId = await sendStatement(server, path);
  const peakBytes = await peakWhileLoading(server, statementId);
  await server.stop();
  return { statementId, peakBytes, filesDir: join(dataDir, 'files') };
}

/** Store files: loading, posting a month, the month board. */
async function measureStores(world: World): Promise<void> {
  const [fewRows, someRows, manyRows] = [100_000 / scale, 1_000_000 / scale, 5_000_000 / scale];
  const storeTracks = manyRows / rowsPerTrack;
  await buildWebIfChanged(note);
  await world.clone('regie', 'store-catalogue');
  await createCatalogue(world, 'store-catalogue', { accounts: 4000, tracks: storeTracks });
  for (const name of ['store-few', 'store-some', 'store-many', 'store-floor'])
    await world.clone('store-catalogue', name);
  const root = await mkdtemp(join(tmpdir(), 'regie-stores-'));
  // A folder of the storage.
  const folder = join(root, 'statements');
  await mkdir(folder);
  try {
    const write = async (form: StoreForm, rows: number, month = '2025-01') => {
      const path = join(folder, `${form}-${rows}-${month}.${storeForms[form].extension}`);
      await writeStoreFile(path, form, rows, { month, firstTrack: 0 });
      return path;
    };
    const rates: Record<string, number> = {};
    let smallPeak = 0;
    for (const form of ['narrow', 'wide'] as const) {
      const floors: number[] = [];
      const loads: Loaded[] = [];
      // Separate months, so that there are no duplicates.
      for (const month of ['2025-01', '2025-02', '2025-03']) {
        const path = await write(form, someRows, month);
        floors.push(await copyBytes(world, 'store-some', path, form));
        loads.push(await loadStoreFile(world, 'store-some', path));
      }
      const floorSeconds = median(floors);
      const seconds = median(loads.map((load) => load.seconds));
      rates[form] = someRows / seconds;
      if (form === 'narrow') smallPeak = median(loads.map(({ peakBytes }) => peakBytes));
      note(
        `${form} file: ${Math.round(rates[form])} rows/s, COPY of its bytes ${Math.round(someRows / floorSeconds)} rows/s`,
      );
      print(`${form} file: load ÷ COPY of the same bytes`, floorSeconds / seconds, { atLeast: 0.35 });
    }
    const stored = await measureLines(world, 'store-floor', someRows);
    note(
      `lines: ${Math.round(someRows / stored.writeSeconds)}/s to Parquet and sums, COPY ${Math.round(someRows / stored.copySeconds)}/s, ${(stored.fileBytes / someRows).toFixed(1)} bytes each`,
    );
    print('lines to Parquet and sums ÷ COPY of the lines', stored.copySeconds / stored.writeSeconds, { atLeast: 0.6 });
    const bytesBefore = await statementBytes(world, 'store-many');
    const few = await loadStoreFile(world, 'store-few', await write('narrow', fewRows));
    const many = await loadStoreFile(world, 'store-many', await write('narrow', manyRows));
    const grown = (await statementBytes(world, 'store-many')) - bytesBefore;
    print('database per million lines', (grown / megabyte / manyRows) * 1_000_000, { atMost: 15 }, ' MB');
    print(`load rate at ${manyRows} rows ÷ at ${someRows}`, manyRows / many.seconds / (rates.narrow ?? 0), {
      atLeast: 0.85,
    });
    print(`load memory at ${manyRows} rows ÷ at ${someRows}`, many.peakBytes / smallPeak, { atMost: 1.25 });
    print(`load memory at ${manyRows} rows, with Node itself`, many.peakBytes / megabyte, { atMost: 300 }, ' MB');

    const [formerFew, formerMany] = [
      await receiveFormer(world, 'store-few', folder, fewRows),
      await receiveFormer(world, 'store-many', folder, manyRows),
    ];
    print(
      `memory of a server that loads ${manyRows} rows after other work`,
      formerMany.peakBytes / megabyte,
      { atMost: 300 },
      ' MB',
    );
    const [ofFew, ofMany] = [
      await startServer(world, 'store-few', formerFew.filesDir),
      await startServer(world, 'store-many', formerMany.filesDir),
    ];
    for (const [client, { statementId }] of [
      [ofFew, few],
      [ofMany, many],
    ] as const)
      await checkStatement(client, statementId);
    const later = await findLater(ofMany);
    const postSeconds = await postMonth(ofMany, '2025-01');
    const floorSeconds = await copyFloor(world, 'store-many', 'store-floor', later);
    note(
      `a month of ${storeTracks} tracks: posted in ${postSeconds.toFixed(1)} s, COPY of its tuples ${floorSeconds.toFixed(1)} s`,
    );
    print(`posting a month of ${storeTracks} tracks ÷ COPY of its tuples`, postSeconds / floorSeconds, { atMost: 2 });
    await postMonth(ofFew, '2025-01');
    const late = (rows: number) => Math.round(rows * 0.98);
    const pages = [
      ...storePages.map(([name, path]) => [name, path, path] as const),
      [
        'differences',
        `/reporting/statements/${many.statementId}/differences`,
        `/reporting/statements/${few.statementId}/differences`,
      ],
      [
        `line ${late(manyRows)} of a file`,
        `/reporting/statements/${formerMany.statementId}/lines?from=${late(manyRows)}&count=50`,
        `/reporting/statements/${formerFew.statementId}/lines?from=${late(fewRows)}&count=50`,
      ],
    ] as const;
    for (const [name, pathOfMany, pathOfFew] of pages) {
      const [atMany = 0, atFew = 0] = await medianTimes(
        [
          { client: ofMany, path: pathOfMany },
          { client: ofFew, path: pathOfFew },
        ],
        values.quick ? 5 : 20,
      );
      note(`${name}: ${atMany.toFixed(1)} ms, ${atFew.toFixed(1)} ms`);
      print(`${name}: at ${manyRows} source rows ÷ at ${fewRows}`, atMany / atFew, { atMost: 2 });
    }
    await Promise.all([ofFew.stop(), ofMany.stop()]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Covers, audio, the public page. */
async function measureFiles(world: World): Promise<void> {
  await world.clone('regie', 'files');
  await createReleases(world, 'files', 1_000);
  const server = await startServer(world, 'files');
  const { uploadMs, bareMs, url } = await measureCoverUpload(server, await makeCover(), values.quick ? 5 : 15);
  note(`cover upload ${uploadMs.toFixed(0)} ms, its pictures by sharp alone ${bareMs.toFixed(0)} ms`);
  print('cover upload to all pictures ÷ bare sharp', uploadMs / bareMs, { atMost: 1.5 });
  const [pictureRate, diskRate] = await comparePicture(server, url, values.quick ? 0.5 : 4);
  note(`cover picture ${Math.round(pictureRate)}/s, from disk ${Math.round(diskRate)}/s`);
  print('cover picture from memory ÷ the same bytes read at each call', pictureRate / diskRate, { atLeast: 0.8 });
  const [pageRate, fileRate] = await compareSmartlinkPage(server, 1, values.quick ? 0.25 : 2);
  note(`public smartlink page ${Math.round(pageRate)}/s, a file of its size ${Math.round(fileRate)}/s`);
  print('public smartlink page ÷ a static file of its size', pageRate / fileRate, { atLeast: 0.5 });

  const audioBytes = values.quick ? 15_000_000 : 100_000_000;
  const [inChunks, inOne] = await compareAudioUploads(server, audioBytes, 5);
  note(
    `${audioBytes / 1_000_000} MB of audio: ${inChunks.toFixed(2)} s in chunks, ${inOne.toFixed(2)} s in one stream`,
  );
  print('audio in chunks, verified ÷ the same bytes in one stream', inChunks / inOne, { atMost: 3 });
  await server.stop();
}

/** The PDFs that the server prints. */
async function measureStatementPdfs(): Promise<void> {
  const accounts = 1000 / scale;
  const { printedMs, bareMs } = await compareStatementPdfs(accounts);
  note(
    `PDF of a statement of 40 tracks: ${(printedMs / accounts).toFixed(1)} ms, by pdfmake alone ${(bareMs / accounts).toFixed(1)} ms`,
  );
  print(`${accounts} PDFs of statements ÷ the same tables by pdfmake alone`, printedMs / bareMs, { atMost: 1.3 });
}

/** Publishing the statements of a month, and a customer's page. */
async function measureStatementRuns(world: World): Promise<void> {
  const accounts = 10_000 / scale;
  // Ten tracks of each account.
  const rows = accounts * 10 * rowsPerTrack;
  await world.clone('regie', 'royalties');
  await createCatalogue(world, 'royalties', { accounts, tracks: rows / rowsPerTrack });
  const root = await mkdtemp(join(tmpdir(), 'regie-royalties-'));
  try {
    await mkdir(join(root, 'statements'));
    const path = join(root, 'statements', 'month.tsv');
    await writeStoreFile(path, 'narrow', rows);
    const { statementId } = await loadStoreFile(world, 'royalties', path);
    const server = await startServer(world, 'royalties', root);
    await checkStatement(server, statementId);
    await postMonth(server, '2025-01');
    const run = await publishStatements(world, 'royalties', root);
    note(
      `${run.statements} statements of ${rows} lines in ${run.seconds.toFixed(1)} s, their aggregate query ${run.aggregateSeconds.toFixed(1)} s`,
    );
    print(`publishing ${run.statements} statements ÷ their aggregate query`, run.seconds / run.aggregateSeconds, {
      atMost: 2,
    });
    print('memory growth while publishing', run.memoryGrowthBytes / megabyte, { atMost: 100 }, ' MB');
    const [pageRate, fileRate] = await comparePage(server, run.page, values.quick ? 0.25 : 2);
    note(`public page of a statement ${Math.round(pageRate)}/s, a file of its size ${Math.round(fileRate)}/s`);
    print('public page of a statement ÷ a static file of its size', pageRate / fileRate, { atLeast: 0.5 });
    await server.stop();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** What a browser loads before the first paint. */
async function measurePage(): Promise<void> {
  await buildWebIfChanged(note);
  const { regie, bare } = await measureEntry();
  note(`entry ${(regie / 1000).toFixed(1)} kB gzipped; bare React page ${(bare / 1000).toFixed(1)} kB`);
  print('entry JavaScript ÷ bare React page', regie / bare, { atMost: 2.2 });
}

/**
 * What a person feels in a browser. These limits are times: they hold on an idle machine only. Where React alone takes
 * half of a limit or more, the limit is twice that.
 */
async function measureFeltSpeed(): Promise<void> {
  const { openingMs, shifts, shifted, slowest } = await measureFelt(values.quick ? 3 : 9, values.quick ? 1 : 5);
  for (const [name, { hovered, cold, bare }] of openingMs) {
    note(`${name}: React alone shows the same elements ${bare.toFixed(0)} ms after a click`);
    print(
      `${name}: click on a row to its record’s first screen, after a hover`,
      hovered,
      { atMost: Math.max(50, Math.round(2 * bare)) },
      ' ms',
    );
    print(
      `${name}: click on a row to its record’s first screen, without`,
      cold,
      { atMost: Math.max(200, Math.round(2 * bare)) },
      ' ms',
    );
  }
  for (const what of shifted) note(`moved: ${what}`);
  print('layout shift of lists, and of records opened by address', shifts, { atMost: 0 });
  note(`slowest interaction: ${slowest.what}`);
  print('slowest interaction at a quarter of the speed', slowest.ms, { atMost: 100 }, ' ms');
}

/** The journal's search. */
async function measureJournal(world: World): Promise<void> {
  for (const name of ['journal-few', 'journal-many']) await world.clone('regie', name);
  const [few, many] = values.quick ? [1_000, 10_000] : [10_000, 1_000_000];
  await createEntries(world, 'journal-few', few);
  await createEntries(world, 'journal-many', many);
  const [ofFew, ofMany] = [await startServer(world, 'journal-few'), await startServer(world, 'journal-many')];
  for (const { q, fewMs, manyMs } of await compareJournals(ofFew, ofMany, values.quick ? 5 : 20)) {
    note(`journal, “${q}”: ${manyMs.toFixed(1)} ms at ${many} entries, ${fewMs.toFixed(1)} ms at ${few}`);
    print(`journal, “${q}”: at ${many} entries ÷ at ${few}`, manyMs / fewMs, { atMost: 2 });
  }
  await Promise.all([ofFew.stop(), ofMany.stop()]);
}

/** Cross tables of one month, alone and after many others. */
async function measurePivot(world: World): Promise<void> {
  const [months, lines] = values.quick ? [4, 100_000] : [40, 5_000_000];
  await world.clone('regie', 'pivot-catalogue');
  await createCatalogue(world, 'pivot-catalogue', { accounts: 4000, tracks: lines / rowsPerTrack });
  const root = await mkdtemp(join(tmpdir(), 'regie-pivot-'));
  try {
    const { bytes, measured } = await compareMonths(world, 'pivot-catalogue', root, { months, lines, repeats: 5 });
    note(`${(months * lines) / 1_000_000} M lines, ${(bytes / months / lines).toFixed(1)} bytes each`);
    for (const { question, fewMs, manyMs } of measured) {
      note(`${question}: ${Math.round(manyMs)} ms`);
      print(`  one month of ${months} ÷ alone`, manyMs / fewMs, { atMost: 1.5 });
    }
  } finally {
    await rm(root, { recursive: true });
  }
}

/** "Pourquoi moins ?" on the demo and on a hundred of it. */
async function measureExplanations(world: World): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'regie-compare-'));
  try {
    const times = values.quick ? 10 : 100;
    for (const { subject, fewMs, manyMs } of await compareExplanations(world, root, times, values.quick ? 5 : 20)) {
      note(
        `two months of the largest ${subject}: ${manyMs.toFixed(1)} ms of the demo × ${times}, ${fewMs.toFixed(1)} ms of the demo`,
      );
      print(`why less, ${subject}: demo × ${times} ÷ demo`, manyMs / fewMs, { atMost: 2 });
    }
  } finally {
    await rm(root, { recursive: true });
  }
}

const parts: Record<string, (world: World) => Promise<void>> = {
  reports: measureReports,
  money: measureMoney,
  tools: measureTools,
  releases: measureReleases,
  stores: measureStores,
  pivot: measurePivot,
  compare: measureExplanations,
  files: measureFiles,
  'statements-pdf': measureStatementPdfs,
  'statements-out': measureStatementRuns,
  journal: measureJournal,
  page: measurePage,
  felt: measureFeltSpeed,
};
const chosen = values.only ?? Object.keys(parts).filter((name) => !values.quick || name !== 'felt');
for (const name of chosen) if (!parts[name]) throw new Error(`--only ${name}: one of ${Object.keys(parts).join(', ')}`);

note(`${values.quick ? 'quick: a tenth of the sizes; ' : ''}${tracks} tracks, 4000 accounts`);
const world = await createWorld();
try {
  await migrateWorld(world);
  for (const name of chosen) {
    const start = performance.now();
    await parts[name]?.(world);
    note(`${name} took ${Math.round((performance.now() - start) / 1000)} s`);
  }
} finally {
  await world.close();
}
if (short > 0) process.exitCode = 1;
process.stdout.write(short === 0 ? '# every target is met\n' : `# ${short} short of its target\n`);
