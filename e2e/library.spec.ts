import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { expectReady, fact, readExport } from './support/screens.ts';
import { expect, expectNoAxeViolations, expectNoAxeViolationsInBoth, test } from './support/test.ts';

/** A delivered release whose first track has an ISRC, a contributor and an editor. */
async function findCredited(api: Api) {
  const { data } = await api.call(routes.listDeliveredReleases, { query: { limit: 50 } });
  for (const { id } of data) {
    const { data: found } = await api.call(routes.getRelease, { params: { id } });
    const [track] = found.tracks;
    const [writer, publisher] = [track?.Contributors[0]?.fullname, track?.Editors[0]?.fullname];
    if (track?.isrc && writer && publisher) return { found, isrc: track.isrc, writer, publisher };
  }
  throw new Error('the demo has no such delivered release');
}

test('the library finds a track by its ISRC, its contributors and editor, and the list of its release', async ({
  page,
  api,
}) => {
  const { found, isrc, writer, publisher } = await findCredited(api);
  const main = page.getByRole('main');
  const search = page.getByRole('searchbox', { name: 'Rechercher' });

  await page.goto('/library');
  await main.getByRole('link', { name: /^Titres/ }).click();
  await expect(page).toHaveURL('/library/tracks');
  await search.fill(isrc);
  const row = main.getByRole('row').filter({ hasText: isrc });
  await expect(main.getByRole('row')).toHaveCount(2);
  await expect(row).toContainText(found.title);
  const { name, text } = await readExport(page, page.getByRole('button', { name: 'Exporter' }));
  expect(name).toBe('titres.csv');
  expect(text.trim().split('\n')).toHaveLength(2);
  expect(text).toContain(isrc);
  await row.getByRole('link').first().click();
  await expect(page).toHaveURL(`/library/track/${found.tracks[0]?.id}`);

  for (const [label, path, person] of [
    ['Contributeurs', '/library/contributors', writer],
    ['Éditeurs', '/library/editors', publisher],
  ] as const) {
    await page.goto('/library');
    await main.getByRole('link', { name: new RegExp(`^${label}`) }).click();
    await expect(page).toHaveURL(path);
    await search.fill(person.toLowerCase());
    await expect(main.getByRole('row').filter({ hasText: person }).first()).toBeVisible();
    await search.fill('personne de ce nom');
    await expect(main.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();
  }

  await page.goto('/library');
  await main.getByRole('link', { name: /^Sorties livrées/ }).click();
  await expect(page).toHaveURL('/library/releases/delivered');
  await search.fill(isrc);
  await expect(main.getByRole('link', { name: /^Voir les détails/ })).toHaveCount(1);
  await main.getByRole('link', { name: /^Voir les détails/ }).click();
  await expect(page).toHaveURL(`/library/release/${found.id}`);
  await expect(main.getByRole('heading', { level: 1 })).toContainText(found.title);
});

test('a track has a page, which a card announces and which leads to its reports and lines', { tag: '@area' }, async ({
  page,
  api,
}) => {
  const { data } = await api.call(routes.listAnalytics, { query: { by: 'track', span: 'year', limit: 5 } });
  const found = data.find(({ isrc }) => isrc !== null);
  const { data: tracks } = await api.call(routes.listLibraryTracks, { query: { q: found?.isrc ?? '', limit: 1 } });
  const [track] = tracks;
  if (!track?.isrc) throw new Error('no track of the demo has income');
  await page.goto(`/accounts/${track.userId}/releases?q=${track.isrc}`);
  await expectReady(page);
  const link = page.getByRole('cell').getByRole('link', { name: track.title, exact: true }).first();
  const card = page.getByRole('tooltip');
  // A row that is rendered again under a resting pointer gets no hover.
  await expect(async () => {
    await page.mouse.move(0, 0);
    await link.hover();
    await expect(card).toContainText(String(track.isrc), { timeout: 3000 });
  }).toPass();
  await expect(card).toContainText('€');
  await expect(link).toHaveAccessibleDescription(new RegExp(track.isrc));
  await card.hover();
  await expectNoAxeViolations(page);
  await page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);

  await link.click();
  await expect(page).toHaveURL(`/library/track/${track.id}`);
  await expectReady(page);
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { level: 1 })).toContainText(track.title);
  await expect(fact(main, 'ISRC')).toContainText(track.isrc);
  for (const title of ['Revenus', 'Plateformes', 'Pays', 'Répartition', 'Derniers rapports', 'Dernier relevé'])
    await expect(main.getByRole('heading', { name: title, exact: true })).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  await expect(main.getByRole('group', { name: 'Derniers rapports' }).getByRole('link').first()).toHaveAttribute(
    'href',
    /\/reporting\/report\/\d+$/,
  );
  await main
    .getByRole('link', { name: /^Voir la ligne/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/reporting\/statements\/\d+\?line=\d+$/);
});

test('an artist is created with store identifiers, in the library and in a track', async ({ page, api }) => {
  const name = `Nuit Claire ${crypto.randomUUID().slice(0, 8)}`;
  await page.goto('/library/artists');
  await page.getByRole('button', { name: 'Nouvel artiste' }).click();
  const dialog = page.getByRole('dialog', { name: 'Nouvel artiste' });
  await expect(dialog.getByRole('textbox', { name: 'Nom de l’artiste' })).toBeFocused();
  await page.keyboard.type('N');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('2 caractères').last()).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Nom de l’artiste' }).fill(name);
  await dialog.getByRole('textbox', { name: 'Identifiant Apple Music' }).fill('54682951');
  await expectNoAxeViolationsInBoth(page);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'L’artiste est créé' }).first()).toBeVisible();
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(name.toLowerCase());
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText('54682951');
  await page.getByRole('button', { name: `Modifier ${name}` }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Identifiant Apple Music' }).fill('54682952');
  await page.getByRole('dialog').getByRole('button', { name: 'Enregistrer' }).click();
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText('54682952');

  const { found } = await findCredited(api);
  await page.goto(`/library/release/${found.id}`);
  await page.getByRole('button', { name: 'Ajouter un titre' }).click();
  const track = page.getByRole('dialog', { name: 'Ajouter un titre' });
  await track.getByRole('button', { name: 'Nouvel artiste' }).click();
  await dialog.getByRole('textbox', { name: 'Nom de l’artiste' }).fill(`${name} bis`);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  // Only the artist is saved: the track's form stays open.
  await expect(track.getByRole('list', { name: 'Artistes' })).toContainText(`${name} bis`);
  await expect(track.getByText('Le genre est requis')).toBeHidden();
});
