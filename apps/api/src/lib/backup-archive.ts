import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { ageMagic, BackupFileError, type BackupKeys, decryptBackup } from './backup-encryption.ts';

/**
 * A backup: `magic`, the header's length (4 bytes), the header (JSON), the frames compressed by zstd, `endMagic` and
 * the SHA-256 of all before it. A frame is its kind (1 byte), its length (4 bytes, big-endian) and its content: a table
 * or file header (JSON), then its data in any number of frames. All of it may be encrypted by age.
 */
type BackupHeader = {
  format: number;
  createdAt: string;
  serverVersion: string;
  migrations: string[];
};

export type Frame =
  | { kind: 'table'; name: string; columns: string[] }
  | { kind: 'sequences'; values: { name: string; value: string; isCalled: boolean }[] }
  | { kind: 'file'; path: string }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'end' };

/** Can be opened more than once. */
export type BackupSource = { name: string; open: () => Promise<Readable> };

export const backupFormat = 1;
const magic = Buffer.from('REGIE-SAUVEGARDE\n');
const endMagic = Buffer.from('REGIE-FIN');
const digestBytes = 32;
const trailerBytes = endMagic.length + digestBytes;
const maxHeaderBytes = 1024 ** 2;
const maxFrameBytes = 64 * 1024 ** 2;
const dataKind = 0;
const jsonKind = 1;

/** The bytes of a backup, not encrypted. */
export async function* encodeBackup(header: BackupHeader, frames: AsyncIterable<Frame>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const headerBytes = Buffer.from(JSON.stringify(header));
  const start = Buffer.concat([magic, lengthPrefix(headerBytes.length), headerBytes]);
  hash.update(start);
  yield start;
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  // An error ends `compressed`, and so the loop.
  pipeline(Readable.from(encodeFrames(frames)), compressed, () => undefined);
  for await (const bytes of compressed as AsyncIterable<Buffer>) {
    hash.update(bytes);
    yield bytes;
  }
  hash.update(endMagic);
  yield Buffer.concat([endMagic, hash.digest()]);
}

function lengthPrefix(length: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(length);
  return prefix;
}

async function* encodeFrames(frames: AsyncIterable<Frame>): AsyncGenerator<Buffer> {
  for await (const frame of frames) {
    const content = frame.kind === 'data' ? frame.bytes : Buffer.from(JSON.stringify(frame));
    yield Buffer.concat([Buffer.of(frame.kind === 'data' ? dataKind : jsonKind), lengthPrefix(content.length)]);
    yield content;
  }
}

export type CheckedBackup = Awaited<ReturnType<typeof checkBackup>>;

/** Reads the whole backup and compares its sum before anything is written. @throws BackupFileError */
export async function checkBackup(source: BackupSource, keys: BackupKeys) {
  const counts = { tables: 0, files: 0 };
  const archive = await openArchive(source, keys);
  for await (const { kind } of archive.frames) {
    if (kind === 'table') counts.tables += 1;
    if (kind === 'file') counts.files += 1;
  }
  const { header, isEncrypted } = archive;
  return {
    header,
    isEncrypted,
    ...counts,
    async *frames(): AsyncGenerator<Frame> {
      yield* (await openArchive(source, keys)).frames;
    },
  };
}

