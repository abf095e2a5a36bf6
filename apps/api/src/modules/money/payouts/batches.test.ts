import { messages } from '@regie/contract/messages.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { BatchDetail, ManualPayment, Preflight } from '@regie/contract/routes/payouts.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type Reply, type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { deepCount } from '#test/deep.ts';
import { buildBilling, buildPayee, changeBilling, credit, readBalance, signMoney } from '#test/payouts.ts';
import { hasSepaSchema, sepaErrors } from '#test/sepa-schema.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };
const house = {
  name: 'Maison Régie',
  address: '3 rue Haute',
  postcode: '13002',
  city: 'Marseille',
  country: 'France',
  siren: '',
  vatNumber: '',
  electronicAddress: '',
  vatRegime: '',
  iban: 'FR1420041010050500013M02606',
  bic: 'PSSTFRPPXXX',
  email: '',
};

beforeAll(async () => {
  client = await app.signInWith();
  await app.owner
    .insertInto('settings')
    .values([
      { key: 'house', value: JSON.stringify(house) },
      // These tests together send more than the daily limit.
      { key: 'payoutApprovalEur', value: '10000000' },
    ])
    .execute();
});

async function request(payee: { accountId: number; billingId: number }, amount: number) {
  const body = { userId: payee.accountId, account: payee.billingId, amount };
  const reply = await client.post('/api/payouts/request', body);
  if (reply.status !== 200) throw new Error(`request refused: ${reply.status} ${reply.message}`);
  return (reply.data as { payoutId: number }).payoutId;
}
const makePayout = async (amount: number, values: Parameters<typeof buildPayee>[2] = {}) => {
  const payee = await buildPayee(app.owner, String(amount), values);
  return { ...payee, id: await request(payee, amount) };
};
async function createBatch(payouts: number[], by: TestClient = client) {
  const reply = await by.post('/api/payouts/batches', { payouts, confirmWarnings: true });
  if (reply.status !== 200) throw new Error(`batch refused: ${reply.status} ${reply.message}`);
  return (reply.data as { id: number }).id;
}
const act = (id: number, verb: string, by: TestClient = client, headers?: Record<string, string>) =>
  by.post(`/api/payouts/batches/${id}/${verb}`, undefined, headers);
const detail = async (id: number, by: TestClient = client) =>
  (await by.get(`/api/payouts/batches/${id}`)).data as BatchDetail;
const preflight = async (payouts: number[]) =>
  (await client.post('/api/payouts/batches/preflight', { payouts })).data as Preflight;
const problemsOf = async (id: number) => (await preflight([id])).rows[0]?.problems;
const lastEntry = async (action: string) => (await app.journal(action)).at(-1);

