import type { Locator } from '@playwright/test';
import { isDeep } from '@regie/api/test/deep.ts';
import type { Capability } from '@regie/contract/capabilities.ts';
import { getCapability } from '@regie/contract/capabilities.ts';
import { routes } from '@regie/contract/routes.ts';
import { Api } from './support/api.ts';
import { expectReady, findRecordIds, screens, visit, withId } from './support/screens.ts';
import { openEntry, sidebarOf } from './support/sidebar.ts';
import { expect, signIn, submitSignIn, test } from './support/test.ts';

type Role = {
  name: string;
  capabilities: readonly Capability[];
  /** The sidebar below "Accueil": sections with their entries. */
  sidebar: Record<string, readonly string[]>;
  boxes: readonly string[];
  /** The paths among `addresses` that open. */
  opens: readonly string[];
};

const reading = [
  '/reporting/all',
  '/reporting/platform',
  '/reporting/youtube',
  '/reporting/imports',
  '/reporting/statements',
  '/reporting/months',
  '/reporting/months/$month',
  '/reporting/analytics',
  '/reporting/analytics/pivot',
  '/reporting/unmatched',
];
const adding = ['/reporting/platform/add', '/reporting/youtube/add', '/reporting/statements/$id/mapping'];
const libraryPages = ['/library', '/library/tracks', '/library/artists', '/library/contributors', '/library/editors'];
/** The record decides what it shows, and to whom. */
const releasePage = '/library/release/$id';
const trackPage = '/library/track/$id';
/** Tells what waits for signatures from the records that one may see; the record decides who sees one. */
const signaturePages = ['/signatures', '/signatures/$subject/$id'];
/** One's own data, with any rights. */
const ownPage = '/account/security';
const accountPages = [
  '/accounts/profiles',
  '/accounts/profiles/new',
  '/accounts/profiles/$id',
  '/accounts/profiles/$id/edit',
  '/accounts/$id/statement',
  '/accounts/$id/releases',
  '/accounts/$id/billings',
  '/accounts/$id/invoices',
  '/accounts/$id/contracts',
  '/accounts/$id/referrals',
  '/accounts/bank-account/$id',
  '/accounts/paypal-account/$id',
  '/accounts/invoices',
  '/accounts/invoice/$id',
];
const batchPages = ['/payouts/batches', '/payouts/batches/$id'];
const ticketPages = ['/tools/ticket/opened', '/tools/ticket/closed', '/tools/ticket/$id'];
const toolPages = [
  '/tools/edit-isrc-or-barcode',
  '/tools/empty-isrc-barcode',
  '/tools/isrc-redundancy',
  '/tools/naming-redundancy',
];
const settingsPages = [
  '/settings',
  ...[
    'house',
    'contract',
    'contract-templates',
    'letters',
    'statements-out',
    'security',
    'retention',
    'prices',
    'shares',
    'payouts',
    'bank',
  ].map((section) => `/settings/${section}`),
];
/** Opens with two rights: the account's and the journal's. */
const accountJournal = '/accounts/$id/journal';
/** Likewise, with that of statements. */
const accountRoyalties = '/accounts/$id/statements-out';
const royaltyPages = [
  '/accounts/statements-out',
  '/accounts/statements-out/new',
  '/accounts/statements-out/$id',
  '/accounts/statement-out/$id',
];
const [accountComparison, comparison] = ['/accounts/$id/compare', '/reporting/compare'];
const addresses = [
  ownPage,
  ...accountPages,
  accountJournal,
  accountRoyalties,
  ...royaltyPages,
  '/accounts/manage-admins',
  '/library/releases/unpaid',
  '/library/releases/paid',
  '/library/releases/delivered',
  '/library/releases/unpublished',
  ...libraryPages,
  releasePage,
  trackPage,
  '/library/release/$id/edit',
  '/library/release/$id/delivery',
  '/release/new/$step',
  ...reading,
  '/reporting/report/$id',
  '/reporting/import/$id',
  '/reporting/transaction/$id',
  '/reporting/statements/$id',
  ...adding,
  '/payouts/pending',
  '/payouts/paid',
  '/payouts/cancelled',
  '/payouts/payout/$id',
  '/payouts/request',
  '/payouts/everyone',
  '/payouts/unpaid-accounts',
  ...batchPages,
  '/services/promo-codes',
  '/services/promo-codes/add',
  '/services/smartlinks/pending',
  '/services/smartlinks/enabled',
  '/services/smartlink/$id/edit',
  '/services/subscriptions',
  '/contracts/create',
  '/accounting/platform',
  '/accounting/youtube',
  '/accounting/exchange-rates',
  ...ticketPages,
  ...toolPages,
  ...settingsPages,
  '/system',
  '/journal',
  accountComparison,
  comparison,
];
const readingEntries = ['Tous les rapports', 'Par plateforme', 'Par plateforme vidéo'];
/** Each list is followed by the "+" on its line. */
const creatingEntries = [
  'Tous les rapports',
  'Par plateforme',
  'Créer un rapport plateforme',
  'Par plateforme vidéo',
  'Créer un revenu vidéo',
];
const statementEntries = ['Relevés', 'Clôture mensuelle', 'Revenus non attribués', 'Analyse des revenus'];

