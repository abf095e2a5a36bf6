import { messages } from '@regie/contract/messages.ts';
import type { AccountSummary, Profile } from '@regie/contract/routes/accounts.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildReferral } from '#test/factories.ts';

const app = useApp();
let client: TestClient & { admin: { id: number } };

beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
});

const form = (values: Record<string, unknown> = {}) => ({
  fname: 'Nadia',
  lname: 'Benali',
  email: 'nadia@exemple.fr',
  company: '',
  address: '12, rue des Lilas',
  address2: '',
  city: 'Lyon',
  postcode: '69003',
  country: 'France',
  tax: '',
  timezone: 'GMT +1',
  state: 'ENABLED',
  role: 'CUSTOMER',
  libraryIncomePercentile: 80,
  youtubeChannelIncomePercentile: 70.25,
  memo: '',
  ...values,
});
const create = async (values: Record<string, unknown> = {}) => {
  const reply = await client.post('/api/profile/new', form(values));
  expect(reply).toMatchObject({ status: 200 });
  return (reply.data as { id: number }).id;
};
const read = async (id: number) => (await client.get(`/api/profile/${id}/profile`)).data as Profile;
const save = (id: number, values: Record<string, unknown>) => client.put(`/api/profile/${id}/profile`, form(values));
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));
const postings = (id: number) =>
  app.db
    .selectFrom('ledgerPostings as p')
    .innerJoin('ledgerTransactions as t', 't.id', 'p.transactionId')
    .select(['t.kind', 't.memo', 't.adminId', 'p.amount'])
    .where('p.account', '=', `account:${id}`)
    .orderBy('t.id')
    .execute();
async function subscribe(accountId: number, dueDate: string, status: 'paid' | 'pending' = 'paid') {
  await app.db
    .insertInto('orders')
    .values({
      accountId,
      plan: 'label',
      status,
      planPrice: '99',
      dueDate,
      paidAt: status === 'paid' ? new Date() : null,
    })
    .execute();
}

describe('a new profile', () => {
  it('starts with the default shares, which do not change existing profiles', async () => {
    const older = await create();
    const keeper = await app.signInWith(['manage_settings']);
    const { version } = (await keeper.get('/api/settings')).data as { version: string };
    const shares = { libraryIncomePercentile: 72.5, youtubeChannelIncomePercentile: 60 };
    expect((await keeper.put('/api/settings', { version, ...shares })).status).toBe(200);
    expect((await client.get('/api/profile/new')).data).toEqual({ ...shares, houseStatementPeriod: 'month' });
    const reply = await client.post('/api/profile/new', { fname: 'Jo', lname: 'Li' });
    expect(await read((reply.data as { id: number }).id)).toMatchObject(shares);
    expect(await read(older)).toMatchObject({ libraryIncomePercentile: 80 });
    await app.owner.deleteFrom('settings').where('key', 'in', Object.keys(shares)).execute();
    expect((await keeper.get('/api/profile/new')).status).toBe(403);
  });

  it("is created with the form's values and journalled", async () => {
    const id = await create({ role: 'LABEL', state: 'HOLD', memo: 'Rappeler en mars' });
    expect(await read(id)).toMatchObject({
      id,
      fname: 'Nadia',
      lname: 'Benali',
      company: null,
      role: 'LABEL',
      state: 'HOLD',
      income: 0,
      libraryIncomePercentile: 80,
      youtubeChannelIncomePercentile: 70.25,
      memo: 'Rappeler en mars',
      subscriptionUntil: null,
      referrersPercentile: 0,
    });
    expect(await entries('account.create', id)).toMatchObject([
      { adminId: client.admin.id, before: null, after: { fname: 'Nadia', role: 'LABEL', country: 'France' } },
    ]);
    expect(await postings(id)).toEqual([]);
  });

  it('can have an opening balance, posted as an adjustment', async () => {
    const id = await create({ income: 12.5, reason: 'Reprise de l’ancien système' });
    expect((await read(id)).income).toBe(12.5);
    expect(await postings(id)).toEqual([
      { kind: 'adjustment', memo: 'Reprise de l’ancien système', adminId: client.admin.id, amount: '12.500000' },
    ]);
  });

  it('requires only names', async () => {
    const reply = await client.post('/api/profile/new', { fname: 'Jo', lname: 'Li' });
    expect(reply.status).toBe(200);
    expect(await read((reply.data as { id: number }).id)).toMatchObject({
      email: null,
      country: null,
      role: 'CUSTOMER',
    });
  });

  it.each([
    ['fname', { fname: 'N' }],
    ['fname', { fname: undefined }],
    ['lname', { lname: 'x'.repeat(51) }],
    ['email', { email: 'nadia' }],
    ['address', { address: 'ab' }],
    ['address', { address: 'x'.repeat(51) }],
    ['city', { city: 'L' }],
    ['postcode', { postcode: '6' }],
    ['country', { country: 'F' }],
    ['state', { state: 'CLOSED' }],
    ['role', { role: 'ARTIST' }],
    ['libraryIncomePercentile', { libraryIncomePercentile: 100.01 }],
    ['libraryIncomePercentile', { libraryIncomePercentile: 12.345 }],
    ['youtubeChannelIncomePercentile', { youtubeChannelIncomePercentile: -1 }],
    ['income', { income: -0.01 }],
    ['income', { income: 'beaucoup' }],
  ])('refuses a wrong %s', async (field, values) => {
    const reply = await client.post('/api/profile/new', form(values));
    expect(reply).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(Object.keys(reply.errors)).toEqual([field]);
  });

  it('is refused without manage_profiles', async () => {
    const other = await app.signInWith(['edit_reports']);
    expect((await other.post('/api/profile/new', form())).status).toBe(403);
  });
});

