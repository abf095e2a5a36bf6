import type { Locator, Page } from '@playwright/test';
import { getCapability } from '@regie/contract/capabilities.ts';
import { routes } from '@regie/contract/routes.ts';
import { Api } from './support/api.ts';
import { readMailedLink } from './support/mail.ts';
import { openAs } from './support/payees.ts';
import { chooseFile, expectReady, fact, pickMonth } from './support/screens.ts';
import { openEntry, sidebarOf } from './support/sidebar.ts';
import { addSignatory } from './support/staff.ts';
import { expect, expectNoAxeViolations, signIn, submitSignIn, test } from './support/test.ts';

const march2025 = Date.UTC(2025, 1, 28, 23);
const offlineSentence = 'Vérifiez votre connexion internet et ressayez';
const endedSentence = 'Votre session est terminée\u00a0: connectez-vous pour reprendre où vous en étiez';

function rowOf(page: Page, text: string): Locator {
  return page.getByRole('row').filter({ hasText: text });
}

/** The green alert above the page; a closing dialog may still show the same one. */
async function expectDone(page: Page, sentence: string): Promise<void> {
  await expect(page.getByRole('main').getByRole('status').filter({ hasText: sentence })).toBeVisible();
}

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(text);
  await expect(page.getByRole('row')).toHaveCount(2);
}

test('an admin is added once, edited, deleted, and the journal shows each step', { tag: '@area' }, async ({
  page,
  api,
}) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const email = `${mark}@equipe.example`;
  await page.goto('/accounts/manage-admins');
  await page.getByRole('button', { name: 'Ajouter un administrateur' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un administrateur' });

  await test.step('missing values are shown beside their fields', async () => {
    await dialog.getByRole('button', { name: 'Ajouter un administrateur' }).click();
    const fname = dialog.getByRole('textbox', { name: 'Prénom' });
    await expect(fname).toBeFocused();
    await expect(fname).toHaveAccessibleDescription('Le nom est requis(minimum 3 lettres)');
    await expect(dialog.getByText("E-mail n'est pas valide", { exact: true })).toBeVisible();
    await expect(dialog.getByText('Mot de passe est requis(minimum 8 caractères)', { exact: true })).toBeVisible();
  });

  await test.step('a double click adds one admin', async () => {
    const additions: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/manage-admins/admin')) additions.push(request.url());
    });
    await dialog.getByRole('textbox', { name: 'Prénom' }).fill('Maëlle');
    await dialog.getByRole('textbox', { name: 'Nom', exact: true }).fill(`Essai-${mark}`);
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await dialog.getByLabel(/^Mot de passe/).fill(`Fader-${mark}`);
    const box = (name: string) => dialog.getByRole('checkbox', { name });
    await dialog.getByRole('button', { name: 'Lecture seule' }).click();
    await expect(box('Voir les versements payés')).toBeChecked();
    await expect(box('Voir, commander et annuler les abonnements')).not.toBeChecked();
    await dialog.getByRole('button', { name: 'Comptabilité', exact: true }).click();
    await expect(box('Demander, payer et annuler des versements, gérer les lots')).toBeChecked();
    await expect(box('Consulter le journal')).not.toBeChecked();
    await dialog.getByRole('button', { name: 'Aucun droit' }).click();
    await dialog.getByRole('textbox', { name: 'Chercher un droit' }).fill('VOIR LES RAP');
    await expect(box('Consulter le journal')).toHaveCount(0);
    await box('Voir les rapports').check();
    await dialog.getByRole('button', { name: 'Ajouter un administrateur' }).dblclick();
    await expectDone(page, 'L’administrateur est ajouté');
    await expect(dialog).toBeHidden();
    await search(page, email);
    await expect(rowOf(page, email)).toContainText('1 sur 32');
    expect(additions).toHaveLength(1);
  });

  await test.step('edited', async () => {
    await rowOf(page, email)
      .getByRole('button', { name: `Modifier Maëlle Essai-${mark}` })
      .click();
    const editing = page.getByRole('dialog', { name: `Modifier Maëlle Essai-${mark}` });
    await editing.getByRole('textbox', { name: 'Prénom' }).fill('Maëlys');
    await editing.getByRole('checkbox', { name: 'Consulter le journal' }).check();
    await editing.getByRole('button', { name: 'Enregistrer' }).click();
    await expectDone(page, 'L’administrateur est modifié');
    await expect(rowOf(page, email)).toContainText(`Maëlys Essai-${mark}`);
    await expect(rowOf(page, email)).toContainText('2 sur 32');
  });
  const { data } = await api.call(routes.listAdmins, { query: { q: email } });
  const id = data.admins[0]?.id ?? 0;

  await test.step('deleted after a confirmation', async () => {
    const remove = rowOf(page, email).getByRole('button', { name: `Supprimer Maëlys Essai-${mark}` });
    await remove.click();
    const asking = page.getByRole('dialog', { name: 'Vous êtes sure?' });
    await expect(asking).toContainText(`Maëlys Essai-${mark} (${email})`);
    await asking.getByRole('button', { name: 'Annuler' }).click();
    await expect(asking).toBeHidden();
    await expect(remove).toBeFocused();
    await remove.click();
    await asking.getByRole('button', { name: 'Supprimer l’administrateur' }).click();
    await expectDone(page, 'L’administrateur est supprimé');
    await expect(rowOf(page, email)).toHaveCount(0);
  });

  await test.step('the journal has before and after', async () => {
    await page.goto(`/journal?entity=admin&entityId=${id}`);
    await expect(page.getByRole('row')).toHaveCount(4);
    for (const action of ['Administrateur supprimé', 'Administrateur modifié', 'Administrateur ajouté']) {
      await expect(rowOf(page, action)).toHaveCount(1);
    }
    await page.getByRole('button', { name: /^Administrateur modifié/ }).click();
    const entry = page.getByRole('dialog', { name: `Administrateur modifié · Administrateur Maëlys Essai-${mark}` });
    await expect(fact(entry, 'prénom')).toHaveText([/Avant\s:\sMaëlle$/, /Après\s:\sMaëlys$/]);
    await expect(fact(entry, 'droits')).toHaveText([/Voir les rapports$/, /Voir les rapports\s*Consulter le journal$/]);
    await expect(entry).not.toContainText('Fader-');
  });
});

