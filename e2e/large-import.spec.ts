import { deepCount } from '@regie/api/test/deep.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { findDuplicateIsrcs, readBalances, reserveBooks, type Track } from './support/books.ts';
import { fromUnits, numberToUnits } from './support/decimals.ts';
import { chooseFile, fact, pickMonth, readDownload } from './support/screens.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

const rowCount = deepCount(100_000, 5);
const batchRows = 5000;
const usdDecimals = 10;
const header = 'ISRC;Écoutes;Revenus des écoutes;Téléchargements;Revenus des téléchargements;Remarque';

type Sums = { streams: bigint; streamsUsd: bigint; downloads: bigint; downloadsUsd: bigint };

type LargeFile = {
  text: string;
  /** The expected amounts of each track, by ISRC. */
  sums: Map<string, Sums>;
  /** The lines that cannot be saved, with their reasons, in file order. */
  unsaved: { line: string; reason: string }[];
};

/** The notations of one ISRC in stores' files. */
const spellings: readonly ((isrc: string) => string)[] = [
  (isrc) => isrc,
  (isrc) => isrc.toLowerCase(),
  (isrc) => isrc.replace(/^(..)(...)(..)(.*)$/, '$1-$2-$3-$4'),
  (isrc) => `ISRC ${isrc}`,
  (isrc) => `isrc ${isrc.toLowerCase().replace(/^(..)(...)(..)(.*)$/, '$1-$2-$3-$4')}`,
];

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** The ISRC of a row, and the reason when it cannot be saved. */
function isrcOf(row: number, tracks: readonly Track[], doubled: readonly string[]): { isrc: string; reason?: string } {
  if (row % 997 === 3) return { isrc: '', reason: 'ISRC manquant' };
  if (row % 499 === 7) return { isrc: `FR-${row}`, reason: 'ISRC mal formé' };
  if (row % 11 === 5) return { isrc: `QZZZZ26${String(row % 99_999).padStart(5, '0')}`, reason: 'ISRC inconnu' };
  const spell = pick(spellings, row);
  if (row % 37 === 1) return { isrc: spell(pick(doubled, row)), reason: 'ISRC en double' };
  return { isrc: spell(pick(tracks, Math.floor(row / 3)).isrc) };
}

function writeFile(tracks: readonly Track[], doubled: readonly string[]): LargeFile {
  const sums = new Map<string, Sums>();
  const unsaved: LargeFile['unsaved'] = [];
  // Ignored by the import, but unique, so that the test can run again on the same data.
  const lines = [`${header}\r\n`];
  const mark = crypto.randomUUID();
  for (let row = 1; row <= rowCount; row += 1) {
    const { isrc, reason } = isrcOf(row, tracks, doubled);
    const sign = row % 211 === 0 ? -1n : 1n;
    const streams = BigInt((row * 7919) % 5000);
    const streamsUsd = sign * BigInt((row * 104_729) % 89_999_999);
    const downloads = BigInt(row % 4);
    const downloadsUsd = downloads * 7_012_345_678n;
    const line = [
      isrc,
      streams,
      fromUnits(streamsUsd, usdDecimals, ','),
      downloads,
      fromUnits(downloadsUsd, usdDecimals, ','),
      row === 1 ? mark : '',
    ].join(';');
    lines.push(`${line}\r\n`);
    if (reason !== undefined) {
      unsaved.push({ line, reason });
      continue;
    }
    const { isrc: known } = pick(tracks, Math.floor(row / 3));
    const sum = sums.get(known) ?? { streams: 0n, streamsUsd: 0n, downloads: 0n, downloadsUsd: 0n };
    sums.set(known, {
      streams: sum.streams + streams,
      streamsUsd: sum.streamsUsd + streamsUsd,
      downloads: sum.downloads + downloads,
      downloadsUsd: sum.downloadsUsd + downloadsUsd,
    });
  }
  return { text: lines.join(''), sums, unsaved };
}

/** The sums of the import's reports, in the form of `LargeFile.sums`. */
async function readSums(api: Api, importId: number): Promise<{ ids: number[]; sums: Map<string, Sums> }> {
  const reports = await api.all(routes.listReports, (data) => data, { query: { import: importId, sort: 'id' } });
  return {
    ids: reports.map(({ id }) => id),
    sums: new Map(
      reports.map((report) => [
        report.Track?.isrc ?? '',
        {
          streams: BigInt(report.numOfStreams),
          streamsUsd: numberToUnits(report.incomeOfStreams, usdDecimals),
          downloads: BigInt(report.numOfDownloads),
          downloadsUsd: numberToUnits(report.incomeOfDownloads, usdDecimals),
        },
      ]),
    ),
  };
}

const counted = (count: number) => new Intl.NumberFormat('fr-FR').format(count).replaceAll('\u202f', '\u00a0');

function countByReason(rows: readonly { reason: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { reason } of rows) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return new Map([...counts].sort());
}

