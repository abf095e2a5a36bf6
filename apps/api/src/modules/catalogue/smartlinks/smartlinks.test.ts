import { messages } from '@regie/contract/messages.ts';
import type { SmartlinkClicks, SmartlinkDetail, SmartlinkRow } from '@regie/contract/routes/smartlinks.ts';
import { smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
let account: number;
beforeAll(async () => {
  client = await app.signInWith(['read_smartlink', 'edit_smartlink']);
  account = await buildAccount(app.db);
});

async function release(title: string, artistName: string | null = 'Awa Diallo'): Promise<number> {
  const id = await buildRelease(app.db, account);
  await app.db.updateTable('releases').set({ title, artistName }).where('id', '=', id).execute();
  return id;
}
async function create(title: string, artistName?: string | null): Promise<SmartlinkDetail> {
  const reply = await client.post('/api/smartlink/new', { libraryId: await release(title, artistName) });
  expect(reply).toMatchObject({ status: 200, message: 'Le smartlink est créé' });
  return reply.data as SmartlinkDetail;
}
const edit = (id: number, body: object) => client.put(`/api/smartlink/item/${id}/edit`, body);
const urls = {
  spotify: 'https://open.spotify.com/album/1',
  'youtube-music': 'https://music.youtube.com/playlist?list=2',
};
async function enabled(title: string, given: object = urls): Promise<SmartlinkDetail> {
  const { id } = await create(title);
  const reply = await edit(id, { status: 'ENABLED', urls: given });
  expect(reply).toMatchObject({ status: 200 });
  return reply.data as SmartlinkDetail;
}
const list = async (status: string, query = '') =>
  (await client.get(`/api/smartlink/list/${status}?limit=500${query}`)).data as SmartlinkRow[];
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));

describe('a new smartlink', () => {
  it('is pending, with a slug from the title, and is journalled', async () => {
    const made = await create('Été à Tokyo (feat. Awa)');
    expect(made).toMatchObject({
      slug: 'ete-a-tokyo-feat-awa',
      link: 'http://localhost:3000/s/ete-a-tokyo-feat-awa',
      status: 'PENDING',
      urls: '{}',
      clicks: 0,
      Library: { title: 'Été à Tokyo (feat. Awa)', artist: 'Awa Diallo' },
    });
    expect((await list('pending')).map(({ id }) => id)).toContain(made.id);
    expect((await list('enabled')).map(({ id }) => id)).not.toContain(made.id);
    expect(await entries('smartlink.create', made.id)).toMatchObject([
      { before: null, after: { slug: made.slug, status: 'PENDING', libraryId: made.Library.id } },
    ]);
  });

  it('numbers slugs of the same title, even when created concurrently', async () => {
    const releases = await Promise.all(['Marée', 'Marée', 'MAREE !'].map((title) => release(title)));
    const replies = await Promise.all(releases.map((libraryId) => client.post('/api/smartlink/new', { libraryId })));
    const slugs = replies.map((reply) => (reply.data as SmartlinkDetail).slug);
    expect(slugs.sort()).toEqual(['maree', 'maree-2', 'maree-3']);
  });

  it('uses the artist, then a number, for a title without Latin letters', async () => {
    expect((await create('愛', 'Björk')).slug).toBe('bjork');
    const { slug, Library } = await create('愛', null);
    expect(slug).toBe(`sortie-${Library.id}`);
  });

  it.each([[{}], [{ libraryId: 'x' }], [{ libraryId: 0 }], [{ libraryId: 2_000_000_000 }]])(
    'refuses %j',
    async (body) => {
      const reply = await client.post('/api/smartlink/new', body);
      expect(reply.status).toBe(422);
      expect(Object.keys(reply.errors)).toEqual(['libraryId']);
    },
  );

  it('is refused for a deleted release and for read-only callers', async () => {
    const libraryId = await release('Partie');
    const reader = await app.signInWith(['read_smartlink']);
    expect(await reader.post('/api/smartlink/new', { libraryId })).toMatchObject({ status: 403 });
    await app.owner.updateTable('releases').set({ deletedAt: new Date() }).where('id', '=', libraryId).execute();
    expect(await client.post('/api/smartlink/new', { libraryId })).toMatchObject({
      status: 422,
      errors: { libraryId: messages.unknownRelease },
    });
  });
});

