import type { Person } from '@regie/contract/routes/releases.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient;

beforeAll(async () => {
  client = await app.signInWith();
});

const search = (list: string, query: Record<string, string>) =>
  client.get(`/api/${list}?${new URLSearchParams(query)}`);

/** The first two pages of a list, and the total stated on the first. */
async function twoPages(list: string, query: Record<string, string>) {
  const first = await search(list, { ...query, limit: '150' });
  const cursor = first.meta?.nextCursor;
  const second = cursor ? await search(list, { ...query, limit: '150', cursor }) : undefined;
  const ids = [first, second].flatMap((page) => (page?.data ?? []) as { id: number }[]).map((row) => row.id);
  return { ids, total: first.meta?.total, isExact: first.meta?.totalIsExact };
}

describe('a search with more matches than are read in full', { tags: ['slow'] }, () => {
  const releases = 13_000;
  let account: number;

  beforeAll(async () => {
    account = await buildAccount(app.db, { firstName: 'Grande', lastName: 'Maison' });
    // All contain "récolte"; every second "moisson", in forty spellings; the last hundred "tardives".
    await sql`
      INSERT INTO releases (account_id, title, status, genre, created_at)
      SELECT ${account}, 'Récolte ' || lpad(((n * 7919) % ${sql.lit(releases)})::text, 5, '0')
             || CASE WHEN n % 2 = 0 THEN ' moisson' || n % 40 ELSE '' END || CASE WHEN n > ${sql.lit(releases - 100)} THEN ' tardive' ELSE '' END,
             CASE WHEN n % 3 = 0 THEN 'closed' ELSE 'delivered' END, CASE WHEN n % 100 = 0 THEN 'Jazz' ELSE 'Pop' END,
             '2026-01-01'::timestamptz + n * interval '1 minute'
        FROM generate_series(1, ${sql.lit(releases)}) n`.execute(app.db);
    await sql`ANALYZE releases, release_words`.execute(app.owner);
    await sql`
      INSERT INTO tracks (release_id, account_id, position, title, isrc)
      SELECT id, account_id, 1, title, 'FRGMA26' || lpad((row_number() OVER (ORDER BY id))::text, 5, '0')
        FROM releases WHERE account_id = ${account}`.execute(app.db);
    await sql`ANALYZE tracks, track_words`.execute(app.owner);
  });

  /** The expected ids, from a plain query. */
  async function expected(where: ReturnType<typeof sql<boolean>>, order: ReturnType<typeof sql>) {
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM releases WHERE account_id = ${account} AND ${where} ORDER BY ${order}`.execute(app.db);
    return rows.map((row) => row.id);
  }

  it.each([
    ['one word', { q: 'récolte' }, sql<boolean>`true`, sql`created_at DESC, id DESC`],
    ['one word, oldest first', { q: 'recolte', order: 'asc' }, sql<boolean>`true`, sql`created_at, id`],
    ['one word by title', { q: 'recolte', sort: 'title', order: 'asc' }, sql<boolean>`true`, sql`title, id`],
    ['one word by artist', { q: 'recolte', sort: 'artist' }, sql<boolean>`true`, sql`id DESC`],
    ['an account', { q: 'grande mais' }, sql<boolean>`true`, sql`created_at DESC, id DESC`],
    ['an ISRC’s beginning', { q: 'FRGMA26' }, sql<boolean>`true`, sql`created_at DESC, id DESC`],
    [
      'one word of a genre',
      { q: 'recolte', genre: 'Jazz' },
      sql<boolean>`genre = 'Jazz'`,
      sql`created_at DESC, id DESC`,
    ],
    ['many spellings', { q: 'mois' }, sql<boolean>`title LIKE '%moisson%'`, sql`created_at DESC, id DESC`],
    ['two words', { q: 'recolte moisson1' }, sql<boolean>`title ~ ' moisson1'`, sql`created_at DESC, id DESC`],
    [
      'words at one end',
      { q: 'recolte tardive', order: 'asc' },
      sql<boolean>`title LIKE '%tardive'`,
      sql`created_at, id`,
    ],
    [
      'a word at one end, by title',
      { q: 'tardive', sort: 'title' },
      sql<boolean>`title LIKE '%tardive'`,
      sql`title DESC, id DESC`,
    ],
  ])('finds %s: every release once, in list order', async (_name, query, where, order) => {
    const ids = await expected(where, order);
    const found = await twoPages('releases/delivered', { order: 'desc', ...query });
    expect(found.ids).toEqual(ids.slice(0, 300));
    // With several words, or beyond the limit, the total is a lower bound.
    if (found.isExact) expect(found.total).toBe(ids.length);
    else expect(found.total).toBe(query.q.includes(' ') ? 150 : 10_000);

    expect(found.isExact).toBe(ids.length <= (query.q.includes(' ') ? 150 : 10_000));
  });

  it('finds tracks equally by title and by id', async () => {
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM tracks WHERE account_id = ${account} ORDER BY title, id`.execute(app.db);
    const ids = rows.map((row) => row.id);
    expect((await twoPages('library/tracks', { q: 'récolte' })).ids).toEqual(ids.slice(0, 300));
    expect(await twoPages('library/tracks', { q: 'recolte', sort: 'id' })).toEqual({
      ids: ids.toSorted((a, b) => a - b).slice(0, 300),
      total: 10_000,
      isExact: false,
    });
    expect((await search('lookup/tracks', { q: 'recolte 00000' })).data).toHaveLength(1);
  });
});

