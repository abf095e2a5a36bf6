import type { Locator, Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { readBalances, reserveBooks } from './support/books.ts';
import { addPayee } from './support/payees.ts';
import {
  chooseFile,
  expectReady,
  fact,
  findRecordIds,
  pickMonth,
  type RecordIds,
  screens,
  visit,
  withId,
} from './support/screens.ts';
import { distrokidFile, sendStatement } from './support/statements.ts';
import { expect, expectNoAxeViolationsInBoth, test } from './support/test.ts';

// The longest test file: its tests run in parallel.
test.describe.configure({ mode: 'parallel' });

/** The screens of the route table by access, with ids of existing records. */
function pathsOf(access: 'public' | 'signed in', ids: RecordIds): string[] {
  const found = screens.filter((screen) => (screen.access === 'public') === (access === 'public'));
  return found.map(({ path }) => withId(path, ids));
}

const noIds: RecordIds = {
  report: 0,
  import: 0,
  transaction: 0,
  release: 0,
  track: 0,
  profiles: 0,
  'bank-account': 0,
  'paypal-account': 0,
  invoice: 0,
  payout: 0,
  batches: 0,
  smartlink: 0,
  statements: 0,
  'statements-out': 0,
  'statement-out': 0,
};

/** The wizard's later steps for a draft with tracks: the route table only has its first path. */
async function findWizardPaths(api: Api): Promise<string[]> {
  const { data } = await api.call(routes.listUnpublishedReleases, { query: { limit: 100, order: 'asc' } });
  const draft = data.find(({ status }) => status === 'DRAFT');
  if (!draft) throw new Error('the demo has no draft');
  return ['tracks', 'plan', 'summary', 'pay'].map((step) => `/release/new/${step}?release=${draft.id}`);
}

async function openScreen(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expectReady(page);
  await expectScreen(page, path);
}

async function expectScreen(page: Page, path: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 }), path).not.toHaveText(
    /^(Accès non autorisé|Page introuvable|Cette page n'a pas pu s'afficher)/,
  );
}

/** Checks, unless the run is short, that nothing of the screen is wider than a phone; restores the page's width. */
async function expectAsWideAsAPhone(page: Page, path: string): Promise<void> {
  if (process.env.REGIE_SHORT) return;
  const former = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  // Scripts that depend on the width have run two frames later.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(overflow, path).toBeLessThanOrEqual(0);
  // A record's bar of actions has room for its labels on one line.
  const twoLines = await page
    .locator('[data-record] > header > :nth-child(2) .mantine-Button-label')
    .evaluateAll((labels) => labels.filter((label) => label.clientHeight > 24).map((label) => label.textContent));
  expect(twoLines, path).toEqual([]);
  if (former) await page.setViewportSize(former);
}

test('the screens before sign-in pass axe in light and dark', { tag: '@area' }, async ({ page }) => {
  for (const path of pathsOf('public', noIds)) {
    await test.step(path, async () => {
      await openScreen(page, path);
      await expectNoAxeViolationsInBoth(page);
      await expectAsWideAsAPhone(page, path);
    });
  }
  await openScreen(page, '/reset-password-action?token=essai');
  await expectNoAxeViolationsInBoth(page);
});

// In parts, so that two browsers share them evenly.
const parts = 6;
for (let part = 0; part < parts; part += 1) {
  test(`every screen passes axe in light and dark, ${part + 1} of ${parts}`, { tag: '@area' }, async ({
    page,
    api,
  }) => {
    test.setTimeout(360_000);
    const paths = [...pathsOf('signed in', await findRecordIds(api)), ...(await findWizardPaths(api))];
    await page.goto('/nulle-part');
    await expectReady(page);
    for (const path of paths.filter((_, index) => index % parts === part)) {
      await test.step(path, async () => {
        await visit(page, path);
        await expectScreen(page, path);
        await expectNoAxeViolationsInBoth(page);
        await expectAsWideAsAPhone(page, path);
      });
    }
  });
}

/** Two lines with a button, or three of text. */
const rowHeightPx = 92;

