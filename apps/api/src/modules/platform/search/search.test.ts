import type { Capability } from '@regie/contract/capabilities.ts';
import type { SearchResult } from '@regie/contract/routes/search.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack, setRate } from '#test/factories.ts';
import { buildBilling, credit } from '#test/payouts.ts';
import { buildStatement } from '#test/statements.ts';

const app = useApp();
let client: TestClient;
let account: number;
let pending: number;
let delivered: number;
let track: number;
let importId: number;
let statement: number;
const payouts: Record<'pending' | 'paid' | 'cancelled', number> = { pending: 0, paid: 0, cancelled: 0 };
let ticket: number;
let order: number;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db, { firstName: 'Ophélie', lastName: 'Saint-Clair' });
  await app.db
    .updateTable('accounts')
    .set({ company: 'Les Disques d’Été', email: 'ophelie@marina.example' })
    .where('id', '=', account)
    .execute();
  pending = await buildRelease(app.db, account, 'pending');
  delivered = await buildRelease(app.db, account, 'delivered');
  await app.db
    .updateTable('releases')
    .set({ title: 'Vagabondes', artistName: 'Zéphyrine', barcode: '3760999000019' })
    .where('id', 'in', [pending, delivered])
    .execute();
  track = (await buildTrack(app.db, account, { title: 'Caravelle', isrc: 'FRZZZ2600042', releaseId: delivered })).id;
  await buildTrack(app.db, account, { title: 'Caravelle (démo)', isrc: null, releaseId: pending });
  const billingAccountId = await buildBilling(app.db, account);
  for (const state of ['pending', 'paid', 'cancelled'] as const) {
    const { id } = await app.owner
      .insertInto('payouts')
      .values({
        accountId: account,
        billingAccountId,
        state,
        amountEur: '340.22',
        feeEur: '0.60',
        paidAt: state === 'paid' ? new Date() : null,
        cancelledAt: state === 'cancelled' ? new Date() : null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    payouts[state] = id;
  }
  order = (
    await app.owner
      .insertInto('orders')
      .values({
        ...{ accountId: account, plan: 'label', planPrice: '15', status: 'paid', paidAt: new Date() },
        ...{ invoiceYear: 2026, invoiceNumber: 82, issuedAt: new Date() },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
  importId = (
    await app.owner
      .insertInto('imports')
      .values({
        ...{ kind: 'csv', type: 'platform', month: '2026-10-01', toDate: '2026-11-01', fileName: 'bandcamp.csv' },
        ...{
          rate: '1.1',
          termsVersion: 0,
          grossUsd: '56.0612',
          grossEur: '50.965',
          accountsEur: '45.8685',
          platformEur: '5.0965',
        },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
  await setRate(app.db, 'USD', '2024-01', 1.25);
  const lines = [{ amount: '12.5', title: 'Rayures', artist: 'Ida Roux', month: '2024-01' }];
  statement = await buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, lines, {
    fileName: 'zèbre.tsv',
  });
  ticket = (
    await app.owner
      .insertInto('tickets')
      .values({ title: 'Reprise de Caravelle', url: 'https://video.example/abc', accountId: account })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
});

const find = async (q: string, who = client) => {
  const reply = await who.get(`/api/search?q=${encodeURIComponent(q)}`);
  expect(reply, q).toMatchObject({ status: 200 });
  return reply.data as SearchResult[];
};
const idsOf = async (kind: SearchResult['kind'], q: string, who = client) =>
  (await find(q, who)).filter((result) => result.kind === kind).map((result) => result.id);

describe('global search', () => {
  it.each(['ophelie', 'SAINT CLAIR', 'saint-clair oph', 'disques', 'ophelie@marina.example', 'marina'])(
    'finds an account by %s',
    async (q) => {
      expect(await idsOf('account', q)).toEqual([account]);
    },
  );

  it.each(['ophleie', 'ophelie sant clair', 'ophéliee'])('forgives a typo: %s', async (q) => {
    expect(await idsOf('account', q)).toEqual([account]);
  });

  it('finds no near account while one has the word itself', async () => {
    const other = await buildAccount(app.db, { firstName: 'Ophelia', lastName: 'Voisine' });
    expect(await idsOf('account', 'ophelia')).toEqual([other]);
    expect(await idsOf('account', 'ophelie')).toEqual([account]);
  });

  it.each(['56,06', '56.06 $US', '50,96 €', '50,96 EUR', '45,87'])('finds an import by its amount %s', async (q) => {
    const found = (await find(q)).filter(({ kind }) => kind === 'import');
    expect(found).toMatchObject([
      { id: importId, label: 'bandcamp.csv', hint: expect.stringContaining('2026 · 56,06') },
    ]);
  });

  it.each(['12,50', '12.5 $US', '10 €'])('finds a statement by its amount %s', async (q) => {
    expect(await idsOf('statement', q)).toEqual([statement]);
  });

  it('finds a statement by words of its file and source, and describes it', async () => {
    expect((await find('distrokid zebre')).filter(({ kind }) => kind === 'statement')).toEqual([
      { kind: 'statement', id: statement, label: 'zèbre.tsv', hint: `DistroKid · janv.\u00a02024 · 10,00\u00a0€` },
    ]);
  });

  it('finds waiting income by its amount, and how to find it in its list', async () => {
    expect((await find('10,00 €')).filter(({ kind }) => kind === 'unmatched')).toEqual([
      {
        ...{ kind: 'unmatched', id: expect.any(Number), label: 'Rayures', hint: `Ida Roux · 10,00\u00a0€` },
        q: 'Rayures',
      },
    ]);
  });

  it('finds waiting income by its ISRC, as it is typed', async () => {
    await buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, [
      { amount: '3', isrc: 'FRZZZ2600077', title: 'Perdue', artist: 'Ida Roux', month: '2024-01' },
    ]);
    const found = (await find('fr-zzz-26-00077')).filter(({ kind }) => kind === 'unmatched');
    expect(found).toMatchObject([{ label: 'Perdue', q: 'FRZZZ2600077' }]);
    expect(await idsOf('unmatched', 'fr-zzz-26-00078')).toEqual([]);
  });

  it('finds an account by its balance, cut to the cent', async () => {
    await credit(app.db, account, '81.239');
    expect(await idsOf('account', '81,23 €')).toEqual([account]);
    expect(await idsOf('account', '81,24')).toEqual([]);
    expect(await idsOf('account', '−81,23')).toEqual([]);
    await credit(app.db, account, '-162.478');
    for (const q of ['−81,23', '-81,23 €']) expect(await idsOf('account', q)).toEqual([account]);
  });

  it('finds an invoice by its total', async () => {
    expect(await idsOf('order', '15,00 €')).toEqual([order]);
  });

  it('finds a renamed account', async () => {
    await app.db.updateTable('accounts').set({ company: 'Studio Borée' }).where('id', '=', account).execute();
    expect(await idsOf('account', 'disques')).toEqual([]);
    expect(await idsOf('account', 'boree')).toEqual([account]);
  });

  it.each(['vagabondes', 'zephyrine vaga', '3760999000019', '3760 9990', 'ophelie saint'])(
    'finds releases by %s, the newest first',
    async (q) => {
      expect(await idsOf('release', q)).toEqual([delivered, pending]);
    },
  );

  it('finds a track by title and by a pasted ISRC, and names its release', async () => {
    const [result] = (await find('FR-ZZZ-26-00042')).filter(({ kind }) => kind === 'track');
    expect(result).toEqual({
      kind: 'track',
      id: track,
      label: 'Caravelle',
      hint: 'FRZZZ2600042 · Vagabondes',
      releaseId: delivered,
    });
    expect(await idsOf('release', 'frzzz2600042')).toEqual([delivered]);
    expect(await idsOf('track', 'caravelle')).toHaveLength(2);
  });

  it.each(['340,22', '340.22 €', 'ophélie'])('finds payouts by %s, the newest first', async (q) => {
    expect(await idsOf('payout', q)).toEqual([payouts.cancelled, payouts.paid, payouts.pending]);
  });

  it('finds a ticket by words of its title and customer together', async () => {
    expect(await idsOf('ticket', 'clair reprise ophelie')).toEqual([ticket]);
  });

  it('finds a payout by its number and describes it', async () => {
    const results = (await find(String(payouts.paid))).filter(({ kind }) => kind === 'payout');
    expect(results).toMatchObject([{ kind: 'payout', id: payouts.paid, label: 'Ophélie Saint-Clair', status: 'PAID' }]);
    expect(results[0]?.hint).toMatch(/^340,22\u00a0€ · V-\d{6} · \d{2}\/\d{2}\/\d{4}$/);
  });

  it.each([
    ['payout', (n: number) => `V-${String(n).padStart(6, '0')}`, () => payouts.paid],
    ['account', String, () => account],
    ['account', (n: number) => `compte n° ${n}`, () => account],
    ['order', (n: number) => `Order #${n}`, () => order],
    ['order', (n: number) => `Commande n° ${n}`, () => order],
    ['order', String, () => order],
    ['order', () => '2026-00082', () => order],
  ] as const)('finds one %s by its number in the form %s', async (kind, write, id) => {
    expect((await idsOf(kind, write(id())))[0]).toBe(id());
  });

  it("shows an order's account and invoice number", async () => {
    expect((await find('2026-00082')).filter(({ kind }) => kind === 'order')).toEqual([
      {
        ...{ kind: 'order', id: order, status: 'PAID' },
        ...{ label: `Commande n°\u00a0${order}`, hint: 'Facture 2026-00082 · Ophélie Saint-Clair' },
      },
    ]);
  });

  it.each(['dt-', ''])('finds a ticket by its number with “%s” before it', async (prefix) => {
    const results = (await find(`${prefix}${ticket}`)).filter(({ kind }) => kind === 'ticket');
    expect(results).toMatchObject([
      { id: ticket, label: 'Reprise de Caravelle', hint: `dt-${ticket} · Ophélie Saint-Clair`, status: 'OPENED' },
    ]);
    expect(await idsOf('ticket', 'cara reprise')).toEqual([ticket]);
  });

  it.each(['%', "'; --", '\\', '_', '99999999999999999999', '0', 'a'.repeat(200), '∞'])(
    'finds nothing for %s, which it treats as plain text',
    async (q) => {
      expect(await find(q)).toEqual([]);
    },
  );

  it('returns nothing for an empty text, and refuses an overlong one', async () => {
    expect(await find('  ')).toEqual([]);
    expect((await client.get(`/api/search?q=${'a'.repeat(201)}`)).status).toBe(422);
  });

  it('shows five results per kind', async () => {
    for (let n = 0; n < 7; n += 1)
      await buildTrack(app.db, account, { title: `Foisonnante ${n}`, releaseId: delivered });
    expect(await idsOf('track', 'foisonnante')).toHaveLength(5);
  });
});

describe('search results by capability', () => {
  const everything = ['account', 'release', 'track', 'payout', 'ticket'];
  it.each<[Capability, Record<string, number>]>([
    ['manage_profiles', { account: 1 }],
    ['read_none_paid_libraries', { release: 1, track: 1 }],
    ['read_delivered_libraries', { release: 1, track: 1 }],
    ['read_paid_libraries', {}],
    ['read_pending_payout', { payout: 1 }],
    ['read_paid_payout', { payout: 2 }],
    ['read_reports', {}],
    ['read_tools', { ticket: 1 }],
    ['edit_tools', { ticket: 1 }],
  ])('%s', async (capability, expected) => {
    const other = await app.signInWith([capability]);
    const found = [
      ...(await find('ophelie saint', other)).filter(({ kind }) => kind === 'account' || kind === 'payout'),
      ...(await find('vagabondes', other)),
      ...(await find('caravelle', other)).filter(({ kind }) => kind !== 'release'),
    ];
    const counts = Object.fromEntries(
      everything.flatMap((kind) => {
        const count = found.filter((result) => result.kind === kind).length;
        return count > 0 ? [[kind, count]] : [];
      }),
    );
    expect(counts).toEqual(expected);
  });

  it('are refused without these capabilities', async () => {
    const other = await app.signInWith(['read_audit']);
    expect(await other.get('/api/search?q=ophelie')).toMatchObject({ status: 403, code: 'forbidden' });
  });
});
