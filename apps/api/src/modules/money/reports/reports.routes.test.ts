import { messages } from '@regie/contract/messages.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { monthToMs } from '@regie/values/month.ts';
import { describe, expect, it } from 'vitest';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { useApp } from '#test/app.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { reasons } from './report-rows.rules.ts';

const app = useApp();

interface Saved {
  saved: number;
  importId: number;
}
const month = monthToMs('2025-03');
const importUrl = (more = '') => `/api/reporting/csv?date=${month}${more}`;

describe('a report entered by hand', () => {
  it('is added for a track or a video platform, shown and deleted, and each step is journalled', async () => {
    const client = await app.signInWith(['read_reports', 'edit_reports']);
    const account = await buildAccount(app.db);
    const track = await buildTrack(app.db, account);
    const form = {
      ...{ trackId: track.id, userId: account, fromDate: month, numOfStreams: 12, incomeOfStreams: 11.3 },
      ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
    };
    const { id } = (await client.post('/api/reporting/create', form)).data as { id: number };
    // 113 USD are 100 EUR in 2025; the account gets 80%.
    expect((await client.get(`/api/reporting/${id}`)).data).toMatchObject({
      ...{ type: 'platform', fromDate: month, numOfStreams: 12, totalIncome: 11.3, accountEur: 8 },
      ...{ Track: { id: track.id }, Account: { id: account } },
    });
    const video = await client.post('/api/reporting/youtube/create', {
      ...{ userId: account, fromDate: month, incomeOfYoutube: 113 },
    });
    const { id: videoId } = video.data as { id: number };
    expect((await client.get(`/api/reporting/${videoId}`)).data).toMatchObject({ type: 'youtube', accountEur: 70 });
    expect((await client.get('/api/reporting/all?type=youtube')).data).toMatchObject([{ id: videoId, Track: null }]);

    const other = await buildAccount(app.db);
    const disagreeing = await client.post('/api/reporting/create', { ...form, userId: other });
    expect(disagreeing).toMatchObject({ status: 422, code: 'validation_failed' });
    expect((await client.post('/api/reporting/create', { ...form, numOfStreams: undefined })).status).toBe(422);
    expect((await client.post('/api/reporting/youtube/create', { userId: account, fromDate: 1 })).status).toBe(422);

    expect((await client.delete(`/api/reporting/delete/${id}`)).data).toEqual({ deleted: 1, amountEur: 8 });
    expect((await client.get(`/api/reporting/${id}`)).status).toBe(404);
    expect((await app.journal('report.create')).map(({ entityId }) => entityId)).toEqual([String(id), String(videoId)]);
    expect((await app.journal('report.delete')).map(({ entityId }) => entityId)).toEqual([String(id)]);

    const reader = await app.signInWith(['read_reports']);
    expect((await reader.post('/api/reporting/create', form)).status).toBe(403);
    expect((await reader.delete(`/api/reporting/delete/${videoId}`)).status).toBe(403);
    await client.delete(`/api/reporting/delete/${videoId}`);
  });
});

it('refuses a report whose figures are all zero, by hand and in a file', async () => {
  const client = await app.signInWith(['edit_reports']);
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account);
  const figures = {
    ...{ numOfStreams: 0, incomeOfStreams: 0, numOfDownloads: 0, incomeOfDownloads: 0 },
    ...{ numOfYoutube: 0, incomeOfYoutube: 4e-11 },
  };
  const whose = { trackId: track.id, userId: account, fromDate: month };
  expect(await client.post('/api/reporting/create', { ...whose, ...figures })).toMatchObject({
    status: 422,
    errors: { numOfStreams: messages.zeroReport },
  });
  const video = { userId: account, fromDate: month, incomeOfYoutube: 0 };
  expect(await client.post('/api/reporting/youtube/create', video)).toMatchObject({
    status: 422,
    errors: { incomeOfYoutube: messages.zeroReport },
  });
  expect((await client.post(importUrl(), [{ isrc: track.isrc, ...figures }])).data).toMatchObject({
    saved: 0,
    unsaved: [{ row: 1, isrc: track.isrc, reason: messages.zeroRow }],
  });
  // Numbers without income are a report.
  const { saved, importId } = (await client.post(importUrl(), [{ isrc: track.isrc, numOfStreams: 3 }])).data as Saved;
  expect(saved).toBe(1);
  await client.post(`/api/imports/${importId}/reverse`);
});

