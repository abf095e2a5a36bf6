import { routes } from '@regie/contract/routes.ts';
import { de } from '@regie/values/elision.ts';
import type { Api } from './support/api.ts';
import { confirm, journalOf, openAs, successStatus } from './support/payees.ts';
import { expectReady, expectTip } from './support/screens.ts';
import { distrokidFile, sendStatement } from './support/statements.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

/** A delivered track whose release has a barcode. */
async function findTrack(api: Api) {
  const { data } = await api.call(routes.listDeliveredReleases, { query: { limit: 50 } });
  for (const { id, barcode } of data) {
    const { data: found } = await api.call(routes.getResources, { params: { id } });
    const [track] = found.release.tracks;
    if (barcode && track?.isrc && found.release.tracks.length > 1) return { ...track, isrc: track.isrc, barcode };
  }
  throw new Error('the demo has no delivered release with a barcode');
}

/** A track whose ISRC no other has. */
async function findTrackAlone(api: Api) {
  const look = async (q: string) => (await api.call(routes.lookupTracks, { query: { q } })).data;
  for (const { label, hint } of await look('FR')) {
    const [isrc] = /FR\w{10}/.exec(hint ?? '') ?? [];
    if (isrc && (await look(isrc)).length === 1) return { label, isrc };
  }
  throw new Error('the demo has no track with an ISRC of its own');
}

/** Unused ISRCs with a common prefix. */
function makeIsrcs(count: number): { start: string; isrcs: string[] } {
  const start = `FRE2E${String(Math.floor(Math.random() * 100_000)).padStart(5, '0')}`;
  return { start, isrcs: Array.from({ length: count }, (_, i) => `${start}${String(i).padStart(2, '0')}`) };
}

test('matching the last income of a source and month says that it is finished', async ({ page, api }) => {
  const track = await findTrack(api);
  const { isrcs } = makeIsrcs(1);
  const [isrc = ''] = isrcs;
  // No other test has statements of this month.
  const rows = [{ isrc, title: track.title, upc: track.barcode, month: '2021-10', amount: '10' }];
  await sendStatement(api, `dernier-${isrc}.tsv`, distrokidFile(rows));
  await page.goto(`/reporting/unmatched?q=${isrc}`);
  const row = page.getByRole('row').filter({ hasText: isrc });
  // The file's ISRC is not ours, which is marked.
  await expect(row.locator('mark').filter({ hasText: track.isrc })).toBeVisible();
  await row.getByRole('button', { name: /^Attribuer/ }).click();
  const finished = successStatus(page, 'octobre 2021').getByRole('link');
  await expect(finished).toHaveText('DistroKid, octobre 2021\u00a0: tout est attribué');
  await finished.click();
  await expect(page).toHaveURL(/\/reporting\/months\/2021-10$/);
});

/** No other test posts it. */
const month = '2022-07';

