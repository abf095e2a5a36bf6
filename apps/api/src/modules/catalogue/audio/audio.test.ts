import { createHash } from 'node:crypto';
import { readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { audioChunkBytes, maxAudioBytes } from '@regie/contract/audio.ts';
import { messages } from '@regie/contract/messages.ts';
import type { UploadState } from '@regie/contract/routes/audio.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Reply, type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { buildWav, riffChunk, tone } from '#test/waves.ts';

const app = useApp();
let admin: TestClient & { admin: TestAdmin };
let accountId: number;
let trackId: number;

beforeAll(async () => {
  admin = await app.signInWith();
  accountId = await buildAccount(app.db);
});
beforeEach(async () => {
  trackId = (await buildTrack(app.db, accountId)).id;
});

/** About 1.2 MB: four chunks, the last one shorter. */
const wav = buildWav({ samples: tone(300_000) });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const urlOf = (track: number) => `/api/tracks/${track}/edit/audio`;
const headersOf = (start: number | string, name: string, size: number | string) => ({
  'x-file-start': String(start),
  'x-file-name': encodeURIComponent(name),
  'x-file-size': String(size),
});

function sendChunk(
  file: Buffer,
  start: number,
  { by = admin, track = trackId, name = 'master.wav', length = audioChunkBytes, size = file.length } = {},
): Promise<Reply> {
  const bytes = file.subarray(start, start + length);
  return by.upload(urlOf(track), { field: 'track', fileName: 'blob', bytes }, headersOf(start, name, size));
}

/** Sends a file like the browser, until it is complete or refused. */
async function sendFile(file: Buffer, options: Parameters<typeof sendChunk>[2] = {}): Promise<Reply> {
  let reply = await sendChunk(file, 0, options);
  for (let start = audioChunkBytes; reply.status === 200 && start < file.length; start += audioChunkBytes) {
    reply = await sendChunk(file, start, options);
  }
  return reply;
}

const stateOf = (reply: Reply) => reply.data as UploadState;
async function standing(name = 'master.wav', size = wav.length, by = admin): Promise<UploadState> {
  const reply = await by.call('GET', urlOf(trackId), { headers: headersOf(0, name, size) });
  expect(reply.status).toBe(200);
  return stateOf(reply);
}

/** Everything stored: upload rows and files, stored files, and the track's files. */
async function kept() {
  const objects: string[] = [];
  for await (const { key } of app.deps.storage.list()) objects.push(key);
  const uploads = await app.db.selectFrom('uploads').selectAll().where('trackId', '=', trackId).execute();
  const spools = await readdir(app.deps.uploadsDir).catch(() => []);
  const files = await sql<{
    storageKey: string;
    binnedAt: Date | null;
  }>`SELECT storage_key, binned_at FROM files`.execute(app.db);
  return { objects, uploads, spools, files: files.rows };
}

/** Expects no uploads of this track, and no stored file without a record. */
async function expectNothingLeft() {
  const { objects, uploads, spools, files } = await kept();
  expect(uploads).toEqual([]);
  const others = await app.db.selectFrom('uploads').select('spoolName').execute();
  expect(spools.filter((name) => !others.some((other) => other.spoolName === name))).toEqual([]);
  expect(objects.toSorted()).toEqual(files.map((file) => file.storageKey).toSorted());
}

async function expectStored(file: Buffer, track = trackId) {
  const reply = await admin.get(`/api/tracks/${track}/audio`);
  expect(reply.status).toBe(200);
  expect(sha256(reply.bytes)).toBe(sha256(file));
  // The analysis matches the stored file.
  expect(reply.headers.etag).toBe(`"${sha256(file)}"`);
}

describe('a file sent in chunks', () => {
  it('becomes the audio of the track once complete, unchanged, with its analysis', async () => {
    const replies: Reply[] = [];
    for (let start = 0; start < wav.length; start += audioChunkBytes) {
      replies.push(await sendChunk(wav, start, { name: 'Été à l’ombre (master).WAV' }));
    }
    expect(replies.map((reply) => stateOf(reply).received)).toEqual([350_000, 700_000, 1_050_000, wav.length]);
    expect(replies.map((reply) => stateOf(reply).done)).toEqual([false, false, false, true]);
    expect(replies.map((reply) => reply.message)).toEqual(['', '', '', 'L’audio du titre est enregistré']);
    expect(JSON.parse(stateOf(replies[3] as Reply).audioDetails ?? '')).toEqual({
      url: `/api/tracks/${trackId}/audio`,
      name: 'Été à l’ombre (master).WAV',
      sizeBytes: wav.length,
      durationMs: 6803,
      sampleRateHz: 44_100,
      bitDepth: 16,
      channels: 2,
      isClipped: false,
      isSilent: false,
    });
    await expectStored(wav);
    await expectNothingLeft();
    const file = await app.db.selectFrom('files').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
    expect(file).toMatchObject({ kind: 'audio', contentType: 'audio/wav', createdBy: admin.admin.id, binnedAt: null });
    expect(file.sha256.toString('hex')).toBe(sha256(wav));
    expect(file).toMatchObject({ isClipped: false, isSilent: false, clippedRuns: 0 });
    expect(file.peakAmplitude).toBeCloseTo(0.5, 3);
    expect(file.peaks?.length).toBe(3000);
  });

  it('is journalled once, with the replaced file', async () => {
    const journalOf = async () =>
      (await app.journal('track.audio')).filter((entry) => entry.entityId === String(trackId));
    await sendFile(wav);
    expect(await journalOf()).toMatchObject([
      { adminId: admin.admin.id, before: null, after: { audio: 'master.wav', sha256: sha256(wav) } },
    ]);
    const second = buildWav({ samples: tone(100) });
    await sendFile(second, { name: 'second.wav' });
    await expectStored(second);
    expect((await journalOf())[1]).toMatchObject({
      before: { sha256: sha256(wav) },
      after: { sha256: sha256(second) },
    });
    const { files } = await kept();
    expect(files.filter((file) => file.binnedAt !== null).length).toBe(1);
  });

  it('of one chunk is stored at once', async () => {
    const small = buildWav();
    expect(stateOf(await sendChunk(small, 0))).toMatchObject({ done: true, received: small.length });
    await expectStored(small);
    await expectNothingLeft();
  });

  it('may come in chunks of any size', async () => {
    const file = buildWav({ samples: tone(50) });
    for (let start = 0; start < file.length; start += 7) await sendChunk(file, start, { length: 7 });
    await expectStored(file);
    await expectNothingLeft();
  });

  it('accepts a last chunk of full size', async () => {
    const head = buildWav({ samples: Buffer.alloc(0) }).length;
    const file = buildWav({ samples: tone((2 * audioChunkBytes - head) / 4) });
    expect(file.length).toBe(2 * audioChunkBytes);
    expect(stateOf(await sendFile(file)).done).toBe(true);
    await expectStored(file);
  });

  it('may have more than a chunk before its samples', async () => {
    const sound = { samples: tone(300_000) };
    const file = buildWav({ ...sound, beforeFormat: riffChunk('JUNK', Buffer.alloc(400_000)) });
    expect(stateOf(await sendFile(file)).done).toBe(true);
    await expectStored(file);
    const late = (await admin.get(`/api/tracks/${trackId}/waveform`)).data;
    await sendFile(buildWav(sound), { name: 'bare.wav' });
    expect((await admin.get(`/api/tracks/${trackId}/waveform`)).data).toEqual(late);
  });

  it('reports silence and clipping to quality control', async () => {
    for (const [samples, facts] of [
      [Buffer.alloc(40_000), { isSilent: true, isClipped: false, peakAmplitude: 0 }],
      [tone(10_000, 2, 1.6), { isSilent: false, isClipped: true, clippedRuns: 400 }],
    ] as const) {
      await sendFile(buildWav({ samples }));
      expect(await app.db.selectFrom('files').selectAll().orderBy('id', 'desc').executeTakeFirst()).toMatchObject(
        facts,
      );
    }
  });
});

describe('upload permissions', () => {
  it('refuse callers without the capability of the release’s list for every kind of chunk', async () => {
    const reader = await app.signInWith(['read_delivered_libraries']);
    expect((await sendChunk(wav, 0, { by: reader })).status).toBe(403);
    expect((await reader.get(urlOf(trackId))).status).toBe(403);
    const other = await app.signInWith(['edit_paid_libraries']);
    expect((await sendChunk(wav, 0, { by: other })).status).toBe(403);
    expect((await other.call('GET', urlOf(trackId))).status).toBe(403);
    expect((await other.delete(urlOf(trackId))).status).toBe(403);
    await expectNothingLeft();
  });
  it('are checked again at the last chunk, since the release may have moved', async () => {
    const editor = await app.signInWith(['edit_delivered_libraries']);
    const file = wav.subarray(0);
    for (let start = 0; start < 1_050_000; start += audioChunkBytes) await sendChunk(file, start, { by: editor });
    await app.db.updateTable('releases').set({ status: 'paid' }).where('accountId', '=', accountId).execute();
    const reply = await sendChunk(file, 1_050_000, { by: editor });
    await app.db.updateTable('releases').set({ status: 'delivered' }).where('accountId', '=', accountId).execute();
    expect(reply.status).toBe(403);
    expect((await admin.get(`/api/tracks/${trackId}/audio`)).status).toBe(404);
    expect((await sendChunk(file, 1_050_000, { by: editor })).status).toBe(200);
    await expectStored(wav);
  });
  it('answer 404 for a deleted track', async () => {
    await app.db.updateTable('tracks').set({ deletedAt: new Date() }).where('id', '=', trackId).execute();
    expect((await sendChunk(wav, 0)).status).toBe(404);
    expect((await admin.get(urlOf(trackId))).status).toBe(404);
  });
  it('allow resuming in a new session', async () => {
    await sendChunk(wav, 0);
    const former = await app.signIn(admin.admin);
    await app.db.deleteFrom('sessions').where('adminId', '=', admin.admin.id).execute();
    expect((await sendChunk(wav, audioChunkBytes, { by: Object.assign(former, { admin: admin.admin }) })).status).toBe(
      401,
    );
    admin = Object.assign(await app.signIn(admin.admin), { admin: admin.admin });
    expect(await standing()).toMatchObject({ received: audioChunkBytes });
    for (let start = audioChunkBytes; start < wav.length; start += audioChunkBytes) await sendChunk(wav, start);
    await expectStored(wav);
  });
});

describe('the upload position', () => {
  it('is returned by headers, by query, or for the latest upload', async () => {
    expect(await standing()).toEqual({ received: 0, size: wav.length, done: false });
    await sendChunk(wav, 0, { name: 'à + b.wav' });
    const expected = { received: audioChunkBytes, size: wav.length, done: false };
    expect(await standing('à + b.wav')).toEqual(expected);
    const query = new URLSearchParams({ name: 'à + b.wav', size: String(wav.length) });
    expect((await admin.get(`${urlOf(trackId)}?${query}`)).data).toEqual(expected);
    expect((await admin.get(urlOf(trackId))).data).toEqual(expected);
    expect(await standing('other.wav')).toMatchObject({ received: 0 });
    const colleague = await app.signInWith();
    expect(await standing('à + b.wav', wav.length, colleague)).toMatchObject({ received: 0 });
  });
  it('is reported as done when the response to the last chunk was lost', async () => {
    await sendFile(wav);
    expect(await standing()).toMatchObject({
      received: wav.length,
      done: true,
      audioDetails: expect.stringContaining('master.wav'),
    });
    const colleague = await app.signInWith();
    expect(await standing('master.wav', wav.length, colleague)).toMatchObject({ received: 0, done: false });
  });
  it('is the size on disk when that is less than the count', { tags: ['slow'] }, async () => {
    await sendChunk(wav, 0);
    await sendChunk(wav, audioChunkBytes);
    const [upload] = (await kept()).uploads;
    await truncate(join(app.deps.uploadsDir, upload?.spoolName ?? ''), 400_000);
    expect(await standing()).toMatchObject({ received: 400_000 });
    const refusal = await sendChunk(wav, 700_000);
    expect([refusal.status, refusal.data]).toEqual([409, { received: 400_000 }]);
    for (let start = 400_000; start < wav.length; start += audioChunkBytes) await sendChunk(wav, start);
    await expectStored(wav);
    await expectNothingLeft();
  });
  it('stays when the transaction of the last chunk fails', async () => {
    await sql`ALTER TABLE tracks ADD CONSTRAINT refused CHECK (audio_file_id IS NULL) NOT VALID`.execute(app.owner);
    try {
      expect((await sendFile(wav)).status).toBe(500);
    } finally {
      await sql`ALTER TABLE tracks DROP CONSTRAINT refused`.execute(app.owner);
    }
    expect(await standing()).toMatchObject({ received: 1_050_000 });
    await sendChunk(wav, 1_050_000);
    await expectStored(wav);
    await expectNothingLeft();
  });
  it('is zero when the file is missing', async () => {
    await sendChunk(wav, 0);
    const [upload] = (await kept()).uploads;
    await rm(join(app.deps.uploadsDir, upload?.spoolName ?? ''));
    expect(await standing()).toMatchObject({ received: 0 });
    expect((await sendChunk(wav, audioChunkBytes)).data).toEqual({ received: 0 });
    await sendFile(wav);
    await expectStored(wav);
    await expectNothingLeft();
  });
});

describe('misplaced chunks', () => {
  it.each([
    ['lost: the third before the second', [0, 700_000], 350_000],
    ['sent twice', [0, 350_000, 350_000], 700_000],
    ['overlapping what is there', [0, 350_000, 600_000], 700_000],
    ['beyond what is there', [0, 400_000], 350_000],
    ['before any beginning', [350_000], 0],
    ['the last one first', [1_050_000], 0],
  ])('%s: 409 with the position, and the upload can still complete', async (_, starts, received) => {
    let reply: Reply | undefined;
    for (const start of starts) reply = await sendChunk(wav, start);
    expect(reply).toMatchObject({ status: 409, code: 'conflict', data: { received }, message: messages.uploadStart });
    expect(await standing()).toMatchObject({ received, done: false });
    for (let start = received; start < wav.length; start += audioChunkBytes) await sendChunk(wav, start);
    await expectStored(wav);
    await expectNothingLeft();
  });

  it('the same chunk sent five times at once counts once', async () => {
    await sendChunk(wav, 0);
    const replies = await Promise.all(Array.from({ length: 5 }, () => sendChunk(wav, audioChunkBytes)));
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    for (const reply of replies) expect(stateOf(reply).received).toBe(700_000);
    for (let start = 700_000; start < wav.length; start += audioChunkBytes) await sendChunk(wav, start);
    await expectStored(wav);
  });

  it('the first chunk sent five times at once starts one upload', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => sendChunk(wav, 0)));
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200, 200]);
    expect((await kept()).uploads.length).toBe(1);
    for (let start = audioChunkBytes; start < wav.length; start += audioChunkBytes) await sendChunk(wav, start);
    await expectStored(wav);
    await expectNothingLeft();
  });

  it('the last chunk sent five times at once creates one file', async () => {
    for (let start = 0; start < 1_050_000; start += audioChunkBytes) await sendChunk(wav, start);
    const replies = await Promise.all(Array.from({ length: 5 }, () => sendChunk(wav, 1_050_000)));
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    await expectStored(wav);
    await expectNothingLeft();
    expect((await app.journal('track.audio')).filter((entry) => entry.entityId === String(trackId)).length).toBe(1);
  });

  it('start 0 restarts an upload with other bytes under the same name', async () => {
    const other = buildWav({ samples: tone(300_000, 2, 0.3) });
    await sendChunk(wav, 0);
    await sendChunk(wav, audioChunkBytes);
    await sendFile(other);
    await expectStored(other);
    await expectNothingLeft();
  });

  it('chunks sent at once in any order, repeated when refused, complete the file', async () => {
    await sendChunk(wav, 0);
    const starts = [1_050_000, 700_000, 350_000];
    for (let round = 0; round < 6; round += 1) await Promise.all(starts.map((start) => sendChunk(wav, start)));
    await expectStored(wav);
    await expectNothingLeft();
  });

  it('an Idempotency-Key repeats the answer without adding the chunk again', async () => {
    const send = (start: number) =>
      admin.upload(
        urlOf(trackId),
        { field: 'track', fileName: 'blob', bytes: wav.subarray(start, start + audioChunkBytes) },
        { ...headersOf(start, 'master.wav', wav.length), 'idempotency-key': `chunk-${trackId}-${start}` },
      );
    for (let start = 0; start < wav.length; start += audioChunkBytes) {
      const first = await send(start);
      const again = await send(start);
      expect([again.status, again.data]).toEqual([200, first.data]);
      expect(again.headers['idempotency-replayed']).toBe('true');
    }
    await expectStored(wav);
    await expectNothingLeft();
  });
});

