import { signatureMessages } from '@regie/contract/signatures.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { addPasskey, addTotp } from '#test/factors.ts';
import type { Passkey } from '#test/passkey.ts';
import { buildUnsignedPayee } from '#test/payouts.ts';
import { findSignatureFaults } from './assertions.service.ts';

const app = useApp();
let maker: TestClient & { admin: TestAdmin };
let signer: TestClient & { admin: TestAdmin };
let passkey: Passkey;

beforeAll(async () => {
  maker = await app.signInWith();
  signer = await app.signInWith();
  await app.addSignatories(maker.admin, signer.admin);
  passkey = await addPasskey(signer);
});

async function createBatch() {
  const { accountId, billingId } = await buildUnsignedPayee(app.owner, '800');
  const requested = await maker.post('/api/payouts/request', { userId: accountId, account: billingId, amount: 800 });
  const { payoutId } = requested.data as { payoutId: number };
  const reply = await maker.post('/api/payouts/batches', { payouts: [payoutId], confirmWarnings: true });
  const { id } = reply.data as { id: number };
  return { id, billingId, payoutId, url: `/api/signatures/batch/${id}` };
}
const versionOf = async (url: string) => ((await signer.get(url)).data as { signing: { version: string } }).signing;

/** Signs the challenge for what the record shows now. */
async function prove(url: string) {
  const { version } = await versionOf(url);
  const { data } = await signer.post(`${url}/start`, { version });
  const asked = data as { token: string; passkey: { challenge: string } };
  return { token: asked.token, passkey: passkey.sign(asked.passkey.challenge) };
}
const sign = async (url: string, proof: object = {}) => signer.post(url, { ...(await versionOf(url)), ...proof });

describe('a signature by an admin with a passkey', () => {
  it('requires an assertion, which is still stored after the payment', async () => {
    const { id, url } = await createBatch();
    expect(await sign(url)).toMatchObject({ status: 422, errors: { passkey: signatureMessages.unsignedPasskey } });
    expect(await sign(url, await prove(url))).toMatchObject({ status: 200 });
    const kept = await app.db.selectFrom('signatureAssertions').selectAll().execute();
    expect(kept).toMatchObject([{ adminId: signer.admin.id, credentialId: passkey.id }]);
    const house = { name: 'Maison Régie', city: 'Marseille', iban: 'FR1420041010050500013M02606', bic: 'PSSTFRPPXXX' };
    await sql`INSERT INTO settings (key, value) VALUES ('house', ${JSON.stringify(house)}::jsonb)`.execute(app.owner);
    for (const act of ['export', 'pay']) {
      expect(await maker.post(`/api/payouts/batches/${id}/${act}`)).toMatchObject({ status: 200 });
    }
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it('refuses an assertion for another record, for an earlier version, and a second use', {
    tags: ['slow'],
  }, async () => {
    const [one, other] = [await createBatch(), await createBatch()];
    const foreign = await prove(one.url);
    expect(await sign(other.url, foreign)).toMatchObject({ status: 409, message: signatureMessages.changed });
    const former = await prove(one.url);
    await sql`UPDATE billing_accounts SET iban = 'FR7630006000011234567890189' WHERE id = ${one.billingId}`.execute(
      app.owner,
    );
    expect(await sign(one.url, former)).toMatchObject({ status: 409, message: signatureMessages.changed });
    const proof = await prove(one.url);
    expect(await sign(one.url, proof)).toMatchObject({ status: 200 });
    expect(await signer.delete(one.url)).toMatchObject({ status: 200 });
    expect(await sign(one.url, proof)).toMatchObject({ status: 422 });
  });
});

it('needs no assertion from an admin without a passkey', async () => {
  const other = await app.signInWith();
  await addTotp(other);
  await app.addSignatories(other.admin);
  const { url } = await createBatch();
  const { version } = await versionOf(url);
  expect((await other.post(`${url}/start`, { version })).data).toBeNull();
  expect(await other.post(url, { version })).toMatchObject({ status: 200 });
});

describe('ledger:verify', () => {
  /** Verifies after a change made as the database owner, then rolls the change back. */
  const verifyAfter = async (change: ReturnType<typeof sql>): Promise<string[]> => {
    let found: string[] = [];
    const takenBack = new Error('taken back');
    const run = app.owner.transaction().execute(async (trx) => {
      await change.execute(trx);
      found = await findSignatureFaults(trx);
      throw takenBack;
    });
    await expect(run).rejects.toBe(takenBack);
    return found;
  };

  it('names an assertion whose signatures, digest or key were changed in the database', async () => {
    const { url } = await createBatch();
    await sign(url, await prove(url));
    const { rows } = await sql<{ id: number }>`SELECT max(id) AS id FROM signature_assertions`.execute(app.owner);
    const id = rows[0]?.id ?? 0;
    const named = (fault: string) => [`passkey signature ${id}: ${fault}`];
    const version = sql`UPDATE signatures SET version = 'other' WHERE assertion_id = ${id}`;
    expect(await verifyAfter(version)).toEqual(named('its signatures name something else than what was signed'));
    const digest = sql`UPDATE signature_assertions SET digest = sha256('other') WHERE id = ${id}`;
    expect(await verifyAfter(digest)).toEqual(named('its signature is not right'));
    const key = sql`UPDATE signature_assertions SET public_key = 'other' WHERE id = ${id}`;
    expect(await verifyAfter(key)).toEqual(named('signed with a key that its signatory never had'));
  });

  it('names a sent payout that differs from the signed one', async () => {
    const { rows } = await sql<{ id: number }>`
      SELECT max(subject_id) AS id FROM signatures WHERE subject = 'payout' AND used_at IS NOT NULL`.execute(app.owner);
    const id = rows[0]?.id ?? 0;
    expect(await verifyAfter(sql`UPDATE payouts SET fee_eur = 0.1 WHERE id = ${id}`)).toContain(
      `payout ${id}: it is not what was signed`,
    );
  });

  it('the application role cannot change an assertion', async () => {
    await expect(sql`UPDATE signature_assertions SET nonce = ''`.execute(app.db)).rejects.toThrow(/permission denied/);
    await expect(sql`DELETE FROM signature_assertions`.execute(app.db)).rejects.toThrow(/permission denied/);
  });
});
