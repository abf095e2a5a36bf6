import { createHash } from 'node:crypto';
import { type CoverWidth, coverWidths } from '@regie/contract/covers.ts';
import { messages } from '@regie/contract/messages.ts';
import { CoverDetails, type Release } from '@regie/contract/routes/releases.ts';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCoverKey, thumbnailKey } from '#src/lib/cover-keys.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease } from '#test/factories.ts';
import { RecentBytes } from './recent-bytes.ts';

const app = useApp();
let client: TestClient;
let accountId: number;
let red: Buffer;
let blue: Buffer;

beforeAll(async () => {
  client = await app.signInWith();
  accountId = await buildAccount(app.db);
  const plain = (background: string) => sharp({ create: { width: 3000, height: 3000, channels: 3, background } });
  red = await plain('#c02020').jpeg().toBuffer();
  blue = await plain('#2020c0').png({ compressionLevel: 1 }).toBuffer();
});

const send = (id: number, bytes: Buffer, headers?: Record<string, string>, fileName = 'pochette.jpg', by = client) =>
  by.upload(`/api/release/${id}/edit/cover`, { field: 'cover', fileName, bytes }, headers);
const detailsOf = (data: unknown) => CoverDetails.parse(JSON.parse((data as { coverDetails: string }).coverDetails));
async function storedKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of app.deps.storage.list()) keys.push(key);
  return keys.sort();
}
const fileRows = () => app.db.selectFrom('files').select(['id', 'binnedAt', 'originalName']).orderBy('id').execute();
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a cover', () => {
  it('replaces the former cover, which goes to the bin; journal and quality control are updated', {
    tags: ['slow'],
  }, async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    const quality = async () => ((await client.get(`/api/release/${id}`)).data as Release).quality;
    expect(await quality()).toContain('no_cover');
    const first = await send(id, red);
    expect(first).toMatchObject({ status: 200, message: 'La pochette est enregistrée' });
    expect(await quality()).not.toContain('no_cover');
    await app.db.updateTable('releases').set({ coverOwner: 'Awa', coverYear: 2026 }).where('id', '=', id).execute();
    const second = await send(id, blue, undefined, 'été.png');
    expect(detailsOf(second.data)).toMatchObject({ owner: 'Awa', year: 2026 });
    expect(detailsOf((await client.get(`/api/release/${id}`)).data)).toEqual(detailsOf(second.data));
    expect(detailsOf(second.data).url).not.toBe(detailsOf(first.data).url);

    const [former, present] = (await fileRows()).slice(-2);
    expect(former?.binnedAt).toBeInstanceOf(Date);
    expect(present).toMatchObject({ binnedAt: null, originalName: 'été.png' });
    const journal = (await app.journal('release.cover')).slice(-2);
    const journalled = (fileId: number | undefined, file: string, bytes: Buffer) => ({
      coverFileId: fileId,
      file,
      sha256: sha256(bytes),
    });
    expect(journal).toMatchObject([
      { entityId: String(id), before: null, after: journalled(former?.id, 'pochette.jpg', red) },
      {
        entityId: String(id),
        before: journalled(former?.id, 'pochette.jpg', red),
        after: journalled(present?.id, 'été.png', blue),
      },
    ]);
  });

  it('downloads unchanged, named after artist and title, with Range support', async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    expect(await client.get(`/api/release/${id}/cover`)).toMatchObject({ status: 404, message: messages.notFound });
    await app.db
      .updateTable('releases')
      .set({ title: 'Été / "hiver"', artistName: 'Zoé Ñ' })
      .where('id', '=', id)
      .execute();
    await send(id, blue);
    const reply = await client.get(`/api/release/${id}/cover`);
    expect(reply.bytes.equals(blue)).toBe(true);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(decodeURIComponent(String(reply.headers['content-disposition']))).toContain(
      "filename*=UTF-8''Zoé Ñ - Été _ _hiver_.png",
    );
    const part = await client.call('GET', `/api/release/${id}/cover`, { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(part.bytes.equals(blue.subarray(10, 20))).toBe(true);
  });

  it('is refused without the capability of its list, and for an unknown release', async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    const other = await app.signInWith(['edit_delivered_libraries', 'read_paid_libraries']);
    const before = await storedKeys();
    expect(await send(id, red, undefined, 'a.jpg', other)).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await send(999_999, red)).toMatchObject({ status: 404 });
    const deleted = await buildRelease(app.db, accountId, 'paid');
    await app.db.updateTable('releases').set({ deletedAt: new Date() }).where('id', '=', deleted).execute();
    expect(await send(deleted, red)).toMatchObject({ status: 404 });
    expect(await storedKeys()).toEqual(before);
    const powerless = await app.signInWith(['read_reports']);
    expect(await powerless.get(`/api/release/${id}/cover`)).toMatchObject({ status: 403 });
  });

  it('is refused with its message, and nothing is stored', async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    const before = await storedKeys();
    const small = await sharp(red).resize(2999, 3000, { fit: 'fill' }).jpeg().toBuffer();
    expect(await send(id, small)).toMatchObject({
      status: 422,
      code: 'validation_failed',
      errors: { cover: messages.coverSize },
    });
    expect(await send(id, Buffer.from('<svg/>'))).toMatchObject({
      status: 422,
      errors: { cover: messages.coverFormat },
    });
    expect(await send(id, red.subarray(0, 20_000))).toMatchObject({
      status: 422,
      errors: { cover: messages.coverDamaged },
    });
    expect(await storedKeys()).toEqual(before);
  });

  it('is stored once per Idempotency-Key', async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    const headers = { 'idempotency-key': `cover-${id}` };
    const first = await send(id, red, headers);
    const stored = await storedKeys();
    const again = await send(id, red, headers);
    expect(again.data).toEqual(first.data);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await send(id, blue, headers)).toMatchObject({ status: 409 });
    expect(await storedKeys()).toEqual(stored);
  });

  it('is deleted again when its release was deleted meanwhile', async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    const before = await storedKeys();
    // Another transaction locks the release and deletes it while the cover is stored.
    const reply = await app.owner.transaction().execute(async (trx) => {
      await trx.updateTable('releases').set({ deletedAt: new Date() }).where('id', '=', id).execute();
      const sent = send(id, red);
      for (let tries = 0; (await storedKeys()).length < before.length + 6 && tries < 600; tries += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { sent };
    });
    expect(await reply.sent).toMatchObject({ status: 404 });
    expect(await storedKeys()).toEqual(before);
  });

  it('is not moved to the bin while another release uses it', { tags: ['slow'] }, async () => {
    const [one, two] = [await buildRelease(app.db, accountId), await buildRelease(app.db, accountId)];
    await send(one, red);
    const { coverFileId } = await app.db
      .selectFrom('releases')
      .select('coverFileId')
      .where('id', '=', one)
      .executeTakeFirstOrThrow();
    await app.db.updateTable('releases').set({ coverFileId }).where('id', '=', two).execute();
    await send(one, blue);
    const binnedAt = async () => (await fileRows()).find((row) => row.id === coverFileId)?.binnedAt;
    expect(await binnedAt()).toBeNull();
    await send(two, blue);
    expect(await binnedAt()).toBeInstanceOf(Date);
  });
});

