import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { Api } from './support/api.ts';
import { toUnits } from './support/decimals.ts';
import { addPayee, balanceOf, confirm, openAs, successStatus } from './support/payees.ts';
import { expectReady, fact, importReleases, pickMonth, watchShifts } from './support/screens.ts';
import { addColleague, addSignatory } from './support/staff.ts';
import { chooseFiles, distrokidFile, removePresets, sendStatement, waitUntilRead } from './support/statements.ts';
import { countClicks, expect, expectNoAxeViolationsInBoth, test } from './support/test.ts';

/** No other test posts it; a euro was 1.0530 dollars. */
const month = '2022-09';
const period = `from=${month}&to=${month}`;

/** A statement in Believe's format, in euros with decimal commas. */
const believeFile = (isrc: string, net: string, of: string = month) =>
  `Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Release Catalog nb;Streaming Subscription Type;Release type;Sales Type;Quantity;Client Payment Currency;Unit Price;Mechanical Fee;Gross Revenue;Client share rate;Net Revenue
01/${of.slice(5)}/${of.slice(0, 4)};01/${of.slice(5)}/${of.slice(0, 4)};Deezer;France;Régie;Zoé;Album;Deux;;${isrc};;Premium;Single;Stream;1200;EUR;0,0043;0;${net};100;${net}
`;

test('a month of mixed files leads from upload to reports and a payable balance', async ({ page, api }) => {
  test.setTimeout(180_000);
  const mark = crypto.randomUUID().slice(0, 8);
  const number = String(Math.floor(Math.random() * 100_000)).padStart(5, '0');
  const [one, two] = [`FRE2M${number}01`, `FRE2M${number}02`];
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Zoé', lname: `Mois-${mark}`, country: 'France', libraryIncomePercentile: 80 },
  });
  await page.goto(`/accounts/profiles/${account.id}`);
  await importReleases(page, `titre;artistes;upc;isrc\nUn;Zoé;;${one}\nDeux;Zoé;;${two}\n`);

  // Two stores, two currencies, two decimal marks.
  await page.goto('/reporting/statements');
  await expectReady(page);
  const files = [
    { name: `distrokid-${mark}.tsv`, content: distrokidFile([{ isrc: one, month, amount: '10.53000000' }]) },
    { name: `believe-${mark}.csv`, content: believeFile(two, '5,25') },
  ];
  await chooseFiles(page, page.getByRole('button', { name: 'Déposer des relevés : Choisir des fichiers' }), files);
  const fileRow = (name: string) => page.getByRole('row').filter({ hasText: name });
  for (const { name } of files) await expect(fileRow(name)).toContainText('À valider', { timeout: 30_000 });
  for (const { name } of files) {
    await page.goto('/reporting/statements');
    await fileRow(name).getByRole('link', { name }).click();
    await page.getByRole('button', { name: 'Valider le relevé' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Valider le relevé' });
    // The latest dollar rate is eight months old and must be confirmed. Euros have no rate.
    if (name.startsWith('distrokid')) {
      await expect(dialog.getByRole('listitem').filter({ hasText: 'Taux USD pour sept.\u00a02022' })).toContainText(
        'dernier taux connu, janv.\u00a02022 (1,0530\u00a0USD pour 1\u00a0€)',
      );
      await confirm.click();
      await expect(dialog.getByText('confirmez-le').first()).toBeVisible();
      await dialog.getByRole('checkbox', { name: 'Je confirme ces taux\u00a0: USD (janv.\u00a02022).' }).check();
      await expectNoAxeViolationsInBoth(page);
    }
    await confirm.click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Validé');
  }

  // The board shows that the month is ready, and links to the posting.
  await page.goto(`/reporting/months?${period}`);
  await expectReady(page);
  const sourceRow = (source: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: source, exact: true }) });
  await expect(sourceRow('DistroKid')).toContainText('Validé');
  await sourceRow('DistroKid').getByRole('link').focus();
  await expect(page.getByRole('tooltip')).toContainText('Taux anciens\u00a0: USD (janv.\u00a02022)');
  await expect(sourceRow('Believe')).toContainText('5,25 €');
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('link', { name: 'Comptabiliser sept. 2022' }).click();
  const outcome = page.getByRole('region', { name: 'Résultat du mois' });
  await expect(outcome.getByRole('definition').first()).toHaveText('15,25 €');
  await expect(outcome.getByRole('row').filter({ hasText: `Mois-${mark}` })).toContainText('12,20 €');
  expect(await balanceOf(api, account.id)).toBe(0);
  await expectNoAxeViolationsInBoth(page);
  // It is shown again and was confirmed with the statement; a different rate must be confirmed again.
  await expect(outcome.getByText('USD\u00a0: dernier taux connu, janv.\u00a02022')).toBeVisible();
  await expect(outcome.getByRole('checkbox')).toBeHidden();
  await api.call(routes.putExchangeRate, { body: { month: monthToMs('2022-02'), currency: 'USD', rate: 1.053 } });
  await page.reload();
  const post = outcome.getByRole('button', { name: 'Comptabiliser 15,25 €' });
  await expect(post).toBeDisabled();
  await outcome.getByRole('checkbox', { name: 'Je confirme ces taux pour sept. 2022 : USD (févr. 2022)' }).check();
  await expectNoAxeViolationsInBoth(page);
  await post.click();
  await expect(successStatus(page, 'Comptabilisé : 2 rapports, 12,20 € aux comptes.')).toBeVisible();
  expect(await balanceOf(api, account.id)).toBe(12.2);
  await expect(outcome).toContainText(
    'Déjà comptabilisé\u00a0: 2 rapports, 12,20 € crédités aux comptes et aux parrains.',
  );
  await expect(outcome.getByRole('button', { name: /^Comptabiliser/ })).toHaveCount(0);

  // The posting is an ordinary import: listed, explained, and reversible.
  await page.getByRole('link', { name: 'Voir l’import' }).click();
  await expect(page).toHaveURL(/\/reporting\/import\/\d+$/);
  await page.goto(`/reporting/months?${period}`);
  await expect(sourceRow('DistroKid')).toContainText('Comptabilisé');
  await expect(page.getByRole('link', { name: 'Comptabiliser sept. 2022' })).toBeHidden();
  await page.goto(`/payouts/unpaid-accounts?q=Mois-${mark}`);
  await expect(page.getByRole('row').filter({ hasText: `Mois-${mark}` })).toContainText('12,20 €');
});

