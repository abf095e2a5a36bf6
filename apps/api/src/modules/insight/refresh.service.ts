import { type InsightSpan, insightSpans, startOfSpan } from '@regie/contract/insight.ts';
import { addMonths } from '@regie/contract/month.ts';
import { sql } from 'kysely';
import type { Database } from '#src/lib/db.ts';
import { keepDifferences } from '#src/modules/statements/statements.service.ts';
import { addUpMonth, addUpSpan, listMarks, removeMarks } from './insight.queries.ts';

/**
 * Adds up anew the months that a change has marked, the quarters and years they lie in, and what differs most from the month
 * before. Marks go last: whatever ends it
 * half-way, the next run begins again with the same months.
 * @returns how many months; 0 also when another worker is at it
 */
export async function refreshInsight(owner: Database): Promise<number> {
  return owner.connection().execute(async (db) => {
    const { rows } = await sql<{ taken: boolean }>`SELECT pg_try_advisory_lock(hashtext('insight')) AS taken`.execute(
      db,
    );
    if (!rows[0]?.taken) return 0;
    try {
      let months = 0;
      for (let marks = await listMarks(db); marks.length > 0; marks = await listMarks(db)) {
        const marked = [...new Set(marks.map(({ month }) => month))].sort();
        for (const month of marked) await db.transaction().execute((trx) => addUpMonth(trx, month));
        // A month is compared with the one before.
        const compared = new Set(marked.flatMap((month) => [month, `${addMonths(month.slice(0, 7), 1)}-01`]));
        for (const month of compared) await db.transaction().execute((trx) => keepDifferences(trx, month));
        for (const span of insightSpans.slice(1)) await addUpSpans(db, span, marked);
        await removeMarks(db, marks);
        months += marked.length;
      }
      // Whole months were written anew: without knowing how much there is of what, a single value is looked for in all of them.
      if (months > 0) await sql`VACUUM (ANALYZE) insight_sums`.execute(db);
      return months;
    } finally {
      await sql`SELECT pg_advisory_unlock(hashtext('insight'))`.execute(db);
    }
  });
}

async function addUpSpans(db: Database, span: InsightSpan, months: readonly string[]): Promise<void> {
  for (const start of new Set(months.map((month) => startOfSpan(span, month))))
    await db.transaction().execute((trx) => addUpSpan(trx, span, `${start}-01`));
}
