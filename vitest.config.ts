import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = import.meta.dirname;

/** Of those that take more than ten seconds, the longest first. */
const longest = [
  'apps/api/test/payout-model.test.ts',
  'apps/api/test/ledger-model.test.ts',
  'scripts/start.test.ts',
  'modules/income/statements/killed-load.test.ts',
  'modules/catalogue/covers/covers.attack.test.ts',
  'modules/money/payouts/batches.test.ts',
  'modules/money/payouts/payouts.test.ts',
  'modules/money/signatures/signatures.attack.test.ts',
  'apps/api/test/killed-upload.test.ts',
  'apps/api/test/statements-model.test.ts',
  'apps/api/demo/lists.test.ts',
  'apps/api/src/lib/database-watch.test.ts',
  'apps/api/test/killed-import.test.ts',
  'apps/api/demo/load-demo.test.ts',
  'scripts/backup.test.ts',
];

/** Sizes, by which files are ordered otherwise, do not tell how long one takes: a late long one keeps one core alone. */
class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((path) => moduleId.endsWith(path));
      return place === -1 ? longest.length : place;
    };
    return (await super.sort(specifications)).toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    passWithNoTests: true,
    maxWorkers: 2,
    tags: [
      {
        name: 'slow',
        description:
          'Left to `npm test -- --all`: kills processes, starts the program again and again, runs random histories, fills disks, or takes more than 0.4 s.',
      },
    ],
    // A process loads the modules once for all its files, which share nothing else: half of the time went into loading.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 180_000,
    projects: [
      ...['contract', 'documents', 'values'].map((name) => ({
        test: { name, root: resolve(root, 'packages', name), include: ['src/**/*.test.ts'] },
      })),
      {
        test: {
          name: 'api',
          root: resolve(root, 'apps/api'),
          include: ['{src,demo,test}/**/*.test.ts'],
          globalSetup: [resolve(root, 'scripts/lib/vitest-postgres.ts')],
          // The default of one second is too short on a busy machine.
          expect: { poll: { timeout: 20_000 } },
          testTimeout: 60_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'web',
          root: resolve(root, 'apps/web'),
          include: ['src/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          name: 'scripts',
          root,
          include: ['{scripts,bench}/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      // Only with `npm run test:scale`, which installs what it needs.
      ...(process.env.REGIE_CHDB === undefined
        ? []
        : [
            {
              test: {
                name: 'scale',
                root: resolve(root, 'apps/api'),
                include: ['test/*.scale.ts'],
                globalSetup: [resolve(root, 'scripts/lib/vitest-postgres.ts')],
              },
            },
          ]),
    ],
  },
});
