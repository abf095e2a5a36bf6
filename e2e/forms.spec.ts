import type { Page } from '@playwright/test';
import { monthToMs } from '@regie/contract/month.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { expectReady } from './support/screens.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

const mark = () => crypto.randomUUID().slice(0, 8);

const addAccount = (api: Api, lname: string) =>
  api.call(routes.createProfile, {
    body: { fname: 'Ana', lname, country: 'France', email: `${mark()}@clients.example` },
  });

/** Picks the record whose name was typed, and the month. */
async function fillReport(page: Page, picker: string, name: string, month: string) {
  await page.getByRole('combobox', { name: picker }).fill(name);
  await page.getByRole('option').filter({ hasText: name }).first().click();
  await page.getByRole('combobox', { name: 'Mois' }).fill(month);
  await page.getByRole('option', { name: month }).click();
}

test('a form that creates a report is empty afterwards, and a second report of the month is asked about', async ({
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

    // The same again asks, naming the first; "Annuler" saves nothing and keeps what was typed.
    await fillReport(page, picker, name, '05/2020');
    await main.getByRole('textbox', { name: income }).fill('1,5');
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

test('dialogs ask before what was typed is lost, however they are closed', async ({ page, api }) => {
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
    { path: '/accounting/exchange-rates', open: 'Taux de la BCE', type: box(/collé$/) },
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
      // Nothing typed, nothing asked.
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

test('what came of a file or a month is told in messages that can be dismissed', async ({ page, api }) => {
  const { data: releases } = await api.call(routes.listDeliveredReleases, { query: { limit: 1 } });
  const dismissed = async (text: string) => {
    const told = page.getByText(text, { exact: false }).filter({ visible: true });
    await expect(told).toBeVisible();
    await page.getByRole('button', { name: 'Masquer ce message' }).filter({ visible: true }).click();
    await expect(told).toHaveCount(0);
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
  // The same file again is refused again.
  await choose(wrongFile, cover);
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
  await page.getByRole('button', { name: 'Vérifier ce qui sera supprimé' }).click();
  await dismissed('Aucun rapport de ce type en janv. 2020');
});

test('a payout that cannot be deleted says why on its page, its confirmation closed', async ({
  page,
  api,
  context,
}) => {
  const { data: payouts } = await api.call(routes.listPendingPayouts, { query: { limit: 1 } });
  await page.goto(`/payouts/payout/${payouts[0]?.payoutId}`);
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

test('a refused form names each field to correct once, for those who hear the page', async ({ page, api }) => {
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
});

test('a record that is deleted leads back to its list as it was, and what was said does not come back on reload', async ({
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

  // Why a screen did not open is told once too.
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
