import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { describeSize } from './lib/size.ts';
import { type Counts, countPlaywright, countVitest, formatSummary, judge, type Outcome } from './lib/test-summary.ts';

const root = resolve(import.meta.dirname, '..');
const stopTimeoutMs = 20_000;
/** Of a failed runner, this much of the end of its output is repeated above the summary. */
const repeatedLines = 80;

type Runner = {
  name: string;
  /** An executable of node_modules/.bin with its arguments. */
  command: [string, ...string[]];
  env?: Record<string, string>;
  /** Reads the runner's report; a runner without one counts as one check. */
  count?: () => Promise<Counts>;
};

const { values } = parseArgs({
  options: { all: { type: 'boolean', default: false }, deep: { type: 'boolean', default: false } },
});
const isAll = values.all || values.deep;
/** Without `--all`, one journey per area: they open each screen once, with axe in light. */
const shortJourneys = isAll ? [] : ['--grep', '@area'];
// All temporary files of all runners, so that an interrupted run leaves nothing behind. The unprivileged database user
// needs access.
const scratch = await mkdtemp(join(await findScratchParent(), 'regie-checks-'));
await chmod(scratch, 0o755);
const vitestReport = join(scratch, 'vitest.json');
const playwrightReport = join(scratch, 'playwright.json');

// Beside the journeys, which do not keep two cores busy throughout.
const staticChecks: Runner[] = [
  // Its types on one thread: several repeat each other's work.
  { name: 'oxlint', command: ['oxlint', '--deny-warnings'], env: { GOMAXPROCS: '1', GOGC: '400' } },
  { name: 'knip', command: ['knip', '--no-progress'] },
  { name: 'biome', command: ['biome', 'check', '--error-on-warnings', '.'] },
];
const tests: Runner[] = [
  {
    name: 'vitest',
    command: [
      'vitest',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${vitestReport}`,
      ...(isAll ? [] : ['--tags-filter=!slow']),
    ],
    env: { ...(isAll && { REGIE_ROW_TYPES: '1' }) },
    count: async () => countVitest(await readReport(vitestReport)),
  },
];
const journeys: Runner[] = [
  {
    name: 'playwright',
    command: ['playwright', 'test', '--reporter=list,json', ...shortJourneys],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport, ...(!isAll && { REGIE_SHORT: '1' }) },
    count: async () => countPlaywright(await readReport(playwrightReport)),
  },
];

const running = new Set<ChildProcess>();
let interrupted = false;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
    for (const child of running) stopGroup(child, 'SIGINT');
    setTimeout(() => {
      for (const child of running) stopGroup(child, 'SIGKILL');
    }, stopTimeoutMs).unref();
  });
}

const outcomes: Outcome[] = [];
const failures: string[] = [];
await checkAll(tests, true);
await Promise.all([checkAll(staticChecks, false), checkAll(journeys, true)]);
await rm(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });

if (interrupted) {
  process.stderr.write('Interrupted.\n');
  process.exitCode = 130;
} else {
  process.stdout.write(`\n${[...failures, describeSize(root), '', formatSummary(outcomes)].join('\n')}\n`);
  if (outcomes.some(({ counts }) => counts.failed > 0)) process.exitCode = 1;
}

/** @param live whether each line is printed as it comes, instead of all at the end */
async function checkAll(queue: readonly Runner[], live: boolean): Promise<void> {
  for (const runner of queue) {
    if (interrupted) return;
    if (live) process.stdout.write(`\n── ${runner.name}\n`);
    const startedAt = performance.now();
    const { exit, output } = await run(runner, live);
    if (!live) process.stdout.write(`\n── ${runner.name}\n${output}`);
    const reported = interrupted
      ? undefined
      : await runner.count?.().catch((error: unknown) => {
          process.stderr.write(
            `${runner.name}: no readable report (${error instanceof Error ? error.message : error})\n`,
          );
          return undefined;
        });
    const counts = judge(exit, reported, runner.count !== undefined);
    outcomes.push({ name: runner.name, durationMs: performance.now() - startedAt, exit, counts });
    if (counts.failed > 0) failures.push(`── ${runner.name} failed:`, ...output.split('\n').slice(-repeatedLines));
  }
}

/** `exit` is the exit code, the signal that ended the runner, or the reason why it did not start. */
function run(
  { command: [executable, ...args], env }: Runner,
  live: boolean,
): Promise<{ exit: number | string; output: string }> {
  return new Promise((done) => {
    const child = spawn(join(root, 'node_modules', '.bin', executable), args, {
      cwd: root,
      env: {
        ...process.env,
        TMPDIR: scratch,
        // Of the servers that tests start, which take half of their start to compile.
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
        ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
        ...env,
        ...(values.deep && { REGIE_DEEP: '1' }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group, so that child processes end with it.
      detached: true,
    });
    running.add(child);
    let output = '';
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        if (live) process.stdout.write(`${line}\n`);
        output += `${line}\n`;
      });
    }
    const end = (exit: number | string) => {
      running.delete(child);
      done({ exit, output });
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(code ?? signal ?? 'an unknown end'));
  });
}

/** In memory, where there is room: on a disk the databases of the tests take twice the processor time. */
async function findScratchParent(): Promise<string> {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= 6 * 1024 ** 3 ? memory : tmpdir();
}

function stopGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // It may have ended between the check and the signal.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function readReport(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}