test('on a phone the rows of lists are two lines, with dates and codes whole', async ({ page, api }) => {
  await api.readCsrf();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [
    ...[
      '/payouts/pending',
      '/payouts/paid',
      '/payouts/cancelled',
      '/payouts/unpaid-accounts',
      '/accounts/profiles?q=lemoine',
    ],
    ...[
      '/library/tracks',
      '/library/contributors',
      '/reporting/youtube',
      '/services/promo-codes',
      '/tools/ticket/opened',
    ],
    '/accounting/exchange-rates',
    '/reporting/imports',
    '/services/subscriptions',
    '/services/smartlinks/enabled',
  ]) {
    await page.goto(path);
    await expectReady(page);
    const rows = page.getByRole('main').locator('[data-card]');
    await expect(rows.first(), path).toBeVisible();
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    expect(Math.max(...heights), path).toBeLessThanOrEqual(rowHeightPx);
    const cut = await rows.locator('[data-never-cut]').evaluateAll(
      (all) =>
        all.filter((value) => {
          const line = value.parentElement?.getBoundingClientRect();
          const { top, right, bottom } = value.getBoundingClientRect();
          // What has no room at all is below the line, and hidden.
          if (top >= (line?.bottom ?? 0) - 1) return false;
          return (
            value.scrollWidth > value.clientWidth || right > (line?.right ?? 0) + 1 || bottom > (line?.bottom ?? 0) + 1
          );
        }).length,
    );
    expect(cut, path).toBe(0);
    // Other tests add rows elsewhere, also some without a name.
    if (path === '/reporting/youtube') await expect(rows.getByText('—', { exact: true }), path).toHaveCount(0);
  }
});

