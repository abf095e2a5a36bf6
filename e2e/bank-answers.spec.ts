import type { Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { addPayee, confirm, openAs, successStatus } from './support/payees.ts';
import { fact, readDownload } from './support/screens.ts';
import { addSignatory } from './support/staff.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

interface Line {
  payoutId: number;
  status: string;
  code?: string;
  said?: string;
}

/** A status report as banks write it, about payments of a file. */
const writeReport = (
  messageId: string,
  group: string,
  lines: readonly Line[],
) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>PSR-${crypto.randomUUID().slice(0, 8)}</MsgId><CreDtTm>2026-11-28T09:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>${group}</GrpSts></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}-1</OrgnlPmtInfId>${lines
  .map(
    ({ payoutId, status, code, said }) =>
      `<TxInfAndSts><OrgnlEndToEndId>${messageId}-${payoutId}</OrgnlEndToEndId><TxSts>${status}</TxSts><StsRsnInf>${
        code ? `<Rsn><Cd>${code}</Cd></Rsn>` : ''
      }${said ? `<AddtlInf>${said}</AddtlInf>` : ''}</StsRsnInf></TxInfAndSts>`,
  )
  .join('')}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;

async function drop(page: Page, xml: string): Promise<void> {
  await expect(page.getByRole('button', { name: 'Compte rendu de la banque' })).toBeEnabled();
  const file = { name: 'pain002.xml', mimeType: 'application/xml', buffer: Buffer.from(xml) };
  await page.locator('input[type=file]').setInputFiles(file);
}

/** An exported batch of payouts of 10, 20 … EUR of new accounts. */
async function exportBatch(api: Api, bookkeeper: Parameters<typeof addPayee>[0], names: readonly string[]) {
  const lname = `Banque-${crypto.randomUUID().slice(0, 8)}`;
  const ids: number[] = [];
  const payees: Awaited<ReturnType<typeof addPayee>>[] = [];
  await api.readCsrf();
  for (const [index, fname] of names.entries()) {
    const amount = 10 * (index + 1);
    const payee = await addPayee(bookkeeper, { fname, lname }, amount);
    payees.push(payee);
    const body = { userId: payee.id, account: payee.billingId, amount };
    ids.push((await api.call(routes.requestPayout, { body })).data.payoutId);
  }
  const { id } = (await api.call(routes.createBatch, { body: { payouts: ids, confirmWarnings: true } })).data;
  await api.call(routes.exportBatch, { params: { id } });
  const { messageId, netEur } = (await api.call(routes.getBatch, { params: { id } })).data;
  return { id, ids, payees, lname, messageId, netEur };
}

test('payees that the bank does not recognise: the batch is abandoned with two signatures and paid anew', {
  tag: '@area',
}, async ({ page, api, bookkeeper, browser, dataDir }) => {
  const { id, ids, payees, lname, messageId, netEur } = await exportBatch(api, bookkeeper, [
    'Ada',
    'Bea',
    'Cléo',
    'Dan',
  ]);
  const [ada = 0, bea = 0, cleo = 0, dan = 0] = ids;
  await page.goto(`/payouts/batches/${id}`);
  await test.step('a report of another file is refused by name', async () => {
    await drop(page, writeReport('RG20200101-AUTRE', 'RVCM', []));
    await expect(page.getByRole('alert')).toContainText('il répond au fichier RG20200101-AUTRE');
  });
  await drop(
    page,
    writeReport(messageId, 'RVCM', [
      { payoutId: ada, status: 'RVMC', said: `Ada ${lname} EI` },
      { payoutId: bea, status: 'RVMC', said: `Beatrice ${lname}` },
      { payoutId: cleo, status: 'RVNM' },
      { payoutId: dan, status: 'RCVC' },
    ]),
  );
  await expect(successStatus(page, 'La réponse de la banque est enregistrée')).toBeVisible();
  await expect(page.getByText('Nom proche\u00a0: 2')).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: `Ada ${lname}` })).toContainText(
    `La banque connaît\u00a0: Ada ${lname} EI`,
  );
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Abandonner le lot' }).click();
  await confirm(page, 'Abandonner le lot');
  await expect(page.getByText('1 signature sur 2')).toBeVisible();
  expect((await api.call(routes.getBatch, { params: { id } })).data.state).toBe('exported');

  const login = await addSignatory(dataDir, 'Noé', ['read_pending_payout', 'edit_pending_payout']);
  const { page: second } = await openAs(browser, login);
  await second.goto(`/payouts/batches/${id}`);
  await second.getByRole('button', { name: 'Signer', exact: true }).click();
  await expect(second.getByText('Abandonné').first()).toBeVisible();
  await expect(second.getByRole('link', { name: 'Fichier SEPA' })).toHaveCount(0);

  await test.step('the name that the bank knows is taken over', async () => {
    await page.goto(`/accounts/${payees[0]?.id}/billings`);
    await expect(page.getByText(`La banque connaît\u00a0: Ada ${lname} EI`)).toBeVisible();
    await page.getByRole('main').getByRole('listitem').getByRole('link').click();
    await page.getByRole('button', { name: 'Reprendre ce nom' }).click();
    await expect(page.getByRole('textbox', { name: 'Titulaire du compte' })).toHaveValue(`Ada ${lname} EI`);
  });

  await page.goto(`/payouts/batches/${id}`);
  await page.getByRole('button', { name: 'Nouveau lot de 4 versements' }).click();
  const preflight = page.getByRole('dialog', { name: 'Contrôle avant paiement' });
  const doubtful = preflight.getByRole('row').filter({ hasText: 'Titulaire non reconnu par la banque' });
  await expect(doubtful).toHaveCount(3);
  await preflight.getByRole('button', { name: 'Retirer les versements à vérifier' }).click();
  await expect(preflight.getByText('1 versement, 39,40 € nets de frais')).toBeVisible();
  await preflight.getByRole('button', { name: 'Créer le lot' }).click();
  await expect(page).not.toHaveURL(new RegExp(`/payouts/batches/${id}$`));
  const next = Number(new URL(page.url()).pathname.split('/').at(-1));
  await api.call(routes.exportBatch, { params: { id: next } });
  await api.call(routes.payBatch, { params: { id: next } });
  const renewed = (await api.call(routes.getBatch, { params: { id: next } })).data;
  expect(renewed.messageId).not.toBe(messageId);

  await test.step('each payout is paid once or waits, and the sums are equal', async () => {
    const { data: paid } = await api.call(routes.listPaidPayouts, { query: { q: lname } });
    const { data: waiting } = await api.call(routes.listPendingPayouts, { query: { q: lname } });
    expect(paid.map(({ payoutId }) => payoutId)).toEqual([dan]);
    expect(waiting.map(({ payoutId }) => payoutId).sort()).toEqual([ada, bea, cleo].sort());
    const sum = [...paid, ...waiting].reduce((total, { payoutNet }) => total + Math.round(payoutNet * 100), 0);
    expect(sum).toBe(Math.round(netEur * 100));
  });
});

