import { messages } from '@regie/contract/messages.ts';
import {
  anyReadLibraries,
  listOfStatus,
  qualityReasons,
  type ReleaseListName,
  type ReleaseStatus,
  releaseLists,
} from '@regie/contract/releases.ts';
import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import type { KyselyPlugin, Updateable } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Releases } from '#src/lib/db.generated.ts';
import type { Trx } from '#src/lib/db.ts';
import type { Caller } from '#src/lib/route.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { listReleases } from './release-views.service.ts';
import { toStoredStatus } from './releases.rules.ts';

const app = useApp();
let client: TestClient;
let account: number;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db, { firstName: 'Zélie', lastName: 'Fontanarossa' });
});

const listNames = Object.keys(releaseLists) as ReleaseListName[];
const cards = (data: unknown) => data as ReleaseCard[];
const idsOf = (data: unknown) => cards(data).map((card) => card.id);
const update = (id: number, values: Parameters<typeof setRelease>[1]) => setRelease(id, values);
function setRelease(id: number, values: Updateable<Releases>) {
  return app.db.updateTable('releases').set(values).where('id', '=', id).execute();
}

const form = (values: Record<string, unknown> = {}) => ({
  title: 'Les heures bleues',
  label: 'Maison Test',
  status: 'PENDING',
  genre: 'Jazz',
  subgenre: 'Pop',
  language: 'French',
  version: '',
  originalRealeaseDate: '01/03/2026',
  digitalReleaseDate: '15/3/2026',
  publisherLink: '',
  yearOfRegistration: 2025,
  recordingOwnerName: 'Awa Diallo',
  coverDetailsOwner: 'Awa Diallo',
  ...values,
});
/** Saves the form with the release's current version, unless `values` contain one. */
async function edit(id: number, values: Record<string, unknown>, who = client) {
  const { updatedAt } = (await who.get(`/api/release/${id}`)).data as Release;
  return who.put(`/api/release/${id}/edit`, { updatedAt, ...values });
}
/** Journal entries of one release. */
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));

