import type { FastifyBaseLogger } from 'fastify';
import { Client } from 'pg';
import { noticeLostMachine } from './db.ts';

/** Shares one LISTEN connection per channel between all listeners of the process. */
export type Notices = ReturnType<typeof createNotices>;

const againMs = 2000;

/** Connects for the first listener, and reconnects; notifications meanwhile are missed. */
export function createNotices(url: string, channel: string, log: FastifyBaseLogger) {
  const listeners = new Set<(payload: string) => void>();
  let client: Client | undefined;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  function lose(lost: Client): void {
    if (client !== lost) return;
    client = undefined;
    lost.end().catch(() => undefined);
    if (isClosed || listeners.size === 0) return;
    again = setTimeout(connect, againMs).unref();
  }

  function connect(): void {
    if (client || isClosed) return;
    const connection = new Client({ ...noticeLostMachine, connectionString: url, application_name: 'regie notices' });
    client = connection;
    connection.on('notification', ({ payload }) => {
      for (const listener of listeners) listener(payload ?? '');
    });
    connection.on('error', () => lose(connection));
    connection.on('end', () => lose(connection));
    connection
      .connect()
      .then(() => connection.query(`LISTEN ${connection.escapeIdentifier(channel)}`))
      .catch(() => {
        log.warn({ channel }, 'nothing is heard from the database');
        lose(connection);
      });
  }

  return {
    /** @returns a function to unsubscribe */
    subscribe(onNotice: (payload: string) => void): () => void {
      listeners.add(onNotice);
      connect();
      return () => {
        listeners.delete(onNotice);
        if (listeners.size > 0 || !client) return;
        lose(client);
      };
    },
    async close() {
      isClosed = true;
      clearTimeout(again);
      const last = client;
      client = undefined;
      await last?.end().catch(() => undefined);
    },
  };
}
