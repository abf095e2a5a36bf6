// @module-tag slow
import { routeTable } from '@regie/contract/routes.ts';
import { defaultSettings } from '@regie/contract/settings.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from './app.ts';
import { buildAccount, buildRelease, buildTrack } from './factories.ts';
import { buildBilling } from './payouts.ts';
import { buildReceived } from './statements.ts';

/** For every call that saves a form: absent fields stay unchanged. */
const app = useApp();
let client: TestClient & { admin: TestAdmin };
let accountId: number;

beforeAll(async () => {
  client = await app.signInWith();
  accountId = await buildAccount(app.owner);
});

type Fields = Record<string, unknown>;
interface EditCall {
  /** Creates a record and returns its id. */
  build: () => Promise<number>;
  url: (id: number) => string;
  /** Every field of the form, none with an empty record's value. */
  body: (id: number) => Fields;
  read: (id: number) => Promise<unknown>;
  /** The version the form was opened with, read before each call. */
  seen?: (id: number) => Promise<Fields>;
}

const dataOf = async (url: string) => (await client.get(url)).data as Fields;
const releaseOf = (id: number) => dataOf(`/api/release/${id}`);
const updatedAtOf = async (id: number) => ({ updatedAt: (await releaseOf(id)).updatedAt });
const person = (fullname: string, role: string) => ({ fullname, role });
const trackOf = async (id: number) => {
  const { releaseId } = await app.db
    .selectFrom('tracks')
    .select('releaseId')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return ((await releaseOf(releaseId)).tracks as { id: number; updatedAt: number }[]).find((track) => track.id === id);
};
const holder = {
  owner: 'Awa Diallo',
  holderAddress: '12 rue de la Loge',
  holderAddress2: 'Bâtiment B',
  holderCity: 'Marseille',
  holderCountry: 'France',
  holderPostcode: '13002',
};
const trackReleases = new Map<number, number>();

