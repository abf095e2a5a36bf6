import { Capability } from '#src/capabilities.ts';
import { messages } from '#src/messages.ts';
import { isPlain } from '#src/plain-text.ts';
import { AccountRef, defineRoute } from '#src/route.ts';
import { SidebarChoices } from '#src/routes/views.ts';
import { FactorAnswer, FactorPrompt, factorMessages } from '#src/second-factors.ts';
import { filledText, z } from '#src/zod.ts';

/** An e-mail address, any top-level domain (product §15.1); compared without case. */
export const Email = z.string({ error: messages.email }).trim().max(254, { error: messages.email }).pipe(z.email());

/** A password typed to sign in: 6 to 128 characters (product §15.1, §31.11). */
const Password = z
  .string({ error: messages.password })
  .min(6, { error: messages.password })
  .max(128, { error: messages.passwordTooLong });

/** A password being chosen: at least 8 characters (product §39.19). */
export const NewPassword = z
  .string({ error: messages.passwordTooShort })
  .min(8, { error: messages.passwordTooShort })
  .max(128, { error: messages.passwordTooLong });

/** A staff member's first or last name: 2 to 40 characters (product §39.20). */
export const StaffName = filledText(messages.nameRequired, 40, 2).refine(isPlain, { error: messages.hiddenCharacter });

export const SignIn = z.object({ email: Email, password: Password });

const withConfirmation = { password: NewPassword, password_confirmation: NewPassword };
const sameTwice = (value: { password: string; password_confirmation: string }) =>
  value.password === value.password_confirmation;
const confirmationError = { error: messages.passwordConfirmation, path: ['password_confirmation'] };

/** A reset or invitation token from a link; without it the unauthorized sentence is shown (product §15.2). */
const Token = z.string({ error: messages.unauthorized }).min(1, { error: messages.unauthorized }).max(200);

export const ResetRequest = z.object({ email: Email });
export const ResetAction = z
  .object({
    ...withConfirmation,
    token: Token,
    /** Of a signatory: a code of their application, or a recovery code. */
    code: z.string().trim().max(60).optional(),
  })
  .refine(sameTwice, confirmationError);
export const SignUp = z
  .object({ fname: StaffName, lname: StaffName, email: Email.optional(), ...withConfirmation, token: Token })
  .refine(sameTwice, confirmationError);

export const OwnPassword = z
  .object({
    presentPassword: z
      .string({ error: factorMessages.presentPassword })
      .min(1, { error: factorMessages.presentPassword })
      .max(128, { error: messages.passwordTooLong }),
    ...withConfirmation,
  })
  .refine(sameTwice, confirmationError);

/** The session context (product §31.17). */
export const SessionData = z.object({
  location: z.string(),
  invoices: z.boolean(),
  cash: z.number(),
  currency: z.string(),
  reports: z.array(z.number()),
  userCapabilities: z.array(Capability),
  sidebar: SidebarChoices,
  user: AccountRef.extend({ email: z.string() }),
  /** Here or at the identity provider. */
  hasFactor: z.boolean(),
  /** A second factor is required and this admin has none: only the page "Sécurité" is available. */
  needsFactor: z.literal(true).optional(),
  provider: z.string().optional(),
});
export type SessionData = z.infer<typeof SessionData>;

const Origin = z.string().max(2000).optional();

export const authRoutes = {
  checkSession: defineRoute('GET /auth/check', 'public', {
    summary: 'The answer, a 401 too, carries the csrf token.',
    response: SessionData,
  }),
  signIn: defineRoute('POST /auth/signin', 'public', {
    summary: '`factor` is the next step for admins with a second factor.',
    body: SignIn,
    response: z.object({ factor: FactorPrompt.optional() }),
  }),
  signInWithFactor: defineRoute('POST /auth/signin/factor', 'public', { body: FactorAnswer }),
  signOut: defineRoute('GET /auth/signout', 'public', { summary: 'Refused when another site asks for it.' }),
  requestPasswordReset: defineRoute('POST /auth/reset_password/request', 'public', {
    summary: 'Known and unknown addresses get the same answer.',
    body: ResetRequest,
    message: 'Si cette adresse est connue, un lien de réinitialisation vient de lui être envoyé',
  }),
  resetPassword: defineRoute('POST /auth/reset_password/action', 'public', {
    body: ResetAction,
    message: 'Votre mot de passe est changé\u00a0: vous pouvez vous connecter',
  }),
  findReset: defineRoute('GET /auth/reset_password/action', 'public', {
    summary: 'Whether a reset link is still valid.',
    query: z.object({ token: Token }),
    /** Of a signatory, whether a code is needed, or the link does not suffice: they have no factor. */
    response: z.object({ needs: z.enum(['code', 'others']).nullable() }),
  }),
  signUp: defineRoute('POST /auth/signup', 'public', {
    body: SignUp,
    message: 'Votre compte est créé\u00a0: vous pouvez vous connecter',
  }),
  listSignInWays: defineRoute('GET /auth/ways', 'public', {
    /** `provider` is the identity provider's name on its button. */
    response: z.object({ password: z.boolean(), provider: z.string().nullable() }),
  }),
  startProviderSignIn: defineRoute('GET /auth/oidc/start', 'public', {
    summary: '`origin` is the path to come back to.',
    query: z.object({ origin: Origin }),
    response: z.null(),
    isRedirect: true,
  }),
  startProviderConfirmation: defineRoute('GET /auth/oidc/confirm', 'session', {
    query: z.object({ origin: Origin }),
    response: z.null(),
    isRedirect: true,
  }),
  finishProviderSignIn: defineRoute('GET /auth/oidc/callback', 'public', {
    // The library reads whatever parameters a provider sends.
    query: z.looseObject({}),
    response: z.null(),
    isRedirect: true,
  }),
  askProviderFactor: defineRoute('POST /auth/oidc/factor', 'public', { response: FactorPrompt }),
  findInvitation: defineRoute('GET /auth/invitation', 'public', {
    query: z.object({ token: Token }),
    response: z.object({ email: z.string() }),
  }),
};
