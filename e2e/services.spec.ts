import type { Locator, Page } from '@playwright/test';
import { getCapability } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { de } from '@regie/values/elision.ts';
import type { Api } from './support/api.ts';
import { expectReady, fact } from './support/screens.ts';
import { expect, expectNoAxeViolations, signIn, signInAgain, test } from './support/test.ts';

const mark = () => crypto.randomUUID().slice(0, 8);
const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name });

const draftForm = (userId: number) => ({
  ...{ userId, title: `Essai ${mark()}`, genre: 'Jazz', yearOfRegistration: 2026, recordingOwnerName: 'Nord' },
  ...{ originalRealeaseDate: '01/12/2026', digitalReleaseDate: '04/12/2026', coverDetailsOwner: 'Nord' },
});

/** A draft with a plan to choose, of an account without a subscription, so that promo codes have an effect. */
async function addDraft(api: Api) {
  const { data: accounts } = await api.call(routes.lookupAccounts, { query: { q: 'a' } });
  for (const { id: userId } of accounts) {
    const { data: draft } = await api.call(routes.createRelease, { body: draftForm(userId) });
    const { data: quote } = await api.call(routes.quoteDelivery, { params: { id: draft.id } });
    if (quote.subscriptionUntil === null) return draft.id;
  }
  throw new Error('every account has a label subscription');
}