test('the board shows whole months at any width, and a phone whole suggestions', async ({ page, api }) => {
  await api.readCsrf();
  await page.goto('/reporting/months');
  await expectReady(page);
  const board = page.getByRole('region', { name: 'Sources et mois, à faire défiler' });
  for (const width of [390, 600, 768, 1024, 1280, 1440, 768]) {
    await page.setViewportSize({ width, height: 844 });
    /** How much of the months at the edges is cut, in pixels. */
    const cutPx = () =>
      board.evaluate((box) => {
        const [source, ...months] = [...box.querySelectorAll('thead th')].map((th) => th.getBoundingClientRect());
        const { left, right } = { left: source?.right ?? 0, right: box.getBoundingClientRect().right - 1 };
        return Math.max(
          ...months
            .filter((month) => month.right > left + 1 && month.left < right - 1)
            .map((month) => Math.max(left - month.left, month.right - right)),
        );
      });
    await expect.poll(cutPx, String(width)).toBeLessThanOrEqual(1);
    // The newest month, also in a window that was wider.
    await expect(board.locator('thead th').last()).toBeInViewport({ ratio: 0.9 });
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/reporting/unmatched');
  await expectReady(page);
  const texts = page.getByRole('main').locator('[data-card] *');
  await expect(texts.first()).toBeVisible();
  const cut = await texts.evaluateAll((all) =>
    all
      .filter((text) => getComputedStyle(text).textOverflow === 'ellipsis' && text.scrollWidth > text.clientWidth)
      .map((text) => text.textContent),
  );
  expect(cut).toEqual([]);
});

test('on a phone a row shows full name, number and date', async ({ page, api }) => {
  await api.readCsrf();
  await page.setViewportSize({ width: 390, height: 844 });
  const firstRow = async (path: string) => {
    await page.goto(path);
    await expectReady(page);
    return page.getByRole('main').locator('[data-card]').first();
  };
  const { data: accounts } = await api.call(routes.listProfiles, { query: { q: 'lemoine', limit: 1 } });
  const [account] = accounts.accounts;
  const named = (await firstRow('/accounts/profiles?q=lemoine')).getByText(`${account?.fname} ${account?.lname}`);
  await expect(named).toBeVisible();
  const payout = await firstRow('/payouts/paid');
  await expect(payout.locator('[data-never-cut]').filter({ hasText: /V-\d{6}$/ })).toBeInViewport({ ratio: 1 });
  const ticket = await firstRow('/tools/ticket/opened');
  await expect(ticket.locator('[data-never-cut]').filter({ hasText: /dt-\d+$/ })).toBeInViewport({ ratio: 1 });
  await expect(ticket.locator('[data-never-cut]').filter({ hasText: /\d\d\/\d\d\/\d{4}$/ })).toBeInViewport({
    ratio: 1,
  });
});

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  /** The height and width, in pixels, of the area around its middle that belongs to an element. */
  const targetOf = (target: Locator) =>
    target.evaluate((element) => {
      element.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = element.getBoundingClientRect();
      const isHit = (x: number, y: number) => element.contains(document.elementFromPoint(x, y));
      const reach = (dx: number, dy: number) => {
        let pixels = 0;
        while (pixels < 100 && isHit(left + width / 2 + dx * pixels, top + height / 2 + dy * pixels)) pixels += 1;
        return pixels;
      };
      return { width: reach(-1, 0) + reach(1, 0) - 1, height: reach(0, -1) + reach(0, 1) - 1 };
    });

  async function expectTarget(target: Locator, what: string): Promise<void> {
    const { width, height } = await targetOf(target);
    expect(Math.min(width, height), `${what}: ${width} × ${height}`).toBeGreaterThanOrEqual(44);
  }

  test('controls are at least 44 px wide and high', async ({ page, api }) => {
    const { profiles } = await findRecordIds(api);
    const main = page.getByRole('main');
    await openScreen(page, '/payouts/unpaid-accounts');
    const box = main.locator('[data-card]').getByRole('checkbox').first();
    await expectTarget(box, 'a checkbox of a list');
    await expectTarget(page.getByRole('button', { name: /^Compte : / }), 'the account menu');
    // A near miss selects, too.
    const { x = 0, y = 0 } = (await box.boundingBox()) ?? {};
    await page.touchscreen.tap(x - 6, y - 8);
    await expect(box).toBeChecked();
    await expect(page).toHaveURL('/payouts/unpaid-accounts');

    await openScreen(page, '/reporting/months');
    const board = main.getByRole('table');
    await expectTarget(board.locator('tbody').getByRole('link').first(), 'a cell of the board');
    await expectTarget(board.locator('thead').getByRole('link').first(), 'a month of the board');
    await expectTarget(board.locator('tfoot').getByRole('link').first(), 'a total of the board');
    await expectTarget(main.locator('.mantine-InputClearButton-root').first(), 'the cross of a field');

    await openScreen(page, '/payouts/pending');
    await expectTarget(main.getByRole('link', { name: 'Annulés' }), 'a tab of a list');
    await openScreen(page, `/accounts/${profiles}/statement`);
    await expectTarget(main.getByRole('link', { name: 'Relevé', exact: true }), 'a tab of a record');
    await expectTarget(main.locator('[data-card]').getByRole('link').first(), 'a movement');
    await expectTarget(page.getByRole('navigation', { name: 'Fil d’Ariane' }).getByRole('link'), 'the parent');

    await openScreen(page, '/accounts/manage-admins');
    await page.getByRole('button', { name: 'Inviter' }).click();
    const dialog = page.getByRole('dialog', { name: 'Inviter un administrateur' });
    await expectTarget(dialog.getByRole('button', { name: 'Fermer' }), 'the cross of a dialog');
    await expectTarget(dialog.locator('.mantine-Checkbox-label').last(), 'the label of a checkbox');
  });
});

test('the tabs of an account do not move', async ({ page, api }) => {
  const { profiles } = await findRecordIds(api);
  await openScreen(page, `/accounts/profiles/${profiles}`);
  const tabs = page.getByRole('main').getByRole('navigation').first();
  const places = () =>
    tabs.getByRole('link').evaluateAll((links) => links.map((link) => link.getBoundingClientRect().x));
  const before = await places();
  for (const name of ['Relevé', 'Contrats et tickets', 'Fiche']) {
    await tabs.getByRole('link', { name, exact: true }).click();
    await expect(tabs.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'page');
    expect(await places(), name).toEqual(before);
  }
});

test('an unknown page passes axe in light and dark', { tag: '@area' }, async ({ page, api }) => {
  await api.readCsrf();
  await page.goto('/nulle-part');
  await expectReady(page);
  await expectNoAxeViolationsInBoth(page);
  await expectAsWideAsAPhone(page, '/nulle-part');
});