describe('search words', () => {
  const isFound = async (q: string, list = 'releases/paid') =>
    ((await search(list, { q })).data as unknown[]).length > 0;

  it('are updated with the release, its account, its status and its deletion', async () => {
    const account = await buildAccount(app.db, { firstName: 'Solveig', lastName: 'Aubanel' });
    const id = await buildRelease(app.db, account, 'paid');
    const set = (values: Record<string, unknown>) =>
      app.db.updateTable('releases').set(values).where('id', '=', id).execute();
    await set({ title: 'L’île nue', artistName: 'Orphée Blanc', barcode: '96385074' });
    for (const q of ['ile', 'nue l', 'orph', '96385074', 'aubanel solveig', 'SOLV'])
      expect(await isFound(q), q).toBe(true);
    await set({ title: 'Cendres' });
    expect(await isFound('ile')).toBe(false);
    expect(await isFound('cendr orphee')).toBe(true);
    await app.db.updateTable('accounts').set({ lastName: 'Quéméneur' }).where('id', '=', account).execute();
    expect([await isFound('aubanel'), await isFound('quemeneur cendres')]).toEqual([false, true]);
    await set({ status: 'delivered' });
    expect([await isFound('cendres'), await isFound('cendres', 'releases/delivered')]).toEqual([false, true]);
    await set({ deletedAt: new Date() });
    expect(await isFound('cendres', 'releases/delivered')).toBe(false);
  });

  it('are updated with the track, and with the person while a live track credits them', async () => {
    const account = await buildAccount(app.db);
    const [one, two] = [
      (await buildTrack(app.db, account, { isrc: 'FRWDS2600001' })).id,
      (await buildTrack(app.db, account, { isrc: 'FRWDS2600002' })).id,
    ];
    await app.db.updateTable('tracks').set({ title: 'Brisants' }).where('id', '=', one).execute();
    expect(await isFound('brisants', 'library/tracks')).toBe(true);
    const person = await app.db
      .insertInto('people')
      .values({ fullName: 'Vadim Oster' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const listed = async () =>
      (await Promise.all(['artists', 'editors'].map((list) => search(`library/${list}`, { q: 'oster vad' })))).map(
        (reply) => (reply.data as Person[]).length,
      );
    expect(await listed()).toEqual([0, 0]);
    expect((await search('lookup/people', { q: 'vadim' })).data).toHaveLength(1);
    const credit = { personId: person.id, role: 'Primary Artist', kind: 'artist' };
    await app.db
      .insertInto('trackCredits')
      .values([one, two].map((trackId) => ({ ...credit, trackId })))
      .execute();
    expect(await listed()).toEqual([1, 0]);
    await app.db.updateTable('tracks').set({ deletedAt: new Date() }).where('id', '=', one).execute();
    expect(await isFound('brisants', 'library/tracks')).toBe(false);
    expect(await listed()).toEqual([1, 0]);
    await app.db.deleteFrom('trackCredits').where('trackId', '=', two).execute();
    expect(await listed()).toEqual([0, 0]);
  });

  it('include symbols only when a text has nothing else', async () => {
    const account = await buildAccount(app.db, { firstName: 'Nils', lastName: 'Perrot' });
    const id = await buildRelease(app.db, account, 'paid');
    const set = (values: Record<string, unknown>) =>
      app.db.updateTable('releases').set(values).where('id', '=', id).execute();
    await set({ title: '+/-', artistName: '!!!' });
    for (const q of ['+/-', '+', '!!!', '!', 'perrot']) expect(await isFound(q), q).toBe(true);
    for (const q of ['∞', '/', '+/- !!!?']) expect(await isFound(q), q).toBe(false);
    await set({ title: 'Sel & poivre', artistName: '∞ ∞' });
    // Beside letters, symbols are ignored in texts and queries.
    for (const q of ['sel & poivre', 'sel poivre', '& poivre - sel', '∞']) expect(await isFound(q), q).toBe(true);
    for (const q of ['&', '+/-', '!']) expect(await isFound(q), q).toBe(false);
    await app.db.insertInto('releases').values({ accountId: account, title: '***', status: 'delivered' }).execute();
    expect(await isFound('**', 'releases/delivered')).toBe(true);

    const track = await buildTrack(app.db, account, { isrc: 'FRWDS2600003' });
    await app.db.updateTable('tracks').set({ title: '🔥 ♥' }).where('id', '=', track.id).execute();
    expect([await isFound('♥', 'library/tracks'), await isFound('♦', 'library/tracks')]).toEqual([true, false]);
    await app.db.insertInto('people').values({ fullName: '†††' }).execute();
    expect(await isFound('†', 'lookup/people')).toBe(true);
  });
});