it('the statements’ period is kept where a form lacks it, and empty is the house’s', async () => {
  const id = await create({ statementPeriod: 'quarter' });
  await save(id, { memo: 'sans période' });
  expect(await read(id)).toMatchObject({ statementPeriod: 'quarter' });
  await save(id, { statementPeriod: '' });
  expect(await read(id)).toMatchObject({ statementPeriod: null });
  expect(await save(id, { statementPeriod: 'week' })).toMatchObject({
    status: 422,
    errors: { statementPeriod: expect.any(String) },
  });
});

describe('the company’s numbers', () => {
  it('are typed with or without spaces, cleared with an empty text, and refused when they are none', async () => {
    const id = await create();
    const numbers = { siren: '732 829 320', electronicAddress: '732829320_FACTURES', vatRegime: 'normal' };
    expect(await save(id, numbers)).toMatchObject({ status: 200 });
    expect(await read(id)).toMatchObject({ ...numbers, siren: '732829320' });
    expect(await save(id, { siren: '732829321', electronicAddress: '732829320_A/B' })).toMatchObject({
      status: 422,
      errors: { siren: messages.invalidSiren, electronicAddress: messages.electronicAddress },
    });
    await save(id, { siren: '', electronicAddress: '', vatRegime: '' });
    expect(await read(id)).toMatchObject({ siren: null, electronicAddress: null, vatRegime: null });
  });

  it('that lack are listed: companies in France without a SIREN', async () => {
    const ids: number[] = [];
    for (const values of [
      { company: 'Sans SARL' },
      { company: 'Avec SARL', siren: '732829320' },
      { company: 'Ailleurs SRL', country: 'Belgique' },
      { company: '' },
    ]) {
      const id = await create();
      await save(id, values);
      ids.push(id);
    }
    const { data } = await client.get('/api/accounts/profiles?siren=missing&limit=500');
    const listed = (data as { accounts: Profile[] }).accounts.map(({ id }) => id);
    expect(ids.filter((id) => listed.includes(id))).toEqual(ids.slice(0, 1));
  });
});

