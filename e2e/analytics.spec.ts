import { appleMusicFile } from '@regie/api/test/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { expectReady, watchShifts } from './support/screens.ts';
import { distrokidFile, sendStatement } from './support/statements.ts';
import { expect, expectNoAxeViolationsInBoth, signIn, test } from './support/test.ts';

/** No other test loads it; a euro was 1.1827 dollars. */
const month = '2021-04';

test('nothing moves while the analysis of income is read', { tag: '@area' }, async ({ page, api }) => {
  // The notice of a currency without a rate comes with the figures.
  const from = '2024-03';
  const amounts = ['12.5'];
  await sendStatement(
    api,
    `sans-taux-${crypto.randomUUID()}.txt`,
    appleMusicFile({ month: from, currency: 'ISK', amounts }),
  );
  await expect
    .poll(async () => (await api.call(routes.getAnalytics, { query: { from: monthToMs(from) } })).data)
    .toMatchObject({ pendingMonths: 0, missingRates: [{ currency: 'ISK' }] });
  // The first page loads the font.
  await page.goto('/');
  await expectReady(page);
  const shifts = await watchShifts(page);
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    await page.goto(`/reporting/analytics?from=${from}`);
    await expectReady(page);
    await expect(page.getByRole('list', { name: 'Chiffres de la période' })).toContainText('€');
    await expect(page.getByText(/12,50\sISK/)).toBeVisible();
    await expect(page.getByRole('region', { name: 'Revenus mois par mois', exact: true })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Analyse des revenus', level: 1 })).toHaveText(
      'Analyse des revenus',
    );
    expect([viewport.width, await shifts()]).toEqual([viewport.width, 0]);
  }
});

test('a month’s income is shown by store, country, track, release and account, down to its months', async ({
  page: adminPage,
  api,
  browser,
}) => {
  const { data: tracks } = await api.call(routes.listLibraryTracks, { query: { limit: 50 } });
  const track = tracks.find(({ isrc }) => isrc);
  if (!track?.isrc) throw new Error('the demo has a track with an ISRC');
  const mark = crypto.randomUUID().slice(0, 8);
  const rows = [
    { isrc: track.isrc, month, store: `Lune ${mark}`, amount: '23.654' },
    { isrc: track.isrc, month, store: `Mars ${mark}`, amount: '11.827' },
    { isrc: 'FRINS2100001', month, store: `Mars ${mark}`, amount: '1.1827' },
  ];
  const id = await sendStatement(api, `analyse-${mark}.tsv`, distrokidFile(rows));

  const reader = await api.addAdmin('Lectrice', ['read_reports']);
  const page = await (await browser.newContext()).newPage();
  await signIn(page, reader.email, reader.password);
  await page.getByRole('link', { name: 'Analyse des revenus' }).click();
  await expect(page.getByRole('heading', { name: 'Analyse des revenus', level: 1 })).toBeVisible();
  await page.goto(`/reporting/analytics?from=${month}`);
  await expectReady(page);
  const figures = page.getByRole('list', { name: 'Chiffres de la période' });
  // Computed in parallel: the page reloads until it is done.
  await expect(figures).toContainText('31,00 €', { timeout: 90_000 });
  await expect(figures).toContainText('9 écoutes');
  const table = page.getByRole('table', { name: 'Analyse des revenus' });
  await expect(table.getByRole('row').nth(1)).toContainText(`Lune ${mark}20,00 €64,5 %`);
  await expect(table.getByRole('row').nth(2)).toContainText(`Mars ${mark}11,00 €35,5 %`);

  // A single store, by keyboard, and back.
  const rank = page.getByRole('region', { name: 'Principales plateformes' });
  await rank.getByRole('button', { name: `Lune ${mark}` }).focus();
  await page.keyboard.press('Enter');
  const months = page.getByRole('region', { name: `Lune ${mark}, mois par mois`, exact: true });
  await months.getByText('Voir les chiffres').click();
  await expect(months.getByRole('row', { name: 'avr. 2021' })).toContainText('20,00 €');
  await months.getByRole('button', { name: 'Tous les revenus' }).click();
  await expect(page.getByRole('region', { name: 'Revenus mois par mois', exact: true })).toBeVisible();
  await table.getByRole('button', { name: `Mars ${mark}` }).click();
  await expect(page.getByRole('region', { name: `Mars ${mark}, mois par mois`, exact: true })).toBeVisible();

  for (const [tab, first, last] of [
    ['Pays', 'France', 'France'],
    ['Titres', track.title, 'Sans titre'],
    ['Sorties', track.releaseTitle, 'Sans titre'],
    ['Comptes', '30,00 €', 'Sans titre attribué'],
  ] as const) {
    await page.getByRole('link', { name: tab, exact: true }).click();
    await expectReady(page);
    await expect(table.getByRole('row').nth(1)).toContainText(first);
    await expect(table.getByRole('row').last()).toContainText(last);
  }
  await page.getByRole('searchbox').fill('personne de ce nom');
  await expect(page.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();

  // The year of the month, from the list of years.
  await page.goto(`/reporting/analytics?by=period&span=year`);
  await expectReady(page);
  await table.getByRole('button', { name: '2021', exact: true }).click();
  await expect(page).toHaveURL(/by=store/);
  await expect(figures).toContainText('Revenus, 2021');
  await expect(figures).toContainText('31,00 €');
  await expectNoAxeViolationsInBoth(page);

  // A removed statement leaves analytics.
  await api.call(routes.deleteStatement, { params: { id } });
  await expect
    .poll(async () => (await api.call(routes.getAnalytics, { query: { from: monthToMs(month) } })).data.amountEur, {
      timeout: 90_000,
    })
    .toBe(0);
  await adminPage.goto(`/reporting/analytics?from=${month}`);
  await expect(adminPage.getByText('Aucun revenu sur cette période.')).toBeVisible();
});
