import { messages } from '@regie/contract/messages.ts';
import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import { maskAccountNumber } from '@regie/values/iban.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { parisTime } from '#src/lib/audit.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { buildAccount } from '#test/factories.ts';

const app = useApp();
let client: TestClient & { admin: { id: number } };
let colleague: TestClient & { admin: { id: number } };
let account: number;

beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
  colleague = await app.signInWith(['manage_profiles']);
});

const bank = (values: Record<string, unknown> = {}) => ({
  owner: 'Léa Martin',
  holderAddress: '3, quai du Port',
  holderAddress2: '',
  holderCity: 'Marseille',
  holderCountry: 'France',
  holderPostcode: '13002',
  bankName: 'Banque du Port',
  bankCountry: 'France',
  bankAddress: '1, place du Marché',
  bankCity: 'Marseille',
  bankZipCode: '13001',
  iban: 'FR76 3000 6000 0112 3456 7890 189',
  swift: 'agrifrpp',
  ...values,
});
const paypal = (values: Record<string, unknown> = {}) => ({
  email: 'lea@paiement.example',
  owner: 'Léa Martin',
  holderAddress: '3, quai du Port',
  holderCity: 'Marseille',
  holderCountry: 'France',
  holderPostcode: '13002',
  ...values,
});
const otherIban = 'FR1420041010050500013M02606';
/** Adds the first details of a new account. */
const add = async (type: 'bank' | 'paypal') => {
  account = await buildAccount(app.db, { firstName: 'Léa', lastName: 'Martin' });
  await app.db.updateTable('accounts').set({ email: 'lea@exemple.fr' }).where('id', '=', account).execute();
  const reply = await client.post(`/api/profile/${account}/billing/${type}`, type === 'bank' ? bank() : paypal());
  expect(reply.status).toBe(200);
  return (reply.data as { id: number }).id;
};
const read = async (id: number, who: TestClient = client) =>
  (await who.get(`/api/billing/${id}`)).data as BillingAccount;
const reveal = async (id: number) => ((await client.post(`/api/billing/${id}/reveal`)).data as { iban: string }).iban;
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));
const setChangedAt = (id: number, at: Date) =>
  app.db.updateTable('billingAccounts').set({ changedAt: at }).where('id', '=', id).execute();

describe('first billing details', () => {
  it('of a bank account are stored without spaces, journalled with the last 4 characters, and block no payout', async () => {
    await app.runJobs();
    const id = await add('bank');
    expect(await read(id)).toMatchObject({
      type: 'bank',
      userId: account,
      iban: '••••0189',
      swift: 'AGRIFRPP',
      holderAddress2: null,
      blockedUntil: null,
      changedBy: null,
      account: { id: account, fname: 'Léa', lname: 'Martin' },
    });
    const [entry] = await entries('billing.create', id);
    expect(entry).toMatchObject({
      adminId: client.admin.id,
      after: { userId: account, iban: '••••0189', swift: '••••FRPP' },
    });
    expect(JSON.stringify(entry)).not.toContain('3456');
    expect(await app.runJobs()).toEqual([]);
  });

  it('of a PayPal account are stored and journalled', async () => {
    const id = await add('paypal');
    expect(await read(id)).toMatchObject({ type: 'paypal', email: 'lea@paiement.example', iban: null });
    const list = await client.get(`/api/profile/${account}/billing-accounts`);
    expect((list.data as BillingAccount[]).map((row) => row.id)).toContain(id);
    expect(list.meta?.total).toBe((list.data as unknown[]).length);
  });

  it('require every main field, each with its own message', async () => {
    const reply = await client.post(`/api/profile/${account}/billing/bank`, {});
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.errors).sort()).toEqual(
      [
        ...['owner', 'holderAddress', 'holderCity', 'holderCountry', 'holderPostcode', 'bankName', 'bankCountry'],
        ...['bankAddress', 'bankCity', 'bankZipCode', 'iban', 'swift'],
      ].sort(),
    );
    expect(new Set(Object.values(reply.errors)).size).toBe(12);
    const short = await client.post(`/api/profile/${account}/billing/paypal`, paypal({ owner: 'L', email: 'lea' }));
    expect(Object.keys(short.errors).sort()).toEqual(['email', 'owner']);
  });

  it.each([
    [{ iban: 'FR76 3000 6000 0112 3456 7890 188' }, { iban: messages.ibanWrong }],
    [{ bankCountry: 'Belgique' }, { iban: messages.ibanCountry('France', 'Belgique') }],
    [{ swift: 'AGRI' }, { swift: messages.bicWrong }],
  ])('refuse %o', async (values, errors) => {
    const reply = await client.post(`/api/profile/${account}/billing/bank`, bank(values));
    expect(reply).toMatchObject({ status: 422, errors });
  });

  it('accept free text when the country has no IBANs', async () => {
    const reply = await client.post(
      `/api/profile/${account}/billing/bank`,
      bank({ bankCountry: 'États-Unis', iban: '0012-3456 789', swift: 'CHASUS33' }),
    );
    expect(await reveal((reply.data as { id: number }).id)).toBe('0012-3456 789');
  });

  it('are refused without manage_profiles, for an unknown account and under another account', async () => {
    const other = await app.signInWith(['edit_pending_payout', 'read_unpaid_accounts']);
    expect((await other.post(`/api/profile/${account}/billing/bank`, bank())).status).toBe(403);
    expect((await client.post('/api/profile/999999/billing/paypal', paypal())).status).toBe(404);
    expect((await client.get('/api/profile/999999/billing-accounts')).status).toBe(404);
    expect((await client.get('/api/billing/999999')).status).toBe(404);
  });
});