describe('release lists', () => {
  it('contain the releases of their statuses, and each requires its own capability', async () => {
    const owner = await buildAccount(app.db);
    const ids = new Map<ReleaseStatus, number>();
    for (const list of listNames) {
      for (const status of releaseLists[list].statuses) {
        ids.set(status, await buildRelease(app.db, owner, toStoredStatus(status)));
      }
    }
    const deleted = await buildRelease(app.db, owner, 'pending');
    expect((await client.delete(`/api/release/${deleted}/delete`)).status).toBe(200);
    for (const list of listNames) {
      const reader = await app.signInWith([releaseLists[list].read]);
      const reply = await reader.get(`/api/releases/${list}?userId=${owner}`);
      const expected = releaseLists[list].statuses.map((status) => ids.get(status));
      expect(idsOf(reply.data).sort(), list).toEqual(expected.sort());
      expect(reply.meta).toEqual({ nextCursor: null, total: 2 - Number(list === 'paid'), totalIsExact: true });
      for (const card of cards(reply.data)) expect(listOfStatus(card.status)).toBe(list);
      for (const other of listNames.filter((name) => name !== list)) {
        expect((await reader.get(`/api/releases/${other}`)).status, other).toBe(403);
      }
      const counts = (await reader.get('/api/releases/counts')).data as Record<ReleaseListName, number | null>;
      for (const name of listNames) {
        if (name === list) expect(counts[name], name).toBeGreaterThanOrEqual(1);
        else expect(counts[name], name).toBeNull();
      }
    }
  });

  it('are paged by cursor across the statuses of a list, in both orders', async () => {
    const owner = await buildAccount(app.db);
    for (let index = 0; index < 7; index += 1) {
      const id = await buildRelease(app.db, owner, index % 2 === 0 ? 'pending' : 'opened');
      // Two have the same time: the id decides.
      await update(id, {
        createdAt: new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 2))),
        title: `Page ${index % 3}`,
      });
    }
    for (const sort of ['createdAt', 'title']) {
      for (const order of ['asc', 'desc']) {
        const url = `/api/releases/unpaid?userId=${owner}&sort=${sort}&order=${order}`;
        const whole = await client.get(url);
        expect(whole.meta?.total).toBe(7);
        const seen: number[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page = await client.get(`${url}&limit=2${cursor && `&cursor=${cursor}`}`);
          seen.push(...idsOf(page.data));
          cursor = page.meta?.nextCursor ?? null;
        }
        expect(seen, `${sort} ${order}`).toEqual(idsOf(whole.data));
        const keys = cards(whole.data).map((card) => (sort === 'title' ? card.title : card.createdAt));
        const sorted = keys.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
        expect(keys).toEqual(order === 'asc' ? sorted : sorted.reverse());
      }
    }
  });

  it('can be searched by title, artist, barcode, ISRC and account', async () => {
    const id = await buildRelease(app.db, account, 'paid');
    await update(id, { title: 'Éclats de verre', artistName: 'Trio Miroslav', barcode: '3760123450010' });
    await buildTrack(app.db, account, { releaseId: id, isrc: 'FRQQ92600042' });
    await buildRelease(app.db, await buildAccount(app.db), 'paid');
    for (const q of [
      'eclats DE',
      'verre, trio',
      'fontanarossa ÉCL',
      'miroslav',
      '37601234',
      '3 760123 450010',
      'FRQQ92600042',
      'fr-qq9-26-00042',
      'ISRC FRQQ926',
      'fontanaro',
    ]) {
      expect(idsOf((await client.get(`/api/releases/paid?q=${encodeURIComponent(q)}`)).data), q).toEqual([id]);
    }
    for (const q of ['FRQQ92600043', '%', 'introuvable', 'verre introuvable', '3 760123 450011']) {
      const reply = await client.get(`/api/releases/paid?q=${encodeURIComponent(q)}`);
      expect(idsOf(reply.data), q).toEqual([]);
      expect(reply.meta?.total).toBe(0);
    }
    expect(idsOf((await client.get('/api/releases/unpaid?q=FRQQ92600042')).data)).toEqual([]);
  });

  it('are filtered by genre and registration date', async () => {
    const owner = await buildAccount(app.db);
    const [jazz, rock] = [await buildRelease(app.db, owner, 'paid'), await buildRelease(app.db, owner, 'paid')];
    await update(jazz, { genre: 'Jazz', createdAt: new Date(Date.UTC(2025, 4, 1)) });
    await update(rock, { genre: 'Rock', createdAt: new Date(Date.UTC(2025, 5, 1)) });
    const filtered = async (more: string) =>
      idsOf((await client.get(`/api/releases/paid?userId=${owner}${more}`)).data);
    expect(await filtered('&genre=Jazz')).toEqual([jazz]);
    expect(await filtered(`&from=${Date.UTC(2025, 4, 2)}`)).toEqual([rock]);
    expect(await filtered(`&to=${Date.UTC(2025, 4, 1)}`)).toEqual([jazz]);
    expect((await client.get('/api/releases/paid?genre=Musette')).status).toBe(422);
  });

  it('contain cards with details as JSON strings', async () => {
    const id = await buildRelease(app.db, account, 'cancelled');
    await update(id, { artistName: 'Trio Miroslav', note: 'Retirée à sa demande' });
    const [card] = cards((await client.get(`/api/releases/unpublished?userId=${account}`)).data);
    expect(card).toMatchObject({ id, status: 'CANCEL', note: 'Retirée à sa demande', userId: account });
    expect(JSON.parse(card?.coverDetails ?? '')).toEqual({ owner: null, year: null });
    expect(JSON.parse(card?.artistsLabel ?? '')).toEqual({ fullname: 'Trio Miroslav' });
    expect(card?.Account).toMatchObject({ id: account, fname: 'Zélie', lname: 'Fontanarossa' });
    expect(card?.quality).toEqual(['no_cover', 'no_track', 'no_barcode']);
  });

  it('need as many SQL statements for 500 of 1 000 releases as for one', { tags: ['slow'] }, async () => {
    const owner = await buildAccount(app.db);
    await app.db
      .insertInto('releases')
      .values(Array.from({ length: 1000 }, (_, n) => ({ accountId: owner, title: `Lot ${n}`, status: 'pending' })))
      .execute();
    const statementsFor = async (limit: number) => {
      let statements = 0;
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => {
          statements += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const db = app.db.withPlugin(counting) as Trx;
      const caller: Caller = { adminId: null, requestId: null, session: undefined, can: () => true };
      const page = await listReleases(db, caller, 'unpaid', {
        limit,
        userId: owner,
        sort: 'createdAt',
        order: 'desc',
        q: 'lot',
      });
      return { statements, rows: page.data.length, total: page.meta?.total };
    };
    const one = await statementsFor(1);
    expect(one).toMatchObject({ rows: 1, total: 1000 });
    expect(one.statements).toBeGreaterThan(1);
    expect(await statementsFor(500)).toEqual({ ...one, rows: 500 });
  });

  it('contain every field of a release except its tracks, order and smartlinks', async () => {
    const id = await buildRelease(app.db, account, 'paid');
    await edit(
      id,
      form({ status: 'PAID', note: 'À revoir', catalogNumber: 'NRD-12', publisherLink: 'https://nord.example/' }),
    );
    await app.db.updateTable('accounts').set({ city: 'Brest' }).where('id', '=', account).execute();
    await update(id, { plan: 'album', platforms: ['deezer', 'spotify'], digitalLabel: 'Nord' });
    const { tracks, Order, smartlinks, ...fields } = (await client.get(`/api/release/${id}`)).data as Release;
    const listed = cards((await client.get('/api/releases/paid?limit=500')).data).find((card) => card.id === id);
    expect(listed).toEqual(fields);
    expect(listed).toMatchObject({
      catalogNumber: 'NRD-12',
      platforms: 'deezer,spotify',
      Account: { fname: 'Zélie', city: 'Brest' },
      canEdit: true,
    });
  });
});

