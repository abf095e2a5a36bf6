import type { Locator } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import { expectReady, readExport } from './support/screens.ts';
import { distrokidFile, sendStatement } from './support/statements.ts';
import { expect, expectNoAxeViolationsInBoth, signIn, test } from './support/test.ts';

/** No other test loads it. */
const month = '2022-03';

test('income is grouped by two dimensions, filtered, drilled into, saved as a view and exported', async ({
  api,
  browser,
}) => {
  const { data: tracks } = await api.call(routes.listLibraryTracks, { query: { limit: 50 } });
  const track = tracks.find(({ isrc }) => isrc);
  if (!track?.isrc) throw new Error('the demo has a track with an ISRC');
  const mark = crypto.randomUUID().slice(0, 8);
  const [moon, mars] = [`Lune, ${mark}`, `Mars ${mark}`];
  const rows = [
    { isrc: track.isrc, month, store: moon, country: 'FR', amount: '20' },
    { isrc: track.isrc, month, store: moon, country: 'BE', amount: '1.5' },
    { isrc: track.isrc, month, store: mars, country: 'FR', amount: '30.25' },
    { isrc: 'FRINS2200003', month, store: mars, country: 'FR', amount: '2' },
  ];
  const id = await sendStatement(api, `tableau-${mark}.tsv`, distrokidFile(rows));

  const reader = await api.addAdmin('Lecteur', ['read_reports']);
  const page = await (await browser.newContext()).newPage();
  await signIn(page, reader.email, reader.password);
  await page.goto(`/reporting/months/${month}`);
  await page.getByRole('button', { name: 'Autres actions' }).click();
  await page.getByRole('menuitem', { name: 'Tableau croisé du mois' }).click();
  await expect(page).toHaveURL(new RegExp(`from=${month}&to=${month}`));
  await expect(page.getByRole('heading', { name: 'Tableau croisé', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'Plateformes', exact: true }).click();
  await page.getByRole('link', { name: 'Tableau croisé', exact: true }).click();
  await expectReady(page);

  // Only this test's stores, in dollars, by country.
  await page.goto(`/reporting/analytics/pivot?from=${month}&to=${month}&columns=country`);
  const top = async (of: Locator) => (await of.boundingBox())?.y;
  expect(await top(page.getByRole('combobox', { name: 'Au mois' }))).toBe(
    await top(page.getByRole('combobox', { name: 'Lignes' })),
  );
  await page.getByRole('button', { name: 'Filtrer par Plateforme' }).click();
  await page.getByRole('textbox', { name: 'Plateforme' }).fill(mark);
  await page.getByRole('checkbox', { name: moon }).check();
  await page.getByRole('checkbox', { name: mars }).check();
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('button', { name: 'Appliquer' }).click();
  await page.getByRole('combobox', { name: 'Valeur' }).click();
  await page.getByRole('option', { name: 'Montants en devise' }).click();
  await page.getByRole('combobox', { name: 'Devise' }).click();
  await page.getByRole('option', { name: 'USD' }).click();
  const table = page.getByRole('table');
  const lines = table.getByRole('row');
  await expect(lines).toHaveText([
    'PlateformeFranceBelgiqueTotal',
    `${mars}32,25 $US32,25 $US`,
    `${moon}20,00 $US1,50 $US21,50 $US`,
    'Total52,25 $US1,50 $US53,75 $US',
  ]);
  await table.getByRole('button', { name: 'Belgique' }).click();
  await expect(lines.nth(1)).toContainText(moon);
  await expect(table.getByRole('columnheader', { name: 'Belgique' })).toHaveAttribute('aria-sort', 'descending');
  await expectNoAxeViolationsInBoth(page);

  // The address says it all; a view keeps it.
  await page.reload();
  await expect(lines.nth(1)).toContainText(moon);
  await page.getByRole('button', { name: 'Vues' }).click();
  const views = page.getByRole('dialog', { name: 'Vues enregistrées' });
  await views.getByRole('textbox', { name: 'Nom de la vue' }).fill(`Ma vue ${mark}`);
  await views.getByRole('button', { name: 'Enregistrer la vue' }).click();
  await expect(views.getByRole('link', { name: `Ma vue ${mark}` })).toBeVisible();
  await page.keyboard.press('Escape');

  const file = await readExport(page, page.getByRole('button', { name: 'Exporter' }));
  expect(file.text).toContain('Plateforme;France (USD);Belgique (USD);Total (USD)');
  expect(file.text).toContain(`${moon};20,00;1,50;21,50`);

  // Into a cell by the keyboard: its store and country become filters, and its titles the rows.
  await table.getByRole('link', { name: `${moon}, France` }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(lines.nth(0)).toHaveText('TitreTotal');
  await expect(lines.nth(1)).toContainText(track.title);
  await expect(lines.nth(1)).toContainText('30,25 $US');
  await expect(lines.nth(2)).toHaveText('Sans titre2,00 $US');
  await expect(lines.nth(3)).toHaveText('Total32,25 $US');
  await expect(table.getByRole('link', { name: track.title })).toBeFocused();
  await expect(page.getByRole('button', { name: `Modifier le filtre Pays : France` })).toBeVisible();
  await table.getByRole('link', { name: track.title }).click();
  await expect(page.getByRole('combobox', { name: 'Lignes' })).toHaveValue('Mois');
  await expect(lines.last()).toHaveText('Total30,25 $US');

  // A question that takes long can be given up, and asked again.
  await page.route('**/api/reporting/analytics/pivot?*', () => undefined);
  await page.getByRole('combobox', { name: 'Colonnes' }).click();
  await page.getByRole('option', { name: 'Source' }).click();
  // What is shown meanwhile answers the former question.
  await expect(page.getByRole('button', { name: 'Exporter' })).toBeDisabled();
  await page.getByRole('button', { name: 'Interrompre' }).click();
  await expect(page.getByText('Calcul interrompu')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Exporter' })).toBeDisabled();
  await page.unroute('**/api/reporting/analytics/pivot?*');
  await page.getByRole('button', { name: 'Relancer' }).click();
  await expect(table.getByRole('columnheader', { name: 'DistroKid' })).toBeVisible();

  await page.getByRole('button', { name: 'Vues' }).click();
  await views.getByRole('link', { name: `Ma vue ${mark}` }).click();
  await page.getByRole('radiogroup', { name: 'Affichage' }).getByText('Graphique').click();
  const rank = page.getByRole('region', { name: 'Montants en devise par plateforme' });
  await expect(rank.getByRole('link').first()).toContainText(`${moon}40,0 %21,50 $US`);
  await expectNoAxeViolationsInBoth(page);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('radiogroup', { name: 'Affichage' }).getByText('Tableau').click();
  await expect(lines).toHaveCount(4);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectNoAxeViolationsInBoth(page);

  await page.getByRole('button', { name: 'Filtres' }).click();
  await page.getByRole('button', { name: 'Effacer les filtres' }).click();
  await page.getByRole('button', { name: 'Afficher la liste' }).click();
  await page.goto(`/reporting/analytics/pivot?from=${month}&to=${month}&country=SN&store=${mars}`);
  await expect(page.getByText('Aucun relevé n’a de revenu pour cette période et ces filtres.')).toBeVisible();
  await page.getByRole('button', { name: 'Effacer les filtres' }).click();
  await expect(page).not.toHaveURL(/country/);
  await api.call(routes.deleteStatement, { params: { id } });
});
