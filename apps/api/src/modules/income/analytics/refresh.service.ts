import { analyticsSpans, startOfSpan } from '@regie/contract/analytics.ts';
import { addMonths } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { type Database, queryValue } from '#src/lib/db.ts';
import { storeDifferences, storeImportDuplicates } from '#src/modules/income/statements/statements.service.ts';
import { addUpMonth, addUpSpan, listMarks, removeMarks } from './analytics.queries.ts';

/**
 * Recomputes the marked months, their quarters and years, what equals an import in them, and the largest differences
 * from the previous month. Marks
 * are deleted last, so that an interrupted run starts over. @returns number of months; 0 also while another worker runs
 */
export async function refreshAnalytics(owner: Database): Promise<number> {
  return owner.connection().execute(async (db) => {
    if (!(await queryValue<boolean>(db)`SELECT pg_try_advisory_lock(hashtext('analytics'))`)) return 0;
    try {
      let months = 0;
      for (let marks = await listMarks(db); marks.length > 0; marks = await listMarks(db)) {
        const marked = [...new Set(marks.map(({ month }) => month))].sort();
        for (const month of marked) await db.transaction().execute((trx) => addUpMonth(trx, month));
        for (const month of marked) await db.transaction().execute((trx) => storeImportDuplicates(trx, month));
        // The following month is compared with this one.
        const compared = new Set(marked.flatMap((month) => [month, `${addMonths(month.slice(0, 7), 1)}-01`]));
        for (const month of compared) await db.transaction().execute((trx) => storeDifferences(trx, month));
        for (const span of analyticsSpans.slice(1))
          for (const start of new Set(marked.map((month) => startOfSpan(span, month))))
            await db.transaction().execute((trx) => addUpSpan(trx, span, `${start}-01`));
        await removeMarks(
          db,
          marks.map(({ id }) => id),
        );
        months += marked.length;
      }
      // Without new statistics, a search for one value scans all of the month's rows.
      if (months > 0) await sql`VACUUM (ANALYZE) analytics_sums`.execute(db);
      return months;
    } finally {
      await sql`SELECT pg_advisory_unlock(hashtext('analytics'))`.execute(db);
    }
  });
}
