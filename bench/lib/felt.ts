import { chromium, type Page } from '@playwright/test';
import { startApp } from '#e2e/support/app.ts';
import { signIn } from '#e2e/support/test.ts';
import { findChromium } from '#scripts/lib/chromium.ts';
import { buildBareReact, measureBare } from './bare-react.ts';
import { median } from './lists.ts';

/** Lists whose rows open a record, by name. */
const lists = {
  reports: '/reporting/all',
  accounts: '/accounts/profiles',
  'pending payouts': '/payouts/pending',
  'delivered releases': '/library/releases/delivered',
  statements: '/reporting/statements',
  imports: '/reporting/imports',
  invoices: '/accounts/invoices',
} as const;

/** What a page shows while it loads. */
const loading = 'main [role="status"][aria-label="Chargement…"], main [aria-busy="true"]';

type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
type Interaction = PerformanceEntry & { interactionId: number; target: Node | null };
type Slowest = { ms: number; what: string };
type Observed = Window & { shifts: number; shifted: string[]; slowest: Slowest; readyMs?: number };

/** Waits until the page shows its title and loads nothing. */
async function waitUntilReady(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await page.waitForFunction((loading) => document.querySelector(loading) === null, loading);
}

/** In the page: sums layout shifts, and keeps the slowest interaction and the time from a click to the ready page. */
function observe(loading: string) {
  const seen = window as unknown as Observed;
  seen.shifts = 0;
  seen.shifted = [];
  seen.slowest = { ms: 0, what: '' };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (Shift & { sources?: { node?: Element }[] })[]) {
      if (entry.hadRecentInput) continue;
      seen.shifts += entry.value;
      for (const { node } of entry.sources ?? [])
        seen.shifted.push(`${location.pathname} ${node?.outerHTML?.slice(0, 120)}`);
    }
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name, target } of list.getEntries() as Interaction[]) {
      if (interactionId === 0 || duration <= seen.slowest.ms) continue;
      const what = target instanceof HTMLElement ? target.outerHTML.slice(0, 120) : '';
      seen.slowest = { ms: duration, what: `${name} ${location.pathname} ${what}` };
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  const isLoading = () => document.querySelector(loading) !== null;
  document.addEventListener(
    'click',
    (event) => {
      if (!(event.target instanceof Element) || !event.target.closest('[data-row-open]')) return;
      // The address changes before the list gives way to the record.
      const title = document.querySelector('main h1');
      const check = () => {
        if (title?.isConnected || !document.querySelector('main h1') || isLoading()) requestAnimationFrame(check);
        // The frame of this callback paints what it found.
        else setTimeout(() => (seen.readyMs = performance.now() - event.timeStamp));
      };
      check();
    },
    { capture: true },
  );
}

const readObserved = (page: Page) =>
  page.evaluate(() => {
    const { shifts, shifted, slowest, readyMs } = window as unknown as Observed;
    return { shifts, shifted, slowest, readyMs };
  });

/** A person rests on what they are about to click. */
const restMs = 300;

/** Opens a row of the list by a click, after a hover or without, and measures in milliseconds until the record is shown. */
async function measureOpening(page: Page, row: number, isHovered: boolean): Promise<number> {
  const opener = page.locator('main [data-row-open]').nth(row);
  await page.evaluate(() => {
    (window as unknown as Observed).readyMs = undefined;
  });
  if (isHovered) {
    await opener.hover();
    // The rest itself: what the hover loads may end before it or not, as for a person.
    await page.waitForTimeout(restMs);
    await opener.click();
    // Without pointer and focus, nothing of the record is loaded before.
  } else await opener.evaluate((link: HTMLElement) => link.click());
  await page.waitForFunction(() => (window as unknown as Observed).readyMs !== undefined);
  const { readyMs = Number.NaN } = await readObserved(page);
  await waitUntilReady(page);
  await page.goBack();
  await waitUntilReady(page);
  return readyMs;
}

