import { messages } from '@regie/contract/messages.ts';
import type { Person, Release, Track } from '@regie/contract/routes/releases.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
let account: number;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db);
});

const form = (libraryId: number, values: Record<string, unknown> = {}) => ({
  title: 'Aurore',
  genre: 'Jazz',
  language: 'French',
  noVoice: false,
  recordingOwnerName: 'Awa Diallo',
  yearOfRegistration: 2025,
  libraryId,
  artists: [],
  contributors: [],
  musicians: [],
  editors: [],
  ...values,
});
const primary = (fullname: string) => ({ fullname, role: 'Primary Artist' });
const releaseOf = async (id: number) => (await client.get(`/api/release/${id}`)).data as Release;
const tracksOf = async (id: number) => (await releaseOf(id)).tracks;
async function addTrack(libraryId: number, values: Record<string, unknown> = {}): Promise<number> {
  const reply = await client.post('/api/tracks/add', form(libraryId, values));
  expect(reply).toMatchObject({ status: 200, message: 'Le titre est créé' });
  return (reply.data as { id: number }).id;
}
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));
const people = async (list: string, q: string) =>
  (await client.get(`/api/library/${list}?q=${encodeURIComponent(q)}`)).data as Person[];

describe('adding a track', () => {
  it("appends it with its people, updates the release's artist name and is journalled", async () => {
    const release = await buildRelease(app.db, account, 'pending');
    await addTrack(release, { artists: [primary('Ondine Sauvage')] });
    const id = await addTrack(release, {
      title: 'Crépuscule',
      isrc: ' isrc fr-z03-98-00213',
      starTime: '02:05',
      artists: [primary('Trio Verlaine'), { fullname: 'Ondine Sauvage', role: 'Featuring' }],
      contributors: [
        { fullname: 'Paul Verdier', role: 'Composer' },
        { fullname: 'Ida Roux', role: 'Accordéon', isMusician: true },
      ],
      musicians: [{ fullname: 'Ida Roux', role: 'Piano' }],
      editors: [{ fullname: 'Éditions du Large', role: 'Publisher' }],
    });
    const shown = await releaseOf(release);
    expect(shown.tracks.map((track) => track.title)).toEqual(['Aurore', 'Crépuscule']);
    const track = shown.tracks[1] as Track;
    expect(track).toMatchObject({ id, isrc: 'FRZ039800213', starTime: '02:05', libraryId: release });
    const names = (credits: Track['Editors']) => credits.map((credit) => `${credit.fullname}/${credit.role}`);
    expect(names(track.Artists)).toEqual(['Trio Verlaine/Primary Artist', 'Ondine Sauvage/Featuring']);
    expect(names(track.Contributors)).toEqual(['Paul Verdier/Composer']);
    expect(names(track.Musicians)).toEqual(['Ida Roux/Accordéon', 'Ida Roux/Piano']);
    expect(names(track.Editors)).toEqual(['Éditions du Large/Publisher']);
    expect(JSON.parse(shown.artistsLabel)).toEqual({ fullname: 'Ondine Sauvage, Trio Verlaine' });
    const found = await client.get('/api/releases/unpaid?q=trio%20verlaine');
    expect(found.data).toEqual([expect.objectContaining({ id: release })]);
    expect(await entries('track.create', id)).toMatchObject([
      {
        before: null,
        after: { title: 'Crépuscule', isrc: 'FRZ039800213', editors: ['Éditions du Large (Publisher)'] },
      },
    ]);
  });

  it('finds a person by name, ignoring case and accents, and adds a new person once', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    await addTrack(release, {
      artists: [primary('Zoé  Lemaître')],
      editors: [{ fullname: 'ZOE LEMAITRE', role: 'x' }],
    });
    await addTrack(release, { artists: [primary('zoé lemaître'), primary('Zoé Lemaître')] });
    const [zoe, ...others] = await people('artists', 'lemaitre');
    expect(others).toEqual([]);
    expect(zoe).toMatchObject({ fullname: 'Zoé Lemaître', roles: ['Primary Artist'], tracks: 2 });
    // With an id, the form's name is ignored.
    await addTrack(release, { artists: [{ ...primary('Autre nom'), id: zoe?.id }] });
    expect(await people('artists', 'Autre nom')).toEqual([]);
    expect((await people('artists', 'lemaitre'))[0]?.tracks).toBe(3);
    expect(await people('editors', 'lemaitre')).toMatchObject([{ id: zoe?.id, roles: ['x'], tracks: 1 }]);
  });

  it('adds a new name once when two forms contain it at the same time', async () => {
    const releases = await Promise.all(Array.from({ length: 6 }, () => buildRelease(app.db, account, 'pending')));
    await Promise.all(releases.map((id) => addTrack(id, { artists: [primary('Nouvelle Venue')] })));
    expect(await people('artists', 'nouvelle venue')).toMatchObject([{ tracks: 6 }]);
  });

  it('reads members, ids and booleans as a form or a CSV parser types them', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const first = await addTrack(release, { artists: [{ ...primary('Ida Typée'), id: '' }] });
    const person = (await tracksOf(release))[0]?.Artists[0]?.id;
    const second = await addTrack(release, {
      libraryId: String(release),
      language: '',
      noVoice: 1,
      artists: [{ ...primary('Ida Typée'), id: String(person), isMusician: 0 }],
      contributors: [{ fullname: 1995, role: 'Piano', isMusician: 1, id: null }],
    });
    const [, shown] = await tracksOf(release);
    expect(shown).toMatchObject({ noVoice: true, Artists: [{ id: person }], Musicians: [{ fullname: '1995' }] });
    const order = [String(second), first];
    expect((await client.put(`/api/release/${release}/edit-tracks-position`, order)).status).toBe(200);
    expect((await tracksOf(release)).map(({ id }) => id)).toEqual([second, first]);
  });

  it.each([
    ['title', { title: '' }, messages.required('titre')],
    ['isrc', { isrc: 'FR-Z03-98-0021' }, messages.invalidIsrc],
    ['language', { language: '' }, messages.required('langue')],
    ['starTime', { starTime: '0175' }, 'Star time should look like 01:24 or 0124 by minutes:seconds'],
    ['artists.0.role', { artists: [{ fullname: 'Nina Sorel', role: 'Piano' }] }, messages.invalidChoice],
    ['contributors.0.role', { contributors: [{ fullname: 'Nina Sorel', role: 'Piano' }] }, messages.invalidChoice],
    ['artists.0.fullname', { artists: [primary('N')] }, messages.minLength(2)],
    ['artists.0.fullname', { artists: [{ ...primary('Personne'), id: 999_999 }] }, messages.unknownPerson],
  ])('refuses a wrong %s', async (field, values, message) => {
    const release = await buildRelease(app.db, account, 'pending');
    const reply = await client.post('/api/tracks/add', form(release, values));
    expect(reply).toMatchObject({ status: 422, errors: { [field]: message } });
    expect(await tracksOf(release)).toEqual([]);
  });

  it('requires no language for a track without vocals', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    await addTrack(release, { language: '', noVoice: true });
    expect(await tracksOf(release)).toMatchObject([{ language: null, noVoice: true }]);
  });

  it('needs the capability to edit the release’s list, and an existing release', async () => {
    const editor = await app.signInWith(['edit_paid_libraries']);
    const [pending, paid] = [
      await buildRelease(app.db, account, 'pending'),
      await buildRelease(app.db, account, 'paid'),
    ];
    expect((await editor.post('/api/tracks/add', form(pending))).status).toBe(403);
    expect((await editor.post('/api/tracks/add', form(paid))).status).toBe(200);
    expect((await editor.post('/api/tracks/add', form(999_999))).status).toBe(404);
    expect(await tracksOf(pending)).toEqual([]);
  });
});

