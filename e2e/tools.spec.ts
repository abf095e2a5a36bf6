import { readFile } from 'node:fs/promises';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { openAs } from './support/payees.ts';
import { chooseFile, readExport } from './support/screens.ts';
import {
  expect,
  expectNoAxeViolations,
  expectNoAxeViolationsInBoth,
  signInAgain,
  submitSignIn,
  test,
} from './support/test.ts';
import { workbookOfSheets } from './support/workbook.ts';

const nbsp = '\u00a0';

/** A waiting demo release that the test may add tracks to, and a unique part of its titles. */
async function findRelease(api: Api) {
  const { data } = await api.call(routes.listUnpaidReleases, { query: { limit: 20 } });
  const [release] = data;
  if (!release) throw new Error('the demo has no waiting release');
  return { release, mark: crypto.randomUUID().slice(0, 8) };
}

/** Adds tracks through the row import; returns their ids in row order. */
async function addTracks(
  api: Api,
  releaseId: number,
  rows: readonly { titre: string; isrc?: string; artistes?: string }[],
) {
  const { data } = await api.call(routes.importTracks, {
    params: { id: releaseId },
    body: rows.map(({ isrc = '', artistes = '', ...row }) => ({ ...row, isrc, artistes, barcode: '' })),
  });
  return data.rows.map(({ trackId }) => trackId ?? 0);
}

async function removeTracks(api: Api, ids: readonly number[]) {
  for (const id of ids) await api.call(routes.deleteTrack, { params: { id } });
}

/** The demo's prefix, unless the settings already have one. */
async function setPrefix(api: Api, prefix: string) {
  const { data } = await api.call(routes.getSettings);
  const isrcPrefixes = [...new Set([prefix, ...data.settings.isrcPrefixes])];
  await api.call(routes.putSettings, { body: { version: data.version, isrcPrefixes } });
}

test('missing ISRCs are filled in the row, or assigned from the next free ones', { tag: '@area' }, async ({
  page,
  api,
}) => {
  const { release, mark } = await findRelease(api);
  const prefix = `QZ${mark
    .replaceAll(/[^0-9A-F]/gi, '')
    .toUpperCase()
    .slice(0, 3)
    .padEnd(3, '0')}`;
  await setPrefix(api, prefix);
  const ids = await addTracks(
    api,
    release.id,
    ['un', 'deux', 'trois', 'quatre'].map((titre) => ({ titre: `Sans code ${mark} ${titre}` })),
  );
  await page.goto(`/tools/empty-isrc-barcode?q=${mark}`);
  const rows = page.getByRole('table').getByRole('row');
  await expect(rows).toHaveCount(5);

  await test.step('an invalid ISRC is refused beside its field', async () => {
    const box = page.getByRole('textbox', { name: `ISRC de «${nbsp}Sans code ${mark} deux${nbsp}»` });
    await box.fill('FR-1');
    await box.press('Enter');
    await expect(page.getByText(/^Un ISRC a 12 caractères/)).toBeVisible();
    await box.fill(`${prefix}1900001`);
    await box.press('Enter');
    await expect(page.getByText(`L’ISRC ${prefix}1900001 est enregistré pour`)).toBeVisible();
    await expect(rows).toHaveCount(4);
  });

  await test.step('the next free ones are assigned to a selection', async () => {
    await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).check();
    await page.getByRole('button', { name: 'Attribuer un ISRC à 3 titres' }).click();
    const dialog = page.getByRole('dialog', { name: 'Attribuer les prochains ISRC libres' });
    await expect(dialog.getByRole('button', { name: /^Attribuer/ })).toBeVisible();
    if (await dialog.getByRole('combobox', { name: 'Préfixe' }).isVisible()) {
      await dialog.getByRole('combobox', { name: 'Préfixe' }).click();
      await page.getByRole('option', { name: prefix }).click();
    }
    await expect(dialog.getByText(/^3 titres recevront les ISRC/)).toContainText(prefix);
    await dialog.getByRole('button', { name: 'Attribuer 3 ISRC' }).click();
    await expect(page.getByText('Les ISRC sont attribués')).toBeVisible();
    await expect(page.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();
  });
  const { data: filled } = await api.call(routes.getRelease, { params: { id: release.id } });
  const codes = filled.tracks.filter(({ id }) => ids.includes(id)).map(({ isrc }) => isrc);
  expect(codes.every((isrc) => isrc?.startsWith(prefix))).toBe(true);
  expect(new Set(codes).size).toBe(4);
  await removeTracks(api, ids);
});

