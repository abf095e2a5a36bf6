import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface EngineSettings {
  /** Absolute; it reads and writes no other files. */
  folders: readonly string[];
  tempFolder: string;
  memoryMb: number;
  threads: number;
}

type Row = Record<string, unknown>;
export type EngineAsked = { id: number; statements: readonly string[] } | { cancel: number };
export type EngineAnswer = { id: number; rows: Row[]; failure?: string };

/** What the engine refused, or its process ended. The message is for the log. */
export class EngineFailure extends Error {
  override name = 'EngineFailure';
  /** Which of its limits was exceeded: memory or disk, or time. */
  readonly limit: 'size' | 'time' | undefined;
  constructor(message: string, limit?: EngineFailure['limit']) {
    super(message);
    this.limit = limit ?? (/^(Out of Memory|OutOfMemory) Error/i.test(message) ? 'size' : undefined);
  }
}

export type ColumnEngine = ReturnType<typeof createColumnEngine>;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Without a question for this long, the process ends and gives its memory back. */
const usualIdleMs = 60_000;

/** DuckDB in its own process, so that its memory is bounded and a crash harms nothing else; started on first use. */
export function createColumnEngine(settings: EngineSettings, idleMs = usualIdleMs) {
  type Waiting = { resolve: (rows: Row[]) => void; reject: (error: unknown) => void };
  type Started = { child: ChildProcess; waiting: Map<number, Waiting> };
  let running: Promise<Started> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last = 0;
  let holders = 0;

  function start(): Promise<Started> {
    // A former process must not clear its successor.
    const forget = () => {
      if (running === started) running = undefined;
    };
    const started = startProcess(forget);
    started.catch(forget);
    return started;
  }

  async function startProcess(onEnd: () => void): Promise<Started> {
    const child = fork(new URL('column-engine-process.ts', import.meta.url), [JSON.stringify(settings)], {
      // Without the parent's debugger port and memory limits.
      execArgv: [],
      // Each thread's own arena would hold what is freed.
      // biome-ignore lint/style/noProcessEnv: nothing is read from it, the process inherits it as it is
      env: { ...process.env, MALLOC_ARENA_MAX: '1' },
    });
    const waiting = new Map<number, Waiting>();
    child.on('message', ({ id, rows, failure }: EngineAnswer) => {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (failure === undefined) asked?.resolve(rows);
      else asked?.reject(new EngineFailure(failure));
    });
    const ended = once(child, 'exit').then(([code, signal]) => {
      onEnd();
      const failure = new EngineFailure(`the engine ended with ${code ?? signal}`);
      for (const { reject } of waiting.values()) reject(failure);
      throw failure;
    });
    ended.catch(() => undefined);
    child.on('error', () => undefined);
    await Promise.race([once(child, 'message'), ended]);
    return { child, waiting };
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    const former = running;
    running = undefined;
    const { child } = (await former?.catch(() => undefined)) ?? {};
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  function hold(): Disposable {
    holders += 1;
    clearTimeout(idle);
    return {
      [Symbol.dispose]() {
        holders -= 1;
        if (holders === 0) idle = setTimeout(() => void close(), idleMs).unref();
      },
    };
  }

  return {
    close,
    /** Keeps the process, and with it its tables, until it is disposed of. */
    hold,
    /**
     * Runs statements one after the other, on a connection of their own.
     * @returns the rows of the last one; decimals, dates and 64-bit integers as text
     * @throws EngineFailure; what `signal` was aborted with
     */
    async run<T = Row>(statements: readonly string[], { signal }: { signal?: AbortSignal } = {}): Promise<T[]> {
      signal?.throwIfAborted();
      using _asked = hold();
      running ??= start();
      const { child, waiting } = await running;
      last += 1;
      const id = last;
      child.ref();
      child.channel?.ref();
      // A process that has just ended takes no message; its callers are told by its end.
      const cancel = () => child.send({ cancel: id } satisfies EngineAsked, () => undefined);
      signal?.addEventListener('abort', cancel);
      try {
        return (await new Promise<Row[]>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          child.send({ id, statements } satisfies EngineAsked, (error) => {
            if (error) reject(new EngineFailure(error.message));
          });
        })) as T[];
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      } finally {
        signal?.removeEventListener('abort', cancel);
        if (waiting.size === 0) {
          // An idle engine does not keep the process alive.
          child.unref();
          child.channel?.unref();
        }
      }
    },
  };
}
