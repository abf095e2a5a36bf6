import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { readExport } from './support/screens.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

const nbsp = '\u00a0';
const row = (titre: string, artistes: string, barcode: string, isrc: string) =>
  [titre, artistes, barcode, isrc].join(';');
const csv = (rows: readonly string[]) =>
  `titre;artistes;upc;isrc;durée\r\n${rows.map((line) => `${line};3:15\r\n`).join('')}`;
const fileOf = (name: string, text: string, encoding: BufferEncoding = 'utf8') => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text, encoding),
});

/** A waiting release without a valid barcode, and an ISRC of another account. */
async function findRelease(api: Api) {
  const { data } = await api.call(routes.listUnpaidReleases, { query: { limit: 200 } });
  const releases = await Promise.all(
    data.slice(-20).map(async ({ id }) => (await api.call(routes.getRelease, { params: { id } })).data),
  );
  const release = releases.find(({ tracks, canEdit }) => tracks.length > 0 && tracks.length < 20 && canEdit);
  const foreign = releases.find(({ userId, tracks }) => userId !== release?.userId && tracks.some(({ isrc }) => isrc));
  const isrc = foreign?.tracks.find((track) => track.isrc)?.isrc;
  if (!release || !isrc) throw new Error('the demo has no two waiting releases of two accounts');
  return { release, foreignIsrc: isrc };
}

test('forty tracks are added from a file, after the invalid row is corrected', async ({ page, api }) => {
  const { release, foreignIsrc } = await findRelease(api);
  const barcode = release.barcode ?? '0012345678905';
  const number = String(Math.floor(Math.random() * 90_000) + 10_000);
  const isrcOf = (n: number) =>
    `QZ${number.slice(0, 1)}${number.slice(1, 3)}26${number.slice(3)}${String(n).padStart(3, '0')}`;
  const spelled = (isrc: string) => isrc.toLowerCase().replace(/^(..)(...)(..)/, '$1-$2-$3-');
  const titleOf = (n: number) => `Été nº ${n} à l’Œuvre ${number}`;
  const rows = Array.from({ length: 40 }, (_, index) =>
    row(
      titleOf(index + 1),
      index % 3 === 0 ? `Zoé Ångström ${number} feat. Ida Roux` : `Zoé Ångström ${number}`,
      barcode,
      index === 4 ? spelled(isrcOf(5)) : isrcOf(index + 1),
    ),
  );

  await page.goto(`/library/release/${release.id}/edit`);
  const chooser = page.getByRole('button', { name: /^Fichier des titres/ });
  const choose = async (file: ReturnType<typeof fileOf>) => {
    const [dialog] = await Promise.all([page.waitForEvent('filechooser'), chooser.click()]);
    await dialog.setFiles(file);
  };

  await test.step('a file that is not a table is refused', async () => {
    await choose({ name: 'titres.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') });
    await expect(page.getByText('S.V.P selectionner un fichier CSV')).toBeVisible();
    await choose(fileOf('titres.csv', 'titre;isrc\r\n"Été;FR\r\nFin;FR\r\n'));
    await expect(page.getByText(/^Données ne sont pas valide/)).toBeVisible();
    const template = await readExport(page, page.getByRole('button', { name: 'Télécharger le modèle' }));
    expect(template.name).toBe('modele-titres.csv');
    expect(template.text).toMatch(/^\ufefftitre;artistes;barcode;isrc\r\n/);
  });

  await test.step('an invalid row refuses the whole file', async () => {
    const bad = rows.with(9, row(titleOf(10), 'Zoé', barcode, foreignIsrc));
    // Œ and the curly apostrophe are single bytes of Windows-1252.
    const windows = csv(bad).replaceAll('Œ', '\u008c').replaceAll('’', '\u0092');
    await choose(fileOf('titres.csv', windows, 'latin1'));
    await expect(page.getByRole('status').filter({ hasText: '39 nouveaux titres · 1 ligne refusée' })).toBeVisible();
    await expect(page.getByText(`Colonnes ignorées${nbsp}: durée`)).toBeVisible();
    const table = page.getByRole('group', { name: 'Lignes du fichier et leur verdict' });
    await expect(
      table
        .getByRole('row')
        .filter({ hasText: titleOf(1) })
        .first(),
    ).toContainText('Nouveau');
    await page.getByRole('checkbox', { name: 'N’afficher que les lignes refusées' }).check();
    await expect(table.getByRole('row')).toHaveCount(2);
    await expect(table.getByRole('row').last()).toContainText(`L’ISRC ${foreignIsrc} est à un autre compte`);
    await expect(table.getByRole('row').last()).toContainText('Conflit');
    await expect(page.getByRole('button', { name: 'Importer 39 titres' })).toBeDisabled();
    // Where the page is scrolled to, its bar may cover half a button.
    await page.evaluate(() => window.scrollTo(0, 0));
    await expectNoAxeViolations(page);
    const { data: untouched } = await api.call(routes.getRelease, { params: { id: release.id } });
    expect(untouched.tracks).toHaveLength(release.tracks.length);
  });

  await test.step('the corrected file is added at once', async () => {
    await choose(fileOf('titres.csv', csv(rows)));
    await expect(page.getByRole('status').filter({ hasText: '40 nouveaux titres' })).toBeVisible();
    const sent = page.waitForRequest(
      (request) => request.url().endsWith('/tracks/import') && request.method() === 'POST',
    );
    await page.getByRole('button', { name: 'Importer 40 titres' }).click();
    expect((await sent).headers()['idempotency-key']).toBeTruthy();
    await expect(page).toHaveURL(`/library/release/${release.id}/edit`);
    await expect(page.getByText(`Les titres sont importés${nbsp}: 40 nouveaux titres`)).toBeVisible();
    const { data: filled } = await api.call(routes.getRelease, { params: { id: release.id } });
    const added = filled.tracks.slice(release.tracks.length);
    expect(added.map(({ title, isrc }) => [title, isrc])).toEqual(rows.map((_, n) => [titleOf(n + 1), isrcOf(n + 1)]));
    expect(filled.barcode).toBe(barcode);
    expect(added[0]?.Artists.map(({ fullname, role }) => [fullname, role])).toEqual([
      [`Zoé Ångström ${number}`, 'Primary Artist'],
      ['Ida Roux', 'Featuring'],
    ]);
    await expect(page.getByRole('row').filter({ hasText: titleOf(40) })).toBeVisible();
  });

  await test.step('importing the same file again changes nothing', async () => {
    await page.goto(`/library/release/${release.id}/edit`);
    await choose(fileOf('titres.csv', csv(rows)));
    await expect(page.getByRole('status').filter({ hasText: '40 titres déjà présents' })).toBeVisible();
    await expect(page.getByText('il n’y a rien à importer')).toBeVisible();
  });

  const { data: last } = await api.call(routes.getRelease, { params: { id: release.id } });
  for (const { id } of last.tracks.slice(release.tracks.length)) await api.call(routes.deleteTrack, { params: { id } });
});