describe('the preflight', () => {
  it('shows names that the bank file writes differently', async () => {
    const names: [string, string | null][] = [
      ['Awa Diallo', null],
      ['Zélie Œuvrard', 'Zelie OEuvrard'],
      ['Jürgen & Groß', 'Jurgen + Gross'],
      ['N. “Nino” Sørel', 'N. Nino Sorel'],
      ['A'.repeat(80), 'A'.repeat(70)],
    ];
    for (const [owner, written] of names) {
      const { id } = await makePayout(50, { owner });
      expect((await preflight([id])).rows.map((row) => [owner, row.writtenName])).toEqual([[owner, written]]);
    }
    const { id } = await makePayout(50, { type: 'paypal', email: 'zelie@exemple.fr', owner: 'Zélie' });
    expect((await preflight([id])).rows[0]?.writtenName).toBeNull();
  });

  it('finds closed accounts, changed details, wrong numbers, negative balances, duplicates and large amounts', {
    tags: ['slow'],
  }, async () => {
    const changer = await app.buildAdmin();
    const good = await makePayout(50);
    expect(await problemsOf(good.id)).toEqual([]);

    const closed = await makePayout(50);
    await sql`UPDATE accounts SET state = 'disabled' WHERE id = ${closed.accountId}`.execute(app.owner);
    expect(await problemsOf(closed.id)).toEqual(['account_closed']);

    const changed = await makePayout(50);
    await changeBilling(app.owner, changed.billingId, changer.id);
    expect(await problemsOf(changed.id)).toEqual(['recently_changed']);

    expect(await problemsOf((await makePayout(50, { iban: 'FR1420041010050500013M02607' })).id)).toEqual([
      'invalid_iban',
    ]);
    expect(await problemsOf((await makePayout(50, { swift: 'PSST' })).id)).toEqual(['invalid_bic']);
    expect(await problemsOf((await makePayout(50, { owner: 'Ωμέγα' })).id)).toEqual(['unreadable_name']);
    expect(await problemsOf((await makePayout(50, { holderCountry: 'Atlantide' })).id)).toEqual(['unreadable_town']);
    expect(await problemsOf((await makePayout(50, { type: 'paypal', email: '=cmd@exemple.fr' })).id)).toEqual([
      'invalid_email',
    ]);

    const owing = await makePayout(50);
    await credit(app.owner, owing.accountId, '-0.01');
    expect(await problemsOf(owing.id)).toEqual(['negative_balance']);

    const twin = await makePayout(50, { iban: 'DE89370400440532013000', bankCountry: 'Allemagne', swift: '' });
    const other = await makePayout(50, { iban: 'DE89370400440532013000', bankCountry: 'Allemagne', swift: '' });
    expect((await preflight([twin.id, other.id])).rows.map((row) => row.problems)).toEqual([
      ['duplicate_beneficiary'],
      ['duplicate_beneficiary'],
    ]);
    const payee = await makePayout(50);
    expect((await client.put(`/api/payouts/edit/${payee.id}`, { status: 'PAID' })).status).toBe(200);
    await credit(app.owner, payee.accountId, '50');
    const plain = await request(payee, 50);
    const batch = await createBatch([twin.id, plain, other.id]);
    const members = (cursor = '') => client.get(`/api/payouts/batches/${batch}/payouts?limit=1${cursor}`);
    // Those to check come first, over the pages.
    let page = await members();
    const first = { problems: ['duplicate_beneficiary'], changes: ['first_payment'] };
    for (const expected of [
      { ...first, payoutId: twin.id },
      { ...first, payoutId: other.id },
    ]) {
      expect(page.data).toMatchObject([expected]);
      page = await members(`&cursor=${page.meta?.nextCursor}`);
    }
    expect(page.data).toMatchObject([{ payoutId: plain, userId: payee.accountId, problems: [], changes: [] }]);
    // Without an IBAN, the same number at another bank is another account.
    const american = (swift: string) => makePayout(50, { iban: '000123456789', bankCountry: 'États-Unis', swift });
    const [here, there] = [await american('CHASUS33'), await american('BOFAUS3N')];
    const problems = (await preflight([here.id, there.id, (await american('CHASUS33XXX')).id])).rows.map((row) =>
      row.problems.includes('duplicate_beneficiary'),
    );
    expect(problems).toEqual([true, false, true]);
    expect(await problemsOf((await makePayout(5000.01)).id)).toEqual(['large_amount']);
    expect(await preflight([good.id, closed.id])).toMatchObject({
      count: 2,
      totalEur: 100,
      netEur: 98.8,
      hasBlocking: true,
      hasWarnings: false,
    });
    expect((await client.post('/api/payouts/batches/preflight', { payouts: [987_654] })).status).toBe(422);
    expect((await client.post('/api/payouts/batches/preflight', { payouts: [] })).errors).toEqual({
      payouts: payoutMessages.batchEmpty,
    });
    const reader = await app.signInWith(['read_pending_payout']);
    expect((await reader.post('/api/payouts/batches/preflight', { payouts: [good.id] })).status).toBe(403);
  });

  it('refuses a batch with blocking problems and asks to confirm the others', async () => {
    const blocked = await makePayout(50, { iban: 'FR1420041010050500013M02607' });
    expect(await client.post('/api/payouts/batches', { payouts: [blocked.id], confirmWarnings: true })).toMatchObject({
      status: 422,
      errors: { payouts: payoutMessages.batchBlocked },
    });
    const large = await makePayout(6000);
    expect(await client.post('/api/payouts/batches', { payouts: [large.id] })).toMatchObject({
      status: 422,
      errors: { confirmWarnings: payoutMessages.batchWarned },
    });
    const key = { 'idempotency-key': 'lot-1' };
    const body = { payouts: [large.id], confirmWarnings: true };
    const made = await client.post('/api/payouts/batches', body, key);
    expect(made).toMatchObject({ status: 200, message: 'Le lot est créé' });
    expect((await client.post('/api/payouts/batches', body, key)).data).toEqual(made.data);
    expect(await lastEntry('payout_batch.create')).toMatchObject({
      adminId: client.admin.id,
      after: { count: 1, amount: 6000, problems: ['large_amount'] },
    });
    expect(await problemsOf(large.id)).toEqual(['in_batch', 'large_amount']);
    expect((await client.post('/api/payouts/batches', body)).errors).toEqual({ payouts: payoutMessages.batchBlocked });
    const reader = await app.signInWith(['read_pending_payout']);
    expect((await reader.post('/api/payouts/batches', body)).status).toBe(403);
    expect((await reader.get('/api/payouts/batches')).status).toBe(200);
  });

  it('puts a payout into only one of two batches made at once', async () => {
    const { id } = await makePayout(50);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => client.post('/api/payouts/batches', { payouts: [id], confirmWarnings: true })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
  });
});