const editCalls: Record<string, EditCall> = {
  'PUT /release/:id/edit': {
    build: () => buildRelease(app.owner, accountId, 'pending'),
    url: (id) => `/api/release/${id}/edit`,
    body: () => ({
      title: 'Marée haute',
      label: 'Nord',
      status: 'PENDING',
      genre: 'Jazz',
      subgenre: 'Pop',
      language: 'fr',
      version: 'Live',
      originalRealeaseDate: '01/09/2026',
      digitalReleaseDate: '30/10/2026',
      publisherLink: 'https://exemple.fr/',
      yearOfRegistration: 2026,
      recordingOwnerName: 'Awa Diallo',
      coverDetailsOwner: 'Lina Diallo',
      coverDetailsYear: 2025,
      barcode: '4006381333931',
      catalogNumber: 'N-1',
      note: 'À relire',
    }),
    read: releaseOf,
    seen: updatedAtOf,
  },
  'PUT /release/:id/delivery': {
    async build() {
      const id = await buildRelease(app.owner, accountId, 'pending');
      await buildTrack(app.owner, accountId, { releaseId: id });
      await sql`
        INSERT INTO promo_codes (name, percent, due_date) VALUES ('RESTE', 10, '2099-01-01')
        ON CONFLICT DO NOTHING`.execute(app.owner);
      return id;
    },
    url: (id) => `/api/release/${id}/delivery`,
    body: () => ({
      genre: 'Jazz',
      subgenre: 'Pop',
      plan: 'album',
      label: 'Nord',
      originalRealeaseDate: '01/09/2026',
      digitalReleaseDate: '30/10/2026',
      platforms: ['spotify', 'deezer'],
      territories: ['FR', 'BE'],
      expressDelivery: true,
      promoCode: 'RESTE',
      status: 'PENDING',
    }),
    read: releaseOf,
  },
  'PUT /tracks/:id/edit': {
    async build() {
      const releaseId = await buildRelease(app.owner, accountId, 'pending');
      const { id } = await buildTrack(app.owner, accountId, { releaseId });
      trackReleases.set(id, releaseId);
      return id;
    },
    url: (id) => `/api/tracks/${id}/edit`,
    body: (id) => ({
      title: 'Le large',
      version: 'Live',
      isrc: 'FRX122600001',
      genre: 'Jazz',
      subgenre: 'Pop',
      language: 'fr',
      noVoice: true,
      starTime: '01:24',
      recordingOwnerName: 'Awa Diallo',
      yearOfRegistration: 2026,
      libraryId: trackReleases.get(id),
      artists: [person('Awa Diallo', 'Primary Artist')],
      contributors: [person('Lina Diallo', 'Composer')],
      musicians: [person('Sam Diallo', 'Guitare')],
      editors: [person('Éditions du Nord', 'Publisher')],
    }),
    read: trackOf,
    seen: async (id) => ({ updatedAt: (await trackOf(id))?.updatedAt }),
  },
  'PUT /artists/:id/edit': {
    build: async () =>
      (
        await app.owner
          .insertInto('people')
          .values({ fullName: `Artiste ${crypto.randomUUID()}` })
          .returning('id')
          .executeTakeFirstOrThrow()
      ).id,
    url: (id) => `/api/artists/${id}/edit`,
    body: () => ({ spotifyId: '4Z8W4fKeB5YxbusRsdQVPb', appleMusicId: '1234' }),
    read: (id) => app.owner.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  },
  'PUT /profile/:id/profile': {
    build: () => buildAccount(app.owner),
    url: (id) => `/api/profile/${id}/profile`,
    body: () => ({
      fname: 'Awa',
      lname: 'Diallo',
      email: 'awa@exemple.fr',
      company: 'Nord',
      address: '1 rue Haute',
      address2: 'Bâtiment B',
      city: 'Nantes',
      postcode: '44000',
      country: 'France',
      tax: 'FR00123456789',
      timezone: '+1',
      state: 'HOLD',
      role: 'LABEL',
      libraryIncomePercentile: 12.5,
      youtubeChannelIncomePercentile: 13.5,
      memo: 'À rappeler',
      income: 0,
      reason: 'Reprise',
    }),
    read: (id) => dataOf(`/api/profile/${id}/profile`),
  },
  'PUT /billing/:id/bank': {
    build: () => buildBilling(app.owner, accountId),
    url: (id) => `/api/billing/${id}/bank`,
    body: () => ({
      ...holder,
      bankName: 'Banque du Port',
      bankCountry: 'France',
      bankAddress: '1 quai du Port',
      bankAddress2: 'Étage 2',
      bankCity: 'Marseille',
      bankZipCode: '13002',
      iban: 'FR7630006000011234567890189',
      swift: 'AGRIFRPP',
    }),
    read: (id) => dataOf(`/api/billing/${id}`),
  },
  'PUT /billing/:id/paypal': {
    build: () => buildBilling(app.owner, accountId, { type: 'paypal' }),
    url: (id) => `/api/billing/${id}/paypal`,
    body: () => ({ ...holder, email: 'paie@exemple.fr' }),
    read: (id) => dataOf(`/api/billing/${id}`),
  },
  'PUT /manage-admins/admin/:id': {
    build: async () => (await app.buildAdmin({ capabilities: ['read_tools'] })).id,
    url: (id) => `/api/manage-admins/admin/${id}`,
    body: (id) => ({
      fname: 'Camille',
      lname: 'Autre',
      email: `autre-${id}@exemple.fr`,
      password: 'sept faders verts',
      capabilities: [1, 2],
    }),
    async read(id) {
      const { passwordHash, firstName, lastName, email } = await app.owner
        .selectFrom('admins')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const { rows } = await sql`SELECT capability FROM admin_capabilities WHERE admin_id = ${id} ORDER BY 1`.execute(
        app.owner,
      );
      // Saving the same password again changes its hash.
      return { hasPassword: passwordHash !== null, firstName, lastName, email, rows };
    },
  },
  'PUT /tools/ticket/:id': {
    build: async () =>
      (
        (await client.post('/api/tools/ticket', { title: 'Reprise', url: 'https://exemple.fr/v' })).data as {
          id: number;
        }
      ).id,
    url: (id) => `/api/tools/ticket/${id}`,
    body: () => ({
      status: 'CLOSED',
      url: 'https://exemple.fr/w',
      startAt: '01:23',
      endAt: '47:56',
      isClaimed: true,
      isProtected: true,
    }),
    read: (id) => app.owner.selectFrom('tickets').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  },
  'PUT /smartlink/item/:id/edit': {
    build: async () =>
      (
        (await client.post('/api/smartlink/new', { libraryId: await buildRelease(app.owner, accountId) })).data as {
          id: number;
        }
      ).id,
    url: (id) => `/api/smartlink/item/${id}/edit`,
    body: () => ({ status: 'ENABLED', urls: { spotify: 'https://open.spotify.com/album/1' } }),
    read: (id) => dataOf(`/api/smartlink/item/${id}`),
  },
  'PUT /reporting/statements/:id': {
    build: () => buildReceived(app.owner, `relevé ${crypto.randomUUID()}`),
    url: (id) => `/api/reporting/statements/${id}`,
    body: () => ({ accountingMonth: 1_735_686_000_000, declaredAmount: '12.5', declaredCurrency: 'USD' }),
    read: (id) => app.owner.selectFrom('statements').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  },
  'PUT /settings': {
    build: async () => {
      await app.addSignatories(client.admin);
      return 0;
    },
    url: () => '/api/settings',
    body: () => {
      const { location: _, currency: __, ...settings } = defaultSettings;
      return {
        ...settings,
        house: { ...settings.house, name: 'Marée Haute', city: 'Nantes' },
        vatPercent: 5.5,
        prices: { ...settings.prices, ep: 18 },
        secondFactor: 'optional',
        payoutFeeEur: 1,
        payoutApprovalEur: 9000,
        unsignedEur: 400,
        adjustmentApprovalEur: 400,
        payoutAlertEur: 4000,
        isrcPrefixes: ['FRX12'],
        licenceYears: 5,
      };
    },
    read: async () => (await dataOf('/api/settings')).settings,
    seen: async () => ({ version: (await dataOf('/api/settings')).version }),
  },
};

