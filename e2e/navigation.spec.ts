import type { Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import { expectReady, expectTip, findRecordIds, visit } from './support/screens.ts';
import { entryOf, openEntry, sidebarOf } from './support/sidebar.ts';
import { addColleague } from './support/staff.ts';
import { expect, expectNoAxeViolationsInBoth, signIn, test } from './support/test.ts';

/** A source of a layout shift. */
interface Moved {
  node: Node | null;
  previousRect: DOMRect;
  currentRect: DOMRect;
}

interface Counts {
  unpaidReleases: number | null;
  paidReleases: number | null;
  pendingPayouts: number | null;
  unpaidAccounts: number | null;
  unmatched: number | null;
  openTickets: number | null;
}

/** Answers the counts of the sidebar, since other tests change the real ones. Change its fields to change the answer. */
async function setCounts(page: Page): Promise<Counts> {
  const data = {
    unpaidReleases: 12,
    paidReleases: 0,
    pendingPayouts: 100,
    unpaidAccounts: 7,
    unmatched: 40,
    openTickets: 3,
  };
  await page.route('**/api/home/waiting', (route) =>
    route.fulfill({ json: { code: 'success', message: '', data, errors: {} } }),
  );
  return data;
}

test('sections fold, show their counts, and are restored for each person', async ({ page, dataDir }) => {
  const { email, password } = await addColleague(dataDir, 'Firmin');
  await setCounts(page);
  await signIn(page, email, password);
  await expectReady(page);
  const sidebar = sidebarOf(page);
  const production = sidebar.getByRole('region', { name: 'Production' });
  const link = production.getByRole('link', { name: 'Sorties en attente, 12 en attente' });
  const payouts = sidebar.getByRole('region', { name: 'Versements' });
  const pending = payouts.getByRole('link', { name: 'Versements en attente, plus de 99 en attente' });
  await expect(payouts.getByRole('button', { name: 'Versements, plus de 99 en attente' })).toBeVisible();
  await expect(link).toBeHidden();
  const fold = production.getByRole('button', { name: 'Production, 12 en attente' });
  await expect(fold).toHaveAttribute('aria-expanded', 'false');
  await fold.press('Enter');
  await expect(production.getByRole('button', { name: 'Production', exact: true })).toBeFocused();
  await expect(link).toBeVisible();
  // Nothing is said where nothing waits.
  await expect(production.getByRole('link', { name: 'Sorties payées', exact: true })).toBeVisible();
  await expectNoAxeViolationsInBoth(page, { withSidebar: true });

  await page.reload();
  await expect(link).toBeVisible();
  // The section in use is open, and folded again when it is left.
  await visit(page, '/payouts/pending');
  await expect(pending).toBeVisible();
  await expect(payouts.getByRole('button', { name: /^Versements/ })).toHaveCount(0);
  await visit(page, '/reporting/all');
  await expect(pending).toBeHidden();
  await production.getByRole('button', { name: 'Production', exact: true }).click();
  await expect(link).toBeHidden();
  // All of it is in the window, with the largest section in use.
  expect(await sidebar.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
});

test('the counts equal those of the lists, and follow each action', { tag: '@area' }, async ({ page, api }) => {
  const { data: real } = await api.call(routes.getWaiting);
  const title = `Compte ${crypto.randomUUID().slice(0, 8)}`;
  await api.call(routes.createTicket, { body: { title, url: 'https://video.example/w' } });
  expect(real.pendingPayouts).toBeGreaterThan(0);
  const counts = await setCounts(page);
  await page.goto(`/tools/ticket/opened?q=${title}`);
  const sidebar = sidebarOf(page);
  await expect(sidebar.getByRole('link', { name: 'Tickets ouverts, 3 en attente' })).toBeVisible();
  counts.openTickets = 2;
  await page.getByRole('main').getByRole('row').filter({ hasText: title }).getByRole('link').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'État' }).click();
  await page.getByRole('option', { name: 'Fermé' }).click();
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(sidebar.getByRole('link', { name: 'Tickets ouverts, 2 en attente' })).toBeVisible();
});

