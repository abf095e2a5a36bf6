import type { Alias, UnmatchedDetail, UnmatchedItem, UnmatchedSummary } from '@regie/contract/routes/unmatched.ts';
import { unmatchedMessages } from '@regie/contract/unmatched.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { untilBlocked } from '#test/blocked.ts';
import { buildAccount, buildRelease, buildTrack, setRate } from '#test/factories.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };
let account: number;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db);
});

/** Each test starts with an empty list. */
beforeEach(async () => {
  await sql`UPDATE income_items SET alias_track_id = NULL, alias_by = NULL, alias_at = NULL`.execute(app.owner);
  await sql`SELECT match_items(array_agg(key)) FROM income_items`.execute(app.owner);
  await sql`TRUNCATE statement_line_files, statement_sums, statement_months, statement_rollups, unmatched_totals, unmatched_counts`.execute(
    app.owner,
  );
});

const build = (rows: readonly StatementRow[], options?: Parameters<typeof buildStatement>[2]) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, options);
const list = async (query = '') => {
  const { data, meta, ...rest } = await client.get(`/api/reporting/unmatched${query}`);
  if (!meta) throw new Error(JSON.stringify(rest));
  return { items: data as UnmatchedItem[], meta };
};
const summary = async (query = '') =>
  (await client.get(`/api/reporting/unmatched/summary${query}`)).data as UnmatchedSummary;
const aliases = async (query = '') => (await client.get(`/api/reporting/unmatched/aliases${query}`)).data as Alias[];
const assign = (key: string, trackId: number, who: TestClient = client) =>
  who.put(`/api/reporting/unmatched/${key}/track`, { trackId });
const entries = async (action: string, key: string) =>
  (await app.journal(action)).filter((entry) => entry.entityId === key);
/** Income without a track on the month board, USD. */
const waitingUsd = async (statement: number) => {
  const { rows } = await sql<{ amount: string }>`
    SELECT sum(unmatched_amount) AS amount FROM statement_months WHERE statement_id = ${statement}`.execute(app.owner);
  return rows[0]?.amount;
};
let codes = 0;
/** An ISRC that no track has. */
const freshIsrc = () => {
  codes += 1;
  return `FRUNM24${String(codes).padStart(5, '0')}`;
};
const addArtist = async (trackId: number, name: string) => {
  const { id } = await app.db.insertInto('people').values({ fullName: name }).returning('id').executeTakeFirstOrThrow();
  await app.db.insertInto('trackCredits').values({ trackId, personId: id, kind: 'artist', role: 'primary' }).execute();
};
const setBarcode = async (releaseId: number, barcode: string) => {
  await app.db.updateTable('releases').set({ barcode }).where('id', '=', releaseId).execute();
};

