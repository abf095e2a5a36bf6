import type { Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import { readBalances, reserveBooks } from './support/books.ts';
import { chooseFile, expectReady, fact, pickMonth } from './support/screens.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

const rowCount = 6000;
const batchRows = 5000;
const counted = (count: number) => new Intl.NumberFormat('fr-FR').format(count).replaceAll('\u202f', '\u00a0');

/** Starts an import whose second batch never arrives, then stops it. */
async function cutShort(page: Page, text: string): Promise<number> {
  const secondBatch = /\/api\/reporting\/csv\?.*[?&]batch=1&/;
  await page.route(secondBatch, (route) => route.abort());
  await sendFile(page, text);
  await expect(page.getByText(/connexion perdue/).first()).toBeVisible({ timeout: 60_000 });
  await page.getByRole('main').getByRole('button', { name: 'Arrêter l’import' }).click();
  await expect(page.getByRole('heading', { name: 'Import arrêté\u00a0: juin 2025' })).toBeVisible();
  await expect(page.getByText(/^Les lignes reçues attendent la suite du fichier/)).toBeVisible();
  await expect(fact(page, 'Reçues')).toHaveText(counted(batchRows));
  await expectNoAxeViolations(page);
  await page.unroute(secondBatch);
  await page.getByRole('link', { name: 'Voir l’import' }).click();
  await expect(page.getByText('Envoi incomplet\u00a0: 1 sur 2')).toBeVisible();
  return Number(new URL(page.url()).pathname.split('/').at(-1));
}

async function sendFile(page: Page, text: string): Promise<void> {
  await page.goto('/reporting/platform/add?section=csv');
  await expectReady(page);
  await pickMonth(page, 'Mois du rapport', '06/2025');
  await chooseFile(page, 'Fichier CSV ou Excel (.xlsx)', 'juin-2025.csv', text);
  await page.getByRole('button', { name: `Importer ${counted(rowCount)} lignes` }).click({ timeout: 60_000 });
}

test('an incomplete file has no effect until it is finished, completed or removed', async ({ page, api }) => {
  test.setTimeout(240_000);
  const { tracks, accountIds } = await reserveBooks(api, 'cutShort');
  const lines = Array.from(
    { length: rowCount },
    (_, row) => `${tracks[row % tracks.length]?.isrc};${row % 50};0,${String(row % 997).padStart(3, '0')}`,
  );
  // The last line is unique, so that the test can run again on the same data.
  const text = ['ISRC;Écoutes;Revenus des écoutes', ...lines.slice(1), `${crypto.randomUUID()};1;1,5`].join('\n');
  const before = await readBalances(api, accountIds);
  const balances = () => readBalances(api, accountIds);
  const removed = await cutShort(page, text);
  await test.step('removing it leaves nothing', async () => {
    await page.getByRole('main').getByRole('button', { name: 'Supprimer' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText(`À supprimer : ${counted(batchRows)} lignes`);
    await expectNoAxeViolations(page);
    await dialog.getByRole('button', { name: 'Supprimer l’envoi' }).click();
    await expect(page.getByText('L’envoi est supprimé')).toBeVisible();
    await expect(page.getByText('Supprimé', { exact: true })).toBeVisible();
    expect(await balances()).toEqual(before);
  });

  const importId = await cutShort(page, text);
  expect(importId).not.toBe(removed);
  await test.step('nothing of it is posted, and the list shows it', async () => {
    expect(await balances()).toEqual(before);
    await expectNoAxeViolations(page);
    await page.goto('/reporting/imports?state=staged');
    await expect(page.getByRole('row', { name: /Envoi incomplet.*1 sur 2 envois/ })).toHaveCount(1);
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'Terminer juin-2025.csv' }).click();
  });

  await test.step('finishing it posts the received rows once per account', async () => {
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('1 sur 2');
    await expectNoAxeViolations(page);
    await dialog.getByRole('button', { name: `Comptabiliser ${counted(batchRows)} lignes` }).click();
    await expect(page.getByText(`Comptabilisé : ${counted(batchRows)} lignes.`)).toBeVisible();
    await page.goto(`/reporting/import/${importId}`);
    await expect(page.getByText('Comptabilisé en partie\u00a0: 1 sur 2')).toBeVisible();
    await expectNoAxeViolations(page);
    const { data } = await api.call(routes.getImport, { params: { id: importId } });
    expect(data).toMatchObject({ stagedRows: 0, saved: batchRows });
    expect(await balances()).not.toEqual(before);
    const [report] = (await api.call(routes.listReports, { query: { import: importId, limit: 1 } })).data;
    const detail = await api.call(routes.getReport, { params: { id: report?.id ?? 0 } });
    expect(detail.data.transactions).toHaveLength(1);
  });

  await test.step('importing the same file again adds the missing rows', async () => {
    await sendFile(page, text);
    await expect(page.getByText(/^Une partie de ce fichier avait déjà été reçue/)).toBeVisible({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Voir l’import' }).click();
    await expect(page.getByText('Comptabilisé', { exact: true })).toBeVisible();
    await expect(fact(page, 'Lignes')).toHaveText(counted(rowCount));
  });

  await test.step('importing some of its rows in another file asks first', async () => {
    const whole = await balances();
    await page.goto('/reporting/platform/add?section=csv');
    await expectReady(page);
    await pickMonth(page, 'Mois du rapport', '06/2025');
    const part = ['ISRC;Écoutes;Revenus des écoutes', ...lines.slice(2, 5)].join('\n');
    await chooseFile(page, 'Fichier CSV ou Excel (.xlsx)', 'partie.csv', part);
    await page.getByRole('button', { name: 'Importer 3 lignes' }).click({ timeout: 60_000 });
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText(`sont déjà dans l’import n°\u00a0${importId} (juin-2025.csv)`);
    await expectNoAxeViolations(page);
    await dialog.getByRole('button', { name: 'Annuler' }).click();
    await expect(page.getByRole('heading', { name: 'Import arrêté\u00a0: juin 2025' })).toBeVisible();
    expect(await balances()).toEqual(whole);
  });

  await api.call(routes.reverseImport, { params: { id: importId } });
  expect(await balances()).toEqual(before);
});
