import { messages } from '@regie/contract/messages.ts';
import type { FastifyBaseLogger } from 'fastify';
import { Stripe } from 'stripe';
import { AppError, invalid } from './errors.ts';

/** The used parts of a payment; the amount is in the currency's smallest unit. */
export type CardPayment = ReturnType<typeof toPayment>;

interface NewCardPayment {
  amountCents: bigint;
  currency: string;
  description: string;
  receiptEmail: string | null;
  metadata: Record<string, string>;
  /** The same key returns the same payment. */
  idempotencyKey: string;
}

/** An event whose signature was verified; `payment` is set when a payment succeeded or failed. */
export interface CardEvent {
  id: string;
  type: string;
  payment?: CardPayment & { metadata: Record<string, string>; failure: string | null; email: string | null };
}

export type CardPayments = ReturnType<typeof createCardPayments>;

const timeoutMs = 20_000;

const toPayment = (intent: Stripe.PaymentIntent) => ({
  id: intent.id,
  status: intent.status,
  amountCents: BigInt(intent.amount),
  /** ISO 4217, upper case. */
  currency: intent.currency.toUpperCase(),
  clientSecret: intent.client_secret,
});

/**
 * Stripe through its SDK. All methods except `readEvent` use the network: never call them in a transaction. They throw
 * AppError unavailable when Stripe fails, validation_failed for an amount too small. @param api a test's own server
 */
export function createCardPayments(
  keys: Record<'secretKey' | 'publicKey' | 'webhookSecret', string>,
  { log, api }: { log: FastifyBaseLogger; api?: { host: string; port: number; protocol: 'http' } },
) {
  const stripe = new Stripe(keys.secretKey, { ...api, timeout: timeoutMs, maxNetworkRetries: 2, telemetry: false });
  const ask = async (call: () => Promise<Stripe.PaymentIntent>): Promise<CardPayment> => {
    try {
      return toPayment(await call());
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      if (error.code === 'amount_too_small') throw invalid({ global: messages.amountTooSmall });
      // The message is not logged: it may quote a key.
      log.error({ type: error.type, code: error.code, status: error.statusCode, stripe: error.requestId }, 'stripe');
      throw new AppError('unavailable', messages.cardUnavailable);
    }
  };
  return {
    publicKey: keys.publicKey,
    create: (payment: NewCardPayment) =>
      ask(() =>
        stripe.paymentIntents.create(
          {
            amount: Number(payment.amountCents),
            currency: payment.currency.toLowerCase(),
            allowed_payment_method_types: ['card'],
            description: payment.description,
            metadata: payment.metadata,
            ...(payment.receiptEmail === null ? {} : { receipt_email: payment.receiptEmail }),
          },
          { idempotencyKey: payment.idempotencyKey },
        ),
      ),
    find: (id: string) => ask(() => stripe.paymentIntents.retrieve(id)),
    changeAmount: (id: string, amountCents: bigint) =>
      ask(() => stripe.paymentIntents.update(id, { amount: Number(amountCents) })),
    /** @throws Error when the signature does not match, or is older than five minutes */
    readEvent(rawBody: Buffer, signature: string): CardEvent {
      const event = stripe.webhooks.constructEvent(rawBody, signature, keys.webhookSecret);
      if (event.type !== 'payment_intent.succeeded' && event.type !== 'payment_intent.payment_failed') {
        return { id: event.id, type: event.type };
      }
      const intent = event.data.object;
      return {
        id: event.id,
        type: event.type,
        payment: {
          ...toPayment(intent),
          // The amount received; before success it is zero.
          amountCents: BigInt(event.type === 'payment_intent.succeeded' ? intent.amount_received : intent.amount),
          metadata: intent.metadata,
          failure: intent.last_payment_error?.decline_code ?? intent.last_payment_error?.code ?? null,
          email: intent.receipt_email,
        },
      };
    },
  };
}