/** Opens the list's first record by its address; resolves to the layout shift until nothing loads. */
async function openByAddress(page: Page) {
  await page.locator('main [data-row-open]').first().click();
  await waitUntilReady(page);
  await page.reload();
  await waitUntilReady(page);
  await page.waitForLoadState('networkidle');
  return readObserved(page);
}

/** Uses a list with keys, search and a click, as one visit; resolves to its slowest interaction. */
async function interact(page: Page, path: string): Promise<Slowest> {
  await page.goto(path);
  await waitUntilReady(page);
  // Pictures and counts that are still loading, decoding or drawing are not part of an interaction.
  await page.waitForLoadState('networkidle');
  await page.evaluate(async () => {
    await Promise.all([...document.images].filter(({ complete }) => complete).map((image) => image.decode()));
    await new Promise((resolve) => requestIdleCallback(resolve));
  });
  await page.keyboard.press('j');
  await page.getByRole('button', { name: 'Rechercher partout' }).click();
  await page.keyboard.type('ma');
  await page.keyboard.press('Escape');
  await page.locator('main [data-row-open]').first().click();
  await waitUntilReady(page);
  await page.goBack();
  await waitUntilReady(page);
  await page.getByRole('searchbox', { name: 'Rechercher' }).pressSequentially('ma');
  await waitUntilReady(page);
  return (await readObserved(page)).slowest;
}

export type Felt = {
  /** Median milliseconds from a click on a row to its record, by list: after a hover, without, and with React alone. */
  openingMs: Map<string, { hovered: number; cold: number; bare: number }>;
  /** Layout shift of these lists, and of a record of each opened by its address, and what moved. */
  shifts: number;
  shifted: string[];
  /** The slowest interaction of a list's median visit in milliseconds, with the processor slowed down four times. */
  slowest: Slowest;
};

/**
 * What a person feels of the demo in a browser.
 * @param visitsPerList a visit of a shared machine may be disturbed: the median counts
 */
export async function measureFelt(repeats: number, visitsPerList: number): Promise<Felt> {
  const [app, script] = [await startApp(), await buildBareReact()];
  const found = await findChromium();
  const browser = await chromium.launch({
    executablePath: found.executablePath,
    args: found.args,
    env: { ...process.env, ...found.env } as Record<string, string>,
  });
  try {
    const context = await browser.newContext({
      baseURL: app.url,
      locale: 'fr-FR',
      viewport: { width: 1440, height: 900 },
    });
    await context.addInitScript(observe, loading);
    const page = await context.newPage();
    await signIn(page, app.email, app.password);
    const openingMs: Felt['openingMs'] = new Map();
    let shifts = 0;
    const shifted: string[] = [];
    for (const [name, path] of Object.entries(lists)) {
      await page.goto(path);
      await waitUntilReady(page);
      const rows = await page.locator('main [data-row-open]').count();
      const half = Math.min(repeats, Math.floor(rows / 2));
      const times: { hovered: number[]; cold: number[] } = { hovered: [], cold: [] };
      for (let row = 0; row < half; row += 1) times.hovered.push(await measureOpening(page, row, true));
      const observed = [await readObserved(page)];
      for (let row = half; row < 2 * half; row += 1) times.cold.push(await measureOpening(page, row, false));
      observed.push(await openByAddress(page));
      await page.goto(path);
      await waitUntilReady(page);
      const bare = await measureBare(page, script, repeats, () => waitUntilReady(page));
      openingMs.set(name, { hovered: median(times.hovered), cold: median(times.cold), bare });
      for (const one of observed) {
        shifts += one.shifts;
        shifted.push(...one.shifted);
      }
    }
    const client = await context.newCDPSession(page);
    await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    let slowest: Slowest = { ms: 0, what: '' };
    for (const path of Object.values(lists)) {
      const visits: Slowest[] = [];
      while (visits.length < visitsPerList) visits.push(await interact(page, path));
      const typical = visits.toSorted((a, b) => a.ms - b.ms)[Math.floor(visitsPerList / 2)];
      if (typical && typical.ms > slowest.ms) slowest = typical;
    }
    return { openingMs, shifts, shifted, slowest };
  } finally {
    await browser.close();
    await app.stop();
  }
}