const roles: readonly Role[] = [
  {
    name: 'reads reports',
    capabilities: ['read_reports'],
    sidebar: { Rapports: [...readingEntries, 'Imports', ...statementEntries], Comptabilité: ['Taux de change'] },
    boxes: ['Voir les rapports'],
    opens: [
      ...reading,
      comparison,
      '/reporting/report/$id',
      '/reporting/import/$id',
      '/reporting/transaction/$id',
      '/reporting/statements/$id',
      '/accounting/exchange-rates',
    ],
  },
  {
    name: 'creates reports, and so reads them,',
    capabilities: ['edit_reports'],
    sidebar: {
      Rapports: [...creatingEntries, 'Imports', ...statementEntries],
      Comptabilité: ['Taux de change'],
    },
    boxes: ['Créer un rapport', 'Voir les rapports'],
    opens: [...addresses.filter((address) => address.startsWith('/reporting')), '/accounting/exchange-rates'],
  },
  {
    name: 'reads the journal',
    capabilities: ['read_audit'],
    sidebar: { Administration: ['Journal'] },
    boxes: [],
    opens: ['/journal'],
  },
  {
    name: 'edits admins',
    capabilities: ['edit_admins'],
    sidebar: { Comptes: ['Administrateurs'], Administration: ['À signer'] },
    boxes: [],
    opens: ['/accounts/manage-admins'],
  },
  {
    name: 'manages the settings',
    capabilities: ['manage_settings'],
    sidebar: { Comptabilité: ['Taux de change'], Administration: ['Réglages', 'État du système', 'À signer'] },
    boxes: [],
    opens: ['/accounting/exchange-rates', ...settingsPages, '/system'],
  },
  {
    name: 'manages accounts',
    capabilities: ['manage_profiles'],
    sidebar: { Comptes: ['Comptes clients', 'Factures'] },
    boxes: ['Comptes'],
    opens: [...accountPages, accountComparison, '/reporting/transaction/$id'],
  },
  {
    name: 'manages accounts and reads the journal',
    capabilities: ['manage_profiles', 'read_audit'],
    sidebar: { Comptes: ['Comptes clients', 'Factures'], Administration: ['Journal'] },
    boxes: ['Comptes'],
    opens: [...accountPages, accountComparison, accountJournal, '/reporting/transaction/$id', '/journal'],
  },
  {
    name: 'pays',
    capabilities: ['edit_pending_payout', 'read_unpaid_accounts'],
    sidebar: {
      Versements: ['Versements en attente', 'Comptes à payer', 'Lots de versements'],
      Administration: ['À signer'],
    },
    boxes: ['Versements en attente', 'Comptes à payer'],
    opens: [
      ...['/payouts/pending', '/payouts/payout/$id', '/payouts/request', '/payouts/everyone'],
      ...['/payouts/unpaid-accounts', ...batchPages],
    ],
  },
  {
    name: 'reads paid releases',
    capabilities: ['read_paid_libraries'],
    sidebar: { Production: ['Sorties payées', 'Bibliothèque'] },
    boxes: [],
    opens: ['/library/releases/paid', ...libraryPages],
  },
  {
    name: 'corrects delivered releases',
    capabilities: ['edit_delivered_libraries'],
    sidebar: { Production: ['Sorties livrées', 'Bibliothèque', 'Nouvelle sortie'] },
    boxes: [],
    opens: [
      '/library/releases/delivered',
      ...libraryPages,
      '/library/release/$id/edit',
      '/library/release/$id/delivery',
      '/release/new/$step',
    ],
  },
  {
    name: 'edits smartlinks',
    capabilities: ['edit_smartlink'],
    sidebar: { Services: ['Smartlinks en attente', 'Smartlinks actifs'] },
    boxes: [],
    opens: ['/services/smartlinks/pending', '/services/smartlinks/enabled', '/services/smartlink/$id/edit'],
  },
  {
    name: 'publishes statements',
    capabilities: ['send_statements'],
    sidebar: { Comptes: ['Relevés clients'] },
    boxes: [],
    opens: royaltyPages,
  },
  { name: 'holds nothing', capabilities: [], sidebar: {}, boxes: [], opens: [] },
];

