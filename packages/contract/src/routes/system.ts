import { defineRoute, Instant } from '#src/route.ts';
import { keysOf, z } from '#src/zod.ts';

/** What `npm run doctor` and the page check, in this order, with their French names (product §37.6). */
export const systemCheckLabels = {
  database: 'Base de données',
  extensions: 'Extensions de la base',
  migrations: 'Version de la base',
  roles: 'Droits des comptes de la base',
  clock: 'Horloge',
  storage: 'Stockage des fichiers',
  disk: 'Espace disque',
  mail: 'Envoi des e-mails',
  address: 'Adresse publique',
  backup: 'Sauvegardes',
  signatories: 'Signataires',
  jobs: 'Tâches de fond',
  analytics: 'ClickHouse',
} as const;
export type SystemCheckName = keyof typeof systemCheckLabels;

export const SystemCheck = z.object({
  name: z.enum(keysOf(systemCheckLabels)),
  isOk: z.boolean(),
  text: z.string(),
});
export type SystemCheck = z.infer<typeof SystemCheck>;

const BackupRecord = z.object({
  name: z.string(),
  endedAt: Instant,
  sizeBytes: z.number().nullable(),
  isEncrypted: z.boolean(),
  error: z.string().nullable(),
});

export const SystemState = z.object({
  version: z.string(),
  checkedAt: Instant,
  checks: z.array(SystemCheck),
  /** The latest attempts, newest first. */
  backups: z.array(BackupRecord),
});
export type SystemState = z.infer<typeof SystemState>;

export const systemRoutes = {
  getSystem: defineRoute('GET /system', ['manage_settings'], { response: SystemState }),
};
