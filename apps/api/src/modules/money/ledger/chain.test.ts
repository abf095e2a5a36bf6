import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount } from '#test/factories.ts';
import { credit } from '#test/payouts.ts';
import { anchorChain, readAnchors, sealChain } from './chain.service.ts';

const app = useApp();
let client: TestClient;
let account: number;
let folder: string;

beforeAll(async () => {
  client = await app.signInWith();
  folder = await mkdtemp(join(tmpdir(), 'regie-chain-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
/** Seal some journal and ledger rows. */
beforeEach(async () => {
  account = await buildAccount(app.owner);
  await credit(app.owner, account, '12.5');
  await client.put(`/api/profile/${account}/profile`, { fname: 'Awa', lname: 'Diallo', country: 'France' });
  await sealChain(app.owner);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
});

/** Changes rows with the owner's login and all triggers disabled. */
async function tamper(change: ReturnType<typeof sql>): Promise<void> {
  await app.owner.transaction().execute(async (trx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(trx);
    await change.execute(trx);
  });
}
const lastOf = async (table: 'auditLog' | 'ledgerTransactions') =>
  (await app.owner.selectFrom(table).select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()).id;

it('appends new rows once', async () => {
  const count = async () => (await app.owner.selectFrom('chainLinks').select('seq').execute()).length;
  const before = await count();
  await sealChain(app.owner);
  expect(await count()).toBe(before);
  await credit(app.owner, account, '1');
  await sealChain(app.owner);
  expect(await count()).toBe(before + 1);
  // The application role cannot append to it.
  await expect(sql`SELECT seal_chain(1)`.execute(app.db)).rejects.toThrow('permission denied');
});

it('names the journal entry that was changed', async () => {
  const id = await lastOf('auditLog');
  const whole = await app.owner.selectFrom('auditLog').select('after').where('id', '=', id).executeTakeFirstOrThrow();
  await tamper(sql`UPDATE audit_log SET after = jsonb_set(after, '{lname}', '"Autre"') WHERE id = ${id}`);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    expect.stringMatching(
      new RegExp(`^the chain is broken: link \\d+, journal entry ${id}: changed since it was sealed$`),
    ),
  ]);
  await tamper(sql`UPDATE audit_log SET after = ${JSON.stringify(whole.after)} WHERE id = ${id}`);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
});

it('names the ledger transaction whose amounts were changed, even when all sums agree', async () => {
  const id = await lastOf('ledgerTransactions');
  const add = (amount: number) => sql`
    UPDATE ledger_postings SET amount = amount + CASE WHEN account = 'adjustment' THEN -1 ELSE 1 END * ${amount}::numeric
     WHERE transaction_id = ${id}`;
  const balances = (amount: number) => sql`
    UPDATE ledger_balances SET amount = amount + CASE WHEN account = 'adjustment' THEN -1 ELSE 1 END * ${amount}::numeric
     WHERE account IN ('adjustment', ${`account:${account}`})`;
  const months = (amount: number) => sql`
    UPDATE ledger_months SET owed_eur = owed_eur + ${amount}::numeric
     WHERE month = (SELECT month_in_paris(occurred_at) FROM ledger_transactions WHERE id = ${id})`;
  for (const change of [add(100), balances(100), months(100)]) await tamper(change);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    expect.stringContaining(`ledger transaction ${id}: changed since it was sealed`),
  ]);
  for (const change of [add(-100), balances(-100), months(-100)]) await tamper(change);
});

it('names a removed journal entry and one inserted later', async () => {
  const { rows } = await sql<{ id: number }>`SELECT id FROM audit_log ORDER BY id DESC LIMIT 1`.execute(app.owner);
  const id = rows[0]?.id ?? 0;
  await tamper(sql`CREATE TABLE kept AS SELECT * FROM audit_log WHERE id = ${id}`);
  await tamper(sql`DELETE FROM audit_log WHERE id = ${id}`);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    expect.stringContaining(`journal entry ${id}: removed`),
  ]);
  await tamper(sql`
    INSERT INTO audit_log (id, at, admin_id, action, entity, entity_id, before, after, request_id, address, agent, salt)
    OVERRIDING SYSTEM VALUE SELECT id, at, admin_id, action, entity, entity_id, before, after, request_id, address, agent, salt FROM kept`);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);

  await tamper(sql`UPDATE chain_marks SET sealed_below = ${id + 1000} WHERE source = 'journal'`);
  await tamper(sql`
    INSERT INTO audit_log (id, action, entity) OVERRIDING SYSTEM VALUE VALUES (${id + 500}, 'admin.edit', 'admin')`);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    expect.stringContaining(`journal entry ${id + 500} was added behind`),
  ]);
  await tamper(sql`DELETE FROM audit_log WHERE id = ${id + 500}`);
  await tamper(sql`UPDATE chain_marks SET sealed_below = 1`);
  await tamper(sql`DROP TABLE kept`);
});

it('does not match the stored anchors when it was recomputed after a change', async () => {
  const path = join(folder, 'anchors');
  const line = await anchorChain(app.owner, path);
  expect(line).toMatch(/^\d{4}-\d{2}-\d{2} \d+ [0-9a-f]{64}$/);
  expect(await readFile(path, 'utf8')).toBe(`${line}\n`);
  expect(await verifyLedger(app.owner, app.deps.lines, { anchors: await readAnchors(path) })).toEqual([]);
  const id = await lastOf('auditLog');
  await tamper(sql`UPDATE audit_log SET admin_id = NULL WHERE id = ${id}`);
  await tamper(sql`DELETE FROM chain_links`);
  await tamper(sql`UPDATE chain_marks SET sealed_below = 1`);
  await sealChain(app.owner);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  expect(await verifyLedger(app.owner, app.deps.lines, { anchors: await readAnchors(path) })).toEqual([
    expect.stringContaining('is not the one that was anchored'),
  ]);
  await writeFile(path, 'no line of it');
  await expect(readAnchors(path)).rejects.toThrow('invalid anchor');
});
