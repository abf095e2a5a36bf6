/** With `npm run test:deep`. */
export const isDeep = (): boolean => process.env.REGIE_DEEP === '1';

/** Repetitions of a long test: `full` with `npm run test:deep` (REGIE_DEEP=1), else `full / fraction`, at least one. */
export function deepCount(full: number, fraction = 10): number {
  return isDeep() ? full : Math.max(1, Math.ceil(full / fraction));
}