describe('a release', () => {
  it('shows its tracks, people, customer and order to callers with the capability', async () => {
    const id = await buildRelease(app.db, account, 'paid');
    const track = await client.post('/api/tracks/add', trackForm(id));
    expect(track.status).toBe(200);
    await app.db
      .insertInto('orders')
      .values({ accountId: account, releaseId: id, plan: 'single', planPrice: '29.90', labelFees: '10', discount: '5' })
      .execute();
    await app.db.updateTable('people').set({ appleMusicId: '42' }).where('fullName', '=', 'Nina Sorel').execute();
    const reply = await client.get(`/api/resources/${id}`);
    const data = reply.data as { release: Release; artists: unknown[]; musicians: unknown[] };
    expect(data.release).toMatchObject({ id, status: 'PAID', canEdit: true, userId: account });
    expect(data.release.Account).toMatchObject({ id: account, fname: 'Zélie' });
    expect(data.release.Order).toMatchObject({ plan: 'single', status: 'PENDING', totalAmountGlobal: 34.9 });
    expect(JSON.parse(data.release.Order?.orderItems ?? '')).toEqual({
      planPrice: 29.9,
      labelFees: 10,
      expressDeliveryPrice: 0,
      currency: 'EUR',
      globalCurrency: 'EUR',
    });
    expect(JSON.parse(data.release.Order?.transactionDetails ?? '')).toEqual({
      id: null,
      receipt_email: null,
      metadata: { customer_fullname: 'Zélie Fontanarossa' },
    });
    expect(data.release.tracks).toEqual([
      expect.objectContaining({ title: 'Aurore', isrc: 'FRZ039800212', starTime: '01:24', audioDetails: '{}' }),
    ]);
    expect(data.artists).toEqual([
      expect.objectContaining({ fullname: 'Nina Sorel', role: 'Primary Artist', spotifyId: null, appleMusicId: '42' }),
    ]);
    expect(data.musicians).toEqual([expect.objectContaining({ role: 'Piano', isMusician: true })]);

    const insider = await app.signInWith(['manage_profiles']);
    const seen = (await insider.get(`/api/release/${id}`)).data as Release;
    expect(seen).toMatchObject({ canEdit: false, userId: account });
    expect(seen.Order).not.toBeNull();

    const stranger = await app.signInWith(['read_coupon']);
    const hidden = (await stranger.get(`/api/release/${id}`)).data as Release;
    expect(hidden).toMatchObject({ Account: null, Order: null, userId: null, canEdit: false });
    expect(hidden.tracks.map((shown) => shown.audioDetails)).toEqual([null]);
  });

  it.each(['/api/release/', '/api/resources/'])('%s answers 404 for an unknown or deleted release', async (url) => {
    const id = await buildRelease(app.db, account);
    await client.delete(`/api/release/${id}/delete`);
    expect((await client.get(`${url}${id}`)).status).toBe(404);
    expect((await client.get(`${url}999999`)).status).toBe(404);
  });
});

