import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { de } from '@regie/values/elision.ts';
import sharp from 'sharp';
import type { Api } from './support/api.ts';
import { expectReady } from './support/screens.ts';
import { expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

/** The server decodes a cover and scales it to every width before it responds. */
const stored = { timeout: 60_000 };

const plain = (background: string, width = 3000) =>
  sharp({ create: { width, height: 3000, channels: 3, background } })
    .jpeg({ quality: 92 })
    .toBuffer();

/** A release in quality control that no other test uses. */
async function findRelease(api: Api, place: number) {
  const { data } = await api.call(routes.listPaidReleases, { query: { limit: 100, sort: 'title', order: 'desc' } });
  const release = data.filter((row) => JSON.parse(row.coverDetails).url).at(place);
  if (!release) throw new Error('the demo has no paid release with a cover');
  return release;
}
const coverUrl = async (api: Api, id: number): Promise<string> =>
  JSON.parse((await api.call(routes.getRelease, { params: { id } })).data.coverDetails).url;

test('a cover is refused, sent, shown everywhere and downloaded', { tag: '@area' }, async ({ page, api }) => {
  const release = await findRelease(api, 0);
  const cover = await plain('#1f8a70');
  await page.goto(`/library/release/${release.id}`);
  const shown = page.getByRole('img', { name: `Pochette ${de(release.title)}` });
  await expect(shown).toBeVisible();
  const formerUrl = await coverUrl(api, release.id);
  await expect(shown).toHaveAttribute('src', `${formerUrl}?w=365&q=85&f=webp`);

  await page.getByRole('button', { name: 'Changer la pochette' }).click();
  const dialog = page.getByRole('dialog', { name: 'Changer la pochette' });
  const choose = dialog.getByRole('button', { name: /^Image de la pochette/ });
  const input = dialog.locator('input[type=file]');
  await input.setInputFiles({ name: 'petite.jpg', mimeType: 'image/jpeg', buffer: await plain('#c02020', 2999) });
  await expect(dialog.getByRole('alert')).toHaveText(messages.coverSize);
  await expectNoAxeViolations(page);
  await input.setInputFiles({ name: 'page.png', mimeType: 'image/png', buffer: Buffer.from('<html></html>') });
  await expect(dialog.getByRole('alert')).toHaveText(messages.coverFormat);
  await input.setInputFiles({ name: 'coupee.jpg', mimeType: 'image/jpeg', buffer: cover.subarray(0, 20_000) });
  await expect(dialog.getByRole('alert')).toHaveText(messages.coverDamaged);
  expect(await coverUrl(api, release.id)).toBe(formerUrl);

  // With the keyboard: the button opens the browser's file chooser.
  const chooser = page.waitForEvent('filechooser');
  await choose.focus();
  // After the listener for the chooser is added, and the last refusal is rendered.
  await expect(choose).toBeFocused();
  await page.keyboard.press('Enter');
  await (await chooser).setFiles({ name: 'verte.jpg', mimeType: 'image/jpeg', buffer: cover });
  await expect(page.getByRole('status').filter({ hasText: 'La pochette est enregistrée' })).toBeVisible(stored);
  await expect(dialog).toBeHidden();
  const url = await coverUrl(api, release.id);
  expect(url).not.toBe(formerUrl);
  await expect(shown).toHaveAttribute('src', `${url}?w=365&q=85&f=webp`);
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(300);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Télécharger la pochette' }).click(),
  ]);
  expect(download.suggestedFilename()).toContain(release.title.slice(0, 10).replace(/[\\/:*?"<>|]/g, '_'));
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  expect(sha256(await readFile(await download.path()))).toBe(sha256(cover));

  await page.goto(`/library/releases/paid?q=${encodeURIComponent(release.title)}`);
  const card = page.getByRole('main').getByRole('listitem').filter({ hasText: release.title }).first();
  await expect(card.locator('img')).toHaveAttribute('src', `${url}?w=365&q=85&f=webp`);
});

test('a cover interrupted by the network can be sent again, or cancelled', async ({ page, api }) => {
  const release = await findRelease(api, 1);
  const formerUrl = await coverUrl(api, release.id);
  const cover = await plain('#7a4fbf');
  await page.goto(`/library/release/${release.id}/edit`);
  await expectReady(page);
  const input = page.locator('input[type=file]').first();
  const file = { name: 'violette.jpg', mimeType: 'image/jpeg', buffer: cover };

  // The upload is held, then aborted.
  let isHeld = true;
  let held = 0;
  let cut: () => void = () => {};
  await page.route('**/edit/cover', async (route) => {
    if (!isHeld) return route.continue();
    await new Promise<void>((resolve) => {
      cut = resolve;
      held += 1;
    });
    await route.abort('connectionreset').catch(() => {});
  });
  const progress = page.getByRole('progressbar', { name: 'Envoi de la pochette' });
  await input.setInputFiles(file);
  await expect(progress).toBeAttached();
  await expect(page.getByRole('img', { name: 'Aperçu de violette.jpg' })).toBeVisible();
  await expect.poll(() => held).toBe(1);
  await page.getByRole('button', { name: 'Annuler l’envoi' }).click();
  await expect(page.getByText('L’envoi est annulé')).toBeVisible();
  cut();

  await input.setInputFiles(file);
  await expect.poll(() => held).toBe(2);
  await expect(progress).toBeAttached();
  cut();
  await expect(page.getByRole('alert').filter({ hasText: messages.network })).toBeVisible();
  expect(await coverUrl(api, release.id)).toBe(formerUrl);
  isHeld = false;
  await page.getByRole('button', { name: 'Réessayer' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'La pochette est enregistrée' })).toBeVisible(stored);
  const url = await coverUrl(api, release.id);
  expect(url).not.toBe(formerUrl);
  await expect(page.getByRole('img', { name: `Pochette ${de(release.title)}` })).toHaveAttribute(
    'src',
    `${url}?w=365&q=85&f=webp`,
  );
});

test('an admin who only reads releases sees covers without edit actions', async ({ api, browser }) => {
  const release = await findRelease(api, 2);
  const login = await api.addAdmin('Noa', ['read_paid_libraries']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, login.email, login.password);
  await page.goto(`/library/release/${release.id}`);
  await expect(page.getByRole('img', { name: `Pochette ${de(release.title)}` })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Télécharger la pochette' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Changer la pochette' })).toHaveCount(0);
  await context.close();
});
