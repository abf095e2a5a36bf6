import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = import.meta.dirname;

export default defineConfig({
  test: {
    passWithNoTests: true,
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'contract',
          root: resolve(root, 'packages/contract'),
          include: ['src/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'tables',
          root: resolve(root, 'packages/tables'),
          include: ['src/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'api',
          root: resolve(root, 'apps/api'),
          include: ['{src,demo,test}/**/*.test.ts'],
          globalSetup: [resolve(root, 'scripts/lib/vitest-postgres.ts')],
          testTimeout: 30_000,
          hookTimeout: 60_000,
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
    ],
  },
});
