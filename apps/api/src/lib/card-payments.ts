import { messages } from '@regie/contract/messages.ts';
import type { FastifyBaseLogger } from 'fastify';
import { Stripe } from 'stripe';
import { AppError, invalid } from './errors.ts';

export interface CardKeys {
  secretKey: string;
  publicKey: string;
  webhookSecret: string;
}

/** The used parts of a payment; the amount is in the currency's smallest unit. */
export interface CardPayment {
  id: string;
  status: Stripe.PaymentIntent.Status;
  amountCents: bigint;
  /** ISO 4217, upper case. */
  currency: string;
  clientSecret: string | null;
}

export interface NewCardPayment {
  amountCents: bigint;
  currency: string;
  description: string;
  receiptEmail: string | null;
  metadata: Record<string, string>;
  /** The same key returns the same payment. */
  idempotencyKey: string;
}

/** An event whose signature was verified. */
export interface CardEvent {
  id: string;
  type: string;
  /** Set when a payment succeeded or failed. */
  payment:
    | (CardPayment & { metadata: Record<string, string>; failure: string | null; email: string | null })
    | undefined;
}

/**
 * Stripe through its official SDK. All methods except `readEvent` use the network: never call them in a transaction.
 * They throw AppError unavailable when Stripe fails, validation_failed for an amount too small for a card.
 */
export interface CardPayments {
  publicKey: string;
  create(payment: NewCardPayment): Promise<CardPayment>;
  find(id: string): Promise<CardPayment>;
  changeAmount(id: string, amountCents: bigint): Promise<CardPayment>;
  /** @throws Error when the signature does not match, or is older than five minutes */
  readEvent(rawBody: Buffer, signature: string): CardEvent;
}

const timeoutMs = 20_000;

const toPayment = (intent: Stripe.PaymentIntent): CardPayment => ({
  id: intent.id,
  status: intent.status,
  amountCents: BigInt(intent.amount),
  currency: intent.currency.toUpperCase(),
  clientSecret: intent.client_secret,
});

interface Options {
  log: FastifyBaseLogger;
  /** For a test's own server. */
  api?: { host: string; port: number; protocol: 'http' };
}

export function createCardPayments(keys: CardKeys, { log, api }: Options): CardPayments {
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
    create: (payment) =>
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
    find: (id) => ask(() => stripe.paymentIntents.retrieve(id)),
    changeAmount: (id, amountCents) => ask(() => stripe.paymentIntents.update(id, { amount: Number(amountCents) })),
    readEvent(rawBody, signature) {
      const event = stripe.webhooks.constructEvent(rawBody, signature, keys.webhookSecret);
      if (event.type !== 'payment_intent.succeeded' && event.type !== 'payment_intent.payment_failed') {
        return { id: event.id, type: event.type, payment: undefined };
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
