import { messages } from '@regie/contract/messages.ts';
import type { ReferralForm } from '@regie/contract/routes/referrals.ts';
import { sql } from 'kysely';
import { writeAudit } from '#src/lib/audit.ts';
import { exists, queryColumn, queryRow, queryValue, type Trx } from '#src/lib/db.ts';
import { conflict, invalid, notFound } from '#src/lib/errors.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { requireAccount } from './accounts.service.ts';

interface ReferralRow {
  id: number;
  referrerId: number;
  referredId: number;
  percentile: string;
  createdAt: Date;
  firstName: string;
  lastName: string;
  earnedEur: string;
}

/** With earnings from live reports. */
export async function listReferrals(db: Trx, accountId: number, query: ListQuery<'id'>) {
  await requireAccount(db, accountId);
  const page = keyset(query, { id: { expression: sql`r.id`, type: 'bigint' } }, sql`r.id`);
  const { rows, meta } = await readPage<ReferralRow>(db, page, {
    columns: sql`
      r.id, r.referrer_id, r.referred_id, r.percentile, r.created_at, a.first_name, a.last_name,
      coalesce((SELECT sum(s.amount_eur) FROM report_referral_shares s JOIN reports p ON p.id = s.report_id
                 WHERE s.referral_id = r.id AND p.reversed_at IS NULL), 0) AS earned_eur`,
    from: sql`referrals r`,
    row: 'r',
    where: [sql`r.referrer_id = ${accountId}`, sql`r.deleted_at IS NULL`],
    joins: sql`JOIN accounts a ON a.id = r.referred_id`,
  });
  return {
    data: rows.map((row) => ({
      ...toWireRow(row, 'percentile', 'earnedEur'),
      referred: { fname: row.firstName, lname: row.lastName },
    })),
    meta,
  };
}

/** Directly or through others. */
const isReferrerOf = (trx: Trx, from: number, to: number) => queryValue<boolean>(trx)`
    WITH RECURSIVE brought AS (
      SELECT referred_id FROM referrals WHERE referrer_id = ${from} AND deleted_at IS NULL
      UNION
      SELECT r.referred_id FROM brought b JOIN referrals r ON r.referrer_id = b.referred_id AND r.deleted_at IS NULL
    )
    SELECT EXISTS (SELECT 1 FROM brought WHERE referred_id = ${to}) AS found`;

/**
 * For imports opened later.
 * @throws validation_failed for oneself or an unknown account; conflict for an existing pair or a cycle
 */
export async function addReferral(trx: Trx, caller: Caller, form: ReferralForm): Promise<{ id: number }> {
  const { referrerId, referredId } = form;
  if (referrerId === referredId) throw invalid({ referredId: messages.referralToSelf });
  // Two that would close a cycle together see each other.
  const version = await queryValue<number>(trx)`SELECT lock_terms()`;
  const former = await queryColumn<number>(trx)`
    SELECT id FROM accounts WHERE id IN (${referrerId}, ${referredId}) AND erased_at IS NULL`;
  for (const [field, id] of [
    ['referrerId', referrerId],
    ['referredId', referredId],
  ] as const) {
    if (!former.includes(id)) throw invalid({ [field]: messages.unknownAccount });
  }
  const isDouble = await exists(trx)`
    SELECT FROM referrals WHERE referrer_id = ${referrerId} AND referred_id = ${referredId} AND deleted_at IS NULL`;
  if (isDouble) throw conflict(messages.referralTwice);
  if (await isReferrerOf(trx, referredId, referrerId)) throw conflict(messages.referralCycle);
  const { id } = await trx
    .insertInto('referrals')
    .values({ referrerId, referredId, percentile: form.percentile.toFixed(2), createdVersion: version })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeAudit(trx, caller, { action: 'referral.add', entityId: id, after: { ...form } });
  return { id };
}

/** For imports opened later. */
export async function deleteReferral(trx: Trx, caller: Caller, id: number): Promise<{ id: number }> {
  const version = await queryValue<number>(trx)`SELECT lock_terms()`;
  const deleted = await queryRow<{ referrerId: number; referredId: number; percentile: string }>(trx)`
    UPDATE referrals SET deleted_at = ${new Date()}, deleted_version = ${version}
     WHERE id = ${id} AND deleted_at IS NULL RETURNING referrer_id, referred_id, percentile`;
  if (!deleted) throw notFound();
  await writeAudit(trx, caller, { action: 'referral.delete', entityId: id, before: deleted });
  return { id };
}