test('shared codes and similar titles are grouped and link to their releases', async ({ page, api }) => {
  const { release, mark } = await findRelease(api);
  const isrc = `QZD${mark.slice(0, 2).toUpperCase()}2600001`.replaceAll(/[^0-9A-Z]/g, '0');
  const artistes = `Artiste ${mark}`;
  const ids = await addTracks(api, release.id, [
    { titre: `Nuit blanche ${mark}`, artistes, isrc },
    { titre: `La nuit blnache ${mark}`, artistes },
    { titre: `NUIT BLANCHE ${mark} (feat. Ida Roux)` },
  ]);
  const [, , third = 0] = ids;
  const [other] = (await api.call(routes.listEmptyCodes, { query: { kind: 'tracks', q: `NUIT BLANCHE ${mark}` } })).data
    .tracks;
  expect(other?.trackId).toBe(third);

  await page.goto(`/tools/naming-redundancy?artist=any&q=${encodeURIComponent(`nuit blanche ${mark}`)}`);
  const rows = page.getByRole('table').getByRole('row');
  const records = rows.filter({ has: page.getByRole('link') });
  // Two with the same title, and the spelling variant beside one of them.
  await expect(rows.filter({ hasText: 'Identique' })).toHaveCount(1);
  await expect(records).toHaveCount(4);
  await test.step('an empty code is filled in place', async () => {
    const box = page.getByRole('textbox', { name: `ISRC de «${nbsp}NUIT BLANCHE ${mark} (feat. Ida Roux)${nbsp}»` });
    await box.fill(isrc.replace(/1$/, '2'));
    await box.press('Enter');
    await expect(page.getByText(`L’ISRC ${isrc.replace(/1$/, '2')} est enregistré pour`)).toBeVisible();
    await expect(box).toHaveCount(0);
  });
  await test.step('the list is exported', async () => {
    const { name, text } = await readExport(page, page.getByRole('button', { name: 'Exporter' }));
    expect(name).toMatch(/^titres-en-double.*\.csv$/);
    expect(text.split('\r\n').filter((line) => line.includes(`feat. Ida Roux`) && line.includes(mark))).toEqual([
      expect.stringContaining(isrc.replace(/1$/, '2')),
    ]);
  });
  await page.goto(`/tools/naming-redundancy?match=similar&q=blnache ${mark}`);
  await expect(rows.filter({ hasText: 'Proche' })).toHaveCount(1);
  await expect(records).toHaveCount(2);
  await page.getByRole('link', { name: new RegExp(`^La nuit blnache ${mark}`) }).click();
  await expect(page).toHaveURL(/\/library\/track\/\d+$/);

  await page.goto('/tools/isrc-redundancy');
  // The demo's own duplicates, at least two tracks each.
  await expect(rows.nth(1)).toContainText(/\d+\s(titres)/);
  const first = await rows.nth(1).getByRole('link').first().textContent();
  await expect(rows.nth(2)).toContainText(String(first));
  await page.getByRole('link', { name: 'Codes-barres en double', exact: true }).click();
  await expect(rows.nth(1)).toContainText(/\d+\ssorties/);
  await removeTracks(api, ids);
});

