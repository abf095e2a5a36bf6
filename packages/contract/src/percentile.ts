import { z } from './zod.ts';

/** Whether a number of at least 0 has at most two decimals. */
export const hasCents = (value: number) => /^\d+(\.\d{1,2})?$/.test(String(value));
const percentError = 'Indiquez un pourcentage de 0 à 100, avec deux décimales au plus';
/** 0 to 100 in steps of 0.01 (product §25.1). */
export const Percentile = z
  .number({ error: percentError })
  .min(0, { error: percentError })
  .max(100, { error: percentError })
  .refine(hasCents, { error: percentError });
