import { routes } from '@regie/contract/routes.ts';
import { expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

test('the settings are edited with the right to, concurrently without loss; the journal has the old value', {
  tag: '@area',
}, async ({ browser, api }) => {
  const keeper = await api.addAdmin('Réglage', ['manage_settings']);
  const { settings } = (await api.call(routes.getSettings)).data;
  const colleague = await browser.newContext();
  const own = await colleague.newPage();
  await signIn(own, keeper.email, keeper.password);
  await own.goto('/settings/contract');
  const alert = own.getByRole('textbox', { name: 'Seuil d’alerte' });
  const template = await own.getByRole('textbox', { name: 'Modèle du contrat' }).boundingBox();
  const preview = await own.getByRole('group', { name: 'Aperçu' }).first().boundingBox();
  expect(preview?.x, 'the contract is beside its text').toBeGreaterThan((template?.x ?? 0) + (template?.width ?? 0));
  await own.getByRole('link', { name: 'Réglages' }).last().click();
  const money = own.locator('section').filter({ hasText: 'Ce qui déplace de l’argent' });
  await money.getByRole('link', { name: 'Frais et seuils des versements' }).click();
  const save = () => own.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await alert.fill('1');
  await own.getByRole('button', { name: 'Annuler', exact: true }).click();
  await expect(alert).not.toHaveValue('1');
  await expect(own.getByText('Modifications non enregistrées')).toBeHidden();

  await own.getByRole('textbox', { name: 'Frais par versement' }).fill('-1');
  await alert.fill('12,345');
  await save();
  await expect(own.getByRole('textbox', { name: 'Frais par versement' })).toBeFocused();
  await expect(own.getByText('Un prix ne peut pas être négatif', { exact: true })).toBeVisible();
  await expect(own.getByText('Indiquez un montant en euros, avec deux décimales au plus').last()).toBeVisible();
  await own.getByRole('textbox', { name: 'Frais par versement' }).fill(String(settings.payoutFeeEur));
  await alert.fill('4321,5');
  await own.getByRole('link', { name: 'Réglages' }).last().click();
  await own.getByRole('dialog').getByRole('button', { name: 'Continuer la saisie' }).click();

  const city = `Nantes ${crypto.randomUUID().slice(0, 8)}`;
  const { version } = (await api.call(routes.getSettings)).data;
  await api.call(routes.putSettings, { body: { version, house: { ...settings.house, city } } });
  await save();
  const refusal = own.getByRole('alert').filter({ hasText: 'L’élément a changé entre-temps' });
  await expect(refusal).toBeVisible();
  await expect(alert).toHaveValue('4321,50');
  await expectNoAxeViolations(own);
  await refusal.getByRole('button', { name: /^Recharger/ }).click();
  await expect(alert).not.toHaveValue('4321,50');
  await alert.fill('4321,5');
  await save();
  await expect(own.getByRole('status').filter({ hasText: 'Les réglages sont enregistrés' })).toBeVisible();
  await expect(own.getByRole('button', { name: 'Enregistrer', exact: true })).toBeDisabled();

  const after = (await api.call(routes.getSettings)).data;
  expect(after.settings).toMatchObject({ payoutAlertEur: 4321.5, house: { city }, vatPercent: settings.vatPercent });
  const { data: entries } = await api.call(routes.listJournal, { query: { action: 'settings.edit', limit: 20 } });
  expect(entries.find(({ admin }) => admin?.name === keeper.name)).toMatchObject({
    before: { payoutAlertEur: settings.payoutAlertEur },
    after: { payoutAlertEur: 4321.5 },
  });
  await api.call(routes.putSettings, {
    body: { version: after.version, house: settings.house, payoutAlertEur: settings.payoutAlertEur },
  });
  await colleague.close();
});