describe('the unmatched list', () => {
  it('has one row per item, in euros at the rates of the months it would be posted to', async () => {
    const known = await buildTrack(app.db, account);
    const isrc = freshIsrc();
    const first = await build(
      [
        {
          isrc,
          month: '2024-01',
          amount: '10.824',
          quantity: 7,
          title: 'Égarée',
          artist: 'Ida Roux',
          upc: '3615551234567',
        },
        { isrc, month: '2024-02', amount: '1.0824', store: 'Spotify', quantity: 3 },
        { isrc: known.isrc, month: '2024-01', amount: '500' },
      ],
      { fileName: 'janvier.tsv' },
    );
    // 2025 has its own rate: the accounting month decides.
    const second = await build([{ isrc, month: '2024-01', amount: '-1.13' }], {
      accountingMonth: '2025-03-01',
      fileName: 'mars.tsv',
    });
    const bare = await build([
      { amount: '0.5412', title: 'Sans code', artist: 'Ida Roux', upc: '3615551234567', month: '2024-03' },
    ]);

    const { items, meta } = await list();
    expect(meta).toMatchObject({ total: 2, totalIsExact: true, nextCursor: null });
    expect(items[0]).toMatchObject({
      key: isrc,
      isrc,
      upc: '3615551234567',
      title: 'Égarée',
      artist: 'Ida Roux',
      reason: 'unknown',
      amountEur: 10,
      withoutRate: [],
      quantity: 11,
      statements: 2,
      fromMonth: monthToMs('2024-01'),
      toMonth: monthToMs('2025-03'),
      lastStatements: [
        { id: second, fileName: 'mars.tsv' },
        { id: first, fileName: 'janvier.tsv' },
      ],
      candidates: [],
      isClear: false,
    });
    expect(items[1]).toMatchObject({ isrc: null, reason: 'no_isrc', title: 'Sans code', amountEur: 0.5 });
    expect(items[1]?.key).toMatch(/^~[\w-]{32}$/);
    expect(await summary()).toEqual({
      items: 2,
      amountEur: 10.5,
      withoutRate: [],
      sources: ['DistroKid'],
      missingRate: null,
    });

    const detail = (await client.get(`/api/reporting/unmatched/${isrc}`)).data as UnmatchedDetail;
    expect(detail.files).toEqual([
      {
        id: second,
        fileName: 'mars.tsv',
        source: 'DistroKid',
        month: monthToMs('2025-03'),
        currency: 'USD',
        quantity: 1,
        amount: -1.13,
        amountEur: -1,
      },
      {
        id: first,
        fileName: 'janvier.tsv',
        source: 'DistroKid',
        month: monthToMs('2024-02'),
        currency: 'USD',
        quantity: 3,
        amount: 1.0824,
        amountEur: 1,
      },
      {
        id: first,
        fileName: 'janvier.tsv',
        source: 'DistroKid',
        month: monthToMs('2024-01'),
        currency: 'USD',
        quantity: 7,
        amount: 10.824,
        amountEur: 10,
      },
    ]);
    expect((await client.get(`/api/reporting/unmatched/${items[1]?.key}`)).data).toMatchObject({
      files: [{ id: bare }],
    });
    expect((await client.get(`/api/reporting/unmatched/${known.isrc}`)).status).toBe(404);
    expect((await client.get(`/api/reporting/unmatched/..%2F`)).status).toBe(404);

    // Deleted income belongs to nobody.
    await app.owner
      .updateTable('statements')
      .set({ status: 'removed', endedAt: new Date() })
      .where('id', '=', bare)
      .execute();
    expect((await list()).meta.total).toBe(1);
  });

  it('shows the lines of a file that mention an item', async () => {
    const isrc = freshIsrc();
    const statement = await build([
      { isrc, month: '2024-01', store: 'Deezer', country: 'FR', amount: '1.000000000001', quantity: 3 },
      { isrc: freshIsrc(), month: '2024-01', store: 'Deezer', country: 'FR', amount: '9' },
      { isrc, month: '2024-02', store: 'Deezer', country: 'FR', amount: '2', quantity: 4 },
      { isrc, month: '2024-02', store: 'iTunes', country: 'BE', amount: '-5', quantity: -1 },
    ]);
    const linesOf = (key: string, id: number, who: TestClient = client) =>
      who.get(`/api/reporting/unmatched/${key}/statements/${id}/lines`);
    expect((await linesOf(isrc, statement)).data).toEqual({
      total: 2,
      lines: [
        {
          store: 'iTunes',
          country: 'BE',
          kind: 'download',
          currency: 'USD',
          quantity: -1,
          amount: -5,
          rows: 1,
          firstLines: [5],
          lines: 1,
        },
        {
          store: 'Deezer',
          country: 'FR',
          kind: 'stream',
          currency: 'USD',
          quantity: 7,
          amount: 3.000000000001,
          rows: 2,
          firstLines: [2, 4],
          lines: 2,
        },
      ],
    });
    expect((await linesOf(isrc, statement + 1)).status).toBe(404);
    expect((await linesOf('FRNON2400001', statement)).status).toBe(404);
    expect((await linesOf(isrc, statement, await app.signInWith(['read_tools']))).status).toBe(403);
    await assign(isrc, (await buildTrack(app.db, account)).id);
    expect((await linesOf(isrc, statement)).status).toBe(404);
  });

  it('shows beside a filtered amount the total that an assignment moves', async () => {
    const isrc = freshIsrc();
    await build([
      { isrc, amount: '3', month: '2024-01' },
      { isrc, amount: '9', month: '2024-02' },
    ]);
    const find = async (query: string) => (await list(query)).items.find(({ key }) => key === isrc);
    const whole = await find('');
    expect(whole?.totalEur).toBeNull();
    const filtered = await find(`?month=${monthToMs('2024-02')}`);
    expect(filtered?.totalEur).toBe(whole?.amountEur);
    expect(filtered?.amountEur).toBeCloseTo((whole?.amountEur ?? 0) * 0.75, 5);
    await assign(isrc, (await buildTrack(app.db, account)).id);
  });

  it('can be searched, filtered, sorted and paged', { tags: ['slow'] }, async () => {
    const isrcs = [freshIsrc(), freshIsrc(), freshIsrc()];
    await build([
      { isrc: isrcs[0] ?? '', amount: '3', title: 'Brume', artist: 'Awa', month: '2024-01' },
      { isrc: isrcs[1] ?? '', amount: '9', title: 'Aube', artist: 'Zoé', month: '2024-02' },
      { isrc: isrcs[2] ?? '', amount: '6', title: 'Cendre', artist: 'Awa', month: '2024-02' },
    ]);
    await build([{ amount: '1', title: 'Dérive', upc: '3615550000018', month: '2024-02' }]);
    const titles = async (query: string) => (await list(query)).items.map(({ title }) => title);
    expect(await titles('')).toEqual(['Aube', 'Cendre', 'Brume', 'Dérive']);
    expect(await titles('?sort=title&order=asc')).toEqual(['Aube', 'Brume', 'Cendre', 'Dérive']);
    expect((await titles('?sort=newest'))[0]).toBe('Dérive');
    expect(await titles('?q=awa')).toEqual(['Cendre', 'Brume']);
    expect(await titles('?q=derive')).toEqual(['Dérive']);
    expect(await titles('?q=361555%200000018')).toEqual(['Dérive']);
    expect(await titles(`?q=${isrcs[1]?.replace('FRUNM', 'fr-unm-').toLowerCase()}`)).toEqual(['Aube']);
    expect(await titles('?q=%25')).toEqual([]);
    expect(await titles('?reason=no_isrc')).toEqual(['Dérive']);
    expect(await titles('?source=DistroKid&reason=unknown')).toHaveLength(3);
    expect(await titles('?source=Autre')).toEqual([]);
    expect(await titles(`?month=${monthToMs('2024-01')}`)).toEqual(['Brume']);
    expect(await summary('?reason=unknown')).toMatchObject({ items: 3, withoutRate: [] });
    expect(await summary(`?month=${monthToMs('2024-02')}&q=awa`)).toMatchObject({ items: 1, sources: ['DistroKid'] });
    for (const sort of ['amount', 'title', 'newest']) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await list(`?limit=1&sort=${sort}&order=asc${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.items.map(({ title }) => title));
        expect(page.meta.total).toBe(4);
        cursor = page.meta.nextCursor ?? '';
      } while (cursor);
      expect(seen).toEqual(await titles(`?sort=${sort}&order=asc`));
    }
    expect((await client.get(`/api/reporting/unmatched?reason=autre`)).status).toBe(422);
  });

  it('shows amounts without a rate separately, without estimating them', async () => {
    const isrc = freshIsrc();
    const statement = await build([{ isrc, amount: '2.1648', month: '2024-01' }]);
    await sql`
      INSERT INTO statement_sums (statement_id, month, item, kind, currency, quantity, amount, rows)
      VALUES (${statement}, '2019-12-01', ${isrc}, 'stream', 'XTS', 0, 0, 1),
             (${statement}, '2024-01-01', ${isrc}, 'stream', 'XTS', 4, 12.5, 1),
             (${statement}, '2024-01-01', ${isrc}, 'stream', 'EUR', 4, 3, 1)`.execute(app.owner);
    const { items } = await list();
    expect(items).toMatchObject([{ amountEur: 5, withoutRate: [{ currency: 'XTS', amount: 12.5 }], quantity: 9 }]);
    expect(await summary()).toMatchObject({
      amountEur: 5,
      withoutRate: [{ currency: 'XTS', amount: 12.5 }],
      missingRate: { currency: 'XTS', month: monthToMs('2024-01') },
    });
    const home = (await client.get('/api/home')).data as { unmatched: unknown };
    expect(home.unmatched).toEqual({ items: 1, amountEur: 5, withoutRate: [{ currency: 'XTS', amount: 12.5 }] });
    const track = await buildTrack(app.db, account);
    expect((await assign(isrc, track.id)).data).toMatchObject({
      amountEur: 5,
      withoutRate: [{ currency: 'XTS', amount: 12.5 }],
      statements: 1,
    });
  });
});

describe('the unmatched list of a source or a month', () => {
  const months = ['2023-02', '2023-03'];
  /** Recounts the waiting income under a filter from the sums, highest first. */
  const recount = async (source: string | null, month: string | null) => {
    const { rows } = await sql<{ key: string; eur: number }>`
      SELECT s.item AS key, round(sum(coalesce(s.amount / rate_of(s.currency, coalesce(st.accounting_month, s.month)), 0)), 6)::float AS eur
        FROM statement_sums s JOIN statements st ON st.id = s.statement_id
       WHERE s.track_id IS NULL AND st.status IN ('loaded', 'checked') AND st.source = coalesce(${source}, st.source)
         AND coalesce(st.accounting_month, s.month) = coalesce(${month && `${month}-01`}::date, st.accounting_month, s.month)
       GROUP BY 1 ORDER BY 2 DESC`.execute(app.owner);
    return rows;
  };
  const expectRecounted = async () => {
    for (const source of [null, 'DistroKid', 'Autre']) {
      for (const month of [null, ...months]) {
        const query = new URLSearchParams();
        if (source !== null) query.set('source', source);
        if (month !== null) query.set('month', String(monthToMs(month)));
        const expected = await recount(source, month);
        const { items, meta } = await list(`?${query}`);
        expect(items.map(({ key, amountEur }) => ({ key, eur: amountEur }))).toEqual(expected);
        expect(meta.total).toBe(expected.length);
        const found = await summary(`?${query}`);
        expect(found.items).toBe(expected.length);
        expect(found.amountEur).toBeCloseTo(expected.reduce((sum, { eur }) => sum + eur, 0));
      }
    }
    expect((await verifyLedger(app.owner, app.deps.lines)).filter((line) => line.startsWith('the inbox'))).toEqual([]);
  };

  it('equals the sums after a load, a change of month, a match, a rate change and a deletion', {
    tags: ['slow'],
  }, async () => {
    const [a, b, c] = [freshIsrc(), freshIsrc(), freshIsrc()];
    const first = await build([
      { isrc: a, amount: '5', month: '2023-02' },
      { isrc: b, amount: '3', month: '2023-02' },
      { isrc: a, amount: '2', month: '2023-03' },
      { isrc: c, amount: '9', month: '2023-03' },
    ]);
    const second = await build([
      { isrc: b, amount: '8', month: '2023-02' },
      { isrc: c, amount: '-4', month: '2023-03' },
    ]);
    await expectRecounted();
    const change = (values: Record<string, unknown>, id: number) =>
      app.owner.updateTable('statements').set(values).where('id', '=', id).execute();
    await change({ source: 'Autre' }, second);
    await expectRecounted();
    await change({ accountingMonth: '2023-03-01' }, second);
    await expectRecounted();
    await assign(b, (await buildTrack(app.db, account)).id);
    await expectRecounted();
    await setRate(app.db, 'USD', '2023-03', 2);
    await expectRecounted();
    await client.delete(`/api/reporting/unmatched/${b}/track`);
    await expectRecounted();
    await setRate(app.db, 'USD', '2023-03', 4);
    await expectRecounted();
    await change({ status: 'removed', endedAt: new Date() }, first);
    await expectRecounted();
  });
});

describe('a finished source and month', () => {
  it('is answered with the assignment of its last unmatched line', async () => {
    const { id: trackId } = await buildTrack(app.db, account);
    const [a, b, c] = [freshIsrc(), freshIsrc(), freshIsrc()];
    await build([
      { isrc: a, amount: '5', month: '2023-02' },
      { isrc: b, amount: '3', month: '2023-02' },
      { isrc: b, amount: '2', month: '2023-03' },
    ]);
    await build([{ isrc: c, amount: '8', month: '2023-02' }]);
    const february = { source: 'DistroKid', month: monthToMs('2023-02') };
    expect(await assign(b, trackId)).toMatchObject({
      data: { finished: [{ source: 'DistroKid', month: monthToMs('2023-03') }] },
    });
    // Another statement of the source still has a line of February.
    expect(await assign(a, trackId)).toMatchObject({ data: { finished: [] } });
    const assignments = [{ key: c, trackId }];
    const reply = await client.post(`/api/reporting/unmatched/tracks`, { assignments });
    expect(reply).toMatchObject({ data: { assigned: 1, finished: [february] } });
    expect(await assign(c, trackId)).toMatchObject({ data: { finished: [february] } });
  });
});

describe('candidate tracks', () => {
  const suggested = async (row: Omit<StatementRow, 'amount'>) => {
    await build([{ amount: '1', ...row }]);
    const { items } = await list();
    return items[0];
  };

  it('include the track of the same barcode and title, in any spelling', async () => {
    const release = await buildRelease(app.db, account);
    await setBarcode(release, '03615559990001');
    const track = await buildTrack(app.db, account, { releaseId: release, title: 'Les heures claires' });
    const other = await buildTrack(app.db, account, { releaseId: release, title: 'Tout autre chose' });
    const same = await suggested({
      isrc: freshIsrc(),
      title: 'LES HEURES CLAIRES (feat. Ida Roux)',
      upc: '3615559990001',
    });
    expect(same).toMatchObject({
      isClear: true,
      candidates: [
        {
          trackId: track.id,
          ground: 'barcode_title',
          libraryId: release,
          userId: account,
          isDeleted: false,
          isrc: track.isrc,
        },
      ],
    });
    expect(same?.candidates).toHaveLength(1);
    await sql`TRUNCATE statement_sums, statement_months, unmatched_totals, unmatched_counts`.execute(app.owner);
    const alike = await suggested({ title: 'Les Heures Claires - Radio', upc: '3615559990001' });
    expect(alike?.candidates).toMatchObject([{ trackId: track.id, ground: 'barcode_similar' }]);
    expect(alike?.candidates.map(({ trackId }) => trackId)).not.toContain(other.id);
  });

  it('include the only track of a barcode when the file has no title', async () => {
    const release = await buildRelease(app.db, account);
    await setBarcode(release, '3615559990018');
    const track = await buildTrack(app.db, account, { releaseId: release });
    const found = await suggested({ title: '', upc: '3615559990018' });
    expect(found?.candidates).toMatchObject([{ trackId: track.id, ground: 'barcode_only' }]);
    await buildTrack(app.db, account, { releaseId: release });
    expect((await list()).items[0]?.candidates).toEqual([]);
  });

  it('include tracks of the same artist whose title is equal or differs by a typing error', {
    tags: ['slow'],
  }, async () => {
    const track = await buildTrack(app.db, account, { title: 'Marée haute' });
    await addArtist(track.id, 'Noé Vasseur');
    const same = await suggested({ isrc: freshIsrc(), title: 'Maree Haute', artist: 'Ida Roux feat. noe vasseur' });
    expect(same).toMatchObject({
      isClear: true,
      candidates: [{ trackId: track.id, ground: 'artist_title', artists: 'Noé Vasseur' }],
    });
    await sql`TRUNCATE statement_sums, statement_months, unmatched_totals, unmatched_counts`.execute(app.owner);
    const alike = await suggested({ isrc: freshIsrc(), title: 'Les marées hautes', artist: 'Noé Vasseur' });
    expect(alike?.candidates).toMatchObject([{ trackId: track.id, ground: 'artist_similar' }]);
    await sql`TRUNCATE statement_sums, statement_months, unmatched_totals, unmatched_counts`.execute(app.owner);
    expect(
      (await suggested({ isrc: freshIsrc(), title: 'Marée haute', artist: 'Quelqu’un d’autre' }))?.candidates,
    ).toEqual([]);
    // Too short for a similarity match, but equal titles match.
    const short = await buildTrack(app.db, account, { title: 'Ô' });
    await addArtist(short.id, 'Brève');
    await sql`TRUNCATE statement_sums, statement_months, unmatched_totals, unmatched_counts`.execute(app.owner);
    expect((await suggested({ isrc: freshIsrc(), title: 'Ô', artist: 'Brève' }))?.candidates).toMatchObject([
      { trackId: short.id, ground: 'artist_title' },
    ]);
  });

  it('accept nothing without review when tracks of two accounts are equally likely', async () => {
    const stranger = await buildAccount(app.db);
    const ids = [];
    for (const owner of [account, stranger]) {
      const track = await buildTrack(app.db, owner, { title: 'Carrefour' });
      await addArtist(track.id, 'Deux Maisons');
      ids.push(track.id);
    }
    const found = await suggested({ isrc: freshIsrc(), title: 'Carrefour', artist: 'Deux Maisons' });
    expect(found?.isClear).toBe(false);
    expect(found?.candidates.map(({ trackId }) => trackId)).toEqual(ids);
  });

  it('include the track whose ISRC differs by one typing error, when the titles agree', {
    tags: ['slow'],
  }, async () => {
    const track = await buildTrack(app.db, account, { isrc: 'FRSLP2400123', title: 'Lapsus' });
    const digit = await suggested({ isrc: 'FRSLP2400125', title: 'Lapsus' });
    expect(digit).toMatchObject({ isClear: true, candidates: [{ trackId: track.id, ground: 'isrc_slip' }] });
    await sql`TRUNCATE statement_sums, statement_months, unmatched_totals, unmatched_counts`.execute(app.owner);
    expect((await suggested({ isrc: 'FRSLP2400213', title: 'Lapsus' }))?.candidates).toMatchObject([
      { trackId: track.id },
    ]);
    await sql`TRUNCATE statement_sums, statement_months, unmatched_totals, unmatched_counts`.execute(app.owner);
    expect((await suggested({ isrc: 'FRSLP2400121', title: 'Rien à voir' }))?.candidates).toEqual([]);
  });

  it('show the tracks that share a duplicate ISRC, the one with the same barcode first', async () => {
    const stranger = await buildAccount(app.db);
    const isrc = freshIsrc();
    const mine = await buildTrack(app.db, account, { isrc, title: 'Partagé' });
    const theirs = await buildTrack(app.db, stranger, { isrc, title: 'Partagé' });
    const doubled = await suggested({ isrc, title: 'Partagé' });
    expect(doubled).toMatchObject({ reason: 'doubled', isClear: false });
    expect(doubled?.candidates).toMatchObject([
      { trackId: mine.id, ground: 'isrc', userId: account },
      { trackId: theirs.id, ground: 'isrc', userId: stranger },
    ]);
    await sql`
      UPDATE releases SET barcode = '3615559990025' WHERE id = (SELECT release_id FROM tracks WHERE id = ${theirs.id})`.execute(
      app.owner,
    );
    await sql`UPDATE income_items SET upc = '3615559990025' WHERE key = ${isrc}`.execute(app.owner);
    const settled = (await list()).items[0];
    expect(settled).toMatchObject({
      isClear: true,
      candidates: [{ trackId: theirs.id, ground: 'isrc_barcode' }, { trackId: mine.id }],
    });
    expect((await assign(isrc, theirs.id)).status).toBe(200);
    expect((await list()).items).toEqual([]);
  });
});

describe('assigning a track to an item', () => {
  it('moves waiting income, applies to later files and is journalled', { tags: ['slow'] }, async () => {
    const track = await buildTrack(app.db, account, { title: 'Retrouvée' });
    const isrc = freshIsrc();
    const rows = [{ isrc, amount: '5.412', month: '2024-01' }];
    const first = await build(rows);
    const second = await build([...rows, { isrc: freshIsrc(), amount: '1' }]);
    expect((await assign(isrc, track.id)).data).toEqual({
      amountEur: 10,
      withoutRate: [],
      quantity: 2,
      statements: 2,
      finished: [{ source: 'DistroKid', month: monthToMs('2024-01') }],
    });
    expect(await waitingUsd(first)).toBe('0.000');
    expect(await waitingUsd(second)).toBe('1.000');
    expect((await list()).items.map(({ key }) => key)).not.toContain(isrc);
    expect(await entries('income_item.assign', isrc)).toMatchObject([
      {
        adminId: client.admin.id,
        before: { trackId: null },
        after: { trackId: track.id, title: 'Retrouvée', waitingEur: '10.000000', statements: 2 },
      },
    ]);
    // A later file uses the assignment, even after a track gets this ISRC.
    const third = await build([{ isrc, amount: '7' }]);
    expect(await waitingUsd(third)).toBe('0');
    await buildTrack(app.db, account, { isrc });
    const { trackId } = await app.owner
      .selectFrom('incomeItems')
      .select('trackId')
      .where('key', '=', isrc)
      .executeTakeFirstOrThrow();
    expect(trackId).toBe(track.id);
    // Assigning again changes nothing.
    expect((await assign(isrc, track.id)).status).toBe(200);
    expect(await entries('income_item.assign', isrc)).toHaveLength(1);
  });

  it('remembers an item without an ISRC by its barcode, title and artist', { tags: ['slow'] }, async () => {
    const track = await buildTrack(app.db, account);
    const row = { title: 'Sans nom', artist: 'Personne', upc: '3615550000100', amount: '2' };
    await build([row]);
    const key = (await list()).items[0]?.key ?? '';
    expect((await assign(key, track.id)).status).toBe(200);
    const later = await build([
      { ...row, title: 'SANS NOM', amount: '3' },
      { ...row, artist: 'Autre', amount: '4' },
    ]);
    expect(await waitingUsd(later)).toBe('4');
  });

  it('applies to a statement being loaded at the same time', { tags: ['slow'] }, async () => {
    const track = await buildTrack(app.db, account);
    const row = { title: 'À l’instant', artist: 'Course', upc: '3615550000117', amount: '2' };
    await build([row]);
    const key = (await list()).items[0]?.key ?? '';
    // An uncommitted assignment makes the load wait at its item.
    const held = await app.owner.startTransaction().execute();
    await sql`UPDATE income_items SET alias_track_id = ${track.id}, alias_at = now() WHERE key = ${key}`.execute(held);
    await sql`SELECT match_items(ARRAY[${key}])`.execute(held);
    const loading = build([{ ...row, amount: '3' }]);
    try {
      await untilBlocked(app.owner, 1);
    } finally {
      await held.commit().execute();
    }
    expect(await waitingUsd(await loading)).toBe('0');
  });

  it('refuses an unknown item, an item matched by ISRC and an item assigned to another track', async () => {
    const track = await buildTrack(app.db, account, { title: 'Le bon' });
    const other = await buildTrack(app.db, account, { title: 'L’autre' });
    const isrc = freshIsrc();
    await build([
      { isrc, amount: '1' },
      { isrc: other.isrc, amount: '1' },
    ]);
    expect((await assign('FRNON2499999', track.id)).status).toBe(404);
    expect(await assign(isrc, 999_999_999)).toMatchObject({
      status: 422,
      errors: { trackId: unmatchedMessages.unknownTrack },
    });
    expect((await client.put(`/api/reporting/unmatched/${isrc}/track`, { trackId: 'x' })).status).toBe(422);
    expect(await assign(other.isrc, track.id)).toMatchObject({
      status: 409,
      message: unmatchedMessages.hasTrack('L’autre'),
    });
    expect((await assign(isrc, track.id)).status).toBe(200);
    expect(await assign(isrc, other.id)).toMatchObject({ status: 409, message: unmatchedMessages.hasAlias('Le bon') });
    expect(await entries('income_item.assign', isrc)).toHaveLength(1);
  });

  it('assigns many at once and reports the refused ones', async () => {
    const track = await buildTrack(app.db, account, { title: 'Commun' });
    const other = await buildTrack(app.db, account, { title: 'Connu' });
    const [one, two] = [freshIsrc(), freshIsrc()];
    await build([
      { isrc: one, amount: '1.0824', month: '2024-01' },
      { isrc: two, amount: '2.1648', month: '2024-01' },
      { isrc: other.isrc, amount: '9' },
    ]);
    const reply = await client.post(`/api/reporting/unmatched/tracks`, {
      assignments: [
        { key: one, trackId: track.id },
        { key: two, trackId: other.id },
        { key: one, trackId: other.id },
        { key: other.isrc, trackId: track.id },
        { key: 'FRNON2499998', trackId: track.id },
      ],
    });
    expect(reply).toMatchObject({
      status: 200,
      data: {
        assigned: 2,
        amountEur: 3,
        statements: 1,
        refused: [
          { key: one, reason: unmatchedMessages.twice },
          { key: other.isrc, reason: unmatchedMessages.hasTrack('Connu') },
          { key: 'FRNON2499998', reason: unmatchedMessages.unknownItem },
        ],
      },
    });
    expect(await entries('income_item.assign', one)).toMatchObject([{ after: { waitingEur: '1.000000' } }]);
    expect(await entries('income_item.assign', two)).toMatchObject([{ after: { waitingEur: '2.000000' } }]);
    expect((await client.post(`/api/reporting/unmatched/tracks`, { assignments: [] })).status).toBe(422);
  });

  it('is listed with the income it moved, and can be undone except for posted income', { tags: ['slow'] }, async () => {
    const track = await buildTrack(app.db, account, { title: 'Repentir' });
    const isrc = freshIsrc();
    const first = await build([{ isrc, amount: '10.824', month: '2024-01', title: 'Vu ailleurs' }], {
      isChecked: true,
    });
    expect((await assign(isrc, track.id)).status).toBe(200);
    const posted = await postMonthAsShown(client, { fromDate: monthToMs('2024-01') });
    expect(posted).toMatchObject({ status: 200, data: { reports: 1, grossEur: 10 } });
    const second = await build([{ isrc, amount: '2.1648', month: '2024-01' }]);
    expect(await aliases()).toMatchObject([
      {
        key: isrc,
        title: 'Vu ailleurs',
        track: { trackId: track.id, trackTitle: 'Repentir', userId: account },
        assignedBy: expect.stringMatching(/^Camille Essai/),
        waiting: { amountEur: 2, statements: 1 },
        posted: { amountEur: 10, statements: 1 },
      },
    ]);
    expect(await aliases('?q=repentir')).toHaveLength(1);
    expect(await aliases('?q=ailleurs')).toHaveLength(1);
    expect(await aliases('?q=absent&sort=title')).toEqual([]);

    expect(await client.delete(`/api/reporting/unmatched/${isrc}/track`)).toMatchObject({
      status: 200,
      message: unmatchedMessages.unassigned,
      data: { waiting: { amountEur: 2, statements: 1 }, posted: { amountEur: 10, statements: 1 } },
    });
    expect(await waitingUsd(first)).toBe('0.000');
    expect(await waitingUsd(second)).toBe('2.1648');
    expect(await aliases()).toEqual([]);
    expect((await list()).items).toMatchObject([{ key: isrc, amountEur: 2 }]);
    expect(await entries('income_item.unassign', isrc)).toMatchObject([
      {
        adminId: client.admin.id,
        before: { trackId: track.id, title: 'Repentir', waitingEur: '2.000000' },
        after: { trackId: null },
      },
    ]);
    expect(await client.delete(`/api/reporting/unmatched/${isrc}/track`)).toMatchObject({
      status: 409,
      message: unmatchedMessages.hasNoAlias,
    });
    expect((await client.delete(`/api/reporting/unmatched/FRNON2499999/track`)).status).toBe(404);
    // Reversed, the posted income waits like the rest.
    const { importId } = posted.data as { importId: number };
    expect((await client.post(`/api/imports/${importId}/reverse`, {})).status).toBe(200);
    expect((await list()).items).toMatchObject([{ key: isrc, amountEur: 12, statements: 2 }]);
  });

  it('needs edit_reports, and read_reports to be listed', async () => {
    const reader = await app.signInWith(['read_reports']);
    const stranger = await app.signInWith(['read_tools']);
    const track = await buildTrack(app.db, account);
    const isrc = freshIsrc();
    await build([{ isrc, amount: '1' }]);
    for (const path of ['', '/summary', '/aliases', `/${isrc}`]) {
      expect((await reader.get(`/api/reporting/unmatched${path}`)).status).toBe(200);
      expect((await stranger.get(`/api/reporting/unmatched${path}`)).status).toBe(403);
    }
    expect((await assign(isrc, track.id, reader)).status).toBe(403);
    expect(
      (await reader.post(`/api/reporting/unmatched/tracks`, { assignments: [{ key: isrc, trackId: track.id }] }))
        .status,
    ).toBe(403);
    expect((await reader.delete(`/api/reporting/unmatched/${isrc}/track`)).status).toBe(403);
    expect((await list()).items).toHaveLength(1);
  });
});
