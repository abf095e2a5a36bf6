import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { expectReady, pickDownload, readExport } from './support/screens.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';
import { readWorkbook } from './support/workbook.ts';

const day = new Intl.DateTimeFormat('fr-FR', { dateStyle: 'short', timeZone: 'Europe/Paris' });
const cents = (amount: number) => amount.toFixed(2).replace('.', ',');
const header = [
  'Bénéficiaire',
  'E-mail',
  'Numéro',
  'Montant (EUR)',
  'Frais (EUR)',
  'Net versé (EUR)',
  'Destination',
  'Demandé le',
];

test('a list is exported for French Excel and as a workbook, with the same content', { tag: '@area' }, async ({
  page,
  api,
}) => {
  // Of one customer of the demo: other journeys pay customers of their own meanwhile.
  const [oldest] = (await api.call(routes.listPaidPayouts, { query: { limit: 1, order: 'asc' } })).data;
  const q = `${oldest?.userFname} ${oldest?.userLname}`;
  const paid = await api.all(routes.listPaidPayouts, (rows) => rows, { query: { q } });
  await page.goto(`/payouts/paid?q=${encodeURIComponent(q)}`);
  await expectReady(page);
  const menu = page.getByRole('button', { name: 'Exporter', exact: true });
  await menu.click();
  await expect(page.getByRole('menuitem')).toHaveText(['CSV (Excel)', 'XLSX']);
  await expectNoAxeViolations(page);
  await page.keyboard.press('Escape');

  const { name, text } = await readExport(page, menu);
  expect(name).toBe('versements-payes.csv');
  expect(text.startsWith('\ufeff')).toBe(true);
  const lines = text.slice(1).trimEnd().split('\r\n');
  expect(lines).toHaveLength(paid.length + 1);
  expect(lines[0]?.split(';').slice(0, header.length)).toEqual(header);
  const [payout] = paid;
  const line = lines.find((one) => one.includes(`;${formatPayoutNumber(payout?.payoutId ?? 0)};`));
  expect(line?.split(';').slice(3, 8)).toEqual([
    ...[payout?.payoutAmount, payout?.payoutFee, payout?.payoutNet].map((amount) => cents(amount ?? 0)),
    payout?.destination,
    day.format(payout?.payoutCreatedAt),
  ]);

  const workbook = await pickDownload(page, menu, 'XLSX');
  expect(workbook.suggestedFilename()).toBe('versements-payes.xlsx');
  const [names, ...rows] = await readWorkbook(await workbook.path());
  expect(names?.slice(0, header.length)).toEqual(header);
  expect(rows).toHaveLength(paid.length);
  const row = rows.find((cells) => cells[2] === formatPayoutNumber(payout?.payoutId ?? 0)) ?? [];
  expect(row.slice(3, 6)).toEqual(
    [payout?.payoutAmount, payout?.payoutFee, payout?.payoutNet].map((amount) => ({ number: String(amount) })),
  );
  const [date = 0, month = 0, year = 0] = day.format(payout?.payoutCreatedAt).split('/').map(Number);
  const serial = (Date.UTC(year, month - 1, date) - Date.UTC(1899, 11, 30)) / 86_400_000;
  expect(row[7]).toEqual({ number: String(serial) });
});

test('files have French names, and the currency of a sum in its header', async ({ page, api }) => {
  await api.readCsrf();
  for (const [path, file, money] of [
    ['/library/releases/unpaid', 'sorties-en-attente.csv', undefined],
    ['/library/releases/unpublished', 'sorties-non-publiees.csv', undefined],
    ['/accounts/invoices', 'factures.csv', 'Total TTC (EUR)'],
    ['/services/subscriptions', 'abonnements.csv', 'Montant TTC (EUR)'],
  ] as const) {
    await page.goto(path);
    await expectReady(page);
    const { name, text } = await readExport(page, page.getByRole('button', { name: 'Exporter', exact: true }));
    expect(name).toBe(file);
    const columns = text.slice(1, text.indexOf('\r\n')).split(';');
    if (money !== undefined) expect(columns).toContain(money);
    expect(columns).not.toContain('Devise');
  }
});

test('a template is filled in, saved by French Excel and imported', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Zoé', lname: `Modèle-${mark}`, country: 'France' },
  });
  await page.goto(`/accounts/profiles/${account.id}`);
  await page.getByRole('button', { name: 'Importer des sorties' }).click();
  const menu = page.getByRole('dialog').getByRole('button', { name: 'Télécharger le modèle' });
  const workbook = await pickDownload(page, menu, 'XLSX');
  expect(workbook.suggestedFilename()).toBe('modele-sorties.xlsx');
  const { name, text } = await readExport(page, menu);
  expect(name).toBe('modele-sorties.csv');
  const [columns = ''] = text.slice(1).split('\r\n');
  expect(columns.split(';')).toEqual((await readWorkbook(await workbook.path()))[0]);

  // Windows-1252 without a byte order mark, as a French Excel saves CSV.
  const filled = `${columns}\r\nÉté à Nîmes;Zoé;0036000291452;;Réveil ${mark}\r\n`;
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /^Fichier des sorties/ }).click();
  await (await chooser).setFiles({ name, mimeType: 'application/vnd.ms-excel', buffer: Buffer.from(filled, 'latin1') });
  await expect(page.getByText('1 nouvelle sortie')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Importer', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  const { data: releases } = await api.call(routes.listProfileLibraries, { params: { id: account.id } });
  expect(releases).toMatchObject([
    { title: `Réveil ${mark}`, barcode: '0036000291452', tracks: [{ title: 'Été à Nîmes' }] },
  ]);
});