describe('editing a track', () => {
  it('replaces its people, preserves absent fields, and journals the changes', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const id = await addTrack(release, { isrc: 'FRZ039800214', starTime: '0010', artists: [primary('Ancien Nom')] });
    const edited = form(release, { title: 'Aube', artists: [primary('Nouveau Nom')] });
    expect(await client.put(`/api/tracks/${id}/edit`, edited)).toMatchObject({ status: 200, data: { id } });
    expect(await tracksOf(release)).toMatchObject([
      { title: 'Aube', isrc: 'FRZ039800214', starTime: '00:10', Artists: [{ fullname: 'Nouveau Nom' }] },
    ]);
    expect(JSON.parse((await releaseOf(release)).artistsLabel)).toEqual({ fullname: 'Nouveau Nom' });
    expect(await people('artists', 'ancien nom')).toEqual([]);
    expect((await client.put(`/api/tracks/${id}/edit`, edited)).status).toBe(200);
    expect(await entries('track.edit', id)).toEqual([
      expect.objectContaining({
        before: { title: 'Aurore', artists: ['Ancien Nom (Primary Artist)'] },
        after: { title: 'Aube', artists: ['Nouveau Nom (Primary Artist)'] },
      }),
    ]);
  });

  it('is refused when the track changed since the form was opened; reordering is not a change', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const [id, other] = [await addTrack(release), await addTrack(release)];
    const updatedAt = (await tracksOf(release))[0]?.updatedAt;
    await client.put(`/api/release/${release}/edit-tracks-position`, [other, id]);
    const first = await client.put(`/api/tracks/${id}/edit`, form(release, { title: 'Aube', updatedAt }));
    expect(first.status).toBe(200);
    const second = await client.put(`/api/tracks/${id}/edit`, form(release, { title: 'Midi', updatedAt }));
    expect(second).toMatchObject({ status: 409, code: 'conflict', message: messages.trackChanged });
    expect((await tracksOf(release)).map((track) => track.title)).toEqual(['Aurore', 'Aube']);
    expect(await entries('track.edit', id)).toHaveLength(1);
  });

  it('cannot move it to another release, and needs the capability of its list and a live track', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const id = await addTrack(release);
    const other = await buildRelease(app.db, account, 'pending');
    expect(await client.put(`/api/tracks/${id}/edit`, form(other))).toMatchObject({
      status: 422,
      errors: { libraryId: messages.invalidChoice },
    });
    const editor = await app.signInWith(['edit_delivered_libraries']);
    expect((await editor.put(`/api/tracks/${id}/edit`, form(release))).status).toBe(403);
    expect((await client.put('/api/tracks/999999/edit', form(release))).status).toBe(404);
    expect(await entries('track.edit', id)).toEqual([]);
  });
});

