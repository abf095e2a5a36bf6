import { BankAnswer } from '#src/bank-answers.ts';
import { messages } from '#src/messages.ts';
import { BillingType } from '#src/payouts.ts';
import { AccountRef, defineRoute, Id, Instant, listQuery, SeenAt } from '#src/route.ts';
import { filledText, optionalText, z } from '#src/zod.ts';
import { Email } from './auth.ts';

const line = 140;
/** Required text of at least 2 characters, with its own error (product §15.10). */
const needed = (error: string, max: number) => filledText(error, max, 2);

const holder = {
  owner: needed('Indiquez le titulaire du compte', line),
  holderAddress: needed('Indiquez l’adresse du titulaire', line),
  holderAddress2: optionalText(line),
  holderCity: needed('Indiquez la ville du titulaire', 80),
  holderCountry: needed('Indiquez le pays du titulaire', 80),
  holderPostcode: needed('Indiquez le code postal du titulaire', 20),
  updatedAt: SeenAt,
};

/** `bank-details.ts` also checks IBAN and BIC. */
export const BankForm = z.object({
  ...holder,
  bankName: needed('Indiquez le nom de la banque', line),
  bankCountry: needed('Indiquez le pays de la banque', 80),
  bankAddress: needed('Indiquez l’adresse de la banque', line),
  bankAddress2: optionalText(line),
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
  email: Email,
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
  /** The last one about this holder and destination. */
  bankAnswer: BankAnswer.nullable(),
  account: AccountRef,
});
export type BillingAccount = z.infer<typeof BillingAccount>;

export const AccountNumber = z.object({ iban: z.string() });

export const billingRoutes = {
  listBillingAccounts: defineRoute('GET /profile/:id/billing-accounts', ['manage_profiles'], {
    query: listQuery(['id'], 'asc', {}),
    response: z.array(BillingAccount),
  }),
  createBankAccount: defineRoute('POST /profile/:id/billing/bank', ['manage_profiles'], {
    stepUp: true,
    summary: 'A first entry is no change of details.',
    body: BankForm,
    response: z.object({ id: Id }),
    message: 'Le compte bancaire est ajouté',
  }),
  createPaypalAccount: defineRoute('POST /profile/:id/billing/paypal', ['manage_profiles'], {
    stepUp: true,
    body: PaypalForm,
    response: z.object({ id: Id }),
    message: 'Le compte PayPal est ajouté',
  }),
  getBillingAccount: defineRoute('GET /billing/:id', ['manage_profiles'], { response: BillingAccount }),
  revealBillingAccount: defineRoute('POST /billing/:id/reveal', ['manage_profiles'], {
    stepUp: true,
    response: AccountNumber,
  }),
  editBankAccount: defineRoute('PUT /billing/:id/bank', ['manage_profiles'], {
    stepUp: true,
    summary: 'The customer is notified, and payouts to it are held for 72 h or until it is signed.',
    body: BankForm,
    response: BillingAccount,
    message: 'Le compte bancaire est enregistré',
  }),
  editPaypalAccount: defineRoute('PUT /billing/:id/paypal', ['manage_profiles'], {
    stepUp: true,
    body: PaypalForm,
    response: BillingAccount,
    message: 'Le compte PayPal est enregistré',
  }),
};