test('a posted month is offered for signature, and its payouts are then paid at once', async ({
  page,
  api,
  bookkeeper,
  browser,
  dataDir,
}) => {
  const own = '2023-04';
  const mark = crypto.randomUUID().slice(0, 8);
  await api.readCsrf();
  const payee = await addPayee(bookkeeper, { fname: 'Zoé', lname: `Signé-${mark}` }, 0);
  const isrc = `FRE4M${String(Math.floor(Math.random() * 10_000_000)).padStart(7, '0')}`;
  await page.goto(`/accounts/profiles/${payee.id}`);
  await importReleases(page, `titre;artistes;upc;isrc\nUn;Zoé;;${isrc}\n`);
  await api.checkStatement(await sendStatement(api, `believe-${mark}.csv`, believeFile(isrc, '2000,00', own)), {
    confirmDuplicates: true,
  });
  const clerk = await addColleague(dataDir, 'Noé', ['read_pending_payout', 'edit_pending_payout', 'read_paid_payout']);
  const { page: payer } = await openAs(browser, clerk);
  const { page: second } = await openAs(browser, await addSignatory(dataDir, 'Paule', []));
  await page.goto(`/reporting/months/${own}`);
  await page.getByRole('button', { name: /^Comptabiliser \d/ }).click();
  await expect(successStatus(page, 'Comptabilisé')).toBeVisible();
  // Who posts signs by it.
  await expect(page.getByText('1 signature sur 2')).toBeVisible();
  await expect(page.getByText('Signature possible, non requise')).toBeVisible();
  await expectNoAxeViolationsInBoth(page);

  const amount = Math.floor(await balanceOf(api, payee.id));
  const body = { userId: payee.id, account: payee.billingId, amount };
  const { payoutId } = (await api.call(routes.requestPayout, { body })).data;
  await payer.goto(`/payouts/payout/${payoutId}`);
  await expect(payer.getByText('Argent que personne n’a signé')).toBeVisible();

  const click = countClicks();
  await second.goto('/');
  await click(second.getByRole('main').getByRole('link', { name: /signatures? attendues? de vous/ }));
  await click(second.getByRole('link', { name: 'Mois comptabilisé : avril 2023' }));
  await expect(second.getByRole('table', { name: 'Crédité aux comptes' })).toContainText(payee.owner);
  await click(second.getByRole('button', { name: 'Signer', exact: true }));
  await expect(successStatus(second, 'Votre signature est enregistrée')).toBeVisible();
  expect(click.count).toBeLessThanOrEqual(3);

  await payer.reload();
  await expectReady(payer);
  await expect(payer.getByText('Argent que personne n’a signé')).toHaveCount(0);
  await payer.getByRole('button', { name: 'Marquer comme payé' }).click();
  await expect(payer.getByRole('combobox', { name: 'État' })).toHaveValue('PAID');
  await page.reload();
  await expectReady(page);
  await expect(page.getByText('Signature possible, non requise')).toHaveCount(0);
  for (const one of [payer, second]) await one.context().close();
});

