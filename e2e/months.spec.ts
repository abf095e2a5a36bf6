import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { balanceOf, successStatus } from './support/payees.ts';
import { expectReady, importReleases } from './support/screens.ts';
import { chooseFiles, distrokidFile } from './support/statements.ts';
import { expect, expectNoAxeViolationsInBoth, test } from './support/test.ts';

/** No other test posts it; a euro was 1.0530 dollars. */
const month = '2022-09';
const period = `from=${month}&to=${month}`;

/** A statement in Believe's format, in euros with decimal commas. */
const believeFile = (isrc: string, net: string) =>
  `Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Release Catalog nb;Streaming Subscription Type;Release type;Sales Type;Quantity;Client Payment Currency;Unit Price;Mechanical Fee;Gross Revenue;Client share rate;Net Revenue
01/10/2022;01/09/2022;Deezer;France;Régie;Zoé;Album;Deux;;${isrc};;Premium;Single;Stream;1200;EUR;0,0043;0;${net};100;${net}
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
  for (const { name } of files) await expect(fileRow(name)).toContainText('Chargé', { timeout: 30_000 });
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
  await expect(sourceRow('DistroKid')).toContainText('Taux anciens\u00a0: USD (janv.\u00a02022)');
  await expect(sourceRow('Believe')).toContainText('5,25 €');
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('link', { name: 'Compter sept. 2022' }).click();
  const section = page.getByRole('region', { name: 'Rapport automatique du mois' });
  await expect(section.getByRole('definition').first()).toHaveText('15,25 €');
  await expect(section.getByRole('row').filter({ hasText: `Mois-${mark}` })).toContainText('12,20 €');
  expect(await balanceOf(api, account.id)).toBe(0);
  await expectNoAxeViolationsInBoth(page);
  // It is shown again and was confirmed with the statement; a different rate must be confirmed again.
  await expect(section.getByText('USD\u00a0: dernier taux connu, janv.\u00a02022')).toBeVisible();
  await expect(section.getByRole('checkbox')).toBeHidden();
  await api.call(routes.putExchangeRate, { body: { month: monthToMs('2022-02'), currency: 'USD', rate: 1.053 } });
  await section.getByRole('button', { name: 'Contrôler ce qui sera comptabilisé' }).click();
  await expect(section.getByRole('button', { name: 'Créer les rapports' })).toBeDisabled();
  await section.getByRole('checkbox', { name: 'Je confirme ces taux pour sept. 2022 : USD (févr. 2022)' }).check();
  await section.getByRole('button', { name: 'Créer les rapports' }).click();
  await expect(successStatus(page, '2 rapports créés, 12,20 € aux comptes.')).toBeVisible();
  expect(await balanceOf(api, account.id)).toBe(12.2);

  // The posting is an ordinary import: listed, explained, and reversible.
  await page.getByRole('link', { name: 'Voir l’import' }).click();
  await expect(page).toHaveURL(/\/reporting\/import\/\d+$/);
  await page.goto(`/reporting/months?${period}`);
  await expect(sourceRow('DistroKid')).toContainText('Comptabilisé');
  await expect(page.getByRole('link', { name: 'Compter sept. 2022' })).toBeHidden();
  await page.goto(`/payouts/unpaid-accounts?q=Mois-${mark}`);
  await expect(page.getByRole('row').filter({ hasText: `Mois-${mark}` })).toContainText('12,20 €');

  // Another dry run finds nothing to post.
  await page.goto(`/reporting/platform/add?section=automatic&month=${month}`);
  await expect(page.getByRole('alert')).toContainText('Rien n’attend pour ce mois');
});
