import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';

/** Someone who signs in. */
export type Login = { email: string; password: string };

type Fixtures = {
  /** The demo's first administrator, who holds every capability. */
  admin: Login;
};

/** What journeys are written with: pages open relative to the running app. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the destructured parameter.
  baseURL: async ({}, use) => {
    await use(required('E2E_URL'));
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the destructured parameter.
  admin: async ({}, use) => {
    await use({ email: required('E2E_EMAIL'), password: required('E2E_PASSWORD') });
  },
});

export { expect };

/** Signs in as a person does and waits for the screen behind. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin');
  await page.getByRole('textbox', { name: /e-mail/i }).fill(email);
  await page.getByLabel(/^mot de passe/i).fill(password);
  await page.getByRole('button', { name: /se connecter/i }).click();
  await expect(page).not.toHaveURL(/\/signin/);
  await expect(page.getByRole('main')).toBeVisible();
}

const wcagTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Fails with one line per element that breaks WCAG 2.2 AA as far as a machine can tell. */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(wcagTags).analyze();
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
  expect(found).toEqual([]);
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is set by e2e/support/global-setup.ts, which did not run.`);
  return value;
}
