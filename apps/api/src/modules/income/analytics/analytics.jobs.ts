import type { JobDeps } from '#src/lib/jobs.ts';
import { refreshAnalytics } from './refresh.service.ts';

export const refreshAnalyticsJob = async (_payload: Record<string, never>, { db, log }: JobDeps): Promise<void> => {
  const months = await refreshAnalytics(db);
  if (months > 0) log.info({ months }, 'analytics is up to date');
};
