import { messages } from '@regie/contract/messages.ts';
import type { PromoCode, PromoCodeForm } from '@regie/contract/routes/promo-codes.ts';
import { findDay, formatDay } from '@regie/contract/routes/releases.ts';
import { writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { invalid, notFound, orNotFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import * as queries from './promo-codes.queries.ts';

const toPromoCode = (row: queries.PromoCodeRow): PromoCode => ({
  ...toWireRow(row),
  type: 'percent',
  amount: toWireNumber(row.percent),
  dueDate: formatDay(row.dueDate),
});

const describe = ({ name, description, amount, dueDate }: PromoCode) => ({
  name,
  description,
  percent: amount,
  dueDate,
});

export async function listPromoCodes(db: Trx, filter: queries.PromoCodeFilter) {
  const { rows, meta } = await queries.listPromoCodes(db, filter);
  return { data: rows.map(toPromoCode), meta };
}

async function getPromoCode(db: Trx, id: number): Promise<PromoCode> {
  const row = orNotFound(await queries.findPromoCode(db, id));
  return toPromoCode(row);
}

/**
 * A percentage off plan and fees (product §25.5, §34.7). An expired one is added with a warning.
 * @throws validation_failed for a name in use
 */
export async function addPromoCode(trx: Trx, caller: Caller, form: PromoCodeForm) {
  const dueDate = findDay(form.dueDate);
  if (dueDate === undefined) throw invalid({ dueDate: messages.dueDateRequired });
  const id = await queries.insertPromoCode(trx, {
    name: form.name,
    description: form.description ?? null,
    percent: form.amount.toFixed(2),
    dueDate,
    createdBy: caller.adminId,
  });
  if (id === undefined) throw invalid({ name: messages.promoCodeTwice });
  const added = await getPromoCode(trx, id);
  const warnings = added.isExpired ? [messages.promoCodePast(added.dueDate)] : undefined;
  await writeAudit(trx, caller, {
    action: 'promo_code.create',
    entityId: id,
    after: { ...describe(added), ...(warnings && { warnings }) },
  });
  return { data: added, warnings };
}

/** Existing orders keep their price. */
export async function deletePromoCode(trx: Trx, caller: Caller, id: number): Promise<{ id: number }> {
  const former = await getPromoCode(trx, id);
  if (!(await queries.removePromoCode(trx, id))) throw notFound();
  await writeAudit(trx, caller, {
    action: 'promo_code.delete',
    entityId: id,
    before: describe(former),
  });
  return { id };
}
