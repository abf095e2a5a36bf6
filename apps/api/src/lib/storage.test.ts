import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStorage } from './open-storage.ts';
import { newStorageKey, readInPlace, type Storage, StorageMissing, StorageUnavailable } from './storage.ts';
import { readBucketUrl } from './storage-bucket.ts';

const folders: string[] = [];
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'regie-storage-'));
  folders.push(folder);
  return folder;
}
let s3: S3rver;
let s3Url: (bucket: string, host?: string) => string;

beforeAll(async () => {
  s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await newFolder(),
    configureBuckets: [{ name: 'regie-files' }, { name: 'regie-many' }],
  });
  const { port } = await s3.run();
  s3Url = (bucket, host = `127.0.0.1:${port}`) => `s3://S3RVER:S3RVER@${host}/${bucket}?region=eu-west-3&protocol=http`;
});
afterAll(async () => {
  await s3.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

async function read(storage: Storage, key: string, range?: { start: number; end: number }): Promise<Buffer> {
  return Buffer.concat(await (await storage.open(key, range)).toArray());
}
async function keysOf(storage: Storage): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) keys.push(key);
  return keys.sort();
}
/** A source that gives these bytes in pieces and then fails, if told to. */
async function* pieces(bytes: Buffer, failure?: Error) {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
  if (failure) throw failure;
}

const drivers: [string, (name: 'files' | 'many') => Promise<Storage>][] = [
  ['a folder', async () => createStorage(pathToFileURL(await newFolder()).href)],
  ['a folder, in place', async () => readInPlace(createStorage(pathToFileURL(await newFolder()).href))],
  ['a bucket', async (name) => createStorage(s3Url(`regie-${name}`))],
];