test('a signatory is proposed, signed by another, and is then asked to sign', async ({
  page,
  api,
  browser,
  dataDir,
}) => {
  const added = await api.addAdmin('Irène', ['read_reports']);
  await page.goto(`/accounts/manage-admins?q=${added.email}`);
  await rowOf(page, added.email)
    .getByRole('button', { name: `Proposer ${added.name} comme signataire` })
    .click();
  await page.getByRole('dialog', { name: 'Vous êtes sure?' }).getByRole('button', { name: 'Proposer' }).click();
  await expectDone(page, 'La proposition est enregistrée');
  await expect(rowOf(page, added.email)).not.toContainText('Signataire');
  // It waits here too: one proposed it, and so signed it.
  await expect(page.getByRole('main')).toContainText(
    `Changement des signataires proposé · Administrateur ${added.name}`,
  );

  const { page: theirs } = await openAs(browser, await addSignatory(dataDir, 'Paule', []));
  await theirs.goto('/');
  await openEntry(theirs, /^À signer/);
  await expect(theirs).toHaveURL('/signatures');
  await expectNoAxeViolations(theirs);
  await theirs.getByRole('link', { name: `Changement des signataires proposé · Administrateur ${added.name}` }).click();
  await expect(theirs.getByRole('main')).toContainText('signataire\u00a0: à ajouter');
  await theirs.getByRole('button', { name: 'Signer', exact: true }).click();
  await expect(theirs.getByRole('status').filter({ hasText: 'Votre signature est enregistrée' }).first()).toBeVisible();
  await page.reload();
  await expect(rowOf(page, added.email)).toContainText('Signataire');
  await expect(
    rowOf(page, added.email).getByRole('button', {
      name: /^Cette personne est signataire.*proposez d’abord son retrait/,
    }),
  ).toHaveAttribute('aria-disabled', 'true');
  // Their password changes by themselves, or by two signatures.
  await rowOf(page, added.email)
    .getByRole('button', { name: `Modifier ${added.name}` })
    .click();
  const editing = page.getByRole('dialog', { name: `Modifier ${added.name}` });
  await editing.getByLabel(/^Nouveau mot de passe/).fill(`Neuf-${added.password}`);
  await editing.getByRole('button', { name: 'Enregistrer' }).click();
  await expectDone(page, 'Le changement est proposé\u00a0: il attend les signatures nécessaires');
  await expect(page.getByRole('main')).toContainText(
    `Changement de l’accès d’un signataire proposé · Administrateur ${added.name}`,
  );
  const { page: own } = await openAs(browser, added);
  await expect(own.getByRole('main').getByRole('link', { name: /signatures? attendues? de vous/ })).toBeVisible();
  for (const one of [theirs, own]) await one.context().close();
});

