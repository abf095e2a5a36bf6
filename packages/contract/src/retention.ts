import { keysOf, mapKeys, z } from './zod.ts';

/**
 * How long personal data is kept (product §40.7), at least: accounting records ten years (L123-22 Code de commerce),
 * proof of contracts five (2224 Code civil), traces of access six months (CNIL).
 */
export const retentionPeriods = {
  journalOriginMonths: { unit: 'months', default: 12, least: 6 },
  leftAdminMonths: { unit: 'months', default: 60, least: 12 },
  closedAccountMonths: { unit: 'months', default: 60, least: 12 },
  ticketMonths: { unit: 'months', default: 36, least: 6 },
  contractMonths: { unit: 'months', default: 60, least: 60 },
  accountingMonths: { unit: 'months', default: 120, least: 120 },
  statementFileMonths: { unit: 'months', default: 120, least: 120 },
  letterDays: { unit: 'days', default: 30, least: 7 },
} as const;
export type RetentionName = keyof typeof retentionPeriods;
export const retentionNames = keysOf(retentionPeriods);

const most = 600;
const period = (name: RetentionName) => {
  const { least, unit } = retentionPeriods[name];
  const error = `De ${least} à ${most} ${unit === 'days' ? 'jours' : 'mois'}`;
  return z.number().int({ error }).min(least, { error }).max(most, { error });
};

export const Retention = z.object(mapKeys(retentionNames, period));
export type Retention = z.infer<typeof Retention>;

export const defaultRetention: Retention = mapKeys(retentionNames, (name) => retentionPeriods[name].default);
