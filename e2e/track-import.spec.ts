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
