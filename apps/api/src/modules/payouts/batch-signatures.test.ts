import { payoutMessages } from '@regie/contract/payouts.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/ledger/ledger.verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { actAsShown } from '#test/as-shown.ts';
import { addPasskey, addTotp } from '#test/factors.ts';
import type { Passkey } from '#test/passkey.ts';
import { buildPayee } from '#test/payouts.ts';

const app = useApp();
let maker: TestClient & { admin: TestAdmin };
let approver: TestClient & { admin: TestAdmin };
let passkey: Passkey;

beforeAll(async () => {
  maker = await app.signInWith();
  approver = await app.signInWith();
  passkey = await addPasskey(approver);
});

async function createBatch(): Promise<{ id: number; billingId: number; payoutId: number }> {
  const { accountId, billingId } = await buildPayee(app.owner, '80');
  const requested = await maker.post('/api/payouts/request', { userId: accountId, account: billingId, amount: 80 });
  const { payoutId } = requested.data as { payoutId: number };
  const reply = await maker.post('/api/payouts/batches', { payouts: [payoutId], confirmWarnings: true });
  return { id: (reply.data as { id: number }).id, billingId, payoutId };
}

async function ask(id: number, by: TestClient = approver) {
  const { data } = await by.post(`/api/payouts/batches/${id}/approve/start`);
  return (data as { asked: { token: string; passkey: { challenge: string } } | null }).asked;
}

async function sign(id: number) {
  const asked = await ask(id);
  return { token: asked?.token, passkey: passkey.sign(asked?.passkey.challenge ?? '') };
}
const approve = (id: number, signed?: object, by: TestClient = approver) =>
  actAsShown(by, `/api/payouts/batches/${id}`, 'approve', { signed });
const stateOf = async (id: number) =>
  (await app.db.selectFrom('payoutBatches').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state;

describe('batch approval by an admin with a passkey', () => {
  it('is refused without a signature and stored with one', async () => {
    const { id } = await createBatch();
    expect(await approve(id)).toMatchObject({ status: 422, errors: { passkey: payoutMessages.batchUnsigned } });
    expect(await stateOf(id)).toBe('draft');
    expect(await approve(id, await sign(id))).toMatchObject({ status: 200, data: { state: 'approved' } });
    const kept = await app.db.selectFrom('payoutBatchSignatures').selectAll().where('batchId', '=', id).execute();
    expect(kept).toMatchObject([{ adminId: approver.admin.id, credentialId: passkey.id }]);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it('refuses a signature made for another batch or for earlier content of the same batch', async () => {
    const [one, other] = [await createBatch(), await createBatch()];
    const foreign = await sign(one.id);
    expect(await approve(other.id, foreign)).toMatchObject({ status: 409, message: payoutMessages.batchChanged });
    const former = await sign(one.id);
    await sql`UPDATE billing_accounts SET iban = 'FR7630006000011234567890189' WHERE id = ${one.billingId}`.execute(
      app.owner,
    );
    expect(await approve(one.id, former)).toMatchObject({ status: 409, message: payoutMessages.batchChanged });
    expect(await stateOf(one.id)).toBe('draft');
  });

  it('refuses a signature used twice', async () => {
    const { id } = await createBatch();
    const signature = await sign(id);
    expect((await approve(id, signature)).status).toBe(200);
    await sql`UPDATE payout_batches SET state = 'draft', approved_by = NULL, approved_at = NULL WHERE id = ${id}`.execute(
      app.owner,
    );
    expect((await approve(id, signature)).status).toBe(422);
    expect((await approve(id, await sign(id))).status).toBe(200);
  });

  it('stays valid after the export', async () => {
    await sql`INSERT INTO settings (key, value) VALUES ('house', ${JSON.stringify({
      name: 'Maison Régie',
      city: 'Marseille',
      iban: 'FR1420041010050500013M02606',
      bic: 'PSSTFRPPXXX',
    })}::jsonb)`.execute(app.owner);
    const { id } = await createBatch();
    await approve(id, await sign(id));
    expect((await maker.post(`/api/payouts/batches/${id}/export`)).status).toBe(200);
    expect((await maker.post(`/api/payouts/batches/${id}/pay`)).status).toBe(200);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });
});

it('needs no signature from an admin without a passkey', async () => {
  const { id } = await createBatch();
  const other = await app.signInWith();
  await addTotp(other);
  expect(await ask(id, other)).toBeNull();
  expect((await approve(id, undefined, other)).status).toBe(200);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
});

describe('ledger:verify', () => {
  /** Verifies after a change made as the database owner, then rolls the change back. */
  const verifyAfter = async (change: ReturnType<typeof sql>): Promise<string[]> => {
    let found: string[] = [];
    await app.owner
      .transaction()
      .execute(async (trx) => {
        await change.execute(trx);
        const { findSignatureFaults } = await import('./batch-signatures.service.ts');
        found = await findSignatureFaults(trx);
        throw new Error('taken back');
      })
      .catch((error: Error) => {
        if (error.message !== 'taken back') throw error;
      });
    return found;
  };

  it('names a batch whose payouts, signature, key or approval were changed in the database', async () => {
    const { id, payoutId } = await createBatch();
    await approve(id, await sign(id));
    const named = (fault: string) => [`batch ${id}: ${fault}`];
    expect(await verifyAfter(sql`UPDATE payouts SET fee_eur = 0.1 WHERE id = ${payoutId}`)).toEqual(
      named('it holds something else than what was signed'),
    );
    const digest = sql`UPDATE payout_batch_signatures SET digest = sha256('other') WHERE batch_id = ${id}`;
    expect(await verifyAfter(digest)).toEqual(named('its signature is not right'));
    const key = sql`UPDATE payout_batch_signatures SET public_key = 'other' WHERE batch_id = ${id}`;
    expect(await verifyAfter(key)).toEqual(named('signed with a key that its approver never had'));
    expect(await verifyAfter(sql`DELETE FROM payout_batch_signatures WHERE batch_id = ${id}`)).toEqual(
      named('its approver had a passkey and the approval is not signed'),
    );
  });

  it('the application role cannot change a signature', async () => {
    await expect(sql`UPDATE payout_batch_signatures SET nonce = ''`.execute(app.db)).rejects.toThrow(
      /permission denied/,
    );
    await expect(sql`DELETE FROM payout_batch_signatures`.execute(app.db)).rejects.toThrow(/permission denied/);
  });
});