test('figures line up: headers end where their numbers end, decimals are aligned', async ({ page, api }) => {
  await api.readCsrf();
  for (const path of [
    '/reporting/all',
    '/reporting/imports',
    '/reporting/statements',
    '/reporting/unmatched',
    '/accounts/profiles',
    '/accounts/invoices',
    '/payouts/pending',
    '/payouts/paid',
    '/payouts/unpaid-accounts',
    '/services/promo-codes',
  ]) {
    await page.goto(path);
    await expectReady(page);
    await expect(page.locator('main tr[data-row]').first()).toBeVisible();
    const columns = await page.locator('main table').evaluate((table, inEuros) => {
      /** Where the last text with a digit ends, and its decimal comma, in pixels: euros come after other currencies. */
      const measure = (cell: Element) => {
        // Amounts of other currencies stand in the column of euros, with longer symbols.
        const shown = cell.textContent ?? '';
        if (shown.includes('taux manquant') || (inEuros && !shown.includes('€'))) return undefined;
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        let last: { end: number; comma?: number } | undefined;
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          const text = node.textContent ?? '';
          if (!/\d/.test(text)) continue;
          const range = document.createRange();
          range.selectNodeContents(node);
          // Its currency may be an element beside it.
          const whole = node.parentElement?.closest('[data-money]') ?? range;
          const end = whole.getBoundingClientRect().right;
          const comma = text.indexOf(',');
          last = { end };
          if (comma === -1) continue;
          range.setStart(node, comma);
          last.comma = range.getBoundingClientRect().left;
        }
        return last;
      };
      const spread = (values: number[]) => Math.max(...values) - Math.min(...values);
      return [...table.querySelectorAll('thead th')].flatMap((head, index) => {
        const cells = [...table.querySelectorAll(`tr[data-row] > :nth-child(${index + 1})[data-align="right"]`)];
        const found = cells.flatMap((cell) => measure(cell) ?? []);
        if (found.length === 0) return [];
        const title = document.createRange();
        title.selectNodeContents(document.createTreeWalker(head, NodeFilter.SHOW_TEXT).nextNode() ?? head);
        const ends = found.map(({ end }) => end);
        const commas = found.flatMap(({ comma }) => comma ?? []);
        const off = Math.abs(title.getBoundingClientRect().right - Math.max(...ends));
        return [{ name: head.textContent, off: Math.max(off, spread(ends), commas.length > 0 ? spread(commas) : 0) }];
      });
    }, path === '/reporting/unmatched');
    expect(columns.filter(({ off }) => off > 1).map(({ name }) => `${path} ${name}`)).toEqual([]);
    expect(columns.length, path).toBeGreaterThan(0);
  }
});

