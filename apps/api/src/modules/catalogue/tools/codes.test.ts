import { messages } from '@regie/contract/messages.ts';
import type { NextIsrc, ToolLibrary, ToolTrack } from '@regie/contract/routes/tools.ts';
import { toolMessages } from '@regie/contract/tools.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { isrcYear } from './codes.rules.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };
let account: number;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db);
});

type Empty = { tracks: ToolTrack[]; libraries: ToolLibrary[]; wrongBarcodes: ToolLibrary[] };
const url = '/api/tools/empty-isrc-barcode';
const empty = async (query = '') => {
  const { data, meta, ...rest } = await client.get(`${url}${query}`);
  if (!meta) throw new Error(JSON.stringify(rest));
  return { ...(data as Empty), meta };
};
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));
const isrcOf = async (id: number) =>
  (await app.db.selectFrom('tracks').select('isrc').where('id', '=', id).executeTakeFirstOrThrow()).isrc;
const setPrefixes = async (prefixes: string[]) => {
  await app.owner
    .insertInto('settings')
    .values({ key: 'isrcPrefixes', value: JSON.stringify(prefixes) })
    .onConflict((key) => key.column('key').doUpdateSet({ value: JSON.stringify(prefixes) }))
    .execute();
};
const year = String(isrcYear(new Date())).slice(2);

describe('records without a code', () => {
  it('are listed by page, and leave the list when they get a code or are deleted', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const bare = await buildTrack(app.db, account, { releaseId: release, isrc: null, title: 'Zèbre nu' });
    const other = await buildTrack(app.db, account, { releaseId: release, isrc: null, title: 'Âne nu' });
    await buildTrack(app.db, account, { releaseId: release, title: 'Habillé' });
    const all = await empty();
    expect(all.tracks.map(({ trackTitle }) => trackTitle)).toEqual(['Âne nu', 'Zèbre nu']);
    expect(all.tracks[1]).toMatchObject({
      trackId: bare.id,
      isrc: null,
      libraryId: release,
      status: 'PENDING',
      userId: account,
      userName: expect.stringMatching(/^Awa Diallo/),
    });
    expect(all.libraries).toMatchObject([{ id: release, barcode: null, status: 'PENDING', userId: account }]);
    expect(all.meta).toMatchObject({ total: 2, totalIsExact: true, nextCursor: null });

    const first = await empty('?kind=tracks&limit=1&sort=id&order=desc');
    expect(first.tracks.map(({ trackId }) => trackId)).toEqual([other.id]);
    expect(first.libraries).toEqual([]);
    const second = await empty(`?kind=tracks&limit=1&sort=id&order=desc&cursor=${first.meta?.nextCursor}`);
    expect(second.tracks.map(({ trackId }) => trackId)).toEqual([bare.id]);
    expect((await empty('?kind=tracks&q=ZEBRE')).tracks).toHaveLength(1);
    expect((await empty('?kind=tracks&q=zebre diallo')).tracks).toHaveLength(1);
    await app.db.updateTable('releases').set({ title: 'Dix matins' }).where('id', '=', release).execute();
    expect((await empty('?kind=tracks&q=matins nu')).tracks).toHaveLength(2);
    expect((await empty('?kind=libraries&q=awa diallo')).libraries).toHaveLength(1);
    expect((await empty('?kind=libraries&q=absent')).meta?.total).toBe(0);

    await app.db.updateTable('tracks').set({ deletedAt: new Date() }).where('id', '=', other.id).execute();
    expect((await client.put(`/api/tools/track/${bare.id}/isrc`, { isrc: 'fr-nu1-26-00001' })).status).toBe(200);
    expect((await empty('?kind=tracks')).tracks).toEqual([]);
  });

  it('include barcodes with a wrong check digit or length', async () => {
    const barcodes = ['4006381333931', '4006381333932', '12345', '96385074', '036000291452', '36000291452'];
    const releases: [string, number][] = [];
    for (const barcode of barcodes) {
      const id = await buildRelease(app.db, account, 'delivered');
      await app.db.updateTable('releases').set({ barcode }).where('id', '=', id).execute();
      releases.push([barcode, id]);
    }
    const { wrongBarcodes, meta } = await empty('?kind=wrongBarcodes&sort=id');
    expect(wrongBarcodes.map(({ barcode }) => barcode)).toEqual(['4006381333932', '12345', '36000291452']);
    expect(meta?.total).toBe(3);
    const wrong = releases[1]?.[1] ?? 0;
    expect((await client.put(`/api/tools/release/${wrong}/barcode`, { barcode: '5 901234 123457' })).data).toEqual({
      barcode: '5901234123457',
    });
    expect(await entries('release.edit', wrong)).toMatchObject([
      { before: { barcode: '4006381333932' }, after: { barcode: '5901234123457' } },
    ]);
    expect((await empty('?kind=wrongBarcodes')).meta?.total).toBe(2);
  });

  it('need read_tools or edit_tools to be listed, and edit_tools to be filled', async () => {
    const reader = await app.signInWith(['read_tools']);
    const editor = await app.signInWith(['edit_tools']);
    const track = await buildTrack(app.db, account, { isrc: null });
    expect((await reader.get(url)).status).toBe(200);
    expect((await editor.get(url)).status).toBe(200);
    const body = { isrc: 'FRNU12600009' };
    expect((await reader.put(`/api/tools/track/${track.id}/isrc`, body)).status).toBe(403);
    expect((await reader.put('/api/tools/release/1/barcode', { barcode: '96385074' })).status).toBe(403);
    expect((await reader.post('/api/tools/isrc/assign', { trackIds: [track.id] })).status).toBe(403);
    expect((await reader.get('/api/tools/isrc/next')).status).toBe(403);
    expect(await isrcOf(track.id)).toBeNull();
    expect((await editor.put(`/api/tools/track/${track.id}/isrc`, body)).status).toBe(200);
  });
});

