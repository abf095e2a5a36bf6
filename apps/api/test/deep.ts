/**
 * How often a long test repeats: `full` under `npm run test:deep` (REGIE_DEEP=1), else one part in `fraction` of it,
 * at least once.
 */
export function deepCount(full: number, fraction = 10): number {
  return process.env.REGIE_DEEP === '1' ? full : Math.max(1, Math.ceil(full / fraction));
}
