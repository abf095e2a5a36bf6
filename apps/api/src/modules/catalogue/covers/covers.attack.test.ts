// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coverWidths } from '@regie/contract/covers.ts';
import { messages } from '@regie/contract/messages.ts';
import { CoverDetails } from '@regie/contract/routes/releases.ts';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '#src/lib/db.ts';
import { hashToken, newToken, sign } from '#src/lib/secrets.ts';
import { type CoverFile, makeCoverFiles, quarterColours } from '#test/cover-files.ts';
import { useDatabase } from '#test/database.ts';
import { buildAccount, buildActor, buildRelease } from '#test/factories.ts';

/** Sends malformed and hostile covers to a server in its own process and watches its memory. */
const database = useDatabase();
const secret = newToken();
const token = newToken();
const megabyte = 1024 * 1024;
let db: Database;
let dataDir: string;
let server: ChildProcess;
let address: string;
let releaseId: number;
let coverFiles: CoverFile[];

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 2 });
  dataDir = await mkdtemp(join(tmpdir(), 'regie-covers-'));
  const { adminId } = await buildActor(db);
  await db.insertInto('adminCapabilities').values({ adminId, capability: 'edit_paid_libraries' }).execute();
  await db
    .insertInto('sessions')
    .values({ tokenHash: hashToken(token), adminId })
    .execute();
  releaseId = await buildRelease(db, await buildAccount(db), 'paid');
  server = fork(new URL('../../../../test/server-process.ts', import.meta.url), [database.appUrl, secret, dataDir], {
    // The settings of `npm start` and `npm run serve`.
    env: { ...process.env, MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '8388608' },
  });
  [{ address }] = (await once(server, 'message')) as [{ address: string }];
  coverFiles = await makeCoverFiles();
}, 120_000);
afterAll(async () => {
  server.disconnect();
  await once(server, 'exit');
  await db.destroy();
  await rm(dataDir, { recursive: true });
});

const headers = () => ({ cookie: `regie=${token}`, 'x-csrf-token': sign(secret, 'csrf-session', token) });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

interface Part {
  field: string;
  fileName?: string;
  bytes: Buffer;
}

/** Sends a form with these parts; names are not escaped. */
async function send(parts: Part[]) {
  const boundary = `----${newToken()}`;
  const body = parts.flatMap(({ field, fileName, bytes }) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${field}"${
        fileName === undefined ? '' : `; filename="${fileName}"\r\ncontent-type: image/png`
      }\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
  const response = await fetch(`${address}/api/release/${releaseId}/edit/cover`, {
    method: 'PUT',
    headers: { ...headers(), 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...body, Buffer.from(`--${boundary}--\r\n`)]),
  });
  const answer = (await response.json()) as {
    code: string;
    message: string;
    errors: Record<string, string>;
    data: { coverDetails: string } | null;
  };
  return { status: response.status, ...answer };
}
const get = (path: string) => fetch(`${address}/api${path}`, { headers: headers() });

/** Paths of all stored files. */
async function listStored(): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
const countRows = async () => (await db.selectFrom('files').select('id').execute()).length;
async function memoryBytes(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
}

async function expectStored(file: CoverFile): Promise<void> {
  const before = await listStored();
  const reply = await send([{ field: 'cover', ...file }]);
  expect(reply, file.what).toMatchObject({ status: 200, code: 'success' });
  expect((await listStored()).length, file.what).toBe(before.length + 1 + coverWidths.length);
  const original = await get(`/release/${releaseId}/cover`);
  expect(sha256(Buffer.from(await original.arrayBuffer())), file.what).toBe(sha256(file.bytes));
  expect(original.headers.get('content-disposition')).toMatch(/^attachment; filename="Sortie \d+\.(png|jpg)"/);
  expect(original.headers.get('content-type')).toBe(file.bytes[0] === 0x89 ? 'image/png' : 'image/jpeg');
  const { url } = CoverDetails.parse(JSON.parse(reply.data?.coverDetails ?? ''));
  const picture = await fetch(`${address}${url}?w=200`, { headers: headers() });
  const decoded = sharp(Buffer.from(await picture.arrayBuffer()));
  expect(await decoded.metadata(), file.what).toMatchObject({ format: 'webp', width: 200, height: 200, space: 'srgb' });
  if (/^JPEG turned|^CMYK|^16-bit|^interlaced/.test(file.what)) await expectUpright(decoded, file.what);
}