describe('two uploads to one track at once', () => {
  it('by two admins under the same name are independent; the last to finish wins', async () => {
    const colleague = await app.signInWith();
    const other = buildWav({ samples: tone(300_000, 2, 0.3) });
    for (let start = 0; start < wav.length; start += audioChunkBytes) {
      await Promise.all([
        sendChunk(wav, start),
        start > 0 && sendChunk(other, start - audioChunkBytes, { by: colleague }),
      ]);
    }
    await expectStored(wav);
    await sendChunk(other, 1_050_000, { by: colleague });
    await expectStored(other);
    await expectNothingLeft();
    const present = await app.db
      .selectFrom('tracks as t')
      .innerJoin('files as f', 'f.id', 't.audioFileId')
      .select(['f.binnedAt'])
      .where('t.id', '=', trackId)
      .executeTakeFirst();
    expect(present).toEqual({ binnedAt: null });
    const files = (await kept()).files.filter((file) => file.binnedAt === null);
    const used = await app.db.selectFrom('tracks').select('audioFileId').where('audioFileId', 'is not', null).execute();
    expect(files.length).toBe(used.length);
  });
  it('under two names are independent, even when they finish at the same time', async () => {
    const [a, b] = [buildWav({ samples: tone(120_000) }), buildWav({ samples: tone(130_000) })];
    await Promise.all([sendChunk(a, 0, { name: 'a.wav' }), sendChunk(b, 0, { name: 'b.wav' })]);
    const ends = await Promise.all([
      sendChunk(a, audioChunkBytes, { name: 'a.wav' }),
      sendChunk(b, audioChunkBytes, { name: 'b.wav' }),
    ]);
    expect(ends.map((reply) => stateOf(reply).done)).toEqual([true, true]);
    const { bytes } = await admin.get(`/api/tracks/${trackId}/audio`);
    expect([sha256(a), sha256(b)]).toContain(sha256(bytes));
    await expectNothingLeft();
  });
});

