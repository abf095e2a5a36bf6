import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { routes } from '@regie/contract/routes.ts';
import { openEntry } from './support/sidebar.ts';
import { expect, expectNoAxeViolationsInBoth, signIn, test } from './support/test.ts';

test('the state of the system is read by those who manage the settings, and checked again after a backup', async ({
  browser,
  api,
  dataDir,
}, info) => {
  const keeper = await api.addAdmin('Système', ['manage_settings']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, keeper.email, keeper.password);
  await openEntry(page, 'État du système');
  await expect(page).toHaveURL('/system');
  const checks = page.getByRole('list', { name: 'Vérifications' });
  const { checks: found } = (await api.call(routes.getSystem)).data;
  await expect(checks.getByRole('listitem')).toHaveCount(found.length);
  await expect(checks.getByRole('listitem').filter({ hasText: 'Base de données' })).toContainText('En ordre');
  // The demo is never backed up.
  const backup = checks.getByRole('listitem').filter({ hasText: 'Sauvegardes' });
  await expect(backup).toContainText('À corriger');
  await expect(backup).toContainText('réglez BACKUP_URL');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('à corriger');
  await expect(page.getByText('Aucune sauvegarde n’a encore été faite')).toBeVisible();
  const file = info.outputPath('demo.regie');
  await promisify(execFile)(process.execPath, ['scripts/backup.ts', file], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  });
  await page.getByRole('button', { name: 'Vérifier à nouveau' }).click();
  await expect(backup).toContainText('En ordre');
  const made = page
    .getByRole('list', { name: 'Dernières sauvegardes' })
    .getByRole('listitem')
    .filter({ hasText: file });
  await expect(made).toContainText('Non chiffrée');
  await expectNoAxeViolationsInBoth(page);
  await context.close();
});
