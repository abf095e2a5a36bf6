import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { readExport } from './support/screens.ts';
import { expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

const euros = (amount: number) =>
  new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR' })
    .format(amount)
    .replaceAll(/[\u202f\u00a0]/g, '\u00a0')
    .replace('-', '−');

test('the accounting of a type: three figures, its months, charts with tables', { tag: '@area' }, async ({
  page,
  api,
}) => {
  const { data: accounts } = await api.call(routes.listProfiles, { query: { limit: 1 } });
  const userId = accounts.accounts[0]?.id ?? 0;
  const { data: before } = await api.call(routes.getAccountingStats, { query: { type: 'youtube' } });
  await api.call(routes.createYoutubeReport, {
    body: { userId, fromDate: monthToMs('2024-02'), incomeOfYoutube: 108.24, again: true },
  });
  const { data: after } = await api.call(routes.getAccountingStats, { query: { type: 'youtube' } });
  expect(after.totalIncome).toBeGreaterThan(before.totalIncome);

  await page.goto('/accounting/youtube');
  const figures = page.getByRole('list', { name: 'Chiffres clés' }).getByRole('listitem');
  await expect(figures).toHaveCount(3);
  const { data: months } = await api.call(routes.listAccountingReports, {
    query: { type: 'youtube', from: monthToMs('2024-01'), to: monthToMs('2024-03') },
  });
  const february = months.find(({ fromDate }) => fromDate === monthToMs('2024-02'));
  await expect(figures.filter({ hasText: 'Revenus crédités' })).toContainText(/\d,\d\d\u00a0€/);
  await expect(figures.filter({ hasText: 'Reste à verser' })).toContainText(/\d,\d\d\u00a0€/);

  await page.getByRole('button', { name: 'Filtrer par Mois' }).click();
  const editor = page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Appliquer' }) });
  // With the keyboard only: a typed month is accepted by Enter or on blur.
  await editor.getByRole('combobox', { name: 'De' }).fill('02/2024');
  await page.keyboard.press('Enter');
  await expect(editor.getByRole('option')).toHaveCount(0);
  await editor.getByRole('combobox', { name: 'À' }).fill('2/24');
  await editor.getByRole('combobox', { name: 'À' }).blur();
  await expect(editor.getByRole('combobox', { name: 'À' })).toHaveValue('02/2024');
  await editor.getByRole('button', { name: 'Appliquer' }).press('Enter');
  await expect(page).toHaveURL(/from=2024-02&to=2024-02/);
  const amount = euros(february?.totalIncome ?? 0);
  const list = page.getByRole('table').last();
  await expect(list.getByRole('row')).toHaveCount(2);
  await expect(list.getByRole('row').nth(1)).toContainText('févr. 2024');
  await expect(list.getByRole('row').nth(1)).toContainText(amount);

  const chart = page.getByRole('region', { name: 'Revenus par mois et par type', exact: true });
  await chart.getByText('Voir les chiffres').click();
  const table = chart.getByRole('table');
  await expect(table.getByRole('columnheader')).toHaveText(['Mois', 'Plateformes', 'Plateformes vidéo']);
  await expect(
    table
      .getByRole('row', { name: /^févr\. 2024/ })
      .getByRole('cell')
      .last(),
  ).toHaveText(amount);
  await expectNoAxeViolations(page);
  const { name, text } = await readExport(page, page.getByRole('button', { name: 'Exporter' }));
  expect(name).toBe('comptabilite-plateformes-video.csv');
  expect(text).toContain(`2024-02;Plateformes vidéo;${february?.totalIncome.toFixed(2).replace('.', ',')}\r\n`);

  await page.goto('/accounting/youtube?from=2020-01&to=2020-02');
  await expect(chart.getByText('Aucun montant sur cette période.')).toBeVisible();
  expect((await chart.boundingBox())?.height).toBeLessThan(150);

  await page.getByRole('button', { name: 'Effacer les filtres' }).first().click();
  await chart.getByText('Voir les chiffres').click();
  const slider = chart.getByRole('slider');
  await slider.focus();
  await page.keyboard.press('Home');
  const first = table.getByRole('row').last();
  const month = await first.getByRole('rowheader').innerText();
  await expect(slider).toHaveAttribute('aria-valuetext', new RegExp(`^${month}, Plateformes `));
  await page.keyboard.press('ArrowRight');
  await expect(slider).not.toHaveAttribute('aria-valuetext', new RegExp(`^${month}, `));
  const flows = page.getByRole('region', { name: 'Versé et dû', exact: true });
  await flows.getByText('Voir les chiffres').click();
  await expect(flows.getByRole('columnheader')).toHaveText(['Mois', 'Versé', 'Dû']);
  expect(await flows.getByRole('table').getByRole('row').count()).toBeGreaterThan(12);
});

test('an error of the accounting is shown and can be retried; each type requires its own capability', async ({
  page,
  api,
}) => {
  await api.readCsrf();
  await page.route('**/api/accounting/stats/common*', (route) => route.abort());
  await page.goto('/accounting/platform');
  const alert = page.getByRole('alert').filter({ hasText: 'Vérifiez votre connexion internet et ressayez' });
  await expect(alert).toBeVisible();
  await page.unroute('**/api/accounting/stats/common*');
  await page.getByRole('button', { name: 'Réessayer' }).click();
  await expect(page.getByRole('list', { name: 'Chiffres clés' })).toContainText(/\d,\d\d\u00a0€/);

  const reader = await api.addAdmin('Comptable', ['read_platforms_stats']);
  await page.context().clearCookies();
  await signIn(page, reader.email, reader.password);
  await page.goto('/accounting/youtube');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Accès non autorisé');
  await page.goto('/accounting/platform');
  const chart = page.getByRole('region', { name: 'Revenus par mois et par type', exact: true });
  await chart.getByText('Voir les chiffres').click();
  await expect(chart.getByRole('columnheader')).toHaveText(['Mois', 'Plateformes']);
  await expect(page.getByRole('link', { name: 'Plateformes vidéo' })).toHaveCount(0);
});

test('reports are listed by type and by months, and link to their details', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Inès', lname: `Vidéo-${mark}`, country: 'France', email: `${mark}@clients.example` },
  });
  const { data: made } = await api.call(routes.createYoutubeReport, {
    body: { userId: account.id, fromDate: monthToMs('2023-07'), incomeOfYoutube: 21.63 },
  });
  const rows = page
    .getByRole('main')
    .getByRole('row')
    .filter({ hasText: `Inès Vidéo-${mark}` });

  await page.goto('/reporting');
  const views = page.getByRole('navigation', { name: 'Vues de la liste' });
  await expect(views.locator('[aria-current="page"]')).toHaveText('Tous');
  await page.goto(`/reporting?from=2023-07&to=2023-07&userId=${account.id}`);
  await expect(rows).toHaveCount(1);
  await views.getByRole('link', { name: 'Plateformes', exact: true }).click();
  await expect(page).toHaveURL(/^[^?]*\/reporting\/platform\?.*from=2023-07/);
  await expect(page.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();
  await page.goto(`/reporting/youtube?from=2023-07&to=2023-07&userId=${account.id}`);
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('juil. 2023');
  await rows.getByRole('link').first().click();
  await expect(page).toHaveURL(`/reporting/report/${made.id}`);
  const main = page.getByRole('main');
  // A report's dates are month first (product §21.2).
  await expect(main.getByRole('row').filter({ hasText: '07/01/2023' })).toContainText(/21,63\s\$US/);
  await expect(main.getByText('Écoutes', { exact: true })).toHaveCount(0);

  await main.getByRole('button', { name: 'Supprimer le rapport' }).click();
  await page
    .getByRole('dialog', { name: 'Vous êtes sure?' })
    .getByRole('button', { name: /^Supprimer/ })
    .click();
  await expect(page).toHaveURL(`/reporting/youtube?from=2023-07&to=2023-07&userId=${account.id}`);
  await expect(api.call(routes.getReport, { params: { id: made.id } })).rejects.toThrow('404');
});