test(`${rowCount} rows are imported once, and each is accounted for`, async ({ page, api }) => {
  test.setTimeout(360_000);
  const { tracks, accountIds } = await reserveBooks(api, 'large');
  const file = writeFile(tracks, await findDuplicateIsrcs(api));
  const saved = rowCount - file.unsaved.length;
  const grossUsd = [...file.sums.values()].reduce((sum, each) => sum + each.streamsUsd + each.downloadsUsd, 0n);

  async function send(): Promise<void> {
    await pickMonth(page, 'Mois du rapport', '03/2025');
    await chooseFile(page, 'Fichier CSV ou Excel (.xlsx)', 'mars-2025.csv', file.text);
    await page.getByRole('button', { name: `Importer ${counted(rowCount)} lignes` }).click({ timeout: 60_000 });
  }

  // The rest of the file waits for this batch until the screens were checked.
  const heldBatch = Math.floor(rowCount / batchRows / 2);
  let letGo = () => {};
  const looked = new Promise<void>((done) => {
    letGo = done;
  });
  await page.route(/\/api\/reporting\/csv\?/, async (route) => {
    if (Number(new URL(route.request().url()).searchParams.get('batch')) >= heldBatch) await looked;
    await route.continue();
  });

  await test.step('its progress shows, on other screens too', async () => {
    await page.goto('/reporting/platform/add?section=csv');
    await send();
    const progress = page.getByRole('main').getByRole('progressbar', { name: 'Import de mars-2025.csv' });
    await expect(progress).toHaveAttribute('aria-valuenow', '50', { timeout: 120_000 });
    await expect(page.getByText(`${counted(rowCount / 2)} lignes sur ${counted(rowCount)}`)).toBeVisible();
    await expectNoAxeViolations(page);

    await page.getByRole('link', { name: 'Par plateforme', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Rapports' })).toBeVisible();
    await page.getByRole('button', { name: /^Travaux en cours\s: 1$/ }).click();
    const tray = page.getByRole('dialog', { name: /^Travaux/ });
    await expect(tray.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '50');
    await expect(tray).toContainText(`${counted(rowCount / 2)} / ${counted(rowCount)} lignes`);
    await expectNoAxeViolations(page);
    letGo();
    await expect(tray).toContainText(
      `Terminé ${counted(saved)} lignes enregistrées, ${counted(file.unsaved.length)} non enregistrées`,
      { timeout: 120_000 },
    );
  });

  await page.goBack();
  await expect(page.getByRole('heading', { name: /^Import terminé/ })).toBeVisible();
  await expectNoAxeViolations(page);
  const importId = Number(
    (await page.getByRole('link', { name: 'Voir l’import' }).getAttribute('href'))?.split('/').at(-1),
  );
  const first = await readSums(api, importId);

  await test.step('every row is accounted for', async () => {
    await expect(fact(page, 'Lignes')).toHaveText(counted(rowCount));
    await expect(fact(page, 'Enregistrées')).toHaveText(counted(saved));
    await expect(fact(page, 'Non enregistrées')).toHaveText(counted(file.unsaved.length));
    expect(first.sums).toEqual(file.sums);
    const { data } = await api.call(routes.getImport, { params: { id: importId } });
    expect(data).toMatchObject({ rows: rowCount, saved, unsaved: file.unsaved.length, reports: file.sums.size });
    expect(numberToUnits(data.grossUsd, usdDecimals)).toBe(grossUsd);

    const unsaved = await api.all(routes.listUnsavedRows, (rows) => rows, { params: { id: importId } });
    expect(countByReason(unsaved)).toEqual(countByReason(file.unsaved));
    const download = await readDownload(page, page.getByRole('button', { name: 'Télécharger unsaved-reports.csv' }));
    const [names, ...lines] = download.text.replace('\uFEFF', '').trimEnd().split('\r\n');
    expect(names).toBe(`${header};raison`);
    // Compared as one text: the failure then shows a difference in one of thousands of lines briefly.
    expect(lines).toHaveLength(file.unsaved.length);
    expect(
      lines.find((line, index) => line !== `${file.unsaved[index]?.line};${file.unsaved[index]?.reason}`),
    ).toBeUndefined();
  });

  await test.step('importing the same file again changes nothing, as the screen shows', async () => {
    const balances = await readBalances(api, accountIds);
    await page.getByRole('button', { name: 'Importer un autre fichier' }).click();
    await send();
    await expect(
      page.getByText(/^Ce fichier avait déjà été importé pour ce mois\u00a0: rien n’a été ajouté/),
    ).toBeVisible({
      timeout: 120_000,
    });
    await expect(fact(page, 'Enregistrées')).toHaveText(counted(saved));
    await expect(page.getByRole('link', { name: 'Voir l’import' })).toHaveAttribute(
      'href',
      `/reporting/import/${importId}`,
    );
    expect(await readSums(api, importId)).toEqual(first);
    expect(await readBalances(api, accountIds)).toEqual(balances);
  });
});
