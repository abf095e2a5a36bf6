import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';

/**
 * One backup file: `magic`, the length of the header (4 bytes), the header as JSON, the frames compressed by zstd,
 * `endMagic` and the SHA-256 of all that stands before it. A frame is its kind (1 byte), its length (4 bytes,
 * big-endian) and its content: a table or file header (JSON), then its data in any number of frames.
 */
export type BackupHeader = {
  format: number;
  createdAt: string;
  serverVersion: string;
  /** Names of the migrations the database had, in order. */
  migrations: string[];
};

export type Frame =
  | { kind: 'table'; name: string; columns: string[] }
  | { kind: 'sequences'; values: { name: string; value: string; isCalled: boolean }[] }
  | { kind: 'file'; path: string }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'end' };

/** The file is not a backup, or not a whole one; the message is for the person who named it. */
export class BackupFileError extends Error {
  override name = 'BackupFileError';
}

export const backupFormat = 1;
const magic = Buffer.from('REGIE-SAUVEGARDE\n');
const endMagic = Buffer.from('REGIE-FIN');
const digestBytes = 32;
const trailerBytes = endMagic.length + digestBytes;
const maxHeaderBytes = 1024 ** 2;
const maxFrameBytes = 64 * 1024 ** 2;
const dataKind = 0;
const jsonKind = 1;

/** Writes a whole backup or none: the file appears under its name once it is complete and on the disk. */
export async function writeBackupFile(
  file: string,
  header: BackupHeader,
  frames: AsyncIterable<Frame>,
): Promise<number> {
  const draft = `${file}.partial`;
  const output = await fs.open(draft, 'w', 0o600);
  try {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    const write = async (bytes: Buffer) => {
      hash.update(bytes);
      sizeBytes += bytes.length;
      await output.writeFile(bytes);
    };
    const headerBytes = Buffer.from(JSON.stringify(header));
    await write(Buffer.concat([magic, lengthPrefix(headerBytes.length), headerBytes]));
    await pipeline(
      encode(frames),
      createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
      async (compressed: AsyncIterable<Buffer>) => {
        for await (const bytes of compressed) await write(bytes);
      },
    );
    await write(endMagic);
    await output.writeFile(hash.digest());
    await output.sync();
    await output.close();
    await fs.rename(draft, file);
    await syncFolder(dirname(file));
    return sizeBytes + digestBytes;
  } catch (error) {
    await output.close().catch(() => {});
    await fs.rm(draft, { force: true });
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function lengthPrefix(length: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(length);
  return prefix;
}

async function* encode(frames: AsyncIterable<Frame>): AsyncGenerator<Buffer> {
  for await (const frame of frames) {
    const content = frame.kind === 'data' ? frame.bytes : Buffer.from(JSON.stringify(frame));
    const head = Buffer.alloc(5);
    head.writeUInt8(frame.kind === 'data' ? dataKind : jsonKind);
    head.writeUInt32BE(content.length, 1);
    yield head;
    yield content;
  }
}

/**
 * Reads the file through once and compares its sum, so that a cut or damaged one is refused before anything is written.
 * @throws BackupFileError
 */
export async function checkBackupFile(
  file: string,
): Promise<{ header: BackupHeader; frames: () => AsyncGenerator<Frame> }> {
  const size = await fs.stat(file).then(
    (found) => found.size,
    () => {
      throw new BackupFileError(`Le fichier ${file} est introuvable.`);
    },
  );
  const headerStart = magic.length + 4;
  const start = size < headerStart ? Buffer.alloc(0) : await readPart(file, 0, headerStart);
  if (!start.subarray(0, magic.length).equals(magic)) {
    throw new BackupFileError(`Le fichier ${file} n'est pas une sauvegarde de Régie.`);
  }
  const headerBytes = start.readUInt32BE(magic.length);
  const bodyStart = headerStart + headerBytes;
  const bodyEnd = size - trailerBytes;
  if (headerBytes > maxHeaderBytes || bodyEnd <= bodyStart) throw damaged(file);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { end: size - digestBytes - 1, highWaterMark: 1024 ** 2 }), hash);
  const trailer = await readPart(file, bodyEnd, trailerBytes);
  const isWhole =
    trailer.subarray(0, endMagic.length).equals(endMagic) && trailer.subarray(endMagic.length).equals(hash.read());
  if (!isWhole) throw damaged(file);
  const header: BackupHeader = JSON.parse((await readPart(file, headerStart, headerBytes)).toString('utf8'));
  if (header.format !== backupFormat) {
    throw new BackupFileError(
      `La sauvegarde est au format ${header.format}, cette version de Régie lit le format ${backupFormat}\u00A0: utilisez une version plus récente.`,
    );
  }
  return { header, frames: () => readFrames(file, bodyStart, bodyEnd) };
}

function damaged(file: string): BackupFileError {
  return new BackupFileError(
    `La sauvegarde ${file} est incomplète ou abîmée (sa somme de contrôle ne correspond pas)\u00A0: rien n'a été modifié. Reprenez une autre copie.`,
  );
}

async function readPart(file: string, position: number, length: number): Promise<Buffer> {
  const handle = await fs.open(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, position);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function* readFrames(file: string, bodyStart: number, bodyEnd: number): AsyncGenerator<Frame> {
  const source = createReadStream(file, { start: bodyStart, end: bodyEnd - 1, highWaterMark: 256 * 1024 });
  const plain = createZstdDecompress();
  source.once('error', (error) => plain.destroy(error));
  source.pipe(plain);
  try {
    const reader = new ByteReader(plain);
    for (;;) {
      const head = await reader.read(5);
      if (head === undefined) return;
      const length = head.readUInt32BE(1);
      if (length > maxFrameBytes) throw damaged(file);
      const content = await reader.read(length);
      if (content === undefined) throw damaged(file);
      // The sum was checked: what is read here is what writeBackupFile wrote.
      yield head.readUInt8() === dataKind
        ? { kind: 'data', bytes: content }
        : (JSON.parse(content.toString('utf8')) as Frame);
    }
  } finally {
    source.destroy();
    plain.destroy();
  }
}

/** Reads exact lengths from a stream of chunks. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** `undefined` at the end of the stream. */
  async read(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) return undefined;
        this.#rest = next.value;
      }
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      parts.push(part);
      missing -= part.length;
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }
}
