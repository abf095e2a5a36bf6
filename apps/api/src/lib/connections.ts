import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { AppError, errorBody } from './errors.ts';

const jsonType = 'application/json; charset=utf-8';

function refusalOf(code: string | undefined): { status: number; body: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, body: errorBody(new AppError('too_large')) };
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  return { status, body: errorBody(new AppError('invalid_data')) };
}

/** Answers requests that Node cannot parse with the JSON envelope, then closes the connection. */
export function refuseMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = refusalOf(error.code);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${jsonType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Answers cases that Node refuses without a body: no Host header, an unknown Expect header. */
export function refuseUnusual(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { body } = refusalOf(undefined);
    response
      .writeHead(417, {
        'content-type': jsonType,
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
        connection: 'close',
      })
      .end(body);
  });
  app.addHook('onRequest', async (request) => {
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) throw new AppError('invalid_data');
  });
}

const closingCheckMs = 250;
const quietLooks = 4;

/**
 * During closing, ends connections once they are idle, and all of them a second after the last answer: Node only ends
 * those idle at the start.
 */
export function endIdleConnections(app: FastifyInstance): void {
  let answering = 0;
  app.addHook('onRequest', async (_request, reply) => {
    answering += 1;
    // Several parts of an answer listen for its end.
    reply.raw.setMaxListeners(30);
    reply.raw.once('close', () => {
      answering -= 1;
    });
  });
  app.addHook('preClose', async () => {
    let quiet = 0;
    const timer = setInterval(() => {
      app.server.closeIdleConnections();
      quiet = answering === 0 ? quiet + 1 : 0;
      if (quiet >= quietLooks) app.server.closeAllConnections();
    }, closingCheckMs);
    app.server.once('close', () => clearInterval(timer));
    timer.unref();
  });
}
