import type { Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { successStatus } from './support/payees.ts';
import { expectReady, fact, pickMonth } from './support/screens.ts';
import { distrokidFile, removePresets, sendStatement, waitUntilRead } from './support/statements.ts';
import { expect, expectNoAxeViolations, expectNoAxeViolationsInBoth, test } from './support/test.ts';
import { workbookOfSheets, zipOf } from './support/workbook.ts';

const someMark = () => crypto.randomUUID().slice(0, 8);
const isrc = 'FRE2F0000001';
const title = (page: Page) => page.getByRole('heading', { level: 1 });
const months = (page: Page) => page.getByRole('group', { name: 'Mois et devises' });
const open = async (page: Page, id: number, rest = '') => {
  await page.goto(`/reporting/statements/${id}${rest}`);
  await expectReady(page);
};
const saveMapping = (page: Page) =>
  page.getByRole('button', { name: 'Enregistrer le modèle et lire le relevé' }).click();
const nameMapping = async (page: Page, source: string) => {
  await page.getByRole('textbox', { name: 'Source', exact: true }).fill(source);
  await page.getByRole('textbox', { name: 'Nom du modèle' }).fill(`${source}, mensuel`);
};

test('a wrong mapping is corrected from the refusal, and an empty amount gets a meaning', async ({ page, api }) => {
  const mark = someMark();
  const source = `Atelier ${mark}`;
  const id = await sendStatement(
    api,
    `atelier-${mark}.csv`,
    `ISRC;Mois;Ventes;Retours;Net ${mark}\n${isrc};2026-03;12,5;2,5;10\n${isrc};2026-03;4;1,25;\n`,
  );
  await open(page, id, '/mapping');
  await nameMapping(page, source);
  await page.getByRole('combobox', { name: 'Ventes, correspond à' }).selectOption('title');
  await page.getByRole('combobox', { name: 'Retours, correspond à' }).selectOption('month');
  await page.getByRole('combobox', { name: `Net ${mark}, correspond à` }).selectOption('amount');
  await page.getByRole('combobox', { name: 'Format des dates' }).selectOption('YYYY-MM');
  await page.getByRole('combobox', { name: 'Séparateur décimal' }).selectOption(',');
  // This file's own values are required before anything is saved.
  await saveMapping(page);
  await expect(page.getByRole('combobox', { name: 'Devise du fichier' })).toBeFocused();
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  // Its page does not wait for an answer to say that it is read again.
  const answer = Promise.withResolvers<void>();
  await page.route(`**/api/reporting/statements/${id}`, (route) => answer.promise.then(() => route.continue()));
  await saveMapping(page);
  await expect(page.getByRole('status').filter({ hasText: 'Relecture en cours…' })).toBeVisible();
  answer.resolve();
  await expect(title(page)).toContainText('Refusé');
  await expect(page.getByRole('alert').filter({ hasText: 'Ligne 2' })).toContainText('n’est pas une date connue');
  const { data: presets } = await api.call(routes.listPresets);
  expect(presets.filter((preset) => preset.source === source)).toMatchObject([{ isVerified: false }]);

  // The preset is changed, not duplicated.
  await page.getByRole('link', { name: 'Modifier ce modèle' }).click();
  await expect(page.getByText(`Vous modifiez le modèle « ${source}, mensuel »`)).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Source', exact: true })).toHaveValue(source);
  await expect(page.getByRole('combobox', { name: 'Retours, correspond à' })).toHaveValue('month');
  await page.getByRole('combobox', { name: 'Mois, correspond à' }).selectOption('month');
  await expect(page.getByRole('combobox', { name: 'Retours, correspond à' })).toHaveValue('');
  await expect(page.getByRole('combobox', { name: 'Format des dates' })).toHaveValue('YYYY-MM');
  await saveMapping(page);
  await expect(page.getByRole('alert').filter({ hasText: 'Ligne 3' })).toContainText('est vide');

  await page.getByRole('link', { name: 'Modifier ce modèle' }).click();
  const preview = page.getByRole('group', { name: 'Premières lignes du fichier' });
  await expect(preview.getByRole('row').nth(3)).toContainText('fichier refusé');
  await page.getByRole('combobox', { name: 'Montant vide' }).selectOption('sum');
  await page.getByRole('combobox', { name: 'Colonne 1 de la somme' }).selectOption('Ventes');
  await page.getByRole('button', { name: 'Ajouter une colonne' }).click();
  await page.getByRole('combobox', { name: 'Signe 2' }).selectOption('moins (−)');
  await page.getByRole('combobox', { name: 'Colonne 2 de la somme' }).selectOption('Retours');
  await page.getByRole('checkbox', { name: 'La colonne 2 de la somme peut être vide' }).check();
  await expect(preview.getByRole('row').nth(3)).toContainText('4 − 1,25');
  await expectNoAxeViolationsInBoth(page);
  // The reading cannot start: the saved preset is not saved twice.
  await page.route('**/api/reporting/statements/*/preset', (route) => route.abort(), { times: 1 });
  await saveMapping(page);
  await expect(page.getByRole('alert').filter({ hasText: /\S/ }).first()).toBeVisible();
  await saveMapping(page);
  await expect(title(page)).toContainText('À valider');
  await expect(months(page).getByRole('row').nth(1)).toContainText('12,75 €');
  const { data: after } = await api.call(routes.listPresets);
  expect(after.filter((preset) => preset.source === source)).toMatchObject([{ isVerified: true }]);
  const { data: journal } = await api.call(routes.listJournal, {
    query: { action: 'statement_preset.create', limit: 100 },
  });
  expect(journal.filter((entry) => JSON.stringify(entry).includes(source))).toHaveLength(3);
  await removePresets(api, source);
});

test('a refused file is read with another preset, which asks for its currency and its month', async ({ page, api }) => {
  const mark = someMark();
  const source = `Regards ${mark}`;
  const preset = (name: string, month: string | undefined) => ({
    source,
    name: `${source}, ${name}`,
    columns: { isrc: ['ISRC'], amount: [`Net ${mark}`], ...(month === undefined ? {} : { month: [month] }) },
    optional: [],
    signature: ['Date'],
    absent: [],
    monthForms: ['YYYYMM'],
    decimalMark: ',',
    kinds: {},
    skip: [],
    footers: [],
  });
  await api.call(routes.createPreset, { body: preset('daté', 'Date') });
  const id = await sendStatement(api, `regards-${mark}.csv`, `ISRC;Date;Net ${mark}\n${isrc};hier;4,5\n`);
  await open(page, id);
  // Its currency is missing and asked for first; then the date is refused.
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  await page.getByRole('button', { name: 'Lire avec ce modèle' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Ligne 2' })).toContainText('« hier »');
  await expect(page.getByRole('link', { name: 'Modifier ce modèle' })).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  const { data: other } = await api.call(routes.createPreset, { body: preset('sans date', undefined) });
  await page.reload();
  await expectReady(page);
  await page.getByRole('combobox', { name: 'Modèle à essayer' }).selectOption(other.key);
  // The file's currency is kept; its month is asked for because the preset reads none.
  await expect(page.getByRole('combobox', { name: 'Devise du fichier' })).toHaveValue('EUR');
  const again = page.getByRole('button', { name: 'Relancer la lecture' });
  await again.click();
  await expect(page.getByText('Ce fichier n’indique pas son mois : choisissez-le.')).toBeVisible();
  await page.getByRole('button', { name: 'Changer le modèle, les feuilles ou l’encodage' }).click();
  await page.getByRole('combobox', { name: 'Modèle à essayer' }).selectOption(other.key);
  await again.click();
  const form = page.locator('form').filter({ has: again });
  await expect(form.getByText('Indiquez le mois de ce fichier')).toBeVisible();
  await pickMonth(form, 'Mois du fichier', '03/2026');
  await again.click();
  await expect(title(page)).toContainText('À valider');
  await expect(months(page).getByRole('row').nth(1)).toContainText('mars 2026');
  await expect(months(page).getByRole('row').nth(1)).toContainText('4,50 €');
  await removePresets(api, source);
});

test('a loaded file is read with another preset and charset, and again with its own', async ({ page, api }) => {
  const mark = someMark();
  const id = await sendStatement(
    api,
    `autre-${mark}.tsv`,
    distrokidFile([{ isrc, month: '2026-02', amount: '1.5', title: `Été ${mark}` }]),
  );
  const choice = page.getByRole('combobox', { name: 'Modèle à essayer' });
  const again = page.getByRole('button', { name: 'Relancer la lecture' });
  await open(page, id);
  // For a loaded statement the options are behind a button.
  await page.getByRole('button', { name: 'Changer le modèle, les feuilles ou l’encodage' }).click();
  await expect(choice).toHaveValue(/distrokid/);
  await choice.selectOption('TuneCore, relevé de ventes');
  await again.click();
  await expect(title(page)).toContainText('Non reconnu');
  await expect(page.getByText('Format non reconnu : associez ses colonnes.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Encodage des caractères' }).selectOption('Shift-JIS (japonais)');
  await again.click();
  // The preset is found again; the file's current encoding is shown and can be reset.
  await expect(title(page)).toContainText('À valider');
  await expect(fact(page, 'Encodage indiqué')).toHaveText('Shift-JIS (japonais)');
  await expect(page.getByRole('group', { name: 'Lignes du fichier' })).not.toContainText('Été');
  await page.getByRole('button', { name: 'Changer le modèle, les feuilles ou l’encodage' }).click();
  await page.getByRole('combobox', { name: 'Encodage des caractères' }).selectOption('Détection automatique');
  await again.click();
  await expect(fact(page, 'Encodage indiqué')).toHaveCount(0);
  await expect(title(page)).toContainText('À valider');
  await expect(page.getByRole('group', { name: 'Lignes du fichier' })).toContainText(`Été ${mark}`);
  await expectNoAxeViolations(page);

  // A checked statement must be unchecked first.
  await api.call(routes.editStatement, {
    params: { id },
    body: { accountingMonth: null, declaredAmount: null, declaredCurrency: null },
  });
  await api.checkStatement(id);
  await open(page, id);
  await expect(page.getByText('annulez d’abord la validation pour relancer la lecture')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Associer les colonnes' })).toBeHidden();
});

test('period and currency above the header are read from each file', async ({ page, api }) => {
  const mark = someMark();
  const source = `Radio ${mark}`;
  const file = (currency: string, start: string, end: string) =>
    `Statement ${mark}\nPayment currency,${currency}\nFrom,${start}\nTo,${end}\nTerritory,AU\n\nISRC,Song,Amount\n${isrc},Titre,150\n`;
  const first = await sendStatement(api, `radio-aud-${mark}.csv`, file('AUD', '2026-02-27', '2026-03-28'));
  await open(page, first);
  await expect(title(page)).toContainText('Non reconnu');
  await page.getByRole('link', { name: 'Associer les colonnes' }).click();
  await expect(page.getByRole('textbox', { name: 'Ligne d’en-tête' })).toHaveValue('7');
  const above = (field: string) => page.getByRole('combobox', { name: `${field}, avant l’en-tête` });
  await above('Devise').selectOption({ label: 'Payment currency : AUD' });
  await above('Fin de la période').selectOption({ label: 'To : 2026-03-28' });
  await expect(page.getByRole('combobox', { name: 'Devise du fichier' })).toBeHidden();
  await nameMapping(page, source);
  // A period's end alone is not enough.
  await pickMonth(page, 'Mois du fichier', '03/2026');
  await saveMapping(page);
  await expect(above('Fin de la période')).toBeFocused();
  await expect(page.getByText('va avec son début').first()).toBeVisible();
  await above('Date ou mois').selectOption({ label: 'From : 2026-02-27' });
  await expect(page.getByText('Mois lu : mars 2026.')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Format des dates' })).toHaveValue('YYYY-MM-DD');
  await above('Pays').selectOption({ label: 'Territory : AU' });
  await expect(page.getByText('1 ligne lue, 150,00 $AU')).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  await saveMapping(page);
  await expect(title(page)).toContainText('À valider');
  const read = async (id: number) => (await api.call(routes.getStoreStatement, { params: { id } })).data;
  expect(await read(first)).toMatchObject({
    months: [{ month: monthToMs('2026-03'), currency: 'AUD', amount: '150' }],
    choices: { currency: null },
    accountingMonth: null,
  });
  // The next file contains the values: nothing is asked, nothing is remembered.
  const second = await sendStatement(api, `radio-jpy-${mark}.csv`, file('JPY', '2026-03-29', '2026-05-02'));
  expect(await read(second)).toMatchObject({
    status: 'loaded',
    source,
    months: [{ month: monthToMs('2026-04'), currency: 'JPY', amount: '150' }],
  });
  await removePresets(api, source);
});

test('a missing currency is asked for, with the last one first but not preselected', async ({ page, api }) => {
  const mark = someMark();
  const source = `Boutique ${mark}`;
  const file = (month: string) => `ISRC;Mois;Montant;Rayon ${mark}\n${isrc};${month};8,5;Disques\n`;
  const first = await sendStatement(api, `boutique-1-${mark}.csv`, file('2026-01'));
  // With the keyboard only.
  await open(page, first);
  await page.getByRole('link', { name: 'Associer les colonnes' }).press('Enter');
  await expect(page.getByText('Pour ce fichier seulement : elle sera demandée pour chaque fichier.')).toBeVisible();
  const header = page.getByRole('textbox', { name: 'Ligne d’en-tête' });
  await expect(header).toHaveValue('1');
  await header.focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('checkbox', { name: 'Le fichier n’a pas d’en-tête' })).toBeFocused();
  // The table scrolls within the page, and is a tab stop.
  await page.keyboard.press('Tab');
  await expect(page.getByRole('group', { name: 'Premières lignes du fichier' })).toBeFocused();
  // The choices above its four columns come before the lines.
  await page.keyboard.press('Tab');
  await expect(page.getByRole('combobox', { name: 'ISRC, correspond à' })).toBeFocused();
  for (let column = 1; column <= 4; column++) await page.keyboard.press('Tab');
  await expect(page.getByRole('radio', { name: 'Ligne 1' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(header).toHaveValue('2');
  await page.keyboard.press('ArrowUp');
  await expect(header).toHaveValue('1');
  const type = async (name: string, text: string) => {
    await page
      .getByRole('textbox', { name, exact: true })
      .or(page.getByRole('combobox', { name, exact: true }))
      .focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(text);
  };
  await type('Source', source);
  await type('Nom du modèle', `${source}, mensuel`);
  await type('Devise du fichier', 'chf');
  await page.keyboard.press('Escape');
  await type('Séparateur décimal', 'La virgule');
  await page.getByRole('button', { name: 'Enregistrer le modèle et lire le relevé' }).focus();
  await page.keyboard.press('Enter');
  await expect(title(page)).toContainText('À valider');
  await expect(fact(page, 'Devise indiquée')).toHaveText('CHF');

  const second = await sendStatement(api, `boutique-2-${mark}.csv`, file('2026-02'));
  await open(page, second);
  await expect(title(page)).toContainText('À préciser');
  await expect(page.getByText('Ce fichier n’indique pas sa devise')).toBeVisible();
  const currency = page.getByRole('combobox', { name: 'Devise du fichier' });
  await expect(currency).toHaveValue('');
  await page.getByRole('button', { name: 'Lire avec ce modèle' }).click();
  await expect(page.getByText('Indiquez la devise de ce fichier', { exact: true })).toBeVisible();
  await currency.focus();
  await page.keyboard.press('ArrowDown');
  const offered = page.getByRole('option').first();
  await expect(offered).toHaveText('CHF utilisée la dernière fois');
  await expectNoAxeViolations(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(currency).toHaveValue('CHF');
  await page.keyboard.press('Enter');
  await expect(title(page)).toContainText('À valider');
  await removePresets(api, source);
});

test('a workbook is read sheet by sheet behind its cover, and lines name their sheet', async ({ page, api }) => {
  const mark = someMark();
  const source = `Studio ${mark}`;
  const header = ['ISRC', 'Month', 'Track title', 'Amount', `Ref ${mark}`];
  const row = (month: string, amount: number | string) => [isrc, month, `Titre ${mark}`, amount, 'x'];
  const id = await sendStatement(
    api,
    `classeur-${mark}.xlsx`,
    workbookOfSheets({
      Couverture: [['Relevé annuel'], ['Préparé par', 'Studio']],
      Ventes: [header, row('2026-01', 10.5), row('2026-02', 2)],
      Locations: [header, row('2026-02', 4), row('2026-02', 0.25)],
      Notes: [['Lisez-moi', 'Rien à lire']],
    }),
  );
  await open(page, id, '/mapping');
  await page.getByRole('combobox', { name: 'Feuille à associer' }).selectOption('Ventes');
  await expect(page.getByRole('textbox', { name: 'Ligne d’en-tête' })).toHaveValue('1');
  await expect(page.getByRole('combobox', { name: 'Amount, correspond à' })).toHaveValue('amount');
  await nameMapping(page, source);
  await page.getByRole('combobox', { name: 'Séparateur décimal' }).selectOption('.');
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  await expectNoAxeViolations(page);
  await saveMapping(page);
  await expect(title(page)).toContainText('À valider');
  await expect(fact(page, 'Feuilles lues')).toHaveText('Ventes et Locations');
  const left = page.getByRole('group', { name: 'Non lus' });
  await expect(left.getByRole('row')).toHaveCount(3);
  await expect(left).toContainText('Couverture');
  await expect(months(page).getByRole('row').filter({ hasText: 'Total' })).toContainText('16,75 €');

  // A line of the third sheet is searched by its number within the sheet, which is in the URL.
  const lines = page.getByRole('group', { name: 'Lignes du fichier' });
  await page.getByRole('textbox', { name: 'Feuille', exact: true }).fill('3');
  await page.getByRole('textbox', { name: 'À partir de la ligne' }).fill('2');
  await page.getByRole('button', { name: 'Afficher' }).click();
  await expect(lines.getByRole('row').nth(1)).toContainText('Feuille 3, ligne 2');
  await open(page, id, '?line=20000000003');
  await expect(lines.locator('tr[aria-current]')).toContainText('Feuille 3, ligne 3');
  await expect(lines.locator('tr[aria-current]')).toContainText('0.25');

  // One sheet is deselected.
  await open(page, id);
  await page.getByRole('button', { name: 'Choisir les feuilles' }).click();
  const sheet = (name: string) => page.getByRole('checkbox', { name });
  for (const name of ['Couverture', 'Ventes', 'Locations', 'Notes']) await sheet(name).uncheck();
  await page.getByRole('button', { name: 'Relancer la lecture' }).click();
  await expect(page.getByText('Choisissez au moins une feuille')).toBeVisible();
  await sheet('Locations').check();
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  await page.getByRole('button', { name: 'Relancer la lecture' }).click();
  await expect(fact(page, 'Feuilles lues')).toHaveText('Locations');
  await expect(left.getByRole('row').filter({ hasText: 'Ventes' })).toContainText('Feuille non choisie');
  await expect(months(page).getByRole('row').nth(1)).toContainText('4,25 €');
  await removePresets(api, source);

  // A sheet's refusal names the sheet.
  const refused = await sendStatement(
    api,
    `refuse-${mark}.xlsx`,
    workbookOfSheets({
      Un: [header, row('2026-01', 1)],
      Deux: [header, row('2026-01', 1), row('2026-01', 'douze')],
    }),
  );
  await open(page, refused, '/mapping');
  await nameMapping(page, source);
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  await saveMapping(page);
  await expect(page.getByRole('alert').filter({ hasText: 'Feuille 2, ligne 3' })).toContainText('« douze »');
  await page.goto('/reporting/statements');
  await expect(page.getByRole('row').filter({ hasText: `refuse-${mark}` })).toContainText('Feuille 2, ligne 3');
  await removePresets(api, source);
});

test('an archive becomes one statement per matching file; the others are listed and can be read', async ({
  page,
  api,
}) => {
  const mark = someMark();
  const rows = (amount: string) => [{ isrc, month: '2026-01', amount, title: mark }];
  const id = await sendStatement(
    api,
    `archive-${mark}.zip`,
    zipOf({
      [`mars-${mark}.tsv`]: distrokidFile(rows('1.5')),
      [`avril-${mark}.tsv`]: distrokidFile(rows('2.5')),
      [`synthese-${mark}.csv`]: `Boutique;Total ${mark}\nDeezer;4\n`,
      'LISEZ-MOI.txt': 'Deux relevés et une synthèse.',
      'logo.png': 'PNG',
    }),
  );
  await page.goto('/reporting/statements');
  const listed = page.getByRole('row').filter({ hasText: `archive-${mark}` });
  await expect(listed).toContainText('Archive ouverte');
  await expect(listed).toContainText('2 relevés');
  await listed.getByRole('link').first().click();
  const members = page.getByRole('group', { name: 'Relevés de cette archive' });
  await expect(members.getByRole('row').filter({ hasText: `avril-${mark}` })).toContainText('À valider');
  const left = page.getByRole('group', { name: 'Non lus' });
  await expect(left.getByRole('row').filter({ hasText: 'logo.png' })).toContainText('Ce n’est pas un tableau');
  await expect(left.getByRole('row').filter({ hasText: 'LISEZ-MOI' }).getByRole('button')).toHaveCount(0);
  await expectNoAxeViolationsInBoth(page);
  await left.getByRole('button', { name: `Lire quand même synthese-${mark}.csv` }).click();
  await expect(successStatus(page, 'Le fichier est lu')).toBeVisible();
  await waitUntilRead(api, id);
  await expect(members.getByRole('row').filter({ hasText: `synthese-${mark}` })).toContainText('Non reconnu');
  await expect(left.getByRole('row').filter({ hasText: `synthese-${mark}` })).toHaveCount(0);
  await members.getByRole('link', { name: `mars-${mark}.tsv` }).click();
  await expect(fact(page, 'Archive')).toHaveText(`archive-${mark}.zip`);
  await expect(months(page).getByRole('row').nth(1)).toContainText('1,50');
});

test('a header far down is chosen among the first 200 lines', async ({ page, api }) => {
  const mark = someMark();
  const source = `Notes ${mark}`;
  const notes = Array.from({ length: 149 }, (_, index) => `Remarque ${index + 1},${mark},,`).join('\n');
  const id = await sendStatement(
    api,
    `loin-${mark}.csv`,
    `${notes}\nISRC,Month,Amount,Kept ${mark}\n${isrc},2026-01,3.5,x\n`,
  );
  await open(page, id, '/mapping');
  const header = page.getByRole('textbox', { name: 'Ligne d’en-tête' });
  await header.fill('201');
  await expect(page.getByText('Aucune ligne ne commence à ce numéro')).toBeVisible();
  await header.fill('150');
  await expect(page.getByRole('radio', { name: 'Ligne 150' })).toBeChecked();
  await expect(page.getByRole('radio', { name: 'Ligne 150' })).toBeInViewport();
  await expect(page.getByRole('combobox', { name: 'Amount, correspond à' })).toHaveValue('amount');
  await expectNoAxeViolations(page);
  await nameMapping(page, source);
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  await saveMapping(page);
  await expect(title(page)).toContainText('À valider');
  await expect(months(page).getByRole('row').nth(1)).toContainText('3,50 €');
  await removePresets(api, source);
});

test('ambiguous values of a file are quoted, and its last amount is shown when it may be truncated', async ({
  page,
  api,
}) => {
  const mark = someMark();
  const id = await sendStatement(
    api,
    `apple-${mark}.txt`,
    [
      'Start Date\t01/02/2026',
      'End Date\t28/02/2026',
      'Currency\teuro',
      'Storefront Name\tApple Identifier\tQuantity\tISRC\tItem Title\tItem Artist\tMedia Type\tVendor Identifier\tNet Royalty Total',
      `FR\t1\t2\t${isrc}\t${mark}\tA\t1\tV\t12.345`,
    ].join('\n'),
  );
  await open(page, id);
  await expect(page.getByText('pas claire (« 01/02/2026 – 28/02/2026 ») : indiquez son mois.')).toBeVisible();
  await expect(page.getByText('pas claire (« euro ») : indiquez-la.')).toBeVisible();
  const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Lire avec ce modèle' }) });
  await pickMonth(form, 'Mois du fichier', '02/2026');
  await form.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  await form.getByRole('button', { name: 'Lire avec ce modèle' }).click();
  await expect(title(page)).toContainText('À valider');
  await expect(months(page).getByRole('row').nth(1)).toContainText('févr. 2026');
  const notice = page.getByRole('listitem').filter({ hasText: 'La dernière ligne n’a pas de fin de ligne' });
  await expect(notice).toHaveCount(1);
  await page.getByRole('button', { name: 'Valider le relevé' }).click();
  await expect(
    page.getByRole('dialog', { name: 'Valider le relevé' }).getByText('vérifiez que le fichier est entier'),
  ).toBeVisible();
  await expectNoAxeViolations(page);
  await api.call(routes.deleteStatement, { params: { id } });
});

test('a file with only a header shows that it has no line, and cannot be checked', async ({ page, api }) => {
  const mark = someMark();
  const id = await sendStatement(api, `entete-${mark}.tsv`, distrokidFile([]));
  await open(page, id);
  await expect(page.getByRole('alert').filter({ hasText: 'aucune ligne de revenu' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Valider le relevé' })).toBeDisabled();
  await expect(page.getByRole('heading', { name: 'Relancer la lecture du fichier' })).toBeVisible();
  await expect(page.getByText('Toutes les lignes du fichier sont prises en compte')).toBeHidden();
  await expectNoAxeViolations(page);
  const { version } = (await api.call(routes.getStoreStatement, { params: { id } })).data;
  expect((await api.attempt(routes.checkStatement, { params: { id }, body: { version } })).status()).toBe(409);
  await api.call(routes.deleteStatement, { params: { id } });
});