/** An account with as many tracks. */
async function addTracks(api: Api, lname: string, count: number): Promise<{ account: number; isrcs: string[] }> {
  const number = String(Math.floor(Math.random() * 100_000)).padStart(5, '0');
  const isrcs = Array.from({ length: count }, (_, index) => `FRE3M${number}${String(index).padStart(2, '0')}`);
  const { data } = await api.call(routes.createProfile, {
    body: { fname: 'Zoé', lname, country: 'France', libraryIncomePercentile: 80 },
  });
  await api.call(routes.importProfileLibraries, {
    params: { id: data.id },
    body: {
      user: String(data.id),
      releases: isrcs.map((isrc, index) => ({ titre: `T${index}`, artistes: 'Zoé', barcode: '', isrc, album: lname })),
    },
  });
  return { account: data.id, isrcs };
}

/** A report by ISRC, whose month staff give. */
async function sendHouseFile(api: Api, name: string, isrc: string, month: string, amount: string): Promise<void> {
  const id = await sendStatement(api, name, `isrc;streams;incomeofstreams\n${isrc};10;${amount}\n`);
  const { data } = await api.call(routes.getStoreStatement, { params: { id } });
  const preset = data.head?.fitting[0]?.key ?? data.preset?.key ?? null;
  await api.call(routes.readStatementWith, {
    params: { id },
    body: { preset, month: monthToMs(month), decimalMark: '.' },
  });
  await waitUntilRead(api, id);
}

test('the amount of a source is the same on the board, in its month, in the list and on its page', async ({
  page,
  api,
}) => {
  // No other test has statements in it.
  const own = '2023-05';
  const mark = crypto.randomUUID().slice(0, 8);
  const { isrcs } = await addTracks(api, `Centimes-${mark}`, 2);
  const [one = '', two = ''] = isrcs;
  const sent = [
    {
      source: 'DistroKid',
      fileName: `distrokid-${mark}.tsv`,
      content: distrokidFile([{ isrc: one, month: own, amount: '10.01' }]),
    },
    { source: 'Believe', fileName: `believe-${mark}.csv`, content: believeFile(two, '5,2562', own) },
  ];
  for (const { source, fileName, content } of sent) {
    const id = await sendStatement(api, fileName, content);
    const shown: string[] = [];
    const read = async (text: Promise<string>) =>
      shown.push(/\d+,\d\d\s€/.exec((await text).replaceAll('\u00a0', ' '))?.[0] ?? '');
    await page.goto(`/reporting/months?from=${own}&to=${own}`);
    await expectReady(page);
    await read(page.getByRole('row', { name: source }).innerText());
    await page.goto(`/reporting/months/${own}`);
    await expectReady(page);
    await read(
      page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name: source }) })
        .innerText(),
    );
    await page.goto(`/reporting/statements?q=${mark}`);
    await expectReady(page);
    await read(
      page.getByRole('row').filter({ hasText: fileName }).getByRole('cell', { name: /€$/ }).first().innerText(),
    );
    await page.goto(`/reporting/statements/${id}`);
    await expectReady(page);
    await read(page.locator('main').innerText());
    expect([source, ...new Set(shown)]).toEqual([source, shown[0]]);
    expect(shown[0]).not.toBe('');
  }
});