it('reads the keys of rows as column names, and names the unknown ones', async () => {
  const client = await app.signInWith(['edit_reports', 'read_reports']);
  const track = await buildTrack(app.db, await buildAccount(app.db));
  const reply = await client.post(importUrl(), [
    { isrc: track.isrc, 'Revenus des écoutes': 12.5, magasin: 'Deezer', 'pays\0': 'FR' },
    { isrc: track.isrc, revenue: 3 },
  ]);
  const warning = messages.columnsIgnored(['magasin', 'pays ', 'revenue']);
  expect(reply).toMatchObject({
    status: 200,
    data: { saved: 1, grossUsd: 12.5, unsaved: [{ row: 2, reason: reasons.noFigure }] },
    meta: { warnings: [warning] },
  });
  const { importId } = reply.data as Saved;
  const [entry] = (await app.journal('import.batch')).filter(({ entityId }) => entityId === String(importId));
  expect(entry?.after).toMatchObject({ warnings: [warning] });
  await client.post(`/api/imports/${importId}/reverse`);
});

it('warns when a report is posted to a future month', async () => {
  const client = await app.signInWith(['edit_reports', 'read_reports']);
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account);
  const fromDate = monthToMs('2099-06');
  const csv = (more: string) => `/api/reporting/csv?date=${fromDate}${more}`;
  const warning = statementMessages.unconfirmedRates(['1,13\u00a0USD en juin 2099']);
  const warns = { status: 200, message: expect.stringContaining(warning), meta: { warnings: [warning] } };
  const form = {
    ...{ trackId: track.id, userId: account, fromDate, numOfStreams: 12, incomeOfStreams: 11.3 },
    ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
  };
  expect(await client.post('/api/reporting/create', form)).toMatchObject(warns);
  const video = { userId: account, fromDate, incomeOfYoutube: 113 };
  expect(await client.post('/api/reporting/youtube/create', video)).toMatchObject(warns);
  expect((await app.journal('report.create')).slice(-2).map(({ after }) => after)).toMatchObject([
    { warnings: [warning] },
    { warnings: [warning] },
  ]);

  const rows = [{ isrc: track.isrc, incomeOfStreams: 2 }];
  expect(await client.post(csv(''), rows)).toMatchObject(warns);
  expect((await app.journal('import.batch')).at(-1)?.after).toMatchObject({ warnings: [warning] });
  // A file of several batches is posted with its last one.
  expect((await client.post(csv('&import=future&batch=0&batches=2'), [{ ...rows[0], numOfYoutube: 3 }])).meta).toBe(
    undefined,
  );
  expect(await client.post(csv('&import=future&batch=1&batches=2'), [{ ...rows[0], numOfYoutube: 4 }])).toMatchObject(
    warns,
  );
  expect((await app.journal('import.post')).at(-1)?.after).toMatchObject({ warnings: [warning] });
  for (const type of ['platform', 'youtube'])
    await client.delete(`/api/reporting/deleteByMonth?date=${fromDate}&type=${type}`);
});

it('answers a repeated batch with a message', async () => {
  const client = await app.signInWith(['edit_reports', 'read_reports']);
  const track = await buildTrack(app.db, await buildAccount(app.db));
  const send = () => client.post(importUrl('&import=again'), [{ isrc: track.isrc, numOfStreams: 8 }]);
  expect(await send()).toMatchObject({ status: 200, message: '' });
  expect(await send()).toMatchObject({
    ...{ status: 200, message: messages.batchCounted },
    data: { alreadyCounted: true },
  });
  await client.delete(`/api/reporting/deleteByMonth?date=${month}`);
});

it('shows before a reversal the accounts whose balance it makes negative', async () => {
  const client = await app.signInWith(['read_reports', 'edit_reports']);
  const [paid, kept] = [await buildAccount(app.db), await buildAccount(app.db)];
  const tracks = [await buildTrack(app.db, paid), await buildTrack(app.db, kept)];
  const { importId } = (
    await client.post(
      importUrl(),
      tracks.map(({ isrc }) => ({ isrc, incomeOfStreams: 113 })),
    )
  ).data as {
    importId: number;
  };
  const preview = async () => (await client.get(`/api/imports/${importId}/reversal`)).data;
  expect(await preview()).toEqual({ negative: 0, negativeEur: 0 });
  const adminId = client.admin.id;
  await app.db
    .transaction()
    .execute((trx) => postAdjustment(trx, { accountId: paid, amountEur: '-50', adminId, reason: 'Versé' }));
  expect(await preview()).toEqual({ negative: 1, negativeEur: 50 });
  await client.post(`/api/imports/${importId}/reverse`);
});

