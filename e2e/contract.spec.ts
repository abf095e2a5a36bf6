import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { defaultContractTemplate } from '@regie/contract/licence-contract.ts';
import { routes } from '@regie/contract/routes.ts';
import { extractText, getDocumentProxy } from 'unpdf';
import type { Api } from './support/api.ts';
import { readMailedLink } from './support/mail.ts';
import { expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

const nbsp = '\u00a0';

/** The document's text, page by page, with all spaces normalised. */
async function readPdf(page: Page, press: () => Promise<void>): Promise<{ name: string; pages: string[] }> {
  // Generating takes long on a busy machine: fonts, measuring, many pages.
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 90_000 }), press()]);
  const bytes = new Uint8Array(await readFile(await download.path()));
  expect(new TextDecoder('latin1').decode(bytes.subarray(0, 5))).toBe('%PDF-');
  const { text } = await extractText(await getDocumentProxy(bytes));
  return { name: download.suggestedFilename(), pages: text.map(plain) };
}
/** Lines break at the page's edge, and long words at their column's. */
const plain = (text: string) => text.replaceAll(/[\s\u00a0]+/g, ' ');

async function findRelease(api: Api) {
  const { data } = await api.call(routes.listUnpaidReleases, { query: { limit: 100 } });
  for (const { id } of data) {
    const { data: release } = await api.call(routes.getRelease, { params: { id } });
    if (release.tracks.length >= 3 && release.tracks.every((track) => track.isrc) && release.Account) return release;
  }
  throw new Error('the demo has no waiting release of three tracks');
}

test('a licence contract is generated from the release’s page with the template of the settings', async ({
  page,
  api,
}) => {
  // Five documents and a release of sixty tracks, possibly on a busy machine.
  test.setTimeout(240_000);
  const { data: first } = await api.call(routes.getSettings);
  const release = await findRelease(api);
  const { data: contract } = await api.call(routes.getLicenceContract, { params: { id: release.id } });

  await test.step('the house and its template are set', async () => {
    const saved = page.getByRole('status').filter({ hasText: 'Les réglages sont enregistrés' });
    await page.goto('/settings/house');
    await page.getByRole('textbox', { name: 'Nom', exact: true }).fill('Écho du Large');
    await page.getByRole('textbox', { name: 'SIREN' }).fill('732 829 320');
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(saved).toBeVisible();
    await page.goto('/settings/contract');
    const template = page.getByRole('textbox', { name: 'Modèle du contrat' });
    await template.fill(`${defaultContractTemplate}\n\nAvenant de {vendeur}.`);
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(template).toBeFocused();
    await expect(
      page.getByText(`Le champ {vendeur} n’existe pas${nbsp}: choisissez dans la liste des champs`, { exact: true }),
    ).toBeVisible();
    await template.fill(defaultContractTemplate);
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(saved).toBeVisible();
    await expectNoAxeViolations(page);
  });

  await test.step('the document names the parties, every track and the percentages', async () => {
    await page.goto(`/library/release/${release.id}`);
    const { name, pages } = await readPdf(page, () =>
      page.getByRole('button', { name: 'Contrat', exact: true }).click(),
    );
    expect(name).toMatch(new RegExp(`^contrat-([a-z0-9-]+-)?${release.id}\\.pdf$`));
    const text = pages.join(' ');
    expect(text).toContain('Écho du Large');
    expect(text).toContain('SIREN 732 829 320');
    const { customer } = contract;
    expect(text).toContain(plain(customer.company ?? `${customer.fname} ${customer.lname}`));
    expect(text).toContain(plain(release.title));
    for (const track of release.tracks) {
      expect(text).toContain(plain(track.title));
      expect(text).toContain(track.isrc);
    }
    const percent = (value: number) => `${String(value).replace('.', ',')} %`;
    expect(text).toContain(`${percent(customer.libraryPercentile)} des revenus des plateformes de téléchargement`);
    expect(text).toContain(`${percent(customer.youtubePercentile)} des revenus des plateformes vidéo`);
    expect(text).toContain('La licence est concédée pour 3 ans');
    expect(text).toContain('Pour Écho du Large');
    expect(text).not.toMatch(/[{}]/);
    for (const [index, content] of pages.entries()) expect(content).toContain(`Page ${index + 1} sur ${pages.length}`);
    await expect(page.getByRole('status').filter({ hasText: `Le contrat est produit${nbsp}: ${name}` })).toBeVisible();
  });

  await test.step('sixty tracks take several pages, each with the table’s header', async () => {
    const { data: account } = await api.call(routes.listUnpaidReleases, { query: { limit: 1 } });
    const { id: libraryId } = account[0] ?? release;
    const long = 'Un titre très long qui ne tient pas sur une seule ligne du tableau, '.repeat(3);
    const { data: imported } = await api.call(routes.importTracks, {
      params: { id: libraryId },
      body: Array.from({ length: 60 }, (_, index) => ({
        titre: `${index % 7 === 0 ? long : 'Piste'} ${index + 1}`,
        artistes: 'Zoé Ångström',
      })),
    });
    await page.goto(`/library/release/${libraryId}`);
    const { pages } = await readPdf(page, () => page.getByRole('button', { name: 'Contrat', exact: true }).click());
    expect(pages.length).toBeGreaterThan(2);
    const withTracks = pages.filter((content) => content.includes('Zoé Ångström'));
    expect(withTracks.length).toBeGreaterThan(1);
    for (const content of withTracks) expect(content).toContain('n° Titre Artistes ISRC');
    for (let number = 1; number <= 60; number++) expect(pages.join(' ')).toContain(` ${number} Zoé Ångström`);
    for (const { trackId } of imported.rows) await api.call(routes.deleteTrack, { params: { id: trackId ?? 0 } });
  });

  await test.step('another template changes the document', async () => {
    await page.goto('/settings/contract');
    const template = page.getByRole('textbox', { name: 'Modèle du contrat' });
    await template.fill('# Accord de distribution\n\nPour {part_maison} à la maison, de \n\n{titres}\n\n{signatures}');
    await template.press('ControlOrMeta+End');
    for (let line = 0; line < 4; line++) await template.press('ArrowUp');
    await template.press('End');
    await page.getByRole('button', { name: /^Insérer \{titre\}/ }).click();
    await expect(template).toHaveValue(/\{titre\}/);
    const preview = await readPdf(page, () => page.getByRole('button', { name: 'Aperçu en PDF' }).click());
    expect(preview.name).toBe('apercu-contrat.pdf');
    expect(preview.pages.join(' ')).toContain('Accord de distribution');
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Les réglages sont enregistrés' })).toBeVisible();
    await page.goto(`/library/release/${release.id}`);
    const { pages } = await readPdf(page, () => page.getByRole('button', { name: 'Contrat', exact: true }).click());
    expect(pages.join(' ')).toContain('Accord de distribution');
    expect(pages.join(' ')).not.toContain('Article 3');
  });

  await test.step('a failure shows the next step, and can be dismissed', async () => {
    await page.route('**/api/release/*/contract', (route) => route.abort());
    await page.getByRole('button', { name: 'Contrat', exact: true }).click();
    const alert = page
      .getByRole('alert')
      .filter({ hasText: `Une erreur est survenue${nbsp}: réessayez dans un instant` });
    await expect(alert).toBeVisible();
    await alert.getByRole('button', { name: 'Masquer ce message' }).click();
    await expect(alert).toBeHidden();
    await page.unroute('**/api/release/*/contract');
  });

  const { data: last } = await api.call(routes.getSettings);
  const { house, licenceTemplate } = first.settings;
  await api.call(routes.putSettings, { body: { version: last.version, house, licenceTemplate } });
});

