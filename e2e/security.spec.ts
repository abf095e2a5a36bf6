import type { Page } from '@playwright/test';
import { codeOf } from '@regie/api/test/totp.ts';
import { routes } from '@regie/contract/routes.ts';
import { Api } from './support/api.ts';
import { addAuthenticator } from './support/passkeys.ts';
import { addPayee, openAs } from './support/payees.ts';
import { addIndependentAdmin, ageSecondFactor } from './support/staff.ts';
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

test('an admin adds a passkey and signs in with it', async ({ page, api }) => {
  const login = await api.addAdmin('Nadia', ['read_reports']);
  await page.context().clearCookies();
  await signIn(page, login.email, login.password);
  await page.getByRole('button', { name: /^Compte de Nadia/ }).click();
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
  await expect(page.getByRole('button', { name: /^Compte de Nadia/ })).toBeVisible();

  await test.step('an authenticator app is added beside it, and signs in as well', async () => {
    await page.goto('/account/security');
    await page.getByRole('button', { name: 'Ajouter une application' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ajouter une application' });
    await dialog.getByRole('button', { name: 'Continuer' }).click();
    await expect(dialog.getByRole('img', { name: 'QR code à lire avec votre application' })).toBeVisible();
    const secret = (await dialog.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
    await dialog.getByRole('textbox', { name: 'Code affiché par l’application' }).fill(codeOf(secret));
    await dialog.getByRole('button', { name: 'Valider' }).click();
    await expect(page.getByText('Téléphone', { exact: true })).toBeVisible();
    await page.context().clearCookies();
    await page.goto('/signin');
    await submitSignIn(page, login);
    await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, 1));
    await page.getByRole('button', { name: 'Valider' }).click();
    await expect(page.getByRole('button', { name: /^Compte de Nadia/ })).toBeVisible();
  });

  await test.step('a recovery code opens it, too', async () => {
    await page.context().clearCookies();
    await page.goto('/signin');
    await submitSignIn(page, login);
    await page.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Valider' }).click();
    await expect(page.getByRole('button', { name: /^Compte de Nadia/ })).toBeVisible();
    await page.goto('/account/security');
    await expect(page.getByText('9 codes sur 10', { exact: false })).toBeVisible();
  });
});

test('a stolen password alone pays nobody', async ({ page, api, bookkeepers, admin, browser, dataDir }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const payee = await addPayee(bookkeepers, { fname: 'Aline', lname: `Visée-${mark}` }, 320);
  const request = { userId: payee.id, account: payee.billingId, amount: 320 };
  const { data: payout } = await api.call(routes.requestPayout, { body: request });
  const { data: batch } = await api.call(routes.createBatch, {
    body: { payouts: [payout.payoutId], confirmWarnings: true },
  });
  const owner = await addIndependentAdmin(dataDir, 'Paule');
  const { page: hers } = await openAs(browser, owner);
  await addAuthenticator(hers);
  await addPasskey(hers, owner.password);

  await test.step('the password opens nothing', async () => {
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

  await test.step('a session left open asks for the passkey, then does what was asked', async () => {
    await ageSecondFactor(dataDir, owner.email);
    await hers.goto(`/payouts/batches/${batch.id}`);
    await hers.getByRole('button', { name: 'Approuver le lot' }).click();
    const dialog = hers.getByRole('dialog', { name: 'Confirmez que c’est bien vous' });
    await expectNoAxeViolationsInBoth(hers);
    await dialog.getByRole('button', { name: 'Annuler' }).click();
    await expect(hers.getByRole('alert').filter({ hasText: 'utilisez votre second facteur' })).toBeVisible();
    await hers.getByRole('button', { name: 'Approuver le lot' }).click();
    await dialog.getByRole('button', { name: 'Utiliser une clé d’accès' }).click();
    await expect(hers.getByRole('status').filter({ hasText: 'Le lot est approuvé' }).first()).toBeVisible();
  });

  await test.step('what was typed is kept meanwhile', async () => {
    await ageSecondFactor(dataDir, owner.email);
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

test('a lost phone is replaced', async ({ browser, dataDir }) => {
  const [lost, colleague, third] = [
    await addIndependentAdmin(dataDir, 'Lina', ['read_reports']),
    await addIndependentAdmin(dataDir, 'Omar'),
    await addIndependentAdmin(dataDir, 'Zoé'),
  ];
  const { page: first } = await openAs(browser, lost);
  await addAuthenticator(first);
  await addPasskey(first, lost.password);
  await first.context().close();

  const openAdmin = async (page: Page) => {
    await page.goto(`/accounts/manage-admins?q=${lost.email}`);
    await page.getByRole('button', { name: `Lever le second facteur de ${lost.name}` }).click();
    return page.getByRole('dialog', { name: `Second facteur de ${lost.name}` });
  };
  const { page: asking } = await openAs(browser, colleague);
  const asked = await openAdmin(asking);
  await expectNoAxeViolationsInBoth(asking);
  await asked.getByRole('button', { name: 'Demander la levée' }).click();
  await expect(asked).toBeHidden();
  const again = await openAdmin(asking);
  await expect(again).toContainText(`${colleague.name} a demandé la levée`);
  await expect(again.getByRole('button', { name: 'Lever maintenant' })).toHaveCount(0);
  await asking.context().close();

  const { page: confirming } = await openAs(browser, third);
  const confirmed = await openAdmin(confirming);
  await confirmed.getByRole('button', { name: 'Lever maintenant' }).click();
  await expect(confirmed).toBeHidden();
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
  await expect(page.getByRole('button', { name: /^Compte de Lina/ })).toBeVisible();
  await page.context().close();
});