describe('editing a profile', () => {
  it('saves the sent fields, and journals the differences', async () => {
    const id = await create();
    const { data, status } = await client.put(`/api/profile/${id}/profile`, {
      fname: 'Nadia',
      lname: 'Ben Ali',
      libraryIncomePercentile: 82.5,
    });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      lname: 'Ben Ali',
      libraryIncomePercentile: 82.5,
      city: 'Lyon',
      email: 'nadia@exemple.fr',
    });
    expect(await entries('account.edit', id)).toMatchObject([
      {
        adminId: client.admin.id,
        before: { lname: 'Benali', libraryIncomePercentile: 80 },
        after: { lname: 'Ben Ali', libraryIncomePercentile: 82.5 },
      },
    ]);
    const terms = await app.db
      .selectFrom('accountTerms')
      .select('libraryPercentile')
      .where('accountId', '=', id)
      .orderBy('version')
      .execute();
    expect(terms.map((row) => row.libraryPercentile)).toEqual(['80.00', '82.50']);
  });

  it('journals nothing when nothing changes', async () => {
    const id = await create();
    const { updatedAt } = await read(id);
    expect((await save(id, {})).status).toBe(200);
    expect(await entries('account.edit', id)).toEqual([]);
    expect((await read(id)).updatedAt).toBe(updatedAt);
  });

  it('refuses a profile that was saved since it was read', async () => {
    const id = await create();
    const { updatedAt } = await read(id);
    const other = await app.signInWith(['manage_profiles']);
    expect((await other.put(`/api/profile/${id}/profile`, form({ city: 'Nice', updatedAt }))).status).toBe(200);
    const reply = await save(id, { city: 'Brest', updatedAt });
    expect(reply).toMatchObject({ status: 409, code: 'conflict', message: messages.conflict });
    expect((await read(id)).city).toBe('Nice');
  });

  it('reads null as an omitted field where the field cannot be empty', async () => {
    const id = await create({ income: 12.5, reason: 'Report', role: 'LABEL', libraryIncomePercentile: 60 });
    const before = await read(id);
    const nulls = {
      ...{ income: null, incomeSeen: null, updatedAt: null, role: null, state: null },
      ...{ libraryIncomePercentile: null, youtubeChannelIncomePercentile: null },
    };
    expect(await save(id, nulls)).toMatchObject({ status: 200, data: before, meta: undefined });
  });

  it('answers 404 for an unknown profile and 403 without the capability', async () => {
    expect((await save(999_999, {})).status).toBe(404);
    expect((await client.get('/api/profile/999999/profile')).status).toBe(404);
    const id = await create();
    const other = await app.signInWith(['edit_reports', 'read_reports']);
    expect((await other.put(`/api/profile/${id}/profile`, form({ income: 100 }))).status).toBe(403);
    expect((await read(id)).income).toBe(0);
  });

  it('notifies both addresses when the e-mail changes', async () => {
    const id = await create();
    await app.runJobs();
    await save(id, { email: 'nouvelle@exemple.fr' });
    const letters = await app.runJobs();
    expect(letters.map((letter) => letter.to).sort()).toEqual(['nadia@exemple.fr', 'nouvelle@exemple.fr']);
    expect(letters[0]?.text).toContain('Nadia Benali');
  });
});

