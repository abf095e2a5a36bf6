import { connect, type Socket } from 'node:net';
import type { Client } from './world.ts';

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Requests a path repeatedly on `connections` keep-alive sockets and counts the answers. Reads only status and length,
 * because the client shares two cores with the server.
 * @returns requests per second
 * @throws when an answer is not 200
 */
export async function measureThroughput(
  client: Client,
  path: string,
  load: { connections: number; seconds: number /** What the path stands under. */; root?: string },
): Promise<number> {
  const { hostname, port } = new URL(client.address);
  const headers = Object.entries({ host: `${hostname}:${port}`, ...client.headers });
  const request = `GET ${load.root ?? '/api'}${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  const start = performance.now();
  const end = start + load.seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: load.connections }, () => askUntil(connect(Number(port), hostname), request, end)),
  );
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - start) / 1000);
}

function askUntil(socket: Socket, request: string, end: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0;
    let left = 0;
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk: Buffer) => {
      if (left === 0) {
        const head = chunk.subarray(0, chunk.indexOf(headEnd) + headEnd.length).toString('latin1');
        const length = /content-length: (\d+)/i.exec(head)?.[1];
        if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
          socket.destroy();
          return reject(new Error(`unexpected answer: ${head.slice(0, 200)}`));
        }
        left = head.length + Number(length);
      }
      left -= chunk.length;
      if (left > 0) return undefined;
      answers += 1;
      if (performance.now() < end) return socket.write(request);
      socket.destroy();
      return resolve(answers);
    });
  });
}
