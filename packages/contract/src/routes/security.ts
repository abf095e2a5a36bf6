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
  getSecurity: defineRoute('GET /auth/security', 'session', { response: Security }),
  startStepUp: defineRoute('POST /auth/step-up/start', 'session', { response: FactorPrompt }),
  stepUp: defineRoute('POST /auth/step-up', 'session', {
    summary: 'The calls that ask for a recent second factor are open for ten minutes.',
    body: FactorAnswer,
  }),
  sendFactorCode: defineRoute('POST /auth/factors/mail-code', 'session', {
    message: 'Un code vient de vous être envoyé par e-mail',
  }),
  startTotp: defineRoute('POST /auth/factors/totp/start', 'session', {
    stepUp: true,
    body: AddFactorStart,
    response: z.object({ token: z.string(), secret: z.string(), uri: z.string() }),
  }),
  addTotp: defineRoute('POST /auth/factors/totp', 'session', {
    stepUp: true,
    body: AddTotp,
    response: RecoveryCodes,
    message: 'L’application d’authentification est ajoutée',
  }),
  startPasskey: defineRoute('POST /auth/factors/passkey/start', 'session', {
    stepUp: true,
    body: AddFactorStart,
    response: z.object({ token: z.string(), options: PasskeyCreation }),
  }),
  addPasskey: defineRoute('POST /auth/factors/passkey', 'session', {
    stepUp: true,
    body: AddPasskey,
    response: RecoveryCodes,
    message: 'La clé d’accès est ajoutée',
  }),
  removeFactor: defineRoute('DELETE /auth/factors/:id', 'session', {
    stepUp: true,
    summary: 'The last one takes the recovery codes with it.',
    message: 'Le second facteur est retiré',
  }),
  renewRecoveryCodes: defineRoute('POST /auth/factors/recovery-codes', 'session', {
    stepUp: true,
    response: RecoveryCodes,
    message: 'Les anciens codes de secours ne valent plus rien',
  }),
  refuseFactorLift: defineRoute('DELETE /auth/factor-lift', 'session', {
    message: 'Votre second facteur est conservé',
  }),
  endSession: defineRoute('DELETE /auth/sessions/:id', 'session', { message: 'La session est fermée' }),
  endOtherSessions: defineRoute('DELETE /auth/sessions', 'session', { message: 'Vos autres sessions sont fermées' }),
  changeOwnPassword: defineRoute('PUT /auth/password', 'session', {
    stepUp: true,
    body: OwnPassword,
    message: 'Votre mot de passe est changé, et vos autres sessions sont fermées',
  }),
};
