import { fieldNames } from '@regie/contract/field-names.ts';
import { messages } from '@regie/contract/messages.ts';
import { formatCreditNoteNumber, formatInvoiceNumber, type PlanName } from '@regie/contract/orders.ts';
import type { ReleaseStatus } from '@regie/contract/releases.ts';
import type { DeliveryForm, Quote } from '@regie/contract/routes/orders.ts';
import { findDay, formatDay } from '@regie/contract/routes/releases.ts';
import { toCents, toDecimal, vatWithin } from '@regie/values/decimal.ts';
import { type Actor, changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { CardEvent, CardPayment, CardPayments } from '#src/lib/card-payments.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { conflict, invalid } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import {
  findEditableRelease,
  lockEditableRelease,
  statusOf,
} from '#src/modules/catalogue/releases/release-access.service.ts';
import * as releases from '#src/modules/catalogue/releases/releases.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { findOtherOrder, issueCreditNote, setStatus } from './invoices.queries.ts';
import * as queries from './orders.queries.ts';
import { type Choice, type Lines, priceOrder } from './orders.rules.ts';
import { findSubscription, lockAccount } from './subscriptions.queries.ts';

/** No other currency is used. */
const currency = 'EUR';
const wire = (cents: bigint) => toWireNumber(toDecimal(cents));

const toQuote = (lines: Lines, vatPercent: string): Quote => ({
  planPrice: wire(lines.planCents),
  labelFees: wire(lines.labelCents),
  expressDeliveryPrice: wire(lines.expressCents),
  discount: wire(lines.discountCents),
  total: wire(lines.totalCents),
  vatPercent: toWireNumber(vatPercent),
  vatAmount: wire(vatWithin(lines.totalCents, toCents(vatPercent))),
  currency,
});

/** An invoice fixes the purchase, even if the order was set back. */
const isInvoiced = (order: queries.OrderRow) => order.status === 'paid' || order.invoiceNumber !== null;

const linesOf = (order: queries.OrderRow): Lines => ({
  planCents: toCents(order.planPrice),
  labelCents: toCents(order.labelFees),
  expressCents: toCents(order.expressPrice),
  discountCents: toCents(order.discount),
  totalCents: toCents(order.total ?? '0'),
});

interface Promo {
  id: number;
  name: string;
  percent: string;
}

/** `fault` says why the code does not apply; an empty name means none. */
export async function readPromo(db: Trx, name: string): Promise<{ promo?: Promo; fault?: string }> {
  if (name === '') return {};
  const promo = await queries.findPromoCode(db, name);
  if (!promo) return { fault: messages.unknownPromoCode };
  return promo.isExpired ? { fault: messages.expiredPromoCode } : { promo };
}

async function readTerms(db: Trx, accountId: number) {
  const [settings, subscriptionEnd] = await Promise.all([readSettings(db), queries.findSubscriptionEnd(db, accountId)]);
  return { prices: settings.prices, vatPercent: settings.vatPercent.toFixed(2), subscriptionEnd };
}

/** The code the order was priced with stays good. */
async function findPromo(
  db: Trx,
  order: queries.OrderRow | undefined,
  asked: string | undefined,
): Promise<{ isHeld: boolean; held?: Promo | undefined; promo?: Promo | undefined; fault?: string }> {
  const held = order?.promoCodeId ? await queries.findHeldPromoCode(db, order.promoCodeId) : undefined;
  const isHeld = asked === undefined || asked.toLowerCase() === (held?.name ?? '').toLowerCase();
  return { isHeld, held, ...(isHeld ? { promo: held } : await readPromo(db, asked)) };
}

/** The choice is what the order has: it keeps its amounts. */
const isBought = (
  order: queries.OrderRow,
  release: { digitalLabel: string | null; hasExpressDelivery: boolean },
  choice: Choice,
): boolean =>
  choice.plan === order.plan &&
  (choice.label === '') === (release.digitalLabel === null) &&
  choice.hasExpressDelivery === release.hasExpressDelivery;

