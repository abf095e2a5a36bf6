import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import { Api } from '#e2e/support/api.ts';
import { startApp } from '#e2e/support/app.ts';
import { signIn } from '#e2e/support/test.ts';
import { findChromium } from './lib/chromium.ts';

/** Makes the pictures of the documentation from the demo. `npm run docs:images`, or with the names of some of them. */

const folder = resolve(import.meta.dirname, '../docs/images');

const row = (page: Page) => page.locator('main [data-row-open]').first();

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settled(page);
}

/** Nothing loads, and no picture is missing. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page
    .locator('[aria-busy="true"], main [role="status"][aria-label="Chargement…"]')
    .first()
    .waitFor({ state: 'detached' });
  // Pictures below the window are not loaded.
  await page.waitForFunction(() =>
    [...document.images].every((image) => image.complete || image.getBoundingClientRect().top > window.innerHeight),
  );
}

async function openFirst(page: Page, list: string): Promise<void> {
  await open(page, list);
  await row(page).click();
  await page.waitForURL((url) => url.pathname !== list);
  await settled(page);
}

/** An account that latest reports pay. */
async function openAccount(page: Page): Promise<void> {
  const api = new Api(page.request);
  await api.readCsrf();
  const [report] = (await api.call(routes.listReports, { query: { type: 'platform', limit: 1 } })).data;
  await open(page, `/accounts/profiles/${report?.userId}`);
}

/** What is opened for each picture, by file name. */
const pictures: Record<string, (page: Page) => Promise<void>> = {
  accueil: (page) => open(page, '/'),
  'guide-releves': (page) => open(page, '/reporting/statements'),
  'guide-non-attribues': (page) => open(page, '/reporting/unmatched'),
  'guide-mois': (page) => open(page, '/reporting/months'),
  'guide-compter': async (page) => {
    await open(page, '/reporting/months');
    await page.getByRole('columnheader').getByRole('link').last().click();
    await settled(page);
  },
  'guide-analyse': (page) => open(page, '/reporting/analytics'),
  'guide-comptes': (page) => open(page, '/accounts/profiles'),
  'guide-compte': openAccount,
  'guide-explication': async (page) => {
    await openAccount(page);
    await page
      .getByRole('link', { name: /^Pourquoi ce montant/ })
      .first()
      .click();
    await settled(page);
  },
  'guide-pourquoi-moins': async (page) => {
    await openAccount(page);
    await page
      .getByRole('link', { name: /, comparer avec / })
      .last()
      .click();
    await settled(page);
  },
  'guide-a-payer': (page) => open(page, '/payouts/unpaid-accounts'),
  'guide-payer-tous': (page) => open(page, '/payouts/everyone'),
  'guide-versement': (page) => openFirst(page, '/payouts/pending'),
  'guide-sorties': (page) => open(page, '/library/releases/delivered'),
  'guide-sortie': async (page) => {
    await openFirst(page, '/library/releases/unpublished');
    await page.getByRole('heading', { name: 'Titres' }).waitFor();
  },
  'guide-titre': async (page) => {
    await openFirst(page, '/library/releases/delivered');
    await page
      .getByRole('button', { name: /^(Modifier|Éditer) / })
      .first()
      .click();
    await page.getByRole('dialog').waitFor();
  },
  'guide-releves-a-publier': (page) => open(page, '/accounts/statements-out/new'),
  'guide-releves-envoyes': (page) => openFirst(page, '/accounts/statements-out'),
  'guide-page-du-client': async (page) => {
    const api = new Api(page.request);
    await api.readCsrf();
    const [row] = (await api.call(routes.listRoyaltyStatements, { query: { sort: 'income', order: 'desc', limit: 1 } }))
      .data;
    const { link } = (await api.call(routes.getRoyaltyStatement, { params: { id: row?.id ?? 0 } })).data;
    await open(page, new URL(link ?? '').pathname);
  },
  'guide-equipe': (page) => open(page, '/accounts/manage-admins'),
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(pictures);
const unknown = names.filter((name) => !pictures[name]);
if (unknown.length > 0) throw new Error(`no such picture: ${unknown.join(', ')}`);

await mkdir(folder, { recursive: true });
const app = await startApp();
const { executablePath, args, env } = await findChromium();
const browser = await chromium.launch({
  executablePath,
  args,
  env: { ...process.env, ...env } as Record<string, string>,
});
try {
  const context = await browser.newContext({
    baseURL: app.url,
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  const page = await context.newPage();
  await signIn(page, app.email, app.password);
  for (const name of names) {
    await pictures[name]?.(page);
    await page.mouse.move(0, 0);
    await settled(page);
    await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
    process.stdout.write(`${name}\n`);
  }
} finally {
  await browser.close();
  await app.stop();
}
