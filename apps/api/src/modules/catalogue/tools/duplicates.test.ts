import type { DuplicateTitle, ToolLibrary, ToolTrack } from '@regie/contract/routes/tools.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
let account: number;

beforeAll(async () => {
  client = await app.signInWith(['read_tools']);
  account = await buildAccount(app.db);
});

type Kind = 'isrc' | 'barcode' | 'tracks' | 'libraries';
type Grouped = { group: string; size: number; match?: string };
const lists = async (path: string) => {
  const { data, meta, status } = await client.get(`/api/tools/${path}`);
  expect(status).toBe(200);
  return { ...(data as Partial<Record<Kind, (ToolTrack & ToolLibrary & Grouped)[]>>), meta };
};
const codes = (query = '') => lists(`isrc-redundancy?${query}`);
/** Similar titles across artists and accounts. */
const titles = (query = '') => lists(`naming-redundancy?artist=any&account=any&${query}`);
const track = (title: string, isrc: string | null = null, releaseId?: number) =>
  buildTrack(app.db, account, { title, isrc, ...(releaseId === undefined ? {} : { releaseId }) });
const release = async (title: string, values: { barcode?: string; artistName?: string } = {}) => {
  const id = await buildRelease(app.db, account);
  await app.db
    .updateTable('releases')
    .set({ title, ...values })
    .where('id', '=', id)
    .execute();
  return id;
};
const credit = (trackId: number, personId: number, position = 0) =>
  app.db
    .insertInto('trackCredits')
    .values({ trackId, personId, kind: 'artist', role: 'Primary Artist', position })
    .execute();
const uncredit = (trackId: number, personId: number) =>
  app.db.deleteFrom('trackCredits').where('trackId', '=', trackId).where('personId', '=', personId).execute();
const person = async (fullName: string) =>
  (await app.db.insertInto('people').values({ fullName }).returning('id').executeTakeFirstOrThrow()).id;

/** The rows kept by triggers equal a full recount. */
const expectExact = async () => {
  const read = async () =>
    (await sql`SELECT scope, key, is_similar, size FROM duplicate_groups ORDER BY scope, key`.execute(app.owner)).rows;
  const kept = await read();
  await app.owner.transaction().execute(async (trx) => {
    await sql`DELETE FROM duplicate_groups`.execute(trx);
    await sql`DELETE FROM title_keys`.execute(trx);
    await sql`SELECT fill_duplicates()`.execute(trx);
  });
  expect(await read()).toEqual(kept);
};

it('a title’s key is looked up by itself while the statistics are those of an empty table', async () => {
  const undo = new Error('undone');
  const filling = app.owner.transaction().execute(async (trx) => {
    await sql`DELETE FROM title_keys`.execute(trx);
    await sql`
      INSERT INTO title_keys (scope, key, record_id, exact)
      SELECT 'libraries', 'clé ' || n, n, 'clé' FROM generate_series(1, 2000) n`.execute(trx);
    // From another connection, as autovacuum does.
    await sql`ANALYZE title_keys`.execute(app.owner);
    for (const scan of ['seqscan', 'bitmapscan']) await sql`SET LOCAL ${sql.raw(`enable_${scan}`)} = off`.execute(trx);
    const { rows } = await sql`
      EXPLAIN SELECT count(*) FROM title_keys t WHERE t.scope = 'libraries' AND t.key = 'clé 1'`.execute(trx);
    expect(JSON.stringify(rows)).toContain('title_keys_pkey');
    throw undo;
  });
  await expect(filling).rejects.toBe(undo);
});