test('similar titles are grouped by artist and account, each with an advice', async ({ page, api }) => {
  const { release, mark } = await findRelease(api);
  const isrc = `QZG${mark.slice(0, 2).toUpperCase()}2600001`.replaceAll(/[^0-9A-Z]/g, '0');
  const [awa, lou] = [`Awa ${mark}`, `Lou ${mark}`];
  const ids = await addTracks(api, release.id, [
    { titre: `Grand large ${mark}`, artistes: awa, isrc },
    { titre: `GRAND LARGE ${mark}`, artistes: awa },
    { titre: `Grand large ${mark} (feat. Zoé)`, artistes: lou },
  ]);
  await page.goto(`/tools/naming-redundancy?q=${encodeURIComponent(`grand large ${mark}`)}`);
  const artist = page.getByRole('button', { name: 'Même artiste' });
  await expect(artist).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('button', { name: 'Même compte' })).toHaveAttribute('aria-pressed', 'true');
  const rows = page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('link') });
  await expect(rows).toHaveCount(2);
  await expect(page.getByRole('columnheader', { name: `Grand large ${mark} 2 titres Identique` })).toContainText(
    'Le titre figure plusieurs fois sur la même sortie.',
  );
  await expect(rows.filter({ hasText: 'À conserver' })).toHaveCount(1);
  await expect(rows.filter({ hasText: 'À conserver' })).toContainText(isrc.slice(0, 5));
  await expectNoAxeViolationsInBoth(page);

  await artist.click();
  await expect(page).toHaveURL(/artist=any/);
  await expect(rows).toHaveCount(3);
  await page.reload();
  await expect(artist).toHaveAttribute('aria-pressed', 'false');
  await expect(rows).toHaveCount(3);
  await artist.click();
  await expect(rows).toHaveCount(2);
  await rows
    .first()
    .getByRole('link', { name: new RegExp(mark) })
    .first()
    .click();
  await expect(page).toHaveURL(/\/library\/track\/\d+$/);
  await removeTracks(api, ids);
});

test('a file sets ISRCs in chunks, its unsaved rows are offered, and the edit is undone', async ({
  page,
  api,
  admin,
}) => {
  const { release, mark } = await findRelease(api);
  const letters = mark.slice(0, 3).toUpperCase();
  const titles = Array.from({ length: 60 }, (_, index) => `Lot ${mark} nº ${index + 1}`);
  const ids = await addTracks(
    api,
    release.id,
    [...titles, `Jumeaux ${mark}`, `Jumeaux ${mark}`].map((titre) => ({ titre })),
  );
  const codeOf = (index: number) => `QZ${letters}20${String(index).padStart(5, '0')}`;
  const csv = [
    'title;isrc;remarque',
    ...titles.map((title, index) => `${title};${codeOf(index + 1)};x`),
    `Jumeaux ${mark};${codeOf(90)};x`,
    `Personne ${mark};${codeOf(91)};x`,
    `Lot ${mark} nº 1;;x`,
    // More than a chunk after the row that it repeats.
    `Lot ${mark} nº 1;${codeOf(92)};x`,
  ].join('\r\n');
  await page.goto('/tools/edit-isrc-or-barcode');

  await test.step('a file that is not a table is refused', async () => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: /^Fichier des codes/ }).click();
    await (await chooser).setFiles({ name: 'codes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') });
    await expect(page.getByText('S.V.P selectionner un fichier CSV')).toBeVisible();
    await chooseFile(page, 'Fichier des codes', 'codes.csv', 'artiste;durée\r\nIda;3:15\r\n');
    await expect(page.getByText(/^Données ne sont pas valide/)).toBeVisible();
    await chooseFile(page, /^Fichier des codes/, 'codes.csv', `title;isrc\r\nIda;x\r\n${'é'.repeat(2001)};x\r\n`);
    await expect(page.getByText(`Ligne 2${nbsp}: 2000 caractères au maximum`)).toBeVisible();
  });

  await test.step('each row has its verdict before anything is written', async () => {
    await chooseFile(page, 'Fichier des codes', `codes-${mark}.csv`, csv);
    await expect(
      page
        .getByRole('status')
        .filter({ hasText: '60 codes à modifier · 1 code à remplir · 3 lignes non enregistrées' }),
    ).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('Ligne 61');
    await page.getByRole('checkbox', { name: 'N’afficher que les lignes non enregistrées' }).check();
    const table = page.getByRole('group', { name: 'Lignes du fichier et leur verdict' });
    await expect(table.getByRole('row')).toHaveCount(4);
    await expect(table).toContainText('Aucun enregistrement n’a ce titre');
    await expectNoAxeViolations(page);
  });

  await test.step('they are sent fifty at a time, and the unsaved rows are a file', async () => {
    const sent: number[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'PUT' || !request.url().includes('/tools/bulk/isrc')) return;
      const body: unknown = request.postDataJSON();
      sent.push(Array.isArray(body) ? body.length : 0);
    });
    const calls = '**/api/tools/bulk/isrc?*';
    // The session ends and the network is lost during the upload.
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Modifier 60 codes' }).click();
    await submitSignIn(page, admin);
    await expect(page.getByRole('dialog', { name: 'Se connecter' })).toHaveCount(0);
    await api.readCsrf();
    const resume = page.getByRole('button', { name: 'Reprendre' });
    await expect(page.getByRole('main').getByText('L’envoi s’est arrêté après 0 ligne envoyée.')).toBeVisible();
    await page.route(calls, (route) => (sent.length > 2 ? route.abort() : route.continue()));
    await resume.click();
    const stopped = page.getByRole('main').getByText('L’envoi s’est arrêté après 50 lignes envoyées.');
    await expect(stopped).toBeVisible();
    await page.unroute(calls);
    // The upload survives a change of screen.
    await page.getByRole('link', { name: 'Noms en double' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Noms en double');
    await page.goBack();
    await expect(stopped).toBeVisible();
    await resume.click();
    await expect(page.getByText('60 codes modifiés · 3 lignes non enregistrées')).toBeVisible();
    // Rows refused by the preview stay so, including a record's second row: a chunk alone would allow it.
    expect(sent).toEqual([50, 50, 13, 13]);
    const edit = `«${nbsp}codes-${mark}.csv${nbsp}»`;
    for (const name of [
      'Télécharger les lignes non enregistrées',
      `Télécharger les lignes non enregistrées de ${edit}`,
    ]) {
      const started = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      const download = await started;
      expect(download.suggestedFilename()).toBe('unsaved-reports.csv');
      const text = await readFile(await download.path(), 'utf8');
      expect(text.split('\r\n')).toHaveLength(5);
      expect(text).toContain(`\r\nPersonne ${mark};${codeOf(91)};Aucun enregistrement n’a ce titre`);
    }
  });
  const isrcs = async () =>
    (await api.call(routes.getRelease, { params: { id: release.id } })).data.tracks
      .filter(({ id }) => ids.includes(id))
      .map(({ isrc }) => isrc);
  expect(await isrcs()).toEqual([...titles.map((_, index) => codeOf(index + 1)), null, null]);

  await test.step('the whole edit is undone', async () => {
    await page.getByRole('button', { name: `Annuler la modification «${nbsp}codes-${mark}.csv${nbsp}»` }).click();
    const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
    await expect(dialog).toContainText('60 enregistrements reviendront à leur ancien code');
    await dialog.getByRole('button', { name: 'Annuler la modification' }).click();
    await expect(page.getByText(`La modification est annulée${nbsp}: 60 codes rétablis`)).toBeVisible();
    await expect(page.getByRole('row').filter({ hasText: `codes-${mark}.csv` })).toContainText('Annulée');
  });
  expect((await isrcs()).every((isrc) => isrc === null)).toBe(true);
  await removeTracks(api, ids);
});

