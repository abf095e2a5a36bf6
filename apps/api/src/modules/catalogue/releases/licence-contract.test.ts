import { defaultContractTemplate } from '@regie/contract/licence-contract.ts';
import type { LicenceContract } from '@regie/contract/routes/licence-contract.ts';
import { expect, it } from 'vitest';
import { useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();

it("returns the document's content only to readers of the release or of accounts", async () => {
  const account = await buildAccount(app.db, { libraryPercentile: '82.5', youtubePercentile: '70' });
  const release = await buildRelease(app.db, account);
  await app.db
    .updateTable('releases')
    .set({
      artistName: 'Trio Verlaine',
      barcode: '0012345678905',
      digitalReleaseDate: '2026-03-01',
      territories: ['FR', 'BE'],
    })
    .where('id', '=', release)
    .execute();
  const track = await buildTrack(app.db, account, { releaseId: release, title: 'Aurore', isrc: 'FRZ039800213' });
  const { id: personId } = await app.db
    .insertInto('people')
    .values({ fullName: 'Ondine Sauvage' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto('trackCredits')
    .values(['Primary Artist', 'Producer'].map((role) => ({ trackId: track.id, personId, kind: 'artist', role })))
    .execute();
  await app.owner
    .insertInto('settings')
    .values({ key: 'house', value: JSON.stringify({ name: 'Marée Haute', iban: 'FR1420041010050500013M02606' }) })
    .execute();

  const reader = await app.signInWith(['read_delivered_libraries']);
  const reply = await reader.get(`/api/release/${release}/contract`);
  expect(reply.status).toBe(200);
  expect(reply.data as LicenceContract).toMatchObject({
    template: defaultContractTemplate,
    house: { name: 'Marée Haute', siren: '' },
    licenceYears: 3,
    customer: { id: account, fname: 'Awa', libraryPercentile: 82.5, youtubePercentile: 70 },
    release: {
      id: release,
      artist: 'Trio Verlaine',
      barcode: '0012345678905',
      digitalReleaseDate: '01/03/2026',
      territories: ['FR', 'BE'],
    },
    tracks: [{ title: 'Aurore', artists: 'Ondine Sauvage', isrc: 'FRZ039800213' }],
  });
  // The contract contains no bank details.
  expect(JSON.stringify(reply.data)).not.toContain('FR1420041010050500013M02606');

  expect((await (await app.signInWith(['manage_profiles'])).get(`/api/release/${release}/contract`)).status).toBe(200);
  expect((await (await app.signInWith(['edit_reports'])).get(`/api/release/${release}/contract`)).status).toBe(403);
  expect((await reader.get('/api/release/999999/contract')).status).toBe(404);
  await app.db.updateTable('releases').set({ deletedAt: new Date() }).where('id', '=', release).execute();
  expect((await reader.get(`/api/release/${release}/contract`)).status).toBe(404);
});