test('the part of AI is declared for a track and a whole release, and goes through export and import', async ({
  page,
  api,
}) => {
  const { release } = await findRelease(api);
  const form = {
    ...{ genre: 'Jazz' as const, originalRealeaseDate: '01/12/2026', digitalReleaseDate: '04/12/2026' },
    ...{ yearOfRegistration: 2026, recordingOwnerName: 'Maison Nord', coverDetailsOwner: 'Maison Nord' },
  };
  const mark = crypto.randomUUID().slice(0, 8);
  const create = async (title: string, coverAi?: 'partly') =>
    (await api.call(routes.createRelease, { body: { ...form, userId: release.userId ?? 0, title, coverAi } })).data.id;
  const [first, second] = [await create(`Source ${mark}`, 'partly'), await create(`Copie ${mark}`)];
  const artists = [{ fullname: `Trio ${mark}, Nord`, role: 'Primary Artist', isMusician: false }];
  for (const title of ['Aurore', 'Brume']) {
    await api.call(routes.addTrack, {
      body: { ...form, title, language: 'French', libraryId: first, artists, contributors: [], musicians: [] },
    });
  }
  const aiOf = async (id: number) =>
    (await api.call(routes.getRelease, { params: { id } })).data.tracks.map((track) => [
      ...[track.title, track.recordingAi, track.compositionAi],
      ...track.Artists.map(({ fullname }) => fullname),
    ]);

  await page.goto(`/library/release/${first}/edit`);
  await page.getByRole('button', { name: 'Modifier Aurore' }).click();
  const dialog = page.getByRole('dialog', { name: 'Modifier Aurore' });
  await dialog.getByRole('combobox', { name: 'IA dans l’enregistrement' }).selectOption('En partie par IA');
  await dialog.getByRole('button', { name: 'Enregistrer le titre' }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole('button', { name: 'Déclarer l’IA' }).click();
  const declaration = page.getByRole('dialog', { name: 'Déclarer la part de l’IA' });
  for (const name of ['IA dans l’enregistrement', 'IA dans la composition']) {
    await declaration.getByRole('combobox', { name }).selectOption('Aucune IA');
  }
  await expectNoAxeViolations(page);
  await declaration.getByRole('button', { name: 'Déclarer l’IA' }).click();
  await expect(page.getByText(`Déclaration enregistrée${nbsp}: 2 titres`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Déclarer l’IA' })).toHaveCount(0);
  const declared = [
    ['Aurore', 'partly', 'none', artists[0]?.fullname],
    ['Brume', 'none', 'none', artists[0]?.fullname],
  ];
  expect(await aiOf(first)).toEqual(declared);

  const file = await readExport(page, page.getByRole('button', { name: 'Exporter les titres' }));
  expect(file.text).toContain('IA dans l’enregistrement');
  await page.goto(`/library/release/${second}/edit`);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: /^Fichier des titres/ }).click(),
  ]);
  await chooser.setFiles(fileOf(file.name, file.text));
  const table = page.getByRole('group', { name: 'Lignes du fichier et leur verdict' });
  await expect(table.getByRole('row').filter({ hasText: 'Aurore' })).toContainText('En partie par IA');
  await page.getByRole('button', { name: 'Importer 2 titres' }).click();
  await expect(page.getByText(`Les titres sont importés${nbsp}: 2 nouveaux titres`)).toBeVisible();
  expect(await aiOf(second)).toEqual(declared);
  await expect(page.getByRole('combobox', { name: 'IA dans la pochette' })).toHaveValue('partly');
  await page.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(page.getByText('La sortie est enregistrée')).toBeVisible();
  const { data: copy } = await api.call(routes.getRelease, { params: { id: second } });
  expect(copy.coverAi).toBe('partly');
  await page.goto(`/library/release/${second}`);
  await page.getByRole('link', { name: 'Aurore' }).first().click();
  await expect(page.getByText('En partie par IA')).toBeVisible();
});
