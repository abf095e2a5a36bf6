import type { Page } from '@playwright/test';
import { startProvider, type TestProvider } from '@regie/api/test/identity-provider.ts';
import { type RunningApp, startApp } from './support/app.ts';
import { addAuthenticator } from './support/passkeys.ts';
import { pickMonth } from './support/screens.ts';
import { expect, expectNoAxeViolationsInBoth, test } from './support/test.ts';

// The provider and the disabled password form apply to the whole app: this test starts its own.
const label = 'Compte Fadeurs';
let provider: TestProvider;
let app: RunningApp;
test.beforeAll(async () => {
  test.setTimeout(240_000);
  provider = await startProvider();
  app = await startApp({
    LOCAL_SIGN_IN: 'off',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_LABEL: label,
    OIDC_ROLES_CLAIM: 'roles',
    OIDC_PRESETS: 'direction=all,compta=accounting',
  });
  await provider.serve(app.url);
  const known = { email_verified: true, given_name: 'Inès', family_name: 'Moreau' };
  provider.people.set('ines', { ...known, sub: 'ines', email: 'ines@fadeurs.example', roles: ['direction'] });
  provider.people.set('paul', { ...known, sub: 'paul', email: 'paul@fadeurs.example', roles: ['stage'] });
});
test.afterAll(async () => {
  await app?.stop();
  await provider?.stop();
});

async function signInThere(page: Page, sub: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Identifiant' }).fill(sub);
  await page.getByRole('button', { name: 'Continuer' }).click();
}

test('staff sign in at the identity provider only, and confirm their identity there', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: app.url });
  const page = await context.newPage();
  const button = page.getByRole('link', { name: label });

  await test.step('a user without a role gets an error', async () => {
    await page.goto('/accounts/manage-admins');
    await expect(button).toBeVisible();
    await expect(page.getByLabel(/^Mot de passe/)).toHaveCount(0);
    await expectNoAxeViolationsInBoth(page);
    await button.click();
    await signInThere(page, 'paul');
    await expect(page.getByRole('alert')).toContainText('Aucun de vos rôles dans l’entreprise n’ouvre Régie');
    await context.clearCookies();
  });

  await test.step('a user with a role returns to the requested page', async () => {
    await button.click();
    await signInThere(page, 'ines');
    await expect(page).toHaveURL('/accounts/manage-admins');
    await expect(page.getByRole('button', { name: 'Ajouter un administrateur' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Inviter' })).toHaveCount(0);
  });

  await test.step('their rights cannot be changed in the app', async () => {
    await page.getByRole('button', { name: 'Modifier Inès Moreau' }).click();
    const dialog = page.getByRole('dialog', { name: /Inès Moreau/ });
    await expect(dialog.getByText('Les droits de cette personne suivent ses rôles', { exact: false })).toBeVisible();
    await expect(dialog.getByRole('checkbox')).toHaveCount(0);
    await expect(dialog.getByLabel(/mot de passe/i)).toHaveCount(0);
    await expectNoAxeViolationsInBoth(page);
    await page.keyboard.press('Escape');
  });

  await test.step('a session that ends during a form is renewed there, and the input is preserved', async () => {
    await page.goto('/accounting/exchange-rates');
    await page.getByRole('button', { name: 'Ajouter un taux' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ajouter un taux' });
    await pickMonth(dialog, 'À partir de', '02/2024');
    await dialog.getByRole('textbox', { name: 'Devise' }).fill('nok');
    const rate = dialog.getByRole('textbox', { name: 'Pour 1\u00a0€' });
    await rate.fill('0,8571');
    await context.clearCookies({ name: 'regie' });
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    const again = page.getByRole('dialog', { name: 'Se connecter' });
    await expect(again.getByText('Votre session est terminée', { exact: false })).toBeVisible();
    await expect(again.getByLabel(/^Mot de passe/)).toHaveCount(0);
    // The session at the provider is still valid: its pop-up asks nothing.
    await again.getByRole('button', { name: label }).click();
    await expect(again).toHaveCount(0);
    await expect(rate).toHaveValue('0,8571');
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await dialog.getByRole('checkbox', { name: 'Je confirme ce taux' }).check();
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await expect(page.getByText('Le taux est enregistré').first()).toBeVisible();
  });

  await test.step('adding a first factor requires a new sign-in there, in a pop-up', async () => {
    await page.goto('/account/security');
    await expect(page.getByText(`Vous vous connectez avec «\u00a0${label}\u00a0»`)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Changer le mot de passe' })).toHaveCount(0);
    await addAuthenticator(page);
    await page.getByRole('button', { name: 'Ajouter une clé d’accès' }).click();
    const adding = page.getByRole('dialog', { name: 'Ajouter une clé d’accès' });
    await adding.getByRole('textbox', { name: 'Nom' }).fill('Clé bleue');
    await adding.getByRole('button', { name: 'Continuer' }).click();
    const confirming = page.getByRole('dialog', { name: 'Confirmez que c’est bien vous' });
    await expectNoAxeViolationsInBoth(page);
    const opened = context.waitForEvent('page');
    await confirming.getByRole('button', { name: label }).click();
    await signInThere(await opened, 'ines');
    await page.getByRole('button', { name: 'J’ai noté mes codes' }).click();
    await expect(page.getByRole('list', { name: 'Second facteur' })).toContainText('Clé bleue');
  });

  await test.step('afterwards the app asks for the passkey, because the provider has no factor', async () => {
    await page.getByRole('button', { name: /^Compte\s:/ }).click();
    await page.getByRole('menuitem', { name: 'Se déconnecter' }).click();
    await button.click();
    await page.getByRole('button', { name: 'Utiliser une clé d’accès' }).click();
    await expect(page).not.toHaveURL(/signin/);
    await expect(page.getByRole('main')).toBeVisible();
  });
  await context.close();
});
