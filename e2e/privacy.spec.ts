import { readFile } from 'node:fs/promises';
import { routes } from '@regie/contract/routes.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

const mark = () => crypto.randomUUID().slice(0, 8);

test('an account’s data is exported, then erased once nothing is open', async ({ page, api }) => {
  const name = `Essai-${mark()}`;
  const created = await api.call(routes.createProfile, {
    body: {
      fname: 'Maëlle',
      lname: name,
      email: `${name}@exemple.fr`,
      country: 'France',
      income: 12.5,
      reason: 'Essai',
    },
  });
  const { id } = created.data;
  await page.goto(`/accounts/profiles/${id}`);
  await page.getByRole('button', { name: 'Autres actions du compte' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Exporter les données personnelles' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`donnees-compte-${id}.zip`);
  expect((await readFile(await download.path())).subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');

  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await test.step('the remaining balance blocks the erasure', async () => {
    await page.getByRole('button', { name: 'Autres actions du compte' }).click();
    await page.getByRole('menuitem', { name: 'Supprimer les données personnelles' }).click();
    await expect(dialog).toContainText(`Maëlle ${name}`);
    await expect(dialog.getByRole('alert')).toContainText('12,50');
    await expect(dialog.getByRole('button', { name: 'Supprimer définitivement' })).toBeDisabled();
    await expectNoAxeViolations(page);
    await dialog.getByRole('button', { name: 'Annuler' }).click();
  });

  await api.call(routes.editProfile, {
    params: { id },
    body: { fname: 'Maëlle', lname: name, country: 'France', income: 0, incomeSeen: 12.5, reason: 'Essai' },
  });
  await page.reload();
  await page.getByRole('button', { name: 'Autres actions du compte' }).click();
  await page.getByRole('menuitem', { name: 'Supprimer les données personnelles' }).click();
  await expect(dialog).toContainText('Conservés jusqu’au terme légal\u00a0: le grand livre.');
  await expectNoAxeViolations(page);
  await dialog.getByRole('textbox', { name: 'Motif' }).fill('demande du 12 novembre');
  await dialog.getByRole('button', { name: 'Supprimer définitivement' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Compte supprimé n° ${id}`);
  await expect(page.getByText('Les données personnelles de ce compte ont été supprimées le')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Autres actions du compte' })).toHaveCount(0);
  await expect(page.getByText(name)).toHaveCount(0);
  await expectNoAxeViolations(page);

  await page.goto(`/accounts/${id}/journal`);
  await expect(page.getByRole('row').filter({ hasText: 'Données du compte supprimées' })).toBeVisible();
  await expect(page.getByText(name)).toHaveCount(0);
});

test('a colleague who left is exported and erased', async ({ page, api }) => {
  const name = `Partie-${mark()}`;
  const email = `${name.toLowerCase()}@equipe.example`;
  const { data } = await api.call(routes.createAdmin, {
    body: { fname: 'Inès', lname: name, email, password: `Fader-${name}`, capabilities: [] },
  });
  await page.goto('/accounts/manage-admins');
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(email);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Exporter les données personnelles d’Inès ${name}` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`donnees-administrateur-${data.id}.zip`);
  await api.call(routes.deleteAdmin, { params: { id: data.id } });
  await page.reload();

  await expect(page.getByRole('heading', { name: 'Administrateurs partis' })).toBeVisible();
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: `Supprimer les données personnelles\u00a0: Inès ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await dialog.getByRole('textbox', { name: 'Motif' }).fill('départ');
  await expectNoAxeViolations(page);
  await dialog.getByRole('button', { name: 'Supprimer définitivement' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(email)).toHaveCount(0);
  await page.goto(`/journal?action=admin.erase`);
  await expect(page.getByRole('row').filter({ hasText: `administrateur supprimé n° ${data.id}` })).toBeVisible();
});

test('the periods of retention are settings, with their legal minimum', async ({ page, api }) => {
  await page.goto('/settings/retention');
  const accounting = page.getByRole('textbox', { name: 'Pièces comptables' });
  await accounting.fill('12');
  await page.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(accounting).toHaveAccessibleDescription(/De 120 à 600 mois/);
  await accounting.fill('132');
  await page.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(page.getByText('Les réglages sont enregistrés')).toBeVisible();
  await expectNoAxeViolations(page);
  const { data } = await api.call(routes.getSettings);
  await api.call(routes.putSettings, {
    body: { version: data.version, retention: { ...data.settings.retention, accountingMonths: 120 } },
  });
});
