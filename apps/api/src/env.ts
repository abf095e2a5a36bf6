import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CapabilityPreset, capabilityPresets, isCapabilityPreset } from '@regie/contract/capability-presets.ts';
import { z } from 'zod';
import { readAnalyticsUrl } from './lib/clickhouse-address.ts';
import { readBucketUrl } from './lib/storage-bucket.ts';

/** start: embedded database, creates DATA_DIR. serve: production. tool: one-off commands. */
export type Command = 'start' | 'serve' | 'tool';

/** One French line per missing or invalid variable. */
export class EnvError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'EnvError';
    this.problems = problems;
  }
}

const minSecretLength = 32;
const stripeNames = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLIC_KEY', 'STRIPE_WEBHOOK_SECRET'];
/** These are set together; OIDC_LABEL has a default. */
const oidcNames = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES_CLAIM', 'OIDC_PRESETS'];

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

const url = (protocols: string[], message: string) =>
  z.string().refine((value) => isUrl(value, protocols), { error: message });
const port = z
  .string()
  .refine((value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535, { error: 'un port, de 0 à 65535' })
  .transform(Number);
const filled = (message: string) => z.string().min(1, { error: message });
const bytesPerGb = 1_000_000_000;
const wholeNumber = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((value) => /^[1-9]\d{0,8}$/.test(value), { error: 'un nombre entier, à partir de 1' })
    .transform(Number);
const ipOrRange = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]+:[0-9a-f:.]*)(?:\/\d{1,3})?$/i;

const presetNames = Object.keys(capabilityPresets).join(', ');
/** `compta=accounting,support=support`: splits at the last `=`, because a role may contain one. */
function readPresets(value: string) {
  const presets: { role: string; preset: CapabilityPreset }[] = [];
  for (const pair of value.split(',').map((part) => part.trim())) {
    const at = pair.lastIndexOf('=');
    const role = pair.slice(0, Math.max(0, at)).trim();
    const preset = pair.slice(at + 1).trim();
    if (role === '' || !isCapabilityPreset(preset)) return undefined;
    presets.push({ role, preset });
  }
  return presets;
}
/** Receives codes and secrets: http is allowed on this machine only. */
const isIssuer = (value: string) =>
  isUrl(value, ['https:']) ||
  (isUrl(value, ['http:']) && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(value).hostname));
const maxLabelLength = 60;

const storagePlace = url(['file:', 's3:'], 'file:///dossier ou s3://clé:secret@hôte/seau?region=')
  .superRefine((value, context) => {
    if (!value.startsWith('s3:') || !URL.canParse(value)) return;
    try {
      readBucketUrl(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : '' });
    }
  })
  .optional();

const analyticsPlace = url(['http:', 'https:'], 'https://compte:mot-de-passe@hôte/?collection=')
  .transform((value, context) => {
    if (!isUrl(value, ['http:', 'https:'])) return z.NEVER;
    try {
      return readAnalyticsUrl(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : '' });
      return z.NEVER;
    }
  })
  .optional();

/** Whether both are one bucket, or the first is the second's folder or in it. */
function isWithin(place: string, folder: string): boolean {
  const [inner, outer] = [new URL(place), new URL(folder)].map(
    ({ host, pathname }) => `${host}${pathname.replace(/\/*$/, '/')}`,
  );
  return inner !== undefined && outer !== undefined && inner.startsWith(outer);
}