describe('the picker of releases', () => {
  it('finds releases that are out or soon will be', async () => {
    const find = async (q: string) => {
      const maker = await app.signInWith(['edit_smartlink']);
      return ((await maker.get(`/api/lookup/releases?q=${q}`)).data as { label: string }[]).map(({ label }) => label);
    };
    await release('Palmeraie');
    const draft = await release('Palimpseste');
    await app.db.updateTable('releases').set({ status: 'draft' }).where('id', '=', draft).execute();
    expect(await find('palm')).toEqual(['Palmeraie']);
    expect(await find('palimp')).toEqual([]);
  });
});

describe('editing', () => {
  it('reads and writes addresses as a JSON string, replaces all, and journals before and after', async () => {
    const { id } = await create('Aurore');
    const first = await edit(id, {
      status: 'ENABLED',
      urls: JSON.stringify({ ...urls, deezer: '', facebook: null, anghami: ' HTTPS://PLAY.anghami.com/é ' }),
    });
    expect(first).toMatchObject({ status: 200, message: 'Le smartlink est enregistré' });
    const kept = { ...urls, anghami: 'https://play.anghami.com/%C3%A9' };
    expect(JSON.parse((first.data as SmartlinkDetail).urls)).toEqual(kept);
    const item = (await client.get(`/api/smartlink/item/${id}`)).data as SmartlinkDetail;
    expect(item).toEqual(first.data);
    expect((await list('enabled')).find((row) => row.id === id)).toMatchObject({ status: 'ENABLED' });

    await edit(id, { status: 'PENDING', urls: {} });
    expect(await client.get(`/api/smartlink/item/${id}`)).toMatchObject({ data: { status: 'PENDING', urls: '{}' } });
    const sorted = Object.entries(kept)
      .map(([platform, url]) => `${platform}: ${url}`)
      .sort();
    expect(await entries('smartlink.edit', id)).toMatchObject([
      { before: { status: 'PENDING', urls: [] }, after: { status: 'ENABLED', urls: sorted } },
      { before: { status: 'ENABLED', urls: sorted }, after: { status: 'PENDING', urls: [] } },
    ]);
  });

  it('names the account of the release to whoever may open it', async () => {
    const { id } = await create('Propriété');
    const reader = await app.signInWith(['read_smartlink', 'manage_profiles']);
    expect(await reader.get(`/api/smartlink/item/${id}`)).toMatchObject({ data: { Account: { id: account } } });
    expect(await client.get(`/api/smartlink/item/${id}`)).toMatchObject({ data: { Account: null } });
  });

  it('writes and journals nothing when nothing changes', async () => {
    const { id, updatedAt } = await enabled('Calme');
    expect(await edit(id, { status: 'ENABLED', urls })).toMatchObject({ status: 200, data: { updatedAt } });
    expect(await entries('smartlink.edit', id)).toHaveLength(1);
  });

  it.each(smartlinkPlatforms)('refuses an invalid address of %s with the specified message', async (platform) => {
    const { id } = await create('Faux');
    for (const url of [
      'deezer',
      'ftp://deezer.com/x',
      'http://192.168.0.1/',
      'http://localhost:3000/',
      'https://example.com/x',
      7,
    ]) {
      expect(await edit(id, { status: 'PENDING', urls: { [platform]: url } })).toMatchObject({
        status: 422,
        errors: { [`urls.${platform}`]: `${platform} est errone` },
      });
    }
  });

  it('refuses an unknown status, an unknown platform, and a value that is not a map', async () => {
    const { id } = await create('Statut');
    for (const status of [undefined, 'enabled', 'CLOSED']) {
      expect(await edit(id, { status, urls: {} })).toMatchObject({
        status: 422,
        errors: { status: 'Le status doit etre en attente/active' },
      });
    }
    for (const given of [{ myspace: 'https://myspace.com/x' }, '{', '[]', undefined]) {
      expect((await edit(id, { status: 'PENDING', urls: given })).status).toBe(422);
    }
  });

  it('refuses an outdated version, and read-only callers', async () => {
    const { id, updatedAt } = await create('Version');
    expect(await edit(id, { status: 'ENABLED', urls, updatedAt })).toMatchObject({ status: 200 });
    expect(await edit(id, { status: 'PENDING', urls: {}, updatedAt })).toMatchObject({ status: 409 });
    const reader = await app.signInWith(['read_smartlink']);
    expect(await reader.put(`/api/smartlink/item/${id}/edit`, { status: 'PENDING', urls: {} })).toMatchObject({
      status: 403,
    });
    expect(await client.get(`/api/smartlink/item/${id}`)).toMatchObject({ data: { status: 'ENABLED' } });
  });
});

