import { describe, expect, it } from 'vitest';
import { countPlaywright, countVitest, formatSummary, judge } from './test-summary.ts';

describe('judge', () => {
  it('counts a runner without a report as one check', () => {
    expect(judge(0, undefined, false)).toEqual({ passed: 1, failed: 0, skipped: 0 });
    expect(judge(2, undefined, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(judge('SIGKILL', undefined, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('counts a failure when a runner ends abnormally or without a report', () => {
    const clean = { passed: 5, failed: 0, skipped: 1 };
    expect(judge(0, clean, true)).toEqual(clean);
    expect(judge(1, clean, true)).toEqual({ passed: 5, failed: 1, skipped: 1 });
    expect(judge('SIGKILL', { passed: 5, failed: 3, skipped: 0 }, true).failed).toBe(3);
    expect(judge(0, undefined, true).failed).toBe(1);
  });
});

it('counts a test file that failed before its tests', () => {
  const report = {
    numPassedTests: 4,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    testResults: [
      { status: 'passed', assertionResults: [{ status: 'passed' }] },
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
      { status: 'failed', assertionResults: [] },
    ],
  };
  expect(countVitest(report)).toEqual({ passed: 4, failed: 2, skipped: 3 });
});

it('counts an error outside the tests', () => {
  const report = { stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 2 }, errors: [{ message: 'global setup' }] };
  expect(countPlaywright(report)).toEqual({ passed: 3, failed: 3, skipped: 2 });
});

it('refuses an unknown report format', () => {
  expect(() => countVitest({})).toThrow();
  expect(() => countPlaywright(null)).toThrow();
});

it('ends with the total', () => {
  const summary = formatSummary([
    { name: 'biome', durationMs: 120, exit: 0, counts: { passed: 1, failed: 0, skipped: 0 } },
    { name: 'vitest', durationMs: 64_210, exit: 1, counts: { passed: 40, failed: 2, skipped: 3 } },
  ]);
  expect(summary.split('\n').at(-1)).toBe('41 passed, 2 failed, 3 skipped');
  expect(summary).toMatch(/vitest +40 +2 +3 +64\.2 s +ended with 1/);
});
