import { expectReady, findRecordIds, watchShifts } from './support/screens.ts';
import { expect, test } from './support/test.ts';

const slowAnswerMs = 150;
/** Fractions of a pixel, which move no text. */
const stillShift = 0.0005;

test('no page moves while it loads, in a wide window and on a phone', async ({ page, api }) => {
  const ids = await findRecordIds(api);
  const paths = [
    '/library',
    '/tools/empty-isrc-barcode',
    '/accounts/manage-admins',
    `/accounts/profiles/${ids.profiles}`,
    `/library/release/${ids.release}`,
    `/library/track/${ids.track}`,
    `/payouts/batches/${ids.batches}`,
  ];
  // Answers come one after another, so that what each of them adds is a frame of its own.
  await page.addInitScript((waitMs) => {
    const answer = window.fetch;
    let last = Promise.resolve();
    window.fetch = async (...request) => {
      const response = await answer(...request);
      last = last.then(() => new Promise((resolve) => setTimeout(resolve, waitMs)));
      await last;
      return response;
    };
  }, slowAnswerMs);
  const moved = await watchShifts(page);
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    // Fonts and scripts come from the cache from here on.
    await page.goto(paths[0] ?? '/');
    await expectReady(page);
    for (const path of paths) {
      await page.goto(path);
      await expectReady(page);
      await expect.poll(moved, `${path}, ${viewport.width}`).toBeLessThan(stillShift);
    }
  }
});

test('the page stays where it is when the network is lost', async ({ page, api, context }) => {
  await api.readCsrf();
  const moved = await watchShifts(page);
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    await page.goto('/payouts/pending');
    await expectReady(page);
    // Its first font moves the page too.
    await page.evaluate(async () => void (await document.fonts.ready));
    const before = await moved();
    await context.setOffline(true);
    const bar = page.getByText(/^Vous êtes hors ligne/);
    await expect(bar).toBeInViewport({ ratio: 1 });
    // The icon keeps its size beside a sentence of several lines.
    expect((await bar.locator('svg').boundingBox())?.width).toBe(16);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect((await moved()) - before).toBeLessThan(stillShift);
    await context.setOffline(false);
    await expect(bar).toBeHidden();
  }
});
