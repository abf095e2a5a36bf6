import type { Outcome, Verdict } from '@regie/contract/bank-answers.ts';
import { sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import { type Database, exists, queryColumn, queryRows, type Trx } from '#src/lib/db.ts';
import { payoutDestination } from '#src/modules/money/signing/signing.service.ts';
import type { NewAnswer } from './bank-answers.rules.ts';
import type { Beneficiary } from './payouts.queries.ts';

export interface SentRow {
  payoutId: number;
  netEur: string;
  /** As the exported file names it. */
  beneficiary: Beneficiary;
  /** Out of the batch by an answer. */
  hasLeft: boolean;
  lastVerdict: Verdict | null;
  lastOutcome: Outcome | null;
}

/** What a batch's files pay: its payouts, and those that left it since. */
export const listSent = (db: Database, batchId: number) => queryRows<SentRow>(db)`
    WITH answered AS MATERIALIZED (
      SELECT s.*, r.batch_id FROM bank_answers s JOIN bank_reports r ON r.id = s.report_id WHERE r.batch_id = ${batchId}),
    sent AS (
      SELECT id, amount_eur - fee_eur AS net_eur, beneficiary, false AS has_left FROM payouts
       WHERE batch_id = ${batchId} AND exported_at IS NOT NULL
       UNION ALL
      SELECT p.id, p.amount_eur - p.fee_eur, s.beneficiary, true
        FROM answered s JOIN payouts p ON p.id = s.payout_id WHERE s.left_batch),
    last_of AS (
      SELECT payout_id, (array_agg(verdict ORDER BY id DESC) FILTER (WHERE verdict IS NOT NULL))[1] AS last_verdict,
             (array_agg(outcome ORDER BY outcome = 'unexecuted', id DESC) FILTER (WHERE outcome IS NOT NULL))[1] AS last_outcome
        FROM answered GROUP BY 1)
    SELECT sent.id AS payout_id, net_eur, beneficiary, has_left, last_verdict, last_outcome
      FROM sent LEFT JOIN last_of ON payout_id = id
     ORDER BY payout_id`;

export const listReports = (db: Database, batchId: number) => queryRows<{
  at: Date;
  by: string;
  messageId: string | null;
  status: string | null;
}>(db)`
    SELECT at, ${adminName('admin_id')} AS by, message_id, status FROM bank_reports
     WHERE batch_id = ${batchId} ORDER BY id DESC LIMIT 50`;

/** The same bytes, or the bank's own reference again. */
export const hasReport = (
  db: Database,
  batchId: number,
  { sha256, messageId }: { sha256: Buffer; messageId: string },
) =>
  exists(db)`
    SELECT FROM bank_reports
     WHERE batch_id = ${batchId} AND (sha256 = ${sha256} OR message_id = nullif(${messageId}, ''))`;

/** The bank executed the file in part, accepted a payment, or a payout has left. @param sent of `listSent` */
export const isExecuted = async (db: Database, batchId: number, sent: readonly SentRow[]): Promise<boolean> =>
  sent.some(({ hasLeft, lastOutcome }) => lastOutcome === 'accepted' || (hasLeft && lastOutcome === 'rejected')) ||
  (await exists(db)`
    SELECT FROM bank_reports r LEFT JOIN bank_answers s ON s.report_id = r.id AND s.outcome = 'accepted'
     WHERE r.batch_id = ${batchId} AND r.sha256 IS NOT NULL AND (r.status = 'PART' OR s.id IS NOT NULL)`);

export const findLoose = (db: Database, ids: readonly number[]) => queryColumn<number>(db)`
    SELECT id FROM payouts
     WHERE id = ANY(${ids}::bigint[]) AND state = 'pending' AND batch_id IS NULL AND deleted_at IS NULL ORDER BY id`;

/** Stores answers about payouts of an exported batch. @param left those that leave it by them */
export async function insertAnswers(
  trx: Trx,
  report: { batchId: number; adminId: number; messageId?: string; status?: string; sha256?: Buffer },
  answers: readonly (Omit<NewAnswer, 'outcome'> & { outcome: Outcome | null })[],
  left: ReadonlySet<number>,
): Promise<void> {
  const { id } = await trx
    .insertInto('bankReports')
    .values({ ...report, messageId: report.messageId || null, status: report.status || null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = answers.map((answer) => ({ ...answer, left: left.has(answer.payoutId) }));
  await sql`
    INSERT INTO bank_answers (report_id, payout_id, account_id, verdict, outcome, code, said, beneficiary, destination, left_batch)
    SELECT ${id}, p.id, p.account_id, w.verdict, w.outcome, w.code, w.said, p.beneficiary, ${payoutDestination}, w.left
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
             AS w ("payoutId" bigint, verdict text, outcome text, code text, said text, "left" boolean)
      JOIN payouts p ON p.id = w."payoutId" JOIN billing_accounts b ON b.id = p.billing_account_id
     ORDER BY p.id`.execute(trx);
}

/** Pending again, out of an exported batch, whose count and total are of those that stay. */
export async function leaveExported(trx: Trx, batchId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    UPDATE payouts SET batch_id = NULL, exported_at = NULL, beneficiary = NULL WHERE id = ANY(${ids}::bigint[])`.execute(
    trx,
  );
  await sql`
    UPDATE payout_batches b SET payouts_count = p.n, total_eur = p.eur
      FROM (SELECT count(*) AS n, coalesce(sum(amount_eur), 0) AS eur FROM payouts WHERE batch_id = ${batchId}) p
     WHERE b.id = ${batchId}`.execute(trx);
}
