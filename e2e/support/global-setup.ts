import { startApp } from './app.ts';

/** One app for all journeys; the test processes inherit where it is (`./test.ts` reads it). */
async function startForAllJourneys(): Promise<() => Promise<void>> {
  const app = await startApp();
  process.env.E2E_URL = app.url;
  process.env.E2E_EMAIL = app.email;
  process.env.E2E_PASSWORD = app.password;
  return app.stop;
}

// biome-ignore lint/style/noDefaultExport: Playwright loads a global setup by its default export.
export default startForAllJourneys;
