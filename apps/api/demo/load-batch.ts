import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { system } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { storeReport } from '#src/modules/money/payouts/bank-answers.service.ts';
import { exportBatch, getBatch, preflight, writeBatch } from '#src/modules/money/payouts/batches.service.ts';
import { readPayments } from '#src/modules/money/signing/signed-money.service.ts';

const size = 6;

/** A signed and exported batch, of which the bank has verified the payees: two near names, one of somebody else. */
export async function loadBatch(
  trx: Trx,
  by: { accountIds: readonly number[]; adminId: number; signatoryIds: readonly number[]; instant: string },
): Promise<void> {
  const { accountIds, adminId, signatoryIds, instant } = by;
  const { rows: waiting } = await sql<{ id: number }>`
    SELECT p.id FROM payouts p WHERE p.account_id = ANY(${accountIds}::bigint[]) AND p.state = 'pending' AND p.deleted_at IS NULL
     ORDER BY p.amount_eur, p.id LIMIT 200`.execute(trx);
  if (waiting.length < size) return;
  const checked = await preflight(
    trx,
    waiting.map(({ id }) => id),
  );
  const rows = checked.rows.filter(({ file, problems }) => file === 'sepa' && problems.length === 0).slice(0, size);
  if (rows.length < size) return;
  const ids = rows.map(({ payoutId }) => payoutId);
  const caller = { ...system, adminId, session: undefined, can: () => true };
  const id = await writeBatch(trx, caller, { payoutIds: ids, ...(await preflight(trx, ids)) });
  for (const { id: payoutId, version, unsignedEur } of await readPayments(trx, ids)) {
    await sql`
      INSERT INTO signatures (subject, subject_id, version, unsigned_eur, admin_id, at)
      SELECT 'payout', ${payoutId}, ${version}, ${unsignedEur}, a.id, ${instant} FROM unnest(${signatoryIds}::bigint[]) AS a (id)`.execute(
      trx,
    );
  }
  await exportBatch(trx, caller, id);
  const { messageId } = await getBatch(trx, id);
  const said = [
    { status: 'RVMC', said: `${rows[0]?.name} EI` },
    { status: 'RVMC', said: `M. ou Mme ${rows[1]?.name}` },
    { status: 'RVNM', said: '' },
  ];
  const verified = ids.map((payoutId, index) => ({
    ...{ endToEndId: `${messageId}-${payoutId}`, amount: '', code: '' },
    ...(said[index] ?? { status: 'RCVC', said: '' }),
  }));
  const group = { status: '', code: '', said: '', counts: new Map<string, number>() };
  const report = {
    ...{ ...group, status: 'RVCM', messageId: `VOP-${messageId}`, originalMessageId: messageId },
    groups: [{ ...group, payments: verified }],
  };
  await storeReport(trx, caller, id, { report, sha256: randomBytes(32) });
  await sql`UPDATE payout_batches SET created_at = ${instant}, exported_at = ${instant} WHERE id = ${id}`.execute(trx);
  await sql`UPDATE payouts SET exported_at = ${instant} WHERE batch_id = ${id}`.execute(trx);
  await sql`UPDATE payout_moves SET at = ${instant}, signed_at = ${instant} WHERE payout_id = ANY(${ids}::bigint[])`.execute(
    trx,
  );
  await sql`UPDATE bank_reports SET at = ${instant} WHERE batch_id = ${id}`.execute(trx);
}