/** @throws not_found; forbidden */
export async function quoteDelivery(
  db: Trx,
  caller: Caller,
  id: number,
  query: { plan?: PlanName | undefined; label: string; expressDelivery: boolean; promoCode: string },
) {
  const release = await findEditableRelease(db, caller, id);
  const order = await queries.findCurrentOrder(db, id);
  const [{ prices, vatPercent, subscriptionEnd }, { isHeld, held, promo, fault }] = await Promise.all([
    readTerms(db, release.accountId),
    findPromo(db, order, query.promoCode),
  ]);
  const terms = { prices, isSubscribed: subscriptionEnd !== undefined, promoPercent: promo?.percent ?? null };
  const priced = (plan: PlanName): Quote => {
    const choice: Choice = { plan, label: query.label, hasExpressDelivery: query.expressDelivery };
    return order && isHeld && isBought(order, release, choice)
      ? toQuote(linesOf(order), order.vatPercent)
      : toQuote(priceOrder(choice, terms), vatPercent);
  };
  return {
    prices,
    currency,
    subscriptionUntil: subscriptionEnd === undefined ? null : formatDay(subscriptionEnd),
    quote: query.plan === undefined ? null : priced(query.plan),
    promoError: fault ?? null,
    order: order
      ? {
          id: order.id,
          isPaid: order.status === 'paid',
          isInvoiced: isInvoiced(order),
          plan: order.plan,
          promoCode: held?.name ?? null,
          quote: toQuote(linesOf(order), order.vatPercent),
        }
      : null,
  };
}

interface StoredOrder {
  id: number;
  quote: Quote;
  changes: { before: Record<string, unknown>; after: Record<string, unknown> } | undefined;
}

const describeOrder = (order: queries.OrderRow) => ({
  plan: order.plan,
  planPrice: toWireNumber(order.planPrice),
  labelFees: toWireNumber(order.labelFees),
  expressDeliveryPrice: toWireNumber(order.expressPrice),
  discount: toWireNumber(order.discount),
  total: toWireNumber(order.total),
  vatPercent: toWireNumber(order.vatPercent),
});

/** Orders an unpaid release, or reprices its order. */
async function storeOrder(
  trx: Trx,
  caller: Caller,
  release: { id: number; accountId: number },
  choice: Choice,
  promo: Promo | undefined,
  present: queries.OrderRow | undefined,
): Promise<StoredOrder> {
  const { prices, vatPercent, subscriptionEnd } = await readTerms(trx, release.accountId);
  const isSubscribed = subscriptionEnd !== undefined;
  const lines = priceOrder(choice, { prices, isSubscribed, promoPercent: promo?.percent ?? null });
  const values = {
    plan: choice.plan,
    currency,
    planPrice: toDecimal(lines.planCents),
    labelFees: toDecimal(lines.labelCents),
    expressPrice: toDecimal(lines.expressCents),
    discount: toDecimal(lines.discountCents),
    vatPercent,
    promoCodeId: promo?.id ?? null,
  };
  const { id } = present
    ? await trx.updateTable('orders').set(values).where('id', '=', present.id).returning('id').executeTakeFirstOrThrow()
    : await trx
        .insertInto('orders')
        .values({ ...values, accountId: release.accountId, releaseId: release.id, createdBy: caller.adminId })
        .returning('id')
        .executeTakeFirstOrThrow();
  const stored = await queries.findCurrentOrder(trx, release.id);
  const changes = stored && changesBetween(present ? describeOrder(present) : {}, describeOrder(stored));
  return { id, quote: toQuote(lines, vatPercent), changes };
}

/**
 * See product §15.6. An order keeps its amounts (product §34.6) unless plan, kind of label, express delivery or promo
 * code change; a paid or invoiced one is fixed.
 * @throws not_found; forbidden; conflict when a fixed purchase would change; validation_failed
 */