test('dialogs and menus of the screens pass axe in light and dark', async ({ page, api }) => {
  test.setTimeout(360_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { report, release } = await findRecordIds(api);
  const check = (name: string, open: () => Promise<void>) =>
    test.step(name, async () => {
      await open();
      await expectNoAxeViolationsInBoth(page);
    });
  await check('adding an admin', async () => {
    await openScreen(page, '/accounts/manage-admins');
    await page.getByRole('button', { name: 'Ajouter un administrateur' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ajouter un administrateur' }).click();
    await expect(page.getByRole('textbox', { name: 'Prénom' })).toBeFocused();
  });
  await check('a track and its people', async () => {
    await openScreen(page, `/library/release/${release}`);
    await page.getByRole('button', { name: 'Ajouter un titre' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ajouter un titre' });
    await dialog
      .getByRole('combobox', { name: 'Ajouter un artiste' })
      .or(dialog.getByRole('textbox', { name: 'Ajouter un artiste' }))
      .fill('Personne Inconnue');
    await page.getByRole('option', { name: /Personne Inconnue/ }).click();
    await dialog.getByRole('button', { name: 'Ajouter un titre' }).click();
    await expect(dialog.getByRole('textbox', { name: 'Titre' })).toBeFocused();
  });
  await check('leaving a dialog with changes, by Escape', async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog', { name: 'Quitter sans enregistrer ?' })).toBeVisible();
  });
  await test.step('Escape does not close it, and preserves the input', async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog', { name: 'Quitter sans enregistrer ?' })).toBeHidden();
    await expect(page.getByRole('dialog', { name: 'Ajouter un titre' })).toContainText('Personne Inconnue');
  });
  await check('another cover', async () => {
    await openScreen(page, `/library/release/${release}`);
    await page.getByRole('button', { name: /^(Changer la|Ajouter une) pochette$/ }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
  });
  await check('an artist’s identifiers, refused', async () => {
    await openScreen(page, '/library/artists');
    await page.getByRole('row').nth(1).getByRole('button').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: /Spotify/ }).fill('x');
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await expect(dialog.locator('[aria-invalid="true"]')).toHaveCount(1);
  });
  await check('rows judged', async () => {
    await openScreen(page, `/library/release/${release}/edit`);
    const content = 'titre;artistes;isrc\nUn essai;Awa Diallo;\n;Sans titre;\n';
    await chooseFile(page, 'Fichier des titres', 'titres.csv', content);
    await expect(page.getByText('Le titre manque')).toBeVisible();
  });
  await check('a list as a table', async () => {
    await openScreen(page, '/library/releases/delivered');
    await page.getByRole('button', { name: 'Afficher en tableau' }).click();
    await expect(page.getByRole('row').nth(1)).toBeVisible();
  });
  await check('confirming', async () => {
    await openScreen(page, `/reporting/report/${report}`);
    await page.getByRole('button', { name: 'Supprimer le rapport' }).click();
    await expect(page.getByRole('dialog', { name: 'Vous êtes sure?' })).toBeVisible();
  });
  await check('a journal entry', async () => {
    await openScreen(page, '/journal');
    await page.getByRole('row').nth(1).getByRole('button').click();
    await expect(page.getByRole('dialog')).toBeVisible();
  });
  await check('removing a promo code', async () => {
    await openScreen(page, '/services/promo-codes');
    await page
      .getByRole('button', { name: /^Supprimer le code promo/ })
      .first()
      .click();
    await expect(page.getByRole('dialog', { name: 'Vous êtes sure?' })).toBeVisible();
  });
  await check('the clicks of a smartlink', async () => {
    await openScreen(page, '/services/smartlinks/enabled');
    await page
      .getByRole('button', { name: /^Clics de/ })
      .first()
      .click();
    await expect(page.getByRole('dialog', { name: /^Clics de/ })).toContainText('Par plateforme');
  });
  await check('a new subscription', async () => {
    await openScreen(page, '/services/subscriptions');
    await page.getByRole('button', { name: 'Nouvel abonnement' }).click();
    const account = page.getByRole('dialog').getByRole('combobox', { name: 'Compte' });
    await expect(account).toBeVisible();
    await account.fill('personne de ce nom');
    await expect(page.getByText('Aucun résultat')).toBeVisible();
  });
  await check('a wrong ISRC in its row, and the next free ones', async () => {
    await openScreen(page, '/tools/empty-isrc-barcode');
    const box = page.getByRole('textbox', { name: /^ISRC de/ }).first();
    await box.fill('FR-1');
    await box.press('Enter');
    await expect(page.getByText(/^Un ISRC a 12 caractères/)).toBeVisible();
    await page
      .getByRole('button', { name: /^Attribuer le prochain ISRC libre/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Attribuer les prochains ISRC libres' });
    await expect(dialog.getByRole('button', { name: 'Attribuer 1 ISRC' })).toBeVisible();
  });
  await check('a file of codes judged', async () => {
    await openScreen(page, '/tools/edit-isrc-or-barcode');
    await chooseFile(page, 'Fichier des codes', 'codes.csv', 'title;isrc\nUn titre que personne n’a;FRX122600001\n');
    await expect(page.getByRole('alert')).toContainText('Aucun enregistrement n’a ce titre');
  });
  await check('the palette, with what a text finds', async () => {
    await openScreen(page, '/');
    await page.getByRole('button', { name: 'Rechercher partout' }).click();
    await page.getByRole('combobox', { name: 'Aller à' }).fill('nuit');
    await expect(page.getByRole('group', { name: 'Titres' }).getByRole('option').first()).toBeVisible();
  });
  await check('the account menu', async () => {
    await openScreen(page, '/');
    await page.getByRole('button', { name: /^Compte\s:/ }).click();
    await expect(page.getByRole('menuitem', { name: 'Se déconnecter' })).toBeVisible();
  });
  await check('a file understood', async () => {
    await openScreen(page, '/reporting/platform/add?section=csv');
    const content = 'isrc;streams;income of streams;boutique\nFRZZZ2600001;12;0,125\nFRZZZ2600002;1;1,125;x\n';
    await chooseFile(page, 'Fichier CSV ou Excel (.xlsx)', 'essai.csv', content);
    await page.getByRole('button', { name: 'Importer 2 lignes' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Choisissez un mois' })).toBeVisible();
  });
  await check('what a month would lose', async () => {
    await openScreen(page, '/reporting/platform/add?section=month');
    await pickMonth(page, 'Mois', '01/2020');
    await page.getByRole('button', { name: 'Contrôler ce qui sera supprimé' }).click();
    await expect(page.getByText(/^Aucun rapport de ce type en/)).toBeVisible();
  });
  await check('signing in again over a form', async () => {
    await openScreen(page, `/library/release/${release}/edit`);
    await page.getByRole('textbox', { name: 'Version' }).fill('Inédite');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await expect(page.getByRole('dialog', { name: 'Se connecter' })).toBeVisible();
  });
});

test('dialogs of accounts and payouts pass axe in light and dark', async ({ page, api, bookkeeper }) => {
  test.setTimeout(360_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { profiles } = await findRecordIds(api);
  const payee = await addPayee(bookkeeper, { fname: 'Élise', lname: `Essai-${crypto.randomUUID().slice(0, 8)}` }, 90);
  const body = { userId: payee.id, account: payee.billingId, amount: 30 };
  const [payout = 0, member = 0] = [
    (await api.call(routes.requestPayout, { body })).data.payoutId,
    (await api.call(routes.requestPayout, { body })).data.payoutId,
  ];
  const batch = (await api.call(routes.createBatch, { body: { payouts: [member], confirmWarnings: true } })).data.id;
  const unmatched = `FRSCR${String(Math.floor(Math.random() * 10_000_000)).padStart(7, '0')}`;
  const rows = [{ isrc: unmatched, month: '2022-06', amount: '1.25' }];
  await sendStatement(api, `sans-titre-${unmatched}.tsv`, distrokidFile(rows));
  const check = (name: string, path: string, open: () => Promise<void>) =>
    test.step(name, async () => {
      await openScreen(page, path);
      await open();
      await expectNoAxeViolationsInBoth(page);
    });
  const press = (name: string | RegExp) => page.getByRole('main').getByRole('button', { name }).first().click();
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
  await check('bank details, refused', `/accounts/${profiles}/billings`, async () => {
    await press('Ajouter un compte bancaire');
    await dialog('Ajouter un compte bancaire').getByRole('button', { name: 'Ajouter un compte bancaire' }).click();
    await expect(page.locator('[aria-invalid="true"]').first()).toBeFocused();
  });
  await check('adding somebody referred', `/accounts/profiles/${profiles}`, async () => {
    await press('Ajouter un filleul');
    await expect(dialog(/^Ajouter un filleul/)).toBeVisible();
  });
  await check('a file of releases', `/accounts/profiles/${profiles}`, async () => {
    await press('Importer des sorties');
    await expect(dialog(/^Importer des sorties/)).toBeVisible();
  });
  await check('a payout’s account', `/payouts/payout/${payout}`, async () => {
    await press('Voir les coordonnées');
    await expect(dialog('Coordonnées du versement')).toBeVisible();
  });
  await check('cancelling a payout', `/payouts/payout/${payout}`, async () => {
    await press('Annuler le versement');
    await expect(dialog('Vous êtes sure?')).toBeVisible();
  });
  await check('a ticket', '/tools/ticket/opened', async () => {
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await expect(dialog(/^Ticket dt-/).getByRole('combobox', { name: 'État' })).toBeVisible();
  });
  await check('a contract, refused', '/contracts/create', async () => {
    await press('Créer le contrat en PDF');
    await expect(page.getByRole('combobox', { name: 'Compte' })).toBeFocused();
    await page.keyboard.press('Escape');
  });
  await check('a request', '/payouts/unpaid-accounts?state=ENABLED', async () => {
    await press(/^Demander un versement pour/);
    await expect(dialog(/^Pour/).getByRole('textbox', { name: 'Montant' })).toBeVisible();
  });
  await check('requests of several', '/payouts/unpaid-accounts?state=ENABLED', async () => {
    await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).check();
    await press(/^Demander \d+ versements/);
    await expect(dialog('Vous êtes sure?')).toBeVisible();
  });
  await check('a preflight', '/payouts/pending', async () => {
    await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).check();
    await press(/en lot$/);
    await expect(dialog('Contrôle avant paiement').getByRole('table')).toBeVisible();
  });
  await check('an income’s track, refused', `/reporting/unmatched?q=${unmatched}`, async () => {
    await press(/^Choisir le titre/);
    await dialog('Attribuer à un titre').getByRole('button', { name: 'Attribuer' }).click();
    await expect(page.locator('[aria-invalid="true"]').first()).toBeFocused();
    await page.keyboard.press('Escape');
  });
  await check('giving a batch up', `/payouts/batches/${batch}`, async () => {
    await press('Abandonner le lot');
    await expect(dialog('Vous êtes sure?')).toBeVisible();
  });
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`${target} cannot be reached with the Tab key`);
}

test.describe('with the keyboard alone', () => {
  test('the first tab stop skips the navigation', async ({ page, api }) => {
    await api.readCsrf();
    await openScreen(page, '/reporting/all');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Aller au contenu' });
    await expect(skip).toBeFocused();
    await expect(skip).toBeInViewport();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('main').locator(':focus')).toHaveCount(1);
  });

  test('a list is navigated with j and k, opened with Enter, searched with /', async ({ page, api }) => {
    await api.readCsrf();
    await openScreen(page, '/reporting/all');
    const openers = page.locator('main [data-row-open]');
    await expect(openers.nth(1)).toBeVisible();
    await page.keyboard.press('j');
    await expect(openers.nth(0)).toBeFocused();
    await page.keyboard.press('j');
    await expect(openers.nth(1)).toBeFocused();
    await page.keyboard.press('k');
    await expect(openers.nth(0)).toBeFocused();
    const address = (await openers.nth(0).getAttribute('href')) ?? '';
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(address);
    await expect(page.getByRole('heading', { level: 1, name: /^Rapport/ })).toBeVisible();
    await page.goBack();
    await expect(openers.nth(0)).toBeVisible();
    await page.keyboard.press('/');
    const search = page.getByRole('searchbox', { name: 'Rechercher' });
    await expect(search).toBeFocused();
    await page.keyboard.type('/jk');
    await expect(search).toHaveValue('/jk');
  });

  test('a dialog traps the focus and restores it', async ({ page, api }) => {
    await api.readCsrf();
    await openScreen(page, '/accounts/manage-admins');
    const opener = page.getByRole('button', { name: 'Inviter' });
    await tabTo(page, opener);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Inviter un administrateur' });
    await expect(dialog.getByRole('textbox', { name: 'E-mail' })).toBeFocused();
    const stops = await dialog.getByRole('checkbox').count();
    for (let presses = 0; presses < stops + 8; presses += 1) {
      await page.keyboard.press('Tab');
      await expect(dialog.locator(':focus')).toHaveCount(1);
    }
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(opener).toBeFocused();
  });

  test('a dialog named by the address restores the focus, also the first time', async ({ page, api }) => {
    const { release } = await findRecordIds(api);
    await openScreen(page, `/library/release/${release}`);
    const opener = page
      .getByRole('main')
      .getByRole('button', { name: /^Modifier / })
      .first();
    for (const _ of ['first', 'again']) {
      await opener.press('Enter');
      const dialog = page.getByRole('dialog', { name: /^Modifier / });
      await expect(dialog.getByRole('textbox', { name: 'Titre' })).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
      await expect(opener).toBeFocused();
    }
  });

  test('an exchange rate is added', async ({ page, api }) => {
    await api.readCsrf();
    // The demo's rates fill the first page.
    await openScreen(page, '/accounting/exchange-rates?currency=NZD');
    await tabTo(page, page.getByRole('button', { name: 'Ajouter un taux' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Ajouter un taux' });
    const month = dialog.getByRole('combobox', { name: 'À partir de' });
    await expect(dialog).toBeVisible();
    if (!(await month.evaluate((element) => element === document.activeElement))) await tabTo(page, month);
    await page.keyboard.type('03/2023');
    await expect(page.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(month).toHaveValue('03/2023');
    await page.keyboard.press('Tab');
    await expect(dialog.getByRole('textbox', { name: 'Devise' })).toBeFocused();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('nzd');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0,9912');
    await page.keyboard.press('Enter');
    // The first rate of a currency is confirmed.
    await expect(dialog.getByRole('checkbox', { name: 'Je confirme ce taux' })).toBeFocused();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    const { data } = await api.call(routes.listExchangeRates, { query: { currency: 'NZD' } });
    expect(data.map(({ rate }) => rate)).toContain(0.9912);
    await expect(page.getByRole('row').filter({ hasText: 'NZD' })).toContainText('0,9912');
  });

  test('a payout is requested and paid', async ({ page, api, bookkeeper }) => {
    const payee = await addPayee(
      bookkeeper,
      { fname: 'Ilse', lname: `Clavier-${crypto.randomUUID().slice(0, 8)}` },
      45.5,
    );
    await openScreen(page, `/payouts/request?userId=${payee.id}`);
    const amount = page.getByRole('textbox', { name: 'Montant' });
    await tabTo(page, amount);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('12,5');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: /^Versement V-/ })).toBeVisible();
    const status = page.getByRole('combobox', { name: 'État' });
    await tabTo(page, status);
    await page.keyboard.press('ArrowDown');
    await expect(status).toHaveValue('PAID');
    await tabTo(page, page.getByRole('button', { name: 'Enregistrer', exact: true }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: 'Le versement est payé' })).toBeVisible();
    const opener = page.getByRole('button', { name: 'Enregistrer un paiement rejeté' });
    await tabTo(page, opener);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
    await expect(dialog.getByRole('button', { name: 'Annuler' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(opener).toBeFocused();
    expect((await api.call(routes.getProfile, { params: { id: payee.id } })).data.income).toBe(33);
  });

  test('a single report is created and counted', async ({ page, api }) => {
    const { tracks, accountIds } = await reserveBooks(api, 'single');
    const [track] = tracks;
    if (!track) throw new Error('this journey has no track');
    const before = await readBalances(api, accountIds);
    await openScreen(page, '/reporting/platform/add');
    const picker = page.getByRole('combobox', { name: 'Titre' }).or(page.getByRole('textbox', { name: 'Titre' }));
    await tabTo(page, picker);
    await page.keyboard.type(track.isrc);
    await expect(page.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(picker).toHaveValue(track.title);
    const month = page.getByRole('combobox', { name: 'Mois', exact: true });
    await tabTo(page, month);
    await page.keyboard.type('02/2025');
    await expect(page.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('textbox', { name: 'Écoutes', exact: true }));
    await page.keyboard.type('1200');
    await page.keyboard.press('Tab');
    await page.keyboard.type('100,5');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: 'Le rapport est créé' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Créer le rapport' })).toBeDisabled();
    await tabTo(page, page.getByRole('link', { name: 'Voir le rapport' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(track.title);
    const id = Number(page.url().split('/').at(-1));
    const { data: report } = await api.call(routes.getReport, { params: { id } });
    expect(report).toMatchObject({ trackId: track.id, numOfStreams: 1200, incomeOfStreams: 100.5, totalIncome: 100.5 });
    const after = await readBalances(api, accountIds);
    const gained = (after.get(track.accountId) ?? 0n) - (before.get(track.accountId) ?? 0n);
    expect(gained).toBe(BigInt(Math.round(report.accountEur * 1e6)));
    await expect(fact(page, 'Import')).toContainText('Saisie à la main');
  });
});