test('a right revoked meanwhile is shown beside the typed code', async ({ api, browser }) => {
  const { name, ...login } = await api.addAdmin('Noé', ['read_tools', 'edit_tools']);
  const { page } = await openAs(browser, login);
  await page.goto('/tools/empty-isrc-barcode');
  const box = page.getByRole('textbox', { name: /^ISRC de/ }).first();
  await box.fill('FRZ012600001');
  const { data } = await api.call(routes.listAdmins);
  const capabilities = data.capabilities.filter((one) => one.name === 'read_tools').map(({ id }) => id);
  const [fname = '', lname = ''] = name.split(' ');
  await api.call(routes.editAdmin, {
    params: { id: login.id },
    body: { fname, lname, email: login.email, password: '', capabilities },
  });
  await box.press('Enter');
  await signInAgain(page, login);
  await box.press('Enter');
  await expect(page.getByText('Vous n’avez pas le droit de faire cela')).toBeVisible();
  await expect(box).toHaveValue('FRZ012600001');
  await page.context().close();
});

test('on a phone the current tab is in view', async ({ page, api }) => {
  const { data } = await api.call(routes.listEmptyCodes, { query: { kind: 'wrongBarcodes', limit: 1 } });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/tools/empty-isrc-barcode?kind=wrongBarcodes');
  await expect(page.getByRole('main')).toContainText(String(data.wrongBarcodes[0]?.title));
  await expect(page.getByRole('link', { name: 'Codes-barres invalides' })).toBeInViewport({ ratio: 0.9 });
});