describe('the reports list', () => {
  it('shows counts too large for an exact JSON number', async () => {
    const client = await app.signInWith();
    const track = await buildTrack(app.db, await buildAccount(app.db));
    const rows = Array.from({ length: 20 }, () => ({ isrc: track.isrc, numOfStreams: '999999999999999' }));
    expect((await client.post(importUrl(), rows)).status).toBe(200);
    const list = await client.get('/api/reporting/all?limit=500');
    expect(list.status).toBe(200);
    expect(list.data).toEqual([expect.objectContaining({ trackId: track.id, numOfStreams: 19_999_999_999_999_980 })]);
    const [report] = list.data as { id: number }[];
    expect((await client.get(`/api/reporting/${report?.id}`)).status).toBe(200);
    expect((await client.delete(`/api/reporting/delete/${report?.id}`)).data).toEqual({ deleted: 1, amountEur: 0 });
  });

  it('adds up the live reports of the filter', async () => {
    const client = await app.signInWith();
    const [one, two] = [await buildAccount(app.db), await buildAccount(app.db)];
    const tracks = [await buildTrack(app.db, one), await buildTrack(app.db, one), await buildTrack(app.db, two)];
    const rows = tracks.map(({ isrc }, at) => ({ isrc, numOfStreams: '1', incomeOfStreams: `${at + 1}.25` }));
    expect((await client.post(importUrl(), rows)).status).toBe(200);
    type Row = { id: number; totalIncome: number };
    const read = async (query: string) => {
      const { data, meta } = await client.get(`/api/reporting/all?limit=1&${query}`);
      const whole = (await client.get(`/api/reporting/all?limit=500&${query}`)).data as Row[];
      expect(meta).toMatchObject({ total: whole.length });
      expect(meta?.sums).toEqual([
        { currency: 'USD', amount: whole.reduce((sum, report) => sum + report.totalIncome, 0) },
      ]);
      return { first: (data as Row[])[0], sum: meta?.sums?.[0]?.amount };
    };
    expect((await read(`userId=${one}`)).sum).toBe(3.5);
    const { first } = await read(`userId=${two}`);
    await read('');
    await read('type=platform');
    const imported = (await client.get('/api/imports?limit=1')).data as { id: number }[];
    expect((await read(`import=${imported[0]?.id}`)).sum).toBe(6.75);
    await client.delete(`/api/reporting/delete/${first?.id}`);
    expect((await read(`import=${imported[0]?.id}`)).sum).toBe(3.5);
    expect((await client.get(`/api/reporting/all?userId=${two}`)).meta).toMatchObject({
      ...{ total: 0, sums: [{ currency: 'USD', amount: 0 }] },
    });
  });

  it('counts more than 10 000 reports exactly from the counts of imports', async () => {
    const client = await app.signInWith();
    const track = await buildTrack(app.db, await buildAccount(app.db));
    const first = await client.post(importUrl(), [{ isrc: track.isrc, incomeOfStreams: '1' }]);
    const { importId } = first.data as { importId: number };
    await app.db
      .updateTable('imports')
      .set(({ eb }) => ({ reports: eb('reports', '+', 12_345) }))
      .where('id', '=', importId)
      .execute();
    expect((await client.get(`/api/reporting/all?import=${importId}`)).meta).toMatchObject({
      ...{ total: 12_346, totalIsExact: true },
    });
  });

  it('refuses a sum that exceeds its column as unreadable and stores nothing', async () => {
    const client = await app.signInWith();
    const track = await buildTrack(app.db, await buildAccount(app.db));
    const rows = Array.from({ length: 5000 }, () => ({ isrc: track.isrc, numOfStreams: '999999999999999' }));
    expect((await client.post(importUrl('&import=huge&batch=0'), rows)).status).toBe(200);
    expect((await client.post(importUrl('&import=huge&batch=1'), rows)).code).toBe('invalid_data');
    const imports = await client.get('/api/imports?limit=1');
    expect(imports.data).toEqual([expect.objectContaining({ batches: 1, rows: 5000 })]);
  });
});