describe('deleting a track', () => {
  it('removes it from its release, preserves its row, moves its file to the bin, and is journalled', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const [first, second] = [await addTrack(release), await addTrack(release, { title: 'Midi' })];
    const file = await app.db
      .insertInto('files')
      .values({
        storageKey: 'audio-1',
        kind: 'audio',
        originalName: 'aurore.wav',
        contentType: 'audio/wav',
        sizeBytes: 44,
        sha256: Buffer.alloc(32),
        sampleRateHz: 22_050,
        bitDepth: 16,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await app.db.updateTable('tracks').set({ audioFileId: file.id }).where('id', '=', first).execute();
    const before = await releaseOf(release);
    expect(JSON.parse(before.tracks[0]?.audioDetails ?? '')).toMatchObject({
      url: `/api/tracks/${first}/audio`,
      name: 'aurore.wav',
      sampleRateHz: 22_050,
    });
    expect(before.quality).toContain('poor_audio');

    const editor = await app.signInWith(['edit_delivered_libraries']);
    expect((await editor.delete(`/api/tracks/delete-from-disk/${first}`)).status).toBe(403);
    expect((await client.delete(`/api/tracks/delete-from-disk/${first}`)).status).toBe(200);
    expect((await tracksOf(release)).map((track) => track.id)).toEqual([second]);
    const row = await app.db.selectFrom('tracks').select('deletedAt').where('id', '=', first).executeTakeFirst();
    expect(row?.deletedAt).not.toBeNull();
    const bin = await app.db.selectFrom('files').select('binnedAt').where('id', '=', file.id).executeTakeFirst();
    expect(bin?.binnedAt).not.toBeNull();
    expect(await entries('track.delete', first)).toMatchObject([{ before: { title: 'Aurore', libraryId: release } }]);
    expect((await client.delete(`/api/tracks/delete-from-disk/${first}`)).status).toBe(404);
  });
});

describe('ordering tracks', () => {
  it('requires every id once and journals changes only', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const ids = [await addTrack(release), await addTrack(release), await addTrack(release)];
    const gone = await addTrack(release);
    await client.delete(`/api/tracks/delete-from-disk/${gone}`);
    const url = `/api/release/${release}/edit-tracks-position`;
    const order = async () => (await tracksOf(release)).map((track) => track.id);
    expect(await client.put(url, ids.toReversed())).toMatchObject({ status: 200 });
    expect(await order()).toEqual(ids.toReversed());
    expect((await client.put(url, ids.toReversed())).status).toBe(200);
    expect(await entries('release.order_tracks', release)).toEqual([
      expect.objectContaining({ before: { trackIds: ids }, after: { trackIds: ids.toReversed() } }),
    ]);

    const foreign = await buildTrack(app.db, account);
    const [a = 0, b = 0, c = 0] = ids;
    expect(await client.put(url, [a, b, b])).toMatchObject({ status: 422, errors: { global: messages.trackTwice } });
    for (const wrong of [
      [a, b],
      [a, b, foreign.id],
      [a, b, c, foreign.id],
      [a, b, c, gone],
    ]) {
      expect((await client.put(url, wrong)).status, String(wrong)).toBe(409);
    }
    expect((await client.put(url, [])).status).toBe(422);
    const editor = await app.signInWith(['edit_delivered_libraries']);
    expect((await editor.put(url, ids)).status).toBe(403);
    expect(await order()).toEqual(ids.toReversed());
  });
});

