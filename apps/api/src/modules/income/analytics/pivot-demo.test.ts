// @module-tag slow
import { loadDemo } from '@regie/api/demo/load-demo.ts';
import { startOfSpan } from '@regie/contract/analytics.ts';
import type { AnalyticsRow, Pivot } from '@regie/contract/routes/analytics.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { expect, it } from 'vitest';
import { useApp } from '#test/app.ts';
import { testLines } from '#test/lines.ts';

const app = useApp();

it('returns the euros of the analytics of periods for each of its dimensions on the demo data', async () => {
  await loadDemo({ ownerUrl: app.database.ownerUrl, scale: 1, months: 4, storage: testLines.storage, log: () => {} });
  const staff = await app.signInWith(['read_reports']);
  for (const span of ['month', 'quarter', 'year'] as const) {
    for (const by of ['store', 'country', 'track', 'release', 'account'] as const) {
      const { data } = await staff.get(`/api/reporting/analytics?by=${by}&span=${span}&limit=500`);
      const known = (data as AnalyticsRow[]).map(({ value, name, amountEur }) => ({ value, name, amountEur }));
      const fromDate = (data as AnalyticsRow[])[0]?.fromDate ?? 0;
      const start = startOfSpan(span, monthOfInstant(fromDate));
      const to = monthToMs(addMonths(start, { month: 0, quarter: 2, year: 11 }[span]));
      const answer = await staff.get(
        `/api/reporting/analytics/pivot?from=${fromDate}&to=${to}&rows=${by}&columns=month`,
      );
      const table = answer.data as Pivot;
      expect(table.rows.length).toBeGreaterThan(3);
      const rows = table.rows.map((row, at) => ({ ...row, total: table.rowTotals[at] ?? 0 }));
      const told = new Map(rows.filter(({ others }) => others === null).map((row) => [row.value, row]));
      for (const { value, name, amountEur } of known.slice(0, 150)) {
        expect(told.get(value)?.name).toBe(name);
        expect(told.get(value)?.total, `${span} by ${by}: ${value}`).toBeCloseTo(amountEur, 9);
      }
    }
  }
}, 120_000);
