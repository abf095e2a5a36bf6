import { type ReleaseListName, releaseLists } from '@regie/contract/releases.ts';
import type { Person, Release } from '@regie/contract/routes/releases.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { newStorageKey } from '#src/lib/storage.ts';
import { useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { statusesOfList } from './releases.rules.ts';

/** A release with its customer, order, audio, cover and people is visible only with the capability of its list. */
const app = useApp();
const lists = Object.keys(releaseLists) as ReleaseListName[];
const releases = new Map<ReleaseListName, { id: number; trackId: number; artist: string }>();

async function buildFile(kind: 'cover' | 'audio'): Promise<number> {
  const storageKey = newStorageKey(kind, kind === 'cover' ? 'png' : 'wav');
  const bytes = Buffer.from(storageKey);
  await app.deps.storage.put(storageKey, bytes, bytes.length);
  const { id } = await app.db
    .insertInto('files')
    .values({
      kind,
      storageKey,
      contentType: kind === 'cover' ? 'image/png' : 'audio/wav',
      sizeBytes: bytes.length,
      sha256: Buffer.alloc(32),
      originalName: 'x',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

beforeAll(async () => {
  const accountId = await buildAccount(app.db);
  for (const list of lists) {
    const id = await buildRelease(app.db, accountId, statusesOfList(list)[0]);
    const { id: trackId } = await buildTrack(app.db, accountId, { releaseId: id });
    await app.db
      .updateTable('releases')
      .set({ coverFileId: await buildFile('cover'), note: 'À revoir' })
      .where('id', '=', id)
      .execute();
    await app.db
      .updateTable('tracks')
      .set({ audioFileId: await buildFile('audio') })
      .where('id', '=', trackId)
      .execute();
    await app.db
      .insertInto('smartlinks')
      .values({ releaseId: id, slug: `lien-${list}`, status: 'enabled' })
      .execute();
    await app.db.insertInto('orders').values({ accountId, releaseId: id, plan: 'single', planPrice: '10' }).execute();
    const artist = `Artiste ${list}`;
    const { id: personId } = await app.db
      .insertInto('people')
      .values({ fullName: artist })
      .returning('id')
      .executeTakeFirstOrThrow();
    await app.db
      .insertInto('trackCredits')
      .values({ trackId, personId, kind: 'artist', role: 'Primary Artist' })
      .execute();
    releases.set(list, { id, trackId, artist });
  }
});

describe.each(lists)('an admin who reads only the list %s', (list) => {
  it('sees customer, order, audio, cover and staff remarks of that list only', async () => {
    const reader = await app.signInWith([releaseLists[list].read]);
    for (const [other, { id, trackId }] of releases) {
      const isOwn = other === list;
      const release = (await reader.get(`/api/release/${id}`)).data as Release;
      const { Account, Order, userId, note, quality, smartlinks } = release;
      const hidden = { Account: null, Order: null, userId: null, note: null, quality: [], smartlinks: [] };
      const shown = { Account, Order, userId, note, quality, smartlinks };
      if (!isOwn) expect(shown).toEqual(hidden);
      for (const [field, value] of Object.entries(isOwn ? hidden : {}))
        expect([field, shown[field as keyof typeof shown]]).not.toEqual([field, value]);
      expect(release.tracks.map((track) => track.audioDetails !== null)).toEqual([isOwn]);
      for (const path of [
        `release/${id}/cover`,
        `release/${id}/contract`,
        `tracks/${trackId}/audio`,
        `tracks/${trackId}/waveform`,
      ]) {
        expect([path, other, (await reader.get(`/api/${path}`)).status]).toEqual([path, other, isOwn ? 200 : 403]);
      }
    }
  });

  it('finds the people of that list only', async () => {
    const reader = await app.signInWith([releaseLists[list].read]);
    for (const query of ['', '?q=artiste', '?order=desc']) {
      const { data, meta } = await reader.get(`/api/library/artists${query}`);
      expect((data as Person[]).map(({ fullname, tracks }) => [fullname, tracks])).toEqual([
        [releases.get(list)?.artist, 1],
      ]);
      expect(meta?.total).toBe(1);
    }
  });
});

it('an admin who may edit a draft reads the fields that its form sends', async () => {
  const id = await buildRelease(app.db, await buildAccount(app.db), 'draft');
  await app.db.updateTable('releases').set({ note: 'À revoir' }).where('id', '=', id).execute();
  const editor = await app.signInWith(['edit_paid_libraries']);
  const seen = (await editor.get(`/api/release/${id}`)).data;
  expect(seen).toMatchObject({ canEdit: true, note: 'À revoir', userId: expect.any(Number) });
});

it('an admin who reads every list finds all people', async () => {
  const reader = await app.signInWith(lists.map((list) => releaseLists[list].read));
  expect((await reader.get('/api/library/artists?q=artiste')).data).toHaveLength(lists.length);
});
