import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { isDeep } from '@regie/api/test/deep.ts';
import { findChromium } from './scripts/lib/chromium.ts';

const chromium = await findChromium();
// The browser's environment replaces ours instead of adding to it.
const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);

/** Their tests change the settings, whose versions would conflict: one at a time. */
const changeSettings = ['contract', 'contract-templates', 'first-payout', 'settings', 'tools'].map(
  (name) => `${name}.spec.ts`,
);

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/global-setup.ts',
  // One more than the cores that they keep busy: each journey waits a part of its time for the server or a timer.
  workers: Math.min(2, availableParallelism()) + 1,
  projects: [
    { name: 'settings', testMatch: changeSettings, workers: 1 },
    { name: 'journeys', testIgnore: changeSettings },
  ],
  retries: 0,
  forbidOnly: true,
  // Time for a machine that does much else: what never comes only takes longer to say so.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  outputDir: 'test-results',
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: chromium.executablePath,
      args: chromium.args,
      // In a locale of plain ASCII it would save « Même pas peur.wav » as « download ».
      env: { ...Object.fromEntries(inherited), LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...chromium.env },
    },
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
    // A click on what never comes says so, instead of using up the journey's time.
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    // Transitions are waited for in every journey; `npm run test:deep` has them.
    contextOptions: { reducedMotion: isDeep() ? 'no-preference' : 'reduce' },
    viewport: { width: 1440, height: 900 },
    screenshot: 'only-on-failure',
    // Recording one takes a fifth of a journey's time: --trace on, where a failure is to be looked at.
    trace: 'off',
  },
});
