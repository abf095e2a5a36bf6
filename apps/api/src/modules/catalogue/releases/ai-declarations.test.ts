import type { AiContribution } from '@regie/contract/releases.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient;

beforeAll(async () => {
  client = await app.signInWith();
});

const releaseOf = async (id: number) => (await client.get(`/api/release/${id}`)).data as Release;
const trackForm = (libraryId: number, values: Record<string, unknown>) => ({
  ...{ title: 'Aurore', genre: 'Jazz', language: 'French', recordingOwnerName: 'Awa Diallo', yearOfRegistration: 2025 },
  ...{ libraryId, artists: [], contributors: [], musicians: [] },
  ...values,
});

async function addCover(release: number) {
  const { id } = await app.db
    .insertInto('files')
    .values({
      ...{ storageKey: `ai-${release}`, kind: 'cover', originalName: 'a.png', contentType: 'image/png' },
      ...{ sizeBytes: 1, sha256: Buffer.alloc(32) },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await app.db.updateTable('releases').set({ coverFileId: id }).where('id', '=', release).execute();
}

const declare = (
  of: { userId: number } | { libraryId: number },
  values: Partial<Record<'recordingAi' | 'compositionAi' | 'coverAi', AiContribution>>,
  who = client,
) => who.post('/api/ai-declarations', { recordingAi: null, compositionAi: null, coverAi: null, ...of, ...values });

describe('the part of AI in the forms', () => {
  it('of a track is kept when it is omitted, cleared with an empty text, and journalled', async () => {
    const release = await buildRelease(app.db, await buildAccount(app.db), 'pending');
    const { data } = await client.post('/api/tracks/add', trackForm(release, { recordingAi: 'partly' }));
    const id = (data as { id: number }).id;
    expect((await releaseOf(release)).tracks).toMatchObject([{ recordingAi: 'partly', compositionAi: null }]);
    const edit = (values: Record<string, unknown>) => client.put(`/api/tracks/${id}/edit`, trackForm(release, values));
    await edit({ compositionAi: 'none' });
    expect((await releaseOf(release)).tracks).toMatchObject([{ recordingAi: 'partly', compositionAi: 'none' }]);
    await edit({ recordingAi: '' });
    expect((await releaseOf(release)).tracks).toMatchObject([{ recordingAi: null, compositionAi: 'none' }]);
    const edits = (await app.journal('track.edit')).filter(({ entityId }) => entityId === String(id));
    expect(edits.map(({ before, after }) => [before, after])).toEqual([
      [{ compositionAi: null }, { compositionAi: 'none' }],
      [{ recordingAi: 'partly' }, { recordingAi: null }],
    ]);
    expect(await edit({ recordingAi: 'half' })).toMatchObject({ status: 422 });
  });
});

describe('declaring the part of AI at once', () => {
  it('of a release leaves what is declared, what is left open, and a missing cover', async () => {
    const account = await buildAccount(app.db);
    const release = await buildRelease(app.db, account);
    const first = await buildTrack(app.db, account, { releaseId: release });
    await buildTrack(app.db, account, { releaseId: release });
    await app.db.updateTable('tracks').set({ recordingAi: 'all' }).where('id', '=', first.id).execute();
    expect((await declare({ libraryId: release }, { recordingAi: 'none', coverAi: 'none' })).data).toEqual({
      tracks: 1,
      covers: 0,
    });
    const { tracks, coverAi } = await releaseOf(release);
    expect([...tracks.map(({ recordingAi, compositionAi }) => [recordingAi, compositionAi]), coverAi]).toEqual([
      ['all', null],
      ['none', null],
      null,
    ]);
    await addCover(release);
    expect((await declare({ libraryId: release }, { compositionAi: 'none', coverAi: 'partly' })).data).toEqual({
      tracks: 2,
      covers: 1,
    });
    expect((await declare({ libraryId: release }, { compositionAi: 'all', coverAi: 'all' })).data).toEqual({
      tracks: 0,
      covers: 0,
    });
    const entries = (await app.journal('release.declare_ai')).filter(({ entityId }) => entityId === String(release));
    expect(entries.map(({ after }) => after)).toEqual([
      { recordingAi: 'none', compositionAi: null, tracks: 1 },
      { recordingAi: null, compositionAi: 'none', tracks: 2, coverAi: 'partly' },
    ]);
  });

  it('of an account reaches the releases that the caller may edit, and no other account', async () => {
    const [account, other] = [await buildAccount(app.db), await buildAccount(app.db)];
    const [delivered, paid] = [await buildRelease(app.db, account), await buildRelease(app.db, account, 'paid')];
    for (const releaseId of [delivered, paid]) await buildTrack(app.db, account, { releaseId });
    const theirs = (await buildTrack(app.db, other)).id;
    const editor = await app.signInWith(['edit_delivered_libraries']);
    expect((await declare({ userId: account }, { recordingAi: 'none' }, editor)).data).toEqual({
      tracks: 1,
      covers: 0,
    });
    expect(await declare({ libraryId: paid }, { recordingAi: 'none' }, editor)).toMatchObject({ status: 403 });
    expect((await releaseOf(paid)).tracks).toMatchObject([{ recordingAi: null }]);
    const { recordingAi } = await app.db
      .selectFrom('tracks')
      .select('recordingAi')
      .where('id', '=', theirs)
      .executeTakeFirstOrThrow();
    expect(recordingAi).toBeNull();
  });

  it('needs one release or one account, and something to declare', async () => {
    const account = await buildAccount(app.db);
    const release = await buildRelease(app.db, account);
    expect(await declare({ userId: account, libraryId: release }, { coverAi: 'none' })).toMatchObject({
      status: 422,
      errors: { libraryId: expect.any(String) },
    });
    expect(await declare({ libraryId: release }, {})).toMatchObject({
      status: 422,
      errors: { recordingAi: expect.any(String) },
    });
    expect(await client.post('/api/ai-declarations', {})).toMatchObject({ status: 422 });
  });
});

describe('the part of AI in a file of tracks', () => {
  it('is added with new tracks and fills what is open, and a declaration stays', async () => {
    const account = await buildAccount(app.db);
    const release = await buildRelease(app.db, account, 'pending');
    const open = await buildTrack(app.db, account, { releaseId: release, title: 'Ouvert' });
    const declared = await buildTrack(app.db, account, { releaseId: release, title: 'Déclaré' });
    await app.db.updateTable('tracks').set({ recordingAi: 'all' }).where('id', '=', declared.id).execute();
    const rows = [
      {
        Titre: 'Ouvert',
        ISRC: open.isrc,
        'IA dans l’enregistrement': 'En partie par IA',
        'IA dans la composition': '',
      },
      { Titre: 'Déclaré', ISRC: declared.isrc, 'IA dans l’enregistrement': 'None', 'IA composition': 'None' },
      { Titre: 'Nouveau', 'IA enregistrement': 'Aucune IA', 'IA composition': 'Non déclaré' },
    ];
    const reply = await client.post(`/api/release/${release}/tracks/import`, rows);
    expect(reply).toMatchObject({ status: 200, data: { created: 1, completed: 2 } });
    const { tracks } = await releaseOf(release);
    expect(tracks.map(({ title, recordingAi, compositionAi }) => [title, recordingAi, compositionAi])).toEqual([
      ['Ouvert', 'partly', null],
      ['Déclaré', 'all', 'none'],
      ['Nouveau', 'none', null],
    ]);
    const edits = (await app.journal('track.edit')).filter(({ entityId }) => entityId === String(declared.id));
    expect(edits.map(({ before, after }) => [before, after])).toEqual([
      [{ compositionAi: null }, { compositionAi: 'none' }],
    ]);
    expect(await client.post(`/api/release/${release}/tracks/import`, rows)).toMatchObject({
      data: { created: 0, completed: 0 },
    });
  });

  it('fills the cover of the release once, and two values for one cover are refused', async () => {
    const account = await buildAccount(app.db);
    const release = await buildRelease(app.db, account, 'pending');
    const importRows = (...covers: string[]) =>
      client.post(
        `/api/release/${release}/tracks/import`,
        covers.map((cover, index) => ({ Titre: `Titre ${index + 1}`, 'IA dans la pochette': cover })),
      );
    expect(await importRows('Aucune IA', 'All')).toMatchObject({
      status: 422,
      errors: { '1.coverAi': 'Une ligne précédente déclare autre chose pour la pochette' },
    });
    const { updatedAt } = await releaseOf(release);
    const reply = await importRows('', 'En partie par IA');
    expect(reply).toMatchObject({ data: { created: 2, filled: { coverAi: 'partly', updatedBefore: updatedAt } } });
    expect(await importRows('Aucune IA')).toMatchObject({ data: { filled: null } });
    expect((await releaseOf(release)).coverAi).toBe('partly');
    const entries = (await app.journal('release.import_tracks')).filter(({ entityId }) => entityId === String(release));
    expect(entries.map(({ before, after }) => [before, after])).toEqual([
      [{ coverAi: null }, { rows: 2, created: 2, completed: 0, coverAi: 'partly' }],
      [null, { rows: 1, created: 0, completed: 0 }],
    ]);
  });

  it('declares the covers of an account’s new and known releases', async () => {
    const account = await buildAccount(app.db);
    const known = await buildRelease(app.db, account, 'pending');
    const { isrc } = await buildTrack(app.db, account, { releaseId: known, title: 'Connu' });
    const barcode = `${account}`.padStart(12, '4');
    const importRows = (cover: string) =>
      client.post(`/api/profile/${account}/libraries`, {
        user: account,
        releases: [
          { Titre: 'Connu', ISRC: isrc, 'IA pochette': 'Aucune IA' },
          { Titre: 'Un', Album: 'Neuf', UPC: barcode },
          { Titre: 'Deux', Album: 'Neuf', UPC: barcode, 'IA pochette': 'All' },
          { Titre: 'Trois', Album: 'Neuf', UPC: barcode, 'IA pochette': cover },
        ],
      });
    expect(await importRows('None')).toMatchObject({ status: 422, errors: { 'releases.3': expect.any(String) } });
    expect(await importRows('Entièrement')).toMatchObject({ data: { releases: 1, created: 3, completed: 1 } });
    const stored = await app.db
      .selectFrom('releases')
      .select('coverAi')
      .where('accountId', '=', account)
      .orderBy('id')
      .execute();
    expect(stored.map(({ coverAi }) => coverAi)).toEqual(['none', 'all']);
  });
});
