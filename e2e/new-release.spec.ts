import { writeFile } from 'node:fs/promises';
import type { Page, TestInfo } from '@playwright/test';
import { wavHeader } from '@regie/api/demo/demo-audio.ts';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { de } from '@regie/values/elision.ts';
import { Api } from './support/api.ts';
import { expectReady, fact } from './support/screens.ts';
import { countClicks, expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

const mark = () => crypto.randomUUID().slice(0, 8);
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const idOf = (page: Page) => Number(new URL(page.url()).searchParams.get('release'));

/** An account without a label subscription: its releases have a price. */
async function findAccount(api: Api) {
  const { data } = await api.call(routes.lookupAccounts, { query: { q: 'a' } });
  for (const account of data) {
    const { data: draft } = await api.call(routes.createRelease, { body: draftOf(account.id, `Essai ${mark()}`) });
    const { data: quote } = await api.call(routes.quoteDelivery, { params: { id: draft.id } });
    await api.call(routes.deleteRelease, { params: { id: draft.id } });
    if (quote.subscriptionUntil === null) return { ...account, prices: quote.prices };
  }
  throw new Error('every account has a label subscription');
}

const draftOf = (userId: number, title: string) => ({
  userId,
  title,
  genre: 'Jazz',
  originalRealeaseDate: '01/12/2026',
  digitalReleaseDate: '04/12/2026',
  yearOfRegistration: 2026,
  recordingOwnerName: 'Maison Nord',
  coverDetailsOwner: 'Maison Nord',
});

/** A draft with a track and, by default, an order. */
async function arrange(api: Api, title: string, isOrdered = true) {
  const account = await findAccount(api);
  const { data } = await api.call(routes.createRelease, { body: draftOf(account.id, title) });
  await api.call(routes.addTrack, {
    body: {
      ...{ title: 'Aurore', genre: 'Jazz', language: 'French', recordingOwnerName: 'Maison Nord' },
      ...{ yearOfRegistration: 2026, libraryId: data.id, artists: [], contributors: [], musicians: [] },
    },
  });
  if (isOrdered) {
    await api.call(routes.saveDelivery, {
      params: { id: data.id },
      body: { genre: 'Jazz', plan: 'single', label: '', platforms: ['spotify'], territories: ['all'] },
    });
  }
  return { id: data.id, account };
}

test('a release is created by the wizard, priced with a promo code and paid offline', async ({ page, api }) => {
  const account = await findAccount(api);
  const title = `Marée ${mark()}`;
  await page.goto('/library/releases/unpublished');
  await page.getByRole('main').getByRole('link', { name: 'Nouvelle sortie' }).click();
  await expect(page).toHaveURL('/release/new/tracks');
  await page.goto('/release/new');
  await expect(page).toHaveURL('/release/new/tracks');

  // Without input the first field has an error and the focus.
  await page.getByRole('button', { name: 'Enregistrer le brouillon' }).click();
  await expect(page.getByRole('combobox', { name: 'Compte' })).toBeFocused();
  await expectNoAxeViolations(page);
  await page.getByRole('combobox', { name: 'Compte' }).fill(account.label);
  await page.getByRole('option', { name: account.label }).first().click();
  await field(page, 'Titre').fill(title);
  // Any value of its last release is only a proposal.
  await field(page, 'Label').fill('');
  await page.getByRole('combobox', { name: 'Genre', exact: true }).click();
  await page.getByRole('option', { name: 'Jazz' }).click();
  await field(page, 'Date de sortie originale').fill('1/12/2026');
  await field(page, 'Date de sortie numérique').fill('4/12/2026');
  await field(page, 'Producteur de l’enregistrement').fill('Maison Nord');
  await field(page, 'Propriétaire de la pochette').fill('Maison Nord');

  // Leaving with unsaved changes asks for a confirmation.
  await page.getByRole('link', { name: 'Accueil', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Continuer la saisie' }).click();
  await page.getByRole('button', { name: 'Enregistrer le brouillon' }).dblclick();
  await expect(page.getByRole('status').filter({ hasText: 'Le brouillon est enregistré' })).toBeVisible();
  await expect(page).toHaveURL(/\/release\/new\/tracks\?release=\d+$/);
  const id = idOf(page);
  const read = async () => (await api.call(routes.getRelease, { params: { id } })).data;
  expect(await read()).toMatchObject({ title, status: 'DRAFT', originalRealeaseDate: '01/12/2026' });

  await page.getByRole('button', { name: 'Ajouter un titre' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un titre' });
  await dialog.getByRole('textbox', { name: 'Titre', exact: true }).fill('Aurore');
  await dialog.getByRole('checkbox', { name: 'Sans voix' }).check();
  const artists = dialog.getByRole('combobox', { name: 'Ajouter un artiste' });
  await artists.fill(`Trio ${title}`);
  await page.getByRole('option', { name: `Trio ${title}` }).click();
  await dialog.getByRole('button', { name: 'Ajouter un titre' }).click();
  await expect(dialog).toBeHidden();
  await page.reload();
  await expect(field(page, 'Titre')).toHaveValue(title);
  await expect(page.getByRole('button', { name: 'Déplacer Aurore' })).toBeVisible();

  await expect(page.getByRole('link', { name: 'Continuer vers la formule' })).toBeVisible();
  await field(page, 'Propriétaire de la pochette').fill('Maison Sud');
  await page.getByRole('button', { name: 'Enregistrer et continuer' }).click();
  await expect(page).toHaveURL(`/release/new/plan?release=${id}`);
  expect(await read()).toMatchObject({ coverDetailsOwner: 'Maison Sud' });
  await page.getByRole('button', { name: 'Décocher toutes les plateformes' }).click();
  await page.getByRole('button', { name: 'Enregistrer et continuer' }).click();
  // One track is a single until something else is chosen.
  await expect(page.getByRole('radio', { name: /^Single/ })).toBeChecked();
  await expect(page.getByText('Choisissez au moins une plateforme', { exact: true })).toBeVisible();
  await expectNoAxeViolations(page);
  await page.getByRole('radio', { name: /^EP/ }).click();
  await page.getByRole('checkbox', { name: 'Deezer' }).check();
  await page.getByRole('checkbox', { name: 'Spotify' }).check();
  await page.getByRole('radio', { name: 'Certains pays' }).check();
  const countries = page.getByRole('combobox', { name: 'Pays de diffusion' });
  await countries.fill('belg');
  await page.getByRole('option', { name: 'Belgique' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Ajouter Océanie' }).click();
  await page.getByRole('switch', { name: /^Livraison express/ }).check();
  await expect(fact(page, 'Total TTC')).toHaveText(/^44,90/);
  await field(page, 'Code promo').fill('INCONNU');
  await expect(page.getByText(messages.unknownPromoCode)).toBeVisible();
  await field(page, 'Code promo').fill('bienvenue');
  await expect(fact(page, 'Remise BIENVENUE')).toHaveText(/^−8,98/);
  await expect(fact(page, 'Total TTC')).toHaveText(/^35,92/);
  await page.getByRole('button', { name: 'Enregistrer et continuer' }).click();

  await expect(page).toHaveURL(`/release/new/summary?release=${id}`);
  await expect(fact(page, 'Total TTC')).toHaveText(/^35,92/);
  await expect(fact(page, 'dont TVA 20 %')).toHaveText(/^5,99/);
  await expect(fact(page, 'Plateformes')).toHaveText('Deezer, Spotify');
  await expect(fact(page, 'Territoires')).toContainText('Belgique');
  await expectNoAxeViolations(page);
  await page.getByRole('link', { name: 'Continuer vers le règlement' }).click();
  // The payment that this page starts is not one of those that count after the reload.
  await expect(page.getByRole('button', { name: /^Enregistrer le règlement de 35,92/ })).toBeVisible();

  const starts: number[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/pay/start')) starts.push(response.status());
  });
  await page.reload();
  await page.getByRole('button', { name: /^Enregistrer le règlement de 35,92/ }).click();
  await expect(field(page, 'Référence du règlement')).toBeFocused();
  await field(page, 'Référence du règlement').fill(`VIR ${title}`);
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: /^Enregistrer le règlement/ }).dblclick();
  await expect(page).toHaveURL(`/library/release/${id}`);
  await expect(page.getByRole('status').filter({ hasText: 'Payments fait avec succès' })).toHaveCount(1);
  // The payment is started once: a paid order has none to start.
  expect(starts).toEqual([200]);

  const { Order: order, status } = await read();
  expect(status).toBe('PAID');
  expect(order).toMatchObject({ status: 'PAID', totalAmountByLocation: 35.92, discount: 8.98, vatAmount: 5.99 });
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Payée/Contrôle Qualité');
  await expect(fact(page, 'Facture')).toContainText(order?.invoiceNumber ?? 'none');
  await expect(fact(page, 'Total, devise locale')).toHaveText(/^35,92/);
  await expect(fact(page, 'Prix de la formule')).toHaveText(/^19,90/);
  await expect(fact(page, 'Paiement')).toContainText(`VIR ${title}`);
  const journal = await api.call(routes.listJournal, { query: { q: 'order.pay', limit: 5 } });
  expect(journal.data.filter((entry) => entry.entityId === String(order?.id))).toHaveLength(1);

  // Once paid, the wizard links to the release.
  await page.goto(`/release/new/plan?release=${id}`);
  await expect(page).toHaveURL(`/library/release/${id}`);
});

/** Ten files, in the order that a file chooser might list them. */
const tenWavs = (info: TestInfo) =>
  Promise.all(
    ['10', '02', '03', '04', '05', '06', '07', '08', '09', '01'].map(async (number) => {
      const path = info.outputPath(`${number} - Trio Nord - Chanson_${number}.wav`);
      await writeFile(path, Buffer.concat([wavHeader(17_640), Buffer.alloc(17_640, 1)]));
      return path;
    }),
  );
const tenTitles = [
  'Chanson 01',
  'Brume',
  ...['03', '04', '05', '06', '07', '08', '09', '10'].map((n) => `Chanson ${n}`),
];
const titleField = (page: Page, number: number) => field(page, `Titre n° ${number}`);

/** A new account with a release, whose values the next one takes over. */
async function arrangeLastRelease(api: Api) {
  const name = `Nord-${mark()}`;
  const person = { fname: 'Ana', lname: name, country: 'France', email: `${mark()}@clients.example` };
  const { data: account } = await api.call(routes.createProfile, { body: person });
  const release = { ...draftOf(account.id, 'Avant'), language: 'French' };
  const { data: last } = await api.call(routes.createRelease, { body: release });
  const artists = [{ fullname: `Trio ${name}`, role: 'Primary Artist' }];
  const track = { ...release, libraryId: last.id, artists, contributors: [], musicians: [] };
  await api.call(routes.addTrack, { body: track });
  return name;
}

/** The draft in the address has ten tracks with audio, and the values of the account's last release. */
async function expectTenTracks(page: Page, api: Api, name: string) {
  await expect(page).toHaveURL(/\/release\/new\/tracks\?release=\d+$/);
  const read = async () => (await api.call(routes.getRelease, { params: { id: idOf(page) } })).data;
  await expect.poll(async () => (await read()).tracks.filter((track) => track.audioDetails !== '{}').length).toBe(10);
  await expect.poll(async () => (await read()).tracks.map(({ title }) => title)).toEqual(tenTitles);
  const release = await read();
  expect(release).toMatchObject({ title: 'Chansons', language: 'French', coverDetailsOwner: 'Maison Nord' });
  expect(release.tracks[9]).toMatchObject({ language: 'French', Artists: [{ fullname: `Trio ${name}` }] });
}

test('ten WAV files become a draft in 6 clicks, and its tracks are edited in place', async ({ page, api }, info) => {
  const name = await arrangeLastRelease(api);
  await page.goto('/library/releases/unpublished');
  const click = countClicks();
  await click(page.getByRole('main').getByRole('link', { name: 'Nouvelle sortie' }));
  const chooser = page.waitForEvent('filechooser');
  await click(page.getByRole('button', { name: /^Fichiers audio/ }));
  await (await chooser).setFiles(await tenWavs(info));
  await expect(titleField(page, 10)).toHaveValue('Chanson 10');
  await click(page.getByRole('combobox', { name: 'Compte' }));
  await page.keyboard.type(name);
  await click(page.getByRole('option', { name }));
  await expect(page.getByRole('list', { name: 'Artistes de tous les titres' })).toContainText(name);
  await click(field(page, 'Titre'));
  await page.keyboard.type('Chansons');
  await expectNoAxeViolations(page);
  await click(page.getByRole('button', { name: 'Enregistrer le brouillon' }));
  await page.getByRole('button', { name: 'Modifier Chanson 02' }).click();
  expect(click.count).toBe(6);

  // The dialog opens and closes within the step.
  await expect(page).toHaveURL(/\/release\/new\/tracks\?release=\d+&titre=\d+$/);
  await page.getByRole('dialog').getByRole('button', { name: 'Annuler' }).click();
  await titleField(page, 2).fill('Brume');
  await page.keyboard.press('Enter');
  await expect(titleField(page, 3)).toBeFocused();
  await expectTenTracks(page, api, name);
  await expectNoAxeViolations(page);
});

test('ten WAV files become a draft in 17 keys besides its texts', async ({ page, api }, info) => {
  const name = await arrangeLastRelease(api);
  // Files are intercepted a moment after the call: before a key could open their window.
  const chooser = page.waitForEvent('filechooser');
  await page.goto('/release/new/tracks');
  let keys = 0;
  const press = async (...pressed: string[]) => {
    keys += pressed.length;
    for (const key of pressed) await page.keyboard.press(key);
  };
  await expectReady(page);
  await page.getByRole('button', { name: /^Fichiers audio/ }).focus();
  await press('Enter');
  await (await chooser).setFiles(await tenWavs(info));
  await expect(titleField(page, 10)).toBeVisible();
  await press('Tab', 'Enter');
  await page.keyboard.type('Brume');
  await press('Enter', 'Enter', 'Enter', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
  await expect(page.getByRole('combobox', { name: 'Compte' })).toBeFocused();
  await page.keyboard.type(name);
  await expect(page.getByRole('option', { name })).toBeVisible();
  await press('ArrowDown', 'Enter');
  await expect(field(page, 'Producteur de l’enregistrement')).toHaveValue('Maison Nord');
  await press('Tab');
  await page.keyboard.type('Chansons');
  await press('Enter');
  await expectTenTracks(page, api, name);
  expect(keys).toBe(17);
});

test('a draft is resumed from its list and submitted without payment', { tag: '@area' }, async ({ page, api }) => {
  const title = `Brouillon ${mark()}`;
  const { id } = await arrange(api, title);
  await page.goto(`/library/releases/unpublished?q=${encodeURIComponent(title)}`);
  await page.getByRole('link', { name: `Reprendre ${title}` }).click();
  await expect(page).toHaveURL(`/release/new/tracks?release=${id}`);
  await page.getByRole('navigation', { name: 'Étapes' }).getByRole('link', { name: 'Règlement' }).click();
  await page.getByRole('button', { name: 'Mettre en attente de règlement' }).click();
  await expect(page).toHaveURL(`/library/release/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('En attente');
  await page.getByRole('link', { name: 'Régler la commande' }).click();
  await expect(page).toHaveURL(`/release/new/pay?release=${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Commande ${de(title)}`);
  await expect(page.getByText('Nouvelle sortie')).toHaveCount(0);
});

test('an order of 0 is validated without a payment', async ({ page, api }) => {
  const title = `Offert ${mark()}`;
  const { id } = await arrange(api, title, false);
  const name = `OFFERT-${mark()}`.toUpperCase();
  await api.call(routes.addPromoCode, { body: { name, type: 'percent', amount: '100', dueDate: '31/12/2099' } });
  await api.call(routes.saveDelivery, {
    params: { id },
    body: { genre: 'Jazz', plan: 'single', label: '', platforms: ['spotify'], promoCode: name },
  });
  const starts: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/pay/start')) starts.push(request.url());
  });
  await page.goto(`/library/release/${id}`);
  await page.getByRole('link', { name: 'Valider la commande' }).click();
  await expect(page.getByRole('heading', { name: 'Rien à payer' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Référence du règlement' })).toHaveCount(0);
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Valider la commande' }).click();
  await expect(page).toHaveURL(`/library/release/${id}`);
  await expect(page.getByRole('status').filter({ hasText: 'est validée' })).toBeVisible();
  const { Order: order, status } = (await api.call(routes.getRelease, { params: { id } })).data;
  expect([order?.status, order?.totalAmountByLocation, status]).toEqual(['PAID', 0, 'PAID']);
  expect(starts).toEqual([]);
});

test('the wizard requires any one of the rights to edit releases', async ({ page, api, browser }) => {
  const { id } = await arrange(api, `Droits ${mark()}`, false);
  const reader = await api.addAdmin('Lectrice', ['read_none_published_libraries']);
  const editor = await api.addAdmin('Éditeur', ['edit_paid_libraries']);
  await page.context().clearCookies();
  await signIn(page, reader.email, reader.password);
  await page.goto('/library/releases/unpublished');
  await expectReady(page);
  await expect(page.getByRole('link', { name: 'Nouvelle sortie' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: /^Reprendre/ })).toHaveCount(0);
  await page.goto(`/release/new/plan?release=${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Accès non autorisé' })).toBeVisible();
  await expect(page.getByRole('radio', { name: /^EP/ })).toHaveCount(0);

  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, editor.email, editor.password);
  await other.goto(`/release/new/plan?release=${id}`);
  await other.getByRole('radio', { name: /^Single/ }).click();
  await other.getByRole('button', { name: 'Enregistrer et continuer' }).click();
  await other.getByRole('link', { name: 'Continuer vers le règlement' }).click();
  await field(other, 'Référence du règlement').fill('CHQ 12');
  await other.getByRole('button', { name: /^Enregistrer le règlement de 9,90/ }).click();
  await expect(other).toHaveURL(`/library/release/${id}`);
  expect((await new Api(other.request).call(routes.getRelease, { params: { id } })).data.status).toBe('PAID');
  await context.close();
});

test.describe('by card', () => {
  // The tested app has no Stripe configuration: the test simulates the card field in the page.
  test.use({ bypassCSP: true });

  test('a declined card shows an error and charges nothing; an accepted one waits for the confirmation', async ({
    page,
    api,
  }) => {
    const { id } = await arrange(api, `Carte ${mark()}`);
    const { data: quote } = await api.call(routes.quoteDelivery, { params: { id } });
    await page.route('https://js.stripe.com/**', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `window.Stripe = Object.assign(() => ({
          elements: () => ({ create: () => ({ mount: (at) => { at.textContent = 'carte'; }, destroy() {} }) }),
          confirmCardPayment: async () => window.answers.shift(),
          _registerWrapper() {}, registerAppInfo() {},
        }), { version: 'test' });`,
      }),
    );
    await page.addInitScript(() => {
      Object.assign(window, {
        answers: [
          { error: { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline' } },
          { error: { type: 'api_error' } },
          { paymentIntent: { status: 'succeeded' } },
        ],
      });
    });
    await page.route('**/pay/start', (route) =>
      route.fulfill({
        json: {
          code: 'success',
          message: '',
          errors: {},
          data: {
            mode: 'card',
            orderId: quote.order?.id,
            total: 9.9,
            currency: 'EUR',
            clientSecret: 'pi_1_secret_2',
            publicKey: 'pk_test_1',
          },
        },
      }),
    );
    await page.goto(`/release/new/pay?release=${id}`);
    const pay = page.getByRole('button', { name: /^Payer 9,90/ });
    await pay.click();
    await expect(page.getByRole('alert').filter({ hasText: 'La carte a été refusée' })).toBeVisible();
    await pay.click();
    await expect(page.getByRole('alert').filter({ hasText: 'Payement est erroné' })).toBeVisible();
    await pay.click();
    await expect(page.getByText('nous attendons sa confirmation')).toBeVisible();
    // The browser's result alone does not pay the order.
    expect((await api.call(routes.getRelease, { params: { id } })).data.Order?.status).toBe('PENDING');
    await api.call(routes.payOffline, { params: { id }, body: { reference: 'confirmation' } });
    await expect(page).toHaveURL(`/library/release/${id}`);
    await expect(page.getByRole('status').filter({ hasText: 'Payments fait avec succès' })).toHaveCount(1);
  });
});
