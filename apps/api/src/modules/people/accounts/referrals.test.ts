import { messages } from '@regie/contract/messages.ts';
import type { Referral } from '@regie/contract/routes/referrals.ts';
import { monthToMs } from '@regie/values/month.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteReport } from '#src/modules/money/reports/reversals.service.ts';
import { createReport } from '#src/modules/money/reports/single-reports.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildActor, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient & { admin: { id: number } };

beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
});

const add = (referrerId: number, referredId: number, percentile = 5) =>
  client.post('/api/referrals/add', { referrerId, referredId, percentile });
const list = async (id: number) => (await client.get(`/api/referrals/${id}/list`)).data as Referral[];
const accounts = (count: number) => Promise.all(Array.from({ length: count }, () => buildAccount(app.db)));

describe('adding a referral', () => {
  it('stores and journals it', async () => {
    const [referrer = 0, referred = 0] = await accounts(2);
    const reply = await add(referrer, referred, 7.25);
    expect(reply.status).toBe(200);
    const { id } = reply.data as { id: number };
    expect(await list(referrer)).toMatchObject([
      { id, referrerId: referrer, referredId: referred, percentile: 7.25, referred: { fname: 'Awa' }, earnedEur: 0 },
    ]);
    expect(await list(referred)).toEqual([]);
    expect((await app.journal('referral.add')).at(-1)).toMatchObject({
      adminId: client.admin.id,
      entityId: String(id),
      after: { referrerId: referrer, referredId: referred, percentile: 7.25 },
    });
    const profile = await client.get(`/api/profile/${referred}/profile`);
    expect(profile.data).toMatchObject({ referrersPercentile: 7.25 });
  });

  it('refuses the account itself, an unknown account, an existing pair and a cycle', async () => {
    const [a = 0, b = 0, c = 0] = await accounts(3);
    expect(await add(a, a)).toMatchObject({ status: 422, errors: { referredId: messages.referralToSelf } });
    expect(await add(a, 999_999)).toMatchObject({ status: 422, errors: { referredId: messages.unknownAccount } });
    expect(await add(999_999, a)).toMatchObject({ status: 422, errors: { referrerId: messages.unknownAccount } });
    expect((await add(a, b)).status).toBe(200);
    expect(await add(a, b, 9)).toMatchObject({ status: 409, message: messages.referralTwice });
    expect(await add(b, a)).toMatchObject({ status: 409, message: messages.referralCycle });
    expect((await add(b, c)).status).toBe(200);
    expect(await add(c, a)).toMatchObject({ status: 409, message: messages.referralCycle });
    expect((await add(a, c)).status).toBe(200);
  });

  it('refuses one of two simultaneous referrals that form a cycle or repeat a pair', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a = 0, b = 0, c = 0] = await accounts(3);
      const circle = await Promise.all([add(a, b), add(b, c), add(c, a)]);
      expect(circle.map((reply) => reply.status).sort()).toEqual([200, 200, 409]);
      const [d = 0, e = 0] = await accounts(2);
      const twice = await Promise.all([add(d, e), add(d, e), add(e, d)]);
      expect(twice.map((reply) => reply.status).sort()).toEqual([200, 409, 409]);
    }
  });

  it.each([
    [{ percentile: 100.5 }, 'percentile'],
    [{ percentile: 'cinq' }, 'percentile'],
    [{ referrerId: '1' }, 'referrerId'],
    [{ referredId: undefined }, 'referredId'],
  ])('refuses %o', async (values, field) => {
    const reply = await client.post('/api/referrals/add', { referrerId: 1, referredId: 2, percentile: 5, ...values });
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.errors)).toEqual([field]);
  });

  it('is refused without manage_profiles, as is deleting', async () => {
    const [a = 0, b = 0] = await accounts(2);
    const { id } = (await add(a, b)).data as { id: number };
    const other = await app.signInWith(['edit_reports', 'read_reports']);
    expect((await other.post('/api/referrals/add', { referrerId: b, referredId: a, percentile: 1 })).status).toBe(403);
    expect((await other.delete(`/api/referrals/${id}/delete`)).status).toBe(403);
    expect(await list(a)).toHaveLength(1);
  });
});

describe('earnings of a referral', () => {
  it('count live reports and stay on the balance after the referral ends', async () => {
    const actor = await buildActor(app.db);
    const [referrer = 0, referred = 0] = await accounts(2);
    const { id } = (await add(referrer, referred, 10)).data as { id: number };
    const track = await buildTrack(app.db, referred);
    const report = (month: string, income: number) =>
      app.db.transaction().execute((trx) =>
        createReport(trx, actor, {
          trackId: track.id,
          userId: referred,
          fromDate: monthToMs(month),
          numOfStreams: 1,
          incomeOfStreams: income,
          numOfDownloads: 0,
          incomeOfDownloads: 0,
          numOfYoutube: 0,
          incomeOfYoutube: 0,
        }),
      );
    // 113 USD at 1.13 is 100 EUR: 80 for the account, a tenth of that for its referrer.
    await report('2025-01', 113);
    const second = await report('2025-02', 226);
    expect((await list(referrer))[0]?.earnedEur).toBe(24);
    await app.db.transaction().execute((trx) => deleteReport(trx, actor, second.data.id));
    expect((await list(referrer))[0]?.earnedEur).toBe(8);

    expect(await client.delete(`/api/referrals/${id}/delete`)).toMatchObject({ status: 200 });
    expect(await list(referrer)).toEqual([]);
    expect((await client.delete(`/api/referrals/${id}/delete`)).status).toBe(404);
    expect((await app.journal('referral.delete')).at(-1)).toMatchObject({
      adminId: client.admin.id,
      entityId: String(id),
      before: { referrerId: referrer, referredId: referred, percentile: '10.00' },
    });
    await report('2025-03', 113);
    expect((await client.get(`/api/profile/${referrer}/profile`)).data).toMatchObject({ income: 8 });
    expect((await add(referrer, referred, 3)).status).toBe(200);
  });

  it('answers 404 for an unknown account', async () => {
    expect((await client.get('/api/referrals/999999/list')).status).toBe(404);
  });
});
