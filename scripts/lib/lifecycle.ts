import { describeError } from './cli.ts';

export type Lifecycle = {
  /** Adds what is to be undone at the end; the last added goes first. */
  onStop: (close: () => Promise<void>) => void;
  /** Undoes everything and ends the process. */
  stop: (exitCode: number) => Promise<never>;
  isStopping: () => boolean;
};

const impatienceMs = 2_000;

/**
 * Runs a long-lived command: SIGINT, SIGTERM and SIGHUP end it in order with 0, a failure with 1 and its explanation.
 * A later signal does not wait any more (npm passes on the Ctrl+C that the terminal has already sent to everybody).
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
      if (stopping !== undefined && Date.now() - stoppingSince > impatienceMs) process.exit(130);
      void stop(0);
    });
  }
  process.on('uncaughtException', (error) => {
    // A connection that breaks while PostgreSQL stops has nobody left to tell.
    if (stopping !== undefined) return;
    for (const line of describeError(error)) process.stderr.write(`${line}\n`);
    void stop(1);
  });
  try {
    await start({ onStop: (close) => closers.push(close), stop, isStopping: () => stopping !== undefined });
  } catch (error) {
    // What is being stopped breaks off what was under way: only the first reason counts.
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