test('admins cannot delete or demote themselves, nor grant capabilities they lack', async ({
  page,
  api,
  admin,
  browser,
}) => {
  await page.goto('/accounts/manage-admins');
  await search(page, admin.email);
  const own = rowOf(page, admin.email);
  await own.getByRole('button', { name: 'Vous ne pouvez pas supprimer cette personne' }).click({ force: true });
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await own.getByRole('button', { name: /^Modifier / }).click();
  const editing = page.getByRole('dialog');
  // The rights are longer than the window; the buttons stay in view.
  await expect(editing.getByRole('checkbox', { name: 'Consulter le journal' })).not.toBeInViewport();
  await expect(editing.getByRole('button', { name: 'Enregistrer' })).toBeInViewport({ ratio: 1 });
  await editing.getByRole('checkbox', { name: 'Consulter le journal' }).uncheck();
  await editing.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(
    editing.getByRole('alert').filter({ hasText: 'Vous ne pouvez pas retirer vos propres droits' }),
  ).toBeVisible();
  await api.readCsrf();
  const { data } = await api.call(routes.checkSession);
  expect(data.userCapabilities).toContain('read_audit');

  const lesser = await api.addAdmin('Sacha', ['read_admins', 'edit_admins', 'delete_admins']);
  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, lesser.email, lesser.password);
  await other.goto('/accounts/manage-admins');
  await search(other, admin.email);
  const first = rowOf(other, admin.email);
  await expect(first.getByRole('button', { name: 'Cette personne a des droits que vous n’avez pas' })).toBeVisible();
  await expect(first.getByRole('button', { name: 'Vous ne pouvez pas supprimer cette personne' })).toBeVisible();
  await other.getByRole('button', { name: 'Inviter' }).click();
  const inviting = other.getByRole('dialog', { name: 'Inviter un administrateur' });
  await expect(inviting.getByRole('checkbox', { name: 'Voir les administrateurs' })).toBeEnabled();
  await expect(inviting.getByRole('checkbox', { name: 'Voir les rapports' })).toBeDisabled();
  await context.close();
});