test('on a phone a missing ISRC is typed in a dialog', async ({ page, api }) => {
  const { data } = await api.call(routes.listEmptyCodes, { query: { kind: 'tracks', limit: 1, order: 'desc' } });
  const title = data.tracks[0]?.trackTitle ?? '';
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/tools/empty-isrc-barcode?order=desc&q=${encodeURIComponent(title)}`);
  await page
    .getByRole('button', { name: `Saisir l’ISRC, ${title}` })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: /^ISRC de/ });
  await dialog.getByRole('textbox').fill('FRZ01260');
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText(messages.invalidIsrc);
  await expectNoAxeViolations(page);
  await dialog.getByRole('textbox').fill('FR-Z01-26-00777');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('L’ISRC FRZ012600777 est enregistré')).toBeVisible();
});

test('a workbook sets barcodes, also from numeric cells', async ({ page, api }) => {
  const { data } = await api.call(routes.listEmptyCodes, { query: { kind: 'libraries', limit: 2 } });
  const [one, two] = data.libraries;
  if (!one || !two) throw new Error('the demo has too few releases without a barcode');
  const upc = 70_000_000_000 + (Date.now() % 1_000_000_000) * 10;
  const checked = upc + checkDigit(upc);
  await page.goto('/tools/edit-isrc-or-barcode');
  await page.getByRole('radiogroup', { name: 'Ce que le fichier modifie' }).getByText('Codes-barres').click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /^Fichier des codes/ }).click();
  await (await chooser).setFiles({
    name: 'codes.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: workbookOfSheets({
      Notice: [['Codes de juin']],
      Mai: [['id', 'code-barre']],
      Juin: [
        ['id', 'code-barre'],
        [one.id, checked],
        [two.id, checked],
      ],
    }),
  });
  // The sheets with known columns are asked for.
  await page.getByRole('combobox', { name: 'Feuille à lire' }).click();
  await expect(page.getByRole('option')).toHaveText(['Mai', 'Juin']);
  await expectNoAxeViolations(page);
  await page.getByRole('option', { name: 'Juin' }).click();
  await expect(page.getByText(`Non lues${nbsp}: «${nbsp}Notice${nbsp}», «${nbsp}Mai${nbsp}»`)).toBeVisible();
  const verdict = page.getByText('1 code à modifier · 1 ligne non enregistrée');
  await expect(verdict).toBeVisible();
  // Another kind of codes would drop the file.
  const kinds = page.getByRole('radiogroup', { name: 'Ce que le fichier modifie' });
  await kinds.getByText('ISRC').click();
  const question = page.getByRole('dialog', { name: 'Quitter sans enregistrer' });
  await question.getByRole('button', { name: 'Continuer la saisie' }).click();
  await expect(question).toBeHidden();
  await expect(kinds.getByRole('radio', { name: 'Codes-barres' })).toBeChecked();
  await expect(verdict).toBeVisible();
  const table = page.getByRole('group', { name: 'Lignes du fichier et leur verdict' });
  await expect(table.getByRole('row').filter({ hasText: one.title }).first()).toContainText(`0${checked}`);
  await page.getByRole('button', { name: 'Modifier 1 code' }).click();
  await expect(page.getByText('1 code modifié · 1 ligne non enregistrée')).toBeVisible();
  expect((await api.call(routes.getRelease, { params: { id: one.id } })).data.barcode).toBe(`0${checked}`);
  const [edit] = (await api.call(routes.listCodeEdits, { query: { limit: 1 } })).data;
  expect(edit).toMatchObject({ kind: 'barcode', fileName: 'codes.xlsx', saved: 1, unsaved: 1 });
  await api.call(routes.reverseCodeEdit, { params: { id: edit?.id ?? 0 } });
});

/** The check digit of a UPC whose first eleven digits, without the leading zero, form a number that ends in 0. */
function checkDigit(upc: number): number {
  const digits = String(upc).padStart(12, '0').slice(0, 11);
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0);
  return (10 - (sum % 10)) % 10;
}