test.describe('by touch', () => {
  test.use({ hasTouch: true });

  test('a first tap on a source of the board explains it, a second opens it', async ({ page, api }) => {
    await api.readCsrf();
    await page.goto('/reporting/months');
    const cell = page.getByRole('main').locator('td').getByRole('link', { name: 'Comptabilisé' }).last();
    await cell.tap();
    await expect(page.getByRole('tooltip')).toContainText('Touchez de nouveau pour ouvrir.');
    expect(new URL(page.url()).pathname).toBe('/reporting/months');
    await cell.tap();
    await expect(page).not.toHaveURL(/\/reporting\/months$/);
  });
});

test('a missing rate is added from the month that lacks it', async ({ page, api }) => {
  // A currency that no other journey gives a rate.
  const own = '2023-06';
  const mark = crypto.randomUUID().slice(0, 8);
  const { isrcs } = await addTracks(api, `Couronne-${mark}`, 1);
  await sendStatement(api, `believe-${mark}.csv`, believeFile(isrcs[0] ?? '', '23,00', own).replace(';EUR;', ';KES;'));
  await sendStatement(api, `euro-${mark}.csv`, believeFile(isrcs[0] ?? '', '7,00', own));
  await page.goto(`/reporting/months/${own}`);
  await expect(page.getByRole('region', { name: 'De la source à la banque' })).toContainText(
    /faute de taux\s: 23,00\sKES/,
  );
  const leftOut = page.getByRole('status').filter({ hasText: 'Ne seront pas comptabilisés' });
  await expect(leftOut.getByRole('listitem').filter({ hasText: `believe-${mark}.csv` })).toContainText(
    ': taux de change manquant',
  );
  await page.getByRole('link', { name: 'Ajouter le taux' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un taux' });
  await expect(dialog.getByRole('combobox', { name: 'À partir de' })).toHaveValue('06/2023');
  await expect(dialog.getByRole('textbox', { name: 'Devise' })).toHaveValue('KES');
  await expect(dialog.getByRole('textbox', { name: 'Pour 1\u00a0€' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(new RegExp(`/reporting/months/${own}$`));
  await page.getByRole('link', { name: 'Ajouter le taux' }).click();
  await dialog.getByRole('textbox', { name: 'Pour 1\u00a0€' }).fill('11,5');
  await expect(dialog.getByText('100,00\u00a0KES valent 8,70\u00a0€')).toBeVisible();
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  // The first rate of a currency has nothing to be compared with.
  await dialog.getByRole('checkbox', { name: 'Je confirme ce taux' }).check();
  const answer = Promise.withResolvers<void>();
  await page.route('**/api/reporting/month?*', (route) => answer.promise.then(() => route.continue()));
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(page).toHaveURL(new RegExp(`/reporting/months/${own}$`));
  await expect(page.getByRole('heading', { name: 'Relecture en cours…' })).toBeVisible();
  answer.resolve();
  await expect(page.getByRole('status').filter({ hasText: 'Le taux est enregistré' }).last()).toBeVisible();
  await expect(
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Believe' }) }),
  ).toContainText('2,00\u00a0€');
  await expect(page.getByRole('link', { name: 'Ajouter le taux' })).toHaveCount(0);
});

test('a month of three sources without alerts is closed from the home page in three clicks', async ({ page, api }) => {
  // The demo has posted it, and no other test has statements in it.
  const open = '2026-07';
  const mark = crypto.randomUUID().slice(0, 8);
  const { account, isrcs } = await addTracks(api, `Clos-${mark}`, 3);
  const [one = '', two = '', three = ''] = isrcs;
  const rows = [{ isrc: one, month: open, amount: '12.50', title: mark }];
  await sendStatement(api, `distrokid-${mark}.tsv`, distrokidFile(rows));
  await sendStatement(api, `believe-${mark}.csv`, believeFile(two, '5,25', open));
  await sendHouseFile(api, `maison-${mark}.csv`, three, open, '2.50');
  await page.goto('/');
  await expectReady(page);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/reporting/month') && !response.ok()) refused.push(response.url());
  });
  const click = countClicks();
  await click(page.getByRole('main').getByRole('link', { name: /^Juillet 2026/ }));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Juillet 2026');
  const outcome = page.getByRole('region', { name: 'Résultat du mois' });
  await click(page.getByRole('button', { name: 'Tout valider' }));
  await expect(successStatus(page, '3 relevés sont validés')).toBeVisible();
  const post = outcome.getByRole('button', { name: /^Comptabiliser \d+,\d\d €$/ });
  await expect(post).toBeEnabled();
  await expect(outcome).toContainText('voici ce qui est arrivé depuis');
  const due = toUnits(await fact(outcome, 'Comptes').innerText(), 2);
  await click(post);
  await expect(successStatus(page, 'Comptabilisé : 3 rapports')).toBeVisible();
  expect(click.count).toBe(3);
  await expect(outcome.getByRole('button', { name: /^Comptabiliser/ })).toHaveCount(0);
  await page.waitForLoadState('networkidle');
  // Nothing is left to post, so no preview is asked for.
  expect(refused).toEqual([]);
  expect(Math.round((await balanceOf(api, account)) * 100)).toBe(Number(due));
});

test('an unknown file leads from its upload to reports in eight clicks', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { account, isrcs } = await addTracks(api, `Inconnu-${mark}`, 3);
  const rows = isrcs.map((isrc, index) => `${isrc};FRA;${29 - index}/08/2023;12;Spotify;${index + 1}2,02`);
  const content = [
    'Studio Nord',
    '',
    `Réf ${mark};Lieu;Quand;Lectures;Via;Votre part (EUR)`,
    ...rows,
    'TOTAL;;;36;;66,06',
    '',
  ];
  const name = `studio-nord-${mark}.csv`;
  await page.goto('/reporting/statements');
  await expectReady(page);
  const click = countClicks();
  const chooser = page.waitForEvent('filechooser');
  await click(page.getByRole('button', { name: 'Déposer des relevés : Choisir des fichiers' }));
  await (await chooser).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content.join('\n')) });
  const listed = page.getByRole('row').filter({ hasText: name });
  await click(listed.getByRole('link', { name: 'Associer les colonnes' }));
  await expect(page.getByText('3 lignes lues, 66,06 €, ligne 7 = total')).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  await click(page.getByRole('button', { name: 'Enregistrer le modèle et lire le relevé' }));
  await click(page.getByRole('button', { name: 'Valider le relevé' }));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Valider le relevé' }));
  await click(page.getByRole('link', { name: 'Clôturer août 2023' }));
  await click(
    page.getByRole('region', { name: 'Résultat du mois' }).getByRole('button', { name: /^Comptabiliser \d/ }),
  );
  await expect(successStatus(page, 'Comptabilisé : 3 rapports')).toBeVisible();
  expect(click.count).toBeLessThanOrEqual(8);
  expect(await balanceOf(api, account)).toBeGreaterThan(0);
  await removePresets(api, 'Studio nord');
});