test('an invitation creates an account once', async ({ page, api, browser, dataDir }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const email = `${mark}@equipe.example`;
  await api.readCsrf();
  await page.goto('/accounts/manage-admins');
  await page.getByRole('button', { name: 'Inviter' }).click();
  const dialog = page.getByRole('dialog', { name: 'Inviter un administrateur' });
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await dialog.getByRole('checkbox', { name: 'Voir les rapports' }).check();
  await dialog.getByRole('button', { name: 'Envoyer l’invitation' }).click();
  await expectDone(page, 'L’invitation est envoyée');
  await expect(page.getByRole('listitem').filter({ hasText: email })).toContainText('Expire le');

  const link = await readMailedLink(dataDir, email);
  const context = await browser.newContext();
  const guest = await context.newPage();
  await guest.goto(link);
  await expect(guest.getByRole('heading', { name: 'Créer votre compte' })).toBeVisible();
  await expect(guest.getByRole('textbox', { name: 'E-mail' })).toHaveValue(email);
  await guest.getByRole('textbox', { name: 'Prénom' }).fill('Noé');
  await guest.getByRole('textbox', { name: 'Nom', exact: true }).fill(`Essai-${mark}`);
  await guest.getByLabel(/^Mot de passe/).fill(`Fader-${mark}`);
  await guest.getByLabel(/^Confirmer le mot de passe/).fill('Autre-chose');
  await guest.getByRole('button', { name: 'Créer le compte' }).click();
  await expect(guest.getByText('Les deux mots de passe ne sont pas identiques', { exact: true })).toBeVisible();
  await guest.getByLabel(/^Confirmer le mot de passe/).fill(`Fader-${mark}`);
  await guest.getByRole('button', { name: 'Créer le compte' }).click();
  await expect(guest.getByText(/^Votre compte est créé/)).toBeVisible();
  await expect(guest.getByRole('textbox')).toHaveCount(0);
  await expect(guest.getByText('Vous avez été invité', { exact: false })).toHaveCount(0);
  await guest.getByRole('link', { name: 'Retour à la connexion' }).click();
  await submitSignIn(guest, { email, password: `Fader-${mark}` });
  await expect(guest.getByRole('heading', { name: 'Bonjour Noé' })).toBeVisible();
  await expect(guest.getByRole('link', { name: 'Tous les rapports' })).toBeVisible();
  await context.close();

  const again = await browser.newContext();
  const second = await again.newPage();
  await second.goto(link);
  await expect(second.getByRole('alert')).toContainText('plus valable');
  await expect(second.getByRole('textbox')).toHaveCount(0);
  await again.close();
});

test('a forgotten password is replaced by a link that works once', async ({ page, api, browser, dataDir }) => {
  const forgetful = await api.addAdmin('Andrée', ['read_reports']);
  const context = await browser.newContext();
  const guest = await context.newPage();
  await guest.goto('/signin');
  await guest.getByRole('link', { name: 'Mot de passe oublié' }).click();
  // The previous screen has a field of that name too.
  await expect(guest.getByRole('heading', { level: 1, name: 'Mot de passe oublié' })).toBeVisible();
  await guest.getByRole('textbox', { name: 'E-mail' }).fill(forgetful.email);
  await guest.getByRole('button', { name: 'Envoyer le lien' }).click();
  await expect(guest.getByText(/^Si cette adresse est connue, un lien/)).toBeVisible();
  await expect(guest.getByRole('textbox')).toHaveCount(0);
  await expect(guest.getByText('Indiquez votre adresse', { exact: false })).toHaveCount(0);
  await guest.getByRole('button', { name: 'Masquer ce message' }).click();
  await expect(guest.getByText(/^Si cette adresse est connue, un lien/)).toHaveCount(0);
  await expect(guest.getByRole('textbox')).toHaveCount(0);
  await expect(guest.getByRole('link', { name: 'Retour à la connexion' })).toBeVisible();

  const link = await readMailedLink(dataDir, forgetful.email);
  const password = `Neuf-${crypto.randomUUID().slice(0, 8)}`;
  await guest.goto(link);
  await expect(guest).toHaveURL(/\/reset-password-action\?token=/);
  await guest.getByLabel(/^Nouveau mot de passe/).fill(password);
  await guest.getByLabel(/^Confirmer le mot de passe/).fill(password);
  await guest.getByRole('button', { name: 'Changer le mot de passe' }).click();
  await expect(guest.getByText(/^Votre mot de passe est changé/)).toBeVisible();
  await expect(guest.getByLabel(/^Nouveau mot de passe/)).toHaveCount(0);
  await guest.getByRole('link', { name: 'Retour à la connexion' }).click();
  await submitSignIn(guest, forgetful);
  await expect(guest.getByText('E-mail ou mot de passe incorrect')).toBeVisible();
  await submitSignIn(guest, { email: forgetful.email, password });
  await expect(guest.getByRole('heading', { name: 'Bonjour Andrée' })).toBeVisible();
  await context.clearCookies();
  // A used link says so on opening.
  await guest.goto(link);
  await expect(guest.getByRole('alert').filter({ hasText: 'Ce lien n’est plus valable' })).toBeVisible();
  await expectNoAxeViolations(guest);
  await guest.getByRole('link', { name: 'Demander un nouveau lien' }).click();
  await expect(guest.getByRole('textbox', { name: 'E-mail' })).toBeVisible();
  await context.close();
  await page.close();
});

