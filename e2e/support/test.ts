import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { Api } from './api.ts';
import { type Bookkeepers, withBookkeepers, withSettingsLock } from './staff.ts';

/** Someone who signs in. */
export type Login = { email: string; password: string };

type Fixtures = {
  /** The demo's first administrator, who holds every capability. */
  admin: Login;
  /** Signs the page in as that administrator without going through the screen; calls share the page's session. */
  api: Api;
  /** Where the app keeps its files, the outbox of unsent letters among them. */
  dataDir: string;
  /** `test.use({ changesSettings: true })`: only one such journey runs at a time. */
  changesSettings: boolean;
  settingsTurn: undefined;
};

/** What journeys are written with: pages open relative to the running app. */
export const test = base.extend<Fixtures, { bookkeepers: Bookkeepers }>({
  bookkeepers: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the destructured parameter.
    ({}, use) => withBookkeepers(required('E2E_DATA_DIR'), required('E2E_URL'), use),
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
  changesSettings: [false, { option: true }],
  settingsTurn: [
    async ({ changesSettings }, use) =>
      changesSettings ? withSettingsLock(required('E2E_DATA_DIR'), () => use(undefined)) : use(undefined),
    // Others may be slow: their time is not this journey's.
    { auto: true, timeout: 900_000 },
  ],
});

export { expect };

/** Signs in as a person does and waits for the screen behind. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin');
  await submitSignIn(page, { email, password });
  await expect(page).not.toHaveURL(/\/signin/);
  await expect(page.getByRole('main')).toBeVisible();
}

/** Fills the sign-in form that is on and sends it. */
export async function submitSignIn(page: Page, { email, password }: Login): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByLabel(/^Mot de passe/).fill(password);
  await page.getByRole('button', { name: 'Se connecter' }).click();
}

/** Signs in over the page whose session ended; what was typed there stays. */
export async function signInAgain(page: Page, login: Login): Promise<void> {
  const ended = page.getByText('Votre session est terminée', { exact: false });
  await expect(ended).toBeVisible();
  await submitSignIn(page, login);
  await expect(ended).toBeHidden();
}

type RunOnly = { type: 'tag' | 'rule'; values: string[] };

const wcagTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What depends on the colours alone. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * Runs the rules in the page itself; of what passes nothing is kept. The default would send every element that passes
 * through a blank page of its own, at several times the cost, for the sake of frames of other sites: there are none. Rows of a list are alike: the first
 * eight are checked for all.
 */
async function expectNothingFound(page: Page, runOnly: RunOnly, axeSource?: string): Promise<void> {
  expect(page.frames()).toHaveLength(1);
  const { violations } = await new AxeBuilder({ page, ...(axeSource !== undefined && { axeSource }) })
    .options({ runOnly, resultTypes: ['violations'] })
    .exclude('tbody tr:nth-child(n + 9)')
    .exclude('main li:nth-child(n + 9)')
    .setLegacyMode()
    .analyze();
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
  expect(found).toEqual([]);
}

/** Fails with one line per element that breaks WCAG 2.2 AA as far as a machine can tell, in the colours that are on. */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  await settle(page);
  await expectNothingFound(page, { type: 'tag', values: wcagTags });
}

/** The same in light, then what colours decide in dark; leaves the page in light. */
export async function expectNoAxeViolationsInBoth(page: Page): Promise<void> {
  await setScheme(page, 'light');
  await expectNoAxeViolations(page);
  await setScheme(page, 'dark');
  await settle(page);
  // The page that was judged in light still has the rules.
  await expectNothingFound(page, { type: 'rule', values: colourRules }, ';');
  await setScheme(page, 'light');
}

async function setScheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme);
}

/** Waits for what fades in or changes colour: half way, its colours are nobody's; so are those of rows about to be replaced. */
async function settle(page: Page): Promise<void> {
  await expect(page.locator('[data-stale]')).toHaveCount(0);
  await page.evaluate(async () => {
    // A dialog begins to fade in some frames after it is there.
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
