import { z } from '@regie/contract/zod.ts';

export type Counts = { passed: number; failed: number; skipped: number };

export type Outcome = {
  name: string;
  durationMs: number;
  /** The exit code, or a text when the runner did not exit normally. */
  exit: number | string;
  counts: Counts;
};

/** The counts of a runner. One that ended abnormally, or without a required report, counts at least one failure. */
export function judge(exit: number | string, reported: Counts | undefined, isReportExpected: boolean): Counts {
  if (!isReportExpected)
    return exit === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
  if (!reported) return { passed: 0, failed: 1, skipped: 0 };
  return exit === 0 ? reported : { ...reported, failed: Math.max(1, reported.failed) };
}

const Statuses = z.array(z.object({ status: z.string() }));
const VitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: Statuses })),
});

/** Counts the tests of a vitest JSON report; a file that failed before its tests is one failure. */
export function countVitest(report: unknown): Counts {
  const { testResults, numPassedTests, numFailedTests, numPendingTests, numTodoTests } = VitestReport.parse(report);
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  return { passed: numPassedTests, failed: numFailedTests + brokenFiles, skipped: numPendingTests + numTodoTests };
}

const PlaywrightReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  errors: z.array(z.unknown()),
});

/** Counts the tests of a Playwright JSON report; an error outside a test is one failure. */
export function countPlaywright(report: unknown): Counts {
  const { stats, errors } = PlaywrightReport.parse(report);
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
  };
}

/** One row per runner, and the total as the last line. */
export function formatSummary(outcomes: Outcome[]): string {
  const rows = outcomes.map(({ name, durationMs, exit, counts }) => [
    name,
    `${counts.passed}`,
    `${counts.failed}`,
    `${counts.skipped}`,
    `${(durationMs / 1000).toFixed(1)} s`,
    exit === 0 ? '' : `ended with ${exit}`,
  ]);
  const table = [['', 'passed', 'failed', 'skipped', 'time', ''], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const sum = (key: keyof Counts) => outcomes.reduce((total, { counts }) => total + counts[key], 0);
  return [...lines, '', `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`].join('\n');
}
