import type { JobDeps } from '#src/lib/jobs.ts';
import { refreshInsight } from './refresh.service.ts';

export const refreshInsightJob = async (_payload: Record<string, never>, { db, log }: JobDeps): Promise<void> => {
  const months = await refreshInsight(db);
  if (months > 0) log.info({ months }, 'insight is up to date');
};