const Variables = z.object({
  PORT: port.default(3000),
  HOST: filled('une adresse').default('127.0.0.1'),
  DATABASE_URL: url(['postgres:', 'postgresql:'], 'une adresse postgresql://…').optional(),
  DATA_DIR: filled('un dossier').default('./data'),
  PUBLIC_URL: url(['http:', 'https:'], 'une adresse http(s)://…, sans chemin')
    .refine((value) => !URL.canParse(value) || new URL(value).pathname === '/', {
      error: 'une adresse http(s)://…, sans chemin',
    })
    .optional(),
  TRUST_PROXY: z
    .string()
    .default('')
    .transform((value) =>
      (value === 'none' ? '' : value)
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .refine((parts) => parts.every((part) => ipOrRange.test(part)), {
      error: 'des adresses IP ou des plages, séparées par des virgules, ou none',
    }),
  SESSION_SECRET: z
    .string()
    .min(minSecretLength, { error: `au moins ${minSecretLength} caractères` })
    .optional(),
  SMARTLINK_BASE_URL: url(['http:', 'https:'], 'une adresse http(s)://…').optional(),
  STORAGE_URL: storagePlace,
  ANALYTICS_URL: analyticsPlace,
  BACKUP_URL: storagePlace,
  BACKUP_PASSPHRASE_FILE: filled('un fichier').optional(),
  BACKUP_RECIPIENTS: z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .refine((parts) => parts.every((part) => /^age1[a-z0-9]{20,4000}$/.test(part)), {
      error: 'des clés publiques age1…, séparées par des virgules',
    })
    .optional(),
  BACKUP_IDENTITY_FILE: filled('un fichier').optional(),
  BACKUP_KEEP_DAYS: wholeNumber('30'),
  SMTP_URL: url(['smtp:', 'smtps:'], 'une adresse smtp://… ou smtps://…').optional(),
  LETTERS_PER_MINUTE: wholeNumber('120'),
  MAIL_FROM: filled('une adresse d’expédition').default('Régie <regie@localhost>'),
  STRIPE_SECRET_KEY: filled('une clé').optional(),
  STRIPE_PUBLIC_KEY: filled('une clé').optional(),
  STRIPE_WEBHOOK_SECRET: filled('une clé').optional(),
  OIDC_ISSUER: z.string().refine(isIssuer, { error: 'une adresse https://…' }).optional(),
  OIDC_CLIENT_ID: filled('un identifiant').optional(),
  OIDC_CLIENT_SECRET: filled('un secret').optional(),
  OIDC_LABEL: filled('un nom')
    .max(maxLabelLength, { error: `au plus ${maxLabelLength} caractères` })
    .default('Compte de l’entreprise'),
  OIDC_ROLES_CLAIM: filled('le nom d’une donnée').optional(),
  OIDC_PRESETS: z
    .string()
    .transform((value, context) => {
      const presets = readPresets(value);
      if (presets) return presets;
      context.addIssue({
        code: 'custom',
        message: `des paires rôle=modèle, séparées par des virgules\u00A0; modèles\u00A0: ${presetNames}`,
      });
      return z.NEVER;
    })
    .optional(),
  LOCAL_SIGN_IN: z.enum(['on', 'off'], { error: 'on ou off' }).default('on'),
  ROLE: z.enum(['web', 'worker', 'both'], { error: 'web, worker ou both' }).default('both'),
  REQUESTS_PER_MINUTE: wholeNumber('12000'),
  UPLOAD_GB_PER_DAY: wholeNumber('100'),
  METRICS_TOKEN: z.string().min(16, { error: 'au moins 16 caractères' }).optional(),
  METRICS_PORT: port.optional(),
  DRAIN_SECONDS: z
    .string()
    .default('0')
    .refine((value) => /^\d{1,3}$/.test(value) && Number(value) <= 300, { error: 'un nombre entier de 0 à 300' })
    .transform(Number),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:'], 'une adresse http(s)://…').optional(),
  ANCHOR_FILE: filled('un fichier').optional(),
  ANCHOR_MAIL: z.email({ error: 'une adresse e-mail' }).optional(),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], { error: 'debug, info, warn, error ou silent' })
    .default('info'),
});