describe('the income of a profile', () => {
  it('posts an adjustment with its reason when it differs at 2 decimals', async () => {
    const id = await create({ income: 100, reason: 'Report' });
    const reply = await save(id, { income: 80.5, incomeSeen: 100, reason: 'Avance remboursée' });
    expect(reply).toMatchObject({ status: 200, data: { income: 80.5 } });
    expect((await postings(id)).map(({ memo, amount }) => [memo, amount])).toEqual([
      ['Report', '100.000000'],
      ['Avance remboursée', '-19.500000'],
    ]);
    expect((await entries('account.adjust', id)).at(-1)).toMatchObject({
      adminId: client.admin.id,
      before: { income: '100.000000' },
      after: { income: '80.500000', reason: 'Avance remboursée' },
    });
  });

  it('posts nothing when it is equal at 2 decimals', async () => {
    const id = await create({ income: 12.345678, reason: 'Report' });
    expect((await save(id, { income: 12.35, incomeSeen: 12.35 })).status).toBe(200);
    expect((await read(id)).income).toBe(12.345678);
    expect(await postings(id)).toHaveLength(1);
  });

  it('is refused when the balance changed since', async () => {
    const id = await create({ income: 50, reason: 'Report' });
    await save(id, { income: 60, reason: 'Geste' });
    const reply = await save(id, { income: 40, incomeSeen: 50, reason: 'Geste' });
    expect(reply).toMatchObject({ status: 409, message: messages.balanceMoved });
    expect((await read(id)).income).toBe(60);
  });

  it('changes without a reason as "Sans motif", with a warning', async () => {
    const id = await create({ income: 100 });
    const reply = await save(id, { income: 80.5 });
    expect(reply).toMatchObject({
      ...{ status: 200, data: { income: 80.5 }, meta: { warnings: [messages.adjustedWithoutReason] } },
      message: `Le compte est enregistré. ${messages.adjustedWithoutReason}`,
    });
    expect((await postings(id)).map(({ memo }) => memo)).toEqual(['Sans motif', 'Sans motif']);
    expect((await entries('account.adjust', id)).at(-1)).toMatchObject({ after: { reason: 'Sans motif' } });
  });

  it('above the limit waits for a signature, with a warning', async () => {
    await app.addSignatories((await app.signInWith()).admin, (await app.signInWith()).admin);
    const id = await create();
    const waits = messages.adjustmentWaits('600,00\u00a0€');
    const reply = await save(id, { income: 600 });
    expect(reply).toMatchObject({ data: { income: 0, pendingAdjustment: { amountEur: 600 } } });
    expect(reply.meta?.warnings).toEqual([messages.adjustmentWaits('600,00\u00a0€', true)]);
    expect(reply.message).toBe(
      'Le compte est enregistré. La régularisation de 600,00\u00a0€, sans motif, attend les signatures nécessaires\u00a0: d’ici là, le solde reste inchangé',
    );
    const created = await client.post('/api/profile/new', { fname: 'Jo', lname: 'Li', income: 600, reason: 'Reprise' });
    expect(created).toMatchObject({ status: 200, meta: { warnings: [waits] } });
  });

  it('does not change when a client returns the amount from before a movement, with a warning', async () => {
    const id = await create({ income: 100.456789, reason: 'Report' });
    await app.db
      .transaction()
      .execute((trx) => postAdjustment(trx, { accountId: id, amountEur: '31.5', adminId: null, reason: 'Import' }));
    const warning = messages.balanceKept('131,96\u00a0€');
    // As read, cut and rounded.
    for (const income of [100.456789, 100.45, 100.46]) {
      const reply = await save(id, { income, city: `Nantes ${income}` });
      expect(reply).toMatchObject({ status: 200, data: { income: 131.956789 }, meta: { warnings: [warning] } });
      expect(reply.message).toContain(warning);
    }
    expect((await entries('account.edit', id)).at(-1)).toMatchObject({
      after: { city: 'Nantes 100.46', warnings: [warning] },
    });
    expect(await save(id, { income: 131.96 })).toMatchObject({ status: 200, meta: undefined });
    expect(await postings(id)).toHaveLength(2);
    // Who saw the present balance means the earlier one.
    expect(await save(id, { income: 100.45, incomeSeen: 131.956789 })).toMatchObject({ data: { income: 100.45 } });
    await sql`UPDATE ledger_postings SET occurred_at = occurred_at - interval '13 hours' WHERE account = ${`account:${id}`}`.execute(
      app.owner,
    );
    expect(await save(id, { income: 131.956789 })).toMatchObject({ data: { income: 131.956789 } });
  });

  it('accepts one of many simultaneous adjustments of a balance', async () => {
    const id = await create({ income: 50, reason: 'Report' });
    const replies = await Promise.all(
      [10, 20, 30, 40].map((income) => save(id, { income, incomeSeen: 50, reason: 'Geste' })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409, 409]);
    expect(await postings(id)).toHaveLength(2);
  });

  it('may stay negative but cannot be made negative', async () => {
    const id = await create();
    await app.owner.transaction().execute(async (trx) => {
      const transaction = await trx
        .insertInto('ledgerTransactions')
        .values({ kind: 'adjustment', accountId: id, adminId: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      await trx
        .insertInto('ledgerPostings')
        .values([
          { transactionId: transaction.id, account: `account:${id}`, currency: 'EUR', amount: '-7.5' },
          { transactionId: transaction.id, account: 'adjustment', currency: 'EUR', amount: '7.5' },
        ])
        .execute();
    });
    expect((await save(id, { income: -7.5, incomeSeen: -7.5, city: 'Nantes' })).status).toBe(200);
    expect(await save(id, { income: -3 })).toMatchObject({ status: 422, errors: { income: messages.incomeNegative } });
    expect((await save(id, { income: 0, incomeSeen: -7.5, reason: 'Solde effacé' })).status).toBe(200);
    expect((await read(id)).income).toBe(0);
  });
});

describe('the list of profiles', () => {
  const list = async (query: string) => {
    const reply = await client.get(`/api/accounts/profiles?q=filtre&${query}`);
    expect(reply.status).toBe(200);
    return (reply.data as { accounts: AccountSummary[] }).accounts.map((row) => row.fname).sort();
  };

  it('is filtered by role, state and subscription', async () => {
    const names = { lname: 'Filtré' };
    await create({ ...names, fname: 'Simple' });
    await create({ ...names, fname: 'Label', role: 'LABEL' });
    await create({ ...names, fname: 'Bloquée', state: 'HOLD' });
    await create({ ...names, fname: 'Fermée', state: 'DISABLED' });
    await subscribe(await create({ ...names, fname: 'Abonnée' }), '2999-01-01');
    await subscribe(await create({ ...names, fname: 'Échue' }), '2020-01-01');
    await subscribe(await create({ ...names, fname: 'Impayée' }), '2999-01-01', 'pending');
    expect(await list('role=LABEL')).toEqual(['Label']);
    expect(await list('state=HOLD')).toEqual(['Bloquée']);
    expect(await list('state=DISABLED')).toEqual(['Fermée']);
    expect(await list('subscription=label')).toEqual(['Abonnée']);
    expect(await list('subscription=none&state=ENABLED&role=CUSTOMER')).toEqual(['Impayée', 'Simple', 'Échue']);
    const { data } = await client.get('/api/accounts/profiles?q=abonnee');
    expect(data).toMatchObject({ accounts: [{ fname: 'Abonnée', hasLabelSubscription: true, income: 0 }] });
    expect((await client.get('/api/accounts/profiles?state=GONE')).status).toBe(422);
  });

  it('has every scalar field of a profile for manage_profiles, and those of the row for others', async () => {
    const id = await create({ fname: 'Tout', lname: 'Listé', income: 12.5, reason: 'Report', memo: 'rappeler' });
    await subscribe(id, '2999-03-02');
    const referrerId = await create({ fname: 'Marraine' });
    await buildReferral(app.db, { referrerId, referredId: id, percentile: '7.5' });
    const { pendingAdjustment, ...scalars } = await read(id);
    const rowFor = async (who: TestClient) => {
      const reply = await who.get('/api/accounts/profiles?q=liste%20tout');
      return (reply.data as { accounts: AccountSummary[] }).accounts;
    };
    expect(scalars).toMatchObject({ memo: 'rappeler', subscriptionUntil: '02/03/2999', referrersPercentile: 7.5 });
    expect(await rowFor(client)).toEqual([{ ...scalars, hasLabelSubscription: true }]);
    const shown = { id, fname: 'Tout', lname: 'Listé', email: scalars.email, company: null, income: 12.5 };
    const hidden = Object.fromEntries(Object.keys(scalars).map((key) => [key, null]));
    expect(await rowFor(await app.signInWith(['edit_reports']))).toEqual([
      { ...hidden, ...shown, role: 'CUSTOMER', state: 'ENABLED', hasLabelSubscription: true },
    ]);
  });

  it('pages by cursor under a filter', async () => {
    for (let n = 0; n < 5; n += 1) await create({ fname: `Page${n}`, lname: 'Suite', role: 'LABEL' });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await client.get(
        `/api/accounts/profiles?q=suite&role=LABEL&limit=2${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...(page.data as { accounts: AccountSummary[] }).accounts.map((row) => row.fname));
      expect(page.meta).toMatchObject({ total: 5, totalIsExact: true, sums: [{ currency: 'EUR', amount: 0 }] });
      cursor = page.meta?.nextCursor ?? null;
    }
    expect(seen).toEqual(['Page0', 'Page1', 'Page2', 'Page3', 'Page4']);
  });

  it('shows the last day of the subscription', async () => {
    const id = await buildAccount(app.db);
    await subscribe(id, '2999-03-02');
    expect((await read(id)).subscriptionUntil).toBe('02/03/2999');
  });
});