describe('searching reports', () => {
  it('finds reports by ISRC in any spelling and by import, and counts the rest after a deletion', async () => {
    const client = await app.signInWith();
    const account = await buildAccount(app.db);
    const [one, other] = [
      await buildTrack(app.db, account, { isrc: 'FRZZ92500001' }),
      await buildTrack(app.db, account),
    ];
    const rows = [one, other].map((track) => ({ isrc: track.isrc, incomeOfStreams: '1' }));
    const { importId } = (await client.post(importUrl(), rows)).data as { importId: number };
    const tracksOf = async (query: string) =>
      ((await client.get(`/api/reporting/all?${query}`)).data as { trackId: number }[]).map((report) => report.trackId);
    for (const q of ['fr-zz9-25-00001', 'FR ZZ9 25', 'ISRC FRZZ92500001', 'zz925']) {
      expect(await tracksOf(`q=${encodeURIComponent(q)}`), q).toEqual([one.id]);
    }
    expect((await tracksOf(`import=${importId}`)).sort()).toEqual([one.id, other.id].sort());
    expect(await tracksOf(`import=${importId + 1000}`)).toEqual([]);

    const ofAccount = `/api/reporting/all?userId=${account}&order=asc&limit=1`;
    const first = await client.get(ofAccount);
    const last = await client.get(`${ofAccount}&cursor=${first.meta?.nextCursor}`);
    await client.delete(`/api/reporting/delete/${(last.data as { id: number }[])[0]?.id}`);
    const gone = await client.get(`${ofAccount}&cursor=${first.meta?.nextCursor}`);
    expect(gone.data).toEqual([]);
    expect(gone.meta).toMatchObject({ nextCursor: null, total: 1, totalIsExact: true, sums: [{ amount: 1 }] });
  });

  it('finds reports by words of the title and the account together, in any order', async () => {
    const client = await app.signInWith();
    const [owner, other] = [
      await buildAccount(app.db, { firstName: 'Diallo', lastName: 'Bâh' }),
      await buildAccount(app.db, { firstName: 'Rose', lastName: 'Bâh' }),
    ];
    const [one, two, three] = [
      await buildTrack(app.db, owner, { title: 'Aurore boréale' }),
      await buildTrack(app.db, owner, { title: 'Crépuscule' }),
      await buildTrack(app.db, other, { title: 'Aurore boréale' }),
    ];
    await client.post(
      importUrl(),
      [one, two, three].map(({ isrc }) => ({ isrc, incomeOfStreams: '1' })),
    );
    const tracksOf = async (q: string) =>
      ((await client.get(`/api/reporting/all?q=${encodeURIComponent(q)}`)).data as { trackId: number }[])
        .map(({ trackId }) => trackId)
        .sort((a, b) => a - b);
    expect(await tracksOf('Aurore Diallo Bah')).toEqual([one.id]);
    expect(await tracksOf(`bah boreale ${three.isrc}`)).toEqual([three.id]);
    expect(await tracksOf('bah diallo')).toEqual([one.id, two.id]);
    expect(await tracksOf('aurore absent')).toEqual([]);
  });
});

