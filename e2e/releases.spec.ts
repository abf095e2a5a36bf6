import { getCapability } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { type QualityReason, qualityReasons } from '@regie/contract/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { fromUnits, numberToUnits, toCents } from './support/decimals.ts';
import { expectReady } from './support/screens.ts';
import { sidebarOf } from './support/sidebar.ts';
import {
  countClicks,
  expect,
  expectNoAxeViolations,
  expectNoAxeViolationsInBoth,
  signIn,
  signInAgain,
  test,
} from './support/test.ts';

/** A waiting release without reports, with enough tracks to reorder. */
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
  // On its cover: the whole card is a link.
  await card.click({ position: { x: 40, y: 40 } });
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
  // It begins with the people of the track before it.
  const before = release.tracks.at(-1)?.Artists.map(({ fullname, role }) => [fullname, role]) ?? [];
  await artists.fill(`Invitée ${mark}`);
  await page.getByRole('option', { name: `Invitée ${mark}` }).click();
  await dialog
    .getByRole('textbox', { name: `Rôle d’Invitée ${mark}` })
    .or(dialog.getByRole('combobox', { name: `Rôle d’Invitée ${mark}` }))
    .click();
  await page.getByRole('option', { name: 'En featuring' }).click();
  await expectNoAxeViolations(page);
  await dialog.getByRole('button', { name: 'Ajouter un titre' }).click();
  await expect(dialog).toBeHidden();
  const added = (await read()).tracks.at(-1);
  expect(added?.title).toBe(`Piste ${mark}`);
  expect(added?.Artists.map(({ fullname, role }) => [fullname, role])).toEqual([
    ...before,
    [`Invitée ${mark}`, 'Featuring'],
  ]);

  const order = (await read()).tracks.map((track) => track.id);
  const saved = page.waitForResponse((response) => response.url().endsWith('/edit-tracks-position'));
  await page.getByRole('button', { name: `Déplacer Piste ${mark}` }).focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('status').filter({ hasText: `Piste ${mark} est saisi` })).toBeAttached();
  // The list handles arrows once its rows are measured, which is not visible.
  const moved = page.getByRole('status').filter({ hasText: `passe en position ${order.length - 1}` });
  await expect(async () => {
    await page.keyboard.press('ArrowUp');
    await expect(moved).toBeAttached({ timeout: 3_000 });
  }).toPass();
  await page.keyboard.press('Space');
  expect((await saved).status()).toBe(200);
  const wanted = [...order.slice(0, -2), order.at(-1), order.at(-2)];
  expect((await read()).tracks.map((track) => track.id)).toEqual(wanted);
  await expect(page.getByRole('row').nth(-2)).toContainText(`Piste ${mark}`);

  await page.getByRole('button', { name: `Supprimer Piste ${mark}` }).click();
  const confirmation = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(confirmation).toContainText(`Piste ${mark}`);
  await confirmation.getByRole('button', { name: 'Supprimer le titre' }).click();
  await expect(confirmation).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: `Piste ${mark}` })).toHaveCount(0);
  expect((await read()).tracks.map((track) => track.id)).toEqual(order.slice(0, -1));
});

test('an order that the server refuses is reverted', async ({ page, api }) => {
  const release = await findRelease(api);
  const [first, second] = release.tracks;
  await page.goto(`/library/release/${release.id}`);
  const rows = page.getByRole('table').getByRole('row');
  await expect(rows.nth(1)).toContainText(String(first?.title));
  // The page does not know of it, so its order is not of all tracks.
  const { data: added } = await api.call(routes.addTrack, {
    body: {
      ...{ title: 'Ajouté entre-temps', genre: 'Jazz', language: 'French', recordingOwnerName: 'Maison Nord' },
      ...{ yearOfRegistration: 2026, libraryId: release.id, artists: [], contributors: [], musicians: [] },
    },
  });
  const refused = page.waitForResponse((response) => response.url().endsWith('/edit-tracks-position'));
  await page
    .getByRole('button', { name: /^Déplacer / })
    .first()
    .focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('status').filter({ hasText: 'est saisi' })).toBeAttached();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('status').filter({ hasText: 'passe en position 2' })).toBeAttached();
  await page.keyboard.press('Space');
  expect((await refused).status()).toBe(409);
  await expect(page.getByRole('alert').filter({ hasText: 'L’ordre n’a pas été enregistré' })).toBeVisible();
  await expect(rows.nth(1)).toContainText(String(first?.title));
  await expect(rows.nth(2)).toContainText(String(second?.title));
  await api.call(routes.deleteTrack, { params: { id: added.id } });
});