const lettersToCustomer = async () => (await app.runJobs()).filter(({ to }) => !to.endsWith('@regie.example'));

describe('a change of details', () => {
  it('is journalled with the last 4 characters, notifies the addresses and blocks payouts', async () => {
    const id = await add('bank');
    await app.runJobs();
    const before = Date.now();
    const reply = await client.put(`/api/billing/${id}/bank`, bank({ iban: otherIban }));
    expect(reply).toMatchObject({ status: 200, data: { iban: '••••2606' } });
    const until = (reply.data as BillingAccount).blockedUntil ?? 0;
    expect(until - before).toBeGreaterThan(71 * 3_600_000);
    const warning = messages.billingHeld(parisTime.format(until));
    expect(reply.meta?.warnings).toEqual([warning]);
    expect(reply.message).toBe(`Le compte bancaire est enregistré. ${warning}`);
    expect(await entries('billing.edit', id)).toEqual([
      expect.objectContaining({
        adminId: client.admin.id,
        before: { iban: '••••0189' },
        after: { iban: '••••2606' },
      }),
    ]);
    const letters = await lettersToCustomer();
    expect(letters.map((letter) => letter.to)).toEqual(['lea@exemple.fr']);
    expect(letters[0]?.text).toContain('••••2606');
    expect(letters[0]?.text).not.toContain('2004');
  });

  it('of a PayPal address notifies the old and the new address', async () => {
    const id = await add('paypal');
    await app.runJobs();
    const reply = await client.put(`/api/billing/${id}/paypal`, paypal({ email: 'autre@paiement.example' }));
    const held = messages.billingHeld(parisTime.format((reply.data as BillingAccount).blockedUntil ?? 0));
    expect(reply).toMatchObject({ status: 200, meta: { warnings: [held] } });
    const letters = await lettersToCustomer();
    expect(letters.map((letter) => letter.to).sort()).toEqual([
      'autre@paiement.example',
      'lea@exemple.fr',
      'lea@paiement.example',
    ]);
    expect((await read(id)).blockedUntil).not.toBeNull();
    const added = await client.post(`/api/profile/${account}/billing/bank`, bank());
    expect(added.message).toContain('Coordonnées modifiées récemment\u00a0: les versements sont suspendus jusqu’au');
    expect(Object.keys(added.data as object)).toEqual(['id']);
  });

  it('that changes nothing does not block payouts', async () => {
    const id = await add('bank');
    await app.runJobs();
    expect(await client.put(`/api/billing/${id}/bank`, bank())).toMatchObject({ status: 200, meta: undefined });
    expect(await read(id)).toMatchObject({ blockedUntil: null });
    expect(await entries('billing.edit', id)).toEqual([]);
    expect(await app.runJobs()).toEqual([]);
  });

  it('is refused for the other type, from an outdated form and without the capability', async () => {
    const id = await add('bank');
    expect(await client.put(`/api/billing/${id}/paypal`, paypal())).toMatchObject({
      status: 409,
      message: messages.notPaypal,
    });
    const { updatedAt } = await read(id);
    expect((await colleague.put(`/api/billing/${id}/bank`, bank({ owner: 'Léa M.', updatedAt }))).status).toBe(200);
    expect(await client.put(`/api/billing/${id}/bank`, bank({ owner: 'L. Martin', updatedAt }))).toMatchObject({
      status: 409,
      message: messages.conflict,
    });
    expect((await read(id)).owner).toBe('Léa M.');
    const other = await app.signInWith(['edit_pending_payout']);
    expect((await other.put(`/api/billing/${id}/bank`, bank({ iban: otherIban }))).status).toBe(403);
    expect((await client.put(`/api/billing/${id}/bank`, bank({ iban: 'FR00' }))).status).toBe(422);
    expect((await client.put('/api/billing/999999/bank', bank())).status).toBe(404);
  });
});