test('the last entry of the sidebar signs out, and leaves no data in the browser', async ({ api, browser }) => {
  const clerk = await api.addAdmin('Odile', ['read_delivered_libraries']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await new Api(page.request).signIn(clerk);
  await page.goto('/library/tracks');
  await page.getByRole('button', { name: 'Suivant' }).click();
  await expect(page).toHaveURL(/cursor=/);
  const kept = () => page.evaluate(() => Object.keys(window.sessionStorage).filter((key) => key.startsWith('regie.')));
  expect(await kept()).not.toEqual([]);
  const seen = await page.locator('tr[data-row]').first().getByRole('link').first().innerText();
  await sidebarOf(page).getByRole('button').last().click();
  await expect(page).toHaveURL(/\/signin/);
  expect(await kept()).toEqual([]);
  expect(JSON.stringify(await context.storageState({ indexedDB: true }))).not.toContain(seen);
  const said = page.getByRole('status').filter({ hasText: 'Vous êtes déconnecté.' });
  await expect(said).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Se connecter' })).toBeVisible();
  await expect(said).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(/\/signin/);
  await expect(page.getByText(seen)).toHaveCount(0);
  await context.close();
});

test('signing out clears the page, and warns when the server does not confirm it', async ({ api, browser }) => {
  const clerk = await api.addAdmin('Odette', ['read_delivered_libraries']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await new Api(page.request).signIn(clerk);
  const unconfirmed = page.getByRole('alert').filter({ hasText: 'le serveur ne l’a pas confirmé' });
  for (const refuse of [
    () => page.route('**/api/auth/signout', (route) => route.fulfill({ status: 503, body: '' })),
    () => context.setOffline(true),
  ]) {
    await page.goto('/library/tracks');
    await expectReady(page);
    await page.getByRole('button', { name: /^Compte\s:/ }).click();
    await refuse();
    await page.getByRole('menuitem', { name: 'Se déconnecter' }).click();
    await expect(unconfirmed).toBeVisible();
    await expect(page.getByRole('navigation')).toHaveCount(0);
    await context.setOffline(false);
    await page.unroute('**/api/auth/signout');
  }
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Se déconnecter à nouveau' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Vous êtes déconnecté.' })).toBeVisible();
  await page.goto('/library/tracks');
  await expect(page).toHaveURL(/\/signin/);
  await context.close();
});