test('tracks are ordered by pointer, one is edited, and closing its form with changes asks', async ({ page, api }) => {
  const release = await findRelease(api);
  const read = async () => (await api.call(routes.getRelease, { params: { id: release.id } })).data;
  await page.goto(`/library/release/${release.id}`);
  const handles = page.getByRole('button', { name: /^Déplacer / });
  await expect(handles).toHaveCount(release.tracks.length);
  // Both ends are inside the window, because the pointer cannot leave it.
  await handles.nth(2).scrollIntoViewIfNeeded();
  await handles.nth(0).scrollIntoViewIfNeeded();
  const [from, to] = [await handles.nth(0).boundingBox(), await handles.nth(2).boundingBox()];
  if (!from || !to) throw new Error('a handle is not drawn');
  const middle = (box: typeof from) => [box.x + box.width / 2, box.y + box.height / 2] as const;
  const saved = page.waitForResponse((response) => response.url().endsWith('/edit-tracks-position'));
  await page.mouse.move(...middle(from));
  await page.mouse.down();
  await page.mouse.move(middle(to)[0], middle(to)[1], { steps: 12 });
  await page.mouse.move(middle(to)[0], middle(to)[1] + 4, { steps: 2 });
  // Released once the row is rendered over its new place.
  await expect(page.getByRole('status').filter({ hasText: 'passe en position 3' })).toBeAttached();
  await page.mouse.up();
  expect((await saved).status()).toBe(200);
  const [first, second, third, ...rest] = release.tracks.map((track) => track.id);
  expect((await read()).tracks.map((track) => track.id)).toEqual([second, third, first, ...rest]);

  const name = `Corrigé ${crypto.randomUUID().slice(0, 8)}`;
  const track = (await read()).tracks[0];
  if (!track) throw new Error('the release has no track');
  const edit = () =>
    page
      .getByRole('button', { name: `Modifier ${track.title}`, exact: false })
      .first()
      .click();
  await edit();
  const dialog = page.getByRole('dialog', { name: `Modifier ${track.title}`, exact: false });
  const title = dialog.getByRole('textbox', { name: 'Titre', exact: true });
  await title.fill(name);
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Quitter sans enregistrer ?' });
  await question.getByRole('button', { name: 'Continuer la saisie' }).click();
  await expect(title).toHaveValue(name);
  await dialog.getByRole('button', { name: 'Annuler' }).click();
  await question.getByRole('button', { name: 'Quitter sans enregistrer' }).click();
  await expect(dialog).toBeHidden();
  expect((await read()).tracks[0]?.title).toBe(track.title);

  await edit();
  await title.fill(name);
  await dialog.getByRole('button', { name: 'Enregistrer', exact: false }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(1);
  expect((await read()).tracks[0]).toMatchObject({ title: name, isrc: track.isrc });
});

test('two windows: the second one to save gets an error, keeps its input, and reloads', async ({
  page,
  api,
  context,
}) => {
  const release = await findRelease(api);
  const mark = crypto.randomUUID().slice(0, 8);
  const other = await context.newPage();
  const titleOf = (window: typeof page) => window.getByRole('textbox', { name: 'Titre', exact: true });
  const saveIn = (window: typeof page) => window.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  for (const window of [page, other]) {
    await window.goto(`/library/release/${release.id}/edit`);
    await expect(titleOf(window)).toHaveValue(release.title);
  }
  await titleOf(page).fill(`Premier ${mark}`);
  await saveIn(page);
  await expect(page.getByRole('status').filter({ hasText: 'La sortie est enregistrée' })).toBeVisible();
  await titleOf(other).fill(`Second ${mark}`);
  await saveIn(other);
  await expect(
    other.getByRole('alert').filter({ hasText: 'La sortie a changé depuis que vous l’avez ouverte' }),
  ).toBeVisible();
  await expect(titleOf(other)).toHaveValue(`Second ${mark}`);
  const read = async () => (await api.call(routes.getRelease, { params: { id: release.id } })).data;
  expect((await read()).title).toBe(`Premier ${mark}`);
  await other.getByRole('button', { name: 'Recharger et perdre ma saisie' }).click();
  await expect(titleOf(other)).toHaveValue(`Premier ${mark}`);
  await titleOf(other).fill(`Second ${mark}`);
  await saveIn(other);
  await expect(other.getByRole('status').filter({ hasText: 'La sortie est enregistrée' })).toBeVisible();
  expect((await read()).title).toBe(`Second ${mark}`);
  // The first window saved once: another save in it is refused too.
  await titleOf(page).fill(`Troisième ${mark}`);
  await saveIn(page);
  await expect(page.getByRole('alert').filter({ hasText: 'rien n’est enregistré' })).toBeVisible();
  await other.close();
});

test('a delivered release is closed, reopened, withdrawn with its smartlink and a note, then deleted', async ({
  page,
  api,
}) => {
  const { data } = await api.call(routes.listDeliveredReleases, { query: { limit: 100, order: 'asc' } });
  // Neither the oldest nor the newest, which other tests open.
  const release = data.findLast(({ status }) => status === 'DELIVRED');
  if (!release) throw new Error('the demo has no delivered release');
  const statusOf = async () => (await api.call(routes.getRelease, { params: { id: release.id } })).data.status;
  const { data: smartlink } = await api.call(routes.createSmartlink, { body: { libraryId: release.id } });
  const urls = JSON.stringify({ deezer: 'https://www.deezer.com/album/1' });
  await api.call(routes.editSmartlink, { params: { id: smartlink.id }, body: { status: 'ENABLED', urls } });
  await page.goto(`/library/release/${release.id}`);
  const more = page.getByRole('button', { name: 'Autres actions' });
  const act = async (button: string, verb: string, message: string) => {
    await more.click();
    await page.getByRole('menuitem', { name: button }).click();
    const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
    await expect(dialog).toContainText(release.title);
    if (button === 'Retirer') {
      await expect(dialog.getByRole('button', { name: verb })).toBeDisabled();
      await expect(dialog).toContainText(`Son smartlink ${smartlink.slug} sera hors ligne jusqu’à son retour.`);
      await dialog.getByRole('textbox', { name: 'Pourquoi la retirez-vous' }).fill('Doublon signalé par le client');
      await expectNoAxeViolations(page);
    }
    await dialog.getByRole('button', { name: verb }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('status').filter({ hasText: message })).toBeVisible();
  };
  await act('Clôturer', 'Clôturer la sortie', 'La sortie est clôturée');
  expect(await statusOf()).toBe('CLOSED');
  await act('Rouvrir', 'Rouvrir la sortie', 'La sortie est rouverte');
  expect(await statusOf()).toBe('OPENED');
  await more.click();
  await expect(page.getByRole('menuitem')).toHaveText(['Retirer', 'Supprimer']);
  await page.getByRole('menuitem').first().press('Escape');
  // A dialog that is still fading out would receive the click.
  await expect(page.getByRole('menuitem')).toHaveCount(0);
  await act('Retirer', 'Retirer la sortie', 'La sortie est retirée');
  expect(await statusOf()).toBe('CANCEL');
  await page.goto(`/services/smartlinks/enabled?q=${smartlink.slug}`);
  await expect(page.getByRole('row').filter({ hasText: 'Hors ligne, sortie retirée' })).toHaveCount(1);
  expect((await page.request.get(`/s/${smartlink.slug}`)).status()).toBe(404);
  await page.goto('/library/releases/unpublished');
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(release.barcode ?? release.title);
  await expect(page.getByRole('main').getByText('Doublon signalé par le client').first()).toBeVisible();
  await page.goto(`/library/release/${release.id}`);
  await act('Supprimer', 'Supprimer la sortie', 'La sortie est supprimée');
  await expect(page).toHaveURL('/library/releases/unpublished');
  // product §17: the page of a release that fails to load redirects to the lists, with the reason.
  for (const missing of [release.id, 'abc']) {
    await page.goto(`/library/release/${missing}`);
    await expect(page).toHaveURL('/library/releases/unpaid');
    await expect(page.getByText(messages.unknownRelease)).toBeVisible();
  }
});

test('a delivery that quality control blocks requires a confirmation', async ({ page, api }) => {
  const { data } = await api.call(routes.listPaidReleases, { query: { limit: 500 } });
  const isBlocking = (reason: QualityReason) => qualityReasons[reason].level === 'blocking';
  const release = data.find(({ quality }) => quality.some(isBlocking));
  const reason = release?.quality.find(isBlocking);
  if (!release || !reason) throw new Error('the demo has no paid release with a fault');
  await page.goto(`/library/release/${release.id}/edit`);
  await page.getByRole('combobox', { name: 'État' }).click();
  await page.getByRole('option', { name: 'Livrée' }).click();
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(dialog).toContainText(qualityReasons[reason].label);
  await dialog.getByRole('button', { name: 'Annuler' }).click();
  await expect(dialog).toBeHidden();
  const read = async () => (await api.call(routes.getRelease, { params: { id: release.id } })).data;
  expect((await read()).status).toBe('PAID');
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await dialog.getByRole('button', { name: 'Livrer malgré tout' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'La sortie est enregistrée' })).toBeVisible();
  expect((await read()).status).toBe('DELIVRED');
});

