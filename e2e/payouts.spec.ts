import { createHash } from 'node:crypto';
import type { Locator } from '@playwright/test';
import { formatPayoutNumber, payoutMessages } from '@regie/contract/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import {
  addPayee,
  balanceOf,
  bankForm,
  confirm,
  groupByFour,
  journalOf,
  makeIban,
  openAs,
  readPdf,
  successStatus,
  valuesOf,
} from './support/payees.ts';
import { expectReady, expectTip, fact, readDownload } from './support/screens.ts';
import { addSignatory } from './support/staff.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

test('payouts of all accounts of a filter are requested at once, and those that cannot be paid are listed first', async ({
  page,
  api,
  bookkeeper,
}) => {
  await api.readCsrf();
  const lname = `Groupe-${crypto.randomUUID().slice(0, 8)}`;
  await addPayee(bookkeeper, { fname: 'Ana', lname }, 40.25);
  await addPayee(bookkeeper, { fname: 'Béa', lname }, 30);
  const body = { fname: 'Cléo', lname, country: 'France', income: 20, reason: 'Reprise' };
  await bookkeeper.own.call(routes.createProfile, { body });
  const { payoutFeeEur } = (await api.call(routes.getSettings)).data.settings;
  await addPayee(bookkeeper, { fname: 'Dan', lname }, payoutFeeEur);
  const emma = await addPayee(bookkeeper, { fname: 'Emma', lname }, 10);
  await bookkeeper.own.call(routes.createBankAccount, {
    params: { id: emma.id },
    body: bankForm(emma.owner, makeIban()),
  });
  await page.goto(`/payouts/unpaid-accounts?q=${lname}`);
  await page.getByRole('checkbox', { name: `Sélectionner Ana ${lname}` }).check();
  const bar = page.getByRole('region', { name: /sélectionné/ });
  await expect(bar).toContainText('40,25 €');
  await bar.getByRole('button', { name: 'Sélectionner les 5' }).click();
  await expect(bar).toContainText('5 sélectionnés');
  await expect(bar).toContainText('70,25 €');
  await bar.getByRole('button', { name: 'Demander 2 versements' }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(dialog).toContainText('70,25 €');
  await expect(dialog.getByRole('listitem')).toHaveText([
    `Cléo ${lname}, 20,00\u00a0€ : Sans coordonnées`,
    `Emma ${lname}, 10,00\u00a0€ : ${payoutMessages.severalAccounts}`,
    `Dan ${lname}, ${payoutFeeEur.toFixed(2).replace('.', ',')}\u00a0€ : ${payoutMessages.balanceWithinFee(`${payoutFeeEur.toFixed(2).replace('.', ',')}\u00a0€`)}`,
  ]);
  await dialog.getByRole('button', { name: 'Demander les versements' }).click();
  await expect(successStatus(page, '2 versements demandés, 70,25 €')).toBeVisible();
});

test('paying everyone shows first what differs, replaces pending payouts, and leads to what stops the others', async ({
  page,
  browser,
  api,
  bookkeeper,
}) => {
  await api.readCsrf();
  const lname = `Tous-${crypto.randomUUID().slice(0, 8)}`;
  const paid = await addPayee(bookkeeper, { fname: 'Ana', lname }, 40.25);
  const { data: pending } = await api.call(routes.requestPayout, {
    body: { userId: paid.id, account: paid.billingId, amount: 30 },
  });
  const batched = await addPayee(bookkeeper, { fname: 'Béa', lname }, 30);
  const request = { userId: batched.id, account: batched.billingId, amount: 10 };
  const { data: first } = await api.call(routes.requestPayout, { body: request });
  const { data: batch } = await api.call(routes.createBatch, {
    body: { payouts: [first.payoutId], confirmWarnings: true },
  });
  const several = await addPayee(bookkeeper, { fname: 'Cléo', lname }, 20);
  await bookkeeper.own.call(routes.createBankAccount, {
    params: { id: several.id },
    body: bankForm(several.owner, makeIban()),
  });
  const none = { fname: 'Dan', lname, country: 'France', income: 20, reason: 'Reprise' };
  const { data: dan } = await bookkeeper.own.call(routes.createProfile, { body: none });
  const { payoutFeeEur } = (await api.call(routes.getSettings)).data.settings;
  const net = (amount: number) => (amount - payoutFeeEur).toFixed(2).replace('.', ',');

  const whole = await addPayee(bookkeeper, { fname: 'Zoé', lname }, 15);
  const { data: asked } = await api.call(routes.requestPayout, {
    body: { userId: whole.id, account: whole.billingId, amount: 15 },
  });

  await page.goto('/payouts/pending');
  await page.getByRole('link', { name: 'Payer tout le monde' }).click();
  await expect(page).toHaveURL('/payouts/everyone');
  const changes = page.getByRole('group', { name: /^À vérifier/ });
  const row = changes.getByRole('row').filter({ hasText: paid.owner });
  await expect(row).toContainText(`Remplace ${formatPayoutNumber(pending.payoutId)}`);
  await expect(row).toContainText(net(40.25));
  await expect(row).toContainText('Jamais payé');
  const apart = changes.getByRole('row').filter({ hasText: batched.owner });
  await expect(apart).toContainText(`déjà dans le lot n°\u00a0${batch.id}`);
  await expect(apart).toContainText(net(20));
  const alone = changes.getByRole('row').filter({ hasText: whole.owner });
  await expect(alone).toContainText('Déjà demandé\u00a0: aucun solde à y ajouter');
  await expect(alone.getByRole('link', { name: whole.owner })).toHaveAttribute(
    'href',
    `/accounts/profiles/${whole.id}`,
  );
  await expect(alone.getByRole('link', { name: /^V-/ })).toHaveAttribute('href', `/payouts/payout/${asked.payoutId}`);
  const files = page.getByRole('list', { name: 'Répartition par fichier' });
  await expect(files.getByRole('listitem').first()).toHaveText(/^Virement SEPA, \d+\sversements\s: [\d\s]+,\d\d\s€$/);
  await expectNoAxeViolations(page);

  const fix = (name: string) => page.getByRole('link', { name: new RegExp(`\\(${name}\\)$`) });
  // Long lists of a reason are folded.
  await page.locator('details').evaluateAll((lists: HTMLDetailsElement[]) => {
    for (const list of lists) list.open = true;
  });
  await expect(fix(`Dan ${lname}`)).toHaveAttribute('href', `/accounts/${dan.id}/billings`);
  await fix(several.owner).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/payouts/request?userId=${several.id}`);

  // A reason has an address; who may not change accounts reads which right that takes.
  const { page: payer } = await openAs(browser, await api.addAdmin('Pia', ['edit_pending_payout']));
  await payer.goto('/payouts/everyone#motif-0');
  const unpaid = payer.getByRole('listitem').filter({ hasText: `Dan ${lname}` });
  await expect(unpaid).toContainText('Droit nécessaire\u00a0: Gérer les comptes, coordonnées et factures');
  await expect(payer.locator('summary').filter({ hasText: payoutMessages.noBilling })).toBeInViewport();
  await payer.goto(`/payouts/batches/${batch.id}`);
  await expect(payer.getByRole('row').filter({ hasText: batched.owner })).toContainText('Jamais payé');
  await payer.context().close();
  expect(await journalOf(api, 'payout', pending.payoutId)).toEqual(['payout.request']);
});

test('a balance is requested, paid, gets one receipt, and is restored when the bank returns it', async ({
  page,
  api,
  bookkeeper,
}) => {
  const lname = `Versée-${crypto.randomUUID().slice(0, 8)}`;
  const payee = await addPayee(bookkeeper, { fname: 'Lina', lname }, 250.5);
  const { payoutFeeEur } = (await api.call(routes.getSettings)).data.settings;

  const euros = (value: number) => value.toFixed(2).replace('.', ',');

  await page.goto(`/payouts/unpaid-accounts?q=${lname}`);
  await page.getByRole('button', { name: `Demander un versement pour ${payee.owner}` }).click();
  const request = page.getByRole('dialog', { name: `Pour ${payee.owner}` });
  const amount = request.getByRole('textbox', { name: 'Montant' });
  await expect(amount).toHaveValue('250,50');
  await amount.fill('');
  await request.getByRole('button', { name: 'Demander un versement' }).click();
  await expect(request.getByText('Ajoutez un montant', { exact: true })).toBeVisible();
  await amount.fill('300');
  await request.getByRole('button', { name: 'Demander un versement' }).click();
  await expect(request.getByText('Le montant dépasse le solde du compte', { exact: true })).toBeVisible();
  await expectNoAxeViolations(page);
  await amount.fill(String(payoutFeeEur).replace('.', ','));
  await expect(
    request.getByText(payoutMessages.amountWithinFee(`${euros(payoutFeeEur)}\u00a0€`), { exact: true }),
  ).toBeVisible();
  await amount.fill('200,50');
  await expect(request.getByText(`Net versé\u00a0: ${euros(200.5 - payoutFeeEur)}`)).toBeVisible();
  await request.getByRole('button', { name: 'Demander un versement' }).click();
  await expect(request).toBeHidden();
  await expect(successStatus(page, 'Le versement est demandé')).toBeVisible();
  expect(await balanceOf(api, payee.id)).toBe(50);

  const [pending] = (await api.call(routes.listPendingPayouts, { query: { q: lname } })).data;
  const id = pending?.payoutId ?? 0;
  const number = formatPayoutNumber(id);
  await page.goto(`/payouts/pending?q=${lname}`);
  await page.getByRole('row').filter({ hasText: number }).getByRole('link').click();
  await expect(page).toHaveURL(`/payouts/payout/${id}`);
  await expect(page.getByRole('main').getByText(/^200,50.€$/)).toBeVisible();
  await page.getByRole('button', { name: 'Voir les coordonnées' }).click();
  const details = page.getByRole('dialog', { name: 'Coordonnées du versement' });
  await expect(details).not.toContainText(payee.iban);
  await details.getByRole('button', { name: 'Afficher' }).click();
  await expect(details).toContainText(payee.iban);
  await page.keyboard.press('Escape');
  const status = page.getByRole('combobox', { name: 'État' });
  await page.getByRole('button', { name: 'Marquer comme payé' }).click();
  await expect(status).toHaveValue('PAID');
  await expect(page.getByRole('main').getByText('Payé', { exact: true }).first()).toBeVisible();

  await page.goto(`/payouts/paid?q=${lname}`);
  const receipt = page.getByRole('button', { name: `Télécharger le reçu ${number}, ${payee.owner}` });
  const pdf = await readPdf(page, receipt);
  expect(pdf.name).toBe(`recu-${number.toLowerCase()}.pdf`);
  const parts = [number, payee.owner, 'Virement bancaire', 'Banque du Port', groupByFour(payee.iban)];
  for (const part of [...parts, euros(200.5), euros(payoutFeeEur), euros(200.5 - payoutFeeEur)]) {
    expect(pdf.text).toContain(part);
  }
  await expect(receipt).toHaveCount(0);
  await page.getByRole('button', { name: `Autres actions, ${number}` }).click();
  const again = await readPdf(page, page.getByRole('menuitem', { name: 'Télécharger à nouveau le reçu' }));
  expect(again).toEqual(pdf);

  await page.goto(`/payouts/payout/${id}`);
  await expectReady(page);
  await expect(page.getByRole('option', { name: 'En attente' })).toBeDisabled();
  await expect(page.getByText('La suppression n’est pas possible. Le reçu de ce versement')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Supprimer' })).toBeDisabled();
  await page.getByRole('button', { name: 'Enregistrer un paiement rejeté' }).click();
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await dialog.getByRole('button', { name: 'Enregistrer le rejet' }).click();
  await expect(dialog.getByText('Indiquez le motif du retour')).toBeVisible();
  expect(await balanceOf(api, payee.id)).toBe(50);
  await dialog.getByRole('textbox', { name: 'Motif du rejet' }).fill('Compte clôturé');
  await confirm(page, 'Enregistrer le rejet');
  await expect(page).toHaveURL('/payouts/paid');
  await expect(successStatus(page, 'Le paiement rejeté est enregistré')).toBeVisible();
  await page.goto(`/payouts/cancelled?q=${lname}`);
  const returned = page.getByRole('row').filter({ hasText: number });
  await expect(returned).toContainText('Compte clôturé');
  await expect(returned).toContainText('Paiement rejeté');
  await page.goto(`/payouts/cancelled?q=${lname}&returned=false`);
  await expect(page.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();
  expect(await balanceOf(api, payee.id)).toBe(250.5);
  const actions = ['request', 'reveal', 'pay', 'receipt', 'download', 'receipt', 'return'].map(
    (verb) => `payout.${verb}`,
  );
  expect(await journalOf(api, 'payout', id)).toEqual(actions);

  await page.goto('/payouts/payout/999999999');
  await expect(page).toHaveURL('/payouts/pending');
  await expect(page.getByRole('alert')).toContainText('n’existe pas');
});

test('a batch is checked, signed by another admin, exported for the bank, and paid', { tag: '@area' }, async ({
  page,
  api,
  bookkeeper,
  browser,
  dataDir,
}) => {
  const lname = `Lot-${crypto.randomUUID().slice(0, 8)}`;
  const rich = await addPayee(bookkeeper, { fname: 'Ada', lname }, 12_000);
  const modest = await addPayee(bookkeeper, { fname: 'Bea', lname }, 40);
  const changed = await addPayee(bookkeeper, { fname: 'Cléo', lname }, 60);
  const payees = [
    { payee: rich, amount: 12_000 },
    { payee: modest, amount: 40 },
    { payee: changed, amount: 60 },
  ];
  const ids: number[] = [];
  for (const { payee, amount } of payees) {
    const body = { userId: payee.id, account: payee.billingId, amount };
    ids.push((await api.call(routes.requestPayout, { body })).data.payoutId);
  }
  const otherIban = makeIban();
  await api.call(routes.editBankAccount, {
    params: { id: changed.billingId },
    body: bankForm(changed.owner, otherIban),
  });
  const { payoutFeeEur } = (await api.call(routes.getSettings)).data.settings;
  const login = await addSignatory(dataDir, 'Noé', ['read_pending_payout', 'edit_pending_payout']);
  const { page: mover, own } = await openAs(browser, login);

  await mover.goto(`/payouts/pending?q=${lname}`);
  await expect(mover.getByRole('row').filter({ hasText: changed.owner })).toContainText(
    'Coordonnées modifiées récemment',
  );
  await mover.getByRole('checkbox', { name: 'Sélectionner toute la page' }).check();
  await mover.getByRole('button', { name: 'Payer 3 versements en lot' }).click();
  const preflight = mover.getByRole('dialog', { name: 'Contrôle avant paiement' });
  const create = preflight.getByRole('button', { name: 'Créer le lot' });
  await expect(preflight.getByRole('row').filter({ hasText: changed.owner })).toContainText(
    'Coordonnées modifiées récemment',
  );
  await expect(create).toBeDisabled();
  await expectNoAxeViolations(mover);
  await preflight.getByRole('button', { name: 'Retirer les versements bloqués' }).click();
  await expect(preflight.getByRole('row').filter({ hasText: rich.owner })).toContainText('Montant élevé');
  await expect(preflight.getByText(/^À signer avant l’export/)).toBeVisible();
  await expect(create).toBeDisabled();
  await preflight.getByRole('checkbox', { name: 'J’ai vérifié ces alertes' }).check();
  await mover.keyboard.press('Escape');
  const leaving = mover.getByRole('dialog', { name: /^Quitter sans enregistrer/ });
  await leaving.getByRole('button', { name: 'Continuer la saisie' }).click();
  await expect(preflight.getByRole('checkbox', { name: 'J’ai vérifié ces alertes' })).toBeChecked();
  await create.click();
  await expect(mover).toHaveURL(/\/payouts\/batches\/\d+$/);
  const id = Number(new URL(mover.url()).pathname.split('/').at(-1));

  await test.step('its creator’s signature alone does not export it', async () => {
    await expect(mover.getByText('0 signature sur 2')).toBeVisible();
    expect((await own.attempt(routes.exportBatch, { params: { id } })).status()).toBe(409);
    expect((await own.attempt(routes.getBatchSepa, { params: { id } })).status()).toBe(409);
  });

  await page.goto(`/payouts/batches/${id}`);
  await page.getByRole('button', { name: 'Signer', exact: true }).click();
  await expect(page.getByText('1 signature sur 2')).toBeVisible();
  await mover.reload();
  await mover.getByRole('button', { name: 'Exporter les fichiers' }).click();
  await confirm(mover, 'Exporter le lot');
  await expect(successStatus(mover, 'Les fichiers du lot sont prêts')).toBeVisible();
  const { messageId } = (await api.call(routes.getBatch, { params: { id } })).data;
  const link = mover.getByRole('link', { name: 'Fichier SEPA' });
  const sepa = await readDownload(mover, link);
  expect(sepa.name).toBe(`${messageId}-sepa.xml`);
  // What the bank shows too before somebody confirms the file there.
  await expect(mover.getByText('nets de frais, 2 versements')).toBeVisible();
  await expect(fact(mover, 'Montant brut')).toHaveText(/^12.040,00.€$/);
  await mover.getByText('Détails techniques').click();
  await expect(fact(mover, 'SHA-256 du fichier SEPA')).toContainText(
    createHash('sha256').update(sepa.text).digest('hex'),
  );
  expect(valuesOf(sepa.text, 'MsgId')).toEqual([messageId]);
  expect(valuesOf(sepa.text, 'NbOfTxs')).toEqual(['2', '2']);
  const nets = [12_000 - payoutFeeEur, 40 - payoutFeeEur].map((net) => net.toFixed(2));
  expect(valuesOf(sepa.text, 'InstdAmt')).toEqual(nets);
  for (const { iban } of [rich, modest]) expect(valuesOf(sepa.text, 'IBAN')).toContain(iban);
  expect(valuesOf(sepa.text, 'IBAN')).toHaveLength(3);
  for (const iban of [changed.iban, otherIban]) expect(sepa.text).not.toContain(iban);
  expect((await readDownload(mover, link)).text).toBe(sepa.text);

  await mover.getByRole('button', { name: 'Marquer comme payé' }).click();
  await confirm(mover, 'Marquer le lot comme payé');
  await expect(successStatus(mover, 'Le lot est payé')).toBeVisible();
  await expectNoAxeViolations(mover);
  const { data: paid } = await api.call(routes.listPaidPayouts, { query: { q: lname } });
  expect(paid.map(({ payoutId }) => payoutId).sort()).toEqual(ids.slice(0, 2).sort());
  const { data: waiting } = await api.call(routes.listPendingPayouts, { query: { q: lname } });
  expect(waiting.map(({ payoutId }) => payoutId)).toEqual(ids.slice(2));
  expect(await journalOf(api, 'payout_batch', id)).toEqual(
    ['create', 'sign', 'export', 'download', 'download', 'download', 'pay'].map((verb) => `payout_batch.${verb}`),
  );
  await mover.context().close();
});

test('a payment asks before it leaves its batch, and can be undone from its message', async ({
  page,
  api,
  bookkeeper,
}) => {
  const payee = await addPayee(bookkeeper, { fname: 'Emma', lname: `Reprise-${crypto.randomUUID().slice(0, 8)}` }, 80);
  const body = { userId: payee.id, account: payee.billingId, amount: 30 };
  const { data: payout } = await api.call(routes.requestPayout, { body });
  const { data: batch } = await api.call(routes.createBatch, {
    body: { payouts: [payout.payoutId], confirmWarnings: true },
  });
  await page.goto(`/payouts/payout/${payout.payoutId}`);
  const status = page.getByRole('combobox', { name: 'État' });
  const lot = `lot n°\u00a0${batch.id}`;
  await expect(page.locator('main').getByRole('button', { name: 'Enregistrer' })).toHaveAttribute(
    'data-variant',
    'default',
  );
  await page.getByRole('button', { name: 'Marquer comme payé' }).click();
  const asked = page.getByRole('dialog');
  await expect(asked).toContainText(`est dans le ${lot}`);
  await asked.getByRole('button', { name: 'Marquer comme payé' }).click();
  await expect(status).toHaveValue('PAID');
  await successStatus(page, 'Le versement est payé').getByRole('button', { name: 'Remettre en attente' }).click();
  await expect(successStatus(page, `Le versement est de nouveau en attente, dans le ${lot}`)).toBeVisible();
  await expect(status).toHaveValue('PENDING');
  await expect(page.getByRole('button', { name: 'Marquer comme payé' })).toBeEnabled();
  await page.getByRole('button', { name: 'Annuler le versement' }).click();
  await expect(page.getByRole('dialog')).toContainText(`reviennent sur le solde d’${payee.owner}`);

  await page.goto(`/accounts/${payee.id}/journal`);
  // The request, the payment taken back, and that it left its batch and is in it again.
  await expect(page.getByRole('row').filter({ hasText: formatPayoutNumber(payout.payoutId) })).toHaveCount(5);
});

test('with the right to read payouts only, none can be changed', async ({ api, bookkeeper, browser }) => {
  const lname = `Lecture-${crypto.randomUUID().slice(0, 8)}`;
  const payee = await addPayee(bookkeeper, { fname: 'Rosa', lname }, 80);
  const body = { userId: payee.id, account: payee.billingId, amount: 30 };
  const { data: payout } = await api.call(routes.requestPayout, { body });
  const { data: batch } = await api.call(routes.createBatch, {
    body: { payouts: [payout.payoutId], confirmWarnings: true },
  });
  const login = await api.addAdmin('Iris', ['read_pending_payout', 'read_unpaid_accounts']);
  const { page, own } = await openAs(browser, login);

  await page.goto(`/payouts/pending?q=${lname}`);
  await expectReady(page);
  const row = page.getByRole('row').filter({ hasText: payee.owner });
  await expect(row).toHaveCount(1);
  await expect(row.getByRole('link')).toHaveCount(0);
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await page.goto(`/payouts/unpaid-accounts?q=${lname}`);
  await expectReady(page);
  await expect(row).toHaveCount(1);
  await expect(row.getByRole('button')).toHaveCount(0);
  await page.goto(`/payouts/batches/${batch.id}`);
  await expectReady(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Lot n°\u00a0${batch.id}`);
  await expect(page.getByRole('button', { name: /lot$|^Exporter|^Marquer/ })).toHaveCount(0);
  for (const path of ['/payouts/request', `/payouts/payout/${payout.payoutId}`, '/payouts/paid']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: 'Accès non autorisé' }), path).toBeVisible();
  }

  const params = { id: payout.payoutId };
  const attempts = [
    own.attempt(routes.requestPayout, { body }),
    own.attempt(routes.editPayout, { params, body: { status: 'PAID' } }),
    own.attempt(routes.deletePayout, { params }),
    own.attempt(routes.voidBatch, { params: { id: batch.id } }),
    own.attempt(routes.exportBatch, { params: { id: batch.id } }),
  ];
  for (const response of await Promise.all(attempts)) expect(response.status(), response.url()).toBe(403);
  expect(await balanceOf(api, payee.id)).toBe(50);
  expect(await journalOf(api, 'payout', payout.payoutId)).toEqual(['payout.request']);
  await page.context().close();
});

