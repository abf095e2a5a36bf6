import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { expectReady, readDownload } from './support/screens.ts';
import { expect, test } from './support/test.ts';

/** Specification 1 §2, in its order; what this house adds to it stands in `routes.tsx` only. */
const entries = [
  ['Comptes clients', '/accounts/profiles'],
  ['Factures', '/accounts/invoices'],
  ['Administrateurs', '/accounts/manage-admins'],
  ['Sorties en attente', '/library/releases/unpaid'],
  ['Sorties payées', '/library/releases/paid'],
  ['Sorties livrées', '/library/releases/delivered'],
  ['Sorties non publiées', '/library/releases/unpublished'],
  ['Versements en attente', '/payouts/pending'],
  ['Versements payés', '/payouts/paid'],
  ['Comptes à payer', '/payouts/unpaid-accounts'],
  ['Tous les rapports', '/reporting/all'],
  ['Par plateforme', '/reporting/platform'],
  ['Par plateforme vidéo', '/reporting/youtube'],
  ['Créer un rapport plateforme', '/reporting/platform/add'],
  ['Créer un revenu vidéo', '/reporting/youtube/add'],
  ['Codes promo', '/services/promo-codes'],
  ['Créer un code promo', '/services/promo-codes/add'],
  ['Smartlinks en attente', '/services/smartlinks/pending'],
  ['Smartlinks actifs', '/services/smartlinks/enabled'],
  ['Abonnements', '/services/subscriptions'],
  ['Créer un contrat', '/contracts/create'],
  ['Plateformes', '/accounting/platform'],
  ['Plateformes vidéo', '/accounting/youtube'],
  ['Tickets ouverts', '/tools/ticket/opened'],
  ['Tickets fermés', '/tools/ticket/closed'],
  ['Modifier ISRC et codes-barres', '/tools/edit-isrc-or-barcode'],
  ['ISRC et codes-barres en double', '/tools/isrc-redundancy'],
  ['Noms en double', '/tools/naming-redundancy'],
  ['ISRC et codes-barres manquants', '/tools/empty-isrc-barcode'],
] as const;

test('every entry of the sidebar leads to its screen and is marked there', async ({ page, api }) => {
  test.setTimeout(180_000);
  await api.readCsrf();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('response', (response) => {
    if (response.status() === 403 || response.status() >= 500) failures.push(`${response.status()} ${response.url()}`);
  });
  await page.goto('/');
  const sidebar = page.getByRole('navigation', { name: 'Navigation principale' });
  for (const [name, path] of entries) {
    await sidebar.getByRole('link', { name, exact: true }).click();
    await expect(page).toHaveURL(path);
    await expect(sidebar.locator('[aria-current="page"]')).toHaveText(name);
    await expectReady(page);
    await expect(page.getByRole('main').getByText('Le chargement a échoué')).toHaveCount(0);
  }
  expect(failures).toEqual([]);
});

/** A delivered release whose first track has an ISRC, and names a contributor and an editor. */
async function findCredited(api: Api) {
  const { data } = await api.call(routes.listDeliveredReleases, { query: { limit: 50 } });
  for (const { id } of data) {
    const { data: found } = await api.call(routes.getRelease, { params: { id } });
    const [track] = found.tracks;
    const [writer, publisher] = [track?.Contributors[0]?.fullname, track?.Editors[0]?.fullname];
    if (track?.isrc && writer && publisher) return { found, isrc: track.isrc, writer, publisher };
  }
  throw new Error('the demo has no such delivered release');
}

test('the library leads to a track by its ISRC, to who wrote and publishes it, and to the list of its release', async ({
  page,
  api,
}) => {
  const { found, isrc, writer, publisher } = await findCredited(api);
  const main = page.getByRole('main');
  const search = page.getByRole('searchbox', { name: 'Rechercher' });

  await page.goto('/library');
  await main.getByRole('link', { name: /^Titres/ }).click();
  await expect(page).toHaveURL('/library/tracks');
  await search.fill(isrc);
  const row = main.getByRole('row').filter({ hasText: isrc });
  await expect(main.getByRole('row')).toHaveCount(2);
  await expect(row).toContainText(found.title);
  const { name, text } = await readDownload(page, page.getByRole('button', { name: 'Exporter' }));
  expect(name).toBe('titres.csv');
  expect(text.trim().split('\n')).toHaveLength(2);
  expect(text).toContain(isrc);
  await row.getByRole('link').first().click();
  await expect(page).toHaveURL(`/library/release/${found.id}`);

  for (const [label, path, person] of [
    ['Contributeurs', '/library/contributors', writer],
    ['Éditeurs', '/library/editors', publisher],
  ] as const) {
    await page.goto('/library');
    await main.getByRole('link', { name: new RegExp(`^${label}`) }).click();
    await expect(page).toHaveURL(path);
    await search.fill(person.toLowerCase());
    await expect(main.getByRole('row').filter({ hasText: person }).first()).toBeVisible();
    await search.fill('personne de ce nom');
    await expect(main.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();
  }

  await page.goto('/library');
  await main.getByRole('link', { name: /^Sorties livrées/ }).click();
  await expect(page).toHaveURL('/library/releases/delivered');
  await search.fill(isrc);
  await expect(main.getByRole('link', { name: /^Voir les détails/ })).toHaveCount(1);
  await main.getByRole('link', { name: /^Voir les détails/ }).click();
  await expect(page).toHaveURL(`/library/release/${found.id}`);
  await expect(main.getByRole('heading', { level: 1 })).toContainText(found.title);
});