export async function saveDelivery(trx: Trx, caller: Caller, id: number, form: DeliveryForm) {
  const release = await lockEditableRelease(trx, caller, id);
  const present = statusOf(release);
  const status = releases.resolveMove(caller, present, form.status ?? present);
  const order = await queries.findCurrentOrder(trx, id);
  const { label = release.digitalLabel ?? '', expressDelivery = release.hasExpressDelivery } = form;
  const isFixed = order !== undefined && isInvoiced(order);
  // An invoiced order keeps its code: an empty one is no change.
  const asked = form.promoCode === undefined || (isFixed && !form.promoCode) ? undefined : (form.promoCode ?? '');
  const { isHeld, promo, fault } = await findPromo(trx, order, asked);
  if (fault !== undefined) throw invalid({ promoCode: fault });
  const choice: Choice = { plan: form.plan, label, hasExpressDelivery: expressDelivery };
  const unchanged = order !== undefined && isHeld && isBought(order, release, choice) ? order : undefined;
  if (isFixed && !unchanged) throw conflict(order.status === 'paid' ? messages.orderPaid : messages.orderInvoiced);
  const stored: StoredOrder = unchanged
    ? { id: unchanged.id, quote: toQuote(linesOf(unchanged), unchanged.vatPercent), changes: undefined }
    : await storeOrder(trx, caller, release, choice, promo, order);
  const after = {
    plan: form.plan,
    hasExpressDelivery: expressDelivery,
    digitalLabel: label === '' ? null : label,
    digitalGenre: form.genre,
    digitalSubgenre: form.subgenre,
    originalReleaseDate: form.originalRealeaseDate && findDay(form.originalRealeaseDate),
    digitalReleaseDate: form.digitalReleaseDate && findDay(form.digitalReleaseDate),
    platforms: form.platforms,
    territories: form.territories,
  };
  const changes = changesBetween({ ...release, status: present }, { ...after, status });
  let warnings: string[] = [];
  if (changes) {
    await releases.writeRelease(trx, id, status, after);
    const quality = await releases.confirmDelivery(trx, { id, present, status, confirmQuality: form.confirmQuality });
    ({ warnings } = quality);
    await releases.auditForm(trx, caller, { action: 'release.delivery', id, status, ...quality }, changes);
  }
  if (stored.changes) {
    await writeAudit(trx, caller, {
      action: order ? 'order.price' : 'order.create',
      entityId: stored.id,
      before: order ? stored.changes.before : null,
      after: { ...stored.changes.after, promoCode: promo?.name ?? null, ...(order ? {} : { libraryId: id }) },
    });
  }
  return {
    data: { id, status, orderId: stored.id, quote: stored.quote },
    warnings,
    ...(order ? {} : { message: messages.orderCreated(stored.id) }),
  };
}

/** @throws validation_failed without an order or track; conflict when it is paid or the release withdrawn */
async function requirePayable(db: Trx, release: { id: number; status: string }): Promise<queries.OrderRow> {
  const order = await queries.findCurrentOrder(db, release.id);
  if (!order) throw invalid({ global: messages.orderMissing });
  if (order.status === 'paid') throw conflict(messages.alreadyPaid);
  if (statusOf(release) === 'CANCEL') throw conflict(messages.releaseWithdrawn);
  if (!(await queries.hasTrack(db, release.id))) throw invalid({ global: messages.trackMissing });
  return order;
}

interface Settlement {
  cardTransactionId: string | null;
  reference: string | null;
  receiptEmail: string | null;
}

/** Issues the invoice and sends the release to quality control (product §34.3, §34.8). */
export async function settle(
  trx: Trx,
  actor: Actor,
  order: queries.OrderRow,
  release: { id: number; status: string; deletedAt: Date | null } | undefined,
  payment: Settlement,
) {
  // Of two subscriptions paid at once, the second continues the first.
  if (order.plan === 'label') await lockAccount(trx, order.accountId);
  const { house } = await readSettings(trx);
  const invoice = await queries.markPaid(trx, order.id, payment, house);
  const invoiceNumber = formatInvoiceNumber(invoice.invoiceYear, invoice.invoiceNumber);
  await writeAudit(trx, actor, {
    action: 'order.pay',
    entityId: order.id,
    before: { status: order.status === 'cancelled' ? 'CANCEL' : 'PENDING' },
    after: {
      status: 'PAID',
      total: toWireNumber(order.total),
      invoiceNumber,
      libraryId: order.releaseId,
      ...(payment.reference === null ? {} : { reference: payment.reference }),
      ...(payment.cardTransactionId === null ? {} : { cardTransactionId: payment.cardTransactionId }),
      ...(invoice.dueDate === null ? {} : { dueDate: formatDay(invoice.dueDate) }),
    },
  });
  return { invoiceNumber, releaseStatus: await deliverPaid(trx, actor, order.id, release) };
}