function toEnv(value: z.output<typeof Variables>) {
  const dataDir = resolve(value.DATA_DIR);
  const publicUrl = new URL(value.PUBLIC_URL ?? `http://localhost:${value.PORT}`).origin;
  return {
    port: value.PORT,
    host: value.HOST,
    databaseUrl: value.DATABASE_URL,
    dataDir,
    publicUrl,
    trustProxy: value.TRUST_PROXY,
    sessionSecret: value.SESSION_SECRET,
    smartlinkBaseUrl: (value.SMARTLINK_BASE_URL ?? `${publicUrl}/s`).replace(/\/*$/, '/'),
    storageUrl: value.STORAGE_URL ?? pathToFileURL(join(dataDir, 'files')).href,
    /** The ClickHouse server that adds up lines for cross tables. */
    analytics: value.ANALYTICS_URL,
    backup: {
      /** Where the nightly backup goes; undefined when there is none. */
      url: value.BACKUP_URL,
      passphraseFile: value.BACKUP_PASSPHRASE_FILE && resolve(value.BACKUP_PASSPHRASE_FILE),
      /** Public age keys. */
      recipients: value.BACKUP_RECIPIENTS ?? [],
      /** File with the private age key, only to read backups. */
      identityFile: value.BACKUP_IDENTITY_FILE && resolve(value.BACKUP_IDENTITY_FILE),
      keepDays: value.BACKUP_KEEP_DAYS,
    },
    smtpUrl: value.SMTP_URL,
    mailFrom: value.MAIL_FROM,
    lettersPerMinute: value.LETTERS_PER_MINUTE,
    stripe:
      value.STRIPE_SECRET_KEY && value.STRIPE_PUBLIC_KEY && value.STRIPE_WEBHOOK_SECRET
        ? {
            secretKey: value.STRIPE_SECRET_KEY,
            publicKey: value.STRIPE_PUBLIC_KEY,
            webhookSecret: value.STRIPE_WEBHOOK_SECRET,
          }
        : undefined,
    oidc:
      value.OIDC_ISSUER &&
      value.OIDC_CLIENT_ID &&
      value.OIDC_CLIENT_SECRET &&
      value.OIDC_ROLES_CLAIM &&
      value.OIDC_PRESETS
        ? {
            issuer: value.OIDC_ISSUER,
            clientId: value.OIDC_CLIENT_ID,
            clientSecret: value.OIDC_CLIENT_SECRET,
            label: value.OIDC_LABEL,
            rolesClaim: value.OIDC_ROLES_CLAIM,
            presets: value.OIDC_PRESETS,
          }
        : undefined,
    isLocalSignInClosed: value.LOCAL_SIGN_IN === 'off',
    role: value.ROLE,
    requestsPerMinute: value.REQUESTS_PER_MINUTE,
    uploadBytesPerDay: value.UPLOAD_GB_PER_DAY * bytesPerGb,
    metricsToken: value.METRICS_TOKEN,
    /** Where a process that answers no calls serves its `/metrics`. */
    metricsPort: value.METRICS_PORT,
    drainSeconds: value.DRAIN_SECONDS,
    /** The OpenTelemetry collector that receives traces. */
    traceEndpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT,
    /** File to which the end of the hash chain is written each night. */
    anchorFile: value.ANCHOR_FILE && resolve(value.ANCHOR_FILE),
    anchorMail: value.ANCHOR_MAIL,
    logLevel: value.LOG_LEVEL,
  };
}
export type Env = ReturnType<typeof toEnv>;
export type BackupSettings = Env['backup'];
export type OidcSettings = NonNullable<Env['oidc']>;

export const variableNames = Object.keys(Variables.shape);

/** Reads the variables of product §37.5; an empty one is absent. @throws EnvError naming all problems */
export function loadEnv(source: Record<string, string | undefined>, command: Command): Env {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = Variables.safeParse(present);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${String(issue.path[0])} : attendu ${issue.message}`);
  if (command === 'serve') {
    for (const name of ['DATABASE_URL', 'SESSION_SECRET']) {
      if (present[name] === undefined) problems.push(`${name} : requis en production`);
    }
  }
  // Processes that answer calls must use the restricted login.
  const login =
    present.DATABASE_URL && URL.canParse(present.DATABASE_URL) ? new URL(present.DATABASE_URL).username : '';
  if (command === 'serve' && present.ROLE === 'web' && login !== '' && login !== 'regie_app') {
    problems.push(
      'DATABASE_URL : avec ROLE=web, sans compte ni mot de passe (postgres://hôte/base)\u00A0: ce processus se connecte comme regie_app',
    );
  }
  // Behind an unconfigured proxy, all callers share the proxy's address and its limits.
  const isCalled = command !== 'tool' && present.ROLE !== 'worker';
  if (isCalled && present.PUBLIC_URL?.startsWith('https:') && present.TRUST_PROXY === undefined) {
    problems.push(
      'TRUST_PROXY : requis quand PUBLIC_URL est en https\u00A0: l’adresse du serveur qui porte le certificat, ou none s’il n’y en a pas',
    );
  }
  const hasRecipients = present.BACKUP_RECIPIENTS !== undefined;
  if (present.BACKUP_URL !== undefined && present.BACKUP_PASSPHRASE_FILE === undefined && !hasRecipients) {
    problems.push(
      'BACKUP_URL : demande BACKUP_PASSPHRASE_FILE ou BACKUP_RECIPIENTS\u00A0: la sauvegarde de la nuit est toujours chiffrée',
    );
  }
  const filesUrl = parsed.data?.STORAGE_URL ?? pathToFileURL(resolve(parsed.data?.DATA_DIR ?? '', 'files')).href;
  if (parsed.data?.BACKUP_URL !== undefined && isWithin(parsed.data.BACKUP_URL, filesUrl)) {
    problems.push(
      'BACKUP_URL : un autre dossier ou un autre seau que STORAGE_URL, dont Régie supprime ce qui lui est inconnu',
    );
  }
  if (present.ANALYTICS_URL !== undefined && !present.STORAGE_URL?.startsWith('s3:')) {
    problems.push(
      'ANALYTICS_URL : demande STORAGE_URL=s3://…\u00A0: ClickHouse lit les lignes des relevés dans un seau',
    );
  }
  if (present.BACKUP_PASSPHRASE_FILE !== undefined && hasRecipients) {
    problems.push('BACKUP_RECIPIENTS : ne va pas avec BACKUP_PASSPHRASE_FILE\u00A0: gardez l’une des deux variables');
  }
  const missingOf = (names: readonly string[]) => names.filter((name) => present[name] === undefined);
  for (const [names, other] of [
    [stripeNames, 'une autre clé Stripe'],
    [oidcNames, 'une autre variable OIDC_…'],
  ] as const) {
    const missing = missingOf(names);
    if (missing.length < names.length)
      problems.push(...missing.map((name) => `${name} : requis dès qu’${other} est donnée`));
  }
  if (present.LOCAL_SIGN_IN === 'off' && missingOf(oidcNames).length > 0) {
    problems.push(
      'LOCAL_SIGN_IN : off demande les variables OIDC_…\u00A0: sans elles, personne ne pourrait se connecter',
    );
  }
  if (!parsed.success || problems.length > 0) throw new EnvError(problems);
  return toEnv(parsed.data);
}