test('the action that adds to a list is a "+" on its line, and an entry of the palette', async ({ page, api }) => {
  await api.readCsrf();
  await page.goto('/');
  await expectReady(page);
  const add = await entryOf(page, 'Créer un code promo');
  await expect(add).toHaveText('');
  const [box, list] = [
    await add.boundingBox(),
    await sidebarOf(page).getByRole('link', { name: 'Codes promo' }).boundingBox(),
  ];
  expect(box?.width).toBeGreaterThanOrEqual(32);
  expect(box?.height).toBeGreaterThanOrEqual(32);
  expect(box?.y).toBe(list?.y);
  await add.click();
  await expect(page).toHaveURL('/services/promo-codes/add');
  await expect(add).toHaveAttribute('aria-current', 'page');
  await openEntry(page, 'Nouvelle sortie');
  await expect(page).toHaveURL('/release/new/tracks');
  await expect(await entryOf(page, 'Créer un contrat')).toHaveText('Créer un contrat');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('creer code promo');
  await expect(page.getByRole('option', { name: 'Créer un code promo' })).toBeVisible();
});

test('the page of a record marks its list in the sidebar, and scrolls to it', async ({ page, api }) => {
  const ids = await findRecordIds(api);
  await page.setViewportSize({ width: 1440, height: 500 });
  await page.goto('/');
  await expectReady(page);
  const current = sidebarOf(page).locator('[aria-current="page"]');
  for (const [path, name] of [
    [`/library/release/${ids.release}`, 'Sorties livrées'],
    [`/library/release/${ids.release}/edit`, 'Sorties livrées'],
    [`/reporting/statements/${ids.statements}`, 'Relevés'],
    [`/reporting/import/${ids.import}`, 'Imports'],
    [`/reporting/report/${ids.report}`, 'Comptes clients'],
    ['/reporting', 'Tous les rapports'],
    [`/payouts/payout/${ids.payout}`, /^Versements (en attente|payés)/],
    [`/payouts/batches/${ids.batches}`, 'Lots de versements'],
    [`/services/smartlink/${ids.smartlink}/edit`, 'Smartlinks actifs'],
    [`/accounts/profiles/${ids.profiles}`, 'Comptes clients'],
    [`/accounts/bank-account/${ids['bank-account']}`, 'Comptes clients'],
    [`/accounts/${ids.profiles}/invoices`, 'Comptes clients'],
    [`/accounts/invoice/${ids.invoice}`, 'Factures'],
    ['/journal', 'Journal'],
  ] as const) {
    await visit(page, path);
    await expect(current, path).toHaveAccessibleName(name);
    await expect(current, path).toBeInViewport({ ratio: 1 });
  }
  await expect(page.getByRole('link', { name: 'Régie\u00a0: Accueil' })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('button', { name: 'Réduire le menu' })).toBeInViewport({ ratio: 1 });
});

