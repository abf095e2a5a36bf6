import { Capability } from '@regie/contract/capabilities.ts';
import { z } from '@regie/contract/zod.ts';
import { sealedCookie } from '#src/lib/sealed-cookie.ts';

const attemptSeconds = 15 * 60;
const entrySeconds = 5 * 60;

/** Stored in the browser to check the provider's answer. */
export const attemptCookie = sealedCookie(
  'regie-oidc',
  z.object({
    checks: z.object({
      state: z.string(),
      nonce: z.string(),
      verifier: z.string(),
      startedAt: z.number(),
      isFresh: z.boolean(),
    }),
    origin: z.string(),
    /** Null to sign in. */
    sessionId: z.number().nullable(),
  }),
  attemptSeconds,
);

const Entry = z.object({
  adminId: z.number(),
  subject: z.string(),
  capabilities: z.array(Capability),
  /** Null when the provider does not say. */
  signedInAt: z.number().nullable(),
  hasFactor: z.boolean(),
  /** Of the second step. */
  token: z.string().optional(),
});
export type ProviderEntry = z.infer<typeof Entry>;

/** A sign-in that still needs the factor here. */
export const entryCookie = sealedCookie('regie-oidc-entry', Entry, entrySeconds);