describe('signing new details', () => {
  const sign = (by: TestClient, id: number) => signAsShown(by, 'billing', id);

  it('needs two signatures, and shows the last 4 characters', async () => {
    const other = await app.signInWith(['manage_profiles']);
    const third = await app.signInWith(['manage_profiles']);
    await app.addSignatories(client.admin, colleague.admin, third.admin);
    const id = await add('bank');
    await client.put(`/api/billing/${id}/bank`, bank({ iban: otherIban }));
    expect((await sign(other, id)).status).toBe(403);
    expect(await sign(colleague, id)).toMatchObject({ status: 200, data: { isComplete: false } });
    expect((await read(id)).blockedUntil).not.toBeNull();
    expect(await sign(third, id)).toMatchObject({ status: 200, data: { isComplete: true } });
    expect(await read(id)).toMatchObject({ blockedUntil: null });
    const [entry] = await entries('billing.sign', id);
    expect(JSON.stringify(entry)).not.toContain('5000');
  });

  it('covers only the details shown; a later change blocks again', async () => {
    const id = await add('bank');
    await client.put(`/api/billing/${id}/bank`, bank({ iban: otherIban }));
    const url = `/api/signatures/billing/${id}`;
    const shown = (await colleague.get(url)).data as { signing: { version: string } };
    await client.put(`/api/billing/${id}/bank`, bank({ iban: otherIban, swift: 'BNPAFRPP' }));
    expect((await colleague.post(url, { version: shown.signing.version })).status).toBe(409);
    await sign(client, id);
    await sign(colleague, id);
    expect(await read(id)).toMatchObject({ blockedUntil: null });
    await client.put(`/api/billing/${id}/bank`, bank());
    expect(await read(id)).toMatchObject({ blockedUntil: expect.any(Number) });
  });

  it('is not needed for a payment after 72 hours', async () => {
    const id = await add('bank');
    await client.put(`/api/billing/${id}/bank`, bank({ iban: otherIban }));
    await setChangedAt(id, new Date(Date.now() - 72 * 3_600_000 - 1));
    expect((await read(id, colleague)).blockedUntil).toBeNull();
  });
});

it.each([
  ['FR7630006000011234567890189', '••••0189'],
  ['12 34', '••••1234'],
  ['123', '123'],
])('the account number %s is masked as %s', (value, shown) => expect(maskAccountNumber(value)).toBe(shown));

describe('a full account number', () => {
  it('is returned only on request, which is journalled', async () => {
    const id = await add('bank');
    const list = await client.get(`/api/profile/${account}/billing-accounts?limit=500`);
    const edited = await client.put(`/api/billing/${id}/bank`, bank({ owner: 'Léa M.' }));
    expect(JSON.stringify([await read(id), list.data, edited.data])).not.toContain('3000');
    expect(await reveal(id)).toBe('FR7630006000011234567890189');
    const [entry] = await entries('billing.reveal', id);
    expect(entry).toMatchObject({ adminId: client.admin.id, after: { userId: account, iban: '••••0189' } });
    expect((await client.post(`/api/billing/${await add('paypal')}/reveal`)).status).toBe(409);
    expect((await client.post('/api/billing/999999/reveal')).status).toBe(404);
  });

  it('is preserved only when the form returns exactly the masked number', async () => {
    const id = await add('bank');
    const { iban } = await read(id);
    expect((await client.put(`/api/billing/${id}/bank`, bank({ iban, owner: 'Léa M.' }))).status).toBe(200);
    expect(await reveal(id)).toBe('FR7630006000011234567890189');
    const [entry] = await entries('billing.edit', id);
    expect(Object.keys(entry?.after ?? {})).toEqual(['owner']);
    for (const other of ['••••0180', '••••']) {
      expect(await client.put(`/api/billing/${id}/bank`, bank({ iban: other }))).toMatchObject({
        status: 422,
        errors: { iban: messages.ibanWrong },
      });
    }
    const abroad = { bankCountry: 'États-Unis', swift: 'CHASUS33', iban };
    expect((await client.post(`/api/profile/${account}/billing/bank`, bank(abroad))).status).toBe(422);
  });
});