test('g and a letter open a screen, ? lists all keys, and neither does while typing', async ({ page, api }) => {
  await api.readCsrf();
  await setCounts(page);
  await page.goto('/');
  // The keys and the counts are loaded together, after the page.
  const folded = sidebarOf(page).getByRole('button', { name: 'Production, 12 en attente' });
  // Another journey of the same person may have opened the section.
  const opened = sidebarOf(page).getByRole('link', { name: 'Sorties en attente, 12 en attente' });
  await expect(folded.or(opened)).toBeVisible();
  for (const [letter, path] of [
    ['c', '/accounts/profiles'],
    ['s', '/library/releases/unpaid'],
    ['v', '/payouts/pending'],
    ['r', '/reporting/all'],
    ['m', '/reporting/months'],
    ['t', '/tools/ticket/opened'],
    ['a', '/'],
    // A key of lists too, which does not hear it.
    ['k', '/contracts/create'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await expect(page).toHaveURL(path);
    await expectReady(page);
  }

  await test.step('on a keyboard of another script', async () => {
    await page.getByRole('main').evaluate((main) => {
      for (const [key, code] of [
        ['п', 'KeyG'],
        ['м', 'KeyV'],
      ] as const) {
        main.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }));
      }
    });
    await expect(page).toHaveURL('/payouts/pending');
    // The former page, a list too, stays until the next one can be shown.
    await expect(page.getByRole('heading', { level: 1, name: 'Versements en attente' })).toBeVisible();
    await expectReady(page);
  });

  const dialog = page.getByRole('dialog', { name: 'Raccourcis clavier' });
  await test.step('not while typing', async () => {
    const search = page.getByRole('main').getByRole('searchbox', { name: 'Rechercher' });
    await search.click();
    await page.keyboard.type('gc?');
    await expect(search).toHaveValue('gc?');
    await expect(page).toHaveURL('/payouts/pending?q=gc%3F');
    await search.fill('');
    await expect(page).toHaveURL('/payouts/pending');
    await search.blur();
  });

  await test.step('the dialog also lists the keys of lists', async () => {
    const row = page.getByRole('main').getByRole('row').getByRole('link').first();
    await expect(row).toBeVisible();
    await page.keyboard.press('j');
    await expect(row).toBeFocused();
    await page.keyboard.press('?');
    await expect(dialog.getByRole('region', { name: 'Aller à' })).toContainText('Clôture mensuelleg puis m');
    await expect(dialog.getByRole('region', { name: 'Dans une liste' })).toContainText('Rechercher dans la liste/');
    await expectNoAxeViolationsInBoth(page, { withSidebar: true });
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(row).toBeFocused();
    await expect(page).toHaveURL('/payouts/pending');
  });

  await test.step('the account menu opens the dialog, and disables the keys', async () => {
    const menu = page.getByRole('button', { name: /^Compte\s:/ });
    await menu.click();
    await page.getByRole('menuitemcheckbox', { name: 'Raccourcis clavier' }).click();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu')).toBeHidden();
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await expect(page).toHaveURL('/payouts/pending');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Tous les raccourcis' }).click();
    await expect(dialog.getByText('sont désactivées')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(menu).toBeFocused();
  });
});

test('an amount that a row’s link covers has a tip, one that a menu covers has none', async ({ page, api }) => {
  await api.readCsrf();
  await page.goto('/accounts/profiles');
  await expectReady(page);
  const tip = page.getByRole('tooltip');
  const amount = page.getByRole('row').locator('[data-tip^="reste en compte"]').first();
  const text = await amount.getAttribute('data-tip');
  await expectTip(amount, text ?? '');
  await page.getByRole('button', { name: 'Affichage' }).click();
  const covered = await page.evaluate(
    () =>
      [...document.querySelectorAll<HTMLElement>('[data-row] [data-tip]')]
        .map((element) => element.getBoundingClientRect())
        .map(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))
        .find(({ x, y }) => document.elementFromPoint(x, y)?.closest('[role="menu"], .mantine-Popover-dropdown')) ??
      null,
  );
  if (!covered) throw new Error('the menu covers no amount');
  await page.mouse.move(covered.x, covered.y);
  await page.waitForFunction(() => new Promise((resolve) => setTimeout(() => resolve(true), 600)));
  await expect(tip).toHaveCount(0);
});

