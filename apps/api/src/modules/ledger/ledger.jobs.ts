import type { JobDeps } from '#src/lib/jobs.ts';
import { verifyLedger } from './ledger.verify.service.ts';

/** Every night: a difference is logged as an error, one line each. */
export async function verifyLedgerJob(_payload: unknown, { db, log }: JobDeps): Promise<void> {
  const differences = await verifyLedger(db);
  for (const difference of differences) log.error({ difference }, 'ledger difference');
  log.info({ differences: differences.length }, 'ledger verified');
}