test('names in other scripts are printed with matching fonts', async ({ page, api }) => {
  const { data: accounts } = await api.call(routes.lookupAccounts, { query: { q: 'a' } });
  const title = 'أغنية الليل الطويل (Remix) 2024';
  const { data: release } = await api.call(routes.createRelease, {
    body: {
      ...{ userId: accounts[0]?.id, title, genre: 'Arabic', yearOfRegistration: 2026 },
      ...{ originalRealeaseDate: '01/12/2026', digitalReleaseDate: '04/12/2026' },
      ...{ recordingOwnerName: 'شركة النور، تونس', coverDetailsOwner: 'Maison Nord' },
    },
  });
  const names = [
    ['حبيبي يا نور العين ٢٠٢٤', 'عمرو دياب'],
    ['אני אוהב אותך (Live) 1998', 'עידן רייכל'],
    ['Το τραγούδι της νύχτας', 'Ἑλένη Παπαδοπούλου'],
    ['Песня о весне', 'Ёлка'],
    ['月亮代表我的心', '鄧麗君'],
    ['さくらの歌', '美空ひばり'],
    ['봄날', '방탄소년단'],
    ['Été 🎵🔥', 'Zoé ♥ Ångström'],
    ['เพลงรัก', 'ኢትዮጵያ'],
    ['Սեր', 'საქართველო'],
    ['ⴰⵣⵓⵍ', 'Ọlá'],
    ['Une rune \u{10300} sans lettre', 'ɛwe'],
  ] as const;
  const long = 'يا ليل يا عين '.repeat(12).trim();
  await api.call(routes.importTracks, {
    params: { id: release.id },
    body: [...names, [long, 'محمد علي / Paul'] as const].map(([titre, artistes]) => ({ titre, artistes })),
  });
  const letters = new Set<string>();
  page.on('request', (request) => {
    const name = /\/assets\/([a-z-]+)[^/]*\.woff$/.exec(request.url())?.[1];
    if (name) letters.add(name);
  });
  await page.goto(`/library/release/${release.id}`);
  const { name, pages } = await readPdf(page, () => page.getByRole('button', { name: 'Contrat', exact: true }).click());
  expect(name).toMatch(new RegExp(`^contrat-[a-z0-9-]+-remix-2024-${release.id}\\.pdf$`));
  const text = pages.join(' ').normalize('NFC');
  // As on paper, mixed directions are extracted from left to right.
  const seen = (track: string) =>
    track.replace('אני אוהב אותך (Live) 1998', '1998 (Live) אני אוהב אותך').replace('\u{10300}', '\ufffd');
  for (const [index, [track, artist]] of names.entries())
    expect(text).toContain(`${index + 1} ${seen(track)} ${artist}`);
  expect(text).toContain('« 2024 (Remix) أغنية الليل الطويل » de Artistes divers (label');
  expect(text).toContain('Le Producteur, شركة النور، تونس étant propriétaire');
  expect(text).toContain(`${names.length + 1} ${long} Paul / محمد علي`);
  expect(letters).toContain('ibm-plex-sans-arabic-arabic-');
  expect(letters).not.toContain('noto-sans-arabic-arabic-');
  await api.call(routes.deleteRelease, { params: { id: release.id } });
});