describe('quality control', () => {
  it('finds duplicates of live records only', async () => {
    const isrc = 'FRDBL2600001';
    const mine = await buildRelease(app.db, account, 'paid');
    const theirs = await buildRelease(app.db, await buildAccount(app.db), 'delivered');
    await buildTrack(app.db, account, { releaseId: mine, isrc, title: 'TOUT EN CAPITALES' });
    const track = await app.db.selectFrom('releases').select('accountId').where('id', '=', theirs).executeTakeFirst();
    await buildTrack(app.db, track?.accountId ?? 0, { releaseId: theirs, isrc });
    for (const id of [mine, theirs]) await update(id, { barcode: '3760123450027' });
    const qualityOf = async () => ((await client.get(`/api/release/${mine}`)).data as Release).quality;
    expect(await qualityOf()).toEqual([
      'no_cover',
      'no_audio',
      'duplicate_isrc',
      'duplicate_barcode',
      'no_primary_artist',
      'title_in_capitals',
    ]);
    await client.delete(`/api/release/${theirs}/delete`);
    expect(await qualityOf()).toEqual(['no_cover', 'no_audio', 'no_primary_artist', 'title_in_capitals']);
  });

  it('finds every problem, one at a time, on the page and in the list', { tags: ['slow'] }, async () => {
    const owner = await buildAccount(app.db);
    const id = await buildRelease(app.db, owner, 'paid');
    const file = async (values: Record<string, unknown>) =>
      (
        await app.db
          .insertInto('files')
          .values({
            storageKey: `quality-${Object.keys(values).join()}-${Object.values(values).join()}`,
            kind: 'audio',
            originalName: 'a.wav',
            contentType: 'audio/wav',
            sizeBytes: 1,
            sha256: Buffer.alloc(32),
            ...values,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
      ).id;
    const good = { bitDepth: 16, sampleRateHz: 44_100, isClipped: false, isSilent: false };
    const [audio, cover] = [await file(good), await file({ kind: 'cover' })];
    const { id: track } = await buildTrack(app.db, owner, { releaseId: id, isrc: 'FRQCT2600001', title: 'Aube' });
    const person = await app.db
      .insertInto('people')
      .values({ fullName: 'Ilse Brandt' })
      .returning('id')
      .executeTakeFirst();
    const credit = { trackId: track, personId: person?.id ?? 0, kind: 'artist' };
    const setTrack = (values: Record<string, unknown>) =>
      app.db.updateTable('tracks').set(values).where('id', '=', track).execute();
    const clean = async () => {
      await app.db
        .updateTable('releases')
        .set({ title: 'Aube', barcode: '3760123450041', coverFileId: cover, digitalReleaseDate: '2999-01-01' })
        .where('id', '=', id)
        .execute();
      await setTrack({ title: 'Aube', isrc: 'FRQCT2600001', audioFileId: audio, deletedAt: null });
      await app.owner.deleteFrom('settings').where('key', '=', 'aiDeclaredFrom').execute();
      await app.db.deleteFrom('trackCredits').where('trackId', '=', track).execute();
      await app.db
        .insertInto('trackCredits')
        .values({ ...credit, role: 'Primary Artist' })
        .execute();
    };
    const setRelease = (values: Record<string, unknown>) =>
      app.db.updateTable('releases').set(values).where('id', '=', id).execute();
    const faults: Record<string, () => Promise<unknown>> = {
      ai_undeclared: () =>
        app.owner.insertInto('settings').values({ key: 'aiDeclaredFrom', value: '"2999-01-01"' }).execute(),
      no_cover: () => setRelease({ coverFileId: null }),
      no_track: () => setTrack({ deletedAt: new Date() }),
      no_audio: () => setTrack({ audioFileId: null }),
      no_isrc: () => setTrack({ isrc: null }),
      no_primary_artist: () =>
        app.owner.updateTable('trackCredits').set({ role: 'With' }).where('trackId', '=', track).execute(),
      no_barcode: () => setRelease({ barcode: null }),
      unknown_isrc_prefix: () => setTrack({ isrc: 'XXQCT2600001' }),
      invalid_barcode: () => setRelease({ barcode: '3760123450042' }),
      poor_audio: async () => setTrack({ audioFileId: await file({ ...good, bitDepth: 8 }) }),
      clipped_audio: async () => setTrack({ audioFileId: await file({ ...good, isClipped: true }) }),
      silent_audio: async () => setTrack({ audioFileId: await file({ ...good, isSilent: true }) }),
      title_in_capitals: () => setRelease({ title: 'AUBE CLAIRE' }),
      past_release_date: () => setRelease({ digitalReleaseDate: '2020-01-01' }),
    };
    const others = ['duplicate_isrc', 'duplicate_barcode'];
    expect([...Object.keys(faults), ...others].toSorted()).toEqual(Object.keys(qualityReasons).toSorted());
    for (const [reason, spoil] of Object.entries({ ...faults })) {
      await clean();
      expect(((await client.get(`/api/release/${id}`)).data as Release).quality, reason).toEqual([]);
      await spoil();
      expect(((await client.get(`/api/release/${id}`)).data as Release).quality, reason).toEqual([reason]);
      expect(cards((await client.get(`/api/releases/paid?userId=${owner}`)).data)[0]?.quality, reason).toEqual([
        reason,
      ]);
    }
  });
});

describe('editing a release', () => {
  it('saves the form and journals the values before and after', async () => {
    const id = await buildRelease(app.db, account, 'pending');
    const reply = await edit(id, form({ barcode: '3760123450034', coverDetailsYear: 2024 }));
    expect(reply).toMatchObject({ status: 200, message: 'La sortie est enregistrée', data: { id, status: 'PENDING' } });
    expect((await client.get(`/api/release/${id}`)).data).toMatchObject({
      title: 'Les heures bleues',
      label: 'Maison Test',
      originalRealeaseDate: '01/03/2026',
      digitalReleaseDate: '15/03/2026',
      version: null,
      barcode: '3760123450034',
      coverDetailsYear: 2024,
    });
    // Absent fields stay, empty ones are cleared.
    const { coverDetailsOwner, ...asSpecified } = form({ title: 'Les heures grises', barcode: '' });
    expect((await edit(id, asSpecified)).status).toBe(200);
    const journal = await entries('release.edit', id);
    expect(journal).toHaveLength(2);
    expect(journal[1]).toMatchObject({
      before: { title: 'Les heures bleues', barcode: '3760123450034' },
      after: { title: 'Les heures grises', barcode: null },
    });
    expect(Object.keys(journal[1]?.after ?? {}).sort()).toEqual(['barcode', 'title']);
    expect((await client.get(`/api/release/${id}`)).data).toMatchObject({ coverDetailsOwner, coverDetailsYear: 2024 });
    // Nothing changed: no journal entry.
    expect((await edit(id, asSpecified)).status).toBe(200);
    expect(await entries('release.edit', id)).toHaveLength(2);
  });

  it.each([
    ['title', { title: ' ' }, messages.required('titre')],
    ['genre', { genre: 'Musette' }, messages.genreRequired],
    ['originalRealeaseDate', { originalRealeaseDate: '31/02/2026' }, messages.invalidDate],
    ['digitalReleaseDate', { digitalReleaseDate: '2026-03-01' }, messages.invalidDate],
    ['yearOfRegistration', { yearOfRegistration: 1500 }, messages.yearRange(1860, new Date().getFullYear() + 1)],
    ['coverDetailsOwner', { coverDetailsOwner: '' }, messages.required('propriétaire de la pochette')],
    ['barcode', { barcode: '3760123450035' }, messages.barcodeCheck],
    ['note', { note: 'x'.repeat(5001) }, messages.maxLength(5000)],
    ['status', { status: 'CANCEL' }, messages.invalidChoice],
  ])('refuses a wrong %s', async (field, values, message) => {
    const id = await buildRelease(app.db, account, 'pending');
    const reply = await edit(id, form(values));
    expect(reply).toMatchObject({ status: 422, errors: { [field]: message } });
    expect(await entries('release.edit', id)).toEqual([]);
  });

  // Lists the caller may edit, present status, wanted status: resulting status.
  const moves: [ReleaseListName[], ReleaseStatus, ReleaseStatus, ReleaseStatus | 403 | 422][] = [
    [['unpaid'], 'PENDING', 'PENDING', 'PENDING'],
    [['unpaid'], 'OPENED', 'OPENED', 'OPENED'],
    [['paid'], 'PENDING', 'PENDING', 403],
    [['unpaid'], 'PENDING', 'PAID', 403],
    [['paid'], 'PENDING', 'PAID', 403],
    [['unpaid', 'paid'], 'PENDING', 'PAID', 'PAID'],
    [['paid', 'unpaid'], 'PAID', 'PENDING', 'PENDING'],
    [['delivered', 'unpaid'], 'DELIVRED', 'PENDING', 'OPENED'],
    [['delivered', 'unpaid'], 'CLOSED', 'PENDING', 'OPENED'],
    [['delivered'], 'CLOSED', 'CLOSED', 'CLOSED'],
    [['delivered'], 'DELIVRED', 'PENDING', 403],
    [['delivered'], 'DELIVRED', 'CLOSED', 422],
    [['unpublished', 'unpaid'], 'CANCEL', 'PENDING', 'PENDING'],
    [['unpublished'], 'CANCEL', 'PENDING', 403],
    [['unpublished'], 'DRAFT', 'CANCEL', 422],
    [['unpublished'], 'DRAFT', 'DRAFT', 'DRAFT'],
  ];
  it.each(moves)('with the right to %s: a move from %s to %s results in %s', async (lists, from, to, expected) => {
    const editor = await app.signInWith(lists.map((list) => releaseLists[list].edit));
    const id = await buildRelease(app.db, account, toStoredStatus(from));
    const reply = await edit(id, form({ status: to }), editor);
    expect(reply.status).toBe(typeof expected === 'number' ? expected : 200);
    const stored = ((await client.get(`/api/release/${id}`)).data as Release).status;
    expect(stored).toBe(typeof expected === 'number' ? from : expected);
  });

  it.each([
    ['pending', 'PAID', 'release.paid', 'PAID'],
    ['delivered', 'PENDING', 'release.reopen', 'OPENED'],
    ['closed', 'PENDING', 'release.reopen', 'OPENED'],
  ] as const)('journals a move from %s to %s as %s, apart from other changes', async (from, to, action, status) => {
    const id = await buildRelease(app.db, account, from);
    expect((await edit(id, form({ status: to, title: 'Marée' }))).status).toBe(200);
    expect((await entries(action, id)).map(({ after }) => after)).toEqual([{ status }]);
    const [edited] = await entries('release.edit', id);
    expect(edited?.after).toMatchObject({ title: 'Marée' });
    expect(edited?.after).not.toHaveProperty('status');
  });

  it('to DELIVRED is refused until blocking problems are confirmed, and then journalled', async () => {
    const id = await buildRelease(app.db, account, 'paid');
    const refused = await edit(id, form({ status: 'DELIVRED', confirmQuality: false }));
    expect(refused.status).toBe(422);
    expect(refused.errors.status).toContain('Pas de pochette, Aucun titre');
    expect(((await client.get(`/api/release/${id}`)).data as Release).title).not.toBe('Les heures bleues');
    const confirmed = await edit(id, form({ status: 'DELIVRED', confirmQuality: true }));
    expect(confirmed).toMatchObject({ status: 200, data: { id, status: 'DELIVRED' }, meta: undefined });
    expect(await entries('release.deliver', id)).toMatchObject([
      { before: { status: 'PAID' }, after: { status: 'DELIVRED', confirmedQuality: ['no_cover', 'no_track'] } },
    ]);
    // Already delivered: its problems were confirmed.
    expect((await edit(id, form({ status: 'DELIVRED', title: 'Autre' }))).status).toBe(200);
  });

  it('to DELIVRED without a confirmation of quality succeeds, and names the problems', async () => {
    const id = await buildRelease(app.db, account, 'paid');
    const warning = messages.qualityPassed(['Pas de pochette', 'Aucun titre']);
    expect(await client.put(`/api/release/${id}/edit`, form({ status: 'DELIVRED' }))).toMatchObject({
      status: 200,
      message: `La sortie est enregistrée. ${warning}`,
      meta: { warnings: [warning] },
    });
    expect(await entries('release.deliver', id)).toMatchObject([
      { after: { status: 'DELIVRED', confirmedQuality: ['no_cover', 'no_track'] } },
    ]);
  });

  it.each([
    [{ note: 'Relue' }, undefined],
    [{ confirmQuality: true }, undefined],
    [{ title: 'Autre' }, messages.genreRequired],
    [{ genre: 'Jazz' }, 'Champ requis\u00a0: titre'],
    [{ status: undefined }, 'Champ requis\u00a0: état'],
    [{ status: 'LIVREE' }, messages.invalidChoice],
  ])('changes the status alone, or validates the whole form (%#)', async (values, message) => {
    const id = await buildRelease(app.db, account, 'paid');
    const reply = await edit(id, { status: 'DELIVRED', ...values });
    expect(reply).toMatchObject(message === undefined ? { status: 200 } : { status: 422, message });
    const { title, status } = (await client.get(`/api/release/${id}`)).data as Release;
    expect([title, status]).toEqual([expect.stringMatching(/^Sortie/), message === undefined ? 'DELIVRED' : 'PAID']);
  });

  it.each([
    ['GET', '/api/release/999999'],
    ['GET', '/api/release/999999/cover'],
    ['GET', '/api/resources/999999'],
    ['GET', '/api/release/999999/contract'],
    ['PUT', '/api/release/999999/edit', form()],
    ['PUT', '/api/release/999999/edit-tracks-position', [1]],
    ['PUT', '/api/release/999999/withdraw', { note: 'Litige' }],
    ['PUT', '/api/tools/release/999999/barcode', { barcode: '3760149435312' }],
    ['DELETE', '/api/release/999999/delete'],
  ] as const)('%s %s answers 404 for an unknown release', async (method, url, body?: unknown) => {
    const reply = method === 'GET' ? client.get(url) : method === 'PUT' ? client.put(url, body) : client.delete(url);
    expect(await reply).toMatchObject({ status: 404, message: messages.unknownRelease });
  });
});

describe('withdrawing a release', () => {
  it('moves it to the unpublished list with its note, and is journalled', async () => {
    const id = await buildRelease(app.db, account, 'delivered');
    const url = `/api/release/${id}/withdraw`;
    expect(await client.put(url, { note: ' ' })).toMatchObject({
      status: 422,
      errors: { note: messages.required('note') },
    });
    for (const capability of ['edit_delivered_libraries', 'edit_none_published_libraries'] as const) {
      const editor = await app.signInWith([capability]);
      expect((await editor.put(url, { note: 'Litige' })).status, capability).toBe(403);
    }
    expect(await client.put(url, { note: 'Litige' })).toMatchObject({ status: 200, data: { id, status: 'CANCEL' } });
    expect((await client.get(`/api/release/${id}`)).data).toMatchObject({ status: 'CANCEL', note: 'Litige' });
    expect(await entries('release.withdraw', id)).toMatchObject([
      { before: { status: 'DELIVRED', note: null }, after: { status: 'CANCEL', note: 'Litige' } },
    ]);
    expect((await client.put(url, { note: 'Encore' })).status).toBe(409);
    expect((await client.put('/api/release/999999/withdraw', { note: 'Litige' })).status).toBe(404);
  });
});

describe('closing and reopening a release', () => {
  const moved = async (from: ReleaseStatus, move: string, caller = client) => {
    const id = await buildRelease(app.db, account, toStoredStatus(from));
    return { id, reply: await caller.put(`/api/release/${id}/${move}`, {}) };
  };

  it.each([
    ['DELIVRED', 'close', 'CLOSED'],
    ['DELIVRED', 'reopen', 'OPENED'],
    ['CLOSED', 'reopen', 'OPENED'],
  ] as const)('from %s: %s sets %s, and is journalled', async (from, move, to) => {
    const { id, reply } = await moved(from, move);
    expect(reply).toMatchObject({ status: 200, data: { id, status: to } });
    expect(await entries(`release.${move}`, id)).toMatchObject([{ before: { status: from }, after: { status: to } }]);
  });

  it('is refused unless it is delivered and the caller has the capability of both lists', async () => {
    for (const [from, move] of [
      ['CLOSED', 'close'],
      ['PAID', 'close'],
      ['PENDING', 'reopen'],
      ['CANCEL', 'reopen'],
    ] as const) {
      const { reply } = await moved(from, move);
      expect(reply, `${from} ${move}`).toMatchObject({ status: 409, message: messages.notDelivered });
    }
    const deliverer = await app.signInWith(['edit_delivered_libraries']);
    expect((await moved('DELIVRED', 'close', deliverer)).reply.status).toBe(200);
    expect((await moved('DELIVRED', 'reopen', deliverer)).reply.status).toBe(403);
    const other = await app.signInWith(['edit_paid_libraries', 'edit_none_paid_libraries']);
    expect((await moved('DELIVRED', 'close', other)).reply.status).toBe(403);
    expect((await client.put('/api/release/999999/close', {})).status).toBe(404);
  });
});

describe('a release that changed meanwhile', () => {
  it('is not overwritten by a form opened before', async () => {
    const id = await buildRelease(app.db, account, 'pending');
    const { updatedAt } = (await client.get(`/api/release/${id}`)).data as Release;
    const first = await edit(id, form({ title: 'Première', updatedAt }));
    expect(first.status).toBe(200);
    const second = await edit(id, form({ title: 'Seconde', updatedAt }));
    expect(second).toMatchObject({ status: 409, code: 'conflict', message: messages.releaseChanged });
    expect((await client.get(`/api/release/${id}`)).data).toMatchObject({ title: 'Première' });
    expect(await entries('release.edit', id)).toHaveLength(1);
    // With the version of the first answer.
    const again = (first.data as { updatedAt: number }).updatedAt;
    expect((await edit(id, form({ title: 'Troisième', updatedAt: again }))).status).toBe(200);
  });

  it('is saved by a call without a version', async () => {
    const id = await buildRelease(app.db, account, 'pending');
    expect((await client.put(`/api/release/${id}/edit`, form({ title: 'Sans date' }))).status).toBe(200);
    expect((await client.get(`/api/release/${id}`)).data).toMatchObject({ title: 'Sans date' });
  });
});

describe('deleting a release', () => {
  it('removes it from every list and the library, preserves its row, and is journalled', async () => {
    const id = await buildRelease(app.db, account, 'delivered');
    const { id: trackId, isrc } = await buildTrack(app.db, account, { releaseId: id });
    expect(await client.delete(`/api/release/${id}/delete`)).toMatchObject({ status: 200, data: {} });
    expect(idsOf((await client.get(`/api/releases/delivered?q=${isrc}`)).data)).toEqual([]);
    expect((await client.get(`/api/library/tracks?q=${isrc}`)).data).toEqual([]);
    const row = await app.db.selectFrom('tracks').select('deletedAt').where('id', '=', trackId).executeTakeFirst();
    expect(row?.deletedAt).not.toBeNull();
    expect(await entries('release.delete', id)).toMatchObject([
      { before: { status: 'DELIVRED', tracks: 1 }, after: null },
    ]);
    expect((await client.delete(`/api/release/${id}/delete`)).status).toBe(404);
  });

  it('needs the capability to edit its list', async () => {
    const id = await buildRelease(app.db, account, 'delivered');
    const editor = await app.signInWith(['edit_paid_libraries', ...anyReadLibraries]);
    expect((await editor.delete(`/api/release/${id}/delete`)).status).toBe(403);
    expect((await client.get(`/api/release/${id}`)).status).toBe(200);
  });
});

function trackForm(libraryId: number, values: Record<string, unknown> = {}) {
  return {
    title: 'Aurore',
    isrc: 'fr-z03-98-00212',
    genre: 'Jazz',
    language: 'French',
    noVoice: false,
    starTime: '0124',
    recordingOwnerName: 'Awa Diallo',
    yearOfRegistration: 2025,
    libraryId,
    artists: [{ fullname: 'Nina Sorel', role: 'Primary Artist' }],
    contributors: [{ fullname: 'Paul Verdier', role: 'Composer', isMusician: false }],
    musicians: [{ fullname: 'Paul Verdier', role: 'Piano', isMusician: true }],
    editors: [],
    ...values,
  };
}

describe('a language', () => {
  it('is stored as a code, and shown and journalled as a name', async () => {
    const release = await buildRelease(app.db, account, 'pending');
    const stored = async () =>
      (await app.db.selectFrom('releases').select('language').where('id', '=', release).executeTakeFirstOrThrow())
        .language;
    for (const language of ['Kabyle', 'kab']) {
      await edit(release, form({ language: 'Wolof' }));
      expect((await edit(release, form({ language }))).status).toBe(200);
      expect(await stored()).toBe('kab');
      expect((await client.get(`/api/release/${release}`)).data).toMatchObject({ language: 'Kabyle' });
      expect((await entries('release.edit', release)).at(-1)).toMatchObject({
        before: { language: 'Wolof' },
        after: { language: 'Kabyle' },
      });
    }
    const track = { title: 'Aurore', genre: 'Jazz', language: 'Instrumental', recordingOwnerName: 'Awa' };
    const added = await client.post('/api/tracks/add', {
      ...{ ...track, yearOfRegistration: 2026, libraryId: release, artists: [], contributors: [], musicians: [] },
    });
    expect(added.status).toBe(200);
    const { tracks } = (await client.get(`/api/release/${release}`)).data as Release;
    expect(tracks).toMatchObject([{ language: 'Instrumental' }]);
    expect(await app.db.selectFrom('tracks').select('language').where('releaseId', '=', release).execute()).toEqual([
      { language: 'zxx' },
    ]);
  });
});