describe('deleting', () => {
  it('deletes the link with its clicks, frees the slug and is journalled', async () => {
    const { id, slug } = await enabled('Éphémère');
    await app.app.inject({ url: `/s/${slug}/spotify` });
    const reader = await app.signInWith(['read_smartlink']);
    expect(await reader.delete(`/api/smartlink/item/${id}/delete`)).toMatchObject({ status: 403 });
    expect(await client.delete(`/api/smartlink/item/${id}/delete`)).toMatchObject({
      status: 200,
      message: 'Le smartlink est supprimé',
    });
    expect(await client.get(`/api/smartlink/item/${id}`)).toMatchObject({ status: 404 });
    expect(await client.delete(`/api/smartlink/item/${id}/delete`)).toMatchObject({ status: 404 });
    expect((await app.app.inject({ url: `/s/${slug}` })).statusCode).toBe(404);
    expect(await entries('smartlink.delete', id)).toMatchObject([
      { before: { slug, status: 'ENABLED', clicks: 1, urls: expect.arrayContaining([`spotify: ${urls.spotify}`]) } },
    ]);
    expect((await create('Éphémère')).slug).toBe(slug);
  });
});

describe('the lists', () => {
  it('page through every sort, search title, artist and slug, and filter by two statuses', async () => {
    for (const title of ['Zéphyr', 'Alizé', 'Mistral']) await enabled(title);
    for (const sort of ['createdAt', 'clicks', 'title']) {
      const whole = (await list('enabled', `&sort=${sort}`)).map(({ id }) => id);
      const read: number[] = [];
      let cursor = '';
      do {
        const page = await client.get(`/api/smartlink/list/enabled?limit=2&sort=${sort}${cursor}`);
        read.push(...(page.data as SmartlinkRow[]).map(({ id }) => id));
        cursor = page.meta?.nextCursor ? `&cursor=${page.meta.nextCursor}` : '';
      } while (cursor !== '');
      expect(read, sort).toEqual(whole);
    }
    expect((await list('enabled', '&q=ALIZE')).map(({ Library }) => Library.title)).toEqual(['Alizé']);
    expect(await client.get('/api/smartlink/list/closed')).toMatchObject({ status: 404 });
  });

  it('hide links of a deleted release', async () => {
    const { id, slug, Library } = await enabled('Orpheline');
    await app.owner.updateTable('releases').set({ deletedAt: new Date() }).where('id', '=', Library.id).execute();
    expect((await list('enabled')).map((row) => row.id)).not.toContain(id);
    expect((await app.app.inject({ url: `/s/${slug}` })).statusCode).toBe(404);
  });
});

describe('clicks', () => {
  it('are counted by platform and day, even concurrent ones, and added up in the list', async () => {
    const { id, slug } = await enabled('Comptée');
    await app.owner
      .insertInto('smartlinkClicks')
      .values({ smartlinkId: id, day: '2026-01-05', platform: 'youtube', clicks: 4 })
      .execute();
    await app.owner.updateTable('smartlinks').set({ clicks: 4 }).where('id', '=', id).execute();
    const follow = (platform: string) => app.app.inject({ url: `/s/${slug}/${platform}` });
    await Promise.all([
      ...Array.from({ length: 40 }, () => follow('spotify')),
      ...Array.from({ length: 25 }, () => follow('youtube-music')),
    ]);
    const row = (await list('enabled')).find((one) => one.id === id);
    expect(row?.clicks).toBe(69);
    expect(row?.clicksByDay).toHaveLength(30);
    expect(row?.clicksByDay.at(-1)).toBe(65);
    const { data } = await client.get(`/api/smartlink/item/${id}/clicks`);
    const { total, platforms, days } = data as SmartlinkClicks;
    expect([total, platforms]).toEqual([
      69,
      [
        { platform: 'spotify', clicks: 40 },
        { platform: 'youtube-music', clicks: 25 },
        { platform: 'youtube', clicks: 4 },
      ],
    ]);
    expect(days[0]?.platforms).toEqual([
      { platform: 'spotify', clicks: 40 },
      { platform: 'youtube-music', clicks: 25 },
    ]);
    expect(await client.get('/api/smartlink/item/2000000000/clicks')).toMatchObject({ status: 404 });
    expect((await list('enabled', '&sort=clicks'))[0]?.id).toBe(id);
  });

  it('store only link, day, platform and number', async () => {
    const columns = await app.owner.introspection.getTables();
    const table = columns.find(({ name }) => name === 'smartlink_clicks');
    expect(table?.columns.map(({ name }) => name).sort()).toEqual(['clicks', 'day', 'platform', 'smartlink_id']);
  });
});
