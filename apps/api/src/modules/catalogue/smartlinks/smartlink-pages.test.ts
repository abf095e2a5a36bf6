import type { SmartlinkDetail } from '@regie/contract/routes/smartlinks.ts';
import { platformHosts, smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
beforeAll(async () => {
  client = await app.signInWith();
});

const urls = { deezer: 'https://www.deezer.com/album/7', instagram: 'https://www.instagram.com/awa/' };

async function smartlink(
  values: { title?: string; artistName?: string | null; status?: string; urls?: object; hasCover?: boolean } = {},
): Promise<SmartlinkDetail> {
  const libraryId = await buildRelease(app.db, await buildAccount(app.db));
  const { title = 'Marée haute', artistName = 'Awa Diallo' } = values;
  await app.db.updateTable('releases').set({ title, artistName }).where('id', '=', libraryId).execute();
  if (values.hasCover) {
    const background = { r: 200, g: 40, b: 60 };
    const bytes = await sharp({ create: { width: 3000, height: 3000, channels: 3, background } })
      .jpeg()
      .toBuffer();
    const reply = await client.upload(`/api/release/${libraryId}/edit/cover`, {
      ...{ field: 'cover', fileName: 'c.jpg', bytes },
    });
    expect(reply.status).toBe(200);
  }
  const { data } = await client.post('/api/smartlink/new', { libraryId });
  const body = { status: values.status ?? 'ENABLED', urls: values.urls ?? urls };
  const reply = await client.put(`/api/smartlink/item/${(data as SmartlinkDetail).id}/edit`, body);
  expect(reply.status).toBe(200);
  return reply.data as SmartlinkDetail;
}
const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.app.inject({ method, url, headers });

/** The width in the header of a lossy WebP. */
function webpWidth(bytes: Buffer): number {
  expect(bytes.subarray(8, 16).toString('latin1')).toBe('WEBPVP8 ');
  return bytes.readUInt16LE(26) & 0x3fff;
}

describe('the public page', () => {
  it('shows title, artist and platforms with an address, without session, cookie or script', async () => {
    const { slug } = await smartlink();
    const page = await get(`/s/${slug}`);
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['set-cookie']).toBeUndefined();
    expect(page.body).toContain('<h1 dir="auto">Marée haute</h1>');
    expect(page.body).toContain('Awa Diallo');
    expect([...page.body.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      `${slug}/deezer`,
      `${slug}/instagram`,
    ]);
    expect(page.body).not.toMatch(/<script|<iframe|<link rel="stylesheet|javascript:|style="/);
    // The page contains no other host, not even in its links.
    expect(page.body.replaceAll('http://localhost:3000/s/', '')).not.toMatch(/https?:\/\//);
  });

  it('has a policy that allows only the style of the page and pictures of the site', async () => {
    const { slug } = await smartlink();
    const { headers, body } = await get(`/s/${slug}`);
    const policy = String(headers['content-security-policy']);
    const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64');
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('provides title and picture for link previews', { tags: ['slow'] }, async () => {
    const { slug, link } = await smartlink({ hasCover: true });
    const { body } = await get(`/s/${slug}`);
    expect(body).toContain('<meta property="og:title" content="Marée haute – Awa Diallo">');
    expect(body).toContain(`<meta property="og:url" content="${link}">`);
    const image = /<meta property="og:image" content="([^"]+)">/.exec(body)?.[1] ?? '';
    expect(image).toBe(`${link}/cover.webp?w=1200`);
    const picture = await get(new URL(image).pathname + new URL(image).search);
    expect(picture.headers['content-type']).toBe('image/webp');
    expect(webpWidth(picture.rawPayload)).toBe(1200);
    const { body: bare } = await get(`/s/${(await smartlink({ title: 'Nue' })).slug}`);
    expect(bare).not.toMatch(/og:image|<img/);
  });

  it('stays under 30 kB with the longest titles and every platform, and escapes them', async () => {
    const hostile = `"><script>alert(1)</script>'&${'É'.repeat(470)}`;
    const every = Object.fromEntries(smartlinkPlatforms.map((name) => [name, `https://${platformHosts[name][0]}/x`]));
    const { slug } = await smartlink({ title: hostile, artistName: '<b>Awa</b>', urls: every, hasCover: true });
    const { rawPayload, body } = await get(`/s/${slug}`);
    expect(rawPayload.length).toBeLessThan(30_000);
    expect(body).not.toContain('<script');
    expect(body).not.toContain('<b>');
    expect(body).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;');
    expect(body.match(/<li>/g)).toHaveLength(8);
  });

  it('is 404 while pending, with its cover and links, until enabled again', { tags: ['slow'] }, async () => {
    const { id, slug } = await smartlink({ status: 'PENDING', hasCover: true });
    const addresses = [`/s/${slug}`, `/s/${slug}/cover.webp`, `/s/${slug}/deezer`];
    const statuses = async () => Promise.all(addresses.map(async (url) => (await get(url)).statusCode));
    expect(await statuses()).toEqual([404, 404, 404]);
    await client.put(`/api/smartlink/item/${id}/edit`, { status: 'ENABLED', urls });
    expect(await statuses()).toEqual([200, 200, 302]);
    await client.put(`/api/smartlink/item/${id}/edit`, { status: 'PENDING', urls });
    expect(await statuses()).toEqual([404, 404, 404]);
    const page = await get(`/s/${slug}`);
    expect(page.body).toContain('<h1>Page introuvable</h1>');
    expect(page.body).not.toContain('Marée haute');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it.each(['/s/nulle-part', '/s/..%2f..%2fetc', '/s/%00', '/s/MAREE', "/s/a'--", '/s/a/b', `/s/${'a'.repeat(300)}`])(
    '%s is 404',
    async (url) => {
      expect((await get(url)).statusCode).toBe(404);
    },
  );

  it.each([
    ['withdrawn', (id: number) => client.put(`/api/release/${id}/withdraw`, { note: 'Litige' }), true],
    ['deleted', (id: number) => client.delete(`/api/release/${id}/delete`), false],
  ] as const)('is 404 when its release is %s, with its cover and links', async (_, leave, canReturn) => {
    const { id, slug, Library } = await smartlink({ hasCover: true });
    const addresses = [`/s/${slug}`, `/s/${slug}/deezer`, `/s/${slug}/cover.webp`];
    const answers = async () => Promise.all(addresses.map(async (address) => (await get(address)).statusCode));
    expect(await answers()).toEqual([200, 302, 200]);
    const release = async () => (await client.get(`/api/release/${Library.id}`)).data;
    expect(await release()).toMatchObject({ smartlinks: [slug] });
    expect((await leave(Library.id)).status).toBe(200);
    expect(await answers()).toEqual([404, 404, 404]);
    if (!canReturn) return;
    const listed = async () =>
      ((await client.get(`/api/smartlink/list/enabled?q=${slug}`)).data as SmartlinkDetail[]).find(
        (one) => one.id === id,
      );
    expect(await listed()).toMatchObject({ status: 'ENABLED', Library: { isWithdrawn: true } });
    const { updatedAt } = (await release()) as { updatedAt: number };
    const form = {
      ...{ title: 'Marée haute', status: 'PAID', genre: 'Jazz', yearOfRegistration: 2026, recordingOwnerName: 'Awa' },
      ...{ originalRealeaseDate: '01/09/2026', digitalReleaseDate: '30/10/2026', updatedAt },
    };
    expect(await client.put(`/api/release/${Library.id}/edit`, form)).toMatchObject({ status: 200 });
    expect(await answers()).toEqual([200, 302, 200]);
    expect(await listed()).toMatchObject({ Library: { isWithdrawn: false } });
  });

  it('answers 304 until it changes', async () => {
    const { id, slug } = await smartlink();
    const { headers } = await get(`/s/${slug}`);
    const known = { 'if-none-match': String(headers.etag) };
    const again = await get(`/s/${slug}`, known);
    expect(again.statusCode).toBe(304);
    // The browser stores the headers of a 304.
    expect(again.headers['content-security-policy']).toBe(headers['content-security-policy']);
    await client.put(`/api/smartlink/item/${id}/edit`, {
      status: 'ENABLED',
      urls: { spotify: 'https://spotify.com/x' },
    });
    const changed = await get(`/s/${slug}`, known);
    expect(changed.statusCode).toBe(200);
    expect(changed.body).toContain(`${slug}/spotify`);
  });

  it('redirects the address with a trailing slash', async () => {
    const { slug } = await smartlink();
    const reply = await get(`/s/${slug}/`);
    expect([reply.statusCode, reply.headers.location]).toEqual([308, `../${slug}`]);
  });
});

describe('its platform links', () => {
  it('redirect and count, except prefetches', async () => {
    const { id, slug } = await smartlink();
    const clicks = async () => {
      const { data } = await client.get(`/api/smartlink/item/${id}`);
      return (data as SmartlinkDetail).clicks;
    };
    const reply = await get(`/s/${slug}/deezer`);
    expect([reply.statusCode, reply.headers.location]).toEqual([302, urls.deezer]);
    expect(reply.headers['set-cookie']).toBeUndefined();
    expect(await clicks()).toBe(1);
    await get(`/s/${slug}/deezer`, {}, 'HEAD');
    await get(`/s/${slug}/deezer`, { 'sec-purpose': 'prefetch;prerender' });
    expect(await clicks()).toBe(1);
    for (const platform of ['spotify', 'myspace', '__proto__', 'constructor']) {
      expect((await get(`/s/${slug}/${platform}`)).statusCode, platform).toBe(404);
    }
    expect(await clicks()).toBe(1);
  });
});

describe('its cover', () => {
  it('has three widths, and is 404 without a cover', { tags: ['slow'] }, async () => {
    const { slug } = await smartlink({ title: 'Tailles', hasCover: true });
    for (const width of [365, 730, 1200]) {
      const { rawPayload } = await get(`/s/${slug}/cover.webp?w=${width}`);
      expect(webpWidth(rawPayload)).toBe(width);
    }
    for (const query of ['w=3000', 'w=', 'w=365&w=730', 'w=__proto__']) {
      expect((await get(`/s/${slug}/cover.webp?${query}`)).statusCode, query).toBe(404);
    }
    const { slug: bare } = await smartlink({ title: 'Sans' });
    expect((await get(`/s/${bare}/cover.webp`)).statusCode).toBe(404);
  });
});