test('a month with alerts names the obstacle of each source, and is closed step by step', async ({
  page,
  api,
  browser,
}) => {
  const open = '2023-11';
  const mark = crypto.randomUUID().slice(0, 8);
  const { isrcs } = await addTracks(api, `Alertes ${mark} ${'longue-'.repeat(4)}`, 2);
  const [one = '', two = ''] = isrcs;
  await api.call(routes.putExchangeRate, {
    body: { month: monthToMs(open), currency: 'USD', rate: 1, confirmFar: true },
  });
  const row = (isrc: string, amount: string) => ({ isrc, month: open, amount, title: mark });
  await sendStatement(api, `a-${mark}.tsv`, distrokidFile([row(one, '10.00'), row('FRZZZ2600003', '4.00')]));
  await sendStatement(
    api,
    `b-${mark}-${'copie-'.repeat(12)}.tsv`,
    distrokidFile([row(one, '10.00'), row(two, '3.00')]),
  );
  const differing = await sendStatement(api, `c-${mark}.csv`, believeFile(two, '5,25', open));
  await api.call(routes.editStatement, {
    params: { id: differing },
    body: { accountingMonth: null, declaredAmount: '6', declaredCurrency: 'EUR' },
  });
  await page.goto(`/reporting/months/${open}`);
  await expectReady(page);
  const item = (name: string) =>
    page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name, exact: true }) });
  const [distrokid, declared] = [item('DistroKid'), item('Believe')];
  await expect(distrokid).toContainText('Attribué : à faire');
  await expect(distrokid).toContainText('4,00 € non attribués.');
  await expect(distrokid.getByRole('link', { name: 'Attribuer ces revenus' })).toHaveAttribute(
    'href',
    `/reporting/unmatched?source=DistroKid&month=${open}`,
  );
  await expect(
    distrokid.getByText('1 ligne est en double avec').or(distrokid.getByText('Une ligne est en double avec')),
  ).toHaveCount(2);
  await expect(declared).toContainText('Le montant déclaré diffère de la somme des lignes');
  // Every statement has an alert: there is nothing to validate at once.
  await expect(page.getByRole('button', { name: 'Tout valider' })).toHaveCount(0);
  const outcome = page.getByRole('region', { name: 'Résultat du mois' });
  await expect(outcome.getByRole('heading', { name: 'Prévision' })).toBeVisible();
  await expect(outcome.getByRole('button', { name: /^Comptabiliser/ })).toBeDisabled();
  await expectNoAxeViolationsInBoth(page);

  // It opens the confirmation of the statement's page, by the keyboard too.
  await page.getByRole('button', { name: `Valider c-${mark}.csv` }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Valider le relevé' });
  await dialog.getByRole('textbox', { name: 'Explication de l’écart' }).fill('Arrondi de la banque');
  await dialog.getByRole('button', { name: 'Valider le relevé' }).click();
  await expect(successStatus(page, 'Le relevé est validé')).toContainText('Annuler la validation');
  await expect(declared).toContainText('Validé : fait');
  const post = outcome.getByRole('button', { name: 'Comptabiliser 5,25 €' });
  await expect(post).toBeEnabled();

  // Another plain statement, and one whose income has no track: only the plain one is validated, and nothing moves.
  await sendHouseFile(api, `d-${mark}.csv`, one, open, '7.00');
  await sendStatement(api, `e-${mark}.csv`, believeFile('FRZZZ2600004', '2,00', open));
  await page.reload();
  const files = page.getByRole('link', { name: `e-${mark}.csv` }).first();
  const place = await files.boundingBox();
  await page.getByRole('button', { name: 'Tout valider' }).click();
  await expect(successStatus(page, '1 relevé est validé')).toBeVisible();
  await expect(page.getByRole('button', { name: `Valider e-${mark}.csv` })).toBeVisible();
  expect(await files.boundingBox()).toEqual(place);
  const ready = outcome.getByRole('button', { name: 'Comptabiliser 12,25 €' });
  await expect(ready).toBeEnabled();
  // The validation is taken back from its message.
  await page.getByRole('button', { name: 'Annuler la validation' }).click();
  await expect(successStatus(page, 'La validation est annulée')).toBeVisible();
  await expect(post).toBeEnabled();
  await page.getByRole('button', { name: 'Tout valider' }).click();
  await expect(ready).toBeEnabled();
  // What the posting leaves out stands beside its button.
  const leftOut = outcome.getByRole('status').filter({ hasText: 'Ne seront pas comptabilisés' });
  await expect(leftOut.getByRole('listitem').filter({ hasText: `a-${mark}.tsv` })).toContainText('doublon à vérifier');
  await expect(leftOut.getByRole('listitem').filter({ hasText: 'Believe' })).toContainText('2,00 € non attribués');
  // The amounts of the files of a source end where the source's does.
  const ends = await distrokid
    .getByText('€', { exact: false })
    .evaluateAll((all) =>
      all
        .filter((node) => node.childElementCount === 0 && /^[\d ,\u00a0\u202f]+€$/.test(node.textContent ?? ''))
        .map((node) => Math.round(node.getBoundingClientRect().right)),
    );
  expect(ends.length).toBeGreaterThan(2);
  expect(new Set(ends).size).toBe(1);

  await test.step('on a phone the button is in the bar of the record', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const inBar = page.getByRole('banner').or(page.locator('header')).getByRole('button', {
      name: 'Comptabiliser 12,25 €',
    });
    await expect(inBar).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('button', { name: /^Comptabiliser/ })).toHaveCount(1);
    await expectNoAxeViolationsInBoth(page);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  // Who only reads sees the same, without actions.
  const { page: reader } = await openAs(browser, await api.addAdmin('Lina', ['read_reports']));
  await reader.goto(`/reporting/months/${open}`);
  await expectReady(reader);
  await expect(reader.getByRole('region', { name: 'Résultat du mois' }).getByRole('definition').first()).toHaveText(
    '41,25 €',
  );
  await expect(reader.getByText('4,00 € non attribués.')).toBeVisible();
  await expect(reader.getByRole('link', { name: 'Attribuer ces revenus' })).toHaveCount(0);
  await expect(reader.getByRole('main').getByRole('button', { name: /Valider|valider|Comptabiliser/ })).toHaveCount(0);
  await expectNoAxeViolationsInBoth(reader);
  await reader.context().close();

  await ready.click();
  await expect(successStatus(page, 'Comptabilisé : 2 rapports')).toBeVisible();
  await expect(outcome.getByRole('heading', { name: 'Prévision' })).toBeVisible();
  await expectNoAxeViolationsInBoth(page);

  // The posting is reversed from its message, and can be done again.
  await page.getByRole('button', { name: 'Contre-passer l’import' }).click();
  await expect(successStatus(page, 'L’import est contre-passé')).toBeVisible();
  await expect(ready).toBeEnabled();
  const moved = await watchShifts(page);
  await page.reload();
  await expect(ready).toBeEnabled();
  expect(await moved()).toBeLessThan(0.001);
  await ready.click();
  await expect(successStatus(page, 'Comptabilisé : 2 rapports')).toBeVisible();
});

