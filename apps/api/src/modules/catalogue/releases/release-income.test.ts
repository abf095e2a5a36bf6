import { monthToMs } from '@regie/values/month.ts';
import { expect, it } from 'vitest';
import { useApp } from '#test/app.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';

const app = useApp();

it('the income of a release sums imported and hand-made reports of the last twelve report months', async () => {
  const client = await app.signInWith();
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account);
  const other = await buildTrack(app.db, account);
  const { releaseId } = await app.db
    .selectFrom('tracks')
    .select('releaseId')
    .where('id', '=', track.id)
    .executeTakeFirstOrThrow();
  const incomeOf = async (id: number) =>
    ((await client.get(`/api/release/${id}/income`)).data as { months: { fromDate: number; amountEur: number }[] })
      .months;
  expect(await incomeOf(releaseId)).toEqual([]);

  await app.owner
    .insertInto('exchangeRates')
    .values({ currency: 'USD', month: '2023-01-01', rate: '2' })
    .onConflict((conflict) => conflict.columns(['currency', 'month']).doUpdateSet({ rate: '2' }))
    .execute();
  await app.owner.deleteFrom('exchangeRates').where('currency', '=', 'USD').where('month', '>', '2023-01-01').execute();
  const report = async (trackId: number, month: string, incomeOfStreams: number) => {
    const counts = { numOfStreams: 1, numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 };
    const body = { trackId, userId: account, fromDate: monthToMs(month), incomeOfStreams, ...counts };
    expect((await client.post('/api/reporting/create', body)).status).toBe(200);
  };
  await report(track.id, '2023-05', 4);
  await report(track.id, '2024-02', 6);
  await report(other.id, '2024-05', 10);
  const months = await incomeOf(releaseId);
  expect(months).toHaveLength(12);
  expect(months[0]?.fromDate).toBe(monthToMs('2023-06'));
  expect(months.at(-1)?.fromDate).toBe(monthToMs('2024-05'));
  expect(months.filter(({ amountEur }) => amountEur !== 0)).toEqual([{ fromDate: monthToMs('2024-02'), amountEur: 3 }]);
  expect((await client.get('/api/release/999999999/income')).status).toBe(404);
});
