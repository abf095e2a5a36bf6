import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DatabaseProxy {
  /** The same database and login through the proxy. */
  url: string;
  /** Stops all traffic until `thaw`, like a frozen server: connections stay open and are accepted. */
  freeze: () => void;
  thaw: () => void;
  /** Breaks all connections and refuses new ones until `start`, like a killed server. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  close: () => Promise<void>;
  /** Connections that were opened so far. */
  opened: () => number;
}

/** A TCP proxy to the tests' PostgreSQL, to interrupt one application only. */
export async function openProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let opened = 0;
  const server = createServer((near) => {
    opened += 1;
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('data', (bytes) => other.write(bytes));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (isFrozen) socket.pause();
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const kill = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };
  return {
    url: url.href,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    kill,
    start: () => listen(port),
    close: kill,
    opened: () => opened,
  };
}