test('a favourite is on top for its person: collapsed, on a phone and on another computer', async ({
  page,
  baseURL,
  browser,
  dataDir,
}) => {
  const person = await addColleague(dataDir, 'Solène');
  await setCounts(page);
  await signIn(page, person.email, person.password);
  await expectReady(page);
  const sidebar = sidebarOf(page);
  const favourites = sidebar.getByRole('region', { name: 'Favoris' });
  await expect(favourites).toHaveCount(0);
  await (await entryOf(page, 'Imports')).hover();
  await sidebar.getByRole('button', { name: 'Ajouter aux favoris\u00a0: Imports' }).click();
  // With the keyboard, the star is to the right of its entry.
  await (await entryOf(page, 'Sorties en attente, 12 en attente')).focus();
  await page.keyboard.press('ArrowRight');
  await expect(sidebar.getByRole('button', { name: 'Ajouter aux favoris\u00a0: Sorties en attente' })).toBeFocused();
  const saved = page.waitForResponse(
    (response) => response.request().postData()?.includes('/library/releases/unpaid') === true,
  );
  await page.keyboard.press('Enter');
  await saved;
  const names = ['Imports', 'Sorties en attente'];
  await expect(favourites.getByRole('link')).toHaveText(names);
  await expect(favourites.getByRole('link').last()).toHaveAccessibleName('Sorties en attente, 12 en attente');
  await page.reload();
  await expect(favourites.getByRole('link')).toHaveText(names);
  await test.step('another computer shows the same, from the first frame', async () => {
    const other = await browser.newPage({ baseURL });
    await setCounts(other);
    await signIn(other, person.email, person.password);
    await expectReady(other);
    await other.addInitScript(() => {
      new PerformanceObserver((list) => {
        const sources = list.getEntries().flatMap((entry) => ('sources' in entry ? entry.sources : []));
        for (const { node, previousRect, currentRect } of sources as Moved[]) {
          const place = node instanceof Element ? node : node?.parentElement;
          // A count's mark (`::after`) and the text beside it may move within their line, which may not move.
          if (place?.closest('aside nav') && place.localName !== '::after' && previousRect.top !== currentRect.top) {
            window.sessionStorage.setItem('shift', place.outerHTML);
          }
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await other.reload();
    await expect(sidebarOf(other).getByRole('region', { name: 'Favoris' }).getByRole('link')).toHaveText(names);
    await expectReady(other);
    expect(await other.evaluate(() => window.sessionStorage.getItem('shift'))).toBeNull();
    await other.close();
  });
  await expectNoAxeViolationsInBoth(page, { withSidebar: true });

  await page.getByRole('button', { name: 'Réduire le menu' }).click();
  await expect(favourites.getByRole('link', { name: 'Sorties en attente, 12 en attente' })).toBeVisible();
  await expect(sidebar.getByRole('link', { name: 'Créer un code promo' })).toBeVisible();
  await expect(sidebar.getByRole('button')).toHaveAccessibleName('Se déconnecter');
  await expectNoAxeViolationsInBoth(page, { withSidebar: true });
  await page.getByRole('button', { name: 'Déployer le menu' }).click();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Ouvrir le menu' }).click();
  await favourites.getByRole('link', { name: 'Imports' }).click();
  await expect(page).toHaveURL('/reporting/imports');
  await expect(sidebar).toHaveCount(0);
  // The drawer opens where the present entry is.
  await page.goto('/journal');
  await page.getByRole('button', { name: 'Ouvrir le menu' }).click();
  await expect(sidebar.locator('[aria-current="page"]')).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Escape');
  await visit(page, '/reporting/imports');

  await page.setViewportSize({ width: 1440, height: 900 });
  // It is lit on top only.
  await expect(sidebar.locator('[aria-current="page"]')).toHaveCount(1);
  await expect(favourites.getByRole('link', { name: 'Imports' })).toHaveAttribute('aria-current', 'page');
  for (const name of names) {
    await favourites.getByRole('link', { name }).press('ArrowRight');
    await expect(favourites.getByRole('button', { name: `Retirer des favoris\u00a0: ${name}` })).toBeFocused();
    await page.keyboard.press('Enter');
  }
  await expect(favourites).toHaveCount(0);
  await expect(sidebar.getByRole('link', { name: 'Accueil' })).toBeFocused();
});
