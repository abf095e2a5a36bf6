import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { expectReady } from './support/screens.ts';
import { expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

/** A release that waits, with enough tracks to reorder; no report hangs on it. */
async function findRelease(api: Api) {
  const { data } = await api.call(routes.listUnpaidReleases, { query: { limit: 100 } });
  for (const { id } of data) {
    const { data: release } = await api.call(routes.getRelease, { params: { id } });
    if (release.tracks.length >= 3 && release.tracks.every((track) => track.isrc)) return release;
  }
  throw new Error('the demo has no waiting release of three tracks');
}

test('a release is found by ISRC, corrected, its tracks added, ordered and deleted', async ({ page, api }) => {
  const release = await findRelease(api);
  const mark = crypto.randomUUID().slice(0, 8);
  const read = async () => (await api.call(routes.getRelease, { params: { id: release.id } })).data;

  await page.goto('/library/releases/unpaid');
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(release.tracks[1]?.isrc ?? '');
  const card = page.getByRole('main').getByRole('listitem').filter({ hasText: release.title });
  await expect(page.getByRole('link', { name: /^Voir les détails/ })).toHaveCount(1);
  await expect(card.getByText('En attente')).toBeVisible();
  await page.getByRole('button', { name: 'Afficher en tableau' }).click();
  await expect(page.getByRole('row').filter({ hasText: release.title })).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole('row').filter({ hasText: release.title })).toHaveCount(1);
  await page.getByRole('button', { name: 'Afficher en cartes' }).click();
  await page.getByRole('link', { name: /^Voir les détails/ }).click();
  await expect(page).toHaveURL(`/library/release/${release.id}`);
  await expect(page.getByRole('heading', { name: 'Client' })).toBeVisible();

  await page.getByRole('link', { name: 'Modifier', exact: true }).click();
  const title = page.getByRole('textbox', { name: 'Titre', exact: true });
  await expect(title).toHaveValue(release.title);
  await title.fill('');
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(title).toBeFocused();
  await title.fill(`Titre ${mark}`);
  await page.getByRole('link', { name: 'Voir la sortie' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Continuer la saisie' }).click();
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'La sortie est enregistrée' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Enregistrer', exact: true })).toBeDisabled();
  expect((await read()).title).toBe(`Titre ${mark}`);
  await page.getByRole('link', { name: 'Voir la sortie' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Titre ${mark}`);

  await page.getByRole('button', { name: 'Ajouter un titre' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un titre' });
  await dialog.getByRole('textbox', { name: 'Titre', exact: true }).fill(`Piste ${mark}`);
  const artists = dialog.getByRole('combobox', { name: 'Ajouter un artiste' });
  const known = release.tracks[0]?.Artists[0]?.fullname ?? '';
  await artists.fill(known);
  await page.getByRole('option', { name: known, exact: false }).first().click();
  await artists.fill(`Invitée ${mark}`);
  await page.getByRole('option', { name: `Invitée ${mark}` }).click();
  await dialog
    .getByRole('textbox', { name: `Rôle de Invitée ${mark}` })
    .or(dialog.getByRole('combobox', { name: `Rôle de Invitée ${mark}` }))
    .click();
  await page.getByRole('option', { name: 'En featuring' }).click();
  await expectNoAxeViolations(page);
  await dialog.getByRole('button', { name: 'Ajouter un titre' }).click();
  await expect(dialog).toBeHidden();
  const added = (await read()).tracks.at(-1);
  expect(added?.title).toBe(`Piste ${mark}`);
  expect(added?.Artists.map(({ fullname, role }) => [fullname, role])).toEqual([
    [known, 'Primary Artist'],
    [`Invitée ${mark}`, 'Featuring'],
  ]);

  const before = (await read()).tracks.map((track) => track.id);
  const saved = page.waitForResponse((response) => response.url().endsWith('/edit-tracks-position'));
  await page.getByRole('button', { name: `Déplacer Piste ${mark}` }).focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('status').filter({ hasText: `Piste ${mark} est saisi` })).toBeAttached();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('status').filter({ hasText: `passe en position ${before.length - 1}` })).toBeAttached();
  await page.keyboard.press('Space');
  expect((await saved).status()).toBe(200);
  const wanted = [...before.slice(0, -2), before.at(-1), before.at(-2)];
  expect((await read()).tracks.map((track) => track.id)).toEqual(wanted);
  await expect(page.getByRole('row').nth(-2)).toContainText(`Piste ${mark}`);

  await page.getByRole('button', { name: `Supprimer Piste ${mark}` }).click();
  const confirmation = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(confirmation).toContainText(`Piste ${mark}`);
  await confirmation.getByRole('button', { name: 'Supprimer le titre' }).click();
  await expect(confirmation).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: `Piste ${mark}` })).toHaveCount(0);
  expect((await read()).tracks.map((track) => track.id)).toEqual(before.slice(0, -1));
});

test('an order that the server refuses is taken back', async ({ page, api }) => {
  const release = await findRelease(api);
  const [first, second] = release.tracks;
  await page.goto(`/library/release/${release.id}`);
  const rows = page.getByRole('table').getByRole('row');
  await expect(rows.nth(1)).toContainText(first?.title ?? '');
  await page.route('**/edit-tracks-position', (route) => route.abort());
  await page
    .getByRole('button', { name: /^Déplacer / })
    .first()
    .focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('status').filter({ hasText: 'est saisi' })).toBeAttached();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('status').filter({ hasText: 'passe en position 2' })).toBeAttached();
  await page.keyboard.press('Space');
  await expect(page.getByRole('alert').filter({ hasText: 'L’ordre n’a pas été enregistré' })).toBeVisible();
  await expect(rows.nth(1)).toContainText(first?.title ?? '');
  await expect(rows.nth(2)).toContainText(second?.title ?? '');
});

test('a delivery that quality control blocks has to be meant', async ({ page, api }) => {
  const { data } = await api.call(routes.listPaidReleases, { query: { limit: 1 } });
  const release = data[0];
  if (!release) throw new Error('the demo has no paid release');
  await page.goto(`/library/release/${release.id}/edit`);
  await page.getByLabel('Statut').first().click();
  await page.getByRole('option', { name: 'Livrée' }).click();
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(dialog).toContainText('Pas de pochette');
  await dialog.getByRole('button', { name: 'Annuler' }).click();
  await expect(dialog).toBeHidden();
  const read = async () => (await api.call(routes.getRelease, { params: { id: release.id } })).data;
  expect((await read()).status).toBe('PAID');
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await dialog.getByRole('button', { name: 'Livrer malgré tout' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'La sortie est enregistrée' })).toBeVisible();
  expect((await read()).status).toBe('DELIVRED');
});

test('who only reads paid releases sees that list, and nothing to edit', async ({ api, browser }) => {
  const { data } = await api.call(routes.listPaidReleases, { query: { limit: 1, order: 'asc' } });
  const login = await api.addAdmin('Lou', ['read_paid_libraries']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, login.email, login.password);
  await page.goto('/library/releases/paid');
  await expectReady(page);
  const sidebar = page.getByRole('navigation', { name: 'Navigation principale' });
  await expect(sidebar.getByRole('region', { name: 'Production' }).getByRole('link')).toHaveText([
    'Sorties payées',
    'Bibliothèque',
  ]);
  await expect(page.getByRole('navigation', { name: 'Vues de la liste' }).getByRole('link')).toHaveText(['Payées']);
  await page.goto(`/library/release/${data[0]?.id}`);
  await expect(page.getByRole('heading', { level: 2, name: 'Contrôle qualité' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Modifier', exact: true })).toHaveCount(0);
  await expect(
    page.getByRole('main').getByRole('button', { name: /^(Modifier|Supprimer|Ajouter|Déplacer)/ }),
  ).toHaveCount(0);
  await page.goto('/library/releases/delivered');
  await expect(page.getByRole('heading', { level: 1, name: 'Accès non autorisé' })).toBeVisible();
  await context.close();
});

test('a release that is not there leads from its form to the lists', async ({ page, api }) => {
  await api.readCsrf();
  await page.goto('/library/release/999999999/edit');
  await expect(page).toHaveURL('/library/releases/unpaid');
  await expect(page.getByRole('alert').filter({ hasText: 'n’a pas pu s’ouvrir' })).toBeVisible();
});

test('an artist gets a Spotify id, and a link to that page', async ({ page, api }) => {
  const { data } = await api.call(routes.listArtists, { query: { limit: 5 } });
  const artist = data[4];
  await page.goto('/library/artists');
  await page
    .getByRole('row')
    .filter({ hasText: artist?.fullname ?? '' })
    .first()
    .getByRole('button')
    .first()
    .click();
  const field = page.getByRole('dialog').getByRole('textbox', { name: 'Identifiant Spotify' });
  await field.fill('9999');
  await page.getByRole('dialog').getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await field.fill('4tZwfgrHOc3mvqYlEYSvVi');
  await page.getByRole('dialog').getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(
    page.getByRole('link', { name: `Ouvrir ${artist?.fullname} sur Spotify (nouvel onglet)` }),
  ).toHaveAttribute('href', 'https://open.spotify.com/artist/4tZwfgrHOc3mvqYlEYSvVi');
});