/** Other calls that change a record, with the reason why they have no optional fields. */
const others: Record<string, string> = {
  'PUT /payouts/edit/:id': 'a move, with its reason',
  'PUT /payouts/download/:id': 'a move',
  'PUT /release/:id/withdraw': 'a move',
  'PUT /release/:id/close': 'a move',
  'PUT /release/:id/reopen': 'a move',
  'PUT /edit-invoice/:id': 'one field',
  'PUT /tools/track/:id/isrc': 'one field',
  'PUT /tools/release/:id/barcode': 'one field',
  'PUT /reporting/unmatched/:key/track': 'one field',
  'PUT /tools/bulk/isrc': 'a code for each row',
  'PUT /tools/bulk/barcode': 'a code for each row',
  'PUT /release/:id/edit-tracks-position': 'the whole order',
  'PUT /exchange-rates': 'a new rate, whole',
  'PUT /auth/password': 'a new password, whole',
  'PUT /sidebar': 'all choices, whole',
  'PUT /release/:id/edit/cover': 'a file',
  'PUT /tracks/:id/edit/audio': 'a file',
  'PUT /reporting/statements/uploads/:id': 'a file',
  'PUT /payouts/batches/:id/bank-report': 'a file',
};

it('every call that changes a record is tested', () => {
  const calls = routeTable.filter(({ method }) => method === 'PUT').map(({ method, path }) => `${method} ${path}`);
  expect([...Object.keys(editCalls), ...Object.keys(others)].sort()).toEqual(calls.sort());
});

const volatile = new Set(['updatedAt', 'updatedBy', 'changedAt', 'blockedUntil']);
const stable = (record: unknown): unknown =>
  JSON.parse(JSON.stringify(record, (key, value: unknown) => (volatile.has(key) ? undefined : value)));

describe.each(Object.entries(editCalls))('%s', (_, call) => {
  it('does not change an absent field', async () => {
    const id = await call.build();
    const save = async (fields: Fields) =>
      client.put(call.url(id), { ...fields, ...(call.seen ? await call.seen(id) : {}) });
    const whole = call.body(id);
    expect(await save(whole)).toMatchObject({ status: 200 });
    const before = stable(await call.read(id));
    for (const field of Object.keys(whole)) {
      const { [field]: __, ...rest } = whole;
      const reply = await save(rest);
      expect([field, [200, 422].includes(reply.status), reply.message]).toEqual([field, true, reply.message]);
      expect([field, stable(await call.read(id))]).toEqual([field, before]);
    }
  });
});
