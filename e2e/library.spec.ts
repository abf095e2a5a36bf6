import { routes } from '@regie/contract/routes.ts';
import type { Api } from './support/api.ts';
import { readDownload } from './support/screens.ts';
import { expect, test } from './support/test.ts';

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