/** An issued invoice gets a credit note. */
export async function cancelOrder(
  trx: Trx,
  actor: Actor,
  id: number,
  { from, ...about }: { from: 'PENDING' | 'PAID'; paidInstead?: number },
): Promise<void> {
  const action = (await findSubscription(trx, id)) ? 'subscription.cancel' : 'order.set_status';
  await setStatus(trx, id, 'cancelled', undefined);
  const note = await issueCreditNote(trx, id, actor.adminId);
  const credit = note && {
    creditNote: formatCreditNoteNumber(note.year, note.number),
    creditedInvoice: formatInvoiceNumber(note.invoiceYear, note.invoiceNumber),
  };
  await writeAudit(trx, actor, {
    action,
    entityId: id,
    before: { status: from },
    after: { status: 'CANCEL', ...credit, ...about },
  });
}

/** A pending release goes to quality control (product §34.3); its other pending orders are cancelled. */
export async function deliverPaid(
  trx: Trx,
  actor: Actor,
  orderId: number,
  release: { id: number; status: string; deletedAt: Date | null } | undefined,
): Promise<ReleaseStatus> {
  if (!release) return 'PAID';
  const other = await findOtherOrder(trx, { id: orderId, releaseId: release.id }, 'pending');
  if (other !== undefined) await cancelOrder(trx, actor, other, { from: 'PENDING', paidInstead: orderId });
  const present = statusOf(release);
  if (release.deletedAt !== null || (present !== 'DRAFT' && present !== 'PENDING')) return present;
  await releases.writeRelease(trx, release.id, 'PAID');
  await writeAudit(trx, actor, {
    action: 'release.paid',
    entityId: release.id,
    before: { status: present },
    after: { status: 'PAID' },
  });
  return 'PAID';
}

/**
 * A payment outside Stripe (product §34.7).
 * @throws not_found; forbidden; conflict when paid; validation_failed without a reference
 */
export async function payOffline(trx: Trx, caller: Caller, id: number, reference: string | null) {
  const release = await lockEditableRelease(trx, caller, id);
  const order = await requirePayable(trx, release);
  if (reference === null && toCents(order.total ?? '0') > 0n)
    throw invalid({ reference: messages.required(fieldNames.reference) });
  const paid = await settle(trx, caller, order, release, { cardTransactionId: null, reference, receiptEmail: null });
  return {
    orderId: order.id,
    status: 'PAID' as const,
    ...paid,
    total: toWireNumber(order.total ?? '0'),
    currency: order.currency,
  };
}

export interface PreparedPayment {
  order: queries.OrderRow;
  payment: CardPayment | undefined;
  publicKey: string | null;
}

/** The order's Stripe payment at the current amount, or a new one. */
async function openPayment(db: Trx, cards: CardPayments, order: queries.OrderRow): Promise<CardPayment> {
  const amountCents = toCents(order.total ?? '0');
  if (order.paymentIntentId !== null) {
    const intent = await cards.find(order.paymentIntentId);
    if (intent.status === 'succeeded' || intent.status === 'processing') throw conflict(messages.paymentPending);
    if (intent.status !== 'canceled') {
      return intent.amountCents === amountCents ? intent : cards.changeAmount(intent.id, amountCents);
    }
  }
  const customer = await queries.findCustomer(db, order.id);
  const fullName = `${customer.firstName} ${customer.lastName}`.trim();
  return cards.create({
    amountCents,
    currency: order.currency,
    description: `Commande ${order.id}${customer.title === null ? '' : ` · ${customer.title}`}`.slice(0, 500),
    receiptEmail: customer.email,
    metadata: {
      order_id: String(order.id),
      customer_id: String(customer.id),
      customer_fullname: fullName,
      release_id: customer.releaseId === null ? '' : String(customer.releaseId),
      release_title: (customer.title ?? '').slice(0, 500),
    },
    // Concurrent starts open one payment; a cancelled or credited one needs a new key.
    idempotencyKey: `order-${order.id}-${order.createdAt.getTime()}-${amountCents}-${order.paymentIntentId ?? order.invoiceNumber ?? 'first'}`,
  });
}