describe('invalid headers', () => {
  it.each([
    ['no start', { 'x-file-start': undefined }, 400],
    ['no name', { 'x-file-name': undefined }, 400],
    ['no size', { 'x-file-size': undefined }, 400],
    ['a negative start', { 'x-file-start': '-1' }, 400],
    ['NaN', { 'x-file-start': 'NaN' }, 400],
    ['1e3', { 'x-file-start': '1e3' }, 400],
    ['a fraction', { 'x-file-start': '0.5' }, 400],
    ['a start of twenty digits', { 'x-file-start': '9'.repeat(20) }, 400],
    ['a start beyond the file', { 'x-file-start': '999999999' }, 422],
    ['a size that is no number', { 'x-file-size': 'beaucoup' }, 400],
    ['a negative size', { 'x-file-size': '-5' }, 400],
    ['no bytes at all', { 'x-file-size': '0' }, 422],
    ['more than 1 GB', { 'x-file-size': String(maxAudioBytes + 1) }, 413],
    ['a name badly encoded', { 'x-file-name': '%E0%A4%A' }, 400],
    ['a lone percent', { 'x-file-name': '100%.wav' }, 400],
    ['NUL in the name', { 'x-file-name': 'a%00b.wav' }, 422],
    ['a line end in the name', { 'x-file-name': 'a%0Ab.wav' }, 422],
    ['a name of 300 characters', { 'x-file-name': `${'a'.repeat(296)}.wav` }, 422],
    ['an empty name', { 'x-file-name': '' }, 422],
    ['folders and no name', { 'x-file-name': encodeURIComponent('../..//') }, 422],
    ['another extension', { 'x-file-name': 'master.mp3' }, 422],
    ['no extension', { 'x-file-name': 'master' }, 422],
  ] as [string, Record<string, string | undefined>, number][])('%s', async (_, changed, status) => {
    const headers = { ...headersOf(0, 'master.wav', wav.length), ...changed };
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const bytes = wav.subarray(0, audioChunkBytes);
    const reply = await admin.upload(
      urlOf(trackId),
      { field: 'track', fileName: 'x', bytes },
      given as Record<string, string>,
    );
    expect(reply.status).toBe(status);
    expect(reply.message).not.toBe('');
    await expectNothingLeft();
  });

  it.each([
    ['../../etc/passwd.wav', 'passwd.wav'],
    ['C:\\Users\\lea\\Bureau\\maître.wav', 'maître.wav'],
    ['<img src=x>.wav', '<img src=x>.wav'],
    ['名前.WAV', '名前.WAV'],
    [`${'é'.repeat(251)}.wav`, `${'é'.repeat(251)}.wav`],
  ])('accept the name %s as display text only', async (name, stored) => {
    const small = buildWav();
    expect(JSON.parse(stateOf(await sendChunk(small, 0, { name })).audioDetails ?? '')).toMatchObject({ name: stored });
    await expectStored(small);
    expect((await kept()).objects.every((key) => /^audio\/[a-z0-9]{2}\/[a-z0-9]{32}\.wav$/.test(key))).toBe(true);
  });

  it('refuse a chunk over 350 000 bytes, an empty one, and a form without the field', async () => {
    expect((await sendChunk(wav, 0, { length: audioChunkBytes + 1 })).status).toBe(413);
    const headers = headersOf(0, 'master.wav', wav.length);
    const form = (field: string, bytes: Buffer) =>
      admin.upload(urlOf(trackId), { field, fileName: 'x', bytes }, headers);
    expect((await form('track', Buffer.alloc(0))).status).toBe(422);
    expect((await form('file', wav.subarray(0, 100))).status).toBe(400);
    expect((await admin.put(urlOf(trackId), {}, headers)).status).toBe(415);
    await expectNothingLeft();
  });

  it('refuse a last chunk that is too long; a chunk that is too short waits for the rest', async () => {
    await sendChunk(wav, 0, { size: 500_000 });
    const long = await sendChunk(wav, audioChunkBytes, { size: 500_000 });
    expect([long.status, long.errors]).toEqual([422, { track: messages.uploadTooLong }]);
    for (const start of [0, 350_000, 700_000]) await sendChunk(wav, start);
    expect(stateOf(await sendChunk(wav, 1_050_000, { length: 1000 }))).toMatchObject({
      received: 1_051_000,
      done: false,
    });
    await sendChunk(wav, 1_051_000);
    await expectStored(wav);
  });

  it('treat a changed size as another file', async () => {
    await sendChunk(wav, 0);
    const reply = await sendChunk(wav, audioChunkBytes, { size: wav.length + 2 });
    expect([reply.status, reply.data]).toEqual([409, { received: 0 }]);
    expect(await standing()).toMatchObject({ received: audioChunkBytes });
  });
});