test('unmatched income is matched by a click, in bulk, by choice; and unmatched again', async ({
  page,
  api,
  browser,
}) => {
  test.setTimeout(180_000);
  const track = await findTrack(api);
  const { start, isrcs } = makeIsrcs(4);
  const [first = '', second = '', third = '', lost = ''] = isrcs;
  const known = { title: track.title, upc: track.barcode, month };
  const lostTitle = `Introuvable ${start}`;
  const statement = await sendStatement(
    api,
    `non-attribues-${start}.tsv`,
    distrokidFile([
      { ...known, isrc: first, amount: '40' },
      { ...known, isrc: second, amount: '30' },
      { ...known, isrc: third, amount: '20' },
      { isrc: lost, title: lostTitle, artist: 'Personne', month, amount: '10' },
    ]),
  );

  // Home shows the pending work, with a link.
  await page.goto('/');
  await page
    .getByRole('listitem')
    .filter({ hasText: /revenus? non attribués?/ })
    .getByRole('link')
    .click();
  await expect(page).toHaveURL(/\/reporting\/unmatched$/);
  await page.goto(`/reporting/unmatched?q=${start}`);
  await expectReady(page);
  const row = (isrc: string) => page.getByRole('row').filter({ hasText: isrc });
  await expect(page.getByRole('list', { name: 'Chiffres clés' })).toContainText('€');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('4');
  await expect(row(first)).toContainText('Même code-barres et même titre');
  await expect(row(first)).toContainText(`non-attribues-${start}.tsv`);
  await expect(row(lost)).toContainText('Aucune suggestion');
  await expectNoAxeViolations(page);

  // By one click.
  await row(first)
    .getByRole('button', { name: `Attribuer « ${track.title} » à «` })
    .click();
  await expect(successStatus(page, 'de 1 relevé passent à')).toBeVisible();
  await expect(row(first)).toBeHidden();

  // In bulk: items without a suggestion stay.
  for (const isrc of [second, third, lost]) await row(isrc).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Accepter 2 suggestions' }).click();
  const accepted = successStatus(page, '2 revenus attribués');
  await accepted.getByRole('button', { name: 'Retirer ces attributions' }).click();
  await expect(successStatus(page, '2 attributions retirées')).toBeVisible();
  // Each line in cents, and the total above them.
  const lines = page.getByRole('row').filter({ hasText: start }).getByRole('cell').filter({ hasText: /€$/ });
  const total = page.getByRole('list', { name: 'Chiffres clés' }).getByRole('listitem').first();
  await expect
    .poll(async () => {
      const cents = [...(await lines.allTextContents()), (await total.textContent()) ?? ''].map((text) =>
        Number(/(\d+),(\d\d)\s€/.exec(text)?.slice(1).join('')),
      );
      return [cents.length, cents.slice(0, -1).reduce((sum, one) => sum + one, 0) - (cents.at(-1) ?? 0)];
    })
    .toEqual([4, 0]);
  for (const isrc of [second, third]) await row(isrc).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Accepter 2 suggestions' }).click();
  await expect(accepted).toBeVisible();
  await expect(row(second)).toBeHidden();
  await expect(row(lost)).toBeVisible();

  // By choice.
  await row(lost)
    .getByRole('button', { name: `Choisir le titre de « ${lostTitle} »` })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Attribuer à un titre' });
  await expect(dialog.getByRole('group', { name: 'Relevés' })).toContainText(`non-attribues-${start}.tsv`);
  const fileName = `non-attribues-${start}.tsv`;
  await dialog.getByRole('button', { name: `Détail ${de(fileName)}` }).click();
  const line = dialog.getByRole('link', { name: `Voir la ligne 5 ${de(fileName)}` });
  await expect(line).toHaveAttribute('href', `/reporting/statements/${statement}?line=5`);
  await dialog.getByRole('button', { name: 'Attribuer' }).click();
  await expect(dialog.getByText('Choisissez le titre')).toBeVisible();
  await dialog.getByRole('combobox', { name: 'Titre du catalogue' }).fill(track.isrc);
  await page.getByRole('option').filter({ hasText: track.isrc }).first().click();
  await expectNoAxeViolations(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Continuer la saisie' }).click();
  await dialog.getByRole('button', { name: 'Attribuer' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Aucun revenu à attribuer avec ces filtres')).toBeVisible();
  const { data: detail } = await api.call(routes.getStoreStatement, { params: { id: statement } });
  expect(detail.months.map(({ unmatchedAmount }) => Number(unmatchedAmount))).toEqual([0]);

  // The match is stored, and undone.
  await page.getByRole('link', { name: 'Attributions' }).click();
  await page.getByRole('searchbox').fill(start);
  // Rows about to be replaced are paler.
  await expect(page).toHaveURL(/[?&]q=/);
  await expectReady(page);
  await expect(page.locator('main tr[data-row]')).toHaveCount(4);
  await expectNoAxeViolations(page);
  await row(lost)
    .getByRole('button', { name: `Retirer l’attribution de « ${lostTitle} »` })
    .click();
  await expect(page.getByRole('dialog', { name: 'Vous êtes sure?' })).toContainText(
    'de 1 relevé ne seront plus attribués',
  );
  await confirm(page, 'Retirer l’attribution');
  await expect(successStatus(page, 'L’attribution est retirée')).toBeVisible();
  await expect(row(lost)).toBeHidden();
  await page.getByRole('link', { name: 'À attribuer' }).click();
  await page.getByRole('searchbox').fill(start);
  await expect(row(lost)).toBeVisible();
  expect(await journalOf(api, 'income_item', lost)).toEqual(['income_item.assign', 'income_item.unassign']);

  // With read access, unmatched income is shown without edit actions.
  const { page: reading } = await openAs(browser, await api.addAdmin('Léa', ['read_reports']));
  await reading.goto(`/reporting/unmatched?q=${start}`);
  await expect(reading.getByRole('row').filter({ hasText: lost })).toBeVisible();
  await expect(reading.getByRole('button', { name: /^Choisir le titre/ })).toBeHidden();
  await reading.context().close();
});

test('unmatched income is treated with the keyboard alone', async ({ page, api }) => {
  const track = await findTrack(api);
  const { start, isrcs } = makeIsrcs(3);
  const [first = '', second = '', lost = ''] = isrcs;
  const known = { title: track.title, upc: track.barcode, month };
  await sendStatement(
    api,
    `clavier-${start}.tsv`,
    distrokidFile([
      { ...known, isrc: first, amount: '30' },
      { isrc: lost, title: `Introuvable ${start}`, artist: 'Personne', month, amount: '20' },
      { ...known, isrc: second, amount: '10' },
    ]),
  );
  await page.goto(`/reporting/unmatched?q=${start}`);
  await expectReady(page);
  const rows = page.locator('tr[data-row]');
  await expect(rows).toHaveCount(3);
  // The suggestion's title, its ISRC and reason, and its owner: three lines at most.
  for (const row of await rows.all()) expect((await row.boundingBox())?.height).toBeLessThanOrEqual(70);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const done = successStatus(page, 'de 1 relevé passent à');
  await expect(done.getByRole('button', { name: 'Retirer l’attribution' })).toBeVisible();
  await expect(rows).toHaveCount(2);
  // The next row has the focus: nothing is suggested for it, and Enter asks for the track.
  await expect(rows.first().locator('[data-row-open]')).toBeFocused();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Attribuer à un titre' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(rows.first().locator('[data-row-open]')).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('c');
  await expect(dialog).toContainText(second);
  const choice = dialog.getByRole('combobox', { name: 'Titre du catalogue' });
  await expect(choice).toBeFocused();
  // What was typed stays, and is not taken for a track.
  await page.keyboard.type(second);
  await page.keyboard.press('Tab');
  await expect(choice).toHaveValue(second);
  await expect(dialog.getByText('Choisissez un résultat de la liste')).toBeVisible();
  // Enter takes the only result, and its ISRC is below.
  const only = await findTrackAlone(api);
  await choice.fill(only.isrc);
  await expect(page.getByRole('option', { name: only.isrc })).toHaveCount(1);
  await choice.press('Enter');
  await expect(choice).toHaveValue(only.label);
  await expect(choice).toHaveAccessibleDescription(new RegExp(only.isrc));
  await choice.fill('');
  await choice.press('Tab');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(rows.nth(1).locator('[data-row-open]')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(1);
});

test('a report shows which stores, countries and lines of a file made it', { tag: '@area' }, async ({ page, api }) => {
  const track = await findTrack(api);
  const { start } = makeIsrcs(1);
  const fileName = `pourquoi-${start}.tsv`;
  const { isrc } = track;
  const statement = await sendStatement(
    api,
    fileName,
    distrokidFile([
      { isrc: `${start}99`, month, amount: '1' },
      { isrc, month, amount: '12.345678', store: `Disquaire ${start}` },
    ]),
  );
  await api.checkStatement(statement, { confirmRates: true });
  const posted = await api.postMonth(month, { confirmRates: true });
  const reports = await api.all(routes.listReports, (data) => data, { query: { import: posted.importId ?? 0 } });
  const report = reports.find(({ Track }) => Track?.isrc === isrc);

  await page.goto(`/reporting/report/${report?.id}`);
  const section = page.getByRole('group', { name: 'Pourquoi ce montant ?', exact: true });
  const amount = section.getByRole('row').filter({ hasText: fileName }).getByText('12,35 $US').first();
  await expectTip(amount, '12,345678\u00a0$US');
  await section.getByRole('button', { name: `Détail ${de(fileName)}` }).click();
  const stores = section.getByRole('group', { name: `Plateformes et lignes ${de(fileName)}` });
  await expect(stores.getByRole('row').filter({ hasText: `Disquaire ${start}` })).toContainText('France');
  await expectNoAxeViolations(page);
  await stores.getByRole('button', { name: `Voir la ligne 3 ${de(fileName)}` }).click();
  const dialog = page.getByRole('dialog', { name: `Ligne 3 ${de(fileName)}` });
  const cell = (name: string) => dialog.getByRole('term').filter({ hasText: name }).locator('..');
  await expect(cell('Store')).toContainText(`Disquaire ${start}`);
  await expect(cell('Earnings (USD)')).toContainText('12.345678');
  await expectNoAxeViolations(page);
  await dialog.getByRole('link', { name: 'Ouvrir le relevé' }).click();
  await expect(page).toHaveURL(new RegExp(`/reporting/statements/${statement}\\?line=3$`));
  await expect(page.getByRole('group', { name: 'Lignes du fichier' }).getByRole('row').nth(3)).toContainText(isrc);
  await api.call(routes.reverseImport, { params: { id: posted.importId ?? 0 } });
});
