import { describeError } from './cli.ts';

export type Lifecycle = {
  /** Registers clean-up; the last registered runs first. */
  onStop: (close: () => Promise<void>) => void;
  /** Runs all clean-up and ends the process. */
  stop: (exitCode: number) => Promise<never>;
  isStopping: () => boolean;
};

const forceQuitAfterMs = 2_000;

/**
 * SIGINT, SIGTERM and SIGHUP stop the command in order with 0; errors exit with 1. A later signal exits at once, but not
 * within `forceQuitAfterMs`: npm repeats the terminal's Ctrl+C.
 */
export async function runUntilStopped(start: (lifecycle: Lifecycle) => Promise<void>): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  let stopping: Promise<never> | undefined;
  let stoppingSince = 0;
  const stop = (exitCode: number): Promise<never> => {
    if (stopping === undefined) {
      stoppingSince = Date.now();
      stopping = closeAll(closers, exitCode);
    }
    return stopping;
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stopping !== undefined && Date.now() - stoppingSince > forceQuitAfterMs) process.exit(130);
      void stop(0);
    });
  }
  process.on('uncaughtException', (error) => {
    // Ignore connections that break while PostgreSQL stops.
    if (stopping !== undefined) return;
    for (const line of describeError(error)) process.stderr.write(`${line}\n`);
    void stop(1);
  });
  try {
    await start({ onStop: (close) => closers.push(close), stop, isStopping: () => stopping !== undefined });
  } catch (error) {
    // Stopping interrupts running work, so only the first error counts.
    if (stopping === undefined) for (const line of describeError(error)) process.stderr.write(`${line}\n`);
    await stop(1);
  }
}

async function closeAll(closers: (() => Promise<void>)[], exitCode: number): Promise<never> {
  let code = exitCode;
  for (const close of closers.reverse()) {
    try {
      await close();
    } catch (error) {
      for (const line of describeError(error)) process.stderr.write(`${line}\n`);
      code = 1;
    }
  }
  process.exit(code);
}