/** The fault is beyond the first chunk, so only the complete file shows it. */
const longBefore = riffChunk('JUNK', Buffer.alloc(400_000));
describe('unsupported WAV files', () => {
  it.each([
    ['text', Buffer.alloc(500_000, 'Bonjour ')],
    ['an MP3 renamed', Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), Buffer.alloc(500_000, 0xfb)])],
    ['a FLAC renamed', Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(500_000, 3)])],
    ['RF64', buildWav({ id: 'RF64', claimedRiffBytes: 0xffffffff, samples: tone(200_000) })],
    ['a length that lies', buildWav({ claimedRiffBytes: 4_000_000, samples: tone(200_000) })],
    ['one byte', Buffer.from('R')],
  ])('%s is refused at its first chunk', async (_, file) => {
    const reply = await sendChunk(file, 0);
    expect([reply.status, reply.message, reply.errors]).toEqual([
      422,
      messages.audioFormat,
      { track: messages.audioFormat },
    ]);
    await expectNothingLeft();
  });
  it.each([
    ['samples that are not there', buildWav({ claimedDataBytes: 900_000, samples: tone(200_000) })],
    ['junk behind the samples', buildWav({ claimedDataBytes: 400, samples: tone(200_000) })],
    ['A-law behind a long chunk', buildWav({ tag: 6, bits: 8, beforeFormat: longBefore })],
    ['8 bits', buildWav({ bits: 8, samples: tone(200_000) })],
    ['no samples', buildWav({ beforeData: longBefore, samples: Buffer.alloc(0) })],
    ['a header alone', buildWav({ samples: Buffer.alloc(0) })],
  ])('%s is refused when complete, and nothing is stored', async (_, file) => {
    const reply = await sendFile(file);
    expect([reply.status, reply.message, reply.errors]).toEqual([
      422,
      messages.audioFormat,
      { track: messages.audioFormat },
    ]);
    await expectNothingLeft();
    expect((await admin.get(`/api/tracks/${trackId}/audio`)).status).toBe(404);
  });
  it('do not replace the existing file of the track', async () => {
    await sendFile(wav);
    await sendFile(buildWav({ bits: 8, samples: tone(200_000) }), { name: 'other.wav' });
    await expectStored(wav);
  });
  it('delete the unfinished upload of that name', async () => {
    await sendChunk(wav, 0);
    const text = Buffer.alloc(wav.length, 'x');
    expect((await sendChunk(text, 0)).status).toBe(422);
    await expectNothingLeft();
  });
});