describe('a picture of a cover', () => {
  let url: string;
  beforeAll(async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    url = String(detailsOf((await send(id, red)).data).url);
  });

  it.each([...coverWidths])('of %i pixels is a WebP that the browser may cache', async (width: CoverWidth) => {
    const reply = await client.get(`${url}?w=${width}&q=85&f=webp`);
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(reply.bytes.subarray(0, 4).toString()).toBe('RIFF');
    // In a lossy frame the size follows the start code.
    expect(reply.bytes.readUInt16LE(reply.bytes.indexOf(Buffer.from([0x9d, 0x01, 0x2a])) + 3) & 0x3fff).toBe(width);
    const again = await client.call('GET', `${url}?w=${width}`, {
      headers: { 'if-none-match': String(reply.headers.etag) },
    });
    expect(again.status).toBe(304);
    expect(again.bytes).toHaveLength(0);
  });

  it('is created again when it is missing from storage', async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    const fresh = String(detailsOf((await send(id, blue)).data).url);
    const freshKey = findCoverKey(fresh.split('/').at(-1) ?? '') ?? '';
    await app.deps.storage.remove(thumbnailKey(freshKey, 365));
    const replies = await Promise.all([1, 2, 3].map(() => client.get(`${fresh}?w=365`)));
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200]);
    expect(await app.deps.storage.find(thumbnailKey(freshKey, 365))).toBeDefined();
  });

  it('needs only a session', async () => {
    expect(await (await app.visitor()).get(`${url}?w=96`)).toMatchObject({ status: 401 });
    expect(await (await app.signInWith([])).get(`${url}?w=96`)).toMatchObject({ status: 200 });
  });

  it('is 365 pixels wide when its URL has no width', async () => {
    const { bytes } = await client.get(url);
    expect(bytes).toEqual((await client.get(`${url}?w=365`)).bytes);
  });

  it.each(['?w=97', '?w=96&q=100', '?w=96&f=svg', '?w=-96', '?w=96&w=200', '?w=0x60'])(
    'is refused in any other size: %s',
    async (query) => {
      expect([400, 422]).toContain((await client.get(`${url}${query}`)).status);
    },
  );

  it.each([
    ...['..%2f..%2fetc%2fpasswd', '..', '%2e%2e%2fcover', 'aa', 'aabb.png', 'aabb.svg', 'AABB.png', 'a%00b.png'],
    ...['thumbnail%2faa%2faabb.png.96.webp', `${'a'.repeat(400)}.png`],
  ])('with an unknown key is not found: %s', async (name) => {
    expect(await client.get(`/api/img/${name}?w=96`)).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('is not found for an object that is not a cover', async () => {
    await app.deps.storage.put('cover/zz/zzzz.png', blue, blue.length);
    expect(await client.get('/api/img/zzzz.png?w=96')).toMatchObject({ status: 404 });
    await app.db
      .insertInto('files')
      .values({
        storageKey: 'cover/zz/zzzz.png',
        kind: 'document',
        originalName: 'z.png',
        contentType: 'image/png',
        sizeBytes: blue.length,
        sha256: Buffer.alloc(32),
      })
      .execute();
    expect(await client.get('/api/img/zzzz.png?w=96')).toMatchObject({ status: 404 });
  });

  it("is not found when its row's object is missing, and neither is the cover", async () => {
    const id = await buildRelease(app.db, accountId, 'paid');
    const lost = String(detailsOf((await send(id, red)).data).url);
    const lostKey = findCoverKey(lost.split('/').at(-1) ?? '') ?? '';
    await app.deps.storage.remove(lostKey);
    await app.deps.storage.remove(thumbnailKey(lostKey, 730));
    expect(await client.get(`${lost}?w=730`)).toMatchObject({ status: 404, code: 'not_found' });
    const cover = await client.get(`/api/release/${id}/cover`);
    expect(cover).toMatchObject({ status: 404, code: 'not_found' });
    expect(cover.headers['content-disposition']).toBeUndefined();
  });
});

it('RecentBytes evicts the least recently used content beyond its limit', () => {
  const recent = new RecentBytes(10);
  recent.set('a', Buffer.alloc(4));
  recent.set('b', Buffer.alloc(4));
  expect(recent.get('a')).toHaveLength(4);
  recent.set('c', Buffer.alloc(4));
  expect(['a', 'b', 'c'].map((key) => recent.get(key)?.length)).toEqual([4, undefined, 4]);
  recent.set('d', Buffer.alloc(11));
  expect(recent.get('d')).toBeUndefined();
  recent.set('a', Buffer.alloc(10));
  expect(['a', 'c'].map((key) => recent.get(key)?.length)).toEqual([10, undefined]);
});
