import type { Page } from '@playwright/test';
import { expect, expectNoAxeViolationsInBoth, signIn, submitSignIn, test } from './support/test.ts';

/** A security key inside Chromium that confirms everything by itself. */
async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

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