describe('the list of imports', () => {
  it('finds imports entered by hand by their label', async () => {
    const client = await app.signInWith();
    const account = await buildAccount(app.db);
    await client.post('/api/reporting/youtube/create', { userId: account, fromDate: month, incomeOfYoutube: 1 });
    const { data } = await client.get(`/api/imports?limit=500&q=${encodeURIComponent('main SAISIE')}`);
    const kinds = (data as { kind: string }[]).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['single']));
  });

  it('is ordered by the date it shows, page after page', async () => {
    const client = await app.signInWith();
    const makeImport = async (createdAt: string) => {
      const userId = await buildAccount(app.db);
      await client.post('/api/reporting/youtube/create', { userId, fromDate: month, incomeOfYoutube: 1 });
      const { id } = await app.db.selectFrom('imports').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow();
      await app.owner.updateTable('imports').set({ createdAt }).where('id', '=', id).execute();
      return id;
    };
    const [may, march, alsoMarch] = [
      await makeImport('2020-05-02T10:00:00.123456Z'),
      await makeImport('2020-03-02T10:00:00.123456Z'),
      await makeImport('2020-03-02T10:00:00.123456Z'),
    ];
    for (const order of ['asc', 'desc'] as const) {
      const ids: number[] = [];
      let cursor = '';
      do {
        const page = await client.get(`/api/imports?limit=1&order=${order}${cursor}`);
        ids.push(...(page.data as { id: number }[]).map(({ id }) => id));
        cursor = page.meta?.nextCursor ? `&cursor=${page.meta.nextCursor}` : '';
      } while (cursor !== '');
      const oldest = (order === 'asc' ? ids : ids.toReversed()).slice(0, 3);
      expect(oldest).toEqual([march, alsoMarch, may]);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});

describe('unsaved rows', () => {
  it('store the values as sent, readable or not', async () => {
    const client = await app.signInWith();
    const given = { numOfStreams: '12', incomeOfStreams: '0.125' };
    const { data } = await client.post(importUrl(), [
      { isrc: 'FRZZ92599999', ...given, numOfDownloads: '' },
      { isrc: 'FRZZ92599998', incomeOfStreams: '« 1 2\0 »', other: 'x' },
      'pas une ligne',
    ]);
    const { importId } = data as { importId: number };
    expect((await client.get(`/api/imports/${importId}/unsaved`)).data).toEqual([
      expect.objectContaining({ row: 1, given }),
      expect.objectContaining({ row: 2, given: { incomeOfStreams: '« 1 2 »' } }),
      expect.objectContaining({ row: 3, given: {} }),
    ]);
  });

  it('are found by the text of their cell, in any case', async () => {
    const client = await app.signInWith();
    const { data } = await client.post(importUrl(), [{ isrc: 'pas un isrc' }, { isrc: 'autre' }]);
    const { importId } = data as { importId: number };
    const found = await client.get(`/api/imports/${importId}/unsaved?q=Pas`);
    expect(found.data).toEqual([expect.objectContaining({ row: 1, isrc: 'pas un isrc' })]);
  });

  it('are paged by row number over all batches of the file, in both directions', async () => {
    const client = await app.signInWith();
    const bad = (count: number) => Array.from({ length: count }, () => ({ isrc: 'mauvais' }));
    const { data } = await client.post(importUrl('&import=unsaved&batch=1'), bad(3));
    const { importId } = data as { importId: number };
    await client.post(importUrl('&import=unsaved&batch=0'), bad(2));
    for (const [order, expected] of [
      ['asc', [1, 2, 5001, 5002, 5003]],
      ['desc', [5003, 5002, 5001, 2, 1]],
    ] as const) {
      const seen: number[] = [];
      let cursor = '';
      do {
        const page = await client.get(`/api/imports/${importId}/unsaved?limit=2&order=${order}${cursor}`);
        expect(page.status).toBe(200);
        seen.push(...(page.data as { row: number }[]).map((one) => one.row));
        cursor = page.meta?.nextCursor ? `&cursor=${page.meta.nextCursor}` : '';
      } while (cursor !== '');
      expect(seen).toEqual(expected);
    }
  });
});

describe('deleting a month', () => {
  it.each(['&dryRun', '&dryRun=', '&dryRun=1', '&dryRun=true'])('with %s only previews', async (dryRun) => {
    const client = await app.signInWith();
    const track = await buildTrack(app.db, await buildAccount(app.db));
    const february = monthToMs('2025-02');
    const saved = await client.post(`/api/reporting/csv?date=${february}`, [
      { isrc: track.isrc, incomeOfStreams: '1' },
    ]);
    expect(saved).toMatchObject({ status: 200, data: { saved: 1 } });
    const preview = await client.delete(`/api/reporting/deleteByMonth?date=${february}${dryRun}`);
    expect(preview.data).toMatchObject({ deleted: 1 });
    const done = await client.delete(`/api/reporting/deleteByMonth?date=${february}`);
    expect(done.data).toEqual(preview.data);
    expect(done.message).toBe('Les rapports du mois sont supprimés');
    expect(await client.delete(`/api/reporting/deleteByMonth?date=${february}`)).toMatchObject({
      ...{ status: 200, message: messages.noReports, data: { deleted: 0 } },
    });
  });
});

describe('exchange rates', () => {
  it.each([0, -1, 1e-11, 1e7])('refuses %d as a rate', async (rate) => {
    const client = await app.signInWith();
    const reply = await client.put('/api/exchange-rates', { month, currency: 'GBP', rate });
    expect(reply.code).toBe('validation_failed');
    expect(Object.keys(reply.errors)).toEqual(['rate']);
  });
});

describe('delivered tracks', () => {
  it('are paged past a title of maximum length', async () => {
    const client = await app.signInWith();
    const account = await buildAccount(app.db);
    const title = '𐌰'.repeat(500);
    await buildTrack(app.db, account, { title });
    await buildTrack(app.db, account, { title: `${title.slice(0, -2)}𐌱` });
    const first = await client.get(`/api/tracks/delivered?limit=1&order=desc&q=${encodeURIComponent('𐌰')}`);
    expect(first.status).toBe(200);
    const next = await client.get(
      `/api/tracks/delivered?limit=1&order=desc&q=${encodeURIComponent('𐌰')}&cursor=${first.meta?.nextCursor}`,
    );
    expect(next.status).toBe(200);
    expect(next.data).toHaveLength(1);
  });
});

describe('a second report entered by hand', () => {
  const forms = {
    track: (trackId: number, userId: number) => ({
      ...{ trackId, userId, fromDate: month, numOfStreams: 12, incomeOfStreams: 11.3 },
      ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
    }),
    video: (userId: number) => ({ userId, fromDate: month, incomeOfYoutube: 11.3 }),
  };

  it.each(['create', 'youtube/create'] as const)(
    'of the same month and figures is refused by %s, naming the first',
    async (call) => {
      const client = await app.signInWith(['read_reports', 'edit_reports']);
      const account = await buildAccount(app.db);
      const track = await buildTrack(app.db, account);
      const other = await buildTrack(app.db, account);
      const form = call === 'create' ? forms.track(track.id, account) : forms.video(account);
      const post = (body: object) => client.post(`/api/reporting/${call}`, body);
      const reports = async () => (await client.get(`/api/reporting/all?userId=${account}`)).data as { id: number }[];
      const { id } = (await post(form)).data as { id: number };

      const refused = await post(form);
      expect(refused).toMatchObject({ status: 409, code: 'conflict' });
      expect(refused.errors.again).toContain(`n°\u00a0${id}, 11,30\u00a0$US, créé le `);
      expect(await reports()).toHaveLength(1);
      const atOnce = await Promise.all([1, 2, 3].map(() => post({ ...form, fromDate: monthToMs('2025-05') })));
      expect(atOnce.map(({ status }) => status).sort()).toEqual([200, 409, 409]);

      // Other figures: a warning, or a question where the client asks.
      const more = { ...form, [call === 'create' ? 'incomeOfDownloads' : 'incomeOfYoutube']: 0.0000000001 };
      const asked = await post({ ...more, again: false });
      expect(asked).toMatchObject({ status: 409, errors: { again: expect.stringContaining(`n°\u00a0${id}, `) } });
      const warned = await post(more);
      expect(warned).toMatchObject({ status: 200, meta: { warnings: [expect.stringContaining(`n°\u00a0${id}, `)] } });
      const [warning = ''] = warned.meta?.warnings ?? [];
      expect(warned.message).toContain(warning);
      expect((await app.journal('report.create')).at(-1)).toMatchObject({ after: { warnings: [warning] } });
      expect(warning).not.toContain('Camille');

      // Another month, track or account, or another kind, is not a duplicate.
      expect((await post({ ...form, fromDate: monthToMs('2025-04') })).status).toBe(200);
      const elsewhere = call === 'create' ? forms.track(other.id, account) : forms.video(await buildAccount(app.db));
      expect((await post(elsewhere)).status).toBe(200);

      const { data, meta } = await post({ ...form, again: true });
      expect(meta).toBeUndefined();
      expect((await reports()).map((report) => report.id)).toContain((data as { id: number }).id);
      // Reversed reports do not count.
      for (const report of await reports()) await client.delete(`/api/reporting/delete/${report.id}`);
      expect((await post(form)).status).toBe(200);
    },
  );

  it('is allowed beside imported reports of the same month', async () => {
    const client = await app.signInWith(['read_reports', 'edit_reports']);
    const account = await buildAccount(app.db);
    const track = await buildTrack(app.db, account);
    const imported = [{ isrc: track.isrc, numOfStreams: 12, incomeOfStreams: '11.3' }];
    await client.post(importUrl(), [{ isrc: track.isrc, incomeOfStreams: '1' }]);
    const { data } = await client.post(importUrl(), imported);
    // But not with all its figures.
    expect(await client.post('/api/reporting/create', forms.track(track.id, account))).toMatchObject({ status: 409 });
    await client.post(`/api/imports/${(data as { importId: number }).importId}/reverse`);
    expect((await client.post('/api/reporting/create', forms.track(track.id, account))).status).toBe(200);
    expect((await client.post('/api/reporting/youtube/create', forms.video(account))).status).toBe(200);
  });
});