test('the report page shows the figures before it posts a month or deletes its reports', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { account, isrcs } = await addTracks(api, `Supprimé-${mark}`, 1);
  const posted = '2023-12';
  await api.call(routes.putExchangeRate, {
    body: { month: monthToMs(posted), currency: 'USD', rate: 1, confirmFar: true },
  });
  await api.checkStatement(
    await sendStatement(
      api,
      `s-${mark}.tsv`,
      distrokidFile([{ isrc: isrcs[0] ?? '', month: posted, amount: '5.00', title: mark }]),
    ),
  );
  await page.goto('/reporting/platform/add?section=automatic');
  await pickMonth(page, 'Mois à comptabiliser', '11/2023');
  const check = page.getByRole('button', { name: 'Contrôler ce qui sera comptabilisé' });
  await check.click();
  await expect(page.getByRole('alert').filter({ hasText: 'n’attend pour ce mois' })).toBeVisible();
  await pickMonth(page, 'Mois à comptabiliser', '12/2023');
  await check.click();
  const asked = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(asked).toContainText(/Rapports1Brut en euros5,00\s€Comptes4,00\s€Parrains0,00\s€Distributeur1,00\s€/);
  await expectNoAxeViolationsInBoth(page);
  await confirm(page, 'Comptabiliser le mois');
  await expect(successStatus(page, 'Comptabilisé : 1 rapport, 4,00 € aux comptes')).toBeVisible();
  expect(await balanceOf(api, account)).toBe(4);
  await page.goto('/reporting/imports');
  await page.getByRole('button', { name: 'Autres actions' }).click();
  await page.getByRole('menuitem', { name: 'Supprimer les rapports d’un mois' }).click();
  await expect(page).toHaveURL('/reporting/platform/add?section=month');
  await pickMonth(page, 'Mois', '12/2023');
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('button', { name: 'Contrôler ce qui sera supprimé' }).click();
  await expect(asked).toContainText('1 rapport, 4,00 € seront contre-passés');
  await confirm(page, 'Supprimer les rapports');
  await expect(successStatus(page, '1 rapport, 4,00 € contre-passés')).toBeVisible();
  expect(await balanceOf(api, account)).toBe(0);
});
