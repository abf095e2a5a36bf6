import { filledText, z } from './zod.ts';

/** Who must have a second factor: nobody, admins who move money, everybody. */
export const SecondFactorPolicy = z.enum(['optional', 'money', 'all']);
export type SecondFactorPolicy = z.infer<typeof SecondFactorPolicy>;

export const FactorKind = z.enum(['totp', 'passkey']);
export type FactorKind = z.infer<typeof FactorKind>;

/** The delay before a colleague's lift of a factor takes effect, unless two signatures make it happen at once. */
export const factorLiftHours = 24;

/** How long a used second factor is valid for calls with `stepUp`. */
export const stepUpMinutes = 10;

export const recoveryCodeCount = 10;

const nbsp = '\u00a0';

export const factorMessages = {
  missing: `Cette action demande un second facteur${nbsp}: ajoutez-en un dans Sécurité, puis recommencez`,
  stepUp: `Confirmez que c’est bien vous${nbsp}: utilisez votre second facteur, puis recommencez`,
  policyNeedsEditAdmins: 'Seule une personne qui modifie les administrateurs change qui doit avoir un second facteur',
  ownFactorFirst: `Ajoutez d’abord un second facteur à votre propre compte, dans Sécurité${nbsp}: sans lui, vous n’auriez plus accès à rien`,
  liftOwn: 'On ne lève pas soi-même son second facteur',
  liftAsked: 'La levée de ce second facteur est déjà demandée',
  noFactor: 'Cette personne n’a pas de second facteur',
  wrongCode: `Ce code n’est pas valide ou a déjà servi${nbsp}: attendez le suivant`,
  wrongPasskey: 'La clé d’accès n’a pas été reconnue',
  expired: `Cette demande a expiré${nbsp}: recommencez`,
  codeRequired: 'Indiquez le code',
  nameRequired: 'Donnez un nom à ce facteur',
  nameTooLong: 'Le nom compte au plus 60 caractères',
  wrongPassword: 'Ce n’est pas votre mot de passe actuel',
  presentPassword: 'Indiquez votre mot de passe actuel',
  wrongMailCode: `Ce code n’est pas valide${nbsp}: recopiez celui du dernier e-mail`,
  mailCodeRequired: 'Indiquez le code reçu par e-mail',
} as const;

/* The WebAuthn JSON of browser and server, with limits. */

const Base64Url = z
  .string()
  .max(8000)
  .regex(/^[\w-]*$/);
const Descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
});

/** The options of `navigator.credentials.get`. */
export const PasskeyRequest = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.number(),
  userVerification: z.enum(['required', 'preferred', 'discouraged']),
  allowCredentials: z.array(Descriptor),
});
export type PasskeyRequest = z.infer<typeof PasskeyRequest>;

/** The options of `navigator.credentials.create`. */
export const PasskeyCreation = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.number(), type: z.literal('public-key') })),
  timeout: z.number(),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.enum(['required', 'preferred', 'discouraged']),
    userVerification: z.enum(['required', 'preferred', 'discouraged']),
  }),
});

const passkeyEnvelope = {
  id: Base64Url.max(1400),
  rawId: Base64Url.max(1400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional().catch(undefined),
  clientExtensionResults: z.object({}).default({}),
};

/** A passkey's answer to `PasskeyRequest`. */
export const PasskeyAssertion = z.object({
  ...passkeyEnvelope,
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.optional(),
  }),
});
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** A new passkey: the answer to `PasskeyCreation`. */
export const PasskeyAttestation = z.object({
  ...passkeyEnvelope,
  response: z.object({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});
export type PasskeyAttestation = z.infer<typeof PasskeyAttestation>;

/** The next step; `token` identifies the started flow for five minutes. */
export const FactorPrompt = z.object({
  token: z.string(),
  totp: z.boolean(),
  recovery: z.boolean(),
  passkey: PasskeyRequest.nullable(),
});
export type FactorPrompt = z.infer<typeof FactorPrompt>;

const FactorToken = z.string({ error: factorMessages.expired }).min(1, { error: factorMessages.expired }).max(200);

export const FactorAnswer = z
  .object({
    token: FactorToken,
    code: z.string().trim().max(60).optional(),
    passkey: PasskeyAssertion.optional(),
  })
  .refine(({ code, passkey }) => Boolean(code) || passkey !== undefined, {
    error: factorMessages.codeRequired,
    path: ['code'],
  });
export type FactorAnswer = z.infer<typeof FactorAnswer>;

const FactorName = z
  .string({ error: factorMessages.nameRequired })
  .trim()
  .min(1, { error: factorMessages.nameRequired })
  .max(60, { error: factorMessages.nameTooLong });

/** Adding the first factor requires the password, and the mailed code where a factor is required. */
export const AddFactorStart = z.object({
  password: z.string().max(128).optional(),
  mailCode: z.string().trim().max(20).optional(),
});
export const AddTotp = z.object({
  token: FactorToken,
  name: FactorName,
  code: filledText(factorMessages.codeRequired, 20),
});
export const AddPasskey = z.object({ token: FactorToken, name: FactorName, passkey: PasskeyAttestation });
