import type { Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { Api } from './support/api.ts';
import { addPayee, successStatus } from './support/payees.ts';
import { chooseFile, expectReady } from './support/screens.ts';
import { distrokidFile, sendStatement } from './support/statements.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

const mark = () => crypto.randomUUID().slice(0, 8);

const addAccount = (api: Api, lname: string) =>
  api.call(routes.createProfile, {
    body: { fname: 'Ana', lname, country: 'France', email: `${mark()}@clients.example` },
  });

/** Picks the record by its name, and the month. */
async function fillReport(page: Page, picker: string, name: string, month: string) {
  await page.getByRole('combobox', { name: picker }).fill(name);
  await page.getByRole('option').filter({ hasText: name }).first().click();
  await page.getByRole('combobox', { name: 'Mois' }).fill(month);
  await page.getByRole('option', { name: month }).click();
}

test('a form that creates a report is empty afterwards, and a second report of the month requires a confirmation', async ({
  page,
  api,
}) => {
  const { data: tracks } = await api.call(routes.listDeliveredTracks, { query: { limit: 1 } });
  const track = tracks[0];
  if (!track) throw new Error('the demo has no delivered track');
  const lname = `Formulaire-${mark()}`;
  const { data: account } = await addAccount(api, lname);
  const screens = [
    {
      path: '/reporting/platform/add',
      picker: 'Titre',
      name: track.isrc ?? track.title,
      income: /^Revenus des écoutes/,
      save: 'Créer le rapport',
      done: 'Le rapport est créé',
      count: { type: 'platform', from: monthToMs('2020-05'), to: monthToMs('2020-05'), userId: track.userId },
    },
    {
      path: '/reporting/youtube/add',
      picker: 'Compte',
      name: lname,
      income: /^Revenus vidéo/,
      save: 'Enregistrer le revenu',
      done: 'Le revenu vidéo est enregistré',
      count: { type: 'youtube', from: monthToMs('2020-05'), to: monthToMs('2020-05'), userId: account.id },
    },
  ];
  for (const { path, picker, name, income, save, done, count } of screens) {
    const reports = async () => (await api.call(routes.listReports, { query: count })).meta.total;
    const before = await reports();
    await page.goto(path);
    await expectReady(page);
    const main = page.getByRole('main');
    const button = main.getByRole('button', { name: save });
    const made = main.getByRole('status').filter({ hasText: done });
    await fillReport(page, picker, name, '05/2020');
    await main.getByRole('textbox', { name: income }).fill('1,5');
    await page.keyboard.press('Enter');
    await expect(made.getByRole('link', { name: 'Voir le rapport' })).toBeVisible();
    await expect(made).toContainText('mai 2020');
    for (const field of [
      main.getByRole('combobox', { name: picker }),
      main.getByRole('combobox', { name: 'Mois' }),
      main.getByRole('textbox', { name: income }),
    ]) {
      await expect(field).toHaveValue('');
    }
    await expectNoAxeViolations(page);
    await made.getByRole('button', { name: 'Masquer ce message' }).click();
    await expect(button).toBeDisabled();
    expect(await reports()).toBe(before + 1);

    // Other figures ask for a confirmation that names the first report; "Annuler" saves nothing and keeps the input.
    await fillReport(page, picker, name, '05/2020');
    await main.getByRole('textbox', { name: income }).fill('1,75');
    await button.click();
    const question = page.getByRole('dialog', { name: 'Vous êtes sure?' });
    const first = question.getByRole('link', { name: /n°\s\d+, 1,50\s\$US, créé le / });
    await expect(first).toHaveAttribute('href', /\/reporting\/report\/\d+$/);
    await expectNoAxeViolations(page);
    await question.getByRole('button', { name: 'Annuler' }).click();
    await expect(main.getByRole('alert').filter({ hasText: 'existe déjà' })).toBeVisible();
    await expect(main.getByRole('combobox', { name: 'Mois' })).toHaveValue('05/2020');
    expect(await reports()).toBe(before + 1);
    await button.click();
    await question.getByRole('button', { name: 'Créer un second rapport' }).click();
    await expect(made).toBeVisible();
    expect(await reports()).toBe(before + 2);
    await made.getByRole('link', { name: 'Voir le rapport' }).click();
    await expect(page).toHaveURL(/\/reporting\/report\/\d+$/);
  }
});

test('dialogs ask before input is lost, however they are closed', async ({ page, api }) => {
  test.setTimeout(300_000);
  const { data: account } = await addAccount(api, `Fermeture-${mark()}`);
  const box = (name: RegExp | string) => (dialog: ReturnType<Page['getByRole']>) =>
    dialog.getByRole('textbox', { name }).fill('123');
  const dialogs: {
    path: string;
    open: string | RegExp;
    type: (dialog: ReturnType<Page['getByRole']>) => Promise<void>;
  }[] = [
    { path: '/accounts/manage-admins', open: 'Ajouter un administrateur', type: box('Prénom') },
    { path: '/accounts/manage-admins', open: 'Inviter', type: box(/E-mail/) },
    { path: '/accounting/exchange-rates', open: 'Ajouter un taux', type: box(/^Pour 1/) },
    { path: '/accounting/exchange-rates', open: 'Taux de la BCE', type: box(/^Ou collez/) },
    {
      path: '/account/security',
      open: 'Changer le mot de passe',
      type: (dialog) => dialog.getByLabel(/actuel/).fill('123'),
    },
    { path: '/services/subscriptions', open: 'Nouvel abonnement', type: box('Code promo') },
    { path: '/tools/ticket/opened', open: 'Nouveau ticket', type: box('Titre') },
    { path: `/accounts/${account.id}/billings`, open: 'Ajouter un compte PayPal', type: box('E-mail') },
  ];
  for (const { path, open, type } of dialogs) {
    await test.step(`${path}: ${open}`, async () => {
      await page.goto(path);
      await expectReady(page);
      const question = page.getByRole('dialog', { name: 'Quitter sans enregistrer ?' });
      const dialog = page.getByRole('dialog').filter({ visible: true }).first();
      const opener = page.getByRole('main').getByRole('button', { name: open }).first();
      // Without input, closing does not ask.
      await opener.click();
      await expect(dialog).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);

      await opener.click();
      await type(dialog);
      for (const close of [
        () => page.keyboard.press('Escape'),
        () => dialog.getByRole('banner').getByRole('button').click(),
      ]) {
        await close();
        await expect(question).toBeVisible();
        await question.getByRole('button', { name: 'Continuer la saisie' }).click();
        await expect(question).toBeHidden();
      }
      await page.keyboard.press('Escape');
      await question.getByRole('button', { name: 'Quitter sans enregistrer' }).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    });
  }
});