/** The links' names without their counts: an entry is named by its text, a "+" by its title. */
const expectEntries = (within: Locator, names: readonly string[]) =>
  expect
    .poll(() =>
      within.getByRole('link').evaluateAll((links: HTMLElement[]) => links.map((link) => link.innerText || link.title)),
    )
    .toEqual(names);

const failureTitles = /^(Accès non autorisé|Page introuvable|Cette page n'a pas pu s'afficher)/;

test('every signed-in screen is tested', { tag: '@area' }, () => {
  const paths = screens.filter(({ access }) => access !== 'public').map(({ path }) => path);
  expect(paths.sort()).toEqual(['/', ...signaturePages, ...addresses].sort());
});

for (const [turn, role] of roles.entries()) {
  test(`an admin who ${role.name} sees exactly the allowed screens`, async ({ api, browser }) => {
    // Opens every path in turn.
    test.setTimeout(300_000);
    const login = await api.addAdmin('Camille', role.capabilities);
    const context = await browser.newContext();
    const page = await context.newPage();
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${page.url()} ${response.url()}`);
    });
    await signIn(page, login.email, login.password);

    const sidebar = sidebarOf(page);
    await expectEntries(sidebar, ['Accueil', ...Object.values(role.sidebar).flat()]);
    await expect(sidebar.getByRole('heading')).toHaveText(Object.keys(role.sidebar));
    for (const [section, entries] of Object.entries(role.sidebar)) {
      await expectEntries(sidebar.getByRole('region', { name: section }), entries);
    }

    const main = page.getByRole('main');
    const boxes = main.getByRole('list', { name: 'Accès rapides' }).getByRole('link');
    await expect(boxes).toHaveCount(role.boxes.length);
    for (const [index, box] of role.boxes.entries()) await expect(boxes.nth(index)).toContainText(box);
    // Without any box, the available screens are listed.
    const named = role.boxes.length > 0 ? [] : Object.values(role.sidebar).flat();
    await expect(main.getByRole('navigation', { name: 'Rubriques' }).getByRole('link')).toHaveText([...named]);
    const isShutOut = Object.keys(role.sidebar).length === 0;
    await expect(main.getByText('Vous n’avez encore accès à aucune rubrique')).toHaveCount(isShutOut ? 1 : 0);

    const ids = await findRecordIds(api);
    const title = page.getByRole('heading', { level: 1 });
    for (const [index, address] of addresses.entries()) {
      const opens = [ownPage, releasePage, trackPage, ...role.opens].includes(address);
      // Opening a typed URL loads the whole app: each path is tested so with one role, and inside the page with others.
      const isTyped = index % roles.length === turn || (isDeep() && opens);
      if (!opens && !isTyped && !isDeep() && (index + turn) % 3 !== 0) continue;
      const url = withId(address, ids);
      if (isTyped) {
        await page.goto(url);
        await expectReady(page);
      } else await visit(page, url);
      const shown = await title.innerText();
      if (opens) expect(shown, address).not.toMatch(failureTitles);
      else expect(shown, address).toBe('Accès non autorisé');
      await expect(page, address).toHaveURL(url);
    }
    expect(refused).toEqual([]);
    await context.close();
  });
}

test('an unknown URL shows an error and links to home', async ({ api, page }) => {
  await api.readCsrf();
  for (const address of ['/nulle-part', '/reporting/report/999999999', '/reporting/import/abc']) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1, name: 'Page introuvable' })).toBeVisible();
  }
  await page.getByRole('main').getByRole('link', { name: 'Retour à l’accueil' }).click();
  await expect(page).toHaveURL('/');
});

test('revoking a right ends the session, and applies after signing in again', { tag: '@area' }, async ({
  api,
  browser,
}) => {
  const { id, name, email, password } = await api.addAdmin('Dominique', ['read_reports', 'read_audit']);
  const context = await browser.newContext();
  const page = await context.newPage();
  const own = new Api(page.request);
  await own.signIn({ email, password });
  await page.goto('/reporting/all');
  await expectReady(page);

  const [fname = '', lname = ''] = name.split(' ');
  await api.call(routes.editAdmin, {
    params: { id },
    body: { fname, lname, email, password: '', capabilities: [getCapability('read_audit').id] },
  });
  // When the sidebar's counts notice first, the button is gone.
  const next = page.getByRole('button', { name: 'Suivant' });
  await next.click({ timeout: 5_000 }).catch(() => undefined);
  await expect(page.getByText('Votre session est terminée', { exact: false })).toBeVisible();
  await submitSignIn(page, { email, password });
  await expect(page.getByRole('heading', { level: 1, name: 'Accès non autorisé' })).toBeVisible();
  await own.readCsrf();
  expect((await own.attempt(routes.listReports)).status()).toBe(403);
  expect((await own.attempt(routes.listJournal)).status()).toBe(200);

  await page.reload();
  await expect(sidebarOf(page).getByRole('link')).toHaveText(['Accueil', 'Journal']);
  await context.close();
});

/** product §12.4, in its order; additional entries are only in `screens.ts`. */
const entries = [
  ['Comptes clients', '/accounts/profiles'],
  ['Factures', '/accounts/invoices'],
  ['Administrateurs', '/accounts/manage-admins'],
  ['Sorties en attente', '/library/releases/unpaid'],
  ['Sorties payées', '/library/releases/paid'],
  ['Sorties livrées', '/library/releases/delivered'],
  ['Sorties non publiées', '/library/releases/unpublished'],
  ['Versements en attente', '/payouts/pending'],
  ['Versements payés', '/payouts/paid'],
  ['Comptes à payer', '/payouts/unpaid-accounts'],
  ['Tous les rapports', '/reporting/all'],
  ['Par plateforme', '/reporting/platform'],
  ['Par plateforme vidéo', '/reporting/youtube'],
  ['Créer un rapport plateforme', '/reporting/platform/add'],
  ['Créer un revenu vidéo', '/reporting/youtube/add'],
  ['Codes promo', '/services/promo-codes'],
  ['Créer un code promo', '/services/promo-codes/add'],
  ['Smartlinks en attente', '/services/smartlinks/pending'],
  ['Smartlinks actifs', '/services/smartlinks/enabled'],
  ['Abonnements', '/services/subscriptions'],
  ['Créer un contrat', '/contracts/create'],
  ['Plateformes', '/accounting/platform'],
  ['Plateformes vidéo', '/accounting/youtube'],
  ['Tickets ouverts', '/tools/ticket/opened'],
  ['Tickets fermés', '/tools/ticket/closed'],
  ['Modifier ISRC et codes-barres', '/tools/edit-isrc-or-barcode'],
  ['ISRC et codes-barres en double', '/tools/isrc-redundancy'],
  ['Noms en double', '/tools/naming-redundancy'],
  ['ISRC et codes-barres manquants', '/tools/empty-isrc-barcode'],
] as const;

test('every entry of the sidebar opens its screen and is marked as current', async ({ page, api }) => {
  test.setTimeout(180_000);
  await api.readCsrf();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('response', (response) => {
    if (response.status() === 403 || response.status() >= 500) failures.push(`${response.status()} ${response.url()}`);
  });
  await page.goto('/');
  const sidebar = sidebarOf(page);
  for (const [name, path] of entries) {
    const named = new RegExp(`^${name}(, (plus de )?\\d+ en attente)?$`);
    await openEntry(page, named);
    await expect(page).toHaveURL(path);
    await expect(sidebar.locator('[aria-current="page"]')).toHaveAccessibleName(named);
    await expect(sidebar.locator('[aria-current="page"]')).toBeInViewport({ ratio: 1 });
    await expectReady(page);
    await expect(page.getByRole('main').getByText('Le chargement a échoué')).toHaveCount(0);
  }
  expect(failures).toEqual([]);
});
