import { isCountryCode } from '@regie/values/countries.ts';
import { messages } from '#src/messages.ts';
import { allTerritories, deliveryPlatformSlugs, planNames } from '#src/orders.ts';
import { anyEditLibraries, genres, ReleaseStatus } from '#src/releases.ts';
import { defineRoute, Id } from '#src/route.ts';
import { Prices } from '#src/settings.ts';
import { optionalText, z } from '#src/zod.ts';
import {
  ConfirmQuality,
  emptyToNull,
  FrenchDate,
  Genre,
  LabelName,
  ReleaseForm,
  requiredName,
  requiredText,
} from './releases.ts';

const maxName = 200;

/** The wizard's first step: the account, and the fields of the release form (product §15.4). */
export const NewReleaseForm = ReleaseForm.omit({ status: true, confirmQuality: true }).extend({
  userId: Id,
  coverDetailsOwner: requiredName(maxName),
});
export type NewReleaseForm = z.infer<typeof NewReleaseForm>;

/** `Apple Music` has the slug `apple-music`. */
const toSlug = (value: unknown) =>
  typeof value === 'string'
    ? value
        .trim()
        .toLowerCase()
        .replaceAll(/[\s_]+/g, '-')
    : value;
const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

const Platforms = z
  .array(z.preprocess(toSlug, z.enum(deliveryPlatformSlugs)), { error: messages.choosePlatform })
  .min(1, { error: messages.choosePlatform })
  .max(100, { error: messages.maxItems(100) })
  .transform(unique);

const Territories = z
  .array(
    z
      .string()
      .trim()
      .transform((code) => (code.toLowerCase() === allTerritories ? allTerritories : code.toUpperCase()))
      .refine((code) => code === allTerritories || isCountryCode(code), { error: messages.invalidChoice }),
    { error: messages.chooseTerritory },
  )
  .min(1, { error: messages.chooseTerritory })
  .max(300, { error: messages.maxItems(300) })
  .transform(unique)
  .refine((list) => list.length === 1 || !list.includes(allTerritories), { error: messages.allWithOthers });

/**
 * The delivery form (product §15.6, §34.4); omitted fields keep their values. An empty `label` is the free digital
 * label, another name costs the premium label fee.
 */
export const DeliveryForm = z.object({
  genre: Genre,
  subgenre: z.union([emptyToNull, z.enum(genres)]).nullish(),
  plan: z.enum(planNames, { error: messages.choosePlan }),
  label: LabelName.optional(),
  originalRealeaseDate: FrenchDate.optional(),
  digitalReleaseDate: FrenchDate.optional(),
  platforms: Platforms,
  territories: Territories.optional(),
  expressDelivery: z.boolean().optional(),
  promoCode: optionalText(100),
  status: ReleaseStatus.optional(),
  confirmQuality: ConfirmQuality,
});
export type DeliveryForm = z.infer<typeof DeliveryForm>;

/** An order's price, VAT included, in its currency. */
export const Quote = z.object({
  planPrice: z.number(),
  labelFees: z.number(),
  expressDeliveryPrice: z.number(),
  discount: z.number(),
  total: z.number(),
  vatPercent: z.number(),
  vatAmount: z.number(),
  currency: z.string(),
});
export type Quote = z.infer<typeof Quote>;

const QuoteAnswer = z.object({
  prices: Prices,
  currency: z.string(),
  /** The last day of the account's label subscription, dd/MM/yyyy; null without a current one. */
  subscriptionUntil: z.string().nullable(),
  /** Null before a plan is chosen. */
  quote: Quote.nullable(),
  /** Why the promo code is not applied; null when it is, or when there is none. */
  promoError: z.string().nullable(),
  /** The release's existing order, at its original prices. */
  order: z
    .object({
      id: Id,
      isPaid: z.boolean(),
      /** Paid, possibly before staff reset its status: the purchase is kept. */
      isInvoiced: z.boolean(),
      plan: z.string(),
      promoCode: z.string().nullable(),
      quote: Quote,
    })
    .nullable(),
});
export type QuoteAnswer = z.infer<typeof QuoteAnswer>;

const DeliveryAnswer = z.object({ id: Id, status: ReleaseStatus, orderId: Id, quote: Quote });
export type DeliveryAnswer = z.infer<typeof DeliveryAnswer>;

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

export const maxReference = 200;
export const OfflinePayment = z.object({
  /** Reference of the transfer, cheque or receipt; only an order of 0 may omit it. */
  reference: optionalText(maxReference),
});

/** The same with an amount to pay: the reference identifies the payment. */
export const ReferencedPayment = z.object({ reference: requiredText(maxReference) });

const Paid = z.object({
  orderId: Id,
  status: z.literal('PAID'),
  releaseStatus: ReleaseStatus,
  invoiceNumber: z.string(),
  total: z.number(),
  currency: z.string(),
});

const PaymentStart = z.object({
  /** `card`: pay by Stripe with the secret; `offline`: Stripe is not configured; `free`: the amount is 0. */
  mode: z.enum(['card', 'offline', 'free']),
  orderId: Id,
  total: z.number(),
  currency: z.string(),
  clientSecret: z.string().nullable(),
  publicKey: z.string().nullable(),
});
export type PaymentStart = z.infer<typeof PaymentStart>;

export const orderRoutes = {
  createRelease: defineRoute('POST /release/new', anyEditLibraries, {
    body: NewReleaseForm,
    response: z.object({ id: Id, status: ReleaseStatus }),
    message: 'Le brouillon est enregistré',
  }),
  quoteDelivery: defineRoute('GET /release/:id/quote', anyEditLibraries, {
    query: z.object({
      plan: z.enum(planNames).optional(),
      label: z.string().trim().max(maxName).default(''),
      expressDelivery: flag,
      promoCode: z.string().trim().max(100).default(''),
    }),
    response: QuoteAnswer,
  }),
  saveDelivery: defineRoute('PUT /release/:id/delivery', anyEditLibraries, {
    summary: 'An unpaid order is repriced when the choice changes; 409 when it is invoiced.',
    body: DeliveryForm,
    response: DeliveryAnswer,
    message: 'La diffusion est enregistrée',
  }),
  startPayment: defineRoute('POST /release/:id/pay/start', anyEditLibraries, { response: PaymentStart }),
  payOffline: defineRoute('POST /release/:id/pay/offline', anyEditLibraries, {
    summary: 'The order is PAID and its invoice issued.',
    body: OfflinePayment,
    response: Paid,
    message: messages.paid,
  }),
};

/** Called by Stripe: the signature over the raw body replaces session and CSRF token. */
export const webhookRoutes = {
  stripeWebhook: defineRoute('POST /webhooks/stripe', 'public', {
    summary: 'Events of Stripe, each handled once; only they make a card order PAID.',
    response: z.object({
      /** False for an event without effect: irrelevant, already handled, or refused and journalled. */
      isHandled: z.boolean(),
    }),
    bodyLimitBytes: 1024 * 1024,
  }),
};