test('a session that ends during a form shows it, and returns to the form', async ({ api, browser }) => {
  const clerk = await api.addAdmin('Louison', ['read_reports', 'edit_reports']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await new Api(page.request).signIn(clerk);
  await page.goto('/reporting/youtube/add');
  // The counts of the sidebar would notice the end of the session over the form.
  await page.waitForLoadState('networkidle');
  await page.getByRole('textbox', { name: 'Revenus vidéo' }).fill('12,5');
  await page.getByRole('combobox', { name: 'Mois' }).fill('03/2025');

  // A new password ends all sessions of its owner.
  const [fname = '', lname = ''] = clerk.name.split(' ');
  const password = `${clerk.password}-2`;
  const capabilities = [getCapability('read_reports').id, getCapability('edit_reports').id];
  await api.call(routes.editAdmin, {
    params: { id: clerk.id },
    body: { fname, lname, email: clerk.email, password, capabilities },
  });
  await page.getByRole('link', { name: 'Imports' }).click();
  const leaving = page.getByRole('dialog', { name: 'Quitter sans enregistrer ?' });
  await leaving.getByRole('button', { name: 'Quitter sans enregistrer' }).click();
  await expect(page.getByText(endedSentence)).toBeVisible();
  await expect(page).toHaveURL(/\/signin\?origin=(\/|%2F)reporting(\/|%2F)imports$/);
  await submitSignIn(page, { email: clerk.email, password });
  await expect(page).toHaveURL('/reporting/imports');
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible();

  const account = `Session-${crypto.randomUUID().slice(0, 8)}`;
  await api.call(routes.createProfile, { body: { fname: 'Zoé', lname: account, country: 'France' } });
  await page.goto('/reporting/youtube/add');
  await page.getByRole('combobox', { name: 'Compte' }).fill(account);
  await page.getByRole('option', { name: account }).click();
  await pickMonth(page, 'Mois', '03/2025');
  await page.getByRole('textbox', { name: 'Revenus vidéo' }).fill('12,5');
  const { meta } = await api.call(routes.listReports, { query: { type: 'youtube', from: march2025, to: march2025 } });
  await context.clearCookies();
  await page.getByRole('button', { name: 'Enregistrer le revenu' }).click();
  await expect(page.getByText(endedSentence)).toBeVisible();
  await submitSignIn(page, { email: clerk.email, password });
  await expect(page).toHaveURL('/reporting/youtube/add');
  await expect(page.getByRole('heading', { level: 1, name: 'Créer un revenu vidéo' })).toBeVisible();
  // After signing in over the form, the input is kept and was not saved.
  await expect(page.getByText(endedSentence)).toBeHidden();
  await expect(page.getByRole('textbox', { name: 'Revenus vidéo' })).toHaveValue('12,5');
  const after = await api.call(routes.listReports, { query: { type: 'youtube', from: march2025, to: march2025 } });
  expect(after.meta.total).toBe(meta.total);
  await page.getByRole('button', { name: 'Enregistrer le revenu' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'enregistré' })).toBeVisible();
  const saved = await api.call(routes.listReports, { query: { type: 'youtube', from: march2025, to: march2025 } });
  expect(saved.meta.total).toBe(meta.total + 1);
  await context.close();
});

test('offline, the input is preserved, and saving again works', async ({ page, api, context }) => {
  await api.readCsrf();
  // The demo's rates fill the first page.
  await page.goto('/accounting/exchange-rates?currency=DKK');
  await expectReady(page);
  await page.getByRole('button', { name: 'Ajouter un taux' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un taux' });
  await pickMonth(dialog, 'À partir de', '02/2024');
  await dialog.getByRole('textbox', { name: 'Devise' }).fill('dkk');
  await dialog.getByRole('textbox', { name: 'Pour 1\u00a0€' }).fill('0,8571');

  await context.setOffline(true);
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(dialog.getByRole('alert').filter({ hasText: offlineSentence })).toBeVisible();
  await expect(page.getByText(/^Vous êtes hors ligne/)).toBeVisible();
  await expect(dialog.getByRole('textbox', { name: 'Pour 1\u00a0€' })).toHaveValue('0,8571');

  await context.setOffline(false);
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await dialog.getByRole('checkbox', { name: 'Je confirme ce taux' }).check();
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expectDone(page, 'Le taux est enregistré');
  await expect(rowOf(page, 'DKK')).toContainText('0,8571');
});

test('an import whose session ends waits for its user, then continues', async ({ api, browser }) => {
  const clerk = await api.addAdmin('Ambre', ['read_reports', 'edit_reports']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await new Api(page.request).signIn(clerk);
  await page.goto('/reporting/platform/add?section=csv');
  await pickMonth(page, 'Mois du rapport', '04/2025');
  const unknown = `isrc;streams;remarque\nQZZZZ2600001;12;${crypto.randomUUID()}\n`;
  await chooseFile(page, 'Fichier CSV ou Excel (.xlsx)', 'avril.csv', unknown);
  await page.getByRole('button', { name: 'Importer 1 ligne' }).waitFor();
  await context.clearCookies();
  await page.getByRole('button', { name: 'Importer 1 ligne' }).click();

  await expect(page.getByText(endedSentence)).toBeVisible();
  await submitSignIn(page, clerk);
  await expect(page.getByRole('heading', { name: /^Import terminé/ })).toBeVisible();
  await expect(fact(page, 'Non enregistrées')).toHaveText('1');
  await context.close();
});