test('results of a file or a month are shown in messages that can be dismissed', async ({ page, api }) => {
  const { data: releases } = await api.call(routes.listDeliveredReleases, { query: { limit: 1 } });
  const dismissed = async (text: string) => {
    const notice = page.getByText(text, { exact: false }).filter({ visible: true });
    await expect(notice).toBeVisible();
    await page.getByRole('button', { name: 'Masquer ce message' }).filter({ visible: true }).click();
    await expect(notice).toHaveCount(0);
  };
  const choose = (file: { name: string; mimeType: string; buffer: Buffer }, zone = page.locator('body')) =>
    zone.locator('input[type="file"]').first().setInputFiles(file);
  const wrongFile = { name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('rien') };

  await page.goto(`/library/release/${releases[0]?.id}`);
  await expectReady(page);
  await page.getByRole('button', { name: /^(Changer la|Ajouter une) pochette$/ }).click();
  const cover = page.getByRole('dialog');
  await choose(wrongFile, cover);
  await dismissed('Nous acceptons les fichiers de format .png, .jpg ou .jpeg');
  // The same file is refused again, dropped beside the button.
  const dataTransfer = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['rien'], 'notes.pdf'));
    return transfer;
  });
  for (const event of ['dragover', 'drop']) await cover.getByRole('heading').dispatchEvent(event, { dataTransfer });
  await dismissed('Nous acceptons les fichiers de format .png, .jpg ou .jpeg');

  await page.goto(`/library/release/${releases[0]?.id}/edit`);
  await expectReady(page);
  const rows = page
    .getByRole('region', { name: /CSV/ })
    .or(page.locator('section').filter({ hasText: 'CSV' }))
    .last();
  await choose(wrongFile, rows);
  await dismissed('S.V.P selectionner un fichier CSV');

  await page.goto('/reporting/platform/add?section=csv');
  await expectReady(page);
  await choose(wrongFile);
  await dismissed('S.V.P selectionner un fichier CSV');
  await choose({ name: 'mois.csv', mimeType: 'text/csv', buffer: Buffer.from('isrc;streams\nFRX122600001;1\n') });
  await page.getByRole('button', { name: /^Envoyer|^Importer 1/ }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Choisissez un mois' })).toBeVisible();
  await page.getByRole('button', { name: 'Masquer ce message' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Choisissez un mois' })).toHaveCount(0);

  await page.goto('/reporting/platform/add?section=month');
  await expectReady(page);
  await page.getByRole('combobox', { name: 'Mois' }).filter({ visible: true }).fill('01/2020');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Contrôler ce qui sera supprimé' }).click();
  await dismissed('Aucun rapport de ce type en janv. 2020');
});

test('a payout that cannot be deleted shows the reason on its page, with its confirmation closed', async ({
  page,
  api,
  context,
}) => {
  // Another journey may have exported the first one in a batch.
  const { data: payouts } = await api.call(routes.listPendingPayouts, { query: { limit: 500 } });
  await page.goto(`/payouts/payout/${payouts.find(({ batchId }) => batchId === null)?.payoutId}`);
  await expectReady(page);
  await page.getByRole('button', { name: 'Supprimer' }).click();
  const question = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await context.setOffline(true);
  await question.getByRole('button', { name: /^Supprimer/ }).click();
  await expect(question).toBeHidden();
  await expect(
    page.getByRole('main').getByRole('alert').filter({ hasText: 'Vérifiez votre connexion internet et ressayez' }),
  ).toBeVisible();
  await context.setOffline(false);
});

test('a refused form names each field to correct once, until it is corrected', { tag: '@area' }, async ({
  page,
  api,
}) => {
  await api.readCsrf();
  await page.goto('/release/new/tracks');
  await expectReady(page);
  const summary = page.locator('form [role="alert"]').filter({ hasText: 'à corriger' });
  await page.getByRole('button', { name: 'Enregistrer le brouillon' }).click();
  await expect(summary).toContainText('champs sont à corriger');
  const text = (await summary.textContent()) ?? '';
  const [count = '', names = ''] = text.split(/ champs sont à corriger\s?: /);
  const named = names.split(', ');
  expect(named).toEqual(expect.arrayContaining(['Titre', 'Genre', 'Producteur de l’enregistrement']));
  expect(new Set(named).size).toBe(named.length);
  expect(Number(count)).toBe(named.length);
  await expect(summary).toBeVisible();
  await page.getByRole('textbox', { name: 'Titre', exact: true }).first().fill('Corrigé');
  await expect(summary).toHaveText(
    `${named.length - 1} champs sont à corriger\u00a0: ${named.filter((name) => name !== 'Titre').join(', ')}`,
  );
});

test('deleting a record returns to its list as it was, and the message does not reappear on reload', async ({
  page,
  api,
}) => {
  const lname = `Retour-${mark()}`;
  const { data: account } = await addAccount(api, lname);
  for (const month of ['2021-01', '2021-02']) {
    await api.call(routes.createYoutubeReport, {
      body: { userId: account.id, fromDate: monthToMs(month), incomeOfYoutube: 12 },
    });
  }
  const list = `/reporting/youtube?from=2021-01&to=2021-03&userId=${account.id}`;
  await page.goto(list);
  await expectReady(page);
  await page.getByRole('row').filter({ hasText: 'janv. 2021' }).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/reporting\/report\/\d+$/);
  await page.getByRole('button', { name: /^Supprimer/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Supprimer/ })
    .click();
  const said = page.getByRole('status').filter({ hasText: 'Le rapport est supprimé' });
  await expect(said).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${list.replace(/[?]/g, '\\?')}$`));
  await expect(page.getByRole('row').filter({ hasText: 'févr. 2021' })).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'janv. 2021' })).toHaveCount(0);
  await page.reload();
  await expectReady(page);
  await expect(said).toHaveCount(0);

  // The reason of a redirect is shown once too.
  for (const [address, reached] of [
    ['/payouts/payout/999999999', '/payouts/pending'],
    ['/accounts/invoice/999999999', '/accounts/invoices'],
    ['/accounts/bank-account/999999999', '/accounts/profiles'],
    ['/library/release/999999999/edit', '/library/releases/unpaid'],
  ] as const) {
    await page.goto(address);
    await expect(page).toHaveURL(reached);
    const problem = page.getByRole('main').getByRole('alert');
    await expect(problem).toBeVisible();
    await expectReady(page);
    await page.reload();
    await expectReady(page);
    await expect(problem).toHaveCount(0);
  }
});

/** The demo's waiting release with the fewest tracks that are editable. */
async function findEditableRelease(api: Api) {
  const { data } = await api.call(routes.listUnpaidReleases, { query: { limit: 200 } });
  for (const { id } of data.slice(-20)) {
    const { data: release } = await api.call(routes.getRelease, { params: { id } });
    if (release.canEdit && release.tracks.length < 20) return release;
  }
  throw new Error('the demo has no waiting release that may be edited');
}

const trackRows = (titles: readonly string[]) => `titre;artistes\n${titles.map((title) => `${title};Zoé\n`).join('')}`;

test('leaving in any way asks before a validated file is lost', async ({ page, api }) => {
  const release = await findEditableRelease(api);
  const lname = `Fichier-${mark()}`;
  const { data: account } = await addAccount(api, lname);
  const question = page.getByRole('dialog', { name: 'Quitter sans enregistrer ?' });
  const screens = [
    {
      path: `/library/release/${release.id}/edit`,
      label: /^Fichier des titres/,
      content: trackRows([`Gardé ${mark()}`]),
      checked: '1 nouveau titre',
    },
    {
      path: '/tools/edit-isrc-or-barcode',
      label: /^Fichier des codes/,
      content: `title;isrc\nPersonne ${mark()};QZABC2600001\n`,
      checked: '1 ligne non enregistrée',
    },
  ];
  for (const { path, label, content, checked } of screens) {
    await test.step(path, async () => {
      await page.goto('/journal');
      await page.goto(path);
      await expectReady(page);
      await chooseFile(page, label, 'fichier.csv', content);
      const summary = page.getByRole('status').filter({ hasText: checked });
      await expect(summary).toBeVisible();
      const away = page.getByRole('navigation').getByRole('link', { name: 'Accueil' }).first();
      await away.click();
      await expect(question).toBeVisible();
      await expectNoAxeViolations(page);
      await question.getByRole('button', { name: 'Continuer la saisie' }).click();
      await expect(question).toBeHidden();
      await expect(summary).toBeVisible();
      await away.click();
      await question.getByRole('button', { name: 'Quitter sans enregistrer' }).click();
      await expect(page).toHaveURL('/');
    });
  }
  await test.step('a dialog, by going back', async () => {
    await page.goto(`/accounts/profiles?q=${lname}`);
    await expectReady(page);
    await page.getByRole('row').filter({ hasText: lname }).getByRole('link').first().click();
    await expect(page).toHaveURL(`/accounts/profiles/${account.id}`);
    await page.getByRole('button', { name: 'Importer des sorties' }).click();
    await chooseFile(page, 'Fichier des sorties', 'sorties.csv', trackRows([`Gardé ${mark()}`]));
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Importer', exact: true });
    await expect(submit).toBeVisible();
    await page.goBack();
    await expect(question).toBeVisible();
    await question.getByRole('button', { name: 'Continuer la saisie' }).click();
    await expect(submit).toBeVisible();
  });
});

test('tracks are imported once beside unsaved input, although the response was lost', async ({ page, api }) => {
  const release = await findEditableRelease(api);
  const titles = [1, 2].map((n) => `Répondu ${mark()} ${n}`);
  const path = `/library/release/${release.id}/edit`;
  const tracks = async () => (await api.call(routes.getRelease, { params: { id: release.id } })).data.tracks;
  await page.goto(path);
  await expectReady(page);
  const note = page.getByRole('textbox', { name: 'Note de l’équipe' });
  const typed = `À rappeler ${mark()}`;
  await note.fill(typed);
  await chooseFile(page, /^Fichier des titres/, 'titres.csv', trackRows(titles));
  const submit = page.getByRole('button', { name: 'Importer 2 titres' });
  await expect(submit).toBeEnabled();

  const keys = new Set<string | undefined>();
  await page.route(/\/tracks\/import$/, async (route) => {
    keys.add(route.request().headers()['idempotency-key']);
    await route.fetch();
    await route.abort();
  });
  await submit.click();
  await expect(page.getByRole('alert').filter({ hasText: 'La réponse n’est pas arrivée' })).toBeVisible();
  await expect(
    page
      .getByRole('row')
      .filter({ hasText: titles[1] ?? '' })
      .getByRole('button')
      .first(),
  ).toBeVisible();
  expect(await tracks()).toHaveLength(release.tracks.length + 2);
  await page.unroute(/\/tracks\/import$/);
  const again = page.waitForRequest((request) => request.url().endsWith('/tracks/import'));
  await submit.click();
  keys.add((await again).headers()['idempotency-key']);
  expect(keys.size).toBe(1);

  await expect(successStatus(page, 'Les titres sont importés\u00a0: 2 nouveaux titres')).toBeVisible();
  await expect(page).toHaveURL(path);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(note).toHaveValue(typed);
  await expect(submit).toHaveCount(0);
  const now = await tracks();
  expect(now).toHaveLength(release.tracks.length + 2);
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: /enregistrée/ })).toBeVisible();
  for (const { id } of now.slice(release.tracks.length)) await api.call(routes.deleteTrack, { params: { id } });
});

test('a file that fills the barcode does not make the unsaved form stale', async ({ page, api }) => {
  const { data: account } = await addAccount(api, `Codebarre-${mark()}`);
  const { data } = await api.call(routes.createRelease, {
    body: {
      ...{ userId: account.id, title: `Nu ${mark()}`, genre: 'Jazz' },
      ...{ originalRealeaseDate: '01/12/2026', digitalReleaseDate: '04/12/2026', yearOfRegistration: 2026 },
      ...{ recordingOwnerName: 'Maison Nord', coverDetailsOwner: 'Maison Nord', coverDetailsYear: 2026 },
    },
  });
  const { id } = data;
  await page.goto(`/library/release/${id}/edit`);
  await expectReady(page);
  const note = page.getByRole('textbox', { name: 'Note de l’équipe' });
  await note.fill('À rappeler');
  const digits = String(Math.floor(Math.random() * 1e9)).padStart(11, '2');
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0);
  const barcode = `${digits}${(10 - (sum % 10)) % 10}`;
  await chooseFile(page, /^Fichier des titres/, 'titres.csv', `titre;upc\nDeuxième;${barcode}\n`);
  await page.getByRole('button', { name: 'Importer 1 titre' }).click();
  await expect(successStatus(page, 'Les titres sont importés')).toBeVisible();
  await expect(page.getByRole('textbox', { name: /Code-barres/ })).toHaveValue(new RegExp(barcode));
  await expect(note).toHaveValue('À rappeler');
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: /enregistrée/ })).toBeVisible();
  const { data: saved } = await api.call(routes.getRelease, { params: { id } });
  expect([saved.barcode, saved.note]).toEqual([barcode, 'À rappeler']);
});

test('a refused posting shows the current month, and its error disappears with the next one', async ({ page, api }) => {
  const month = '2022-11';
  const isrc = `FRF${mark().slice(0, 2).toUpperCase()}2111111`.replaceAll(/[^0-9A-Z]/g, 'A');
  const { data: account } = await addAccount(api, `Refusée-${mark()}`);
  await api.call(routes.importProfileLibraries, {
    params: { id: account.id },
    body: { user: String(account.id), releases: [{ titre: 'Un', artistes: 'Zoé', barcode: '', isrc, album: 'Un' }] },
  });
  await api.call(routes.putExchangeRate, { body: { month: monthToMs(month), currency: 'USD', rate: 1 } });
  const add = async (amount: string) =>
    api.checkStatement(
      await sendStatement(api, `refus-${mark()}.tsv`, distrokidFile([{ isrc, month, amount, store: mark() }])),
      { confirmRates: true, confirmDuplicates: true },
    );
  await add('10.00');
  await page.goto(`/reporting/months/${month}`);
  const outcome = page.getByRole('region', { name: 'Résultat du mois' });
  const post = outcome.getByRole('button', { name: /^Comptabiliser \d/ });
  const gross = outcome.getByRole('definition').first();
  await expect(gross).toHaveText(/^10,00/);
  await add('5.00');
  await post.click();
  const refusal = outcome.getByRole('alert');
  await expect(refusal).toBeVisible();
  // A second click posts what is shown.
  await expect(gross).toHaveText(/^15,00/);
  await expect(refusal).toBeVisible();
  await post.click();
  await expect(refusal).toHaveCount(0);
  await expect(successStatus(page, 'Comptabilisé : 1 rapport')).toBeVisible();
});

test('a signature of a record that changed is refused, and the present state is shown', async ({
  page,
  api,
  bookkeeper,
}) => {
  const lname = `Signé-${mark()}`;
  const payouts: number[] = [];
  for (const fname of ['Ana', 'Béa']) {
    const payee = await addPayee(bookkeeper, { fname, lname }, 12_000);
    const body = { userId: payee.id, account: payee.billingId, amount: 12_000 };
    payouts.push((await api.call(routes.requestPayout, { body })).data.payoutId);
  }
  const { data: batch } = await api.call(routes.createBatch, { body: { payouts, confirmWarnings: true } });
  await page.goto(`/signatures/batch/${batch.id}`);
  const sign = page.getByRole('button', { name: 'Signer', exact: true });
  const rows = page.getByRole('table', { name: 'Versements' }).getByRole('row');
  await expect(rows).toHaveCount(3);
  await api.call(routes.editPayout, { params: { id: payouts[1] ?? 0 }, body: { status: 'CANCEL' } });
  await sign.click();
  await expect(page.getByText('Ce que vous signez a changé depuis que vous l’avez ouvert')).toBeVisible();
  await expect(rows).toHaveCount(2);
  await sign.click();
  await expect(successStatus(page, 'Votre signature est enregistrée')).toBeVisible();
  await page.goto(`/signatures/batch/${batch.id}`);
  await expect(page.getByText('1 signature sur 2')).toBeVisible();
  await page.getByRole('button', { name: 'Retirer ma signature' }).click();
  await expect(page.getByText('0 signature sur 2')).toBeVisible();
});

test('a balance within the fee cannot be requested, and the button shows why', async ({ page, api, bookkeeper }) => {
  await api.readCsrf();
  const lname = `Frais-${mark()}`;
  const { payoutFeeEur } = (await api.call(routes.getSettings)).data.settings;
  const payee = await addPayee(bookkeeper, { fname: 'Dan', lname }, payoutFeeEur);
  const why = `Le solde ne couvre pas les frais de versement (${payoutFeeEur.toFixed(2).replace('.', ',')}\u00a0€)`;
  await page.goto(`/payouts/unpaid-accounts?q=${lname}`);
  const ask = page.getByRole('button', { name: `Demander un versement pour ${payee.owner}` });
  await expect(ask).toBeDisabled();
  await expect(ask).toHaveAttribute('title', why);
  const row = page.getByRole('row').filter({ hasText: payee.owner });
  await expect(row.getByTitle(why).filter({ hasText: 'Solde insuffisant' })).toBeVisible();

  await page.goto(`/accounts/profiles/${payee.id}`);
  const button = page.getByRole('button', { name: 'Demander un versement' });
  await expect(button).toBeDisabled();
  await expect(button).toHaveAttribute('title', why);
  await page.goto(`/payouts/request?userId=${payee.id}`);
  await expect(page.getByText(why)).toBeVisible();
  await page.getByRole('link', { name: `Pour ${payee.owner}` }).click();
  await expect(page).toHaveURL(`/accounts/profiles/${payee.id}`);
});
