import { messages } from '#src/messages.ts';
import { BillingType } from '#src/payouts.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { z } from '#src/zod.ts';

const line = 140;
/** Required text of at least 2 characters, with its own error (product §15.10). */
const needed = (error: string, max: number) =>
  z
    .string({ error })
    .trim()
    .min(2, { error })
    .max(max, { error: messages.maxLength(max) });
/** An omitted field keeps its value; null or '' clears it. */
const secondLine = z
  .string()
  .trim()
  .max(line, { error: messages.maxLength(line) })
  .transform((text) => (text === '' ? null : text))
  .nullish();

const holder = {
  owner: needed('Indiquez le titulaire du compte', line),
  holderAddress: needed('Indiquez l’adresse du titulaire', line),
  holderAddress2: secondLine,
  holderCity: needed('Indiquez la ville du titulaire', 80),
  holderCountry: needed('Indiquez le pays du titulaire', 80),
  holderPostcode: needed('Indiquez le code postal du titulaire', 20),
  /** `updatedAt` when the form was opened; changed details answer 409. */
  updatedAt: Instant.optional(),
};

/** `bank-details.ts` also checks IBAN and BIC. */
export const BankForm = z.object({
  ...holder,
  bankName: needed('Indiquez le nom de la banque', line),
  bankCountry: needed('Indiquez le pays de la banque', 80),
  bankAddress: needed('Indiquez l’adresse de la banque', line),
  bankAddress2: secondLine,
  bankCity: needed('Indiquez la ville de la banque', 80),
  bankZipCode: needed('Indiquez le code postal de la banque', 20),
  iban: needed('Indiquez l’IBAN ou le numéro de compte', 60).refine((text) => text.replaceAll(/\s/g, '').length <= 40, {
    error: messages.maxLength(40),
  }),
  swift: needed('Indiquez le code BIC (SWIFT) de la banque', 20).transform((text) =>
    text.toUpperCase().replaceAll(/\s/g, ''),
  ),
});
export type BankForm = z.infer<typeof BankForm>;

export const PaypalForm = z.object({
  email: z
    .string({ error: messages.email })
    .trim()
    .max(254, { error: messages.email })
    .pipe(z.email({ error: messages.email })),
  ...holder,
});
export type PaypalForm = z.infer<typeof PaypalForm>;

/** Where an account is paid (product §13.5); bank fields are null for PayPal. */
export const BillingDetails = z.object({
  id: Id,
  type: BillingType,
  email: z.string().nullable(),
  owner: z.string(),
  holderAddress: z.string(),
  holderAddress2: z.string().nullable(),
  holderCity: z.string(),
  holderCountry: z.string(),
  holderPostcode: z.string(),
  bankName: z.string().nullable(),
  bankCountry: z.string().nullable(),
  bankAddress: z.string().nullable(),
  bankAddress2: z.string().nullable(),
  bankCity: z.string().nullable(),
  bankZipCode: z.string().nullable(),
  iban: z.string().nullable(),
  swift: z.string().nullable(),
});

/** Payment details of an account. `iban` is `••••` and the last 4 characters; sent back unchanged, the stored number is kept. */
export const BillingAccount = BillingDetails.extend({
  userId: Id,
  createdAt: Instant,
  updatedAt: Instant,
  changedBy: z.string().nullable(),
  /** When the hold on its payouts ends, unless they are signed before (`/signatures/billing/:id`); null without a hold. */
  blockedUntil: Instant.nullable(),
  account: z.object({ id: Id, fname: z.string(), lname: z.string() }),
});
export type BillingAccount = z.infer<typeof BillingAccount>;

/** A complete IBAN or account number, shown on request. */
export const AccountNumber = z.object({ iban: z.string() });

const create = { id: Id };

export const billingRoutes = {
  listBillingAccounts: defineRoute('GET /profile/:id/billing-accounts', {
    capability: ['manage_profiles'],
    summary: "An account's bank and PayPal details.",
    query: listQuery(['id'], 'asc', {}),
    response: z.array(BillingAccount),
  }),
  createBankAccount: defineRoute('POST /profile/:id/billing/bank', {
    capability: ['manage_profiles'],
    stepUp: true,
    summary: 'A bank account to pay to; a first entry is no change of details.',
    body: BankForm,
    response: z.object(create),
    message: 'Le compte bancaire est ajouté',
  }),
  createPaypalAccount: defineRoute('POST /profile/:id/billing/paypal', {
    capability: ['manage_profiles'],
    stepUp: true,
    summary: 'A PayPal account to pay to.',
    body: PaypalForm,
    response: z.object(create),
    message: 'Le compte PayPal est ajouté',
  }),
  getBillingAccount: defineRoute('GET /billing/:id', {
    capability: ['manage_profiles'],
    summary: 'Bank or PayPal details.',
    response: BillingAccount,
  }),
  revealBillingAccount: defineRoute('POST /billing/:id/reveal', {
    capability: ['manage_profiles'],
    stepUp: true,
    summary: 'The whole account number; journalled.',
    response: AccountNumber,
  }),
  editBankAccount: defineRoute('PUT /billing/:id/bank', {
    capability: ['manage_profiles'],
    stepUp: true,
    summary:
      'Change bank details: the customer is notified, and payouts to them are held for 72 h or until they are signed.',
    body: BankForm,
    response: BillingAccount,
    message: 'Le compte bancaire est enregistré',
  }),
  editPaypalAccount: defineRoute('PUT /billing/:id/paypal', {
    capability: ['manage_profiles'],
    stepUp: true,
    summary: 'Change PayPal details, likewise.',
    body: PaypalForm,
    response: BillingAccount,
    message: 'Le compte PayPal est enregistré',
  }),
};