test('a balance is shown rounded down to the cent everywhere, with the remainder on hover and focus', async ({
  page,
  api,
  bookkeeper,
}) => {
  await api.readCsrf();
  const lname = `Reste-${crypto.randomUUID().slice(0, 8)}`;
  const payee = await addPayee(bookkeeper, { fname: 'Rose', lname }, 40);
  await api.call(routes.createYoutubeReport, {
    body: { userId: payee.id, fromDate: monthToMs('2025-11'), incomeOfYoutube: 12.351 },
  });
  const ask = { userId: payee.id, account: payee.billingId, amount: 5 };
  const { payoutId } = (await api.call(routes.requestPayout, { body: ask })).data;
  const { income } = (await api.call(routes.getProfile, { params: { id: payee.id } })).data;
  const [, cents = '', beyond = ''] = /^(\d+\.\d\d)(\d{4})$/.exec(income.toFixed(6)) ?? [];
  // Ordinary rounding would add a cent.
  expect(Number(beyond)).toBeGreaterThan(5000);
  const euros = new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR', maximumFractionDigits: 6 });
  const shown = euros.format(Number(cents));
  const title = `reste en compte\u00a0: ${euros.format(Number(`0.00${beyond}`))}`;

  const expectRests = async (of: Locator, texts: string[]) => {
    const balances = of.locator('span[tabindex="0"]').filter({ has: page.locator('[data-money]') });
    await expect(balances).toHaveText(texts);
    for (const balance of await balances.all()) await expectTip(balance, title);
  };
  await page.goto(`/accounts/profiles/${payee.id}`);
  await expectRests(fact(page, 'Solde'), [shown]);
  await page.goto(`/accounts/${payee.id}/statement`);
  const beforeRequest = euros.format(Number(cents) + ask.amount);
  // The header, two lines, and their total.
  await expectRests(page.getByRole('main'), [shown, shown, beforeRequest, shown]);
  await page.getByText('Historique du solde').click();
  await expectRests(page.getByRole('group', { name: 'Historique du solde' }), [shown]);
  await page.goto(`/payouts/payout/${payoutId}`);
  await expectRests(page.getByRole('main'), [shown]);
  await page.goto(`/payouts/request?userId=${payee.id}`);
  await expect(page.getByTitle(title)).toHaveText(`Solde : ${shown}`);
});

