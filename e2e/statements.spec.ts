import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '@regie/contract/routes.ts';
import { statementChunkBytes } from '@regie/contract/statements.ts';
import { confirm, journalOf, successStatus } from './support/payees.ts';
import { expectReady, fact } from './support/screens.ts';
import { chooseFiles, distrokidFile, sendStatement } from './support/statements.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

test('files are uploaded, read, mapped without a preset, compared, checked, corrected and removed', async ({
  page,
  api,
}) => {
  test.setTimeout(240_000);
  const mark = crypto.randomUUID().slice(0, 8);
  const isrc = `FRE2E${String(Math.floor(Math.random() * 10_000_000)).padStart(7, '0')}`;
  const store = `Chez ${mark}`;
  const known = {
    name: `distrokid-${mark}.tsv`,
    content: distrokidFile([
      { isrc, month: '2026-03', amount: '12.5' },
      { isrc, month: '2026-03', amount: '0.0000000001', store: 'Spotify' },
    ]),
  };
  const unknown = {
    name: `inconnu-${mark}.csv`,
    content: `Relevé de ${mark}\n\nCode piste ${mark};Mois;Gain;Boutique\n${isrc};2026-03;1.234,50;${store}\n${isrc};2026-03;0,25;${store}\n`,
  };

  // Two at once; both are read meanwhile.
  await page.goto('/reporting/statements');
  await expectReady(page);
  const drop = page.getByRole('button', { name: 'Déposer des relevés : Choisir des fichiers' });
  await chooseFiles(page, drop, [known, unknown]);
  await expect(successStatus(page, '2 envois ont commencé')).toBeVisible();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await expect(row(known.name)).toContainText('À valider');
  await expect(row(known.name)).toContainText('Modèle vérifié');
  await expect(row(unknown.name)).toContainText('Non reconnu');
  await page.getByRole('button', { name: 'Travaux terminés' }).click();
  const tray = page.getByRole('dialog');
  await expect(tray.getByRole('listitem').filter({ hasText: known.name })).toContainText(
    'À valider Contrôlez-le, puis validez-le',
  );
  await expect(tray.getByRole('listitem').filter({ hasText: unknown.name })).toContainText('Non reconnu');
  await page.keyboard.press('Escape');

  // The same bytes under another name are refused with the first one's name; an empty file is not sent. They are dropped
  // beside the button.
  const dropped = { [`encore-${mark}.tsv`]: known.content, 'vide.csv': '' };
  const dataTransfer = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const [name, content] of Object.entries(files)) transfer.items.add(new File([content], name));
    return transfer;
  }, dropped);
  for (const event of ['dragover', 'drop']) await page.getByRole('searchbox').dispatchEvent(event, { dataTransfer });
  await expect(page.getByRole('alert').filter({ hasText: 'vide.csv' })).toContainText('Ce fichier est vide');
  await page.getByRole('button', { name: 'Travaux terminés' }).click();
  await expect(tray.getByRole('listitem').filter({ hasText: `encore-${mark}` })).toContainText(
    `Ce fichier a déjà été déposé : « ${known.name} »`,
  );
  // The keyboard goes on to the next entry.
  await tray.getByRole('button', { name: /^Retirer de la liste : .*encore/ }).press('Enter');
  await expect(tray.getByRole('listitem').filter({ hasText: 'encore' })).toHaveCount(0);
  await expect(tray.getByRole('button', { name: /^Retirer de la liste/ }).last()).toBeFocused();
  await page.keyboard.press('Escape');

  // A file without a preset is mapped with its first rows.
  await page
    .getByRole('searchbox')
    .or(page.getByPlaceholder('Chercher un fichier, une source'))
    .first()
    .fill(unknown.name);
  await expect(row(known.name)).toBeHidden();
  await row(unknown.name).getByRole('link', { name: unknown.name }).click();
  await expect(page.getByRole('table', { name: '' }).last()).toContainText(`Code piste ${mark}`);
  await page.getByRole('link', { name: 'Associer les colonnes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: unknown.name })).toBeVisible();
  await expectNoAxeViolations(page);
  await expect(page.getByRole('textbox', { name: 'Ligne d’en-tête' })).toHaveValue('3');
  await expect(page.getByRole('combobox', { name: `Code piste ${mark}, correspond à` })).toHaveValue('isrc');
  await expect(page.getByRole('combobox', { name: 'Gain, correspond à' })).toHaveValue('amount');
  await page.getByRole('combobox', { name: 'Séparateur décimal' }).selectOption(',');
  await expect(page.getByRole('group', { name: 'Premières lignes' }).getByRole('row').nth(4)).toContainText('1 234,5');
  await page.getByRole('button', { name: 'Enregistrer le modèle et lire le relevé' }).click();
  await expect(page.locator('[aria-invalid="true"]').first()).toBeFocused();
  await page.getByRole('textbox', { name: 'Source', exact: true }).fill(store);
  await page.getByRole('textbox', { name: 'Nom du modèle' }).fill(`${store}, mensuel`);
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('eur');
  await page.getByRole('button', { name: 'Enregistrer le modèle et lire le relevé' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `${store} · mars 2026` })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('À valider');
  await page.getByRole('button', { name: 'Travaux terminés' }).click();
  await expect(tray.getByRole('listitem').filter({ hasText: known.name }).first()).toBeVisible();
  await expect(tray).not.toContainText(unknown.name);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('group', { name: 'Mois et devises' }).getByRole('row').nth(1)).toContainText(
    '1 234,75 €',
  );
  await expect(page.getByRole('group', { name: 'Lignes du fichier' })).toContainText(`Relevé de ${mark}`);
  await expectNoAxeViolations(page);
  // Its lines, and those of the month it would be posted to, are a file.
  const lines = async (format: string) => {
    await page.getByRole('button', { name: 'Autres actions' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: `Télécharger les lignes (${format})` }).click();
    const file = await downloading;
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
  };
  const csv = await lines('CSV');
  expect(csv.name).toBe(`lignes-${unknown.name}`);
  expect(String(csv.bytes)).toContain(';EUR;');
  expect(String((await lines('Parquet')).bytes.subarray(0, 4))).toBe('PAR1');
  const shown = page.url();
  await page.goto('/reporting/months/2026-03');
  expect((await lines('CSV')).name).toBe('lignes-2026-03.csv');
  await page.goto(shown);
  // On a phone the amounts of a month are below each other, none is cut.
  const desktop = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const hidden = () =>
    page.getByRole('group', { name: 'Mois et devises' }).evaluate((part) => part.scrollWidth - part.clientWidth);
  await expect.poll(hidden).toBe(0);
  if (desktop) await page.setViewportSize(desktop);

  // The preset is stored: the next file only requires the currency.
  const next = await sendStatement(api, `suivant-${mark}.csv`, unknown.content.replaceAll('2026-03', '2026-04'));
  await page.goto(`/reporting/statements/${next}`);
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('eur');
  await page.getByRole('button', { name: 'Lire avec ce modèle' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('À valider');
  await expect(fact(page, 'Modèle')).toContainText(`${store}, mensuel`);
  // Its content equals the previous month's.
  await expect(page.getByRole('heading', { name: 'Écarts : avr. 2026 par rapport à mars 2026' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText('Aucun écart.');

  // The declared amount differs by less than a cent: the difference is shown, and explained.
  await page.goto('/reporting/statements');
  await row(known.name).getByRole('link', { name: known.name }).click();
  await expect(page.getByText('Aucun montant déclaré')).toBeVisible();
  await page.getByRole('textbox', { name: 'Montant déclaré ou reçu' }).fill('12,50');
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(successStatus(page, 'Le relevé est enregistré')).toBeVisible();
  await expect(page.getByRole('main').getByText('0,0000000001 $US d’écart')).toBeVisible();
  await page.getByRole('button', { name: 'Valider le relevé' }).click();
  const checking = page.getByRole('dialog', { name: 'Valider le relevé' });
  await checking.getByRole('button', { name: 'Valider le relevé' }).click();
  await expect(checking.getByText('expliquez l’écart').first()).toBeVisible();
  await checking.getByRole('textbox', { name: 'Explication de l’écart' }).fill('Arrondi de la banque');
  await expectNoAxeViolations(page);
  await checking.getByRole('button', { name: 'Valider le relevé' }).click();
  await expect(checking).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Non attribués');
  await expect(fact(page, 'Note de validation')).toHaveText('Arrondi de la banque');
  const id = Number(page.url().split('/').at(-1));
  expect(await journalOf(api, 'statement', id)).toContain('statement.check');
  await page.getByRole('button', { name: 'Annuler la validation' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('À valider');

  // A corrected file replaces it after a confirmation.
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Autres actions' }).click();
  await page.getByRole('menuitem', { name: 'Envoyer une version corrigée' }).click();
  await (await chooser).setFiles({
    name: `corrige-${mark}.tsv`,
    mimeType: 'text/csv',
    buffer: Buffer.from(known.content.replace('12.5', '13.75')),
  });
  await expect(page.getByText('Une version corrigée a été déposée')).toBeVisible();
  await page
    .getByRole('main')
    .getByRole('link', { name: `corrige-${mark}.tsv` })
    .click();
  await page.getByRole('button', { name: 'Remplacer l’ancien relevé' }).click();
  const asked = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(asked).toContainText('Rien n’en avait été comptabilisé');
  await expect(asked).toContainText(known.name);
  await confirm(page, 'Remplacer l’ancien relevé');
  await expect(successStatus(page, 'Le relevé corrigé remplace le précédent')).toBeVisible();
  await page.goto(`/reporting/statements/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Remplacé');

  // A removed statement can be sent again.
  await page.goto(`/reporting/statements/${next}`);
  await page.getByRole('button', { name: 'Autres actions' }).click();
  await page.getByRole('menuitem', { name: 'Retirer le relevé' }).click();
  await expect(asked).toContainText('1 234,75 €');
  await confirm(page, 'Retirer le relevé');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Retiré');
  expect(await sendStatement(api, `suivant-${mark}.csv`, unknown.content.replaceAll('2026-03', '2026-04'))).not.toBe(
    next,
  );
  // This preset is for this test only.
  await page.goto('/reporting/statements');
  await page.getByRole('button', { name: 'Modèles', exact: true }).click();
  const presets = page.getByRole('dialog', { name: 'Modèles de relevés' });
  await expect(presets.getByRole('row').filter({ hasText: 'DistroKid' }).first()).toContainText('Modèle vérifié');
  await expect(presets.getByText('Modèle non vérifié').first()).toBeVisible();
  await expectNoAxeViolations(page);
  await presets.getByRole('button', { name: `Supprimer le modèle ${store}, mensuel` }).click();
  await confirm(page, 'Supprimer le modèle');
  await expect(presets.getByRole('row').filter({ hasText: 'DistroKid' }).first()).toBeVisible();
  await expect(presets.getByText(store).first()).toBeHidden();
});

test('a file without a header is read by the positions of its columns', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const isrc = 'FRE2E0000003';
  const file = (amount: string) =>
    `${[amount, '0,25'].map((one) => `S;2026-02;${isrc};Titre ${mark};${one}`).join('\n')}\n`;
  const first = await sendStatement(api, `sans-entete-${mark}.csv`, file('1,5'));
  await page.goto(`/reporting/statements/${first}/mapping`);
  await page.getByRole('checkbox', { name: 'Le fichier n’a pas d’en-tête' }).check();
  const meaning = (position: number) => page.getByRole('combobox', { name: `Colonne ${position}, correspond à` });
  await meaning(2).selectOption('month');
  await meaning(3).selectOption('isrc');
  await meaning(4).selectOption('title');
  await meaning(5).selectOption('amount');
  await page.getByRole('combobox', { name: 'Séparateur décimal' }).selectOption(',');
  await page.getByRole('textbox', { name: 'Source', exact: true }).fill(`Licences ${mark}`);
  await page.getByRole('textbox', { name: 'Nom du modèle' }).fill(`Licences ${mark}, trimestriel`);
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  await expect(page.getByRole('group', { name: 'Premières lignes' }).getByRole('row').nth(1)).toContainText('1,5');
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Enregistrer le modèle et lire le relevé' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Licences ${mark}` })).toContainText('À valider');
  // The next one requires a confirmation, because positions are weak evidence.
  const second = await sendStatement(api, `sans-entete-2-${mark}.csv`, file('2,5'));
  await page.goto(`/reporting/statements/${second}`);
  await expect(page.getByRole('radio', { name: `Licences ${mark}, trimestriel` })).toBeChecked();
  await page.getByRole('combobox', { name: 'Devise du fichier' }).fill('EUR');
  await page.getByRole('button', { name: 'Lire avec ce modèle' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('À valider');
  // This preset is for this test only.
  const presets = (await api.call(routes.listPresets)).data;
  const own = presets.find(({ source }) => source === `Licences ${mark}`);
  await api.call(routes.deletePreset, { params: { id: own?.id ?? 0 } });
});

test('two currencies of Apple Music and the summary of their month are dropped at once, and compared', async ({
  page,
  api,
}) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const music = (currency: string, amounts: readonly string[]) => ({
    name: `S1-${mark}-${currency}.txt`,
    content: [
      'Start Date\t05/01/2022\nEnd Date\t05/28/2022\nReport Type\tApple Music',
      `Currency\t${currency}`,
      'Storefront Name\tApple Identifier\tQuantity\tNet Royalty Total\tISRC\tItem Title\tItem Artist\tMedia Type\tVendor Identifier',
      ...amounts.map((amount) => `FR\t1\t1\t${amount}\tFRE2E0000004\tTitre ${mark}\tArtiste\tStream\tV`),
      `Row Count\t${amounts.length}\n`,
    ].join('\n'),
  });
  const usd = music('USD', ['60.001', '40.25']);
  const eur = music('EUR', ['12.5']);
  const summary = {
    name: `financial_report-${mark}.csv`,
    content: [
      '"iTunes Connect - Payments and Financial Reports\t(May, 2022)",,,,,,,,,,,,',
      '"Country or Region (Currency)","Units Sold","Earned","Pre-Tax Subtotal","Input Tax","Adjustments","Withholding Tax","Total Owed","Exchange Rate","Proceeds","Bank Account Currency",,',
      '"United States (USD)","2","100.25","100.25","0","0","-30.08","70.17","0.9335","65.50","EUR",,',
      '"Euro-Zone (EUR)","1","13.00","13.00","0","0","0","13.00","1.00000","13.00","EUR",,',
      `"Canada (CAD)","1","0.40","0.40","0","0","0","0.40","","","EUR",,`,
      '"","","","","","","","","","78.50 EUR","",,',
      `"Paid to BANQUE ${mark}",,,,,,,,,,,,`,
    ].join('\r\n'),
  };
  await page.goto('/reporting/statements');
  await expectReady(page);
  const drop = page.getByRole('button', { name: 'Déposer des relevés : Choisir des fichiers' });
  await chooseFiles(page, drop, [usd, summary, eur]);
  await expect(successStatus(page, '3 envois ont commencé')).toBeVisible();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await expect(row(usd.name)).toContainText('À valider');
  await expect(row(eur.name)).toContainText('À valider');
  await expect(row(summary.name)).toContainText('Récapitulatif');
  await expect(row(summary.name)).toContainText('mai 2022');

  // A summary read with a wrong preset, or for a wrong month, is read again.
  await row(summary.name).getByRole('link', { name: summary.name }).click();
  await page.getByRole('button', { name: 'Changer le modèle, les feuilles ou l’encodage' }).click();
  await expect(page.getByRole('combobox', { name: 'Modèle à essayer' })).toHaveValue('apple-summary');
  await page.getByRole('button', { name: 'Relancer la lecture' }).click();
  await expect(successStatus(page, 'La lecture reprend')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Montants déclarés' })).toBeVisible();
  await page.goBack();

  // Apple rounds to the cent: the resulting difference is shown, and needs no explanation.
  await row(usd.name).getByRole('link', { name: usd.name }).click();
  const checks = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Récapitulatif, mai 2022' });
  await expect(checks).toContainText('100,251 $US, est le montant déclaré aux arrondis près (0,001 $US)');
  await expect(checks).toContainText('Dû : 70,17 $US. Versé : 65,50 € (1 USD = 0,9335 €).');
  await page.goBack();

  // A difference is explained before the statement is checked.
  await row(eur.name).getByRole('link', { name: eur.name }).click();
  await expect(checks).toContainText(
    'la somme des lignes est 12,50 €, −0,50 € d’écart avec le montant déclaré, 13,00 €',
  );
  await expect(checks).toContainText('1 relevé additionné');
  await page.getByRole('button', { name: 'Valider le relevé' }).click();
  const checking = page.getByRole('dialog', { name: 'Valider le relevé' });
  await checking.getByRole('button', { name: 'Valider le relevé' }).click();
  await expect(checking.getByText('expliquez l’écart').first()).toBeVisible();
  await checking.getByRole('textbox', { name: 'Explication de l’écart' }).fill('Régularisation d’Apple');
  await expectNoAxeViolations(page);
  await checking.getByRole('button', { name: 'Valider le relevé' }).click();
  await expect(checking).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Non attribués');

  const id = Number(page.url().split('/').at(-1));
  expect(await journalOf(api, 'statement', id)).toContain('statement.check');

  // The summary shows all its declared amounts, and links back.
  await checks.getByRole('link', { name: summary.name }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Récapitulatif');
  await expectReady(page);
  const declared = page.getByRole('group', { name: 'Montants déclarés' });
  await expect(declared.getByRole('row').filter({ hasText: 'EUR' })).toContainText('−0,50 €');
  await expect(declared.getByRole('row').filter({ hasText: 'Aucun relevé' })).toContainText('Reporté');
  await expect(declared.getByRole('row').filter({ hasText: usd.name })).toContainText('1 USD = 0,9335 €');
  await expect(page.getByRole('button', { name: 'Valider le relevé' })).toBeHidden();
  await expectNoAxeViolations(page);

  // Once removed, it is no longer compared.
  await page.getByRole('button', { name: 'Autres actions' }).click();
  await page.getByRole('menuitem', { name: 'Retirer le relevé' }).click();
  await expect(page.getByRole('dialog', { name: 'Vous êtes sure?' })).toContainText('ne seront plus comparés');
  await confirm(page, 'Retirer le relevé');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Retiré');
  await page.goto('/reporting/statements');
  await row(usd.name).getByRole('link', { name: usd.name }).click();
  await expect(page.getByText('Aucun montant déclaré')).toBeVisible();
});

test('a part of the frame that cannot be loaded is omitted, and the page works', async ({ page, api }) => {
  const line = { isrc: 'FRE2F0000009', month: '2024-02', amount: '1' };
  const name = `sans-suivi-${crypto.randomUUID().slice(0, 8)}.tsv`;
  await page.route('**/assets/work-tray*', (route) => route.fulfill({ status: 404 }));
  await page.goto('/reporting/statements');
  await expectReady(page);
  const drop = page.getByRole('button', { name: 'Déposer des relevés : Choisir des fichiers' });
  await chooseFiles(page, drop, [{ name, content: distrokidFile([line]) }]);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect
    .poll(async () => (await api.call(routes.listStatements, { query: { q: name } })).data.map(({ status }) => status))
    .toEqual(['loaded']);
  await expect(page.getByRole('main').getByText(name)).toBeVisible();
});

test('a file that is refused shows the line at fault', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const rows = [1, 2, 3].map((amount) => ({ isrc: 'FRE2E0000001', month: '2026-02', amount: `${amount}` }));
  const content = distrokidFile([...rows, { isrc: 'FRE2E0000001', month: '2026-02', amount: `douze ${mark}` }]);
  const id = await sendStatement(api, `refuse-${mark}.tsv`, content);
  await page.goto(`/reporting/statements/${id}`);
  await expect(page.getByRole('alert').filter({ hasText: 'Ligne 5' })).toContainText('n’est pas un montant');
  await expect(page.getByRole('button', { name: 'Déposer un fichier corrigé' })).toBeVisible();
  await expect(page.getByRole('group', { name: 'Lignes du fichier' }).getByRole('row').last()).toContainText(
    `douze ${mark}`,
  );
  await expectNoAxeViolations(page);
  const choice = page.getByRole('combobox', { name: 'Modèle à essayer' });
  await expect(choice.getByRole('option', { name: 'TuneCore, relevé de ventes' })).toBeAttached();
  await page.getByRole('button', { name: 'Relancer la lecture' }).click();
  await expect(successStatus(page, 'La lecture reprend')).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: 'Ligne 5' })).toBeVisible();
  // With another format's preset, the missing columns are shown.
  await choice.selectOption('TuneCore, relevé de ventes');
  await page.getByRole('button', { name: 'Relancer la lecture' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Non reconnu');
  await page.getByRole('link', { name: 'Associer les colonnes' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Ligne 5' })).toContainText('n’est pas un montant');
  await expectNoAxeViolations(page);
});

test('an upload is paused, resumed after a reload at the server’s offset, and completed', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const line = `FRE2E0000002 ${mark} `.repeat(40);
  const rows = Array.from({ length: 9000 }, (_, index) => ({
    isrc: 'FRE2E0000002',
    month: '2026-01',
    amount: `0.${index + 1}`,
    title: `${line}${index}`,
  }));
  const folder = await mkdtemp(join(tmpdir(), 'regie-statement-'));
  const path = join(folder, `long-${mark}.tsv`);
  await writeFile(path, distrokidFile(rows));
  const starts: string[] = [];
  let isHeld = true;
  await page.route('**/api/reporting/statements/uploads/*', async (route) => {
    const start = route.request().headers()['x-file-start'];
    if (start === undefined) return route.continue();
    starts.push(start);
    // The second chunk is held.
    if (isHeld && start !== '0') return;
    return route.continue();
  });
  await page.goto('/reporting/statements');
  await expectReady(page);
  const drop = page.getByRole('button', { name: 'Déposer des relevés : Choisir des fichiers' });
  const choose = async () => {
    const chooser = page.waitForEvent('filechooser');
    await drop.click();
    await (await chooser).setFiles(path);
  };
  await choose();
  await expect.poll(() => starts).toEqual(['0', String(statementChunkBytes)]);
  await page.getByRole('button', { name: 'Travaux en cours : 1' }).click();
  const item = page
    .getByRole('dialog')
    .getByRole('listitem')
    .filter({ hasText: `long-${mark}` });
  await item.getByRole('button', { name: /^Suspendre/ }).click();
  await expect(item).toContainText('Suspendu à');
  await expect(item.getByRole('button', { name: /^Reprendre/ })).toBeVisible();

  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await expectReady(page);
  isHeld = false;
  starts.length = 0;
  await choose();
  await expect(page.getByRole('row').filter({ hasText: `long-${mark}` })).toContainText('À valider', {
    timeout: 30_000,
  });
  expect(starts[0]).toBe(String(statementChunkBytes));
  const [found] = (await api.call(routes.listStatements, { query: { q: mark } })).data;
  expect(found?.rows).toBe(rows.length);
  await rm(folder, { recursive: true });
});
