import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Page, Request } from '@playwright/test';
import { wavHeader } from '@regie/api/demo/demo-audio.ts';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { de } from '@regie/values/elision.ts';
import type { Api } from './support/api.ts';
import { openEntry } from './support/sidebar.ts';
import { expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

/** A waiting release with one track without audio and another one with audio. */
async function findTracks(api: Api) {
  const { data } = await api.call(routes.listUnpaidReleases, { query: { limit: 200 } });
  for (const { id } of data) {
    const { data: release } = await api.call(routes.getRelease, { params: { id } });
    const silent = release.tracks.find((track) => track.audioDetails === '{}');
    if (silent && release.tracks.length >= 2) return { release, track: silent };
  }
  throw new Error('the demo has no waiting track without audio');
}

/** A delivered release with audio. */
async function findHeardRelease(api: Api) {
  const { data } = await api.call(routes.listDeliveredReleases, { query: { limit: 50 } });
  for (const { id } of data) {
    const { data: release } = await api.call(routes.getRelease, { params: { id } });
    if (release.tracks.some((track) => track.audioDetails !== '{}')) return release;
  }
  throw new Error('the demo has no delivered track with audio');
}

/** Two channels of 16 bits at 44.1 kHz, a few seconds of a rising tone. */
function inventWav(seconds: number): Buffer {
  const frames = seconds * 44_100;
  const file = Buffer.alloc(44 + frames * 4);
  wavHeader(frames * 4).copy(file);
  for (let frame = 0; frame < frames; frame += 1) {
    const value = Math.round(12_000 * Math.sin((frame / 100) * (1 + frame / frames)));
    file.writeInt16LE(value, 44 + frame * 4);
    file.writeInt16LE(-value, 46 + frame * 4);
  }
  return file;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
/** Uploads a file to a track through its row's menu. */
async function chooseFile(page: Page, title: string, path: string): Promise<void> {
  await page.getByRole('button', { name: `Audio ${de(title)}`, exact: true }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: /^(Envoyer un fichier \.wav|Remplacer l’audio)$/ }).click();
  await (await chooser).setFiles(path);
}

test('audio is refused, sent, interrupted, resumed after a reload, played and downloaded', async ({
  page,
  api,
  context,
}, info) => {
  const { release, track } = await findTracks(api);
  const title = track.version ? `${track.title} (${track.version})` : track.title;
  const master = inventWav(20);
  const masterPath = info.outputPath('master.wav');
  await writeFile(masterPath, master);
  const falsePath = info.outputPath('faux.wav');
  await writeFile(falsePath, Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), Buffer.alloc(5000, 0xfb)]));

  await page.goto(`/library/release/${release.id}`);
  await chooseFile(page, title, falsePath);
  await expect(page.getByRole('alert').filter({ hasText: messages.audioFormat })).toBeVisible();

  // The network is lost after a third of the file.
  let chunks = 0;
  await page.route('**/edit/audio', async (route) => {
    if (route.request().method() === 'PUT') chunks += 1;
    if (chunks > 4) await context.setOffline(true);
    await route.continue();
  });
  await chooseFile(page, title, masterPath);
  await expect(page.getByText(messages.network).first()).toBeVisible();
  await expectNoAxeViolations(page);
  await page.unroute('**/edit/audio');
  // The next chunk is held, so that the page is closed during the upload; closing asks, and the test confirms.
  // The request is held before the network returns: the upload resumes at once.
  const held: (() => void)[] = [];
  await page.route('**/edit/audio', async (route) => {
    if (route.request().method() === 'PUT') await new Promise<void>((resolve) => held.push(resolve));
    await route.continue().catch(() => undefined);
  });
  await context.setOffline(false);
  // An attempt that fails just then is repeated after up to 30 seconds.
  await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1);
  const asked = page.waitForEvent('dialog').then((dialog) => dialog.accept());
  await Promise.all([asked, page.reload()]);

  await chooseFile(page, title, masterPath);
  await expect(page.getByText(/Reprise à [1-9]\d?\s%/)).toBeVisible();
  // The upload continues while other screens are open.
  await openEntry(page, 'Journal');
  await expect(page.getByRole('heading', { level: 1, name: 'Journal' })).toBeVisible();
  await page.getByRole('button', { name: /^Travaux en cours/ }).click();
  await page.getByRole('button', { name: /^Suspendre/ }).click();
  await expect(page.getByText(/En pause à \d+\s%/)).toBeVisible();
  await page.unroute('**/edit/audio');
  for (const go of held) go();
  const underWay = new Set<Request>();
  let most = 0;
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().endsWith('/edit/audio')) underWay.add(request);
    most = Math.max(most, underWay.size);
  });
  page.on('requestfinished', (request) => void underWay.delete(request));
  page.on('requestfailed', (request) => void underWay.delete(request));
  await page.getByRole('button', { name: /^Reprendre/ }).click();
  await expect(page.getByText('L’audio du titre est enregistré').first()).toBeVisible({ timeout: 60_000 });
  expect(most, 'chunks at once (product §17)').toBe(1);
  await page.getByRole('link', { name: 'Voir le résultat' }).click();
  await expect(page).toHaveURL(`/library/release/${release.id}`);

  await page
    .getByRole('button', { name: `Écouter ${title}` })
    .first()
    .click();
  const player = page.getByRole('region', { name: /^Lecteur/ });
  await expect(player.locator('.wavesurfer, [part=canvases], canvas').first()).toBeAttached();
  const position = player.getByRole('slider');
  const at = async () => Number(await position.getAttribute('aria-valuenow'));
  await expect.poll(at).toBeGreaterThanOrEqual(1);
  await position.focus();
  await page.keyboard.press('Space');
  await expect(player.getByRole('button', { name: `Écouter ${title}` })).toBeVisible();
  await page.keyboard.press('Home');
  await expect.poll(at).toBe(0);
  await page.keyboard.press('ArrowRight');
  await expect.poll(at).toBe(5);
  await page.keyboard.press('End');
  await expect(position).toHaveAttribute('aria-valuetext', '0:20 sur 0:20');
  await page.keyboard.press('Home');
  await expect(position).toHaveAttribute('aria-valuetext', '0:00 sur 0:20');
  await expectNoAxeViolations(page);
  await player.getByRole('button', { name: 'Fermer le lecteur' }).click();

  await page.getByRole('button', { name: `Audio ${de(title)}`, exact: true }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Télécharger l’audio' }).click();
  const file = await (await download).path();
  expect(sha256(await readFile(file))).toBe(sha256(master));
  expect((await download).suggestedFilename()).toContain(`${track.title}.wav`);
});