describe('shared codes', () => {
  it('groups tracks by ISRC, follows every change, and pages through groups', async () => {
    const one = await track('Un', 'FRDBL2600001');
    const two = await track('Deux', 'FRDBL2600001');
    const three = await track('Trois', 'FRDBL2600001');
    const four = await track('Quatre', 'FRDBL2600002');
    const five = await track('Cinq', 'FRDBL2600002');
    await track('Seul', 'FRDBL2600003');
    const all = await codes('kind=isrc');
    expect(all.isrc?.map(({ trackId, isrc, size, group }) => [trackId, isrc, size, group])).toEqual([
      ...[one, two, three].map(({ id }) => [id, 'FRDBL2600001', 3, 'FRDBL2600001']),
      ...[four, five].map(({ id }) => [id, 'FRDBL2600002', 2, 'FRDBL2600002']),
    ]);
    expect(all.meta).toMatchObject({ total: 5, totalIsExact: true, nextCursor: null });
    expect(all.barcode).toEqual([]);

    for (const query of [
      'sort=code&order=asc',
      'sort=code&order=desc',
      'sort=size&order=desc',
      'sort=size&order=asc',
    ]) {
      const whole = (await codes(`kind=isrc&${query}`)).isrc ?? [];
      const paged: number[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await codes(`kind=isrc&limit=2&${query}${cursor ? `&cursor=${cursor}` : ''}`);
        paged.push(...(page.isrc ?? []).map(({ trackId }) => trackId));
        cursor = page.meta?.nextCursor;
      } while (cursor);
      expect(paged).toEqual(whole.map(({ trackId }) => trackId));
      expect(paged).toHaveLength(5);
    }
    expect((await codes('kind=isrc&sort=size&order=desc')).isrc?.[0]?.size).toBe(3);
    expect((await codes('kind=isrc&q=quatre')).isrc).toHaveLength(2);
    expect((await codes('kind=isrc&q=diallo')).isrc).toHaveLength(5);
    expect((await codes('kind=isrc&q=fr-dbl-26-00001')).isrc).toHaveLength(3);

    await app.db.updateTable('tracks').set({ isrc: 'FRDBL2600003' }).where('id', '=', five.id).execute();
    await app.db.updateTable('tracks').set({ deletedAt: new Date() }).where('id', '=', three.id).execute();
    const after = (await codes('kind=isrc')).isrc ?? [];
    expect(after.map(({ isrc, size }) => [isrc, size])).toEqual([
      ['FRDBL2600001', 2],
      ['FRDBL2600001', 2],
      ['FRDBL2600003', 2],
      ['FRDBL2600003', 2],
    ]);
    await app.db.updateTable('tracks').set({ isrc: null }).where('isrc', 'like', 'FRDBL%').execute();
    expect((await codes()).isrc).toEqual([]);
    await expectExact();
  });

  it('groups releases by barcode without leading zeros', async () => {
    const [one, two] = [
      await release('A', { barcode: '036000291452' }),
      await release('B', { barcode: '0036000291452' }),
    ];
    await release('C', { barcode: '4006381333931' });
    const found = await codes('kind=barcode');
    expect(found.barcode?.map(({ id, barcode, size }) => [id, barcode, size])).toEqual([
      [one, '036000291452', 2],
      [two, '0036000291452', 2],
    ]);
    expect(found.meta?.total).toBe(2);
    await app.db.updateTable('releases').set({ barcode: null }).where('id', '=', two).execute();
    expect((await codes('kind=barcode')).barcode).toEqual([]);
    await expectExact();
  });
});