/** Opens the payment with Stripe, if configured, outside any transaction. @throws as `requirePayable`; unavailable */
export async function preparePayment(
  db: Database,
  caller: Caller,
  cards: CardPayments | undefined,
  id: number,
): Promise<PreparedPayment> {
  // Read handlers only use methods that pool and transaction share.
  const reader = db as Trx;
  const order = await requirePayable(reader, await findEditableRelease(reader, caller, id));
  if (!cards || toCents(order.total ?? '0') === 0n) return { order, payment: undefined, publicKey: null };
  return { order, payment: await openPayment(reader, cards, order), publicKey: cards.publicKey };
}

/** @throws conflict when the order changed during the call to Stripe */
export async function startPayment(
  trx: Trx,
  caller: Caller,
  id: number,
  { order: seen, payment, publicKey }: PreparedPayment,
) {
  const order = await requirePayable(trx, await lockEditableRelease(trx, caller, id));
  if (order.id !== seen.id || order.total !== seen.total) throw conflict(messages.orderMoved);
  if (payment && order.paymentIntentId !== payment.id) {
    // A concurrent start may have stored the same one.
    if (order.paymentIntentId !== seen.paymentIntentId) throw conflict(messages.orderMoved);
    await trx.updateTable('orders').set({ paymentIntentId: payment.id }).where('id', '=', order.id).execute();
    await writeAudit(trx, caller, {
      action: 'order.start_card',
      entityId: order.id,
      after: { total: toWireNumber(order.total), cardTransactionId: payment.id },
    });
  }
  return {
    mode: payment ? 'card' : toCents(order.total ?? '0') === 0n ? 'free' : 'offline',
    orderId: order.id,
    total: toWireNumber(order.total ?? '0'),
    currency: order.currency,
    clientSecret: payment?.clientSecret ?? null,
    publicKey,
  } as const;
}

function orderIdOf(metadata: Record<string, string>): number | undefined {
  const text = metadata.order_id ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

const system = (requestId: string): Actor => ({ adminId: null, requestId });

/**
 * Handles a verified event once. Only this marks a card order PAID: order, amount and currency must fit, or nothing is
 * delivered.
 * @returns whether something changed
 */
export async function handleCardEvent(trx: Trx, requestId: string, event: CardEvent): Promise<boolean> {
  const { payment } = event;
  const orderId = payment && orderIdOf(payment.metadata);
  if (!payment || orderId === undefined) return false;
  const row = await trx.selectFrom('orders').select('releaseId').where('id', '=', orderId).executeTakeFirst();
  if (!row) return false;
  const release = row.releaseId === null ? undefined : await queries.lockAnyRelease(trx, row.releaseId);
  const order = await queries.lockOrder(trx, orderId);
  if (!order || !(await queries.claimEvent(trx, { id: event.id, type: event.type, orderId }))) return false;

  const actor = system(requestId);
  const refuse = async (
    action: 'order.card_failed' | 'order.card_refused' | 'order.paid_twice',
    reason: string,
    paidInstead?: number,
  ) => {
    await writeAudit(trx, actor, {
      action,
      entityId: orderId,
      after: {
        reason,
        cardTransactionId: payment.id,
        amount: toWireNumber(toDecimal(payment.amountCents)),
        currency: payment.currency,
        ...(paidInstead === undefined ? {} : { paidInstead }),
      },
    });
    return false;
  };
  if (event.type === 'payment_intent.payment_failed') {
    await refuse('order.card_failed', payment.failure ?? 'unknown');
    return true;
  }
  if (order.paymentIntentId !== payment.id) return refuse('order.card_refused', 'unknown_payment');
  if (order.status === 'paid') return refuse('order.paid_twice', 'already_paid');
  const other = await findOtherOrder(trx, order, 'paid');
  if (other !== undefined) return refuse('order.paid_twice', 'release_paid', other);
  const isSame = toCents(order.total ?? '0') === payment.amountCents && order.currency === payment.currency;
  if (!isSame) return refuse('order.card_refused', 'amount_or_currency');
  await settle(trx, actor, order, release, {
    cardTransactionId: payment.id,
    reference: null,
    receiptEmail: payment.email,
  });
  return true;
}
