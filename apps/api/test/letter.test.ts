import { randomBytes } from 'node:crypto';
import { routeTable } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type Reply, type TestClient, testPassword, tokenIn, useApp } from './app.ts';
import { buildAccount, buildReferral, buildRelease, buildTrack } from './factories.ts';
import { buildPayee } from './payouts.ts';
import { buildStatement } from './statements.ts';
import { buildWav } from './waves.ts';

/**
 * Each call of section 7 of both specifications with exactly the fields that are named there, a session and the CSRF
 * header (product §31.23).
 */
const app = useApp();
let staff: TestClient & { admin: { id: number; email: string } };
let cover: Buffer;

beforeAll(async () => {
  staff = await app.signInWith();
  cover = await sharp({ create: { width: 3000, height: 3000, channels: 3, background: '#334455' } })
    .jpeg()
    .toBuffer();
});

const month = monthToMs('2025-03');
const data = <Value>(reply: Reply) => reply.data as Value;
const expectKeys = (reply: Reply, keys: string[]) =>
  expect(Object.keys(data<object>(reply))).toEqual(expect.arrayContaining(keys));
const idOf = (reply: Reply) => data<{ id: number }>(reply).id;

const releaseFields = {
  ...{ title: 'Marée haute', genre: 'Pop', subgenre: 'Jazz', version: 'Radio', originalRealeaseDate: '01/02/2025' },
  ...{ status: 'PENDING', publisherLink: '', label: 'Disques du Port', yearOfRegistration: 2025 },
  ...{ recordingOwnerName: 'Awa Diallo', language: 'French', digitalReleaseDate: '14/02/2025' },
};
const trackFields = {
  ...{ genre: 'Pop', title: 'Marée basse', recordingOwnerName: 'Awa Diallo', yearOfRegistration: 2025, editors: [] },
  artists: [{ fullname: 'Awa Diallo', role: 'Primary Artist', id: '', isMusician: false }],
  contributors: [{ fullname: 'Léo Klein', role: 'Composer', id: '', isMusician: false }],
  ...{ musicians: [], subgenre: '', language: 'French', version: '', isrc: '', noVoice: false, starTime: '01:24' },
};
const profileFields = {
  ...{ fname: 'Awa', lname: 'Diallo', email: 'awa@exemple.fr', company: '', city: 'Marseille', postcode: '13002' },
  ...{ address: '12 rue de la Loge', address2: '', country: 'France', tax: '', timezone: '+1', state: 'ENABLED' },
  ...{ income: 0, libraryIncomePercentile: 80, youtubeChannelIncomePercentile: 70, memo: 'rappeler', role: 'CUSTOMER' },
};
const holder = {
  ...{ owner: 'Awa Diallo', holderAddress: '12 rue de la Loge', holderAddress2: '', holderCity: 'Marseille' },
  ...{ holderCountry: 'France', holderPostcode: '13002' },
};
const bankFields = {
  ...holder,
  ...{ bankName: 'Banque du Port', bankCountry: 'France', bankAddress: '1 quai du Port', bankAddress2: '' },
  ...{ bankCity: 'Marseille', bankZipCode: '13002', iban: 'FR7630006000011234567890189', swift: 'AGRIFRPP' },
};
const adminFields = () => ({
  ...{ fname: 'Ly', lname: 'Bâ', email: `ly-${randomBytes(4).toString('hex')}@regie.example` },
  ...{ password: 'sept faders verts', capabilities: [] as number[] },
});
const counts = {
  ...{ numOfStreams: 120, incomeOfStreams: 11.3, numOfDownloads: 0, incomeOfDownloads: 0 },
  ...{ numOfYoutube: 0, incomeOfYoutube: 0 },
};
const account = () => buildAccount(app.db);
const track = async (status?: string) => {
  const accountId = await account();
  const releaseId = await buildRelease(app.db, accountId, status);
  return { accountId, releaseId, ...(await buildTrack(app.db, accountId, { releaseId })) };
};
const order = async (values: { plan?: string; status?: string; paidAt?: Date } = {}) =>
  (
    await app.owner
      .insertInto('orders')
      .values({ accountId: await account(), plan: 'single', planPrice: '10', ...values })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
const payout = async () => {
  const { accountId, billingId } = await buildPayee(app.db, '50');
  const asked = { userId: accountId, account: billingId, amount: 20 };
  return data<{ payoutId: number }>(await staff.post('/api/payouts/request', asked)).payoutId;
};
const smartlink = async () => {
  const { releaseId } = await track();
  return idOf(await staff.post('/api/smartlink/new', { libraryId: releaseId }));
};
const report = async () => {
  const { id, accountId } = await track();
  return idOf(
    await staff.post('/api/reporting/create', { ...{ trackId: id, userId: accountId, fromDate: month }, ...counts }),
  );
};
const withCover = async () => {
  const { releaseId } = await track('pending');
  const file = { field: 'cover', fileName: 'pochette.jpg', bytes: cover, type: 'image/jpeg' };
  return { releaseId, reply: await staff.upload(`/api/release/${releaseId}/edit/cover`, file) };
};
const withAudio = async () => {
  const { id, releaseId } = await track('pending');
  const bytes = buildWav();
  const file = { field: 'track', fileName: 'mar%C3%A9e.wav', bytes, type: 'audio/wav' };
  const headers = { 'x-file-start': '0', 'x-file-name': 'mar%C3%A9e.wav', 'x-file-size': String(bytes.length) };
  return { id, releaseId, reply: await staff.upload(`/api/tracks/${id}/edit/audio`, file, headers) };
};

/** Sends the call; the row of the table is `METHOD /path` of the contract. */
type Send = () => Promise<Reply>;
const get =
  (url: string): Send =>
  async () =>
    staff.get(`/api${url}`);
const calls: Record<string, { send: Send; check?: (reply: Reply) => unknown }> = {
  'GET /auth/check': {
    send: get('/auth/check'),
    check: (reply) => {
      expect(reply.csrf).toEqual(expect.any(String));
      const keys = ['location', 'invoices', 'cash', 'currency', 'reports', 'userCapabilities'];
      expectKeys(reply, keys);
    },
  },
  'POST /auth/signin': {
    send: async () =>
      (await app.visitor()).post('/api/auth/signin', { email: staff.admin.email, password: testPassword }),
  },
  'POST /auth/reset_password/request': {
    send: async () => (await app.visitor()).post('/api/auth/reset_password/request', { email: 'qui@exemple.fr' }),
  },
  'POST /auth/reset_password/action': {
    send: async () => {
      const { email } = await app.buildAdmin();
      const visitor = await app.visitor();
      await visitor.post('/api/auth/reset_password/request', { email });
      const token = tokenIn((await app.runJobs()).find(({ to }) => to === email));
      const password = 'neuf faders bleus';
      return visitor.post('/api/auth/reset_password/action', { password, password_confirmation: password, token });
    },
  },
  'POST /auth/signup': {
    send: async () => {
      const email = 'invitee@regie.example';
      await staff.post('/api/manage-admins/invite', { email, capabilities: [] });
      const token = tokenIn((await app.runJobs()).find(({ to }) => to === email));
      const password = 'neuf faders bleus';
      const form = { fname: 'Ly', lname: 'Bâ', email, password, password_confirmation: password, token };
      return (await app.visitor()).post('/api/auth/signup', form);
    },
  },
  'GET /auth/signout': { send: async () => (await app.signInWith([])).get('/api/auth/signout') },

  'GET /releases/unpaid': { send: get('/releases/unpaid') },
  'GET /releases/paid': { send: get('/releases/paid') },
  'GET /releases/delivered': { send: get('/releases/delivered') },
  'GET /releases/unpublished': { send: get('/releases/unpublished') },
  'GET /resources/:id': {
    send: async () => staff.get(`/api/resources/${(await track()).releaseId}`),
    check: (reply) => expectKeys(reply, ['release', 'artists', 'editors', 'contributors', 'musicians']),
  },
  'GET /release/:id': { send: async () => staff.get(`/api/release/${(await track()).releaseId}`) },
  'PUT /release/:id/edit': {
    send: async () => staff.put(`/api/release/${(await track('pending')).releaseId}/edit`, releaseFields),
  },
  'DELETE /release/:id/delete': {
    send: async () => staff.delete(`/api/release/${(await track('pending')).releaseId}/delete`),
  },
  'PUT /release/:id/edit/cover': {
    send: async () => (await withCover()).reply,
    check: (reply) => expect(data<{ coverDetails: string }>(reply).coverDetails).toContain('"url"'),
  },
  'GET /release/:id/cover': {
    send: async () => staff.get(`/api/release/${(await withCover()).releaseId}/cover`),
    check: ({ bytes }) => expect(bytes).toEqual(cover),
  },
  'PUT /release/:id/edit-tracks-position': {
    send: async () => {
      const first = await track('pending');
      const { id } = await buildTrack(app.db, first.accountId, { releaseId: first.releaseId });
      return staff.put(`/api/release/${first.releaseId}/edit-tracks-position`, [id, first.id]);
    },
  },
  'PUT /tracks/:id/edit': {
    send: async () => {
      const { id, releaseId } = await track('pending');
      return staff.put(`/api/tracks/${id}/edit`, { ...trackFields, libraryId: releaseId });
    },
  },
  'PUT /tracks/:id/edit/audio': {
    send: async () => (await withAudio()).reply,
    check: (reply) => expect(data<{ done: boolean }>(reply).done).toBe(true),
  },
  'DELETE /tracks/delete-from-disk/:id': {
    send: async () => staff.delete(`/api/tracks/delete-from-disk/${(await track('pending')).id}`),
  },
  'GET /tracks/:id/audio': {
    send: async () => staff.get(`/api/tracks/${(await withAudio()).id}/audio`),
    check: ({ bytes }) => expect(bytes.subarray(0, 4).toString()).toBe('RIFF'),
  },
  'PUT /artists/:id/edit': {
    send: async () => {
      const { id, releaseId } = await track('pending');
      await staff.put(`/api/tracks/${id}/edit`, { ...trackFields, libraryId: releaseId });
      const { artists } = data<{ artists: { id: number }[] }>(await staff.get(`/api/resources/${releaseId}`));
      const ids = { spotifyId: '4Z8W4fKeB5YxbusRsdQVPb', appleMusicId: '657515' };
      return staff.put(`/api/artists/${artists[0]?.id}/edit`, ids);
    },
  },
  'GET /tracks/delivered': { send: get('/tracks/delivered') },
  'GET /library/artists': { send: get('/library/artists') },
  'GET /library/contributors': { send: get('/library/contributors') },
  'GET /library/editors': { send: get('/library/editors') },
  'GET /library/tracks': { send: get('/library/tracks') },

  'GET /payouts/pending': { send: get('/payouts/pending') },
  'GET /payouts/paid': { send: get('/payouts/paid') },
  'PUT /payouts/edit/:id': {
    send: async () => staff.put(`/api/payouts/edit/${await payout()}`, { status: 'PAID' }),
  },
  'PUT /payouts/download/:id': {
    send: async () => {
      const id = await payout();
      await staff.put(`/api/payouts/edit/${id}`, { status: 'PAID' });
      return staff.put(`/api/payouts/download/${id}`, { download: true });
    },
  },
  'DELETE /payouts/edit/:id': { send: async () => staff.delete(`/api/payouts/edit/${await payout()}`) },
  'GET /payouts/unpaid-accounts': { send: get('/payouts/unpaid-accounts') },

  'GET /reporting/all': { send: get('/reporting/all?type=platform') },
  'GET /reporting/:id': { send: async () => staff.get(`/api/reporting/${await report()}`) },
  'DELETE /reporting/delete/:id': { send: async () => staff.delete(`/api/reporting/delete/${await report()}`) },
  'POST /reporting/create': {
    send: async () => {
      const { id, accountId } = await track();
      const span = { fromDate: month, toDate: monthToMs('2025-04') - 1 };
      return staff.post('/api/reporting/create', { trackId: id, userId: accountId, ...span, ...counts });
    },
  },
  'POST /reporting/youtube/create': {
    send: async () =>
      staff.post('/api/reporting/youtube/create', { userId: await account(), fromDate: month, incomeOfYoutube: 5 }),
  },
  'POST /reporting/automatic': {
    send: async () => {
      const { isrc } = await track();
      await buildStatement(
        { owner: app.owner, ownerUrl: app.database.ownerUrl },
        [{ isrc, month: '2024-05', amount: '10.824' }],
        { isChecked: true },
      );
      return staff.post('/api/reporting/automatic', { fromDate: monthToMs('2024-05') });
    },
    check: (reply) => expect(reply.data).toMatchObject({ reports: 1, grossEur: 10 }),
  },
  'POST /reporting/csv': {
    send: async () =>
      staff.post(`/api/reporting/csv?date=${month}`, [
        { isrc: (await track()).isrc, streams: 12, incomeofstreams: 1.13 },
        { isrc: 'FRNON2500001', streams: 12, incomeofstreams: 1.13 },
      ]),
    check: (reply) => expect(reply.data).toMatchObject({ saved: 1, unsavedISRC: ['FRNON2500001'] }),
  },
  'DELETE /reporting/deleteByMonth': {
    send: async () => {
      await report();
      return staff.delete(`/api/reporting/deleteByMonth?date=${month}`);
    },
  },

  'GET /accounts/profiles': {
    send: get('/accounts/profiles'),
    check: (reply) => expectKeys(reply, ['accounts', 'accountsWithLabelSubscription']),
  },
  'GET /profile/:id/profile': { send: async () => staff.get(`/api/profile/${await account()}/profile`) },
  'PUT /profile/:id/profile': {
    send: async () => staff.put(`/api/profile/${await account()}/profile`, { ...profileFields, income: 12.5 }),
  },
  'GET /profile/:id/libraries': {
    send: async () => staff.get(`/api/profile/${(await track()).accountId}/libraries`),
    check: (reply) => expect(data<object[]>(reply)).toMatchObject([{ tracks: [{}] }]),
  },
  'POST /profile/:id/libraries': {
    send: async () => {
      const user = await account();
      const releases = [{ titre: 1984, artistes: 1995, barcode: 3_760_149_435_312, isrc: null }];
      return staff.post(`/api/profile/${user}/libraries`, { user: String(user), releases });
    },
  },
  'GET /profile/:id/billing-accounts': {
    send: async () => staff.get(`/api/profile/${(await buildPayee(app.db, '1')).accountId}/billing-accounts`),
  },
  'PUT /billing/:id/bank': {
    send: async () => staff.put(`/api/billing/${(await buildPayee(app.db, '1')).billingId}/bank`, bankFields),
  },
  'PUT /billing/:id/paypal': {
    send: async () => {
      const { billingId } = await buildPayee(app.db, '1', { type: 'paypal' });
      return staff.put(`/api/billing/${billingId}/paypal`, { email: 'paie@exemple.fr', ...holder });
    },
  },
  'GET /invoices': { send: get('/invoices') },
  'GET /invoices/user/:id/list': { send: async () => staff.get(`/api/invoices/user/${await account()}/list`) },
  'PUT /edit-invoice/:id': {
    send: async () => staff.put(`/api/edit-invoice/${await order()}`, { status: 'PAID' }),
  },
  'GET /referrals/:id/list': { send: async () => staff.get(`/api/referrals/${await account()}/list`) },
  'POST /referrals/add': {
    send: async () =>
      staff.post('/api/referrals/add', { referrerId: await account(), referredId: await account(), percentile: 5 }),
  },
  'DELETE /referrals/:id/delete': {
    send: async () => {
      const id = await buildReferral(app.db, {
        ...{ referrerId: await account(), referredId: await account(), percentile: '5' },
      });
      return staff.delete(`/api/referrals/${id}/delete`);
    },
  },
  'GET /manage-admins': {
    send: get('/manage-admins'),
    check: (reply) => expectKeys(reply, ['admins', 'capabilities']),
  },
  'POST /manage-admins/admin': { send: async () => staff.post('/api/manage-admins/admin', adminFields()) },
  'PUT /manage-admins/admin/:id': {
    send: async () => {
      const { id } = await app.buildAdmin({ capabilities: [] });
      return staff.put(`/api/manage-admins/admin/${id}`, { ...adminFields(), password: '' });
    },
  },
  'DELETE /manage-admins/admin/:id': {
    send: async () => staff.delete(`/api/manage-admins/admin/${(await app.buildAdmin({ capabilities: [] })).id}`),
  },

  'GET /promo-code/list': { send: get('/promo-code/list') },
  'POST /promo-code/add': {
    send: async () =>
      staff.post('/api/promo-code/add', {
        ...{ name: 'PRINTEMPS', description: '', amount: 12.5, dueDate: '31/12/2099' },
      }),
  },
  'DELETE /promo-code/item/:id': {
    send: async () => {
      const form = { name: `CODE${randomBytes(3).toString('hex')}`, description: '', amount: 5, dueDate: '29/02/2096' };
      await staff.post('/api/promo-code/add', form);
      const codes = data<{ id: number; name: string }[]>(await staff.get(`/api/promo-code/list?q=${form.name}`));
      return staff.delete(`/api/promo-code/item/${codes[0]?.id}`);
    },
  },
  'GET /smartlink/list/:status': { send: get('/smartlink/list/pending') },
  'GET /smartlink/item/:id': {
    send: async () => staff.get(`/api/smartlink/item/${await smartlink()}`),
    check: (reply) => expect(JSON.parse(data<{ urls: string }>(reply).urls)).toBeTypeOf('object'),
  },
  'PUT /smartlink/item/:id/edit': {
    send: async () =>
      staff.put(`/api/smartlink/item/${await smartlink()}/edit`, {
        status: 'ENABLED',
        urls: {
          deezer: 'https://www.deezer.com/album/1',
          spotify: '',
          'apple-music': 'https://music.apple.com/fr/a/1',
        },
      }),
  },
  'DELETE /smartlink/item/:id/delete': {
    send: async () => staff.delete(`/api/smartlink/item/${await smartlink()}/delete`),
  },
  'GET /subscriptions/list': { send: get('/subscriptions/list') },
  'DELETE /subscriptions/item/:orderId/cancel': {
    send: async () => staff.delete(`/api/subscriptions/item/${await order({ plan: 'label' })}/cancel`),
  },

  'GET /accounting/stats/common': {
    send: get('/accounting/stats/common'),
    check: (reply) => expectKeys(reply, ['totalIncome', 'remainingIncome', 'nombreOfCustomers']),
  },
  'GET /accounting/reports': { send: get('/accounting/reports?type=youtube') },
  'GET /tools/empty-isrc-barcode': {
    send: get('/tools/empty-isrc-barcode'),
    check: (reply) => expectKeys(reply, ['tracks', 'libraries']),
  },
  'GET /tools/isrc-redundancy': {
    send: get('/tools/isrc-redundancy'),
    check: (reply) => expectKeys(reply, ['isrc', 'barcode']),
  },
  'GET /tools/naming-redundancy': {
    send: get('/tools/naming-redundancy'),
    check: (reply) => expectKeys(reply, ['tracks', 'libraries']),
  },
  'PUT /tools/bulk/isrc': {
    send: async () => {
      const { accountId, releaseId } = await track();
      await buildTrack(app.db, accountId, { releaseId, isrc: null, title: 'Sans code' });
      return staff.put('/api/tools/bulk/isrc', [{ title: 'Sans code', isrc: 'FRBLK2500001' }]);
    },
    check: (reply) => expect(reply.data).toEqual([]),
  },
  'PUT /tools/bulk/barcode': {
    send: async () => {
      const { releaseId } = await track();
      await app.owner.updateTable('releases').set({ title: 'Sans barre' }).where('id', '=', releaseId).execute();
      return staff.put('/api/tools/bulk/barcode', [{ title: 'Sans barre', 'code-barre': 3_760_149_435_398 }]);
    },
    check: (reply) => expect(reply.data).toEqual([]),
  },
  'GET /tools/ticket/:status/all': { send: get('/tools/ticket/opened/all') },
  'PUT /tools/ticket/:id': {
    send: async () => {
      const url = 'https://www.youtube.com/watch?v=abc123';
      const ticket = data<object & { id: number }>(await staff.post('/api/tools/ticket', { title: 'Reprise', url }));
      const { id } = ticket;
      const edited = { status: 'CLOSED', url, startAt: '01:23', endAt: '47:56', isClaimed: true, isProtected: false };
      return staff.put(`/api/tools/ticket/${id}`, { id, title: 'Reprise', ...edited, Track: null });
    },
  },
};

describe('a call of the specifications with exactly its fields', () => {
  it('is a row of the contract', () => {
    const known = routeTable.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(calls).filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(Object.entries(calls))('%s succeeds', async (_, { send, check }) => {
    const reply = await send();
    expect(reply, JSON.stringify(reply.errors)).toMatchObject({ status: 200, code: 'success', errors: {} });
    await check?.(reply);
  });

  it('changes only the status of a release', async () => {
    const { releaseId } = await track('paid');
    const read = async () => data<Record<string, unknown>>(await staff.get(`/api/release/${releaseId}`));
    const { updatedAt: _, quality: __, ...before } = await read();
    expect(await staff.put(`/api/release/${releaseId}/edit`, { status: 'DELIVRED' })).toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({ ...before, status: 'DELIVRED' });
  });

  it('leaves the ledger without a difference', async () => {
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });
});
