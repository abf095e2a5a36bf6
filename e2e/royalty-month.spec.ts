import { routes } from '@regie/contract/routes.ts';
import { Api } from './support/api.ts';
import { findDuplicateIsrcs, readBalances, reserveBooks, type Share, type Track } from './support/books.ts';
import { divideRounded, fromUnits, numberToUnits, toCents, toUnits } from './support/decimals.ts';
import { chooseFile, expectReady, fact, pickMonth, readDownload } from './support/screens.ts';
import { expect, submitSignIn, test } from './support/test.ts';

const usdDecimals = 7;

type Row = { isrc: string; streams: string; income: bigint; track?: Track; reason?: string };

/** A month in a store's format, with lines of every kind, one of which adds a second amount to a track. */
function rowsOfMonth({ tracks, referrers }: Share, doubled: string): Row[] {
  const referred = tracks.filter((track) => referrers.has(track.accountId));
  const [first, second] = referred;
  const [other, another] = tracks.filter((track) => !referrers.has(track.accountId));
  if (!first || !second || !other || !another) throw new Error('the demo has too few tracks of referred accounts');
  const hyphenated = (isrc: string) => isrc.replace(/^(..)(...)(..)(.*)$/, '$1-$2-$3-$4');
  return [
    { isrc: first.isrc, streams: '184203', income: 7_412_345_678n, track: first },
    { isrc: hyphenated(second.isrc), streams: '90', income: 31_415n, track: second },
    { isrc: 'QZAAA2600001', streams: '12', income: 50_000_000n, reason: 'ISRC inconnu' },
    { isrc: `ISRC ${other.isrc.toLowerCase()}`, streams: '5120', income: 123_456_789n, track: other },
    { isrc: doubled, streams: '700', income: 27_000_000n, reason: 'ISRC en double' },
    { isrc: first.isrc, streams: '-3', income: -1_234_567n, track: first },
    { isrc: 'FR-123', streams: '1', income: 10_000n, reason: 'ISRC mal formé' },
    { isrc: another.isrc, streams: '44', income: 1_000_001n, track: another },
  ];
}

function toCsv(rows: readonly Row[], mark: string): string {
  const lines = rows.map(({ isrc, streams, income }) =>
    [isrc, streams, fromUnits(income, usdDecimals, ','), mark].join(';'),
  );
  return `${['ISRC;Écoutes;Revenus des écoutes;Boutique', ...lines].join('\r\n')}\r\n`;
}

/** The saved incomes, by track. */
function incomeByTrack(rows: readonly Row[]): Map<Track, bigint> {
  const sums = new Map<Track, bigint>();
  for (const { track, income } of rows) if (track) sums.set(track, (sums.get(track) ?? 0n) + income);
  return sums;
}

/** Millionths of a euro: a percentage of an amount in dollars (product §33.9). */
function shareEur(usd: bigint, percent: bigint, rate: bigint): bigint {
  // usd in 10^-7, percent in 10^-4, the rate in 10^-10: 10^6 euros are usd × percent × 10^5 ÷ (100 × rate).
  return divideRounded(usd * percent * 10n ** 5n, 100n * rate);
}

