import { readFile } from 'node:fs/promises';
import { type Download, expect, type Locator, type Page } from '@playwright/test';
import type { Access } from '@regie/contract/route.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './api.ts';
import { distrokidFile, sendStatement } from './statements.ts';

// A computed path, so that checking the types here does not check the interface again.
const screenTable: string = '@regie/web/app/screens.ts';
/** All screens with their access. */
export const { screens } = (await import(screenTable)) as { screens: readonly { path: string; access: Access }[] };

export type RecordIds = {
  report: number;
  import: number;
  transaction: number;
  release: number;
  track: number;
  profiles: number;
  'bank-account': number;
  'paypal-account': number;
  invoice: number;
  payout: number;
  batches: number;
  smartlink: number;
  statements: number;
  'statements-out': number;
  'statement-out': number;
};

/** Ids of an account, bank and PayPal details and an issued invoice. */
async function findAccountIds(api: Api) {
  const found: { profiles?: number; bank?: number; paypal?: number } = {};
  const { data } = await api.call(routes.listProfiles, { query: { limit: 100, sort: 'id' } });
  for (const { id } of data.accounts) {
    found.profiles ??= id;
    for (const billing of (await api.call(routes.listBillingAccounts, { params: { id } })).data) {
      found[billing.type] ??= billing.id;
    }
    const { profiles, bank, paypal } = found;
    if (profiles && bank && paypal) {
      const [invoice] = (await api.call(routes.listInvoices, { query: { limit: 1, status: 'PAID' } })).data;
      if (!invoice) throw new Error('the demo has no invoice');
      return { profiles, 'bank-account': bank, 'paypal-account': paypal, invoice: invoice.id };
    }
  }
  throw new Error('the demo has no account, or nobody is paid by bank or by PayPal');
}

/** The demo's oldest pending payout, and a batch: the demo has none, so the first test that needs one creates it. */
async function findPayoutIds(api: Api) {
  const query = { limit: 1, order: 'asc' };
  const [payout] = (await api.call(routes.listPendingPayouts, { query })).data;
  if (!payout) throw new Error('the demo has no payout that waits');
  const findBatch = async () => (await api.call(routes.listBatches, { query })).data[0]?.id;
  const known = await findBatch();
  if (known !== undefined) return { payout: payout.payoutId, batches: known };
  // Refused when a parallel test has just created it.
  const made = await api.attempt(routes.createBatch, { body: { payouts: [payout.payoutId], confirmWarnings: true } });
  const batch = await findBatch();
  if (batch === undefined) throw new Error(`no batch could be made: ${await made.text()}`);
  return { payout: payout.payoutId, batches: batch };
}

let ownStatement: Promise<number> | undefined;

/** A loaded statement that no other test removes. */
function findStatementId(api: Api): Promise<number> {
  const mark = crypto.randomUUID().slice(0, 8);
  const rows = ['Deezer', 'Spotify'].map((store) => ({
    isrc: 'FRZZZ2600001',
    month: '2026-05',
    amount: '1.25',
    store,
    title: mark,
  }));
  ownStatement ??= sendStatement(api, `releve-des-ecrans-${mark}.tsv`, distrokidFile(rows));
  return ownStatement;
}

/** Ids of a report, its import and its ledger transaction; a delivered release and its first track; an account and its payment details. */
export async function findRecordIds(api: Api): Promise<RecordIds> {
  const [release] = (await api.call(routes.listDeliveredReleases, { query: { limit: 1, order: 'asc' } })).data;
  if (!release) throw new Error('the demo has no delivered release');
  const [track] = (await api.call(routes.getRelease, { params: { id: release.id } })).data.tracks;
  if (!track) throw new Error('the delivered release has no track');
  const { data } = await api.call(routes.listReports, { query: { type: 'platform', limit: 20, order: 'asc' } });
  for (const { id } of data) {
    const { data: report } = await api.call(routes.getReport, { params: { id } });
    const [transaction] = report.transactions;
    if (transaction) {
      const accounts = await findAccountIds(api);
      const payouts = await findPayoutIds(api);
      const [smartlink] = (
        await api.call(routes.listSmartlinks, { params: { status: 'enabled' }, query: { limit: 1, order: 'asc' } })
      ).data;
      if (!smartlink) throw new Error('the demo has no smartlink');
      const [ticket] = (await api.call(routes.listTickets, { params: { status: 'opened' }, query: { limit: 1 } })).data;
      if (!ticket) throw new Error('the demo has no open ticket');
      const [run] = (await api.call(routes.listRoyaltyRuns, { query: { limit: 1 } })).data;
      const [royalty] = (await api.call(routes.listRoyaltyStatements, { query: { limit: 1 } })).data;
      if (!run || !royalty) throw new Error('the demo has no statement of an account');
      const records = {
        'statements-out': run.id,
        'statement-out': royalty.id,
        report: id,
        import: report.import.id,
        transaction: transaction.id,
        release: release.id,
        track: track.id,
        smartlink: smartlink.id,
        ticket: ticket.id,
        statements: await findStatementId(api),
      };
      return { ...records, ...accounts, ...payouts };
    }
  }
  throw new Error('the demo has no report');
}