test('settings and contracts require their rights', async ({ page, api }) => {
  const { data } = await api.call(routes.listUnpaidReleases, { query: { limit: 1 } });
  const { email, password } = await api.addAdmin('Sans', ['edit_reports']);
  await page.context().clearCookies();
  await signIn(page, email, password);
  await page.goto('/settings');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Accès non autorisé');
  await page.goto(`/library/release/${data[0]?.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Contrat', exact: true })).toHaveCount(0);
});

test('an edited e-mail text is sent, and the journal shows the former text', async ({ page, api, dataDir }) => {
  const reader = await api.addAdmin('Lise', ['read_reports']);
  const { passwordResetLetter: before } = (await api.call(routes.getSettings)).data.settings;
  const letter = page.getByRole('region', { name: 'Mot de passe oublié' });
  const text = letter.getByRole('textbox', { name: 'Texte' });
  const save = async () => {
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  };
  const saved = page.getByRole('status').filter({ hasText: 'Les réglages sont enregistrés' });
  const subject = `Nouveau départ ${crypto.randomUUID().slice(0, 8)}`;

  await page.goto('/settings');
  await page.getByRole('main').getByRole('link', { name: 'E-mails' }).click();

  await test.step('without its link, or with an unknown field, it is refused beside the text', async () => {
    await text.fill('Bonjour {prenom}');
    await save();
    await expect(text).toBeFocused();
    await expect(letter).toContainText('Le champ {prenom} n’existe pas');
    await text.fill('Bonjour,');
    await save();
    await expect(letter).toContainText('Le texte doit contenir {lien}');
  });

  await test.step('fields are inserted at the cursor', async () => {
    await text.fill('Par ici :');
    await letter.getByRole('button', { name: /^Insérer \{lien\}/ }).click();
    await expect(text).toHaveValue('Par ici :{lien}');
    await save();
    await expect(letter).toContainText('Le champ {lien} doit être seul sur sa ligne et n’apparaître qu’une fois');
    await text.fill('Par ici :\n');
    await letter.getByRole('button', { name: /^Insérer \{lien\}/ }).click();
    await expect(text).toHaveValue('Par ici :\n{lien}');
    await letter.getByRole('textbox', { name: 'Objet' }).fill(subject);
    await save();
    await expect(saved).toBeVisible();
  });

  await test.step('the next e-mail has the text', async () => {
    await page.request.post('/api/auth/reset_password/request', {
      headers: { 'x-csrf-token': (await (await page.request.get('/api/auth/check')).json()).csrf },
      data: { email: reader.email },
    });
    expect(await readMailedLink(dataDir, reader.email)).toContain('/reset-password-action?token=');
  });

  await test.step('one button restores the default text, and the journal has both', async () => {
    await letter.getByRole('button', { name: /^Reprendre le texte d’origine/ }).click();
    await expect(letter.getByRole('textbox', { name: 'Objet' })).toHaveValue(before.subject);
    await save();
    // The message of the previous save may still be visible.
    const after = async () => {
      const { data } = await api.call(routes.listJournal, { query: { action: 'settings.edit', limit: 20 } });
      return JSON.stringify(data.find(({ before: old }) => JSON.stringify(old).includes(subject))?.after ?? null);
    };
    await expect.poll(after).toContain(before.subject);
    await expect(page.getByRole('button', { name: 'Enregistrer', exact: true })).toBeDisabled();
  });

  await page.getByRole('navigation', { name: 'Fil d’Ariane' }).getByRole('link', { name: 'Réglages' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Taux de change' }).click();
  await expect(page).toHaveURL(/\/accounting\/exchange-rates$/);
});