describe('similar titles', () => {
  it('ignores case, accents, punctuation and featured artists', async () => {
    const alike = [
      'Été à Rome',
      'ETE A ROME !',
      'Été à Rome (feat. Ida Roux)',
      'été-à-rome ft. Zoé',
      'Eté à Rome featuring Max [live]',
    ];
    for (const title of alike) await track(title);
    const { tracks = [], meta } = await titles('kind=tracks&q=été à rome');
    // Another version is another title.
    expect(tracks.map(({ trackTitle }) => trackTitle)).toEqual(alike.slice(0, 4));
    expect(tracks.every(({ match, size }) => match === 'same' && size === 4)).toBe(true);
    expect(meta?.total).toBe(4);
    await track('Été à Rome (Live)');
    expect((await titles('kind=tracks&q=romelive')).meta?.total).toBe(2);
    expect((await titles('kind=tracks&q=awa diallo')).meta?.total).toBe((await titles('kind=tracks')).meta?.total);
    expect((await titles('kind=tracks&q=live rome')).meta?.total).toBe(2);
    expect((await titles('kind=tracks&q=rome absent')).meta?.total).toBe(0);
    const [first, second] = [await release('Grand Départ'), await release('GRAND DEPART')];
    expect((await titles('kind=libraries')).libraries).toMatchObject([
      { id: first, match: 'same', size: 2 },
      { id: second, match: 'same', size: 2 },
    ]);
    await app.db.updateTable('releases').set({ title: 'Autre départ' }).where('id', '=', second).execute();
    expect((await titles('kind=libraries&match=same')).libraries).toEqual([]);
    await expectExact();
  });

  it('finds titles of one artist that differ by a typing error, not those of two artists', async () => {
    const [ida, max] = [await person('Ida Roux'), await person('Max Alba')];
    const right = await track('Nuit blanche');
    const slip = await track('La nuit blnache');
    const other = await track('Nuits blanches');
    const parts = [await track('Chanson, partie II'), await track('Chanson, partie III')];
    const short = [await track('Lune'), await track('Laine')];
    await credit(right.id, ida);
    await credit(slip.id, ida);
    await credit(other.id, max);
    for (const { id } of [...parts, ...short]) await credit(id, ida);
    const similar = async () =>
      ((await titles('kind=tracks&match=similar')).tracks ?? []).map(({ trackId, match }) => [trackId, match]);
    expect(await similar()).toEqual([
      [right.id, 'similar'],
      [slip.id, 'similar'],
    ]);
    expect((await titles('kind=tracks&match=similar&q=blnache')).tracks).toHaveLength(2);
    await expectExact();
    // With the error corrected, they are equal: another group.
    await app.db.updateTable('tracks').set({ title: 'Nuit blanche' }).where('id', '=', slip.id).execute();
    expect(await similar()).toEqual([]);
    expect((await titles('kind=tracks&match=same&q=nuit blanche')).tracks).toHaveLength(2);
    await app.db.updateTable('tracks').set({ title: 'Nuit blanhce' }).where('id', '=', slip.id).execute();
    expect(await similar()).toHaveLength(2);
    await app.db.deleteFrom('trackCredits').where('trackId', '=', slip.id).execute();
    expect(await similar()).toEqual([]);
    await credit(slip.id, ida);
    await uncredit(other.id, max);
    await credit(other.id, ida);
    expect(await similar()).toHaveLength(3);
    await expectExact();

    await release('Les grands départs', { artistName: 'Ida Roux' });
    await release('Grand départ', { artistName: 'IDA ROUX' });
    await release('Grand départ', { artistName: 'Max Alba' });
    expect((await titles('kind=libraries&match=similar')).libraries?.map(({ title }) => title)).toEqual([
      'Les grands départs',
      'Grand départ',
    ]);
    await expectExact();
  });

  it('counts a thousand titles at once, and the nightly job recounts them', { tags: ['slow'] }, async () => {
    const album = await buildRelease(app.db, account);
    await sql`
      INSERT INTO tracks (release_id, account_id, position, title, isrc)
      SELECT ${album}, ${account}, n, 'Masse ' || (n % 500), 'FRMAS' || lpad(n::text, 7, '0')
        FROM generate_series(1, 1000) n`.execute(app.db);
    expect((await titles('kind=tracks&q=masse')).meta?.total).toBe(1000);
    await expectExact();
    await sql`UPDATE duplicate_groups SET size = 9 WHERE key = 'masse7'`.execute(app.owner);
    await sql`DELETE FROM duplicate_groups WHERE key = 'masse8'`.execute(app.owner);
    await sql`SELECT graphile_worker.add_job('recount_duplicates')`.execute(app.owner);
    await app.runJobs();
    const { rows } = await sql<{ size: number }>`
      SELECT size FROM duplicate_groups WHERE key IN ('masse7', 'masse8')`.execute(app.owner);
    expect(rows).toEqual([{ size: 2 }, { size: 2 }]);
    await expectExact();
    await app.owner.updateTable('tracks').set({ deletedAt: new Date() }).where('releaseId', '=', album).execute();
    expect((await titles('kind=tracks&q=masse')).meta?.total).toBe(0);
    await expectExact();
  });

  it('are of one artist and one account by default', async () => {
    const [awa, lou] = [await person('Awa Kone'), await person('Lou Kone')];
    const elsewhere = await buildAccount(app.db);
    const make = async (artist: number, of = account) => {
      const { id } = await buildTrack(app.db, of, { title: 'Sel et sable', isrc: null });
      await credit(id, artist);
      return id;
    };
    const one = await make(awa);
    const two = await make(awa);
    const abroad = await make(awa, elsewhere);
    const other = await make(lou);
    const stranger = await make(lou, elsewhere);
    const found = async (query: string) => {
      const { tracks = [], meta } = await lists(`naming-redundancy?kind=tracks&q=sel et sable&${query}`);
      expect(meta?.total).toBe(tracks.length);
      const groups = new Map<string, number[]>();
      for (const { group, trackId, size } of tracks) {
        groups.set(group, [...(groups.get(group) ?? []), trackId]);
        expect(size).toBe(tracks.filter((row) => row.group === group).length);
      }
      return [...groups.values()].toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
    };
    expect(await found('')).toEqual([[one, two]]);
    expect(await found('account=any')).toEqual([
      [one, two, abroad],
      [other, stranger],
    ]);
    expect(await found('artist=any')).toEqual([
      [one, two, other],
      [abroad, stranger],
    ]);
    expect(await found('artist=any&account=any')).toEqual([[one, two, abroad, other, stranger]]);
    await expectExact();

    // Ownership can change: the account with its release, the artist with credits and their order.
    await sql`UPDATE releases SET account_id = ${account} WHERE id = (SELECT release_id FROM tracks WHERE id = ${abroad})`.execute(
      app.db,
    );
    expect(await found('')).toEqual([[one, two, abroad]]);
    await credit(other, awa, 1);
    expect(await found('')).toEqual([[one, two, abroad]]);
    await uncredit(other, lou);
    await credit(other, lou, 2);
    expect(await found('')).toEqual([[one, two, abroad, other]]);
    await expectExact();

    const single = async (artistName: string, of: number) => {
      const id = await release('Sel et sable', { artistName });
      await app.db.updateTable('releases').set({ accountId: of }).where('id', '=', id).execute();
      return id;
    };
    const [first, second] = [await single('Awa Kone', account), await single('AWA KONÉ', account)];
    await single('Awa Kone', elsewhere);
    await single('Lou Kone', account);
    const { libraries } = await lists('naming-redundancy?kind=libraries&q=sel et sable');
    expect(libraries?.map(({ id }) => id)).toEqual([first, second]);
    await expectExact();
  });

  it('show advice based on their differences, and which record to keep', async () => {
    const artist = await person('Ida Conseil');
    const unused = ['Aurore', 'Brouillard', 'Caravane', 'Dimanche', 'Estuaire', 'Falaise'];
    const group = async (members: { isrc: string | null; releaseId?: number; of?: number }[]) => {
      const title = unused.pop() ?? '';
      const ids: number[] = [];
      for (const { of = account, ...values } of members) {
        const { id } = await buildTrack(app.db, of, { title, ...values });
        await credit(id, artist);
        ids.push(id);
      }
      return { title, ids };
    };
    const reader = await app.signInWith(['read_tools', 'read_reports', 'edit_reports']);
    const advised = async (title: string, by: TestClient = reader) => {
      const reply = await by.get(`/api/tools/naming-redundancy?kind=tracks&account=any&q=${title}`);
      return (reply.data as { tracks: (ToolTrack & DuplicateTitle)[] }).tracks;
    };
    const expectAdvice = async (title: string, advice: string, kept: number | undefined) => {
      const rows = await advised(title);
      expect(rows.map((row) => row.advice)).toEqual(rows.map(() => advice));
      expect(rows.find(({ isKept }) => isKept)?.trackId).toBe(kept);
    };
    const album = await buildRelease(app.db, account);
    const elsewhere = await buildAccount(app.db);

    const twice = await group([{ isrc: 'FRCNS2600001' }, { isrc: 'FRCNS2600001' }]);
    await expectAdvice(twice.title, 'codeTwice', twice.ids[0]);
    const others = await group([{ isrc: 'FRCNS2600002' }, { isrc: 'FRCNS2600002', of: elsewhere }]);
    await expectAdvice(others.title, 'codeOfOthers', undefined);
    const sameRelease = await group([
      { isrc: 'FRCNS2600003', releaseId: album },
      { isrc: 'FRCNS2600004', releaseId: album },
    ]);
    await expectAdvice(sameRelease.title, 'releaseTwice', sameRelease.ids[0]);
    const missing = await group([{ isrc: null }, { isrc: 'FRCNS2600005' }]);
    await expectAdvice(missing.title, 'codeMissing', missing.ids[1]);
    await expectAdvice((await group([{ isrc: null }, { isrc: null }])).title, 'noCode', undefined);
    const differ = await group([{ isrc: 'FRCNS2600006' }, { isrc: 'FRCNS2600007' }]);
    await expectAdvice(differ.title, 'codesDiffer', undefined);

    const crowd = await buildRelease(app.db, account);
    await sql`
      INSERT INTO tracks (release_id, account_id, position, title)
      SELECT ${crowd}, ${account}, n, 'Intro' FROM generate_series(1, 101) n`.execute(app.db);
    const { tracks: intros = [] } = await titles('kind=tracks&q=intro');
    expect(intros.length).toBeGreaterThan(0);
    for (const row of intros) expect(row).toMatchObject({ advice: 'tooMany' });

    // Records with income are kept; callers who cannot read reports see neither the sum nor the advice based on it.
    const rates = { month: Date.UTC(2025, 2, 1), currency: 'USD', rate: 1.1 };
    const rateSetter = await app.signInWith(['manage_settings']);
    expect((await rateSetter.put('/api/exchange-rates', rates)).status).toBe(200);
    const report = await reader.post('/api/reporting/create', {
      ...{
        trackId: twice.ids[1],
        userId: account,
        fromDate: Date.UTC(2025, 2, 1),
        numOfStreams: 10,
        incomeOfStreams: 11,
      },
      ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
    });
    expect(report).toMatchObject({ status: 200 });
    await expectAdvice(twice.title, 'codeTwice', twice.ids[1]);
    expect((await advised(twice.title)).map(({ incomeEur }) => incomeEur)).toEqual([0, 8]);
    const unread = await advised(twice.title, client);
    expect(unread.map(({ incomeEur }) => incomeEur)).toEqual([null, null]);
    expect(unread.find(({ isKept }) => isKept)?.trackId).toBe(twice.ids[0]);
  });

  it('need read_tools', async () => {
    const editor = await app.signInWith(['edit_reports']);
    expect((await editor.get('/api/tools/isrc-redundancy')).status).toBe(403);
    expect((await editor.get('/api/tools/naming-redundancy')).status).toBe(403);
  });
});
