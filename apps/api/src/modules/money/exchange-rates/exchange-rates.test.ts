import type { ExchangeRate } from '@regie/contract/routes/accounting.ts';
import { monthToMs } from '@regie/values/month.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };

beforeAll(async () => {
  client = await app.signInWith(['manage_settings']);
});

const url = '/api/exchange-rates';
const list = async (query = '') => {
  const { data, meta } = await client.get(`/api/exchange-rates?${query}`);
  return { rates: data as ExchangeRate[], meta };
};
const march = monthToMs('2026-03');
const rate = { month: march, currency: 'gbp', rate: 0.8612 };

describe('the exchange rates', () => {
  it('are set and corrected, and each change is journalled with the old value', async () => {
    // A misplaced decimal of a first rate would be compared with nothing.
    const refused = await client.put(url, { ...rate, rate: 8612.5 });
    expect(refused).toMatchObject({
      status: 422,
      errors: { confirmFar: expect.stringContaining('1\u00a0€ vaut 8\u202f612,5\u00a0GBP') },
    });
    expect(await client.put(url, { ...rate, confirmFar: true })).toMatchObject({
      status: 200,
      message: 'Le taux est enregistré',
      data: { month: march, currency: 'GBP', rate: 0.8612, updatedBy: expect.stringContaining('Camille') },
    });
    await client.put(url, { ...rate, rate: 0.87 });
    const entries = await app.journal('exchange_rate.set');
    expect(entries).toMatchObject([
      { adminId: client.admin.id, entityId: '2026-03 GBP', before: null },
      { adminId: client.admin.id, entityId: '2026-03 GBP' },
    ]);
    expect(entries.at(1)).toMatchObject({
      before: { rate: expect.stringMatching(/^0\.86120*$/) },
      after: { rate: expect.stringMatching(/^0\.870*$/) },
    });
    const { rates } = await list('currency=gbp');
    expect(rates).toMatchObject([{ month: march, currency: 'GBP', rate: 0.87 }]);
  });

  it.each(['gbp 03/2026', 'Mars 2026 GBP', '2026-03 gb', 'livre mars 2026'])('are found by %s', async (q) => {
    const { rates } = await list(`q=${encodeURIComponent(q)}`);
    expect(rates.map(({ currency, month }) => [currency, month])).toEqual(
      q.startsWith('livre') ? [] : [['GBP', march]],
    );
  });

  it('set twice at once: the second change journals the first value', async () => {
    const month = monthToMs('2026-04');
    await Promise.all(
      [1.1, 1.2].map((value) => client.put(url, { month, currency: 'CHF', rate: value, confirmFar: true })),
    );
    const befores = (await app.journal('exchange_rate.set'))
      .filter(({ entityId }) => entityId === '2026-04 CHF')
      .map(({ before }) => before);
    expect(befores).toHaveLength(2);
    expect(befores.filter((before) => before === null)).toHaveLength(1);
  });

  it('far from the replaced or previous rate need a confirmation and raise an alert', async () => {
    const set = (month: string, value: number, confirmFar?: boolean) =>
      client.put(url, { month: monthToMs(month), currency: 'SEK', rate: value, ...(confirmFar ? { confirmFar } : {}) });
    expect((await set('2025-01', 11, true)).status).toBe(200);
    expect((await set('2025-02', 9.5)).status).toBe(200);
    for (const [month, value, far] of [
      ['2025-03', 7.5, '9,5'],
      ['2025-02', 7.6, '9,5'],
      // Growing in small steps.
      ['2025-02', 9.1, '11'],
      ['2025-04', 110, '9,5'],
    ] as const) {
      const reply = await set(month, value);
      expect([month, value, reply.status, reply.errors?.confirmFar]).toEqual([
        ...[month, value, 422],
        expect.stringContaining(` de ${far}.`),
      ]);
    }
    expect((await list('currency=SEK')).rates.map((known) => known.rate)).toEqual([9.5, 11]);
    expect(
      (await app.journal('exchange_rate.set')).filter(({ after }) => JSON.stringify(after).includes('alert')),
    ).toEqual([]);
    expect((await set('2025-04', 110, true)).status).toBe(200);
    expect((await app.journal('exchange_rate.set')).at(-1)).toMatchObject({ after: { alert: 'rate' } });
  });

  it('are listed newest first, without repeats across pages', async () => {
    const { rates: all } = await list('limit=500');
    const months = all.map(({ month }) => month);
    expect(months).toEqual(months.toSorted((a, b) => b - a));
    const paged: ExchangeRate[] = [];
    let cursor = '';
    do {
      const page = await list(`limit=3${cursor}`);
      paged.push(...page.rates);
      cursor = page.meta?.nextCursor ? `&cursor=${page.meta.nextCursor}` : '';
    } while (cursor !== '');
    expect(paged).toEqual(all);
  });

  it.each([
    ['rate', { ...rate, rate: 0 }],
    ['rate', { ...rate, rate: -1 }],
    ['rate', { ...rate, rate: 2_000_000 }],
    ['currency', { ...rate, currency: 'EUR' }],
    ['currency', { ...rate, currency: 'livre' }],
    ['month', { ...rate, month: march + 20 * 86_400_000 }],
  ])('refuse a wrong %s', async (field, body) => {
    const before = await list();
    const reply = await client.put(url, body);
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.errors)).toEqual([field]);
    expect(await list()).toEqual(before);
  });

  it('need read_reports to read, and manage_settings to set', async () => {
    const reader = await app.signInWith(['read_reports']);
    expect((await reader.get('/api/exchange-rates')).status).toBe(200);
    expect((await reader.put(url, rate)).status).toBe(403);
  });
});