test('a promo code is created, applies until its last day, and is removed', async ({ page, api }) => {
  const name = `ESSAI-${mark()}`;
  await page.goto('/services/promo-codes');
  await page.getByRole('main').getByRole('link', { name: 'Créer un code promo' }).click();
  const save = page.getByRole('button', { name: 'Enregistrer le code promo' });
  await save.click();
  await expect(field(page, /^Nom du code/)).toBeFocused();
  for (const text of ['code promo est requis', 'Percentage est requis', "Date d'experation est requis"]) {
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  }
  await field(page, /^Nom du code/).fill(` ${name} `);
  await expect(page.getByText(/par exemple 12\.5/)).toBeVisible();
  await field(page, /^Remise/).fill('12,5');
  await field(page, /^Date d’expiration/).fill('29/02/2027');
  await save.click();
  await expect(page.getByText("Date d'experation est requis", { exact: true })).toBeVisible();
  await field(page, /^Date d’expiration/).fill('1/2/2096');
  await expectNoAxeViolations(page);
  await save.click();
  const saved = page.getByRole('status').filter({ hasText: 'Le code promo est enregistré' });
  await expect(saved.getByRole('link', { name: 'Voir ce code' })).toHaveAttribute('href', new RegExp(`q=${name}$`));
  await expect(save).toBeDisabled();
  await expect(field(page, /^Remise/)).toHaveValue('');
  await saved.getByRole('button', { name: 'Masquer ce message' }).click();
  await expect(saved).toBeHidden();
  await expect(save).toBeDisabled();

  // Another one, whose last day is past.
  await field(page, /^Nom du code/).fill(`${name}-PASSE`);
  await expect(save).toBeEnabled();
  await field(page, /^Remise/).fill('50.5');
  await field(page, /^Date d’expiration/).fill('31/12/2025');
  await expect(page.getByText('Cette date est passée')).toBeVisible();
  await save.click();
  await expect(save).toBeDisabled();

  await page.getByRole('link', { name: 'Voir les codes promo' }).click();
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(name.toLowerCase());
  const row = (of: string) => page.getByRole('row').filter({ has: page.getByText(of, { exact: true }) });
  await expect(page.getByRole('row')).toHaveCount(3);
  await expect(row(name)).toContainText('12,50 %');
  await expect(row(name)).toContainText('01/02/2096');
  await expect(row(name)).toContainText('Valide');
  await expect(row(`${name}-PASSE`)).toContainText('Expiré');

  const draft = await addDraft(api);
  await page.goto(`/release/new/plan?release=${draft}`);
  await page.getByRole('radio', { name: /^EP/ }).click();
  await field(page, 'Code promo').fill(`${name}-passe`);
  await expect(page.getByText(messages.expiredPromoCode)).toBeVisible();
  await field(page, 'Code promo').fill(name);
  await expect(fact(page, `Remise ${name.toUpperCase()}`)).toBeVisible();
  await api.call(routes.deleteRelease, { params: { id: draft } });

  // Two of the list; removing asks first.
  await page.goto(`/services/promo-codes?q=${name}`);
  await page.getByRole('button', { name: `Supprimer le code promo ${name}`, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(dialog).toContainText(name);
  await expect(dialog.getByRole('button', { name: 'Annuler' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Supprimer le code promo' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Le code promo est supprimé' })).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expectReady(page);

  // A colleague was faster: the page shows it, and the list reloads.
  await page.getByRole('button', { name: `Supprimer le code promo ${name}-PASSE` }).click();
  const [left] = (await api.call(routes.listPromoCodes, { query: { q: name } })).data;
  if (!left) throw new Error('the expired promo code is not listed');
  await api.call(routes.deletePromoCode, { params: { id: left.id } });
  await dialog.getByRole('button', { name: 'Supprimer le code promo' }).click();
  await expect(dialog.getByText(messages.notFound)).toBeVisible();
  await dialog.getByRole('button', { name: 'Annuler' }).click();
  await expect(page.getByRole('row')).toHaveCount(0);
});

test('a smartlink is created from a release, edited, enabled, visited without scripts, counted and deleted', {
  tag: '@area',
}, async ({ page, api, browser }) => {
  const [release] = (await api.call(routes.listDeliveredReleases, { query: { limit: 1, order: 'asc' } })).data;
  if (!release) throw new Error('the demo has no delivered release');
  await page.goto('/services/smartlinks/pending');
  await page.getByRole('button', { name: 'Créer un smartlink' }).click();
  const create = page.getByRole('dialog', { name: 'Créer un smartlink' });
  await create.getByRole('combobox', { name: 'Sortie' }).fill(release.title);
  await page.getByRole('option').filter({ hasText: release.title }).first().click();
  await create.getByRole('button', { name: 'Créer un smartlink' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Smartlink ${de(release.title)}`);
  const link = await page.getByRole('main').locator('code').innerText();
  expect(new URL(link).pathname).toMatch(/^\/s\/[a-z0-9-]+$/);
  const address = new URL(link).pathname;
  const id = Number(/\/services\/smartlink\/(\d+)\/edit$/.exec(page.url())?.[1]);

  // While waiting, it is not public.
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  const visitor = await context.newPage();
  expect((await visitor.goto(address))?.status()).toBe(404);
  await expect(visitor.getByRole('heading', { level: 1, name: 'Page introuvable' })).toBeVisible();

  const save = page.getByRole('button', { name: 'Enregistrer' });
  await page.getByRole('combobox', { name: /^État/ }).selectOption('Active');
  await expect(page.getByText('Aucune adresse n’est renseignée')).toBeVisible();
  await field(page, 'YouTube Music').fill('http://localhost/album');
  await save.click();
  await expect(page.getByText('youtube-music est errone', { exact: true })).toBeVisible();
  await expect(field(page, 'YouTube Music')).toBeFocused();
  await field(page, 'YouTube Music').fill('https://music.youtube.com/playlist?list=1');
  await field(page, 'Deezer').fill('www.deezer.com/album/1');
  await field(page, 'Deezer').blur();
  await expect(field(page, 'Deezer')).toHaveValue('https://www.deezer.com/album/1');
  await expectNoAxeViolations(page);
  await save.click();
  await expect(page.getByRole('status').filter({ hasText: 'Le smartlink est enregistré' })).toBeVisible();
  await expect(save).toBeDisabled();
  await expect(page.getByRole('link', { name: 'Ouvrir la page publique' })).toHaveAttribute('href', link);

  // The platform itself is not contacted: the link's target is enough.
  const asked: string[] = [];
  visitor.on('request', (request) => asked.push(request.url()));
  await context.route(`**${address}/deezer`, async (route) => {
    const { location = '' } = (await route.fetch({ maxRedirects: 0 })).headers();
    await route.fulfill({ contentType: 'text/html', body: `<h1>${location}</h1>` });
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    await visitor.emulateMedia({ colorScheme });
    expect((await visitor.goto(address))?.status()).toBe(200);
    await expect(visitor.getByRole('heading', { level: 1 })).toHaveText(release.title);
    await expect(visitor.getByRole('img', { name: `Pochette ${de(release.title)}` })).toBeVisible();
  }
  await expect(visitor.getByRole('link')).toHaveCount(2);
  const own = new URL(visitor.url()).origin;
  expect(asked.filter((url) => !url.startsWith(own))).toEqual([]);
  expect(await context.cookies()).toEqual([]);
  await visitor.getByRole('link', { name: /^Deezer/ }).click();
  await expect(visitor.getByRole('heading', { name: 'https://www.deezer.com/album/1' })).toBeVisible();
  await context.close();

  // With scripts, for axe; the signed-in user has no additional rights on the page.
  const checked = await page.context().newPage();
  for (const colorScheme of ['light', 'dark'] as const) {
    await checked.emulateMedia({ colorScheme });
    await checked.goto(address);
    await expectNoAxeViolations(checked);
  }
  await checked.close();

  await page.goto(`/services/smartlinks/enabled?q=${address.slice('/s/'.length)}`);
  // Another release may have the same title.
  const row = page.getByRole('row').filter({ hasText: link });
  await row.getByRole('button', { name: `Clics ${de(release.title)} : 1`.replace(' :', '\u00a0:') }).click();
  const clicks = page.getByRole('dialog', { name: `Clics ${de(release.title)}` });
  await expect(clicks.getByRole('row', { name: /^Deezer/ })).toHaveText('Deezer1');
  await page.keyboard.press('Escape');
  await expect(row.getByRole('button', { name: /^Clics de/ })).toBeFocused();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await row.getByRole('button', { name: `Copier le lien public ${link}` }).click();
  await expect(row.getByRole('button', { name: 'Copié' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await row.getByRole('button', { name: `Supprimer le smartlink ${de(release.title)}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(dialog).toContainText('1 clic compté sera effacé');
  await dialog.getByRole('button', { name: 'Supprimer le smartlink' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Le smartlink est supprimé' })).toBeVisible();
  expect((await api.attempt(routes.getSmartlink, { params: { id } })).status()).toBe(404);
  expect((await page.request.get(address)).status()).toBe(404);
});

test('the form of a smartlink preserves the input when a colleague saved first, or revoked the right', async ({
  api,
  browser,
}) => {
  const [smartlink] = (await api.call(routes.listSmartlinks, { params: { status: 'pending' } })).data;
  if (!smartlink) throw new Error('the demo has no smartlink that waits');
  const editor = await api.addAdmin('Mila', ['edit_smartlink']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, editor.email, editor.password);
  const address = `/services/smartlink/${smartlink.id}/edit`;
  const save = page.getByRole('button', { name: 'Enregistrer', exact: true });
  const deezer = field(page, 'Deezer');

  await page.goto(address);
  await deezer.fill('https://www.deezer.com/album/1');
  const other = { spotify: `https://open.spotify.com/album/${mark()}` };
  const body = { status: 'PENDING', urls: JSON.stringify(other) };
  await api.call(routes.editSmartlink, { params: { id: smartlink.id }, body });
  await save.click();
  await expect(page.getByRole('alert').filter({ hasText: messages.conflict })).toBeVisible();
  await expect(deezer).toHaveValue('https://www.deezer.com/album/1');
  await page.getByRole('button', { name: 'Recharger et perdre ma saisie' }).click();
  await expect(field(page, 'Spotify')).toHaveValue(other.spotify);
  await expect(deezer).toHaveValue('');

  await deezer.fill('https://www.deezer.com/album/2');
  const capabilities = [getCapability('read_smartlink').id];
  const kept = { fname: 'Mila', lname: 'Essai', email: editor.email, password: '', capabilities };
  await api.call(routes.editAdmin, { params: { id: editor.id }, body: kept });
  await save.click();
  await signInAgain(page, editor);
  await save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Votre saisie reste à l’écran' })).toBeVisible();
  await expect(deezer).toHaveValue('https://www.deezer.com/album/2');
  await context.close();

  const params = { id: smartlink.id };
  expect(JSON.parse((await api.call(routes.getSmartlink, { params })).data.urls)).toEqual(other);
  await api.call(routes.editSmartlink, { params, body: { status: 'PENDING', urls: smartlink.urls } });
});

test('very long words do not widen a smartlink on a phone', async ({ page, api }) => {
  const { data: account } = await api.call(routes.createProfile, { body: { fname: 'Inès', lname: 'Essai' } });
  const title = `${mark()}${'gesellschaft'.repeat(8)}`;
  const body = { ...draftForm(account.id), title };
  const { data: release } = await api.call(routes.createRelease, { body });
  const { data: smartlink } = await api.call(routes.createSmartlink, { body: { libraryId: release.id } });
  await page.setViewportSize({ width: 360, height: 780 });
  const excess = (of: Locator) => of.evaluate((element) => element.scrollWidth - element.clientWidth);

  await page.goto(`/services/smartlink/${smartlink.id}/edit`);
  await expect(field(page, 'Deezer')).toBeVisible();
  expect(await excess(page.getByRole('main'))).toBeLessThanOrEqual(0);
  await page.goto(`/services/smartlinks/pending?q=${title}`);
  await page.getByRole('button', { name: `Supprimer le smartlink ${de(title)}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(dialog).toContainText(smartlink.link);
  expect(await excess(dialog)).toBeLessThanOrEqual(0);
  await dialog.getByRole('button', { name: 'Supprimer le smartlink' }).click();
  await expect(dialog).toBeHidden();
  await api.call(routes.deleteRelease, { params: { id: release.id } });
});

test('a label subscription is ordered for an account, shown with its payment and last day, and cancelled', async ({
  page,
  api,
}) => {
  const account = { fname: 'Inès', lname: `Essai-${mark()}` };
  const name = `${account.fname} ${account.lname}`;
  await api.call(routes.createProfile, { body: { ...account, country: 'France' } });
  await page.goto('/services/subscriptions');
  await page.getByRole('button', { name: 'Nouvel abonnement' }).click();
  const dialog = page.getByRole('dialog', { name: 'Nouvel abonnement' });
  await dialog.getByRole('combobox', { name: 'Compte' }).fill(account.lname);
  await page.getByRole('option').filter({ hasText: name }).click();
  await dialog.getByRole('textbox', { name: 'Code promo' }).fill('INCONNU');
  await dialog.getByRole('button', { name: 'Commander l’abonnement' }).click();
  await expect(dialog.getByText(messages.unknownPromoCode, { exact: true })).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Code promo' }).fill('');
  await dialog.getByRole('button', { name: 'Commander l’abonnement' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('status').filter({ hasText: 'L’abonnement est commandé' })).toBeVisible();

  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(account.lname);
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(row).toContainText('En attente');
  const [subscription] = (await api.call(routes.listSubscriptions, { query: { q: account.lname } })).data;
  if (!subscription) throw new Error('the subscription is not listed');
  const params = { id: subscription.id };
  await api.call(routes.editInvoice, { params, body: { status: 'PAID', reference: 'VIR-1' } });
  await page.reload();
  await expect(row).toContainText('Payé');
  await expect(row).toContainText(`Commande n° ${subscription.id}`);
  await expect(row.getByText(/^\d{2}\/\d{2}\/20\d{2}$/)).toHaveCount(2);
  await expectNoAxeViolations(page);

  await row.getByRole('button', { name: `Résilier l’abonnement ${de(name)}` }).click();
  const confirm = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(confirm).toContainText(name);
  await expect(confirm.getByRole('button', { name: 'Annuler', exact: true })).toBeFocused();
  // The first response is lost: repeating with the same key returns the same response.
  const keys: (string | undefined)[] = [];
  await page.route(`**/api/subscriptions/item/${subscription.id}/cancel`, async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await confirm.getByRole('button', { name: 'Résilier l’abonnement' }).click();
  await expect(confirm.getByText(messages.network)).toBeVisible();
  await confirm.getByRole('button', { name: 'Résilier l’abonnement' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'L’abonnement est résilié' })).toBeVisible();
  expect(keys).toEqual([expect.any(String), keys[0]]);
  await expect(row).toHaveCount(0);
  expect((await api.call(routes.getInvoice, { params })).data.status).toBe('CANCEL');

  // The invoice is credited; each document refers to the other, and both can be printed.
  await page.goto(`/accounts/invoice/${subscription.id}`);
  const invoice = page.getByRole('row', { name: /^Facture/ });
  const creditNote = page.getByRole('row', { name: /^Avoir/ });
  const numberOf = async (row: typeof invoice) =>
    ((await row.getByRole('rowheader').textContent()) ?? '').replace(/^\S+ /, '');
  await expect(invoice).toContainText(`Annulée par l’avoir ${await numberOf(creditNote)}`);
  await expect(creditNote).toContainText(`Annule la facture ${await numberOf(invoice)}`);
  const download = page.waitForEvent('download');
  await creditNote.getByRole('button', { name: /^Télécharger en PDF/ }).click();
  expect((await download).suggestedFilename()).toBe(`avoir-${await numberOf(creditNote)}.pdf`);
  await expectNoAxeViolations(page);

  // A new payment has its own reference; the action that reverses it asks first, as in the list.
  const select = async (status: string) => {
    await page.getByRole('combobox', { name: 'État' }).click();
    await page.getByRole('option', { name: status }).click();
  };
  const save = page.getByRole('button', { name: 'Enregistrer l’état' });
  const saved = page.getByRole('status').filter({ hasText: 'L’état de la facture est enregistré' });
  const reference = page.getByRole('textbox', { name: 'Référence du règlement' });
  await select('Payée');
  await save.click();
  await expect(reference).toBeFocused();
  await reference.fill('CHQ 9');
  await save.click();
  await expect(saved).toBeVisible();
  for (const [status, verb, consequence] of [
    ['En attente', 'Remettre en attente', 'aucun avoir n’est émis'],
    ['Annulée', 'Annuler la commande', 'Un avoir annulera la facture'],
  ] as const) {
    const present = (await api.call(routes.getInvoice, { params })).data;
    await select(status);
    await save.click();
    await expect(confirm).toContainText(`Commande n°\u00a0${subscription.id}, ${name}`);
    await expect(confirm).toContainText(consequence);
    await expect(confirm).toContainText(present.invoiceNumber ?? 'none');
    await confirm.getByRole('button', { name: 'Annuler', exact: true }).click();
    await expect(confirm).toBeHidden();
    expect((await api.call(routes.getInvoice, { params })).data).toEqual(present);
    await save.click();
    await confirm.getByRole('button', { name: verb }).click();
    await expect(saved).toBeVisible();
  }
  const payments = (await api.call(routes.getInvoice, { params })).data.creditNotes.map(({ payment }) => payment?.id);
  expect(payments).toEqual(['VIR-1', 'CHQ 9']);

  // The demo's expired ones.
  await page.goto('/services/subscriptions?due=passed');
  const passed = page.getByRole('row').filter({ has: page.getByRole('cell') });
  await expect(passed.first()).toContainText('Échu');
  await expect(passed.filter({ hasText: 'En cours' })).toHaveCount(0);
});

test('those who only read promo codes and smartlinks see no edit actions', async ({ api, browser }) => {
  const reader = await api.addAdmin('Léo', ['read_coupon', 'read_smartlink']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, reader.email, reader.password);
  for (const address of ['/services/promo-codes', '/services/smartlinks/pending', '/services/smartlinks/enabled']) {
    await page.goto(address);
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    const main = page.getByRole('main');
    await expect(main.getByRole('button', { name: /^(Créer|Supprimer)/ }), address).toHaveCount(0);
    await expect(main.getByRole('link', { name: /^(Créer|Modifier)/ }), address).toHaveCount(0);
  }
  // The row opens the clicks, which require reading only.
  await page
    .getByRole('row')
    .nth(1)
    .getByRole('button', { name: /^Clics de/ })
    .first()
    .click();
  await expect(page.getByRole('dialog', { name: /^Clics de/ })).toContainText('Par jour');
  await context.close();
});