/** `/reporting/report/$id` with a record's id; for the wizard, its first step; for a month to close or sign, one of the demo. */
export function withId(path: string, ids: RecordIds): string {
  return path
    .replace('$step', 'tracks')
    .replace('$month', '2026-09')
    .replace('$subject/$id', 'month/2026-10')
    .replace('/accounts/$id/', `/accounts/${ids.profiles}/`)
    .replace(
      /(report|import|transaction|release|track|profiles|bank-account|paypal-account|invoice|payout|batches|smartlink|statements-out|statement-out|statements|ticket)\/\$id(?=\/edit$|\/delivery$|\/mapping$|$)/,
      (_, kind: keyof RecordIds) => `${kind}/${ids[kind]}`,
    );
}

/** The value beside a label in a list of facts or figures. */
export function fact(within: Page | Locator, label: string): Locator {
  return within
    .locator('dl > div')
    .filter({ has: pageOf(within).getByRole('term').getByText(label, { exact: true }) })
    .getByRole('definition');
}

/** Waits until the screen is ready: its title is shown, nothing is loading. */
export async function expectReady(page: Page): Promise<void> {
  // By selector: roles and names are computed for every element of the page.
  await expect(page.locator('h1')).toBeVisible();
  await expect(page.locator('[role="status"][aria-label="Chargement…"]')).toHaveCount(0);
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

/**
 * Opens another screen inside the open page, like a link, and waits until it is ready. The former screen's title is
 * marked, so that it is not taken for the new one. Not for paths of the same screen.
 */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    for (const title of document.querySelectorAll('h1')) title.dataset.former = '';
    window.history.pushState({}, '', to);
  }, path);
  await expect(page.locator('h1:not([data-former])'), path).toBeVisible();
  await expect(page.locator('h1[data-former]'), path).toHaveCount(0);
  await expectReady(page);
}

/** Rests the pointer on an element until its tip shows: tips are loaded after the page. */
export async function expectTip(of: Locator, text: string): Promise<void> {
  const page = of.page();
  await expect(async () => {
    await page.mouse.move(0, 0);
    // The link of its row may cover it.
    await of.hover({ force: true });
    await expect(page.getByRole('tooltip')).toHaveText(text, { timeout: 2000 });
  }).toPass();
}

/** Chooses a file in a drop zone through its button. */
export async function chooseFile(page: Page, label: string | RegExp, name: string, content: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: label }).click();
  await (await chooser).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
}

/** On an account's page: imports a CSV file of releases. */
export async function importReleases(page: Page, csv: string): Promise<void> {
  await page.getByRole('button', { name: 'Importer des sorties' }).click();
  await chooseFile(page, 'Fichier des sorties', 'sorties.csv', csv);
  await page.getByRole('dialog').getByRole('button', { name: 'Importer', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
}

/** Picks a month by typing it: `09/2025`. */
export async function pickMonth(within: Page | Locator, label: string, month: string): Promise<void> {
  await within.getByRole('combobox', { name: label }).fill(month);
  await pageOf(within).getByRole('option', { name: month }).click();
}

interface ReadFile {
  name: string;
  text: string;
}

async function readStarted(started: Promise<Download>): Promise<ReadFile> {
  const download = await started;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** Clicks a download button and reads the file as text. */
export async function readDownload(page: Page, button: Locator): Promise<ReadFile> {
  const started = page.waitForEvent('download');
  await button.click();
  return readStarted(started);
}

/** Picks a format in a download menu. */
export async function pickDownload(page: Page, menu: Locator, form: 'CSV (Excel)' | 'XLSX'): Promise<Download> {
  await menu.click();
  const started = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: form }).click();
  return started;
}

/** Downloads a menu's CSV as text. */
export const readExport = (page: Page, menu: Locator): Promise<ReadFile> =>
  readStarted(pickDownload(page, menu, 'CSV (Excel)'));

/** Option lists are rendered at the end of the page. */
function pageOf(within: Page | Locator): Page {
  return 'page' in within ? within.page() : within;
}

/** Measures what moves without a cause by the user on the pages opened from now on. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput) shifts.push(entry.value);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return () => page.evaluate(() => (Reflect.get(window, 'shifts') as number[]).reduce((sum, one) => sum + one, 0));
}