describe('cancelling', () => {
  it('deletes the named upload, or all of the caller’s', async () => {
    const colleague = await app.signInWith();
    for (const name of ['a.wav', 'b.wav', 'c.wav']) await sendChunk(wav, 0, { name });
    await sendChunk(wav, 0, { by: colleague });
    const named = await admin.call('DELETE', urlOf(trackId), { headers: headersOf(0, 'a.wav', wav.length) });
    expect([named.status, named.message]).toEqual([200, 'L’envoi est annulé']);
    expect((await kept()).uploads.length).toBe(3);
    await admin.delete(`${urlOf(trackId)}?${new URLSearchParams({ name: 'b.wav', size: String(wav.length) })}`);
    expect((await kept()).uploads.length).toBe(2);
    await admin.delete(urlOf(trackId));
    expect((await kept()).uploads.map((upload) => upload.adminId)).toEqual([colleague.admin.id]);
    await colleague.delete(urlOf(trackId));
    await expectNothingLeft();
    expect((await sendChunk(wav, audioChunkBytes)).data).toEqual({ received: 0 });
  });
});

describe('playing', () => {
  it('returns the file, ranges, or 304 when it is cached', async () => {
    const release = await buildRelease(app.db, accountId);
    await app.db.updateTable('releases').set({ artistName: 'Léa "L" / Möbius' }).where('id', '=', release).execute();
    trackId = (await buildTrack(app.db, accountId, { releaseId: release, title: 'Été' })).id;
    await sendFile(wav);
    const url = `/api/tracks/${trackId}/audio`;
    const whole = await admin.get(url);
    expect(whole.headers).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(wav.length),
      'accept-ranges': 'bytes',
      etag: `"${sha256(wav)}"`,
      'content-disposition': `attachment; filename="L_a _L_ _ M_bius - _t_.wav"; filename*=UTF-8''L%C3%A9a%20%22L%22%20%2F%20M%C3%B6bius%20-%20%C3%89t%C3%A9.wav`,
    });
    const part = await admin.call('GET', url, { headers: { range: 'bytes=500000-500099' } });
    expect(part.status).toBe(206);
    expect(part.bytes).toEqual(wav.subarray(500_000, 500_100));
    expect((await admin.call('GET', url, { headers: { range: `bytes=${wav.length}-` } })).status).toBe(416);
    expect((await admin.call('GET', url, { headers: { 'if-none-match': `"${sha256(wav)}"` } })).status).toBe(304);
  });
  it('returns the waveform', async () => {
    expect((await admin.get(`/api/tracks/${trackId}/waveform`)).status).toBe(404);
    await sendFile(wav);
    const reply = await admin.get(`/api/tracks/${trackId}/waveform`);
    const data = reply.data as { peaks: string; durationMs: number };
    expect(data.durationMs).toBe(6803);
    const peaks = Buffer.from(data.peaks, 'base64');
    expect(peaks.length).toBe(3000);
    expect([peaks.readInt8(0), peaks.readInt8(1)]).toEqual([-63, 64]);
  });
  it.each([['read_delivered_libraries'], ['edit_delivered_libraries']] as const)(
    'needs %s for a delivered track',
    async (capability) => {
      await sendFile(wav);
      const listener = await app.signInWith([capability]);
      const outsider = await app.signInWith(['manage_profiles', 'edit_reports']);
      for (const path of ['audio', 'waveform']) {
        expect((await listener.get(`/api/tracks/${trackId}/${path}`)).status).toBe(200);
        expect((await outsider.get(`/api/tracks/${trackId}/${path}`)).status).toBe(403);
      }
    },
  );
});