test('a view of a list is saved, shared by its address, and removed', async ({ page, api, browser }) => {
  const name = `Virements ${crypto.randomUUID().slice(0, 8)}`;
  await page.goto('/payouts/paid?type=bank&sort=amount&order=desc');
  await expectReady(page);
  await page.getByRole('button', { name: 'Affichage' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Demandé le' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Vues', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Vues enregistrées' });
  await dialog.getByRole('textbox', { name: 'Nom de la vue' }).fill(name);
  await dialog.getByRole('button', { name: 'Enregistrer la vue' }).click();
  const link = dialog.getByRole('link', { name });
  await expect(link).toBeVisible();
  await expectNoAxeViolations(page);
  const address = (await link.getAttribute('href')) ?? '';
  await page.goto('/payouts/paid');
  await page.getByRole('button', { name: 'Vues', exact: true }).click();
  await dialog.getByRole('link', { name }).click();
  await expect(page).toHaveURL(address);
  await expect(page.getByRole('columnheader', { name: 'Demandé le' })).toHaveCount(0);
  const total = page.getByRole('rowheader', { name: 'Total de la liste' });
  await expect(total).toBeVisible();

  const { page: theirs } = await openAs(browser, await api.addAdmin('Noé', ['read_paid_payout']));
  await theirs.goto(address);
  await expect(theirs.getByRole('columnheader', { name: 'Montant' })).toHaveAttribute('aria-sort', 'descending');
  await expect(theirs.getByRole('columnheader', { name: 'Demandé le' })).toHaveCount(0);
  await theirs.getByRole('button', { name: 'Vues', exact: true }).click();
  await expect(theirs.getByRole('dialog')).toContainText('Aucune vue de cette liste');
  await theirs.context().close();

  await page.getByRole('button', { name: 'Vues', exact: true }).click();
  await dialog.getByRole('button', { name: `Supprimer la vue ${name}` }).click();
  await expect(dialog.getByRole('link', { name })).toHaveCount(0);
});