describe('filling a code in place', () => {
  it('journals the change, and refuses a code that is invalid, used elsewhere, or already set', async () => {
    const track = await buildTrack(app.db, account, { isrc: null, title: 'À remplir' });
    const holder = await buildTrack(app.db, account, { title: 'Celui qui l’a' });
    const at = `/api/tools/track/${track.id}/isrc`;
    expect(await client.put(at, { isrc: 'FR-Z' })).toMatchObject({
      status: 422,
      errors: { isrc: messages.invalidIsrc },
    });
    expect(await client.put(at, { isrc: ' ' })).toMatchObject({ status: 422 });
    expect(await client.put(at, { isrc: holder.isrc })).toMatchObject({
      status: 422,
      errors: { isrc: toolMessages.isrcTaken(holder.isrc, 'Celui qui l’a') },
    });
    expect(await client.put(at, { isrc: 'isrc fr nu1 26 00002' })).toMatchObject({
      status: 200,
      data: { isrc: 'FRNU12600002' },
      message: toolMessages.isrcFilled,
    });
    expect(await entries('track.edit', track.id)).toMatchObject([
      { adminId: client.admin.id, before: { isrc: null }, after: { isrc: 'FRNU12600002' } },
    ]);
    expect(await client.put(at, { isrc: 'FRNU12600003' })).toMatchObject({
      status: 409,
      message: toolMessages.hasIsrc,
    });
    expect((await client.put('/api/tools/track/999999/isrc', { isrc: 'FRNU12600003' })).status).toBe(404);

    const [release, other] = [await buildRelease(app.db, account), await buildRelease(app.db, account)];
    await app.db.updateTable('releases').set({ barcode: '0036000291452' }).where('id', '=', other).execute();
    const place = `/api/tools/release/${release}/barcode`;
    // The same GTIN without its leading zero.
    expect(await client.put(place, { barcode: '036000291452' })).toMatchObject({ status: 422 });
    expect(await client.put(place, { barcode: '4006381333932' })).toMatchObject({
      status: 422,
      errors: { barcode: messages.barcodeCheck },
    });
    expect((await client.put(place, { barcode: '4006381333931' })).status).toBe(422);
    expect((await client.put(place, { barcode: '9780201379624' })).status).toBe(200);
    expect((await client.put(place, { barcode: '96385074' })).status).toBe(409);
    expect((await client.put('/api/tools/release/999999/barcode', { barcode: '96385074' })).status).toBe(404);
  });
});

