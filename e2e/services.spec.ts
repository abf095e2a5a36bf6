import type { Page } from '@playwright/test';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { expectReady, fact } from './support/screens.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

const mark = () => crypto.randomUUID().slice(0, 8);
const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name });

/** A draft with a plan to choose, of an account without a subscription: promo codes have something to take off. */
async function addDraft(api: Api) {
  const { data: accounts } = await api.call(routes.lookupAccounts, { query: { q: 'a' } });
  for (const { id: userId } of accounts) {
    const body = {
      ...{ userId, title: `Essai ${mark()}`, genre: 'Jazz', yearOfRegistration: 2026, recordingOwnerName: 'Nord' },
      ...{ originalRealeaseDate: '01/12/2026', digitalReleaseDate: '04/12/2026', coverDetailsOwner: 'Nord' },
    };
    const { data: draft } = await api.call(routes.createRelease, { body });
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
  await expect(page.getByText('Tapez un point pour les décimales')).toBeVisible();
  await field(page, /^Remise/).fill('12,5');
  await field(page, /^Date d’expiration/).fill('29/02/2027');
  await save.click();
  await expect(page.getByText("Date d'experation est requis", { exact: true })).toBeVisible();
  await field(page, /^Date d’expiration/).fill('1/2/2096');
  await expectNoAxeViolations(page);
  await save.click();
  await expect(page.getByRole('status').filter({ hasText: 'Le code promo est enregistré' })).toBeVisible();
  await expect(save).toBeDisabled();

  // Another one, whose last day has passed.
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
  await expect(row(name)).toContainText('12,5 %');
  await expect(row(name)).toContainText('01/02/2096');
  await expect(row(name)).toContainText('Valable');
  await expect(row(`${name}-PASSE`)).toContainText('Expiré');

  const draft = await addDraft(api);
  await page.goto(`/release/new/plan?release=${draft}`);
  await page.getByRole('radio', { name: /^EP/ }).click();
  await field(page, 'Code promo').fill(`${name}-passe`);
  await expect(page.getByText(messages.expiredPromoCode)).toBeVisible();
  await field(page, 'Code promo').fill(name);
  await expect(fact(page, `Remise ${name.toUpperCase()}`)).toBeVisible();
  await api.call(routes.deleteRelease, { params: { id: draft } });

  // Two of the list, and how it is removed: it asks first.
  await page.goto(`/services/promo-codes?q=${name}`);
  await page.getByRole('button', { name: `Supprimer le code promo ${name}`, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(dialog).toContainText(name);
  await expect(dialog.getByRole('button', { name: 'Annuler' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Supprimer le code promo' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Le code promo est supprimé' })).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expectReady(page);
});
