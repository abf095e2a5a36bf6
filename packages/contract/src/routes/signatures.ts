import { defineRoute, ExpectedVersion, Id, Instant } from '#src/route.ts';
import { JournalEntry } from '#src/routes/staff.ts';
import { PasskeyAssertion, PasskeyRequest } from '#src/second-factors.ts';
import { SignatureSubject, SigningState } from '#src/signatures.ts';
import { z } from '#src/zod.ts';

const SubjectParams = z.object({ subject: SignatureSubject, id: z.string().regex(/^(all|\d{1,16}|\d{4}-\d{2})$/) });

/** What waits for signatures, or may be signed. */
export const Signable = z.object({
  subject: SignatureSubject,
  id: z.string(),
  /** The name of an account or file, the number of a batch; empty where `entry` tells it all. */
  label: z.string(),
  amountEur: z.number().nullable(),
  /** When it was made, and by whom; null for several or the system. */
  at: Instant,
  by: z.string().nullable(),
  /** The journal's entry of a proposed change or of changed details. */
  entry: JournalEntry.nullable(),
  signing: SigningState,
});
export type Signable = z.infer<typeof Signable>;

const Line = z.object({
  /** The account's name, or where unsigned money comes from. */
  label: z.string(),
  userId: Id.nullable(),
  amountEur: z.number(),
  /** Of a payment: its unsigned part. */
  unsignedEur: z.number().nullable(),
  /** Of a payment its masked destination; of unsigned money who uploaded, validated, posted, typed or returned it. */
  note: z.string(),
  isNewDestination: z.boolean(),
  at: Instant.nullable(),
});
export type SignableLine = z.infer<typeof Line>;

const SignableDetail = Signable.extend({
  /** The journal's entries about it since the last signature: accounts, destinations, tracks, shares, referrals, rates. */
  news: z.array(JournalEntry),
  payments: z.array(Line),
  /** The unsigned part of the payments; null of others. */
  unsignedEur: z.number().nullable(),
  /** Unsigned money of the accounts that are paid, newest first, or what an import or month credited, by origin. */
  origins: z.array(Line),
  /** Credits by account of an import or month, the largest first; `amountEur` of all is the record's. */
  credits: z.array(Line),
  /** Lines that were left out of `payments` or `credits`. */
  more: z.number(),
});
export type SignableDetail = z.infer<typeof SignableDetail>;

export const signatureRoutes = {
  listSignables: defineRoute('GET /signatures', 'session', {
    summary: 'For signatories and for those who may see the records.',
    response: z.object({ signatories: z.number(), items: z.array(Signable) }),
  }),
  getSignable: defineRoute('GET /signatures/:subject/:id', 'session', {
    summary:
      'Null where there is nothing to sign; signatories see it whatever their rights, others need those of the record.',
    params: SubjectParams,
    response: SignableDetail.nullable(),
  }),
  startSigning: defineRoute('POST /signatures/:subject/:id/start', 'session', {
    stepUp: true,
    summary: 'What the caller’s passkey has to sign; null for those without a passkey.',
    params: SubjectParams,
    body: z.object({ version: ExpectedVersion }),
    response: z.object({ token: z.string(), passkey: PasskeyRequest }).nullable(),
  }),
  sign: defineRoute('POST /signatures/:subject/:id', 'session', {
    stepUp: true,
    summary: 'The last signature that is needed carries a proposed change out.',
    params: SubjectParams,
    body: z.object({
      version: ExpectedVersion,
      /** For signatories without a factor, where the setting leaves it optional. */
      password: z.string().max(128).optional(),
      token: z.string().max(200).optional(),
      passkey: PasskeyAssertion.optional(),
    }),
    response: z.object({ isComplete: z.boolean() }),
    message: 'Votre signature est enregistrée',
  }),
  withdrawSignature: defineRoute('DELETE /signatures/:subject/:id', 'session', {
    summary: 'Whoever proposed a change, or a signatory, withdraws the change itself.',
    params: SubjectParams,
    message: 'Le retrait est enregistré',
  }),
  askSignature: defineRoute('POST /signatures/:subject/:id/ask', 'session', {
    summary: 'Mails a link to the signatories who can still sign; three times an hour for each record.',
    params: SubjectParams,
    response: z.object({ asked: z.array(z.string()) }),
    message: 'La demande est envoyée',
  }),
};
