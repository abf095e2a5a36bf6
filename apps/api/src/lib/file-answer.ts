import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Both inclusive, as in a Range header. */
export type ByteRange = { start: number; end: number };

/** A file to send. A file's content never changes under one `etag`. */
export interface FileAnswer {
  /** In memory, or opened only when it has to be sent. */
  content: Buffer | ((range: ByteRange | undefined) => Promise<Readable>);
  sizeBytes: number;
  contentType: string;
  etag: string;
  /** Attachments are saved under this name. */
  fileName?: string;
  /** Defaults to `no-store`: most files depend on the caller's permissions. */
  cacheControl?: string;
}

/** Made while it is sent: without a known size there are no ranges. */
export type StreamAnswer = { content: () => Promise<Readable>; contentType: string; fileName: string };

export const etagOf = (content: Buffer): string => `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;

export const bufferAnswer = (content: Buffer, contentType: string, fileName: string): FileAnswer => ({
  content,
  sizeBytes: content.length,
  contentType,
  etag: etagOf(content),
  fileName,
});

/** `attachment` with an ASCII name and the accented one (RFC 6266). */
function attachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%/]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * Parses a Range header: `none` when it is to be ignored (another unit, several ranges, invalid), `outside` when the
 * file has no such byte (RFC 9110 §14).
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | 'none' | 'outside' {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [from = '', to = ''] = match?.slice(1) ?? [];
  if (!match || (from === '' && to === '')) return 'none';
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'outside' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(from);
  const end = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < start) return 'none';
  return start >= sizeBytes ? 'outside' : { start, end };
}

export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileAnswer | StreamAnswer,
): Promise<FastifyReply> {
  if (!('sizeBytes' in file)) {
    const stream = await file.content();
    reply.header('cache-control', 'no-store').header('content-disposition', attachment(file.fileName));
    return reply.type(file.contentType).send(stream);
  }
  const isKnown = request.headers['if-none-match'] === file.etag;
  // With another version, the browser would combine parts of different files.
  const ifRange = request.headers['if-range'];
  const isSameVersion = ifRange === undefined || ifRange === file.etag;
  const range = isSameVersion ? readRange(request.headers.range, file.sizeBytes) : 'none';
  const isSent = !isKnown && range !== 'outside';
  // Open the file before sending headers, so that an error is answered as an error.
  const content =
    !isSent || Buffer.isBuffer(file.content) ? file.content : await file.content(range === 'none' ? undefined : range);

  reply.header('etag', file.etag);
  reply.header('accept-ranges', 'bytes');
  reply.header('cache-control', file.cacheControl ?? 'no-store');
  if (file.fileName !== undefined) reply.header('content-disposition', attachment(file.fileName));
  if (isKnown) return reply.code(304).send();
  reply.type(file.contentType);
  if (range === 'outside') return reply.code(416).header('content-range', `bytes */${file.sizeBytes}`).send();
  if (range === 'none') {
    reply.header('content-length', file.sizeBytes);
    return reply.send(content);
  }
  reply.code(206);
  reply.header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`);
  reply.header('content-length', range.end - range.start + 1);
  return reply.send(Buffer.isBuffer(content) ? content.subarray(range.start, range.end + 1) : content);
}
