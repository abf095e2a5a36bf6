import type { Import } from '@regie/contract/routes/reports.ts';
import { monthToMs } from '@regie/values/month.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type Reply, type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
let account: number;
let isrcs: string[];
beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db);
  isrcs = [(await buildTrack(app.db, account)).isrc, (await buildTrack(app.db, account)).isrc];
});
afterAll(async () => {
  expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
});

let months = 0;
/** Of no other test. */
const newMonth = () => {
  months += 1;
  return monthToMs(`2024-${String(months).padStart(2, '0')}`);
};
let files = 0;
const newFile = (name = 'ventes.csv') => {
  files += 1;
  return { key: String(files).padStart(64, '0'), name };
};

interface Sent {
  month: number;
  file?: ReturnType<typeof newFile>;
  batch?: number;
  batches?: number;
  again?: boolean;
}
function send({ month, file = newFile(), batch = 0, batches = 1, again }: Sent, rows: readonly object[]) {
  const query = `import=${file.key}&name=${file.name}&batch=${batch}&batches=${batches}`;
  return client.post(`/api/reporting/csv?date=${month}&${query}${again === undefined ? '' : `&again=${again}`}`, rows);
}
const importOf = (reply: Reply) => (reply.data as { importId: number }).importId;
const row = (usd: string | number, isrc = isrcs[0]) => ({ isrc, numOfStreams: 10, incomeOfStreams: usd });
/** Rows of a file in which a track stands many times. */
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => row(`0,${from + index + 1000}`, isrcs[(from + index) % 2]));
const usdOf = async (month: number) =>
  ((await client.get(`/api/reporting/all?from=${month}&to=${month}`)).meta?.sums ?? []).map(({ amount }) => amount);

const asks = (sentence: string) => ({
  status: 409,
  errors: { again: expect.stringContaining(sentence), import: expect.any(String) },
});
const warns = (sentence: string) => ({ status: 200, meta: { warnings: [expect.stringContaining(sentence)] } });

describe('rows that another import of the month contains', () => {
  it('are refused when again is false, posted with a warning when it is omitted, and posted when it is true', async () => {
    const month = newMonth();
    const first = importOf(await send({ month, file: newFile('mars.csv') }, [row('1,50'), row(2, isrcs[1])]));
    // As the numbers of a workbook are read.
    const same = [row('1.5'), row('2.0000000000', isrcs[1]), row(7)];
    const sentence = `2 lignes de mêmes titres et mêmes chiffres, soit 3,50\u00a0$US, sont déjà dans l’import n°\u00a0${first} (mars.csv)`;
    expect(await send({ month, again: false }, same)).toMatchObject(asks(sentence));
    expect(await usdOf(month)).toEqual([3.5]);
    const warned = await send({ month }, same);
    const counted = `${sentence} du même mois\u00a0: elles sont comptées une fois de plus`;
    expect(warned).toMatchObject(warns(counted));
    expect(warned.message).toContain(counted);
    const entries = await app.journal('import.batch');
    expect(entries.find(({ entityId }) => entityId === String(importOf(warned)))?.after).toMatchObject({
      warnings: [expect.stringContaining(sentence)],
    });
    const confirmed = await send({ month, again: true }, same);
    expect([confirmed.status, confirmed.meta]).toEqual([200, undefined]);
    expect(await usdOf(month)).toEqual([24.5]);
  });

  it('are found in a track with many rows, whether the file or its missing rows come first', async () => {
    const [before, after] = [newMonth(), newMonth()];
    for (const month of [before, after]) {
      const file = newFile('cut.csv');
      const missing = { month, file, batch: 1, batches: 2 };
      await send({ month, file, batch: 0, batches: 2 }, rows(0, 20));
      if (month === before) {
        const own = importOf(await send({ month, again: false }, rows(20, 26)));
        const sentence = `6 lignes de mêmes titres et mêmes chiffres, soit 0,61\u00a0$US, sont déjà dans l’import n°\u00a0${own}`;
        expect(await send({ ...missing, again: false }, rows(20, 26))).toMatchObject(asks(sentence));
        // What has come still waits.
        const [waiting] = (await client.get('/api/imports?state=staged')).data as Import[];
        expect(waiting).toMatchObject({ batches: 1, stagedRows: 20 });
        expect(await send(missing, rows(20, 26))).toMatchObject(warns(sentence));
      } else {
        const whole = importOf(await send({ ...missing, again: false }, rows(20, 26)));
        expect(await send({ month, again: false }, rows(20, 26))).toMatchObject(
          asks(`l’import n°\u00a0${whole} (cut.csv)`),
        );
      }
    }
  });

  it('need a confirmation before the received part of a file is posted', async () => {
    const month = newMonth();
    await send({ month }, rows(0, 3));
    const staged = importOf(await send({ month, file: newFile(), batches: 2, again: false }, rows(0, 4)));
    const finish = (again?: boolean) => client.post(`/api/imports/${staged}/post`, { rows: 4, again });
    expect(await finish(false)).toMatchObject(asks('3 lignes'));
    expect(await finish()).toMatchObject(warns('3 lignes'));
    expect((await app.journal('import.post')).at(-1)?.after).toMatchObject({ warnings: [expect.any(String)] });
  });

  it('are found in hand-made reports and in the sums of a track', async () => {
    const month = newMonth();
    const figures = { numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 };
    const track = await app.db
      .selectFrom('tracks')
      .select('id')
      .where('isrc', '=', isrcs[0] ?? '')
      .executeTakeFirst();
    const form = { trackId: track?.id, userId: account, fromDate: month, ...row(4), ...figures };
    expect((await client.post('/api/reporting/create', form)).status).toBe(200);
    expect(await send({ month, again: false }, [row('4,00')])).toMatchObject(asks('1 ligne de'));
    await send({ month }, [row(1, isrcs[1]), row(2, isrcs[1])]);
    expect(await send({ month, again: false }, [{ ...row(3, isrcs[1]), numOfStreams: 20 }])).toMatchObject(
      asks('1 ligne de'),
    );
  });

  it('of two files at once are posted once', async () => {
    const month = newMonth();
    const replies = await Promise.all([1, 2, 3, 4].map(() => send({ month, again: false }, rows(0, 5))));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('do not include the same file, another month, reversed imports, deleted reports or unsaved rows', async () => {
    const month = newMonth();
    const file = newFile();
    const none = { status: 200, meta: undefined };
    const again = false;
    const first = importOf(await send({ month, file, again }, rows(0, 4)));
    expect(await send({ month, file, again }, rows(0, 4))).toMatchObject(none);
    expect(await send({ month: newMonth(), again }, rows(0, 4))).toMatchObject(none);
    // Other figures of the same tracks.
    expect(await send({ month, again }, rows(4, 6))).toMatchObject(none);
    await client.post(`/api/imports/${first}/reverse`);
    const second = await send({ month, again }, rows(0, 4));
    expect(second).toMatchObject(none);

    const reports = (await client.get(`/api/reporting/all?import=${importOf(second)}`)).data as { id: number }[];
    for (const { id } of reports) await client.delete(`/api/reporting/delete/${id}`);
    expect(await send({ month, again }, rows(0, 4))).toMatchObject(none);

    const unknown = row(9, 'FRNEW2400001');
    expect((await send({ month, again }, [unknown])).data).toMatchObject({ saved: 0 });
    await buildTrack(app.db, account, { isrc: 'FRNEW2400001' });
    expect(await send({ month, again }, [unknown])).toMatchObject({ ...none, data: { saved: 1 } });
  });
});