describe('the next free ISRC', () => {
  beforeEach(() => setPrefixes(['FRX12', 'FRX13']));

  it('follows the highest of its prefix and year, including deleted tracks, not other years', async () => {
    // Editors of tracks get the suggestion too.
    const editor = await app.signInWith(['edit_paid_libraries']);
    const next = async () => (await editor.get('/api/tools/isrc/next')).data as NextIsrc[];
    expect(await next()).toEqual([
      { prefix: 'FRX12', next: `FRX12${year}00001`, left: 99_999 },
      { prefix: 'FRX13', next: `FRX13${year}00001`, left: 99_999 },
    ]);
    await buildTrack(app.db, account, { isrc: 'FRX121999999' });
    const used = await buildTrack(app.db, account, { isrc: `FRX12${year}00041` });
    await app.db.updateTable('tracks').set({ deletedAt: new Date() }).where('id', '=', used.id).execute();
    expect((await next())[0]).toEqual({ prefix: 'FRX12', next: `FRX12${year}00042`, left: 99_958 });
    await buildTrack(app.db, account, { isrc: `FRX13${year}99999` });
    expect((await next())[1]).toEqual({ prefix: 'FRX13', next: null, left: 0 });
    await setPrefixes([]);
    expect(await next()).toEqual([]);
  });

  it('is assigned to many tracks in order, journalled, and never assigned again', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const tracks = [];
    for (let index = 0; index < 3; index += 1) {
      tracks.push(await buildTrack(app.db, account, { releaseId: release, isrc: null }));
    }
    const [one, two, three] = tracks.map(({ id }) => id);
    const taken = await buildTrack(app.db, account);
    const start = ((await client.get('/api/tools/isrc/next')).data as NextIsrc[])[0]?.next ?? '';
    const from = Number(start.slice(7));
    const code = (n: number) => `FRX12${year}${String(from + n).padStart(5, '0')}`;
    const reply = await client.post('/api/tools/isrc/assign', { trackIds: [two, one, two, taken.id] });
    expect(reply).toMatchObject({
      status: 200,
      data: {
        assigned: [
          { trackId: two, isrc: code(0) },
          { trackId: one, isrc: code(1) },
        ],
        skipped: 1,
      },
    });
    expect(await isrcOf(taken.id)).toBe(taken.isrc);
    const { editId } = reply.data as { editId: number };
    expect(await entries('code_edit.assign', editId)).toMatchObject([
      { after: { tracks: 2, isrc: `${code(0)} – ${code(1)}` } },
    ]);
    expect(await entries('track.edit', two ?? 0)).toMatchObject([
      { before: { isrc: null }, after: { isrc: code(0), codeEdit: editId } },
    ]);
    // A removed number stays used.
    await app.db
      .updateTable('tracks')
      .set({ isrc: null })
      .where('id', 'in', [one ?? 0, two ?? 0])
      .execute();
    const again = await client.post('/api/tools/isrc/assign', { trackIds: [three] });
    expect(again.data).toMatchObject({ assigned: [{ isrc: code(2) }] });
    expect((await client.post('/api/tools/isrc/assign', { trackIds: [three] })).status).toBe(409);
  });

  it('is assigned once when two calls run at the same time', async () => {
    const tracks = await Promise.all(Array.from({ length: 6 }, () => buildTrack(app.db, account, { isrc: null })));
    const replies = await Promise.all(
      tracks.map(({ id }) => client.post('/api/tools/isrc/assign', { trackIds: [id] })),
    );
    expect(replies.map(({ status }) => status)).toEqual(tracks.map(() => 200));
    const codes = await Promise.all(tracks.map(({ id }) => isrcOf(id)));
    expect(codes).not.toContain(null);
    expect(new Set(codes).size).toBe(6);
  });

  it('needs a prefix of the settings with numbers left', async () => {
    const track = await buildTrack(app.db, account, { isrc: null });
    const assign = (prefix?: string) => client.post('/api/tools/isrc/assign', { trackIds: [track.id], prefix });
    expect(await assign('FRX99')).toMatchObject({ status: 422, errors: { prefix: toolMessages.unknownPrefix } });
    expect(await assign('FRX13')).toMatchObject({ status: 422, errors: { prefix: toolMessages.prefixFull('FRX13') } });
    await setPrefixes([]);
    expect(await assign()).toMatchObject({ status: 422, errors: { prefix: toolMessages.noPrefix } });
    expect(await isrcOf(track.id)).toBeNull();
    expect((await client.post('/api/tools/isrc/assign', { trackIds: [] })).status).toBe(422);
  });
});

describe('the partial indexes of missing codes', () => {
  it('are used for the first page, without a full scan', async () => {
    const plan = async (from: string) => {
      const { rows } = await app.owner.transaction().execute(async (trx) => {
        await sql`SET LOCAL enable_seqscan = off`.execute(trx);
        return sql<Record<string, string>>`EXPLAIN ${sql.raw(from)}`.execute(trx);
      });
      return rows.map((row) => Object.values(row)[0]).join('\n');
    };
    expect(
      await plan('SELECT id FROM tracks r WHERE deleted_at IS NULL AND r.isrc IS NULL ORDER BY title, id LIMIT 51'),
    ).toContain('tracks_without_isrc_idx');
    expect(
      await plan(
        'SELECT id FROM releases r WHERE deleted_at IS NULL AND NOT is_barcode(r.barcode) ORDER BY title, id LIMIT 51',
      ),
    ).toContain('releases_wrong_barcode_idx');
  });
});
