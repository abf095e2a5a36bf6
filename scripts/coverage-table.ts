import { readFile, writeFile } from 'node:fs/promises';
import { collectCoverage, coverageFile, writeTable } from './lib/coverage.ts';

/**
 * Writes docs/coverage.md: every screen and every call with a test that covers it. What a row names stays as long as it
 * is still so.
 */
const before = await readFile(coverageFile, 'utf8').catch(() => '');
const coverage = await collectCoverage();
await writeFile(coverageFile, writeTable(coverage, before));
const missing = [...coverage.screens, ...coverage.calls].filter(({ by }) => by.length === 0);
for (const { what } of missing) process.stdout.write(`no test covers ${what}\n`);
process.exitCode = missing.length === 0 ? 0 : 1;