describe('the library', () => {
  it('lists the tracks of releases the caller may read', async () => {
    const [pending, paid] = [
      await buildRelease(app.db, account, 'pending'),
      await buildRelease(app.db, account, 'paid'),
    ];
    await addTrack(pending, { title: 'Phare nord' });
    const id = await addTrack(paid, { title: 'Phare sud', isrc: 'FRPHA2600001', artists: [primary('Les Gardiens')] });
    const reader = await app.signInWith(['read_paid_libraries']);
    for (const q of ['phare', 'FR-PHA-26-00001']) {
      const reply = await reader.get(`/api/library/tracks?q=${q}`);
      expect(reply.data).toEqual([
        expect.objectContaining({ id, releaseId: paid, status: 'PAID', userId: account, artists: 'Les Gardiens' }),
      ]);
      expect(reply.meta?.total).toBe(1);
    }
    expect((await client.get('/api/library/tracks?q=phare')).meta?.total).toBe(2);
    const first = await client.get('/api/library/tracks?q=phare&limit=1');
    const second = await client.get(`/api/library/tracks?q=phare&limit=1&cursor=${first.meta?.nextCursor}`);
    expect([first.data, second.data].flat()).toMatchObject([{ title: 'Phare nord' }, { title: 'Phare sud' }]);
  });

  it('pages people by name', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const names = ['Ysolde Un', 'Ysolde Deux', 'Ysolde Trois'];
    await addTrack(release, { contributors: names.map((fullname) => ({ fullname, role: 'Lyricist' })) });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await client.get(`/api/library/contributors?q=ysolde&limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(...(page.data as Person[]).map((person) => person.fullname));
      expect(page.meta?.total).toBe(3);
      cursor = page.meta?.nextCursor ?? null;
    }
    expect(seen).toEqual(['Ysolde Deux', 'Ysolde Trois', 'Ysolde Un']);
    expect(await people('artists', 'ysolde')).toEqual([]);
  });

  it('validates, stores and journals the store ids of an artist', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    await addTrack(release, { artists: [primary('Sirocco Club')] });
    const id = (await people('artists', 'sirocco'))[0]?.id ?? 0;
    const url = `/api/artists/${id}/edit`;
    const spotifyId = '4gzpq5DPGxSnKTe4SA8HAU';
    const reply = await client.put(url, { spotifyId, appleMusicId: '1070' });
    expect(reply).toMatchObject({ status: 200, data: { id, spotifyId, appleMusicId: '1070', tracks: 1 } });
    expect((await client.put(url, { appleMusicId: '' })).data).toMatchObject({ spotifyId, appleMusicId: null });
    expect(await entries('artist.edit', id)).toMatchObject([
      { before: { spotifyId: null, appleMusicId: null }, after: { spotifyId, appleMusicId: '1070' } },
      { before: { appleMusicId: '1070' }, after: { appleMusicId: null } },
    ]);
    expect(await client.put(url, { spotifyId: '9gzpq5DPGxSnKTe4SA8HAU' })).toMatchObject({
      status: 422,
      errors: { spotifyId: messages.invalidSpotifyId },
    });
    expect((await client.put(url, { appleMusicId: '12a' })).errors).toEqual({
      appleMusicId: messages.invalidAppleMusicId,
    });
    expect((await client.put('/api/artists/999999/edit', { spotifyId })).status).toBe(404);
    const reader = await app.signInWith(['read_paid_libraries']);
    expect((await reader.put(url, { spotifyId })).status).toBe(403);
  });

  it('adds a person without a credit, and a second of the same name only with a store id', async () => {
    const spotifyId = '0TnOYISbd1XYRBk9myaseg';
    const created = await client.post('/api/artists/new', { fullname: ' Nuit  Blanche ' });
    expect(created).toMatchObject({
      status: 200,
      data: { fullname: 'Nuit Blanche', spotifyId: null, tracks: 0, roles: [] },
    });
    const { id } = created.data as { id: number };
    expect(await entries('artist.create', id)).toMatchObject([{ after: { fullname: 'Nuit Blanche' } }]);
    expect(await people('artists', 'nuit blanche')).toMatchObject([{ id, tracks: 0 }]);
    expect(await people('contributors', 'nuit blanche')).toEqual([]);
    const reader = await app.signInWith(['read_paid_libraries']);
    expect((await reader.get('/api/library/artists?q=nuit+blanche')).data).toMatchObject([{ id }]);

    const again = await client.post('/api/artists/new', { fullname: 'nuit blanche' });
    expect(again).toMatchObject({ status: 422, errors: { fullname: messages.namesakeArtist } });
    expect((await client.post('/api/artists/new', { fullname: 'Nuit Blanche', spotifyId })).status).toBe(200);
    expect(await client.post('/api/artists/new', { fullname: 'Autre', spotifyId })).toMatchObject({
      status: 422,
      errors: { spotifyId: messages.storeIdTaken('Nuit Blanche') },
    });
    expect((await client.post('/api/artists/new', { fullname: 'N' })).errors).toEqual({
      fullname: messages.minLength(2),
    });
    expect((await reader.post('/api/artists/new', { fullname: 'Ombre' })).status).toBe(403);

    // A credit with their name uses the same person.
    const release = await buildRelease(app.db, account, 'pending');
    await addTrack(release, { artists: [primary('Nuit Blanche')] });
    expect((await people('artists', 'nuit blanche')).find((one) => one.id === id)).toMatchObject({ tracks: 1 });
  });
});

describe('pickers', () => {
  it('offer the releases of the caller’s lists, and people', async () => {
    const [pending, paid] = [
      await buildRelease(app.db, account, 'pending'),
      await buildRelease(app.db, account, 'paid'),
    ];
    for (const id of [pending, paid]) await addTrack(id, { title: 'Vrai choix', artists: [primary('Choix Multiple')] });
    const reader = await app.signInWith(['read_paid_libraries']);
    expect((await reader.get('/api/lookup/releases?q=choix')).data).toEqual([
      expect.objectContaining({ id: paid, hint: expect.stringContaining('Choix Multiple') }),
    ]);
    expect((await client.get('/api/lookup/releases?q=choix')).data).toHaveLength(2);
    expect((await client.get('/api/lookup/people?q=choix')).data).toEqual([
      expect.objectContaining({ label: 'Choix Multiple', hint: 'Primary Artist' }),
    ]);
    const tracks = (await (await app.signInWith(['edit_reports'])).get('/api/lookup/tracks?q=vrai')).data;
    expect(tracks).toContainEqual(expect.objectContaining({ hint: expect.stringMatching(/^Choix Multiple · /) }));
  });
});
