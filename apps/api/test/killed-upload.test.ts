// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { audioChunkBytes } from '@regie/contract/audio.ts';
import type { UploadState } from '@regie/contract/routes/audio.ts';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '#src/lib/db.ts';
import { hashToken, newToken, sign } from '#src/lib/secrets.ts';
import { useDatabase } from './database.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor, buildTrack } from './factories.ts';
import { buildWav, tone } from './waves.ts';

/**
 * A server in its own process: killed with SIGKILL between and during chunks, uploads resume and complete unchanged;
 * and a large file is not kept in memory.
 */
const database = useDatabase();
const secret = newToken();
const token = newToken();
let db: Database;
let dataDir: string;
let accountId: number;

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 2 });
  dataDir = await mkdtemp(join(tmpdir(), 'regie-killed-'));
  const { adminId } = await buildActor(db);
  await db
    .insertInto('adminCapabilities')
    .values([{ adminId, capability: 'edit_delivered_libraries' }])
    .execute();
  await db
    .insertInto('sessions')
    .values({ tokenHash: hashToken(token), adminId })
    .execute();
  accountId = await buildAccount(db);
});
afterAll(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true, force: true });
});

interface Server {
  address: string;
  pid: number;
  kill: () => Promise<void>;
}

async function startServer(...place: string[]): Promise<Server> {
  const args = [database.appUrl, secret, ...(place.length > 0 ? place : [dataDir])];
  const child: ChildProcess = fork(new URL('server-process.ts', import.meta.url), args);
  const [{ address }] = (await once(child, 'message')) as [{ address: string }];
  return {
    address,
    pid: child.pid ?? 0,
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface File {
  trackId: number;
  name: string;
  bytes: Buffer;
}

async function call(
  server: Server,
  method: 'GET' | 'PUT',
  file: File,
  start = 0,
): Promise<{ status: number; data: UploadState }> {
  const form = new FormData();
  form.append('track', new Blob([new Uint8Array(file.bytes.subarray(start, start + audioChunkBytes))]), 'blob');
  const response = await fetch(`${server.address}/api/tracks/${file.trackId}/edit/audio`, {
    method,
    headers: {
      cookie: `regie=${token}`,
      'x-csrf-token': sign(secret, 'csrf-session', token),
      'x-file-start': String(start),
      'x-file-name': encodeURIComponent(file.name),
      'x-file-size': String(file.bytes.length),
    },
    ...(method === 'PUT' ? { body: form } : {}),
  });
  const { data } = (await response.json()) as { data: UploadState };
  return { status: response.status, data };
}

/** Sends from the current position until the file is complete or no answer comes. */
async function sendRest(server: Server, file: File): Promise<number> {
  let { data } = await call(server, 'GET', file);
  let calls = 0;
  while (!data.done) {
    const answer = await call(server, 'PUT', file, data.received);
    expect(answer.status).toBe(200);
    data = answer.data;
    calls += 1;
  }
  return calls;
}

async function stored(server: Server, file: File): Promise<string> {
  const response = await fetch(`${server.address}/api/tracks/${file.trackId}/audio`, {
    headers: { cookie: `regie=${token}` },
  });
  const hash = createHash('sha256');
  for await (const piece of response.body ?? []) hash.update(piece);
  const digest = hash.digest('hex');
  // The analysis across the kill matches the stored file.
  expect(response.headers.get('etag')).toBe(`"${digest}"`);
  return digest;
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a killed server', () => {
  it('resumes an upload at its position', { timeout: 600_000 }, async () => {
    const bytes = buildWav({ samples: tone(500_000) });
    const chunks = Math.ceil(bytes.length / audioChunkBytes);
    let server = await startServer();
    const { id } = await buildTrack(db, accountId);
    const uninterrupted = { trackId: id, name: 'whole.wav', bytes };
    const began = performance.now();
    expect(await sendRest(server, uninterrupted)).toBe(chunks);
    const chunkMs = (performance.now() - began) / chunks;

    const kills = deepCount(70, 20);
    for (let round = 0; round < kills; round += 1) {
      const file = { trackId: (await buildTrack(db, accountId)).id, name: `killed-${round}.wav`, bytes };
      // Every chunk in turn; the last one, which completes the file, twice as often.
      const victim = Math.min(round % (chunks + 1), chunks - 1);
      for (let chunk = 0; chunk < victim; chunk += 1) await call(server, 'PUT', file, chunk * audioChunkBytes);
      const lost = call(server, 'PUT', file, victim * audioChunkBytes).catch(() => undefined);
      await delay(Math.random() * chunkMs * (victim === chunks - 1 ? 3 : 1.2));
      await server.kill();
      await lost;

      server = await startServer();
      const { data } = await call(server, 'GET', file);
      expect(data.received).toBeGreaterThanOrEqual(victim * audioChunkBytes);
      expect(data.received).toBeLessThanOrEqual(Math.min((victim + 1) * audioChunkBytes, bytes.length));
      await sendRest(server, file);
      expect(await stored(server, file)).toBe(sha256(bytes));
    }
    await server.kill();
    expect(await db.selectFrom('uploads').selectAll().execute()).toEqual([]);
    const tracks = await db.selectFrom('tracks').select('audioFileId').where('audioFileId', 'is not', null).execute();
    expect(tracks.length).toBe(kills + 1);
    expect(new Set(tracks.map((track) => track.audioFileId)).size).toBe(kills + 1);
  });
});

async function sendInTurn(servers: readonly [Server, Server]): Promise<void> {
  const bytes = buildWav({ samples: tone(500_000) });
  const file = { trackId: (await buildTrack(db, accountId)).id, name: 'turns.wav', bytes };
  let turn = 0;
  for (let start = 0; start < bytes.length; start += audioChunkBytes) {
    // The second server gets every chunk as well, while it is written or just after.
    const both = servers.map((server) => call(server, 'PUT', file, start));
    const answers = await Promise.all(turn++ % 2 === 0 ? both : both.reverse());
    const isFirst = start === 0;
    expect(answers.map(({ status }) => status).sort()).toEqual(isFirst ? [200, 200] : [200, 409]);
  }
  expect(await stored(servers[0], file)).toBe(sha256(bytes));
}

it('two servers with one folder accept the chunks of one upload in turn', { timeout: 60_000 }, async () => {
  const servers = [await startServer(), await startServer()] as const;
  await sendInTurn(servers);
  await Promise.all(servers.map((server) => server.kill()));
});

describe('two servers with a bucket and no folder in common', () => {
  let s3: S3rver;
  let directory: string;
  const places: string[][] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'regie-bucket-'));
    const options = { directory, address: '127.0.0.1', port: 0, silent: true };
    s3 = new S3rver({ ...options, configureBuckets: [{ name: 'regie-files' }] });
    const { port } = await s3.run();
    const url = `s3://S3RVER:S3RVER@127.0.0.1:${port}/regie-files?region=eu-west-3&protocol=http`;
    for (const name of ['one', 'two']) places.push([join(directory, name), url]);
  });
  afterAll(async () => {
    await s3.close();
    await rm(directory, { recursive: true, force: true });
  });
  const startBoth = async () => {
    const [one, two] = await Promise.all(places.map((place) => startServer(...place)));
    if (!one || !two) throw new Error('no servers');
    return [one, two] as const;
  };
  const objects = async () => {
    const held = await readdir(join(directory, 'regie-files', 'upload'), { recursive: true }).catch(() => []);
    return held.filter((name) => name.endsWith('_object'));
  };

  it('accept the chunks of one upload in turn, and leave no chunk behind', { timeout: 120_000 }, async () => {
    const servers = await startBoth();
    await sendInTurn(servers);
    // What the refused chunks stored is gone too.
    expect(await objects()).toEqual([]);
    await Promise.all(servers.map((server) => server.kill()));
  });

  it('resume an upload on the other server when one is killed', { timeout: 300_000 }, async () => {
    const bytes = buildWav({ samples: tone(500_000) });
    const chunks = Math.ceil(bytes.length / audioChunkBytes);
    const kills = deepCount(40, 6);
    let [one, two] = await startBoth();
    for (let round = 0; round < kills; round += 1) {
      const file = { trackId: (await buildTrack(db, accountId)).id, name: `moved-${round}.wav`, bytes };
      const victim = Math.min(round % (chunks + 1), chunks - 1);
      for (let chunk = 0; chunk < victim; chunk += 1) await call(one, 'PUT', file, chunk * audioChunkBytes);
      const lost = call(one, 'PUT', file, victim * audioChunkBytes).catch(() => undefined);
      await delay(Math.random() * 60);
      await one.kill();
      await lost;
      const { data } = await call(two, 'GET', file);
      expect(data.received).toBeGreaterThanOrEqual(victim * audioChunkBytes);
      await sendRest(two, file);
      expect(await stored(two, file)).toBe(sha256(bytes));
      [one, two] = [two, await startServer(...(places[round % 2] ?? []))];
    }
    expect(await db.selectFrom('uploadParts').selectAll().execute()).toEqual([]);
    await Promise.all([one, two].map((server) => server.kill()));
  });
});