test('each problem has a button, and a link to a track leads to its row', async ({ page, api, browser }) => {
  const release = await findRelease(api);
  const title = `CRIÉ ${crypto.randomUUID().slice(0, 8).toUpperCase()}`;
  const isrc = `XXZ${String(Date.now()).slice(-9)}`;
  const { data: added } = await api.call(routes.addTrack, {
    body: {
      ...{ title, isrc, genre: 'Jazz', language: 'French', recordingOwnerName: 'Maison Nord' },
      ...{ yearOfRegistration: 2026, libraryId: release.id, artists: [], contributors: [], musicians: [] },
    },
  });

  await page.goto(`/library/release/${release.id}`);
  const toDo = page.getByRole('main').locator('section').filter({ hasText: 'À faire' });
  for (const reason of ['unknown_isrc_prefix', 'title_in_capitals', 'no_primary_artist'] as const) {
    const item = toDo.getByRole('listitem').filter({ hasText: qualityReasons[reason].label });
    await expect(item).toContainText(title);
    await item.getByRole('link', { name: 'Ouvrir le titre' }).click();
    const dialog = page.getByRole('dialog', { name: title });
    await expect(dialog.getByRole('textbox', { name: 'ISRC' })).toHaveValue(isrc);
    await dialog.getByRole('button', { name: 'Annuler' }).click();
    await expect(dialog).toBeHidden();
  }

  // The address names the open dialog: it can be opened again, reloaded, left by the browser's back and forward.
  const dialog = page.getByRole('dialog', { name: title });
  const own = `/library/release/${release.id}`;
  await expect(page).toHaveURL(own);
  await page
    .getByRole('row', { name: title })
    .getByRole('button', { name: /^Modifier/ })
    .click();
  await expect(dialog).toBeVisible();
  await expect(page).toHaveURL(`${own}?titre=${added.id}`);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await page.goForward();
  await expect(dialog).toBeVisible();
  await page.reload();
  await dialog.getByRole('textbox', { name: 'Version' }).fill('Live');
  await page.goBack();
  const leaving = page.getByRole('dialog', { name: 'Quitter sans enregistrer ?' });
  await leaving.getByRole('button', { name: 'Continuer la saisie' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Version' })).toHaveValue('Live');
  await dialog.getByRole('button', { name: 'Annuler' }).click();
  await leaving.getByRole('button', { name: 'Quitter sans enregistrer' }).click();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(own);
  await page.goto(`${own}?titre=${added.id}`);
  await dialog.getByRole('button', { name: 'Annuler' }).click();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(own);
  await expect(page.getByRole('row', { name: title })).toHaveAttribute('aria-current', 'true');

  const login = await api.addAdmin('Noé', ['read_none_paid_libraries']);
  const context = await browser.newContext();
  const reader = await context.newPage();
  await signIn(reader, login.email, login.password);
  await reader.goto(`/library/tracks?q=${isrc}`);
  await reader.getByRole('row').filter({ hasText: isrc }).getByRole('link').first().click();
  await expect(reader).toHaveURL(`/library/track/${added.id}`);
  await expect(reader.getByRole('heading', { level: 1 })).toContainText(title);
  await expect(reader.getByRole('main').getByRole('link', { name: 'Modifier', exact: true })).toHaveCount(0);
  await reader.goto(`${own}?titre=${added.id}`);
  await expect(reader.getByRole('row', { name: title })).toHaveAttribute('aria-current', 'true');
  await expect(reader.getByRole('row', { name: title })).toBeInViewport();
  await expect(reader.getByRole('dialog')).toHaveCount(0);
  await context.close();
  await api.call(routes.deleteTrack, { params: { id: added.id } });
});

test('the page of a release shows its income to those who read reports', async ({ page, api, browser }) => {
  const { data } = await api.call(routes.listAnalytics, { query: { by: 'release', span: 'year', limit: 10 } });
  const id = data.find(({ value }) => value !== '')?.libraryId ?? 0;
  const history = await api.call(routes.getAnalyticsHistory, { query: { by: 'release', value: String(id) } });
  const months = history.data.months.slice(-12);
  const micros = months.reduce((sum, { amountEur }) => sum + numberToUnits(amountEur, 6), 0n);
  expect(micros).toBeGreaterThan(0n);
  await page.goto(`/library/release/${id}`);
  const figure = page.getByText('de revenus bruts sur les douze derniers mois');
  const amount = async () => (await figure.textContent())?.replaceAll(/\s/g, '');
  await expect.poll(amount).toContain(`${fromUnits(toCents(micros), 2, ',')}€`);
  const { data: incomes } = await api.call(routes.listReleaseIncome, { params: { id } });
  const largest = Math.max(...incomes.map(({ amountEur }) => amountEur));
  const cents = `${fromUnits(toCents(numberToUnits(largest, 6)), 2, ',')}€`;
  const cells = page.getByRole('table').first().getByRole('cell', { name: '€' });
  await expect(cells).toHaveCount(incomes.length);
  expect((await cells.allTextContents()).map((text) => text.replaceAll(/\s/g, ''))).toContain(cents);
  await page.getByRole('link', { name: 'Plateformes et pays dans l’analyse des revenus' }).click();
  await expect(page).toHaveURL(`/reporting/analytics?by=release&value=${id}`);

  const login = await api.addAdmin('Max', ['read_delivered_libraries']);
  const context = await browser.newContext();
  const reader = await context.newPage();
  await signIn(reader, login.email, login.password);
  await reader.goto(`/library/release/${id}`);
  await expect(reader.getByRole('heading', { name: 'Titres' })).toBeVisible();
  await expect(reader.getByText('de revenus bruts sur les douze derniers mois')).toHaveCount(0);
  await expect(reader.getByRole('columnheader', { name: '12 mois' })).toHaveCount(0);
  await context.close();
});

test('with the right to read paid releases only, that list is shown, without edit actions', async ({
  api,
  browser,
}) => {
  const { data } = await api.call(routes.listPaidReleases, { query: { limit: 1, order: 'asc' } });
  const login = await api.addAdmin('Lou', ['read_paid_libraries']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, login.email, login.password);
  await page.goto('/library/releases/paid');
  await expectReady(page);
  const sidebar = sidebarOf(page);
  await expect(sidebar.getByRole('region', { name: 'Production' }).getByRole('link')).toHaveText([
    'Sorties payées',
    'Bibliothèque',
  ]);
  await expect(page.getByRole('navigation', { name: 'Vues de la liste' }).getByRole('link')).toHaveText([/^Payées/]);
  await page.goto(`/library/release/${data[0]?.id}`);
  await expect(page.getByRole('heading', { level: 2, name: 'À faire' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Modifier', exact: true })).toHaveCount(0);
  await expect(
    page.getByRole('main').getByRole('button', { name: /^(Modifier|Supprimer|Ajouter|Déplacer)/ }),
  ).toHaveCount(0);
  await page.goto('/library/releases/delivered');
  await expect(page.getByRole('heading', { level: 1, name: 'Accès non autorisé' })).toBeVisible();
  await context.close();
});

test('revoking a right while a form is filled refuses saving, and preserves the input', async ({ api, browser }) => {
  const release = await findRelease(api);
  const editor = await api.addAdmin('Mila', ['read_none_paid_libraries', 'edit_none_paid_libraries', 'read_audit']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, editor.email, editor.password);
  await page.goto(`/library/release/${release.id}/edit`);
  const title = page.getByRole('textbox', { name: 'Titre', exact: true });
  await title.fill('Une longue correction');
  await api.call(routes.editAdmin, {
    params: { id: editor.id },
    body: {
      ...{ fname: 'Mila', lname: 'Essai', email: editor.email, password: '' },
      capabilities: [getCapability('read_none_paid_libraries').id],
    },
  });
  const journal = page.getByRole('link', { name: 'Journal', exact: true });
  await expect(journal).toBeVisible();
  const save = page.getByRole('button', { name: 'Enregistrer', exact: true });
  await save.click();
  await signInAgain(page, editor);
  await save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Votre saisie reste à l’écran' })).toBeVisible();
  // The page has the current rights, and stays.
  await expect(journal).toHaveCount(0);
  await expect(title).toHaveValue('Une longue correction');
  expect((await api.call(routes.getRelease, { params: { id: release.id } })).data.title).toBe(release.title);
  await page.getByRole('link', { name: 'Voir la sortie' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Quitter sans enregistrer' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'La sortie' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Modifier', exact: true })).toHaveCount(0);
  await page.goto(`/library/release/${release.id}/edit`);
  await expect(page.getByRole('heading', { level: 1, name: 'Accès non autorisé' })).toBeVisible();
  await context.close();
});

test('a list that fails to load shows an error, and can be reloaded', async ({ page, api }) => {
  await api.readCsrf();
  let isBroken = true;
  await page.route('**/api/releases/unpaid?*', (route) =>
    isBroken
      ? route.fulfill({
          status: 500,
          json: { code: 'server_error', message: messages.readFailed, data: null, errors: {} },
        })
      : route.continue(),
  );
  await page.goto('/library/releases/unpaid');
  const alert = page.getByRole('alert').filter({ hasText: messages.readFailed });
  await expect(alert).toBeVisible();
  isBroken = false;
  await alert.getByRole('button', { name: 'Réessayer' }).click();
  await expect(page.getByRole('link', { name: /^Voir les détails/ }).first()).toBeVisible();
});

test('the form of an unknown release redirects to the lists', async ({ page, api }) => {
  await api.readCsrf();
  await page.goto('/library/release/999999999/edit');
  await expect(page).toHaveURL('/library/releases/unpaid');
  await expect(page.getByRole('alert').filter({ hasText: messages.unknownRelease })).toBeVisible();
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

test('the delivery of a release can be changed after its order is paid, the purchase cannot', async ({ page, api }) => {
  const { data } = await api.call(routes.listDeliveredReleases, { query: { limit: 50 } });
  const releases = await Promise.all(
    data.slice(0, 10).map(async ({ id }) => (await api.call(routes.getRelease, { params: { id } })).data),
  );
  const paid = releases.find(({ Order, status }) => Order?.status === 'PAID' && status === 'DELIVRED');
  if (!paid) throw new Error('the demo has no such release');
  await page.goto(`/library/release/${paid.id}`);
  await page.getByRole('link', { name: 'Diffusion' }).click();
  await expect(page.getByText('La commande est payée')).toBeVisible();
  await expect(page.getByRole('switch', { name: /^Livraison express/ })).toBeDisabled();
  await expectNoAxeViolationsInBoth(page);
  for (const box of await page.getByRole('group', { name: 'Plateformes' }).getByRole('checkbox').all())
    await box.uncheck();
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByText('Choisissez au moins une plateforme')).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: /^1 champ est à corriger\s: Plateformes$/ })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Qobuz' }).check();
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page).toHaveURL(`/library/release/${paid.id}`);
  const { data: changed } = await api.call(routes.getRelease, { params: { id: paid.id } });
  expect(changed.platforms).toBe('qobuz');
  expect(changed.Order).toEqual(paid.Order);
});

test('an invoiced order is unchanged when reset to pending; once cancelled, the release can be ordered again', async ({
  page,
  api,
}) => {
  const { data: releases } = await api.call(routes.listPaidReleases, { query: { limit: 50 } });
  const all = await Promise.all(
    releases.map(async ({ id }) => (await api.call(routes.getRelease, { params: { id } })).data),
  );
  // Paid by card: after its credit note, another payment reference is required.
  const paid = all.find(({ Order }) => Order?.status === 'PAID' && /"id":"pi_/.test(Order.transactionDetails));
  if (!paid?.Order) throw new Error('the demo has no such release');
  const { id: orderId, invoiceNumber } = paid.Order;
  const set = (status: 'PENDING' | 'PAID' | 'CANCEL', id = orderId) =>
    api.call(routes.editInvoice, { params: { id }, body: { status, reference: 'VIR-1' } });
  await set('PENDING');
  await page.goto(`/library/release/${paid.id}`);
  await page.getByRole('link', { name: 'Diffusion' }).click();
  await expect(page.getByText('La facture de cette commande est émise')).toBeVisible();
  await expect(page.getByRole('radiogroup', { name: 'Formule (plan)' }).getByRole('radio')).toHaveCount(1);
  await expect(page.getByRole('switch', { name: /^Livraison express/ })).toBeDisabled();
  await expect(page.getByRole('textbox', { name: 'Code promo' })).toHaveCount(0);
  await expect(page.getByText('Total TTC')).toBeVisible();
  await page
    .getByRole('button', { name: 'Décocher toutes les plateformes' })
    .or(page.getByRole('button', { name: 'Cocher toutes les plateformes' }))
    .click();
  await page.getByRole('checkbox', { name: 'Qobuz' }).check();
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page).toHaveURL(`/library/release/${paid.id}`);
  const kept = (await api.call(routes.getRelease, { params: { id: paid.id } })).data;
  expect(kept.Order).toMatchObject({ id: orderId, invoiceNumber, status: 'PENDING' });

  await set('CANCEL');
  await page.reload();
  const { creditNotes } = (await api.call(routes.getInvoice, { params: { id: orderId } })).data;
  await expect(
    page.getByText(`La commande n°\u00a0${orderId} a été annulée par l’avoir ${creditNotes[0]?.number}`),
  ).toBeVisible();
  await expectNoAxeViolations(page);
  await page.getByRole('link', { name: 'Créer la commande' }).first().click();
  await page.getByRole('radio', { name: /^Single/ }).check();
  await page.getByRole('button', { name: 'Créer la commande' }).click();
  await expect(page).toHaveURL(`/library/release/${paid.id}`);
  await expect(page.getByRole('link', { name: 'Diffusion' })).toBeVisible();
  const other = (await api.call(routes.getRelease, { params: { id: paid.id } })).data.Order;
  if (!other) throw new Error('no order was made');
  await expect(page.getByRole('status').filter({ hasText: messages.orderCreated(other.id) })).toBeVisible();
  await expect(page.getByText('a été annulée par l’avoir')).toHaveCount(0);

  // The cancelled order is paid after all: the page first shows the consequence for the other one.
  await page.goto(`/accounts/invoice/${orderId}`);
  await page.getByRole('combobox', { name: 'État' }).click();
  await page.getByRole('option', { name: 'Payée' }).click();
  await expect(page.getByText(`Son règlement annule la commande n°\u00a0${other.id}`)).toBeVisible();
  await page.getByRole('textbox', { name: 'Référence du règlement' }).fill('VIR 2026-77');
  await page.getByRole('button', { name: 'Enregistrer l’état' }).click();
  const dialog = page.getByRole('dialog', { name: messages.confirm });
  await expect(dialog).toContainText(`annule la commande n°\u00a0${other.id}`);
  await dialog.getByRole('button', { name: 'Marquer comme payée' }).click();
  await expect(page.getByText('L’état de la facture est enregistré')).toBeVisible();
  expect((await api.call(routes.getInvoice, { params: { id: other.id } })).data.status).toBe('CANCEL');
  // The credited payment is beside its own invoice.
  const card = JSON.parse(paid.Order.transactionDetails).id;
  await expect(page.getByRole('row', { name: new RegExp(`^Facture ${invoiceNumber}`) })).toContainText(card);
  await expect(page.getByRole('row', { name: /^Facture/ }).last()).toContainText('VIR 2026-77');
  await expect(page.getByText('Transaction par carte', { exact: true })).toHaveCount(0);

  // A release is paid once.
  await page.goto(`/accounts/invoice/${other.id}`);
  await expect(page.getByText(messages.releasePaid(orderId))).toBeVisible();
  await page.getByRole('combobox', { name: 'État' }).click();
  for (const name of ['En attente', 'Payée']) {
    await expect(page.getByRole('option', { name })).toHaveAttribute('data-combobox-disabled', 'true');
  }
  await page.keyboard.press('Escape');
  await expectNoAxeViolations(page);
});

test('the price of a pending order does not change until its choice changes', async ({ page, api }) => {
  const { data } = await api.call(routes.listUnpublishedReleases, { query: { limit: 50 } });
  const draft = data.find(({ status }) => status === 'DRAFT');
  if (!draft) throw new Error('the demo has no draft');
  const name = `GARDE-${crypto.randomUUID().slice(0, 8)}`.toUpperCase();
  const { data: code } = await api.call(routes.addPromoCode, {
    body: { name, type: 'percent', amount: '10', dueDate: '31/12/2099' },
  });
  const { data: release } = await api.call(routes.createRelease, {
    body: {
      ...{ userId: draft.userId, title: `Prix ${name}`, genre: 'Jazz', yearOfRegistration: 2026 },
      ...{ originalRealeaseDate: '01/12/2026', digitalReleaseDate: '04/12/2026' },
      ...{ recordingOwnerName: 'Maison Nord', coverDetailsOwner: 'Maison Nord' },
    },
  });
  const params = { id: release.id };
  const body = { genre: 'Jazz', plan: 'single', label: '', platforms: ['spotify'], expressDelivery: true } as const;
  await api.call(routes.saveDelivery, { params, body: { ...body, promoCode: name } });
  await api.call(routes.deletePromoCode, { params: { id: code.id } });
  const before = (await api.call(routes.getRelease, { params })).data.Order;
  if (!before) throw new Error('no order was made');

  await page.goto(`/library/release/${release.id}`);
  await page.getByRole('link', { name: 'Diffusion' }).click();
  await page.getByRole('checkbox', { name: 'Qobuz' }).check();
  await expect(page.getByText(`La commande n°\u00a0${before.id} garde son prix.`)).toBeVisible();
  const switches = page.getByRole('switch', { name: /^Livraison express/ });
  await switches.uncheck();
  const repriced = page.getByText(`le prix de la commande n°\u00a0${before.id} passera de`);
  await expect(repriced).toBeVisible();
  await expectNoAxeViolations(page);
  await switches.check();
  await expect(repriced).toHaveCount(0);
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page).toHaveURL(`/library/release/${release.id}`);
  const after = (await api.call(routes.getRelease, { params })).data;
  expect([after.platforms, after.Order]).toEqual(['spotify,qobuz', before]);
  await api.call(routes.deleteRelease, { params });
});

test('a paid release without a fault has one primary action: its delivery', async ({ page, api }) => {
  const { data } = await api.call(routes.listPaidReleases, { query: { limit: 100 } });
  const ready = data.find(({ quality }) => quality.length === 0);
  if (!ready) throw new Error('the demo has no such release');
  await page.goto(`/library/release/${ready.id}`);
  await page.getByRole('link', { name: 'Livrer la sortie' }).click();
  await expect(page.getByRole('combobox', { name: 'État' })).toHaveValue('Livrée');
  await page.getByRole('button', { name: 'Livrer la sortie' }).click();
  await expect(page).toHaveURL(`/library/release/${ready.id}`);
  await expect(page.getByRole('main').getByText('Livrée', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Livrer la sortie' })).toHaveCount(0);
});

test('a draft can be ordered from its page', async ({ page, api }) => {
  const { data } = await api.call(routes.listUnpublishedReleases, { query: { limit: 50 } });
  const draft = data.find(({ status }) => status === 'DRAFT');
  if (!draft) throw new Error('the demo has no draft');
  await page.goto(`/library/release/${draft.id}`);
  await expect(page.getByRole('link', { name: 'Reprendre' })).toBeVisible();
  await page
    .getByRole('link', { name: /^(Diffusion|Créer la commande)$/ })
    .first()
    .click();
  await expect(page.getByRole('radiogroup', { name: 'Formule (plan)' })).toBeVisible();
});

test('a track found by its ISRC is corrected in three clicks', { tag: '@area' }, async ({ page, api }) => {
  const { data: tracks } = await api.call(routes.listDeliveredTracks, {
    query: { limit: 50, sort: 'id', order: 'asc' },
  });
  const track = tracks.find(({ isrc }) => isrc !== null);
  if (!track?.isrc) throw new Error('the demo has no delivered track with an ISRC');
  await page.goto('/');
  await expectReady(page);
  const click = countClicks();
  await click(page.getByRole('button', { name: 'Rechercher partout' }));
  await page.keyboard.type(track.isrc);
  // While it is typed slowly, the tracks of its beginning are shown.
  const found = page.getByRole('group', { name: 'Titres' }).getByRole('option');
  await expect(found).toHaveText([new RegExp(track.isrc)]);
  await click(found);
  await click(page.getByRole('main').getByRole('link', { name: 'Modifier', exact: true }));
  const dialog = page.getByRole('dialog', { name: `Modifier ${track.title}` });
  await expect(dialog.getByRole('textbox', { name: 'Titre', exact: true })).toBeFocused();
  for (const field of ['Version', 'ISRC', 'Début de l’extrait']) {
    await page.keyboard.press('Tab');
    await expect(dialog.getByRole('textbox', { name: field })).toBeFocused();
  }
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('00:21');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('status').filter({ hasText: 'est enregistré' })).toBeVisible();
  expect(click.count).toBeLessThanOrEqual(3);
  const { tracks: saved } = (
    await api.call(routes.getRelease, { params: { id: Number(page.url().match(/release\/(\d+)/)?.[1]) } })
  ).data;
  expect(saved.find(({ id }) => id === track.id)?.starTime).toBe('00:21');
});
