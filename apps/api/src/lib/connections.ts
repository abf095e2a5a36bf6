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

/** Answers what Node cannot read as HTTP: the envelope, as everywhere, and the end of the connection. */
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

/** Answers what Node would refuse without a body: no Host header, an Expect header that asks for something unknown. */
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

const closingLookMs = 250;
const quietLooks = 4;

/**
 * While the server closes, ends connections as they fall idle, and all of them a second after the last answer. Node ends
 * only those that are idle when closing begins; the others would stay until they time out.
 */
export function endIdleConnections(app: FastifyInstance): void {
  let answering = 0;
  app.addHook('onRequest', async (_request, reply) => {
    answering += 1;
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
    }, closingLookMs);
    app.server.once('close', () => clearInterval(timer));
    timer.unref();
  });
}