describe('a batch', () => {
  it('goes from draft to paid, records each admin and time, returns identical files and sends money once', async () => {
    const bank = await makePayout(100.1);
    const german = await makePayout(20, {
      iban: 'DE89370400440532013000',
      bankCountry: 'Allemagne',
      swift: '',
      holderCountry: 'Allemagne',
      owner: 'Jürgen Groß',
    });
    const paypal = await makePayout(30, { type: 'paypal', email: 'awa@exemple.fr' });
    const american = await makePayout(40, {
      iban: '000123456789',
      bankCountry: 'États-Unis',
      swift: 'BOFAUS3N',
      holderCountry: 'États-Unis',
    });
    const tunisian = await makePayout(50, {
      bankCountry: 'Tunisie',
      iban: 'TN5910006035183598478831',
      swift: '',
      holderCountry: 'Tunisie',
    });
    const ids = [bank.id, german.id, paypal.id, american.id, tunisian.id];
    const id = await createBatch(ids);
    expect(await detail(id)).toMatchObject({
      state: 'draft',
      count: 5,
      totalEur: 240.1,
      netEur: 237.1,
      files: { sepa: 2, paypal: 1, manual: 2 },
      blocking: 0,
      exported: null,
    });
    expect((await act(id, 'pay')).status).toBe(409);
    expect((await client.get(`/api/payouts/batches/${id}/sepa.xml`)).status).toBe(409);

    const key = { 'idempotency-key': 'export-1' };
    expect(await act(id, 'export', client, key)).toMatchObject({ status: 200, data: { state: 'exported' } });
    expect((await act(id, 'export', client, key)).headers['idempotency-replayed']).toBe('true');
    expect(await lastEntry('payout_batch.export')).toMatchObject({
      entityId: String(id),
      before: { state: 'draft' },
      after: { state: 'exported', count: 5 },
    });
    const first = await client.get(`/api/payouts/batches/${id}/sepa.xml`);
    expect(first.headers['content-disposition']).toMatch(/attachment; filename="RG\d{8}-[0-9A-F]{8}-sepa\.xml"/);
    const xml = first.bytes.toString();
    expect(xml).toContain('<NbOfTxs>2</NbOfTxs><CtrlSum>118.90</CtrlSum>');
    expect(xml).toContain(`-${bank.id}</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">99.50</InstdAmt>`);
    expect(xml).toContain('<Nm>Jurgen Gross</Nm><PstlAdr><PstCd>13002</PstCd><TwnNm>Marseille</TwnNm><Ctry>DE</Ctry>');
    const csv = (await client.get(`/api/payouts/batches/${id}/paypal.csv`)).bytes.toString();
    expect(csv).toMatch(/^awa@exemple\.fr,29\.40,EUR,V-\d{6},Versement V-\d{6} Maison Regie,PAYPAL\r\n$/);
    expect((await client.get(`/api/payouts/batches/${id}/manual`)).data as ManualPayment[]).toMatchObject([
      { payoutId: american.id, payoutNet: 39.4, account: { iban: '000123456789' } },
      { payoutId: tunisian.id, payoutNet: 49.4 },
    ]);

    const reads = (await app.journal('payout_batch.download')).filter((row) => row.entityId === String(id));
    expect(reads.map(({ adminId, after }) => [adminId, after])).toEqual([
      [client.admin.id, { file: 'sepa', payouts: 2 }],
      [client.admin.id, { file: 'paypal', payouts: 1 }],
      [client.admin.id, { file: 'manual', payouts: 2 }],
    ]);

    // The beneficiary is frozen: later changes of the details or the label affect neither file nor payout.
    await changeBilling(app.owner, bank.billingId, client.admin.id);
    await app.owner
      .updateTable('settings')
      .set({ value: JSON.stringify({ ...house, iban: 'DE89370400440532013000' }) })
      .where('key', '=', 'house')
      .execute();
    expect((await act(id, 'export')).status).toBe(200);
    expect((await client.get(`/api/payouts/batches/${id}/sepa.xml`)).bytes.toString()).toBe(xml);
    await app.owner
      .updateTable('settings')
      .set({ value: JSON.stringify(house) })
      .where('key', '=', 'house')
      .execute();

    // A payout cannot leave a batch whose file may be at the bank.
    for (const status of ['PAID', 'CANCEL']) {
      expect(await client.put(`/api/payouts/edit/${bank.id}`, { status })).toMatchObject({
        status: 409,
        message: payoutMessages.exportedPending,
      });
    }
    expect((await client.delete(`/api/payouts/edit/${bank.id}`)).status).toBe(409);
    expect((await client.delete(`/api/payouts/batches/${id}`)).status).toBe(409);

    const before = Number(await readBalance(app.owner, 'paid'));
    const replies = await Promise.all(Array.from({ length: 4 }, () => act(id, 'pay')));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409, 409]);
    expect(Number(await readBalance(app.owner, 'paid')) - before).toBeCloseTo(237.1, 6);
    expect(await lastEntry('payout_batch.pay')).toMatchObject({ adminId: client.admin.id, entityId: String(id) });
    const done = await detail(id);
    expect(done).toMatchObject({ state: 'paid' });
    expect(done.paid?.by).toMatch(/^Camille Essai/);
    expect((await client.put(`/api/payouts/edit/${bank.id}`, { status: 'PENDING' })).message).toBe(
      payoutMessages.isExported,
    );

    // The bank returns one payment.
    const back = await client.put(`/api/payouts/edit/${german.id}`, { status: 'CANCEL', reason: 'Compte clôturé' });
    expect(back.status).toBe(200);
    expect(await readBalance(app.owner, `account:${german.accountId}`)).toBe('20.000000');
    expect((await client.get(`/api/payouts/batches/${id}/sepa.xml`)).bytes.toString()).toBe(xml);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it.skipIf(!hasSepaSchema)('has a bank file that is valid by its schema', async () => {
    const id = await createBatch([(await makePayout(100.1)).id, (await makePayout(20, { owner: 'Jürgen Groß' })).id]);
    await act(id, 'export');
    expect(await sepaErrors((await client.get(`/api/payouts/batches/${id}/sepa.xml`)).bytes.toString())).toEqual([]);
  });

  it('is not exported when a problem appeared after it was made', async () => {
    const payout = await makePayout(50);
    const id = await createBatch([payout.id]);
    await changeBilling(app.owner, payout.billingId, client.admin.id);
    expect(await detail(id)).toMatchObject({ blocking: 1 });
    expect(await act(id, 'export')).toMatchObject({ status: 409, message: payoutMessages.batchBlocked });
    const [row] = (await client.get(`/api/payouts/batches/${id}/payouts`)).data as Preflight['rows'];
    expect(row).toMatchObject({ payoutId: payout.id, problems: ['recently_changed'] });
    expect((await client.put(`/api/payouts/edit/${payout.id}`, { status: 'CANCEL' })).status).toBe(200);
    expect(await detail(id)).toMatchObject({ count: 0, totalEur: 0, state: 'draft' });
    expect(await act(id, 'export')).toMatchObject({ status: 409, message: payoutMessages.batchEmpty });
    expect(await lastEntry('payout_batch.shrink')).toMatchObject({
      entityId: String(id),
      before: { payoutId: payout.id },
    });
  });

  it('contains a payout again when its payment is reverted while the batch is open', async () => {
    const [payout, other] = [await makePayout(50), await makePayout(20)];
    const id = await createBatch([payout.id, other.id]);
    const edit = (status: 'PAID' | 'PENDING') => client.put(`/api/payouts/edit/${payout.id}`, { status });
    expect(await edit('PAID')).toMatchObject({ status: 200, data: { batchId: null } });
    expect(await detail(id)).toMatchObject({ count: 1, totalEur: 20 });
    expect(await edit('PENDING')).toMatchObject({ status: 200, data: { payoutState: 'PENDING', batchId: id } });
    expect(await detail(id)).toMatchObject({ count: 2, totalEur: 70, state: 'draft' });
    expect(await lastEntry('payout_batch.rejoin')).toMatchObject({
      entityId: String(id),
      after: { payoutId: payout.id },
    });

    expect(await edit('PAID')).toMatchObject({ status: 200 });
    expect(await client.delete(`/api/payouts/batches/${id}`)).toMatchObject({ status: 200 });
    expect(await edit('PENDING')).toMatchObject({ status: 200, data: { batchId: null } });
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it('is found by its displayed number, its reference and its maker', async () => {
    const id = await createBatch([(await makePayout(5)).id]);
    const { messageId } = await detail(id);
    const found = async (q: string) =>
      ((await client.get(`/api/payouts/batches?limit=500&q=${encodeURIComponent(q)}`)).data as BatchDetail[]).map(
        (batch) => batch.id,
      );
    expect(await found(messageId.toLowerCase())).toEqual([id]);
    expect(await found(`CAMILLE ${messageId}`)).toEqual([id]);
    for (const q of [`Lot ${id}`, `lot n° ${id}`, String(id)]) expect([q, await found(q)]).toEqual([q, [id]]);
    expect(await found('aucun lot ainsi')).toEqual([]);
  });

  it('releases its payouts when it is voided before the export', async () => {
    const payout = await makePayout(50);
    const id = await createBatch([payout.id]);
    expect((await (await app.signInWith(['edit_paid_payout'])).delete(`/api/payouts/batches/${id}`)).status).toBe(403);
    expect(await client.delete(`/api/payouts/batches/${id}`)).toMatchObject({ status: 200, data: { state: 'void' } });
    expect(await lastEntry('payout_batch.void')).toMatchObject({ entityId: String(id), before: { state: 'draft' } });
    expect((await client.delete(`/api/payouts/batches/${id}`)).status).toBe(409);
    expect(await problemsOf(payout.id)).toEqual([]);
    expect((await client.get('/api/payouts/batches/987654')).status).toBe(404);
  });

  it('with a SEPA payout needs the label’s IBAN', async () => {
    const payout = await makePayout(50);
    const id = await createBatch([payout.id]);
    await app.owner
      .updateTable('settings')
      .set({ value: JSON.stringify({ ...house, iban: '' }) })
      .where('key', '=', 'house')
      .execute();
    expect(await act(id, 'export')).toMatchObject({ status: 409, message: payoutMessages.houseBank });
    await app.owner
      .updateTable('settings')
      .set({ value: JSON.stringify(house) })
      .where('key', '=', 'house')
      .execute();
    expect((await act(id, 'export')).status).toBe(200);
    expect(await client.get(`/api/payouts/batches/${id}/paypal.csv`)).toMatchObject({
      status: 409,
      message: payoutMessages.noFile,
    });
  });
});

describe('an open or exported batch', () => {
  it('does not allow paying a disabled account', async () => {
    const payout = await makePayout(50);
    const id = await createBatch([payout.id]);
    await sql`UPDATE accounts SET state = 'hold' WHERE id = ${payout.accountId}`.execute(app.owner);
    expect(await act(id, 'export')).toMatchObject({ status: 409, message: payoutMessages.batchBlocked });
    expect(messages.accountDisabled).toBe('Compte desactive');
    await sql`UPDATE accounts SET state = 'enabled' WHERE id = ${payout.accountId}`.execute(app.owner);
    expect((await act(id, 'export')).status).toBe(200);
    const { name } = (await preflight([payout.id])).rows[0] ?? { name: '' };
    for (const state of ['hold', 'disabled']) {
      await sql`UPDATE accounts SET state = ${state} WHERE id = ${payout.accountId}`.execute(app.owner);
      expect(await detail(id)).toMatchObject({ stopped: [{ userId: payout.accountId, name }] });
      const reply = await act(id, 'pay');
      expect(reply).toMatchObject({ status: 409, message: payoutMessages.batchStopped([name]) });
      expect(reply.message).toMatch(new RegExp(`^Compte desactive\u00a0: ${name}\\. Réactivez ce compte`));
    }
    expect(await readBalance(app.owner, `payout:${payout.id}`)).toBe('50.000000');
    await sql`UPDATE accounts SET state = 'enabled' WHERE id = ${payout.accountId}`.execute(app.owner);
    expect(await detail(id)).toMatchObject({ stopped: [] });
    expect((await act(id, 'pay')).status).toBe(200);
  });
});

it('preserves every cent during concurrent moves, batches, details, profiles and requests of several admins', {
  tags: ['slow'],
  timeout: 1_800_000,
}, async () => {
  const staff = [client, await app.signInWith(), await app.signInWith(), await app.signInWith()];
  for (let round = 0; round < deepCount(100, 20); round += 1) {
    const payees = [await buildPayee(app.owner, '60'), await buildPayee(app.owner, '60')];
    const ids: number[] = [];
    for (const payee of payees) for (let n = 0; n < 3; n += 1) ids.push(await request(payee, 10));
    const [one = 0, two = 0, three = 0, four = 0] = ids;
    const accounts = payees.map((payee) => payee.accountId);
    const batch = await createBatch([one, four]);
    const edit = (id: number, status: string) => [`/api/payouts/edit/${id}`, { status, reason: 'retour' }] as const;
    const gather = (payouts: number[]) => ['/api/payouts/batches', { payouts, confirmWarnings: true }] as const;
    const profile = (index: number, values: object) =>
      [
        `/api/profile/${accounts[index]}/profile`,
        { fname: 'Awa', lname: 'Diallo', country: 'France', ...values },
      ] as const;
    const calls: ((by: TestClient) => Promise<Reply>)[] = [
      (by) => by.put(...edit(one, 'PAID')),
      (by) => by.put(...edit(one, 'CANCEL')),
      (by) => by.delete(`/api/payouts/edit/${one}`),
      (by) => act(batch, 'export', by),
      (by) => act(batch, 'pay', by),
      (by) => signAsShown(by, 'payout', four),
      (by) => by.delete(`/api/payouts/batches/${batch}`),
      (by) => by.put(...edit(two, 'PAID')),
      (by) => by.put(...edit(two, 'PAID')),
      (by) => by.post(...gather([two, three])),
      (by) => by.post(...gather([four, three])),
      (by) => by.post('/api/payouts/request-balances', { users: accounts.toReversed() }),
      (by) => by.post('/api/payouts/request-balances', { users: accounts }),
      (by) => by.put(...profile(0, { income: 5 })),
      (by) => by.put(...profile(1, { state: 'HOLD', libraryIncomePercentile: 50 + (round % 9) })),
    ];
    const replies = Promise.all(calls.map((call, index) => call(staff[(index + round) % staff.length] ?? client)));
    for (const [index, payee] of payees.entries()) {
      await changeBilling(app.owner, payee.billingId, client.admin.id, index === round % 2 ? 100 : 0);
    }
    for (const { status, message } of await replies) {
      expect([200, 403, 404, 409, 422, 503]).toContain(status);
      // `messages.conflict` is the deadlock error: all transactions lock in one order, so none occurs.
      expect(message).not.toBe(messages.conflict);
    }
  }
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
});

const batchSize = deepCount(10_000, 4);
it(`builds one batch of ${batchSize} payouts and its file within 250 MB`, {
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const payee = await buildPayee(app.owner, '1');
  await buildBilling(app.owner, payee.accountId);
  await sql`
    INSERT INTO settings (key, value) VALUES ('payoutApprovalEur', '10000000')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`.execute(app.owner);
  await credit(app.owner, payee.accountId, '100000');
  await signMoney(app.owner, payee.accountId, '100000');
  const { rows } = await sql<{ id: number }>`
    WITH requested AS (
      INSERT INTO payouts (account_id, billing_account_id, amount_eur, fee_eur)
      SELECT ${payee.accountId}, ${payee.billingId}, 1 + n * 0.01 / 100, 0.6 FROM generate_series(1, ${batchSize}::integer) n
      RETURNING id, amount_eur),
    posted AS (
      INSERT INTO ledger_transactions (kind, account_id, payout_id, memo)
      SELECT 'payout', ${payee.accountId}, id, 'essai' FROM requested RETURNING id, payout_id),
    postings AS (
      INSERT INTO ledger_postings (transaction_id, account, currency, amount)
      SELECT t.id, line.account, 'EUR', line.amount FROM posted t JOIN requested r ON r.id = t.payout_id
       CROSS JOIN LATERAL (VALUES (${`account:${payee.accountId}`}, -r.amount_eur), ('payout:' || r.id, r.amount_eur)) AS line (account, amount))
    SELECT id FROM requested`.execute(app.owner);
  const before = process.memoryUsage().rss;
  const id = await createBatch(rows.map((row) => row.id));
  expect((await act(id, 'export')).status).toBe(200);
  const file = await client.get(`/api/payouts/batches/${id}/sepa.xml`);
  expect(file.bytes.toString().match(/<CdtTrfTxInf>/g)).toHaveLength(batchSize);
  expect((await act(id, 'pay')).status).toBe(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
});