async function openArchive(source: BackupSource, keys: BackupKeys) {
  const { name } = source;
  const damaged = () =>
    new BackupFileError(
      `La sauvegarde ${name} est incomplète ou abîmée (sa somme de contrôle ne correspond pas)\u00A0: rien n'a été modifié. Reprenez une autre copie.`,
    );
  const stream = await source.open();
  try {
    const stored = new ByteReader(stream);
    const isEncrypted = (await stored.peek(ageMagic.length)).equals(ageMagic);
    const plain = isEncrypted ? new ByteReader(decryptBackup(stored.rest(), { name, keys, damaged })) : stored;
    const start = await plain.peek(magic.length + 4);
    if (start.length < magic.length + 4 || !start.subarray(0, magic.length).equals(magic)) {
      throw new BackupFileError(`Le fichier ${name} n'est pas une sauvegarde de Régie.`);
    }
    const headerBytes = start.readUInt32BE(magic.length);
    if (headerBytes > maxHeaderBytes) throw damaged();
    const head = await plain.read(start.length + headerBytes);
    if (head === undefined) throw damaged();
    const header = parseJson<BackupHeader>(head.subarray(start.length), damaged);
    if (header.format !== backupFormat) {
      throw new BackupFileError(
        `La sauvegarde est au format ${header.format}, cette version de Régie lit le format ${backupFormat}\u00A0: utilisez une version plus récente.`,
      );
    }
    return { header, isEncrypted, frames: readFrames(stream, head, plain.rest(), damaged) };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

function parseJson<Value>(bytes: Buffer, damaged: () => BackupFileError): Value {
  try {
    return JSON.parse(bytes.toString('utf8')) as Value;
  } catch {
    throw damaged();
  }
}

async function* readFrames(
  stream: Readable,
  head: Buffer,
  rest: AsyncIterable<Buffer>,
  damaged: () => BackupFileError,
): AsyncGenerator<Frame> {
  const plain = createZstdDecompress();
  pipeline(Readable.from(withoutTrailer(head, rest, damaged)), plain, () => undefined);
  try {
    const reader = new ByteReader(plain);
    let hasEnd = false;
    for (;;) {
      const start = await reader.read(5);
      if (start === undefined) break;
      const length = start.readUInt32BE(1);
      if (length > maxFrameBytes || hasEnd) throw damaged();
      const content = await reader.read(length);
      if (content === undefined) throw damaged();
      const frame: Frame =
        start.readUInt8() === dataKind ? { kind: 'data', bytes: content } : parseJson<Frame>(content, damaged);
      if (frame.kind === 'end') hasEnd = true;
      else yield frame;
    }
    if (!hasEnd) throw damaged();
    // Only now: the sum has been compared.
    yield { kind: 'end' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw code.startsWith('ZSTD_') || code.startsWith('ERR_ZSTD') || code.startsWith('Z_') ? damaged() : error;
  } finally {
    plain.destroy();
    stream.destroy();
  }
}

/** Passes on what stands before the trailer, then compares the sum. */
async function* withoutTrailer(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
  damaged: () => BackupFileError,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256').update(head);
  let held: Buffer = Buffer.alloc(0);
  for await (const bytes of rest) {
    held = Buffer.concat([held, bytes]);
    if (held.length <= trailerBytes) continue;
    const part = held.subarray(0, -trailerBytes);
    held = held.subarray(-trailerBytes);
    hash.update(part);
    yield part;
  }
  if (!held.subarray(0, endMagic.length).equals(endMagic)) throw damaged();
  if (!held.subarray(endMagic.length).equals(hash.update(endMagic).digest())) throw damaged();
}

class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next bytes, which stay to be read; fewer at the end of the stream. */
  async peek(length: number): Promise<Buffer> {
    const parts = [this.#held];
    let available = this.#held.length;
    while (available < length) {
      const next = await this.#next();
      if (next === undefined) break;
      parts.push(next);
      available += next.length;
    }
    if (parts.length > 1) this.#held = Buffer.concat(parts);
    return this.#held.subarray(0, length);
  }

  /** `undefined` when the stream ends before. */
  async read(length: number): Promise<Buffer | undefined> {
    const bytes = await this.peek(length);
    if (bytes.length < length) return undefined;
    this.#held = this.#held.subarray(length);
    return bytes;
  }

  async *rest(): AsyncGenerator<Buffer> {
    for (;;) {
      const bytes = this.#held.length > 0 ? this.#held : await this.#next();
      this.#held = Buffer.alloc(0);
      if (bytes === undefined) return;
      yield bytes;
    }
  }

  async #next(): Promise<Buffer | undefined> {
    const next = await this.#chunks.next();
    return next.done === true
      ? undefined
      : Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
  }
}