describe.each(drivers)('files in %s', (_name, open) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await open('files');
  });

  it('returns a stored file, whole or in part', async () => {
    const bytes = randomBytes(300_000);
    const key = newStorageKey('cover', 'jpg');
    await storage.put(key, bytes, bytes.length);
    expect((await read(storage, key)).equals(bytes)).toBe(true);
    expect((await read(storage, key, { start: 0, end: 9 })).equals(bytes.subarray(0, 10))).toBe(true);
    expect((await read(storage, key, { start: 1000, end: 70_000 })).equals(bytes.subarray(1000, 70_001))).toBe(true);
    expect((await read(storage, key, { start: 299_999, end: 299_999 })).equals(bytes.subarray(299_999))).toBe(true);
    const found = await storage.find(key);
    expect(found).toMatchObject({ key, sizeBytes: 300_000 });
    expect(Math.abs(Date.now() - (found?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000);
  });

  it('closes a file when its reader stops, and ends a range at the end of the file', async () => {
    const bytes = randomBytes(1_000_000);
    const key = newStorageKey('audio', 'wav');
    await storage.put(key, bytes, bytes.length);
    const stream = await storage.open(key);
    for await (const piece of stream as AsyncIterable<Buffer>) {
      expect(piece.equals(bytes.subarray(0, piece.length))).toBe(true);
      break;
    }
    await expect.poll(() => stream.closed).toBe(true);
    expect(stream.readableEnded).toBe(false);
    const openFiles = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    expect(openFiles.filter((path) => path.endsWith(key))).toEqual([]);
    expect((await read(storage, key, { start: 999_990, end: 2_000_000 })).equals(bytes.subarray(999_990))).toBe(true);
  });

  it('rejects when reading fails', async () => {
    await storage.put('cover/aa/x.png', Buffer.from('x'), 1);
    await expect(read(storage, 'cover/aa')).rejects.toThrow();
  });

  it('stores the beginning of a file followed by further bytes', { tags: ['slow'] }, async () => {
    const bytes = randomBytes(9_000_000);
    const path = join(await newFolder(), 'under-way');
    await writeFile(path, bytes);
    const key = newStorageKey('audio', 'wav');
    const tail = Buffer.from('the end');
    await storage.putFile(key, { path, sizeBytes: 8_500_000, isSettled: false }, tail);
    expect((await read(storage, key)).equals(Buffer.concat([bytes.subarray(0, 8_500_000), tail]))).toBe(true);
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it('stores the beginning of a settled file followed by further bytes', { tags: ['slow'] }, async () => {
    const bytes = randomBytes(9_000_000);
    const path = join(await newFolder(), 'whole');
    await writeFile(path, bytes);
    const key = newStorageKey('audio', 'wav');
    const tail = Buffer.from('the end');
    await storage.putFile(key, { path, sizeBytes: 8_999_000, isSettled: true }, tail);
    await rm(path);
    expect((await read(storage, key)).equals(Buffer.concat([bytes.subarray(0, 8_999_000), tail]))).toBe(true);
  });

  it('stores nothing of a file that is shorter than announced or missing', async () => {
    const path = join(await newFolder(), 'under-way');
    await writeFile(path, randomBytes(1000));
    const key = newStorageKey('audio', 'wav');
    await expect(storage.putFile(key, { path, sizeBytes: 1001, isSettled: false }, Buffer.from('x'))).rejects.toThrow();
    await rm(path);
    await expect(storage.putFile(key, { path, sizeBytes: 1000, isSettled: false }, Buffer.from('x'))).rejects.toThrow();
    expect(await storage.find(key)).toBeUndefined();
  });

  it.each([5_000_000, 8_388_608, 16_777_216, 20_000_001])(
    'stores a stream of %i bytes unchanged',
    { tags: ['slow'] },
    async (size) => {
      const bytes = randomBytes(size);
      const key = newStorageKey('audio', 'wav');
      await storage.put(key, Readable.from(pieces(bytes)), bytes.length);
      const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
      expect(sha256(await read(storage, key))).toBe(sha256(bytes));
      expect(await keysOf(storage)).toContain(key);
    },
  );

  it.each(['buffer', 'stream'])('stores 0 bytes from a %s', async (kind) => {
    const key = newStorageKey('document', 'txt');
    await storage.put(key, kind === 'buffer' ? Buffer.alloc(0) : Readable.from([]), 0);
    expect(await storage.find(key)).toMatchObject({ sizeBytes: 0 });
    expect(await read(storage, key)).toHaveLength(0);
  });

  it.each([
    ['too few bytes of a stream', () => Readable.from(pieces(randomBytes(200_000))), 300_000],
    ['too many bytes of a stream', () => Readable.from(pieces(randomBytes(300_000))), 200_000],
    ['too few bytes', () => randomBytes(10), 11],
    ['too many bytes', () => randomBytes(11), 10],
    ['a source that fails', () => Readable.from(pieces(randomBytes(400_000), new Error('the line is dead'))), 500_000],
    [
      'a source that is destroyed',
      () => {
        const source = new Readable({ read() {} });
        source.push(randomBytes(100_000));
        setImmediate(() => source.destroy());
        return source;
      },
      500_000,
    ],
  ])('stores nothing of %s', async (_what, source, sizeBytes) => {
    const key = newStorageKey('audio', 'wav');
    const before = await keysOf(storage);
    await expect(storage.put(key, source(), sizeBytes)).rejects.toThrow();
    expect(await storage.find(key)).toBeUndefined();
    await expect(storage.open(key)).rejects.toThrow(StorageMissing);
    expect(await keysOf(storage)).toEqual(before);
  });

  it('stores two files at the same time', async () => {
    const contents = [randomBytes(500_000), randomBytes(500_000)];
    const keys = [newStorageKey('cover', 'png'), newStorageKey('cover', 'png')];
    await Promise.all(keys.map((key, i) => storage.put(key, contents[i] ?? Buffer.alloc(0), 500_000)));
    for (const [i, key] of keys.entries()) {
      expect((await read(storage, key)).equals(contents[i] ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it('reports a missing file, and removes a file whether it exists or not', async () => {
    const key = newStorageKey('cover', 'png');
    await expect(storage.open(key)).rejects.toThrow(StorageMissing);
    expect(await storage.find(key)).toBeUndefined();
    await storage.remove(key);
    await storage.put(key, Buffer.from('x'), 1);
    await storage.remove(key);
    await storage.remove(key);
    expect(await storage.find(key)).toBeUndefined();
  });

  it.each([
    ...['', '/', 'cover', '/etc/passwd', '../cover/aa/x.png', 'cover/../../x.png', 'cover/..', 'cover/./x.png'],
    ...['cover/aa/x\0.png', 'cover//x.png', 'cover\\aa\\x.png', '.partial/x', 'cover/aa/x..png', 'cover/aa/é.png'],
    ...['cover/aa/x.png\n', 'Cover/aa/x.png', 'cover/aa/.x'],
  ])('refuses the key %j', async (key) => {
    await expect(storage.put(key, Buffer.from('x'), 1)).rejects.toThrow('not a storage key');
    await expect(storage.open(key)).rejects.toThrow('not a storage key');
    await expect(storage.find(key)).rejects.toThrow('not a storage key');
    await expect(storage.remove(key)).rejects.toThrow('not a storage key');
  });

  it('can be checked without leaving a file', async () => {
    const before = await keysOf(storage);
    await storage.check();
    expect(await keysOf(storage)).toEqual(before);
  });

  it('lists the files of several pages', { tags: ['slow'], timeout: 60_000 }, async () => {
    const many = await open('many');
    const keys = Array.from({ length: 1_203 }, (_, i) => `cover/${String(i % 7).padStart(2, '0')}/${i}.png`);
    const waiting = [...keys];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) await many.put(key, Buffer.from('x'), 1);
      }),
    );
    expect(await keysOf(many)).toEqual(keys.sort());
  });
});

describe('a folder', () => {
  it('lists neither partial nor foreign files, and removes old partial files', async () => {
    const root = await newFolder();
    const storage = createStorage(pathToFileURL(root).href);
    await mkdir(join(root, '.partial'));
    const old = join(root, '.partial', 'old');
    await writeFile(old, 'half');
    await utimes(old, new Date('2026-01-01'), new Date('2026-01-01'));
    await writeFile(join(root, '.partial', 'new'), 'half');
    await writeFile(join(root, 'somebody.txt'), 'mine');
    expect(await keysOf(storage)).toEqual([]);
    expect(await storage.removePartials(new Date('2026-01-02'))).toBe(1);
    expect(await readdir(join(root, '.partial'))).toEqual(['new']);
  });

  it('is reported as unusable when it cannot be written', async () => {
    const root = await newFolder();
    // Root may write anywhere, but not below a file.
    await writeFile(join(root, 'file'), '');
    await chmod(join(root, 'file'), 0o444);
    const storage = createStorage(pathToFileURL(join(root, 'file', 'files')).href);
    await expect(storage.check()).rejects.toThrow(
      /^STORAGE_URL\u00a0: on ne peut pas écrire dans le dossier .*ENOTDIR/,
    );
  });
});

describe('a bucket', () => {
  it.each([
    ['whose server is down', (url: typeof s3Url) => url('regie-files', '127.0.0.1:1'), 'personne ne répond'],
    ['that does not exist', (url: typeof s3Url) => url('regie-autre'), 'seau introuvable'],
    ['whose key is wrong', (url: typeof s3Url) => url('regie-files').replace('S3RVER:', 'autre:'), 'clé inconnue'],
  ])(
    '%s is reported as unusable',
    async (_what, url, reason) => {
      const error: unknown = await createStorage(url(s3Url))
        .check()
        .catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(StorageUnavailable);
      expect(String(error)).toContain(reason);
      expect(String(error)).not.toMatch(/autre:|S3RVER/);
    },
    30_000,
  );

  it('ends the old uploads of Régie’s files only', async () => {
    const upload = (key: string, id: string, day: string) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${day}T12:00:00.000Z</Initiated></Upload>`;
    const pages = [
      `<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>
       ${upload('audio/aa/aab.wav', 'old', '2026-01-01')}${upload('Photos/été.raw', 'somebody', '2026-01-01')}`,
      `<IsTruncated>false</IsTruncated>
       ${upload('audio/aa/aac.wav', 'new', '2026-01-03')}${upload('lines/ab/abc.parquet', 'older', '2025-12-01')}`,
    ];
    const ended: string[] = [];
    const service = createHttpServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://bucket');
      if (request.method === 'DELETE') ended.push(`${url.pathname} ${url.searchParams.get('uploadId')}`);
      response.statusCode = request.method === 'DELETE' ? 204 : 200;
      response.setHeader('content-type', 'application/xml');
      response.end(
        request.method === 'DELETE'
          ? undefined
          : `<ListMultipartUploadsResult>${pages[url.searchParams.has('key-marker') ? 1 : 0]}</ListMultipartUploadsResult>`,
      );
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const address = service.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const storage = createStorage(s3Url('regie-files', `127.0.0.1:${port}`));
    expect(await storage.removePartials(new Date('2026-01-02'))).toBe(2);
    expect(ended).toEqual(['/regie-files/audio/aa/aab.wav old', '/regie-files/lines/ab/abc.parquet older']);
    service.closeAllConnections();
    service.close();
  });

  it('stores nothing when the connection is lost during an upload', { tags: ['slow'] }, async () => {
    // A proxy that breaks every connection once 12 MB have passed.
    const port = Number(new URL(s3Url('x').replace('s3:', 'http:')).port);
    const sockets: Socket[] = [];
    let passed = 0;
    const wire: Server = createServer((socket) => {
      const onward = connect(port, '127.0.0.1');
      sockets.push(socket, onward);
      for (const end of sockets) end.on('error', () => {});
      socket.on('data', (chunk) => {
        passed += chunk.length;
        if (passed > 12_000_000) {
          socket.destroy();
          onward.destroy();
        } else onward.write(chunk);
      });
      onward.pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(wire, 'listening');
    const address = wire.address();
    const wirePort = typeof address === 'object' ? address?.port : 0;
    const cut = createStorage(s3Url('regie-files', `127.0.0.1:${wirePort}`));
    const direct = createStorage(s3Url('regie-files'));
    const before = await keysOf(direct);
    const key = newStorageKey('audio', 'wav');
    const bytes = randomBytes(20_000_000);
    await expect(cut.put(key, Readable.from(pieces(bytes)), bytes.length)).rejects.toThrow();
    expect(await direct.find(key)).toBeUndefined();
    expect(await keysOf(direct)).toEqual(before);
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
});

describe('the URL of a bucket', () => {
  it('contains key, secret, host, bucket, region and protocol', () => {
    expect(readBucketUrl('s3://AKIA:p%2Fq%2Br@s3.fr-par.example:9000/mes-fichiers?region=fr-par')).toEqual({
      endpoint: 'https://s3.fr-par.example:9000',
      bucket: 'mes-fichiers',
      region: 'fr-par',
      accessKeyId: 'AKIA',
      secretAccessKey: 'p/q+r',
    });
    expect(readBucketUrl('s3://a:b@127.0.0.1:9000/seau?protocol=http')).toMatchObject({
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
    });
  });

  it.each([
    ['s3://host/bucket', 'la clé'],
    ['s3://key@host/bucket', 'le secret'],
    ['s3://key:secret@host/', 'le seau'],
    ['s3://key:secret@host/a/b', 'le seau'],
    ['s3://key:secret@host/bucket?protocol=ftp', 'protocol'],
  ])('%s is refused with the part at fault', (url, problem) => {
    expect(() => readBucketUrl(url)).toThrow(problem);
  });
});

it('creates unique keys that reveal nothing about the file', () => {
  const keys = Array.from({ length: 1000 }, () => newStorageKey('cover', 'png'));
  for (const key of keys) expect(key).toMatch(/^cover\/([a-z0-9]{2})\/\1[a-z0-9]{20,30}\.png$/);
  expect(new Set(keys).size).toBe(1000);
});
