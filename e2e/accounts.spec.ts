import { routes } from '@regie/contract/routes.ts';
import { formatMonthNumeric } from '@regie/values/formats.ts';
import { readPdf } from './support/payees.ts';
import { chooseFile, expectReady, fact, pickMonth, readDownload, readExport } from './support/screens.ts';
import { sidebarOf } from './support/sidebar.ts';
import { countClicks, expect, expectNoAxeViolations, expectNoAxeViolationsInBoth, test } from './support/test.ts';

const iban = 'FR7630006000011234567890189';

test('a new account gets payment details and a referral', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { data: other } = await api.call(routes.createProfile, {
    body: { fname: 'Filleule', lname: `Essai-${mark}`, country: 'France' },
  });

  await page.goto('/accounts/profiles');
  await expect(page.getByRole('list', { name: 'Légende des couleurs' })).toContainText('Label');
  await page.getByRole('link', { name: 'Nouveau compte' }).click();
  await page.getByRole('button', { name: 'Créer le compte' }).click();
  await expect(page.getByRole('textbox', { name: 'Prénom' })).toBeFocused();
  await page.getByRole('textbox', { name: 'Prénom' }).fill('Nadia');
  await page.getByRole('textbox', { name: 'Nom', exact: true }).fill(`Marraine-${mark}`);
  await page.getByRole('textbox', { name: 'E-mail' }).fill(`${mark}@clients.example`);
  await page.getByRole('combobox', { name: 'Pays' }).fill('Séné');
  await page.getByRole('option', { name: 'Sénégal' }).click();
  await page.getByRole('switch', { name: 'Label' }).check({ force: true });
  await page.getByRole('button', { name: 'Créer le compte' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Nadia Marraine-${mark}`);
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  await expectReady(page);
  await expectNoAxeViolations(page);

  await page.getByRole('link', { name: 'Coordonnées', exact: true }).click();
  await page.getByRole('button', { name: 'Ajouter un compte bancaire' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un compte bancaire' });
  await dialog.getByRole('combobox', { name: 'Pays de la banque' }).fill('France');
  await page.getByRole('option', { name: 'France', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Nom de la banque' }).fill('Banque du Port');
  await dialog.getByRole('textbox', { name: 'IBAN ou numéro de compte' }).fill('FR76 3000 6000 0112 3456 7890 188');
  await dialog.getByRole('textbox', { name: 'Code BIC (SWIFT)' }).fill('AGRIFRPP');
  await dialog.getByRole('textbox', { name: 'Adresse de la banque', exact: true }).fill('1, place du Marché');
  await dialog.getByRole('textbox', { name: 'Code postal de la banque' }).fill('13001');
  await dialog.getByRole('textbox', { name: 'Ville de la banque' }).fill('Marseille');
  await dialog.getByRole('textbox', { name: 'Adresse du titulaire', exact: true }).fill('3, rue Haute');
  await dialog.getByRole('textbox', { name: 'Code postal du titulaire' }).fill('10200');
  await dialog.getByRole('textbox', { name: 'Ville du titulaire' }).fill('Dakar');
  await dialog.getByRole('button', { name: 'Ajouter un compte bancaire' }).click();
  await expect(dialog.getByText('Cet IBAN n’est pas valide').last()).toBeVisible();
  await dialog.getByRole('textbox', { name: 'IBAN ou numéro de compte' }).fill(iban);
  await expectNoAxeViolations(page);
  await dialog.getByRole('button', { name: 'Ajouter un compte bancaire' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('link', { name: 'Banque du Port' }).click();
  await expect(page.getByRole('textbox', { name: 'IBAN ou numéro de compte' })).toHaveValue('••••0189');
  await page.getByRole('button', { name: 'Afficher en entier' }).click();
  await expect(page.getByText(/^FR76.3000/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Titulaire du compte' }).fill('Nadia M.');
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByText(/^Coordonnées modifiées récemment par/)).toBeVisible();
  await expect(page.getByText('0 signature sur 2')).toBeVisible();

  await page.goto(`/accounts/profiles/${id}`);
  await page.getByRole('button', { name: 'Ajouter un filleul' }).click();
  const referral = page.getByRole('dialog');
  await referral.getByRole('combobox', { name: 'Filleul' }).fill(`Essai-${mark}`);
  await page.getByRole('option', { name: `Essai-${mark}` }).click();
  await referral.getByRole('textbox', { name: /^Pourcentage/ }).fill('7,5');
  await referral.getByRole('button', { name: 'Ajouter un filleul' }).click();
  await page.getByRole('link', { name: 'Parrainages', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: `Essai-${mark}` });
  await expect(row).toContainText('7,5');
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await row.getByRole('button', { name: /^Supprimer le filleul/ }).click();
  const confirmation = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(confirmation).toContainText(`Essai-${mark}, filleul de Nadia Marraine-${mark}`);
  await expect(confirmation.getByRole('button', { name: 'Annuler' })).toBeFocused();
  await confirmation.getByRole('button', { name: 'Supprimer le parrainage' }).click();
  await expect(row).toHaveCount(0);
  expect((await api.call(routes.listReferrals, { params: { id } })).data).toEqual([]);
  expect(other.id).toBeGreaterThan(0);
});

test('an account shows the amount owed and its obstacles, and has a tab for each list', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Hugo', lname: `Tenu-${mark}`, country: 'France', state: 'HOLD', income: 320.5, reason: 'Reprise' },
  });
  const name = `Hugo Tenu-${mark}`;
  await page.goto(`/accounts/profiles/${account.id}`);
  await expect(fact(page, 'Solde')).toHaveText('320,50\u00a0€');
  await expect(fact(page, 'Payable maintenant')).toHaveText('0,00\u00a0€Compte desactive. Modifier la fiche');
  const request = page.getByRole('button', { name: 'Demander un versement' });
  await expect(request).toBeDisabled();
  await expect(request).toHaveAccessibleDescription('Compte desactive');
  const alerts = page.getByRole('main').getByRole('listitem');
  await expect(alerts).toHaveText([
    /^Compte bloqué.*Modifier la fiche$/,
    /^Aucune coordonnée.*Ajouter des coordonnées$/,
    /^Sans adresse e-mail.*Modifier la fiche$/,
  ]);
  await expect(page.getByRole('group', { name: 'Derniers mouvements' })).toContainText('Reprise');

  const tabs = page.getByRole('navigation', { name: 'Rubriques du compte' });
  const crumbs = page.getByRole('navigation', { name: 'Fil d’Ariane' }).getByRole('listitem');
  const path = `/accounts/${account.id}`;
  for (const [tab, address] of [
    ['Relevé', `${path}/statement`],
    ['Sorties', `${path}/releases`],
    ['Coordonnées', `${path}/billings`],
    ['Factures', `${path}/invoices`],
    ['Contrats et tickets', `${path}/contracts`],
    ['Parrainages', `${path}/referrals`],
    ['Journal', `${path}/journal`],
    ['Fiche', `/accounts/profiles/${account.id}/edit`],
  ] as const) {
    await tabs.getByRole('link', { name: tab, exact: true }).press('Enter');
    await expect(page).toHaveURL(address);
    await expect(tabs.locator('[aria-current]')).toHaveText([tab]);
    await expect(crumbs).toHaveText([/^Comptes clients/, new RegExp(`^${name}`), tab]);
    await expect(page).toHaveTitle(`${tab} · ${name} · Régie`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
    await expectReady(page);
  }
  await page.getByRole('combobox', { name: 'État' }).click();
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText([
    /^Actif.*Activer$/,
    /^Désactivé.*Désactiver$/,
    /^Bloqué.*Bloquer$/,
  ]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('combobox', { name: 'État' })).toHaveValue('Bloqué');
  await page.setViewportSize({ width: 390, height: 844 });
  const called: string[] = [];
  page.on('request', (one) => called.push(new URL(one.url()).pathname));
  await page.reload();
  await expect(tabs.getByRole('link', { name: 'Fiche', exact: true })).toBeInViewport();
  await test.step('on a phone nothing is at the foot while nothing can be requested', async () => {
    await expectReady(page);
    expect(called).toContain(`/api/profile/${account.id}/payable`);
    expect(called).not.toContain(`/api/profile/${account.id}/figures`);
    await page.mouse.wheel(0, 600);
    // Nothing can be requested.
    await expect(request).toBeHidden();
    const others = page.getByRole('button', { name: 'Autres actions du compte' });
    await expect(others).not.toBeInViewport();
    await others.click();
    await expect(page.getByRole('menuitem', { name: 'Exporter les données personnelles' })).toBeVisible();
    await expectNoAxeViolations(page);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Ajouter un filleul' })).toBeVisible();
    // In a new tab too, the form has the account.
    await page.goto((await page.getByRole('link', { name: 'Ajouter un revenu vidéo' }).getAttribute('href')) ?? '');
    await expect(page.getByRole('combobox', { name: 'Compte' })).toHaveValue(name);
  });
  await test.step('an entry of this account only has the account in its breadcrumb', async () => {
    const { data } = await api.call(routes.getStatement, { query: { userId: account.id } });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`/reporting/transaction/${data.lines[0]?.id}`);
    await expect(crumbs).toHaveText([/^Comptes clients/, new RegExp(`^${name}`), /^Relevé/, /^Écriture|^Entrée/]);
    await page.goto(`/accounts/profiles/${account.id}/edit`);
    await expectReady(page);
  });
  await page.setViewportSize({ width: 1440, height: 900 });
  await crumbs.getByRole('link', { name }).click();
  await expect(page).toHaveURL(`/accounts/profiles/${account.id}`);

  const billing = await api.call(routes.createPaypalAccount, {
    params: { id: account.id },
    body: {
      email: `${mark}@paiement.example`,
      owner: name,
      holderAddress: '1, rue Haute',
      holderCity: 'Lyon',
      holderCountry: 'France',
      holderPostcode: '69001',
    },
  });
  await page.goto(`/accounts/paypal-account/${billing.data.id}`);
  await expect(crumbs).toHaveText([
    /^Comptes clients/,
    new RegExp(`^${name}`),
    /^Coordonnées de paiement/,
    'Compte PayPal',
  ]);
});

test('a balance set by hand is in the statement, its CSV and its PDF; another tab is not overwritten', async ({
  page,
  context,
  api,
}) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Ida', lname: `Solde-${mark}`, country: 'France', income: 120.5, reason: 'Reprise' },
  });
  const other = await context.newPage();
  await page.goto(`/accounts/profiles/${account.id}/edit`);
  await other.goto(`/accounts/profiles/${account.id}/edit`);
  await expectReady(other);

  const balance = page.getByRole('textbox', { name: /^Solde du compte/ });
  await expect(balance).toHaveValue('120,5');
  await balance.fill('100');
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByRole('textbox', { name: 'Motif de la régularisation' })).toBeFocused();
  await page.getByRole('textbox', { name: 'Motif de la régularisation' }).fill(`Trop versé ${mark}`);
  await page.getByRole('textbox', { name: 'Ville' }).fill('Nantes');
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Le compte est enregistré' })).toBeVisible();

  await other.getByRole('textbox', { name: 'Ville' }).fill('Brest');
  await other.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(other.getByRole('alert').filter({ hasText: 'changé entre-temps' })).toBeVisible();
  const { data: profile } = await api.call(routes.getProfile, { params: { id: account.id } });
  expect([profile.city, profile.income]).toEqual(['Nantes', 100]);
  await expect(other.getByRole('textbox', { name: 'Ville' })).toHaveValue('Brest');
  await other.getByRole('button', { name: 'Recharger et perdre ma saisie' }).click();
  await expect(other.getByRole('textbox', { name: 'Ville' })).toHaveValue('Nantes');
  await other.getByRole('textbox', { name: 'Ville' }).fill('Brest');
  await other.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(other.getByRole('status').filter({ hasText: 'Le compte est enregistré' })).toBeVisible();

  await page.getByRole('link', { name: 'Relevé', exact: true }).click();
  await expectReady(page);
  const line = page.getByRole('row').filter({ hasText: `Trop versé ${mark}` });
  await expect(line).toContainText('−20,50');
  await expect(line).toContainText('100,00');
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill('verse trop');
  await expect(page.getByRole('main').getByRole('row')).toHaveCount(2);
  await expect(line).toContainText('100,00');
  await expectNoAxeViolations(page);
  const csv = await readExport(page, page.getByRole('button', { name: 'Exporter le relevé en CSV ou en XLSX' }));
  expect(
    csv.text
      .trim()
      .split('\r\n')
      .map((text) => text.split(';').slice(1).join(';')),
  ).toEqual([
    'Mouvement;Libellé;Montant (EUR);Solde après (EUR)',
    'Solde d’ouverture;;;0,00',
    'Régularisation;Reprise;120,50;120,50',
    `Régularisation;Trop versé ${mark};-20,50;100,00`,
    'Solde de clôture;;;100,00',
  ]);
  const pdf = await readPdf(page, page.getByRole('button', { name: 'Exporter le relevé en PDF' }));
  expect(pdf.name).toBe(`releve-de-compte-${account.id}.pdf`);
  for (const part of ['Solde d’ouverture', '120,50', `Trop versé ${mark}`, '100,00', 'Solde de clôture']) {
    expect(pdf.text).toContain(part);
  }
});

test('an income is explained from the account down to its report', async ({ page, api }) => {
  const { data: reports } = await api.call(routes.listReports, { query: { type: 'platform', limit: 1 } });
  const userId = reports[0]?.userId ?? 0;
  await page.goto(`/accounts/${userId}/statement`);
  await expectReady(page);
  await page
    .getByRole('link', { name: /^Pourquoi ce montant/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { name: /^Pourquoi ce montant/ })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(/Revenus plateformes, .+\s20\d\d/);
  await expect(page.getByRole('rowheader', { name: 'Total de l’import' })).toBeVisible();
  await expectReady(page);
  await expectNoAxeViolations(page);
  const trail = page.getByRole('navigation', { name: 'Fil d’Ariane' });
  await expect(trail.getByRole('link', { name: 'Relevé', exact: true })).toHaveAttribute(
    'href',
    `/accounts/${userId}/statement`,
  );
  await page.getByRole('table').first().getByRole('link').first().click();
  await expect(page).toHaveURL(/\/reporting\/report\/\d+$/);
});

test('a file of releases is refused by type, validated, then imported', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Zoé', lname: `Fichier-${mark}`, country: 'France' },
  });
  await page.goto(`/accounts/profiles/${account.id}`);
  await page.getByRole('button', { name: 'Importer des sorties' }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /^Fichier des sorties/ }).click();
  await (await chooser).setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('png') });
  await expect(page.getByText('S.V.P selectionner un fichier Excel')).toBeVisible();
  await chooseFile(
    page,
    'Fichier des sorties',
    'sorties.csv',
    `titre;artistes;upc;album\nUn;Zoé;;Album ${mark}\nDeux;Zoé;;\n`,
  );
  await expect(page.getByText('2 nouvelles sorties')).toBeVisible();
  await expectNoAxeViolations(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Importer', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByRole('link', { name: 'Sorties', exact: true }).click();
  await expect(page.getByRole('main').getByRole('link', { name: `Album ${mark}` })).toBeVisible();
  await expectNoAxeViolations(page);
  const csv = await readExport(page, page.getByRole('main').getByRole('button', { name: 'Exporter' }));
  expect(csv.name).toBe(`ZOÉ Fichier-${mark}.csv`);
  expect(csv.text.replace('\ufeff', '').split('\r\n').slice(0, 2)).toEqual([
    '#;Titre;Artistes;ISRC;Code-barres',
    '1;Un;Zoé;;',
  ]);
});

test('companies without a SIREN are exported, completed and imported, from home or the palette', async ({
  page,
  api,
}) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const company = { fname: 'Ada', lname: `Sans-${mark}`, country: 'France', company: `Sans ${mark} SARL` };
  const { id } = (await api.call(routes.createProfile, { body: company })).data;
  await page.goto('/');
  await page
    .getByRole('region', { name: 'À traiter aujourd’hui' })
    .getByRole('link', { name: /sociétés? sans SIREN/ })
    .click();
  await expect(page).toHaveURL('/accounts/profiles?siren=missing');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: 'Aller à' }).fill('societes sans siren');
  await page.getByRole('option', { name: 'Sociétés sans SIREN' }).click();
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(mark);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Comptes clients1');
  const exported = await readExport(page, page.getByRole('main').getByRole('button', { name: 'Exporter' }));
  const [head = '', line = ''] = exported.text.replace('\ufeff', '').split('\r\n');
  const filled = (siren: string) => {
    const cells = line.split(';').map((cell, index) => (head.split(';')[index] === 'SIREN' ? siren : cell));
    return `${head}\r\n${cells.join(';').replace(/;[^;]*$/, ';Réel normal')}\r\n`;
  };

  await page.getByRole('button', { name: 'Importer des SIREN' }).click();
  const dialog = page.getByRole('dialog', { name: 'Importer les SIREN des sociétés' });
  await chooseFile(page, 'Fichier des sociétés', 'comptes.csv', filled('732829321'));
  await expect(dialog.getByText('Ligne 1 : Ce SIREN n’est pas valide')).toBeVisible();
  const submit = dialog.getByRole('button', { name: 'Compléter les comptes' });
  await expect(submit).toBeDisabled();
  await expectNoAxeViolations(page);
  await chooseFile(page, 'Fichier des sociétés', 'comptes.csv', filled('732 829 320'));
  await expect(dialog.getByText('1 compte à compléter')).toBeVisible();
  await submit.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();
  expect((await api.call(routes.getProfile, { params: { id } })).data).toMatchObject({
    siren: '732829320',
    vatRegime: 'normal',
  });
});

test('an order set to paid gets its number and its PDF', async ({ page, api }) => {
  const { data } = await api.call(routes.listInvoices, { query: { status: 'PENDING', limit: 100 } });
  const order = data.find(
    (one) => one.LibraryId !== null && one.invoiceNumber === null && one.totalAmountByLocation > 0,
  );
  if (!order) throw new Error('the demo has no order that waits');
  await page.goto('/accounts/invoices?status=PENDING');
  await expectReady(page);
  await page.goto(`/accounts/invoice/${order.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Order #${order.id}`);
  await expect(page.getByRole('button', { name: 'Facture en PDF' })).toHaveCount(0);
  await page.getByRole('combobox', { name: 'État' }).click();
  await page.getByRole('option', { name: 'Payée' }).click();
  const reference = page.getByRole('textbox', { name: 'Référence du règlement' });
  await page.getByRole('button', { name: 'Enregistrer l’état' }).click();
  await expect(reference).toBeFocused();
  await reference.fill('VIR 2026-118');
  await page.getByRole('button', { name: 'Enregistrer l’état' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'L’état de la facture est enregistré' })).toBeVisible();
  const { data: paid } = await api.call(routes.getInvoice, { params: { id: order.id } });
  expect(paid.invoiceNumber).toMatch(/^\d{4}-\d{5}$/);
  await expectNoAxeViolations(page);
  const pdf = await readPdf(page, page.getByRole('button', { name: 'Facture en PDF' }));
  expect(pdf.name).toBe(`facture-${paid.invoiceNumber}.pdf`);
  for (const part of [
    `Facture ${paid.invoiceNumber}`,
    paid.house.name,
    `Commande n° ${order.id}`,
    'Dont TVA',
    'VIR 2026-118',
  ]) {
    expect(pdf.text).toContain(part);
  }

  await page.goto('/accounts/invoices');
  await page.getByRole('button', { name: 'Factures électroniques du mois' }).click();
  const dialog = page.getByRole('dialog');
  await pickMonth(dialog, 'Mois d’émission', formatMonthNumeric(Date.now()));
  await expectNoAxeViolations(page);
  const zip = await readDownload(page, dialog.getByRole('button', { name: 'Télécharger le ZIP' }));
  expect(zip.name).toMatch(/^factures-electroniques-\d{4}-\d{2}\.zip$/);
  // As a file's name, or in the list of what lacks something: nothing is compressed again.
  expect(zip.text).toContain(paid.invoiceNumber);

  await page.goto('/accounts/invoice/999999999');
  await expect(page).toHaveURL('/accounts/invoices');
  await expect(page.getByRole('alert')).toContainText('n’a pas pu être ouverte');
});

test('an amount is explained in four clicks from the palette', async ({ page, api }) => {
  const [report] = (await api.call(routes.listReports, { query: { limit: 1, type: 'platform' } })).data;
  if (!report) throw new Error('the demo has no report');
  const { data: profile } = await api.call(routes.getProfile, { params: { id: report.userId } });
  const name = `${profile.fname} ${profile.lname}`;
  await page.goto('/');
  await expectReady(page);
  const click = countClicks();
  await click(page.getByRole('button', { name: 'Rechercher partout' }));
  await page.keyboard.type(name);
  await click(page.getByRole('group', { name: 'Comptes' }).getByRole('option').first());
  await click(page.getByRole('link', { name: 'Relevé', exact: true }));
  await click(page.getByRole('link', { name: /^Pourquoi ce montant/ }).first());
  await expect(page.getByRole('heading', { level: 1, name: 'Pourquoi ce montant' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(name);
  expect(click.count).toBeLessThanOrEqual(4);

  // The question itself leads to the account's statement, or to the accounts.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pourquoi ce montant ?');
  const why = page.getByRole('group', { name: 'Pourquoi ce montant' });
  await expect(why.getByRole('option')).toHaveText([/^Choisir un compte/]);
  await page.keyboard.type(` ${name}`);
  await why.getByRole('option', { name }).first().click();
  await expect(page).toHaveURL(/\/accounts\/\d+\/statement$/);
  await page
    .getByRole('link', { name: /^Pourquoi ce montant/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pourquoi ce montant' })).toBeVisible();
  await expect(sidebarOf(page).locator('[aria-current="page"]')).toHaveText('Comptes clients');
});

test('why an artist earned less is answered within three clicks of their name', { tag: '@area' }, async ({
  page,
  api,
}) => {
  // The account of the largest report had income in the month before too.
  const [report] = (await api.call(routes.listReports, { query: { limit: 1, type: 'platform' } })).data;
  if (!report) throw new Error('the demo has no report');
  const { data: profile } = await api.call(routes.getProfile, { params: { id: report.userId } });
  const name = `${profile.fname} ${profile.lname}`;
  await page.goto('/');
  await expectReady(page);
  const click = countClicks();
  await click(page.getByRole('button', { name: 'Rechercher partout' }));
  await page.keyboard.type(name);
  await click(page.getByRole('group', { name: 'Comptes' }).getByRole('option').first());
  const chart = page.getByRole('region', { name: 'Revenus par mois' });
  await click(chart.getByRole('link', { name: /, comparer avec juil\. 2026$/ }));
  const title = page.getByRole('heading', { level: 1, name: /^Pourquoi (moins|plus) \?$/ });
  await expect(title).toBeVisible();
  expect(click.count).toBeLessThanOrEqual(3);
  await expect(page.getByRole('navigation', { name: /fil d’Ariane/i })).toContainText(name);

  // What the bars are made of, down to a report.
  const table = page.getByRole('table').filter({ hasText: 'Écoutes' });
  await table.getByRole('button', { name: 'Écoutes' }).click();
  await table.getByRole('button', { name: 'DistroKid', exact: true }).click();
  const reports = table.getByRole('link', { name: /^Rapport d/ });
  await expect(reports.first()).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  const texts = await table.locator('tr[data-depth="0"] td').allInnerTexts();
  const amounts = texts.map((text) => Number(text.replace('\u2212', '-').replaceAll(/[^\d-]/g, '')));
  const last = amounts.pop();
  expect(amounts.reduce((sum, cents) => sum + cents, 0)).toBe(last);

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copier la réponse' }).click();
  await expect(page.getByRole('button', { name: 'Réponse copiée' })).toBeVisible();
  const answer = await page.evaluate(() => navigator.clipboard.readText());
  expect(answer).toMatch(
    new RegExp(`^Bonjour, les revenus du compte ${name} .*Le principal effet, .*Le deuxième, .*\\.$`),
  );

  // Another period, kept in the address.
  await page.getByRole('combobox', { name: 'Nombre de mois' }).click();
  await page.getByRole('option', { name: '3', exact: true }).click();
  await expect(page).toHaveURL(/months=3/);
  await reports.first().click();
  await expect(page.getByRole('heading', { level: 1, name: /^Rapport/ })).toBeVisible();

  // A large change offers it as well.
  await page.goto('/');
  const change = page
    .getByRole('region', { name: 'Plus fortes variations' })
    .getByRole('row')
    .nth(1)
    .locator('td')
    .last();
  const [shown = ''] = (await change.innerText()).split('\n');
  await change.getByRole('link', { name: /^Pourquoi/ }).click();
  await expect(title).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Écart' })).toContainText(shown.trim());

  // On a phone the bars of a chart are links as well.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/accounts/profiles/${report.userId}`);
  await expectReady(page);
  await expect(chart.getByRole('link').last()).toBeVisible();
  await expectNoAxeViolations(page);
});

test('a truncated text is shown in full on hover, or when its row has the focus', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const email = `une-adresse-si-longue-que-la-colonne-la-coupe-${mark}@une-maison-de-disques.example`;
  await api.call(routes.createProfile, { body: { fname: 'Ève', lname: `Longue-${mark}`, country: 'France', email } });
  await page.goto(`/accounts/profiles?q=${mark}`);
  const row = page.getByRole('row').filter({ hasText: mark });
  const cut = row.getByText(email, { exact: true });
  const tip = page.locator('body [aria-hidden]').filter({ hasText: new RegExp(`^${email}$`) });
  const box = await cut.boundingBox();
  if (!box) throw new Error('the address is not shown');
  // What shows the tip is loaded after the page.
  await expect(async () => {
    await page.mouse.move(5, 5);
    await page.mouse.move(box.x + 10, box.y + box.height / 2);
    await expect(tip).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await page.mouse.move(5, 5);
  await expect(tip).toHaveCount(0);
  await page.keyboard.press('j');
  await expect(tip).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tip).toHaveCount(0);
});
