import { defineRoute, Id, Instant } from '#src/route.ts';
import { OwnPassword } from '#src/routes/auth.ts';
import {
  AddFactorStart,
  AddPasskey,
  AddTotp,
  FactorAnswer,
  FactorKind,
  FactorPrompt,
  PasskeyCreation,
  SecondFactorPolicy,
} from '#src/second-factors.ts';
import { z } from '#src/zod.ts';

/** The page "Sécurité" of the signed-in admin. */
export const Security = z.object({
  policy: SecondFactorPolicy,
  factors: z.array(
    z.object({
      id: Id,
      kind: FactorKind,
      name: z.string(),
      createdAt: Instant,
      lastUsedAt: Instant.nullable(),
    }),
  ),
  recoveryCodesLeft: z.number(),
  /** What adding the first factor requires; null for admins with a factor. */
  firstFactor: z.object({ needsMailCode: z.boolean(), needsPassword: z.boolean() }).nullable(),
  /** A colleague has asked to lift the factors. */
  factorLift: z.object({ askedBy: z.string(), dueAt: Instant }).nullable(),
  sessions: z.array(
    z.object({
      id: Id,
      device: z.string().nullable(),
      address: z.string().nullable(),
      createdAt: Instant,
      lastSeenAt: Instant,
      isCurrent: z.boolean(),
    }),
  ),
  /** The last sign-ins, including refused ones. */
  signIns: z.array(
    z.object({
      at: Instant,
      device: z.string().nullable(),
      address: z.string().nullable(),
      result: z.enum(['signed_in', 'wrong_password', 'wrong_factor', 'provider_refused']),
    }),
  ),
});
export type Security = z.infer<typeof Security>;

/** Returned only when the first factor is added; otherwise empty. */
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

/** Under /auth, where answers are not stored for an Idempotency-Key: they contain secrets. */
export const securityRoutes = {
  getSecurity: defineRoute('GET /auth/security', {
    capability: 'session',
    summary: 'Own second factors, sessions and last sign-ins.',
    response: Security,
  }),
  startStepUp: defineRoute('POST /auth/step-up/start', {
    capability: 'session',
    summary: 'Start a step-up with a second factor.',
    response: FactorPrompt,
  }),
  stepUp: defineRoute('POST /auth/step-up', {
    capability: 'session',
    summary: 'Confirm who is there: the calls that ask for a recent second factor are open for ten minutes.',
    body: FactorAnswer,
  }),
  sendFactorCode: defineRoute('POST /auth/factors/mail-code', {
    capability: 'session',
    summary: 'Mail the code that adding a first factor asks for where a factor is required.',
    message: 'Un code vient de vous être envoyé par e-mail',
  }),
  startTotp: defineRoute('POST /auth/factors/totp/start', {
    capability: 'session',
    stepUp: true,
    summary: 'Make the secret of a new authenticator app.',
    body: AddFactorStart,
    response: z.object({ token: z.string(), secret: z.string(), uri: z.string() }),
  }),
  addTotp: defineRoute('POST /auth/factors/totp', {
    capability: 'session',
    stepUp: true,
    summary: 'Add the authenticator app once it shows a right code.',
    body: AddTotp,
    response: RecoveryCodes,
    message: 'L’application d’authentification est ajoutée',
  }),
  startPasskey: defineRoute('POST /auth/factors/passkey/start', {
    capability: 'session',
    stepUp: true,
    summary: 'Start adding a passkey.',
    body: AddFactorStart,
    response: z.object({ token: z.string(), options: PasskeyCreation }),
  }),
  addPasskey: defineRoute('POST /auth/factors/passkey', {
    capability: 'session',
    stepUp: true,
    summary: 'Add the passkey that the browser has made.',
    body: AddPasskey,
    response: RecoveryCodes,
    message: 'La clé d’accès est ajoutée',
  }),
  removeFactor: defineRoute('DELETE /auth/factors/:id', {
    capability: 'session',
    stepUp: true,
    summary: 'Remove an own second factor; the last one takes the recovery codes with it.',
    message: 'Le second facteur est retiré',
  }),
  renewRecoveryCodes: defineRoute('POST /auth/factors/recovery-codes', {
    capability: 'session',
    stepUp: true,
    summary: 'Make ten new recovery codes; the former ones are void.',
    response: RecoveryCodes,
    message: 'Les anciens codes de secours ne valent plus rien',
  }),
  refuseFactorLift: defineRoute('DELETE /auth/factor-lift', {
    capability: 'session',
    summary: 'Keep one’s own second factors, which a colleague has asked to lift.',
    message: 'Votre second facteur est conservé',
  }),
  endSession: defineRoute('DELETE /auth/sessions/:id', {
    capability: 'session',
    summary: 'End another session of one’s own.',
    message: 'La session est fermée',
  }),
  endOtherSessions: defineRoute('DELETE /auth/sessions', {
    capability: 'session',
    summary: 'End every session of one’s own but this one.',
    message: 'Vos autres sessions sont fermées',
  }),
  changeOwnPassword: defineRoute('PUT /auth/password', {
    capability: 'session',
    stepUp: true,
    summary: 'Change one’s own password; every other session ends.',
    body: OwnPassword,
    message: 'Votre mot de passe est changé, et vos autres sessions sont fermées',
  }),
};