/** The peak memory of a process, in bytes. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

describe('a large file', () => {
  it('uses little memory, and does not delay other calls', { timeout: 300_000 }, async () => {
    const sizeMb = Math.max(120, deepCount(1000));
    const bytes = buildWav({ samples: Buffer.alloc(sizeMb * 1_000_000, tone(100)) });
    const server = await startServer();
    const small = { trackId: (await buildTrack(db, accountId)).id, name: 'small.wav', bytes: buildWav() };
    await sendRest(server, small);
    const before = await peakMemory(server.pid);
    // A killed server may leave a file without an upload, which the nightly job deletes.
    const leftovers = await readdir(join(dataDir, 'uploads'));
    const file = { trackId: (await buildTrack(db, accountId)).id, name: 'large.wav', bytes };
    let isSending = true;
    let slowestMs = 0;
    const others = (async () => {
      while (isSending) {
        const asked = performance.now();
        await fetch(`${server.address}/api/auth/check`);
        slowestMs = Math.max(slowestMs, performance.now() - asked);
        await delay(20);
      }
    })();
    await sendRest(server, file);
    isSending = false;
    await others;
    const grown = (await peakMemory(server.pid)) - before;
    expect(await stored(server, file)).toBe(sha256(bytes));
    expect(await readdir(join(dataDir, 'uploads'))).toEqual(leftovers);
    await server.kill();
    expect(grown / 1_000_000).toBeLessThan(200);
    expect(slowestMs).toBeLessThan(1000);
  });
});
