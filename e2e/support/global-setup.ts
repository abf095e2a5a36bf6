import { startApp } from './app.ts';

/**
 * One app for all tests; the test processes inherit its address (see `./test.ts`). During development, E2E_URL and its
 * companions may name a running one.
 */
async function startForAllJourneys(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_URL) return undefined;
  const app = await startApp();
  process.env.E2E_URL = app.url;
  process.env.E2E_EMAIL = app.email;
  process.env.E2E_PASSWORD = app.password;
  process.env.E2E_DATA_DIR = app.dataDir;
  return app.stop;
}

// biome-ignore lint/style/noDefaultExport: Playwright loads a global setup by its default export.
export default startForAllJourneys;