test('those without a right to releases see no audio', async ({ page, api, browser }) => {
  const { id } = await findHeardRelease(api);
  const login = await api.addAdmin('Sourd', ['manage_profiles']);
  await page.goto(`/library/release/${id}`);
  await expect(page.getByRole('button', { name: /^Écouter/ }).first()).toBeVisible();
  const context = await browser.newContext({ baseURL: new URL(page.url()).origin, locale: 'fr-FR' });
  const other = await context.newPage();
  await other.goto('/signin');
  await other.getByRole('textbox', { name: 'E-mail' }).fill(login.email);
  await other.getByLabel(/^Mot de passe/).fill(login.password);
  await other.getByRole('button', { name: 'Se connecter' }).click();
  await expect(other).not.toHaveURL(/\/signin/);
  await other.goto(`/library/release/${id}`);
  await expect(other.getByRole('heading', { name: 'Titres', exact: true })).toBeVisible();
  await expect(other.getByRole('button', { name: /^Écouter/ })).toHaveCount(0);
  expect((await other.request.get(`/api/tracks/${id}/audio`)).status()).toBe(403);
  await context.close();
});

test('an admin who may only edit can listen: editing includes reading', async ({ api, browser }) => {
  const release = await findHeardRelease(api);
  const login = await api.addAdmin('Éditrice', ['edit_delivered_libraries']);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, login.email, login.password);
  await page.goto(`/library/release/${release.id}`);
  await expect(page.getByRole('button', { name: /^Audio de/ })).toHaveCount(release.tracks.length);
  await expect(page.getByRole('button', { name: /^Écouter/ })).toHaveCount(release.tracks.length);
  await context.close();
});

test('a track is added on the edit page with its audio and the next free ISRC at once', async ({ page, api }, info) => {
  const { release } = await findTracks(api);
  const title = `Prélude ${crypto.randomUUID().slice(0, 8)}`;
  const path = info.outputPath('prelude.wav');
  await writeFile(path, inventWav(2));
  await page.goto(`/library/release/${release.id}/edit`);
  await page.getByRole('button', { name: 'Ajouter un titre' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un titre' });
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: /Choisir un fichier$/ }).click();
  await (await chooser).setFiles(path);
  await expect(dialog.getByText('prelude.wav')).toBeVisible();
  // Closing asks before the chosen file is lost.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Continuer la saisie' }).click();
  await dialog.getByRole('textbox', { name: 'Titre', exact: true }).fill(title);
  const offer = dialog.getByRole('button', { name: /^Utiliser/ });
  const isrc = ((await offer.textContent()) ?? '').replace('Utiliser ', '');
  await offer.click();
  await expect(dialog.getByRole('textbox', { name: 'ISRC' })).toHaveValue(isrc);
  await expect(offer).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Ajouter un titre' }).click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole('row').filter({ hasText: title });
  await expect(row.getByRole('button', { name: /^Écouter/ })).toBeVisible();
  await expect(row).toContainText(isrc);
});
