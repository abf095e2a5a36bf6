import { Capability } from '#src/capabilities.ts';
import { messages } from '#src/messages.ts';
import { isPlain } from '#src/plain-text.ts';
import { defineRoute, Id } from '#src/route.ts';
import { SidebarChoices } from '#src/routes/views.ts';
import { FactorAnswer, FactorPrompt, factorMessages } from '#src/second-factors.ts';
import { z } from '#src/zod.ts';

const maxEmailLength = 254;

/** An e-mail address, any top-level domain (product §15.1); compared without case. */
export const Email = z
  .string({ error: messages.email })
  .trim()
  .max(maxEmailLength, { error: messages.email })
  .pipe(z.email({ error: messages.email }));

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
export const StaffName = z
  .string({ error: messages.nameRequired })
  .trim()
  .min(2, { error: messages.nameRequired })
  .max(40, { error: messages.maxLength(40) })
  .refine(isPlain, { error: messages.hiddenCharacter });

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
  user: z.object({ id: Id, fname: z.string(), lname: z.string(), email: z.string() }),
  /** Here or at the identity provider. */
  hasFactor: z.boolean(),
  /** A second factor is required and this admin has none: only the page "Sécurité" is available. */
  needsFactor: z.literal(true).optional(),
  /** The identity provider that signed this session in. */
  provider: z.string().optional(),
});
export type SessionData = z.infer<typeof SessionData>;

/** `provider` is the identity provider's name on its button. */
const SignInMethods = z.object({ password: z.boolean(), provider: z.string().nullable() });
const maxOriginLength = 2000;
const Origin = z.string().max(maxOriginLength).optional();

export const authRoutes = {
  checkSession: defineRoute('GET /auth/check', {
    capability: 'public',
    summary: 'Session check; the answer, a 401 too, carries the csrf token.',
    response: SessionData,
  }),
  signIn: defineRoute('POST /auth/signin', {
    capability: 'public',
    summary: 'Sign in with e-mail and password; `factor` is the next step for admins with a second factor.',
    body: SignIn,
    response: z.object({ factor: FactorPrompt.optional() }),
  }),
  signInWithFactor: defineRoute('POST /auth/signin/factor', {
    capability: 'public',
    summary: 'The second step of signing in.',
    body: FactorAnswer,
  }),
  signOut: defineRoute('GET /auth/signout', {
    capability: 'public',
    summary: 'End the session; refused when another site asks for it.',
  }),
  requestPasswordReset: defineRoute('POST /auth/reset_password/request', {
    capability: 'public',
    summary: 'Ask for a reset link by e-mail; known and unknown addresses get the same answer.',
    body: ResetRequest,
    message: 'Si cette adresse est connue, un lien de réinitialisation vient de lui être envoyé',
  }),
  resetPassword: defineRoute('POST /auth/reset_password/action', {
    capability: 'public',
    summary: 'Choose a new password with the token of the link.',
    body: ResetAction,
    message: 'Votre mot de passe est changé\u00a0: vous pouvez vous connecter',
  }),
  findReset: defineRoute('GET /auth/reset_password/action', {
    capability: 'public',
    summary: 'Whether a reset link is still valid, for its form.',
    query: z.object({ token: Token }),
    /** Of a signatory, whether a code is needed, or the link does not suffice: they have no factor. */
    response: z.object({ needs: z.enum(['code', 'others']).nullable() }),
  }),
  signUp: defineRoute('POST /auth/signup', {
    capability: 'public',
    summary: 'Create the account that an invitation grants.',
    body: SignUp,
    message: 'Votre compte est créé\u00a0: vous pouvez vous connecter',
  }),
  listSignInWays: defineRoute('GET /auth/ways', {
    capability: 'public',
    summary: 'How one signs in here: by password, by the identity provider of that name, or both.',
    response: SignInMethods,
  }),
  startProviderSignIn: defineRoute('GET /auth/oidc/start', {
    capability: 'public',
    summary: 'Sign in at the identity provider; `origin` is the path to come back to.',
    query: z.object({ origin: Origin }),
    response: z.null(),
    isRedirect: true,
  }),
  startProviderConfirmation: defineRoute('GET /auth/oidc/confirm', {
    capability: 'session',
    summary: 'Sign in again at the identity provider, to confirm who is there.',
    query: z.object({ origin: Origin }),
    response: z.null(),
    isRedirect: true,
  }),
  finishProviderSignIn: defineRoute('GET /auth/oidc/callback', {
    capability: 'public',
    summary: 'Where the identity provider sends the browser back to, with a code.',
    // The library reads whatever parameters a provider sends.
    query: z.looseObject({}),
    response: z.null(),
    isRedirect: true,
  }),
  askProviderFactor: defineRoute('POST /auth/oidc/factor', {
    capability: 'public',
    summary: 'Request the app’s second factor after a sign-in at the identity provider.',
    response: FactorPrompt,
  }),
  findInvitation: defineRoute('GET /auth/invitation', {
    capability: 'public',
    summary: 'The e-mail address of an invitation that is still valid, for the sign-up form.',
    query: z.object({ token: Token }),
    response: z.object({ email: z.string() }),
  }),
};
