import type { Page } from '@playwright/test';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { readSigningLink } from './support/mail.ts';
import {
  addPayee,
  balanceOf,
  confirm,
  groupByFour,
  journalOf,
  makeIban,
  openAs,
  readPdf,
  successStatus,
  valuesOf,
} from './support/payees.ts';
import { chooseFile, expectReady, importReleases, pickMonth, readDownload } from './support/screens.ts';
import { addColleague, addSignatory } from './support/staff.ts';
import { expect, expectNoAxeViolationsInBoth, test } from './support/test.ts';

/** All capabilities from a new account to its receipt. */
const payer = [
  'manage_profiles',
  'read_reports',
  'edit_reports',
  'read_unpaid_accounts',
  'read_pending_payout',
  'edit_pending_payout',
  'read_paid_payout',
  'edit_paid_payout',
] as const;

const euros = (amount: number) => amount.toFixed(2).replace('.', ',');
/** In the format of documents and screens: thousands separated, two decimals. */
const inFrench = (amount: number) =>
  new RegExp(
    amount
      .toFixed(2)
      .replace('.', ',')
      .replace(/\B(?=(\d{3})+,)/g, '\\s?'),
  );

/** Creates an account on the screen and opens its payment details. */
async function makeAccount(page: Page, { fname, lname }: { fname: string; lname: string }): Promise<number> {
  await page.goto('/accounts/profiles');
  await page.getByRole('link', { name: 'Nouveau compte' }).first().click();
  await page.getByRole('textbox', { name: 'Prénom' }).fill(fname);
  await page.getByRole('textbox', { name: 'Nom', exact: true }).fill(lname);
  await page.getByRole('textbox', { name: 'E-mail' }).fill(`${lname.toLowerCase()}@clients.example`);
  await page.getByRole('textbox', { name: 'Adresse', exact: true }).fill('3, rue Haute');
  await page.getByRole('textbox', { name: 'Code postal' }).fill('44000');
  await page.getByRole('textbox', { name: 'Ville' }).fill('Nantes');
  await page.getByRole('combobox', { name: 'Pays' }).fill('France');
  await page.getByRole('option', { name: 'France', exact: true }).click();
  await page.getByRole('button', { name: 'Créer le compte' }).click();
  await expect(page).toHaveURL(/\/accounts\/profiles\/\d+$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${fname} ${lname}`);
  return Number(new URL(page.url()).pathname.split('/').at(-1));
}

/** The holder is prefilled from the account. */
async function addBank(page: Page, id: number, bank: { country: string; number: string; bic: string }): Promise<void> {
  await page.goto(`/accounts/${id}/billings`);
  await page.getByRole('button', { name: 'Ajouter un compte bancaire' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un compte bancaire' });
  await dialog.getByRole('combobox', { name: 'Pays de la banque' }).fill(bank.country);
  await page.getByRole('option', { name: bank.country, exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Nom de la banque' }).fill('Banque du Port');
  await dialog.getByRole('textbox', { name: 'IBAN ou numéro de compte' }).fill(bank.number);
  await dialog.getByRole('textbox', { name: 'Code BIC (SWIFT)' }).fill(bank.bic);
  await dialog.getByRole('textbox', { name: 'Adresse de la banque', exact: true }).fill('1, place du Marché');
  await dialog.getByRole('textbox', { name: 'Code postal de la banque' }).fill('13001');
  await dialog.getByRole('textbox', { name: 'Ville de la banque' }).fill('Marseille');
  await dialog.getByRole('button', { name: 'Ajouter un compte bancaire' }).click();
  await expect(dialog).toBeHidden();
}

/** Creates a batch of all pending payouts found. */
async function makeBatch(page: Page, q: string, count: string): Promise<number> {
  await page.goto(`/payouts/pending?q=${q}`);
  await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).check();
  await page.getByRole('button', { name: `Payer ${count} en lot` }).click();
  const preflight = page.getByRole('dialog', { name: 'Contrôle avant paiement' });
  await expect(preflight.getByText('nets de frais')).toBeVisible();
  const warned = preflight.getByRole('checkbox', { name: 'J’ai vérifié ces alertes' });
  if (await warned.isVisible()) await warned.check();
  await preflight.getByRole('button', { name: 'Créer le lot' }).click();
  await expect(page).toHaveURL(/\/payouts\/batches\/\d+$/);
  return Number(new URL(page.url()).pathname.split('/').at(-1));
}

async function exportAndPay(page: Page, read: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Exporter les fichiers' }).click();
  await confirm(page, 'Exporter le lot');
  await expect(successStatus(page, 'Les fichiers du lot sont prêts')).toBeVisible();
  await read();
  await page.getByRole('button', { name: 'Marquer comme payé' }).click();
  await confirm(page, 'Marquer le lot comme payé');
  await expect(successStatus(page, 'Le lot est payé')).toBeVisible();
}

test('a new account is paid through the bank with two requested signatures, and gets a receipt', async ({
  page: signer,
  api,
  browser,
  dataDir,
}) => {
  test.setTimeout(180_000);
  const mark = crypto.randomUUID().slice(0, 8);
  const name = { fname: 'Maya', lname: `Parcours-${mark}` };
  const owner = `${name.fname} ${name.lname}`;
  const iban = makeIban();
  const { payoutFeeEur, house } = (await api.call(routes.getSettings)).data.settings;
  const { page } = await openAs(browser, await addColleague(dataDir, 'Noé', payer));
  // A signatory needs no other right.
  const second = await addSignatory(dataDir, 'Paule', []);

  const id = await makeAccount(page, name);
  await addBank(page, id, { country: 'France', number: groupByFour(iban), bic: 'AGRIFRPP' });
  const card = page.getByRole('listitem').filter({ hasText: 'Banque du Port' });
  await expect(card).toContainText(`••••${iban.slice(-4)}`);
  await card.getByRole('button', { name: 'Afficher' }).click();
  await expect(card).toContainText(groupByFour(iban).replaceAll(' ', '\u00a0'));

  const isrc = `QZ9P5${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
  await test.step('a release, and a month of its income', async () => {
    await page.goto(`/accounts/profiles/${id}`);
    await importReleases(page, `titre;artistes;isrc\nPremier jour ${mark};Maya;${isrc}\n`);
    await page.goto('/reporting/platform/add?section=csv');
    await pickMonth(page, 'Mois du rapport', '07/2025');
    const report = `ISRC;Écoutes;Revenus des écoutes;Boutique\r\n${isrc};912000;20000,50;${mark}\r\n`;
    await chooseFile(page, 'Fichier CSV ou Excel (.xlsx)', `juillet-${mark}.csv`, report);
    await page.getByRole('button', { name: 'Importer 1 ligne' }).click();
    await expect(page.getByRole('heading', { name: 'Import terminé\u00a0: juil. 2025' })).toBeVisible();
  });

  const income = await balanceOf(api, id);
  const amount = Math.floor(income * 100) / 100;
  expect(amount).toBeGreaterThan(10_000);
  await page.goto(`/payouts/unpaid-accounts?q=${name.lname}`);
  await page.getByRole('button', { name: `Demander un versement pour ${owner}` }).click();
  const request = page.getByRole('dialog', { name: `Pour ${owner}` });
  await expect(request.getByRole('textbox', { name: 'Montant' })).toHaveValue(String(amount).replace('.', ','));
  await request.getByRole('button', { name: 'Demander un versement' }).click();
  await expect(request).toBeHidden();
  await expect(successStatus(page, 'Le versement est demandé')).toBeVisible();
  expect(await balanceOf(api, id)).toBeLessThan(0.01);
  const [payout] = (await api.call(routes.listPendingPayouts, { query: { q: name.lname } })).data;
  const payoutId = payout?.payoutId ?? 0;
  const number = formatPayoutNumber(payoutId);
  await page.goto(`/payouts/request?userId=${id}`);
  await expect(page.getByText(/^Rien à verser/).getByRole('link', { name: /en attente$/ })).toBeVisible();

  const batch = await makeBatch(page, name.lname, '1 versement');
  await expectReady(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Signature requise');
  await expect(page.getByText('0 signature sur 2')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Signer', exact: true })).toHaveCount(0);
  await test.step('an admin who cannot sign asks for a signature, and the mailed link opens the record', async () => {
    await expect(page.getByRole('button', { name: 'Exporter les fichiers' })).toBeDisabled();
    await page.getByRole('button', { name: 'Demander la signature' }).click();
    await expect(successStatus(page, 'La demande est envoyée à')).toContainText(second.name);
    await expect(page.getByRole('button', { name: 'Demander la signature' })).toHaveCount(0);
    const { page: theirs } = await openAs(browser, second);
    await theirs.goto(await readSigningLink(dataDir, second.email));
    await expect(theirs.getByRole('heading', { level: 1 })).toContainText('Lot de versements');
    const payment = theirs.getByRole('table', { name: 'Versements' }).getByRole('row').filter({ hasText: owner });
    await expect(payment).toContainText('Nouvelle');
    await expect(theirs.getByRole('table', { name: /^Argent que personne n’a signé/ })).toContainText(
      `juillet-${mark}`,
    );
    await expectNoAxeViolationsInBoth(theirs);
    await theirs.getByRole('button', { name: 'Signer', exact: true }).click();
    await expect(successStatus(theirs, 'Votre signature est enregistrée')).toBeVisible();
    const listed = theirs.getByRole('row').filter({
      has: theirs.getByRole('link', { name: `Lot de versements : n° ${batch}`, exact: true }),
    });
    await expect(listed).toContainText('1 signature sur 2');
    await theirs.context().close();
  });
  await signer.goto('/signatures');
  await signer.getByRole('link', { name: `Lot de versements : n° ${batch}` }).click();
  await signer.getByRole('button', { name: 'Signer', exact: true }).click();
  await expect(successStatus(signer, 'Votre signature est enregistrée')).toBeVisible();
  await page.reload();
  await exportAndPay(page, async () => {
    const sepa = await readDownload(page, page.getByRole('link', { name: 'Fichier SEPA' }));
    const read = (tag: string) => valuesOf(sepa.text, tag);
    expect(sepa.text).toContain('urn:iso:std:iso:20022:tech:xsd:pain.001.001.09');
    expect(read('NbOfTxs')).toEqual(['1', '1']);
    expect(read('CtrlSum')).toEqual(Array(2).fill((amount - payoutFeeEur).toFixed(2)));
    expect(read('InstdAmt')).toEqual([(amount - payoutFeeEur).toFixed(2)]);
    expect(read('IBAN')).toEqual([house.iban.replaceAll(' ', ''), iban]);
    expect(read('Nm').at(-1)).toBe(owner);
    expect(read('TwnNm').at(-1)).toBe('Nantes');
    expect(read('Ctry').at(-1)).toBe('FR');
    expect(read('EndToEndId')).toHaveLength(1);
  });

  await page.goto(`/payouts/paid?q=${name.lname}`);
  const receipt = page.getByRole('button', { name: `Télécharger le reçu ${number}, ${owner}` });
  const pdf = await readPdf(page, receipt);
  expect(pdf.name).toBe(`recu-${number.toLowerCase()}.pdf`);
  for (const part of [
    number,
    owner,
    'Virement bancaire',
    'Banque du Port',
    groupByFour(iban),
    'n’est pas une facture',
  ]) {
    expect(pdf.text).toContain(part);
  }
  for (const sum of [amount, amount - payoutFeeEur]) expect(pdf.text).toMatch(inFrench(sum));
  expect(pdf.text).toContain(euros(payoutFeeEur));
  await expect(receipt).toHaveCount(0);
  await page.getByRole('row').filter({ hasText: number }).getByRole('link', { name: number }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(number);
  await expect(receipt).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Fil d’Ariane' })).toContainText(owner);
  expect(await journalOf(api, 'payout', payoutId)).toEqual(['payout.request', 'payout.receipt', 'payout.download']);
  expect(await journalOf(api, 'payout_batch', batch)).toEqual(
    ['create', 'sign', 'sign', 'export', 'download', 'download', 'pay'].map((verb) => `payout_batch.${verb}`),
  );

  await page.goto(`/accounts/${id}/statement`);
  await expect(page.getByRole('row').filter({ hasText: 'Revenus plateformes, juil. 2025' })).toContainText(
    // What the balances beside it add up to.
    inFrench(amount),
  );
  await expect(page.getByRole('row').filter({ hasText: `Versement ${number}` })).toContainText(inFrench(amount));
  await page.context().close();
});

test('PayPal has its own file, and a bank without IBAN a list to print', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const lname = `Ailleurs-${mark}`;
  const { payoutFeeEur } = (await api.call(routes.getSettings)).data.settings;
  const addAccount = async (fname: string, income: number) =>
    (
      await api.call(routes.createProfile, {
        body: {
          fname,
          lname,
          country: 'France',
          address: '3, rue Haute',
          postcode: '44000',
          city: 'Nantes',
          income,
          reason: 'Reprise',
        },
      })
    ).data.id;
  const wallet = await addAccount('Paula', 81.2);
  const abroad = await addAccount('Omar', 64.05);
  const email = `${mark}@paypal.example`;

  await page.goto(`/accounts/${wallet}/billings`);
  await page.getByRole('button', { name: 'Ajouter un compte PayPal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un compte PayPal' });
  await dialog.getByRole('textbox', { name: 'E-mail du compte PayPal' }).fill('paula');
  await dialog.getByRole('button', { name: 'Ajouter un compte PayPal' }).click();
  await expect(dialog.getByRole('textbox', { name: 'E-mail du compte PayPal' })).toBeFocused();
  await dialog.getByRole('textbox', { name: 'E-mail du compte PayPal' }).fill(email);
  await dialog.getByRole('button', { name: 'Ajouter un compte PayPal' }).click();
  await expect(dialog).toBeHidden();
  await addBank(page, abroad, { country: 'États-Unis', number: '021000021 4455667788', bic: 'CHASUS33' });

  await test.step('the URL of the other type redirects to the right page', async () => {
    const [paypal] = (await api.call(routes.listBillingAccounts, { params: { id: wallet } })).data;
    await page.goto(`/accounts/bank-account/${paypal?.id}`);
    await expect(page).toHaveURL(`/accounts/paypal-account/${paypal?.id}`);
    await expect(page.getByRole('textbox', { name: 'E-mail du compte PayPal' })).toHaveValue(email);
  });

  for (const [id, fname] of [
    [wallet, 'Paula'],
    [abroad, 'Omar'],
  ] as const) {
    await page.goto(id === wallet ? `/accounts/profiles/${id}` : '/payouts/pending');
    await page.getByRole('link', { name: 'Demander un versement' }).click();
    if (id === abroad) {
      const payee = page.getByRole('combobox', { name: 'Compte à payer' });
      await payee.or(page.getByRole('textbox', { name: 'Compte à payer' })).fill(`${fname} ${lname}`);
      await page.getByRole('option', { name: `${fname} ${lname}` }).click();
    }
    await expect(page.getByText(`Pour ${fname} ${lname}`)).toBeVisible();
    await page.getByRole('button', { name: 'Demander un versement' }).click();
    await expect(page).toHaveURL(/\/payouts\/payout\/\d+$/);
    await expect(page.getByRole('heading', { level: 1, name: /^Versement V-/ })).toBeVisible();
    await expect(successStatus(page, 'Le versement est demandé')).toBeVisible();
  }
  const { data: payouts } = await api.call(routes.listPendingPayouts, { query: { q: lname } });
  const numberOf = (fname: string) =>
    formatPayoutNumber(payouts.find(({ userFname }) => userFname === fname)?.payoutId ?? 0);

  const batch = await makeBatch(page, lname, '2 versements');
  const { messageId } = (await api.call(routes.getBatch, { params: { id: batch } })).data;
  await exportAndPay(page, async () => {
    await expect(page.getByRole('link', { name: 'Fichier SEPA' })).toHaveCount(0);
    const csv = await readDownload(page, page.getByRole('link', { name: 'Fichier PayPal' }));
    const [line = '', ...rest] = csv.text.trim().split('\r\n');
    expect(rest).toEqual([]);
    expect(line.split(',').slice(0, 4)).toEqual([email, (81.2 - payoutFeeEur).toFixed(2), 'EUR', numberOf('Paula')]);
    const list = await readPdf(page, page.getByRole('button', { name: 'Liste des virements manuels' }));
    expect(list.name).toBe(`${messageId}-virements-manuels.pdf`);
    for (const part of [numberOf('Omar'), `Omar ${lname}`, '021000021 4455667788', 'CHASUS33', 'Marseille, États-']) {
      expect(list.text).toContain(part);
    }
    expect(list.text).toContain(euros(64.05 - payoutFeeEur));
    expect(list.text).not.toContain(email);
  });
  await page.goto(`/payouts/paid?q=${lname}`);
  const paypal = await readPdf(page, page.getByRole('button', { name: `Télécharger le reçu ${numberOf('Paula')}` }));
  for (const part of ['PayPal', email, euros(81.2 - payoutFeeEur)]) expect(paypal.text).toContain(part);
});

test('a changed IBAN is blocked by the preflight until two signatories have signed it', async ({
  page,
  api,
  bookkeeper,
  browser,
  dataDir,
}) => {
  const lname = `Changée-${crypto.randomUUID().slice(0, 8)}`;
  const payee = await addPayee(bookkeeper, { fname: 'Inès', lname }, 55);
  const body = { userId: payee.id, account: payee.billingId, amount: 55 };
  const { payoutId } = (await api.call(routes.requestPayout, { body })).data;
  const { page: mover } = await openAs(browser, await addColleague(dataDir, 'Noé', payer));
  const other = makeIban();

  await mover.goto(`/accounts/bank-account/${payee.billingId}`);
  await mover.getByRole('textbox', { name: 'IBAN ou numéro de compte' }).fill(other);
  await mover.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(mover.getByText(/^Coordonnées modifiées récemment par/)).toBeVisible();
  await expect(mover.getByRole('button', { name: 'Signer', exact: true })).toHaveCount(0);

  const preflight = async () => {
    await mover.goto(`/payouts/pending?q=${lname}`);
    await mover.getByRole('checkbox', { name: 'Sélectionner toute la page' }).check();
    await mover.getByRole('button', { name: 'Payer 1 versement en lot' }).click();
    return mover.getByRole('dialog', { name: 'Contrôle avant paiement' });
  };
  const blocked = await preflight();
  await expect(blocked.getByRole('row').filter({ hasText: payee.owner })).toContainText(
    'Coordonnées modifiées récemment',
  );
  await expect(blocked.getByRole('button', { name: 'Créer le lot' })).toBeDisabled();
  await mover.goto(`/payouts/payout/${payoutId}`);
  await expect(mover.getByRole('option', { name: 'Payé' })).toBeDisabled();

  const { page: theirs, own } = await openAs(browser, await addSignatory(dataDir, 'Paule', []));
  await own.sign('billing', payee.billingId);
  await theirs.context().close();
  await page.goto(`/signatures/billing/${payee.billingId}`);
  await expect(page.getByRole('main')).toContainText(`••••${other.slice(-4)}`);
  await page.goto(`/accounts/bank-account/${payee.billingId}`);
  await page.getByRole('button', { name: 'Signer', exact: true }).press('Enter');
  await expect(page.getByText('Coordonnées modifiées récemment')).toHaveCount(0);
  await expect(page.getByRole('main').locator(':focus')).toHaveCount(1);
  const free = await preflight();
  await expect(free.getByText('Aucune anomalie')).toBeVisible();
  await expect(free.getByRole('button', { name: 'Créer le lot' })).toBeEnabled();
  expect(await journalOf(api, 'billing_account', payee.billingId)).toEqual([
    'billing.create',
    'billing.edit',
    'billing.sign',
    'billing.sign',
  ]);
  await mover.context().close();
});

test('a large payout, and the threshold itself, need a second signatory', async ({
  page,
  api,
  bookkeeper,
  browser,
  dataDir,
}) => {
  const lname = `Seuil-${crypto.randomUUID().slice(0, 8)}`;
  const payee = await addPayee(bookkeeper, { fname: 'Rita', lname }, 18_000);
  const body = { userId: payee.id, account: payee.billingId, amount: 10_500 };
  const large = (await api.call(routes.requestPayout, { body })).data.payoutId;
  const { page: mover, own } = await openAs(browser, await addSignatory(dataDir, 'Noé', [...payer, 'manage_settings']));
  const pay = mover.getByRole('button', { name: 'Marquer comme payé' });
  const sign = async (reason: string) => {
    await page.goto(`/payouts/payout/${large}`);
    await expect(page.getByText(reason)).toBeVisible();
    await page.getByRole('button', { name: 'Signer', exact: true }).click();
    await expect(page.getByText('1 signature sur 2')).toBeVisible();
  };

  await mover.goto(`/payouts/payout/${large}`);
  // Paying would give one signature of two.
  await expect(pay).toBeDisabled();
  await sign('Plafond des versements de 24 heures sans signature');

  // Who pays signs by it.
  await pay.click();
  await expect(successStatus(mover, 'Le versement est payé')).toBeVisible();
  // Taken back, its money is signed no longer.
  await mover.getByRole('button', { name: 'Remettre en attente' }).click();
  await expect(mover.getByText('0 signature sur 2')).toBeVisible();
  await sign('Argent que personne n’a signé');

  await pay.click();
  await expect(successStatus(mover, 'Le versement est payé')).toBeVisible();

  await test.step('a higher threshold waits for another signatory', async () => {
    const label = 'Versements de 24 heures sans signature';
    await mover.goto('/settings/payouts');
    await mover.getByRole('textbox', { name: `${label} (€)` }).fill('12345,50');
    await mover.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(mover.getByText('1 signature sur 2')).toBeVisible();
    await expect(mover.getByText('Les réglages sont enregistrés')).toHaveCount(0);
    await page.goto('/signatures');
    await page.getByRole('row').filter({ hasText: '12\u202f345,50' }).getByRole('link').click();
    await expect(page.getByRole('main')).toContainText(/10.000,00.€ → 12.345,50.€/);
    await page.getByRole('button', { name: 'Abandonner ce changement' }).click();
    await mover.reload();
    await expectReady(mover);
    await expect(mover.getByText('1 signature sur 2')).toHaveCount(0);
    const present = async () => (await api.call(routes.getSettings)).data.settings.payoutApprovalEur;
    expect(await present()).toBe(10_000);

    // A much higher threshold would affect the payments of parallel tests: raise it by a cent, and reset it.
    for (const payoutApprovalEur of [10_000.01, 10_000]) {
      const { version } = (await own.call(routes.getSettings)).data;
      await own.call(routes.putSettings, { body: { version, payoutApprovalEur } });
      await page.goto('/settings');
      await page.getByRole('button', { name: 'Signer', exact: true }).click();
      await expect(page.getByText('1 signature sur 2')).toHaveCount(0);
      expect(await present()).toBe(payoutApprovalEur);
    }
  });
  await mover.context().close();
});
