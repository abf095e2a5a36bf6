import { statementPeriods } from './state-names.ts';
import { keysOf, z } from './zod.ts';

/** How often an account gets a royalty statement. */
export const StatementPeriod = z.enum(keysOf(statementPeriods));
export type StatementPeriod = z.infer<typeof StatementPeriod>;