test('a batch executed in part: the rejected payout alone waits again, and is paid by another batch', {
  tag: '@area',
}, async ({ page, api, bookkeeper }) => {
  const { id, ids, lname, messageId } = await exportBatch(api, bookkeeper, ['Eve', 'Fanny', 'Gil']);
  const [eve = 0, fanny = 0, gil = 0] = ids;
  await page.goto(`/payouts/batches/${id}`);
  const link = page.getByRole('link', { name: 'Fichier SEPA' });
  const before = await readDownload(page, link);
  const report = writeReport(messageId, 'PART', [
    { payoutId: eve, status: 'ACSC' },
    { payoutId: fanny, status: 'RJCT', code: 'AC04', said: 'Compte clos' },
    { payoutId: gil, status: 'ACSC' },
  ]);
  await drop(page, report);
  await expect(successStatus(page, 'De nouveau en attente, hors du lot\u00a0: 1 versement')).toBeVisible();
  await expect(page.getByText('nets de frais, 2 versements')).toBeVisible();
  await expect(fact(page, 'Montant brut')).toHaveText(/^40,00.€$/);
  const left = page.getByRole('group', { name: 'Rejetés par la banque, de nouveau en attente' });
  await expect(left.getByRole('row').filter({ hasText: `Fanny ${lname}` })).toContainText('Compte clos (AC04)');
  await expect(page.getByRole('button', { name: 'Abandonner le lot' })).toHaveCount(0);
  expect((await readDownload(page, link)).text).toBe(before.text);
  await drop(page, report);
  await expect(page.getByRole('alert')).toContainText('Ce compte rendu est déjà enregistré');

  await page.getByRole('button', { name: 'Marquer comme payé' }).click();
  await confirm(page, 'Marquer le lot comme payé');
  await expect(successStatus(page, 'Le lot est payé')).toBeVisible();
  await page.getByRole('button', { name: 'Nouveau lot de 1 versement' }).click();
  const preflight = page.getByRole('dialog', { name: 'Contrôle avant paiement' });
  await preflight.getByRole('checkbox', { name: 'J’ai vérifié ces alertes' }).check();
  await preflight.getByRole('button', { name: 'Créer le lot' }).click();
  await expect(page).not.toHaveURL(new RegExp(`/payouts/batches/${id}$`));
  const next = Number(new URL(page.url()).pathname.split('/').at(-1));
  await api.call(routes.exportBatch, { params: { id: next } });
  await test.step('an answer is typed for one payment', async () => {
    await page.reload();
    await page.getByRole('button', { name: /^Saisir la réponse de la banque/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
    await dialog.getByRole('combobox', { name: 'Réponse' }).selectOption({ label: 'Accepté' });
    await dialog.getByRole('button', { name: 'Saisir la réponse' }).click();
    await expect(page.getByText('Accepté\u00a0: 1')).toBeVisible();
  });
  await api.call(routes.payBatch, { params: { id: next } });
  const { data: paid } = await api.call(routes.listPaidPayouts, { query: { q: lname } });
  expect(paid.map(({ payoutId }) => payoutId).sort()).toEqual([...ids].sort());
  expect(paid.reduce((total, { payoutNet }) => total + Math.round(payoutNet * 100), 0)).toBe(5820);
});