test('a month is imported, explained to the cent, and reversed', { tag: '@area' }, async ({ page, admin }) => {
  await page.goto('/reporting/platform/add');
  await expect(page).toHaveURL(/\/signin\?origin=/);
  await submitSignIn(page, admin);
  await expect(page).toHaveURL('/reporting/platform/add');
  await expect(page.getByRole('heading', { name: 'Créer un rapport plateforme' })).toBeVisible();

  const api = new Api(page.request);
  await api.readCsrf();
  const share = await reserveBooks(api, 'month');
  const [doubled = ''] = await findDuplicateIsrcs(api);
  const before = await readBalances(api, share.accountIds);
  const rows = rowsOfMonth(share, doubled);
  const incomes = incomeByTrack(rows);
  const saved = rows.filter((row) => row.track);
  const unsaved = rows.filter((row) => row.reason);
  const grossUsd = saved.reduce((sum, row) => sum + row.income, 0n);

  await test.step('the file is analysed before anything is sent', async () => {
    await page.getByRole('button', { name: 'Importer un fichier CSV' }).click();
    await pickMonth(page, 'Mois du rapport', '05/2025');
    const content = toCsv(rows, crypto.randomUUID());
    await chooseFile(page, 'Fichier CSV ou Excel (.xlsx)', 'mai-2025.csv', content);
    const preview = page.getByRole('region', { name: 'Correspondance des colonnes' });
    await expect(preview.getByRole('row', { name: /^Revenus des écoutes Revenus des écoutes/ })).toBeVisible();
    await expect(preview.getByRole('combobox', { name: /Revenus des écoutes/ })).toHaveValue(
      'Virgule décimale (1234,56)',
    );
    await expect(preview.getByText('Colonnes ignorées\u00a0: Boutique')).toBeVisible();
    await expect(preview.getByRole('cell', { name: doubled })).toBeVisible();
  });

  await test.step('the summary shows the saved rows and their value', async () => {
    await page.getByRole('button', { name: `Importer ${rows.length} lignes` }).click();
    await expect(page.getByRole('heading', { name: 'Import terminé\u00a0: mai 2025' })).toBeVisible();
    await expect(fact(page, 'Lignes')).toHaveText(String(rows.length));
    await expect(fact(page, 'Enregistrées')).toHaveText(String(saved.length));
    await expect(fact(page, 'Non enregistrées')).toHaveText(String(unsaved.length));
    await expect(fact(page, 'Brut')).toHaveText(/\$US/);
    expect(toUnits(await fact(page, 'Brut').innerText(), 2)).toBe(toCents(divideRounded(grossUsd, 10n)));
  });

  await test.step('the unsaved rows are offered with their reasons', async () => {
    const file = await readDownload(page, page.getByRole('button', { name: 'Télécharger unsaved-reports.csv' }));
    expect(file.name).toBe('unsaved-reports.csv');
    const [header, ...lines] = file.text.replace('\uFEFF', '').trim().split('\r\n');
    expect(header).toBe('ISRC;Écoutes;Revenus des écoutes;Boutique;raison');
    expect(
      lines.map((line) => line.split(';')).map(([isrc, streams, income, , reason]) => [isrc, streams, income, reason]),
    ).toEqual(unsaved.map((row) => [row.isrc, row.streams, fromUnits(row.income, usdDecimals, ','), row.reason]));
  });

  await page.getByRole('link', { name: 'Voir l’import' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'mai-2025.csv' })).toBeVisible();
  const importUrl = new URL(page.url()).pathname;
  const rate = toUnits((await fact(page, 'Taux de change').innerText()).replace(/^.*=/, ''), 10);
  const netEur = new Map<number, bigint>();

  await test.step("the import's page shows its rows, sums and refusals", async () => {
    await expect(fact(page, 'Lignes')).toHaveText(String(rows.length));
    await expect(page.getByText('Comptabilisé')).toBeVisible();
    const refusals = page.getByRole('group', { name: 'Lignes non enregistrées' }).getByRole('row');
    await expect(refusals).toHaveCount(unsaved.length + 1);
    for (const { isrc, reason } of unsaved)
      await expect(refusals.filter({ hasText: isrc })).toContainText(String(reason));
    const again = page.getByRole('button', { name: 'Télécharger les lignes non enregistrées' });
    const file = await readDownload(page, again);
    const [header, ...lines] = file.text.replace('\uFEFF', '').trim().split('\r\n');
    expect(header).toBe('isrc;streams;incomeofstreams;downloads;incomeofdownloads;youtube;incomeofyoutube;raison');
    expect(lines).toEqual(
      unsaved.map((row) =>
        [row.isrc, row.streams, fromUnits(row.income, usdDecimals, ','), '', '', '', '', row.reason].join(';'),
      ),
    );
  });

  await test.step("each report's shares add up to its gross", async () => {
    await page.getByRole('link', { name: `Voir ${incomes.size} rapports` }).click();
    await expect(page).toHaveURL(`/reporting/all?import=${importUrl.split('/').at(-1)}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Rapports${incomes.size}`);
    for (const [track, income] of incomes) {
      await page.getByRole('searchbox', { name: 'Rechercher' }).fill(track.isrc);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rapports1');
      await page.getByRole('link', { name: track.title }).click();
      await expect(page.getByRole('heading', { level: 1 })).toContainText(track.title);
      const table = page.getByRole('group', { name: 'Répartition' });
      const shown = await table
        .getByRole('row')
        .evaluateAll((trs) => trs.slice(1).map((tr) => [...tr.querySelectorAll('td')].map((cell) => cell.textContent)));
      const amounts = shown.map(([, , amount]) => toUnits(amount ?? '', 2));
      const percents = shown.slice(0, -2).map(([, percent]) => toUnits((percent ?? '').replace(/%.*$/, ''), 4));
      const [accountPercent = 0n, ...referralPercents] = percents;
      const gross = shareEur(income, 1_000_000n, rate);
      const account = shareEur(income, accountPercent, rate);
      const referrals = referralPercents.map((percent) => divideRounded(account * percent, 1_000_000n));
      const cents = [account, ...referrals].map((amount) => divideRounded(amount, 10_000n));
      const total = divideRounded(gross, 10_000n);
      // The distributor's share is what the shown parts leave of the shown total.
      expect(amounts).toEqual([...cents, cents.reduce((rest, part) => rest - part, total), total]);
      expect(referrals).toHaveLength(share.referrers.get(track.accountId)?.length ?? 0);
      const credit = (id: number, amount: bigint) => netEur.set(id, (netEur.get(id) ?? 0n) + amount);
      credit(track.accountId, account);
      for (const [index, id] of (share.referrers.get(track.accountId) ?? []).entries())
        credit(id, referrals[index] ?? 0n);
      await page.goBack();
      await expect(page.getByRole('searchbox', { name: 'Rechercher' })).toHaveValue(track.isrc);
    }
  });
  const [checked] = incomes.keys();
  if (!checked) throw new Error('nothing was saved');
  const expected = new Map([...before].map(([id, balance]) => [id, balance + (netEur.get(id) ?? 0n)]));

  await test.step('the ledger agrees, and the balances grew by the amounts', async () => {
    await page.getByRole('searchbox', { name: 'Rechercher' }).fill(checked.isrc);
    await page.getByRole('link', { name: checked.title }).click();
    await page.getByRole('link', { name: /^Écriture n°/ }).click();
    const postings = page.getByRole('group', { name: 'Mouvements' }).getByRole('row');
    await expect(postings).not.toHaveCount(0);
    const cellsOf = (account: number) =>
      postings.filter({ has: page.locator(`a[href$="compte=${account}"]`) }).getByRole('cell');
    for (const id of [checked.accountId, ...(share.referrers.get(checked.accountId) ?? [])]) {
      const [, amount, balance] = await cellsOf(id).allInnerTexts();
      expect(toUnits(amount ?? '', 2)).toBe(toCents(netEur.get(id) ?? 0n));
      // Of a balance only whole cents are shown.
      expect(toUnits(balance ?? '', 2)).toBe((expected.get(id) ?? 0n) / 10_000n);
    }
    const params = { id: Number(new URL(page.url()).pathname.split('/').at(-1)) };
    const entry = (await api.call(routes.getLedgerTransaction, { params })).data;
    const exact = entry.postings.map((posting) => numberToUnits(posting.amount, 6));
    expect(exact.reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
    expect(await readBalances(api, share.accountIds)).toEqual(expected);
  });

  await test.step('reversing the import restores every balance', async () => {
    await page.goto(importUrl);
    await page.getByRole('button', { name: 'Contre-passer l’import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
    await expect(dialog).toContainText('mai-2025.csv');
    await expect(dialog).toContainText(`${incomes.size} rapports`);
    await expect(dialog.getByRole('button', { name: 'Annuler' })).toBeFocused();
    await dialog.getByRole('button', { name: 'Contre-passer l’import' }).click();
    await expect(page.getByText('L’import est contre-passé')).toBeVisible();
    await expect(page.getByText('Contre-passé', { exact: true })).toBeVisible();
    expect(await readBalances(api, share.accountIds)).toEqual(before);
    const { data } = await api.call(routes.getImport, { params: { id: Number(importUrl.split('/').at(-1)) } });
    expect(numberToUnits(data.grossUsd, usdDecimals)).toBe(grossUsd);
    await page.goto(`/reporting/all?import=${data.id}`);
    await expectReady(page);
    await expect(page.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();
  });
});
