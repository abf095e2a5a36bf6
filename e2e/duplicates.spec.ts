import { routes } from '@regie/contract/routes.ts';
import { balanceOf, journalOf, successStatus } from './support/payees.ts';
import { expectReady, importReleases } from './support/screens.ts';
import { distrokidFile, sendStatement } from './support/statements.ts';
import { expect, expectNoAxeViolationsInBoth, test } from './support/test.ts';

/** No other test posts it; a euro was 1.1422 dollars, a rate of that quarter. */
const month = '2020-03';

test('duplicate lines are shown before checking and posting, and a cumulative file replaces the former one', async ({
  page,
  api,
}) => {
  test.setTimeout(180_000);
  const mark = crypto.randomUUID().slice(0, 8);
  const number = String(Math.floor(Math.random() * 10_000)).padStart(4, '0');
  const isrcs = [1, 2, 3, 4, 5].map((n) => `FRE2D${number}${String(n).padStart(3, '0')}`);
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Inès', lname: `Double-${mark}`, country: 'France', libraryIncomePercentile: 100 },
  });
  await page.goto(`/accounts/profiles/${account.id}`);
  await importReleases(
    page,
    `titre;artistes;upc;isrc\n${isrcs.map((isrc, index) => `Titre ${index};Inès;;${isrc}\n`).join('')}`,
  );

  // The month is posted, with one store.
  const rows = isrcs.map((isrc, index) => ({ isrc, month, amount: `${(index + 1) * 1.1422}` }));
  const name = (of: string) => `${of}-${mark}.tsv`;
  const first = await sendStatement(api, name('posted'), distrokidFile(rows.slice(0, 2)));
  await api.checkStatement(first);
  await api.postMonth(month);
  expect(await balanceOf(api, account.id)).toBe(3);

  // Another file has one of its lines, which must be confirmed when checking it.
  const second = await sendStatement(api, name('partial'), distrokidFile(rows.slice(1, 4)));
  await page.goto(`/reporting/statements/${second}`);
  const notice = page.getByRole('main').getByRole('listitem').filter({ hasText: 'en double avec' });
  await expect(notice).toHaveCount(1);
  await expect(notice).toContainText('1 ligne (2,00 €) en double avec');
  await expect(notice).toContainText(`${name('posted')} (validé, 1 ligne déjà comptabilisée)`);
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('button', { name: 'Valider le relevé' }).click();
  const checking = page.getByRole('dialog', { name: 'Valider le relevé' });
  await checking.getByRole('button', { name: 'Valider le relevé' }).click();
  const confirmation = checking.getByRole('checkbox', { name: 'Ces lignes ne sont pas un doublon' });
  await expect(confirmation).toBeFocused();
  await expect(checking.getByText('confirmez qu’il ne s’agit pas d’un doublon')).toHaveCount(1);
  await expectNoAxeViolationsInBoth(page);
  await confirmation.check();
  await checking.getByRole('button', { name: 'Valider le relevé' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Validé');
  expect(await journalOf(api, 'statement', second)).toContain('statement.check');

  // The posting shows it again, before anything is posted.
  await page.goto(`/reporting/months/${month}`);
  const section = page.getByRole('region', { name: 'Résultat du mois' });
  const twice = section.getByRole('listitem').filter({ hasText: 'en double avec' });
  await expect(twice).toContainText(`${name('partial')} : 1 ligne (2,00 €) en double avec ${name('posted')}`);
  await expect(twice).toContainText('déjà comptabilisé, confirmé à la validation');
  await expectNoAxeViolationsInBoth(page);
  await section.getByRole('button', { name: /^Comptabiliser/ }).click();
  await expect(successStatus(page, 'Comptabilisé : 3 rapports, 9,00 € aux comptes.')).toBeVisible();
  expect(await balanceOf(api, account.id)).toBe(12);

  // The source sends the same file with new lines.
  const third = await sendStatement(api, name('cumulative'), distrokidFile(rows.slice(1)));
  await page.goto(`/reporting/statements/${third}`);
  await expectReady(page);
  await expect(
    page.getByText(`Ce relevé reprend « ${name('partial')} » et l’augmente de 1 ligne, 5,00 €`),
  ).toBeVisible();
  await expectNoAxeViolationsInBoth(page);

  // Sums in euros say what they include twice, and the month offers to replace the former statement.
  const doubled = 'En double, à vérifier : 9,00 €';
  await page.goto(`/reporting/months?from=${month}&to=${month}`);
  await page
    .getByRole('row', { name: /^Total/ })
    .getByRole('link')
    .focus();
  await expect(page.getByRole('tooltip')).toContainText(doubled);
  await page.goto(`/reporting/analytics?from=${month}`);
  await expect(page.getByText(doubled)).toBeVisible();
  await page.goto(`/reporting/analytics/pivot?from=${month}&to=${month}&country=FR`);
  await expect(page.getByText(`${doubled}, sans les filtres`)).toBeVisible();
  await page.goto(`/reporting/months/${month}`);
  await expect(page.getByText(`${doubled}. Ce relevé reprend`)).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('button', { name: 'Remplacer l’ancien relevé' }).click();
  const asked = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await expect(asked).toContainText(name('partial'));
  await expect(asked).toContainText('est contre-passé : 3 rapports, 9,00 €');
  // The dialog's buttons stay on screen while it closes.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  let replacements = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/replace') && request.postData()?.includes('"dryRun":false')) replacements += 1;
  });
  const button = asked.getByRole('button', { name: 'Remplacer l’ancien relevé' });
  const isFreeAgain = button.evaluate(
    (element) =>
      new Promise<boolean>((resolve) => {
        new MutationObserver(() => {
          if (!element.matches(':disabled')) resolve(element.closest('[inert]') === null);
        }).observe(element, { attributes: true });
      }),
  );
  await button.dblclick({ delay: 60 });
  expect(await isFreeAgain).toBe(false);
  await expect(asked).toBeHidden();
  expect(replacements).toBe(1);
  await expect(successStatus(page, 'Le relevé corrigé remplace le précédent')).toBeVisible();
  expect(await balanceOf(api, account.id)).toBe(3);
  await expect(page.getByText(/Ce relevé reprend/)).toBeHidden();
  // The remaining lines equal the posted ones.
  await page.goto(`/reporting/statements/${third}`);
  await expect(notice).toContainText('1 ligne (2,00 €) en double avec');
  await page.goto(`/reporting/statements/${second}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Remplacé');
});
