import { messages } from '@regie/contract/messages.ts';
import type { ProfileImportOutcome, ProfileLibrary } from '@regie/contract/routes/accounts.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient & { admin: { id: number } };
let account: number;
let codes = 1000;
const isrc = () => {
  codes += 1;
  return `FRPRO26${String(codes).padStart(5, '0')}`;
};
const barcode = () => {
  codes += 1;
  return `37601234${String(codes).padStart(5, '0')}`;
};

beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
  account = await buildAccount(app.db);
});

const send = (releases: unknown[], options: { dryRun?: boolean; id?: number; user?: unknown } = {}) =>
  client.post(`/api/profile/${options.id ?? account}/libraries${options.dryRun ? '?dryRun=true' : ''}`, {
    user: options.user ?? String(options.id ?? account),
    releases,
  });
const list = async (id: number) =>
  (await client.get(`/api/profile/${id}/libraries?limit=500`)).data as ProfileLibrary[];

describe('importing releases into a profile', () => {
  it('groups rows by barcode, names releases by their album, and creates them as pending', async () => {
    const owner = await buildAccount(app.db);
    const [first, second] = [barcode(), barcode()];
    const reply = await send(
      [
        { titre: 'Un', artistes: 'Awa Diallo feat. Bo', barcode: first, isrc: isrc(), album: 'Premier album' },
        { titre: 'Deux', artistes: 'Awa Diallo', barcode: first, isrc: isrc() },
        { titre: 'Seul', artistes: 'Bo', barcode: second },
        { titre: 'Sans code' },
        { titre: 'Sans code' },
      ],
      { id: owner },
    );
    expect(reply).toMatchObject({ status: 200, data: { releases: 4, created: 5, completed: 0, refused: [] } });
    const releases = await list(owner);
    expect(
      releases.map((release) => [release.title, release.status, release.tracks.map((track) => track.title)]),
    ).toEqual([
      ['Premier album', 'PENDING', ['Un', 'Deux']],
      ['Seul', 'PENDING', ['Seul']],
      ['Sans code', 'PENDING', ['Sans code']],
      ['Sans code', 'PENDING', ['Sans code']],
    ]);
    expect(releases[0]?.tracks[0]?.artists).toBe('Awa Diallo, Bo');
    expect((await app.journal('account.import_releases')).at(-1)).toMatchObject({
      adminId: client.admin.id,
      entityId: String(owner),
      after: { rows: 5, releases: 4, created: 5 },
    });
  });

  it('reads cells as a CSV parser types them and keys in any spelling, and names unknown columns', async () => {
    const owner = await buildAccount(app.db);
    const rows = [{ Titre: 1984, 'Code-barres': 36_000_291_452, ISRC: null, Sortie: 2001, genre: 'Jazz' }];
    const warnings = [messages.columnsIgnored(['genre'])];
    expect(await send(rows, { id: owner, user: owner })).toMatchObject({ status: 200, meta: { warnings } });
    expect(await list(owner)).toMatchObject([
      { title: '2001', barcode: '036000291452', tracks: [{ title: '1984', isrc: null }] },
    ]);
    expect((await app.journal('account.import_releases')).at(-1)?.after).toMatchObject({ warnings });
  });

  it('names unknown columns when it refuses the rows', async () => {
    expect(await send([{ name: 'Un', band: 'A' }])).toMatchObject({
      status: 422,
      message: `${messages.importRefused(1)}. ${messages.columnsIgnored(['name', 'band'])}`,
      errors: { 'releases.0': messages.titleMissing },
    });
  });

  it('fills only empty fields of existing releases and tracks', async () => {
    const code = barcode();
    const release = await buildRelease(app.db, account, 'delivered');
    await app.db.updateTable('releases').set({ barcode: code, title: 'Déjà là' }).where('id', '=', release).execute();
    const known = await buildTrack(app.db, account, { releaseId: release, isrc: isrc(), title: 'Connu' });
    await buildTrack(app.db, account, { releaseId: release, isrc: null, title: 'À compléter' });
    const filled = isrc();
    const reply = await send([
      { titre: 'Autre nom', barcode: code, isrc: known.isrc, artistes: 'Nouvelle artiste', album: 'Autre titre' },
      { titre: 'à compléter', barcode: code, isrc: filled },
      { titre: 'En plus', barcode: code },
    ]);
    expect(reply).toMatchObject({ status: 200, data: { releases: 0, created: 1, completed: 2 } });
    const found = (await list(account)).find((one) => one.id === release);
    expect(found).toMatchObject({ title: 'Déjà là', barcode: code });
    expect(found?.tracks.map((track) => [track.title, track.isrc, track.artists])).toEqual([
      ['Connu', known.isrc, 'Nouvelle artiste'],
      ['À compléter', filled, ''],
      ['En plus', null, ''],
    ]);
  });

  it('adds a barcode to the release of an existing track', async () => {
    const release = await buildRelease(app.db, account);
    const known = await buildTrack(app.db, account, { releaseId: release, isrc: isrc() });
    const code = barcode();
    expect((await send([{ titre: 'Peu importe', barcode: code, isrc: known.isrc }])).data).toMatchObject({
      releases: 0,
    });
    expect((await list(account)).find((one) => one.id === release)?.barcode).toBe(code);
  });

  it('refuses the whole file for codes of another account, repeated rows and invalid rows', async () => {
    const other = await buildAccount(app.db);
    const theirs = await buildTrack(app.db, other, { isrc: isrc() });
    const theirCode = barcode();
    const release = await buildRelease(app.db, other);
    await app.db.updateTable('releases').set({ barcode: theirCode }).where('id', '=', release).execute();
    const twice = isrc();
    const before = (await list(account)).length;
    const rows = [
      { titre: 'Bon' },
      { titre: 'Volé', isrc: theirs.isrc },
      { titre: 'Volé aussi', barcode: theirCode },
      { titre: 'Une fois', isrc: twice },
      { titre: 'Deux fois', isrc: twice },
      { titre: '' },
    ];
    const dry = (await send(rows, { dryRun: true })).data as ProfileImportOutcome;
    expect(dry.refused.map((row) => row.row)).toEqual([2, 3, 5, 6]);
    expect(dry.refused[0]?.message).toBe(messages.importOtherAccount(`L’ISRC ${theirs.isrc}`));
    const reply = await send(rows);
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.errors).sort()).toEqual([
      'global',
      'releases.1',
      'releases.2',
      'releases.4',
      'releases.5',
    ]);
    expect(await list(account)).toHaveLength(before);
  });

  it('requires an account, numeric barcodes, a row, and the capability', async () => {
    expect((await send([], {})).status).toBe(422);
    expect((await send([{ titre: 'A' }], { user: 'moi' })).errors).toHaveProperty('user');
    expect((await send([{ titre: 'A' }], { user: '999998' })).errors).toEqual({ user: messages.importUserDiffers });
    expect((await send([{ titre: 'A' }], { id: 999_999 })).status).toBe(404);
    expect((await client.get('/api/profile/999999/libraries')).status).toBe(404);
    const reader = await app.signInWith(['read_paid_libraries', 'edit_paid_libraries']);
    expect((await reader.post(`/api/profile/${account}/libraries`, { user: '1', releases: [] })).status).toBe(403);
    expect((await reader.get(`/api/profile/${account}/libraries`)).status).toBe(403);
  });

  it('writes nothing in a dry run', async () => {
    const before = (await list(account)).length;
    const reply = await send([{ titre: 'Essai', album: 'Album d’essai' }], { dryRun: true });
    expect(reply.data).toMatchObject({ releases: 1, created: 1, added: [{ title: 'Album d’essai', tracks: 1 }] });
    expect(await list(account)).toHaveLength(before);
  });
});
