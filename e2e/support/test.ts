import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { deepCount, isDeep } from '@regie/api/test/deep.ts';
import { Api } from './api.ts';
import { type Bookkeeper, withBookkeeper } from './staff.ts';

/** The credentials of an admin. */
export type Login = { email: string; password: string };

type Fixtures = {
  /** The demo's first admin, who has every capability. */
  admin: Login;
  /** Signs the page in as that admin without the screen; API calls share the page's session. */
  api: Api;
  /** The app's data folder, which includes the outbox of unsent e-mails. */
  dataDir: string;
};

/** The test fixtures: pages with paths relative to the running app. */
export const test = base.extend<Fixtures, { bookkeeper: Bookkeeper }>({
  bookkeeper: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the destructured parameter.
    ({}, use) => withBookkeeper(required('E2E_DATA_DIR'), required('E2E_URL'), use),
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the destructured parameter.
  baseURL: async ({}, use) => {
    await use(required('E2E_URL'));
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the destructured parameter.
  admin: async ({}, use) => {
    await use({ email: required('E2E_EMAIL'), password: required('E2E_PASSWORD') });
  },
  api: async ({ page, admin }, use) => {
    const api = new Api(page.request);
    await api.signIn(admin);
    await use(api);
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the destructured parameter.
  dataDir: async ({}, use) => {
    await use(required('E2E_DATA_DIR'));
  },
});

export { expect };

/** Clicks, and counts the clicks, for journeys with a budget of them. */
export function countClicks(): ((target: Locator) => Promise<void>) & { count: number } {
  const click = async (target: Locator) => {
    click.count += 1;
    await target.click();
  };
  click.count = 0;
  return click;
}

/** Signs in through the screen and waits for the next one. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin');
  await submitSignIn(page, { email, password });
  await expect(page).not.toHaveURL(/\/signin/);
  await expect(page.getByRole('main')).toBeVisible();
}

/** Fills in and submits the sign-in form. */
export async function submitSignIn(page: Page, { email, password }: Login): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByLabel(/^Mot de passe/).fill(password);
  await page.getByRole('button', { name: 'Se connecter' }).click();
}

/** Signs in over the page whose session ended; its input is kept. */
export async function signInAgain(page: Page, login: Login): Promise<void> {
  const ended = page.getByText('Votre session est terminée', { exact: false });
  await expect(ended).toBeVisible();
  await submitSignIn(page, login);
  await expect(ended).toBeHidden();
}

type RunOnly = { type: 'tag' | 'rule'; values: string[] };

const wcagTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Rules that depend on colours only. */
const colourRules = ['color-contrast', 'link-in-text-block'];

const checkedRows = deepCount(8, 2);

const schemeAttribute = 'data-mantine-color-scheme';

/** The sidebar is the same on every screen: outside the deep run, a worker checks it once per window and scheme. */
const checkedSidebars = new Set<string>();
const sidebar = 'nav[aria-label="Navigation principale"]';

/**
 * Runs axe in the page itself and drops passing results. By default axe would send every passing element through a
 * blank page, which is many times slower and only needed for frames of other sites. Rows of a list are alike: only the
 * first are checked. Behind a modal dialog nothing can be reached: only the dialog is.
 */
async function expectNothingFound(page: Page, runOnly: RunOnly, withSidebar: boolean): Promise<void> {
  expect(page.frames()).toHaveLength(1);
  const { isLoaded, isModal, hasSidebar, view } = await page.evaluate(
    (sidebar) => ({
      isLoaded: 'axe' in window,
      isModal: document.querySelector('[aria-modal="true"]') !== null,
      hasSidebar: document.querySelector(sidebar) !== null,
      view: `${innerWidth} ${matchMedia('(prefers-color-scheme: dark)').matches}`,
    }),
    sidebar,
  );
  const builder = new AxeBuilder({ page, ...(isLoaded && { axeSource: ';' }) })
    // Mantine gives each open dialog a header, which axe takes for one of the page.
    .options({ runOnly, rules: { 'landmark-unique': { enabled: !isModal } }, resultTypes: ['violations'] })
    .exclude(`tbody tr:nth-child(n + ${checkedRows + 1})`)
    .exclude(`main li:nth-child(n + ${checkedRows + 1})`);
  if (isModal) builder.exclude('#root');
  else if (hasSidebar && !isDeep()) {
    const checked = `${view} ${runOnly.type}`;
    if (checkedSidebars.has(checked) && !withSidebar) builder.exclude(sidebar);
    checkedSidebars.add(checked);
  }
  const { violations } = await builder.setLegacyMode().analyze();
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
  expect(found).toEqual([]);
}

/** Fails with one line per violation of WCAG 2.2 AA (product §36.4) that axe detects in the current colour scheme. */
export async function expectNoAxeViolations(page: Page, { withSidebar = false } = {}): Promise<void> {
  await settle(page);
  await expectNothingFound(page, { type: 'tag', values: wcagTags }, withSidebar);
}

/** The same, then, unless the run is short, colour rules in the other scheme, in which it leaves the page. */
export async function expectNoAxeViolationsInBoth(page: Page, { withSidebar = false } = {}): Promise<void> {
  await expectNoAxeViolations(page, { withSidebar });
  if (process.env.REGIE_SHORT) return;
  const html = page.locator('html');
  const isDark = (await html.getAttribute(schemeAttribute)) === 'dark';
  const other = isDark ? 'light' : 'dark';
  await page.emulateMedia({ colorScheme: other });
  await expect(html).toHaveAttribute(schemeAttribute, other);
  await settle(page);
  await expectNothingFound(page, { type: 'rule', values: colourRules }, withSidebar);
}

/** Waits for transitions and for rows about to be replaced, whose intermediate colours would fail. */
async function settle(page: Page): Promise<void> {
  await expect(page.locator('[data-stale]')).toHaveCount(0);
  await page.evaluate(async () => {
    // A dialog starts its transition some frames after it is rendered.
    for (let quiet = 0; quiet < 5; quiet++) {
      await new Promise(requestAnimationFrame);
      const changes = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
      if (changes.length > 0) quiet = 0;
      await Promise.allSettled(changes.map(({ finished }) => finished));
    }
  });
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is set by e2e/support/global-setup.ts, which did not run.`);
  return value;
}
