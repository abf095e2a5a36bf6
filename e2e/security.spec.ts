import type { Page } from '@playwright/test';
import { codeOf } from '@regie/api/test/totp.ts';
import { routes } from '@regie/contract/routes.ts';
import { de } from '@regie/values/elision.ts';
import { Api } from './support/api.ts';
import { addAuthenticator } from './support/passkeys.ts';
import { addPayee, confirm, openAs, successStatus } from './support/payees.ts';
import { chooseFile, fact, pickMonth } from './support/screens.ts';
import { addColleague, addSignatory, backdateSecondFactor } from './support/staff.ts';
import { expect, expectNoAxeViolationsInBoth, signIn, submitSignIn, test } from './support/test.ts';

async function addPasskey(page: Page, password: string): Promise<string[]> {
  await page.goto('/account/security');
  await page.getByRole('button', { name: 'Ajouter une clé d’accès' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter une clé d’accès' });
  await dialog.getByRole('textbox', { name: 'Nom' }).fill('Clé du bureau');
  await dialog.getByLabel(/^Votre mot de passe actuel/).fill(password);
  await dialog.getByRole('button', { name: 'Continuer' }).click();
  const codes = page.getByRole('dialog', { name: 'Codes de secours' });
  await expect(codes.getByRole('listitem')).toHaveCount(10);
  const given = await codes.getByRole('listitem').allTextContents();
  await codes.getByRole('button', { name: 'J’ai noté mes codes' }).click();
  await expect(page.getByText('Clé du bureau', { exact: true })).toBeVisible();
  return given;
}

/** @returns the secret of the authenticator app */
async function addApp(page: Page, name: string): Promise<string> {
  await page.goto('/account/security');
  await page.getByRole('button', { name: 'Ajouter une application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter une application' });
  await dialog.getByRole('textbox', { name: 'Nom' }).fill('Téléphone du bureau '.repeat(4));
  await dialog.getByRole('button', { name: 'Continuer' }).click();
  await expect(dialog.getByText('Le nom compte au plus 60 caractères', { exact: true })).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Nom' }).fill(name);
  await dialog.getByRole('button', { name: 'Continuer' }).click();
  await expect(dialog.getByRole('img', { name: 'Code QR à lire avec votre application' })).toBeVisible();
  const secret = (await dialog.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
  await dialog.getByRole('textbox', { name: 'Code affiché par l’application' }).fill(codeOf(secret));
  await dialog.getByRole('button', { name: 'Valider' }).click();
  await expect(page.getByText(name, { exact: true })).toBeVisible();
  return secret;
}

test('an admin adds a passkey and signs in with it', async ({ page, api }) => {
  const login = await api.addAdmin('Nadia', ['read_reports']);
  await page.context().clearCookies();
  await signIn(page, login.email, login.password);
  await page.getByRole('button', { name: /^Compte\s: Nadia/ }).click();
  await page.getByRole('menuitem', { name: 'Sécurité' }).click();
  await expect(page.getByRole('heading', { name: 'Sécurité' })).toBeVisible();
  await addAuthenticator(page);
  const codes = await addPasskey(page, login.password);
  await expectNoAxeViolationsInBoth(page);

  await page.context().clearCookies();
  await page.goto('/signin');
  await submitSignIn(page, login);
  const passkey = page.getByRole('button', { name: 'Utiliser une clé d’accès' });
  await expect(passkey).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('textbox', { name: 'Code' }).fill('000000');
  await page.getByRole('button', { name: 'Valider' }).click();
  await expect(page.getByText('Ce code n’est pas valide ou a déjà servi', { exact: false }).first()).toBeVisible();
  await passkey.click();
  await expect(page).not.toHaveURL(/\/signin/);
  await expect(page.getByRole('button', { name: /^Compte\s: Nadia/ })).toBeVisible();

  const signInWithCode = async (code: string) => {
    await page.context().clearCookies();
    await page.goto('/signin');
    await submitSignIn(page, login);
    await page.getByRole('textbox', { name: 'Code' }).fill(code);
    await page.getByRole('button', { name: 'Valider' }).click();
    await expect(page.getByRole('button', { name: /^Compte\s: Nadia/ })).toBeVisible();
  };
  await test.step('an authenticator app is added too, and signs in as well', async () => {
    const secret = await addApp(page, 'Téléphone');
    await signInWithCode(codeOf(secret, 1));
  });

  await test.step('without the phone a recovery code signs in, and the phone is replaced', async () => {
    await signInWithCode(codes[0] ?? '');
    await page.goto('/account/security');
    await expect(page.getByText('9 codes sur 10', { exact: false })).toBeVisible();
    await page.getByRole('button', { name: 'Retirer Téléphone' }).click();
    await confirm(page, 'Retirer');
    await expect(page.getByText('Téléphone', { exact: true })).toHaveCount(0);
    const secret = await addApp(page, 'Nouveau téléphone');
    await signInWithCode(codeOf(secret, 1));
  });
});

test('a stolen password alone cannot pay', async ({ page, api, bookkeeper, admin, browser, dataDir }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const payee = await addPayee(bookkeeper, { fname: 'Aline', lname: `Visée-${mark}` }, 12_000);
  const request = { userId: payee.id, account: payee.billingId, amount: 12_000 };
  const { data: payout } = await api.call(routes.requestPayout, { body: request });
  const { data: batch } = await api.call(routes.createBatch, {
    body: { payouts: [payout.payoutId], confirmWarnings: true },
  });
  const owner = await addSignatory(dataDir, 'Paule');
  const { page: hers } = await openAs(browser, owner);
  await addAuthenticator(hers);
  await addPasskey(hers, owner.password);

  await test.step('the password alone does not sign in', async () => {
    await page.context().clearCookies();
    await page.goto('/signin');
    await submitSignIn(page, owner);
    await expect(page.getByRole('button', { name: 'Utiliser une clé d’accès' })).toBeVisible();
    await page.goto(`/payouts/batches/${batch.id}`);
    await expect(page).toHaveURL(/\/signin/);
    const thief = new Api(page.request);
    await thief.readCsrf();
    const attempt = await thief.attempt(routes.payBatch, { params: { id: batch.id } });
    expect(attempt.status()).toBe(401);
  });

  await test.step('a session left open asks for the passkey, then executes the action', async () => {
    await backdateSecondFactor(dataDir, owner.email);
    await hers.goto(`/payouts/batches/${batch.id}`);
    await hers.getByRole('button', { name: 'Signer', exact: true }).click();
    const dialog = hers.getByRole('dialog', { name: 'Confirmez que c’est bien vous' });
    await expect(dialog).toBeVisible();
    await expectNoAxeViolationsInBoth(hers);
    await dialog.getByRole('button', { name: 'Annuler' }).click();
    await expect(hers.getByText('utilisez votre second facteur', { exact: false })).toBeVisible();
    await hers.getByRole('button', { name: 'Signer', exact: true }).click();
    await dialog.getByRole('button', { name: 'Utiliser une clé d’accès' }).click();
    await expect(successStatus(hers, 'Votre signature est enregistrée')).toBeVisible();
  });

  await test.step('the input is preserved meanwhile', async () => {
    await backdateSecondFactor(dataDir, owner.email);
    await hers.goto(`/accounts/bank-account/${payee.billingId}`);
    const city = hers.getByRole('textbox', { name: 'Ville du titulaire' });
    await city.fill('Saint-Nazaire');
    await hers.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    const dialog = hers.getByRole('dialog', { name: 'Confirmez que c’est bien vous' });
    await dialog.getByRole('button', { name: 'Utiliser une clé d’accès' }).click();
    await expect(dialog).toBeHidden();
    const saved = async () =>
      (await api.call(routes.getBillingAccount, { params: { id: payee.billingId } })).data.holderCity;
    await api.signIn(admin);
    await expect.poll(saved).toBe('Saint-Nazaire');
  });
  await hers.context().close();
});

test('an import under way asks for the passkey once, and loses no rows', async ({ browser, dataDir }) => {
  const owner = await addColleague(dataDir, 'Colette');
  const { page } = await openAs(browser, owner);
  await addAuthenticator(page);
  await addPasskey(page, owner.password);
  await backdateSecondFactor(dataDir, owner.email);
  await page.goto('/reporting/platform/add');
  await page.getByRole('button', { name: 'Importer un fichier CSV' }).click();
  await pickMonth(page, 'Mois du rapport', '05/2024');
  // Four batches of rows without a track.
  const rows = Array.from({ length: 16_000 }, (_, row) => `QZX9924${String(row).padStart(5, '0')};1;0,5`);
  const content = `ISRC;Écoutes;Revenus des écoutes\n${rows.join('\n')}\n# ${crypto.randomUUID()};1;1\n`;
  await chooseFile(page, 'Fichier CSV ou Excel (.xlsx)', 'mai-2024.csv', content);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/auth/step-up/start')) asked.push(request.url());
  });
  await page.getByRole('button', { name: /^Importer 16.001 lignes$/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirmez que c’est bien vous' });
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Annuler' }).click();
  await expect(page.getByText('L’import est suspendu')).toBeVisible();
  await page.getByRole('button', { name: 'Reprendre' }).click();
  await dialog.getByRole('button', { name: 'Utiliser une clé d’accès' }).click();
  await expect(page.getByRole('heading', { name: 'Import terminé\u00a0: mai 2024' })).toBeVisible({ timeout: 60_000 });
  await expect(fact(page, 'Non enregistrées')).toHaveText(/^16.001$/);
  // Once before it was cancelled, once after.
  expect(asked).toHaveLength(2);
  await page.context().close();
});

test('a lost phone is replaced', async ({ browser, dataDir }) => {
  const [lost, colleague, third] = [
    await addColleague(dataDir, 'Lina', ['read_reports']),
    await addSignatory(dataDir, 'Omar'),
    await addSignatory(dataDir, 'Zoé', []),
  ];
  const { page: first } = await openAs(browser, lost);
  await addAuthenticator(first);
  await addPasskey(first, lost.password);
  await first.context().close();

  const openAdmin = async (page: Page) => {
    await page.goto(`/accounts/manage-admins?q=${lost.email}`);
    await page.getByRole('button', { name: `Lever le second facteur ${de(lost.name)}` }).click();
    return page.getByRole('dialog', { name: `Second facteur ${de(lost.name)}` });
  };
  const { page: asking } = await openAs(browser, colleague);
  const asked = await openAdmin(asking);
  await expectNoAxeViolationsInBoth(asking);
  await asked.getByRole('button', { name: 'Demander la levée' }).click();
  await expect(asked).toBeHidden();
  const again = await openAdmin(asking);
  await expect(again).toContainText(`${colleague.name} a demandé la levée`);
  // The request is cancelled and repeated meanwhile.
  await again.getByRole('button', { name: 'Abandonner la levée' }).click();
  await expect(again).toBeHidden();
  await (await openAdmin(asking)).getByRole('button', { name: 'Demander la levée' }).click();
  await expect(again).toBeHidden();
  const late = await openAdmin(asking);
  const { page: confirming } = await openAs(browser, third);
  await confirming.goto('/signatures');
  await confirming.getByRole('link', { name: new RegExp(lost.name) }).click();
  await expect(confirming.getByRole('main')).toContainText('Levée du second facteur demandée');
  await confirming.getByRole('button', { name: 'Signer', exact: true }).click();
  await expect(successStatus(confirming, 'Votre signature est enregistrée')).toBeVisible();
  await late.getByRole('button', { name: 'Abandonner la levée' }).click();
  await expect(late).toContainText('Cette personne n’a plus de second facteur.');
  await expect(late.getByRole('alert')).toHaveCount(0);
  await expect(late.getByText(/^(Demander|Abandonner) la levée$/)).toHaveCount(0);
  await late.getByText('Fermer', { exact: true }).click();
  await expect(late).toBeHidden();
  await asking.context().close();
  await confirming.context().close();

  const { page } = await openAs(browser, lost);
  await addAuthenticator(page);
  await page.goto('/');
  await page.getByRole('link', { name: 'Ouvrir Sécurité' }).click();
  await addPasskey(page, lost.password);
  await page.context().clearCookies();
  await page.goto('/signin');
  await submitSignIn(page, lost);
  await page.getByRole('button', { name: 'Utiliser une clé d’accès' }).click();
  await expect(page.getByRole('button', { name: /^Compte\s: Lina/ })).toBeVisible();
  await page.context().close();
});