/** Checks each quarter's position by its nearest colour, since CMYK cannot represent every blue. */
async function expectUpright(picture: Sharp, what: string): Promise<void> {
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const seen = [
    [50, 50],
    [150, 50],
    [50, 150],
    [150, 150],
  ].map(([x = 0, y = 0]) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)]);
  const distance = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, channel) => sum + Math.abs(value - (b[channel] ?? 999)), 0);
  for (const [index, pixel] of seen.entries()) {
    const distances = quarterColours.map((colour) => distance(colour, pixel));
    expect(distances.indexOf(Math.min(...distances)), `${what}, quarter ${index}: ${pixel.join()}`).toBe(index);
  }
}

async function expectRefused(parts: Part[], what: string): Promise<Awaited<ReturnType<typeof send>>> {
  const before = { stored: await listStored(), rows: await countRows() };
  const reply = await send(parts);
  expect(reply.code, what).not.toBe('success');
  expect(reply.status, what).toBeLessThan(500);
  expect({ stored: await listStored(), rows: await countRows() }, what).toEqual(before);
  return reply;
}

it('stores each cover unchanged or refuses it, within a memory limit', { timeout: 300_000 }, async () => {
  expect(coverFiles.length).toBeGreaterThan(45);
  const [first] = coverFiles;
  if (!first) throw new Error('no file');
  // Load the decoder's library before measuring.
  await expectStored(first);
  const start = await memoryBytes();
  let peak = start;
  const watch = setInterval(() => {
    memoryBytes().then(
      (bytes) => {
        peak = Math.max(peak, bytes);
      },
      () => {},
    );
  }, 20);
  for (const file of coverFiles) {
    const { what, fileName, bytes, refusal } = file;
    if (refusal === undefined) await expectStored(file);
    else {
      const reply = await expectRefused([{ field: 'cover', fileName, bytes }], what);
      expect(reply.errors.cover ?? reply.message, what).toBe(refusal);
    }
  }
  // Concurrent ones are queued.
  const many = await Promise.all(Array.from({ length: 8 }, () => send([{ field: 'cover', ...first }])));
  expect(many.map((reply) => reply.status)).toEqual(Array.from({ length: 8 }, () => 200));
  clearInterval(watch);
  expect((peak - start) / megabyte).toBeLessThan(200);
});

it('refuses a decompression bomb at once', async () => {
  const bomb = coverFiles.find((file) => file.what === '30 000×30 000');
  if (!bomb) throw new Error('no bomb');
  const start = performance.now();
  await expectRefused([{ field: 'cover', ...bomb }], bomb.what);
  expect(performance.now() - start).toBeLessThan(2_000);
});

it('stores the file name for display, without path and control characters', async () => {
  const names = await db.selectFrom('files').select('originalName').orderBy('id').execute();
  const seen = names.map((row) => row.originalName);
  expect(seen).toContain('passwd.png');
  expect(seen).toContain('émoji 🎧 été.png');
  for (const name of seen) {
    expect(name).not.toMatch(/[\\/\p{Cc}]/u);
    expect(name).not.toBe('');
  }
});

it('refuses a form without exactly one cover', async () => {
  const [cover] = coverFiles;
  if (!cover) throw new Error('no file');
  const { fileName, bytes } = cover;
  const forms: [string, Part[], string][] = [
    ['another field', [{ field: 'picture', fileName, bytes }], messages.emptyInput],
    ['no file', [{ field: 'cover', bytes: Buffer.from('a text') }], messages.emptyInput],
    ['nothing', [], messages.emptyInput],
    [
      'two files',
      [
        { field: 'cover', fileName, bytes },
        { field: 'cover', fileName, bytes },
      ],
      messages.invalidData,
    ],
    [
      'a line break in the name',
      [{ field: 'cover', fileName: 'a\r\nb.png', bytes: Buffer.from('x') }],
      messages.coverFormat,
    ],
    ['a quote in the name', [{ field: 'cover', fileName: 'a".png', bytes: Buffer.from('x') }], messages.coverFormat],
  ];
  for (const [what, parts, message] of forms) {
    const reply = await expectRefused(parts, what);
    expect([400, 413, 422], what).toContain(reply.status);
    expect(Object.values(reply.errors), what).toEqual([message]);
  }
});
