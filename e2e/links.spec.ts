import type { Page } from '@playwright/test';
import { isDeep } from '@regie/api/test/deep.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { expectReady, findRecordIds, screens, visit, withId } from './support/screens.ts';
import { distrokidFile, sendStatement } from './support/statements.ts';
import { expect, test } from './support/test.ts';

/** No other test has a statement in it; the month board shows it by default. */
const month = '2025-12';

/** A checked statement with one matched and one unmatched line: its month links to both. */
async function addCheckedStatement(api: Api): Promise<void> {
  const { data: releases } = await api.call(routes.listDeliveredReleases, { query: { limit: 1 } });
  const { data: resources } = await api.call(routes.getResources, { params: { id: releases[0]?.id ?? 0 } });
  const isrcs = [resources.release.tracks.find((track) => track.isrc !== null)?.isrc ?? '', 'FRZZZ2600002'];
  const title = crypto.randomUUID();
  const rows = isrcs.map((isrc) => ({ isrc, month, title, amount: '2.50' }));
  const id = await sendStatement(api, `releve-des-liens-${title}.tsv`, distrokidFile(rows));
  await api.checkStatement(id, { confirmRates: true, confirmDuplicates: true });
}

/** The screen's links with a query, as paths. */
const linksWithQuery = (page: Page) =>
  page
    .locator('#contenu a[href*="?"]')
    .evaluateAll((found) =>
      found.map((link) => link.getAttribute('href') ?? '').filter((href) => href.startsWith('/')),
    );

/** Links of one kind differ only in their record. Undefined for a link that only chooses a tab of its screen. */
function kindOf(href: string): string | undefined {
  const { pathname, searchParams } = new URL(href, 'http://localhost');
  const names = [...searchParams.keys()].filter((name) => !['tab', 'by', 'kind', 'compte'].includes(name));
  return names.length === 0 ? undefined : `${pathname.replaceAll(/\d+/g, '#')}?${names.sort().join('&')}`;
}

/** The screen's API calls and text with that of a dialog, once loaded. */
type Look = { calls: string; text: string };

async function lookAt(page: Page, path: string): Promise<Look> {
  const calls = new Set<string>();
  const listener = (request: { url: () => string }) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/')) calls.add(pathname + search);
  };
  page.on('request', listener);
  await page.goto(path);
  await expectReady(page);
  page.off('request', listener);
  const dialogs = await page.getByRole('dialog').allInnerTexts();
  const text = [await page.locator('#contenu').ariaSnapshot(), ...dialogs].join('\n');
  return { calls: [...calls].sort().join(' '), text };
}

test('every link with a filter opens a screen that applies it', async ({ page, api }) => {
  test.setTimeout(600_000);
  await addCheckedStatement(api);
  const ids = await findRecordIds(api);
  const queue = screens.filter(({ access }) => access !== 'public').map(({ path }) => withId(path, ids));
  const kinds = new Set<string>();
  const asked = new Map<string, Look>();
  await page.goto('/nulle-part');
  await expectReady(page);
  for (const path of queue) {
    if (path.includes('?')) asked.set(path, await lookAt(page, path));
    else await visit(page, path);
    for (const href of await linksWithQuery(page)) {
      const kind = kindOf(href);
      if (kind === undefined || kinds.has(kind)) continue;
      kinds.add(kind);
      // Its screen has links of its own.
      queue.push(href);
    }
  }
  // A month to close links to its unmatched lines.
  await page.goto(`/reporting/months/${month}`);
  const toUnmatched = page.locator('#contenu a[href^="/reporting/unmatched?"]').first();
  const unmatched = (await toUnmatched.getAttribute('href')) ?? '';
  kinds.add(kindOf(unmatched) ?? '');
  asked.set(unmatched, await lookAt(page, unmatched));
  const plain = new Map<string, Look>();
  const unread: string[] = [];
  for (const [index, [href, { calls }]] of [...asked].entries()) {
    // Each is opened three times more: outside the deep run, every third.
    if (!isDeep() && index % 3 !== 0) continue;
    // A month is YYYY-MM; no other value in a URL is as long as an instant.
    expect(href, 'an address names a month as YYYY-MM').not.toMatch(/=\d{11,}(&|$)/);
    const path = href.slice(0, href.indexOf('?'));
    // The months that a comparison of the house or of an account begins with.
    if (/^\/(reporting\/compare\?subject=all|accounts\/\d+\/compare\?a=)/.test(href)) continue;
    const shown = plain.get(path) ?? (await lookAt(page, path));
    plain.set(path, shown);
    if (calls !== shown.calls) continue;
    // Other tests change the data: texts are compared one right after the other.
    if ((await lookAt(page, href)).text === (await lookAt(page, path)).text) unread.push(href);
  }
  expect(unread, 'the screen does not read what the link says').toEqual([]);
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      '/reporting/statements?month',
      '/reporting/statements?month&source',
      '/reporting/unmatched?month&source',
    ]),
  );
});
