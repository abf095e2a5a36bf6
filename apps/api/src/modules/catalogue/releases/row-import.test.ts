import { messages } from '@regie/contract/messages.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import type { ImportOutcome } from '@regie/contract/routes/row-import.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
let account: number;
let stranger: number;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db);
  stranger = await buildAccount(app.db);
});

const urlOf = (release: number) => `/api/release/${release}/tracks/import`;
const releaseOf = async (id: number) => (await client.get(`/api/release/${id}`)).data as Release;
const row = (titre: string, values: Record<string, string> = {}) => ({ titre, ...values });
const verdicts = async (release: number, rows: readonly object[]) => {
  const reply = await client.post(`${urlOf(release)}?dryRun=true`, rows);
  expect(reply.status).toBe(200);
  return (reply.data as ImportOutcome).rows.map(({ verdict, message }) => [verdict, message]);
};
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));
let isrcs = 0;
const newIsrc = () => {
  isrcs += 1;
  return `FRIMP26${String(isrcs).padStart(5, '0')}`;
};

describe('importing tracks', () => {
  it('reads cells as a CSV parser types them and keys in any spelling, and names unknown columns', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const rows = [
      { titre: 1984, artistes: 1995, isrc: null, barcode: 3_760_149_435_312, 'durée (s)': 214 },
      { Title: true, Interprète: '', UPC: '' },
    ];
    const warnings = [messages.columnsIgnored(['durée (s)'])];
    expect(await client.post(`${urlOf(release)}?dryRun=true`, rows)).toMatchObject({ status: 200, meta: { warnings } });
    expect(await client.post(urlOf(release), rows)).toMatchObject({ status: 200, meta: { warnings } });
    const { barcode, tracks } = await releaseOf(release);
    expect(barcode).toBe('3760149435312');
    expect(tracks.map(({ title, isrc, Artists }) => [title, isrc, Artists.map(({ fullname }) => fullname)])).toEqual([
      ['1984', null, ['1995']],
      ['true', null, []],
    ]);
    expect(await entries('release.import_tracks', release)).toMatchObject([{ after: { warnings } }]);
  });

  it('names unknown columns when it refuses the rows', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    expect(await client.post(urlOf(release), [{ name: 'Un' }])).toMatchObject({
      status: 422,
      message: `${messages.importRefused(1)}. ${messages.columnsIgnored(['name'])}`,
    });
  });

  it('adds all rows in order with their people, sets the barcode, and is journalled', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    await app.db
      .updateTable('releases')
      .set({ genre: 'Jazz', language: 'French', recordingOwner: 'Awa Diallo', recordingYear: 2025 })
      .where('id', '=', release)
      .execute();
    await buildTrack(app.db, account, { releaseId: release, title: 'Ouverture' });
    const isrc = newIsrc();
    const reply = await client.post(urlOf(release), [
      row('Été à l’Estaque', {
        artistes: 'Zoé Ångström feat. Ida Import',
        isrc: `isrc ${isrc.toLowerCase()}`,
        barcode: '0012345678905',
      }),
      row('  Crépuscule ', { artistes: 'zoe angstrom', barcode: '12345678905' }),
    ]);
    expect(reply).toMatchObject({ status: 200, message: 'Les titres sont importés' });
    const outcome = reply.data as ImportOutcome;
    const shown = await releaseOf(release);
    const filled = { barcode: '0012345678905', updatedAt: shown.updatedAt };
    expect(outcome).toMatchObject({ created: 2, completed: 0, filled });
    expect(shown.barcode).toBe('0012345678905');
    expect(shown.tracks.map(({ title }) => title)).toEqual(['Ouverture', 'Été à l’Estaque', 'Crépuscule']);
    expect(shown.tracks[1]).toMatchObject({
      id: outcome.rows[0]?.trackId,
      isrc,
      genre: 'Jazz',
      language: 'French',
      recordingOwnerName: 'Awa Diallo',
      yearOfRegistration: 2025,
    });
    const artists = shown.tracks
      .slice(1)
      .flatMap((track) => track.Artists.map(({ fullname, role }) => [fullname, role]));
    expect(artists).toEqual([
      ['Zoé Ångström', 'Primary Artist'],
      ['Ida Import', 'Featuring'],
      ['Zoé Ångström', 'Primary Artist'],
    ]);
    expect(JSON.parse(shown.artistsLabel)).toEqual({ fullname: 'Zoé Ångström' });
    expect(await entries('release.import_tracks', release)).toMatchObject([
      { before: { barcode: null }, after: { rows: 2, created: 2, completed: 0, barcode: '0012345678905' } },
    ]);
    expect(await entries('track.create', outcome.rows[0]?.trackId ?? 0)).toMatchObject([
      {
        before: null,
        after: { libraryId: release, isrc, artists: ['Zoé Ångström (Primary Artist)', 'Ida Import (Featuring)'] },
      },
    ]);
  });

  it('fills only empty fields of existing tracks and adds no duplicates', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const known = await buildTrack(app.db, account, { releaseId: release, title: 'Été', isrc: newIsrc() });
    const bare = await buildTrack(app.db, account, { releaseId: release, title: 'Interlude', isrc: null });
    const isrc = newIsrc();
    const rows = [
      row('Un autre titre', { isrc: known.isrc }),
      row('ETE'),
      row('interlude', { isrc, artistes: 'Nina Import' }),
    ];
    expect(await verdicts(release, rows)).toEqual([
      ['exists', messages.importExists],
      ['new', null],
      ['exists', messages.importCompletes],
    ]);
    expect((await client.post(urlOf(release), rows)).data).toMatchObject({ created: 1, completed: 1 });
    const shown = await releaseOf(release);
    expect(shown.tracks.map((track) => [track.title, track.isrc])).toEqual([
      ['Été', known.isrc],
      ['Interlude', isrc],
      ['ETE', null],
    ]);
    expect(shown.tracks[1]?.Artists).toMatchObject([{ fullname: 'Nina Import', role: 'Primary Artist' }]);
    expect(await entries('track.edit', bare.id)).toMatchObject([
      { before: { isrc: null, artists: [] }, after: { isrc, artists: ['Nina Import (Primary Artist)'] } },
    ]);
    expect((await client.post(urlOf(release), rows)).data).toMatchObject({ created: 0, completed: 0 });
    expect((await releaseOf(release)).tracks).toEqual(shown.tracks);
  });

  it('returns a verdict for each row first, and writes nothing while one is refused', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const own = await buildTrack(app.db, account, { isrc: newIsrc() });
    const foreign = await buildTrack(app.db, stranger, { isrc: newIsrc() });
    const other = await buildRelease(app.db, stranger, 'pending');
    await app.db.updateTable('releases').set({ barcode: '3700000000004' }).where('id', '=', other).execute();
    const isrc = newIsrc();
    const rows = [
      row('Bonne', { isrc, artistes: 'Personne Encore' }),
      row('A un autre', { isrc: foreign.isrc }),
      row('Ailleurs', { isrc: own.isrc }),
      row('Double', { isrc }),
      row('', { isrc: newIsrc() }),
      row('Court', { isrc: 'FR-Z03' }),
      row('Code', { barcode: '3700000000004' }),
      row('Clé fausse', { barcode: '0012345678904' }),
      row('Autre code', { barcode: '0012345678905' }),
    ];
    const answers = await verdicts(release, rows);
    expect(answers.map(([verdict]) => verdict)).toEqual([
      'new',
      'conflict',
      'conflict',
      'conflict',
      'invalid',
      'invalid',
      'conflict',
      'new',
      'conflict',
    ]);
    const said = answers.map(([, message]) => message);
    expect(said[1]).toBe(`L’ISRC ${foreign.isrc} est à un autre compte`);
    expect(said[2]).toMatch(/^L’ISRC .* est sur une autre sortie\u00a0: «\u00a0Sortie \d+\u00a0»$/);
    expect(said.slice(3)).toEqual([
      `L’ISRC ${isrc} est déjà à la ligne 1`,
      messages.titleMissing,
      messages.invalidIsrc,
      'Le code-barres 3700000000004 est à un autre compte',
      messages.importBarcodeCheck,
      messages.importBarcodeDiffers('0012345678904'),
    ]);
    const reply = await client.post(urlOf(release), rows);
    expect(reply).toMatchObject({ status: 422, code: 'validation_failed', message: messages.importRefused(7) });
    expect(Object.keys(reply.errors).sort()).toEqual(
      ['global', '1.isrc', '2.isrc', '3.isrc', '4.titre', '5.isrc', '6.barcode', '8.barcode'].sort(),
    );
    expect((await releaseOf(release)).tracks).toEqual([]);
    expect((await client.get('/api/library/artists?q=Personne%20Encore')).data).toEqual([]);
    expect(await entries('release.import_tracks', release)).toEqual([]);
  });

  it('repeats its answer for the same key, and accepts one of two concurrent files with the same ISRC', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const rows = [row('Une fois')];
    const key = { 'idempotency-key': 'import-1' };
    const first = await client.post(urlOf(release), rows, key);
    const again = await client.post(urlOf(release), rows, key);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.data).toEqual(first.data);
    expect((await releaseOf(release)).tracks).toHaveLength(1);

    const isrc = newIsrc();
    const releases = await Promise.all([1, 2, 3].map(() => buildRelease(app.db, account, 'pending')));
    const replies = await Promise.all(releases.map((id) => client.post(urlOf(id), [row('La même', { isrc })])));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 422, 422]);
  });

  it('imports a thousand rows at once, and no track beyond the thousandth', { tags: ['slow'] }, async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const rows = Array.from({ length: 1000 }, (_, n) =>
      row(`Piste ${n + 1}`, { isrc: newIsrc(), artistes: `Artiste ${n % 50}` }),
    );
    expect((await client.post(urlOf(release), rows)).data).toMatchObject({ created: 1000 });
    const { tracks } = await releaseOf(release);
    expect(tracks.map(({ title }) => title)).toEqual(rows.map(({ titre }) => titre));
    expect(await verdicts(release, [row('De trop')])).toEqual([['conflict', messages.importTooMany(1000)]]);
    expect((await client.post(urlOf(release), [...rows, row('x')])).status).toBe(422);
    expect((await client.post(urlOf(release), [])).status).toBe(422);
    expect((await client.post(urlOf(release), { titre: 'x' })).status).toBe(400);
  });

  it('needs the capability to edit the release’s list, and an existing release', async () => {
    const editor = await app.signInWith(['edit_paid_libraries']);
    const [pending, paid] = [
      await buildRelease(app.db, account, 'pending'),
      await buildRelease(app.db, account, 'paid'),
    ];
    for (const suffix of ['', '?dryRun=1']) {
      expect((await editor.post(urlOf(pending) + suffix, [row('A')])).status).toBe(403);
      expect((await editor.post(urlOf(paid) + suffix, [row('A')])).status).toBe(200);
      expect((await editor.post(urlOf(999_999) + suffix, [row('A')])).status).toBe(404);
    }
    expect((await releaseOf(pending)).tracks).toEqual([]);
  });
});
