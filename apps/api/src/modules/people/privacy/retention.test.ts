import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultRetention } from '@regie/contract/retention.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sealChain } from '#src/modules/money/ledger/chain.service.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease } from '#test/factories.ts';
import { credit } from '#test/payouts.ts';
import { applyRetention } from './retention.service.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };
let outboxDir: string;

beforeAll(async () => {
  client = await app.signInWith();
  outboxDir = await mkdtemp(join(tmpdir(), 'regie-outbox-'));
});
afterAll(() => rm(outboxDir, { recursive: true, force: true }));

const apply = () => applyRetention({ outboxDir }, { db: app.owner, log: pino({ level: 'silent' }) });
const monthsAgo = (months: number) => sql<Date>`now() - make_interval(months => ${months}::integer)`;
const dayMs = 86_400_000;

it('changes nothing while nothing is old, and writes no entry', async () => {
  await buildAccount(app.db);
  expect(await apply()).toEqual({});
  expect(await app.journal('retention.apply')).toEqual([]);
});

it('clears address and browser of old journal entries, and the names in sign-ins, letters and invitations', async () => {
  const build = async (months: number) => {
    const rows = [
      { action: 'account.edit', entity: 'account', after: { city: 'Lyon' } },
      { action: 'auth.signin', entity: 'admin', after: { device: 'Firefox', factor: 'totp' } },
      { action: 'mail.refuse', entity: 'mail', after: { to: 'a@exemple.fr', subject: 'Bonjour', reply: 550 } },
      { action: 'admin.invite', entity: 'invitation', after: { email: 'jamais-venue@exemple.fr' } },
    ];
    const ids: number[] = [];
    for (const { action, entity, after } of rows) {
      const { id } = await app.owner
        .insertInto('auditLog')
        .values({
          action,
          entity,
          after: JSON.stringify(after),
          at: monthsAgo(months),
          address: '192.0.2.7',
          agent: 'Firefox',
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      ids.push(id);
    }
    return ids;
  };
  const [old, young] = [await build(13), await build(11)];
  await sealChain(app.owner);
  expect(await apply()).toEqual({ journalEntries: 4 });
  const read = async (ids: number[]) =>
    (
      await app.db
        .selectFrom('auditLog')
        .select(['after', 'address', 'agent'])
        .where('id', 'in', ids)
        .orderBy('id')
        .execute()
    ).map(({ after, address, agent }) => [after, address, agent]);
  expect(await read(old)).toEqual([
    [{ city: 'Lyon' }, null, null],
    [{ device: 'effacé', factor: 'totp' }, null, null],
    [{ to: 'effacé', subject: 'effacé', reply: 550 }, null, null],
    [{ email: 'effacé' }, null, null],
  ]);
  expect((await read(young)).every(([, address]) => address === '192.0.2.7')).toBe(true);
  expect((await app.journal('retention.apply')).at(-1)).toMatchObject({
    adminId: null,
    entityId: null,
    after: { journalEntries: 4 },
  });
  await sealChain(app.owner);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  expect(await apply()).toEqual({});
});

it('erases admins who left long ago, and disabled accounts where nothing is open', async () => {
  const { id: gone } = await app.buildAdmin();
  const { id: left } = await app.buildAdmin();
  await app.owner
    .updateTable('admins')
    .set({ deletedAt: monthsAgo(61) })
    .where('id', '=', gone)
    .execute();
  await app.owner
    .updateTable('admins')
    .set({ deletedAt: monthsAgo(59) })
    .where('id', '=', left)
    .execute();
  const [closed, owed, used, live] = await Promise.all([1, 2, 3, 4].map(() => buildAccount(app.db)));
  await credit(app.owner, owed as number, '3');
  await buildRelease(app.db, used as number);
  await app.owner
    .updateTable('accounts')
    .set({ state: 'disabled', updatedAt: monthsAgo(61) })
    .where('id', 'in', [closed, owed, used] as number[])
    .execute();
  await app.owner
    .updateTable('accounts')
    .set({ updatedAt: monthsAgo(61) })
    .where('id', '=', live as number)
    .execute();
  expect(await apply()).toEqual({ admins: 1, accounts: 1 });
  const erased = await app.db.selectFrom('accounts').select('id').where('erasedAt', 'is not', null).execute();
  expect(erased).toEqual([{ id: closed }]);
  const admins = await app.db
    .selectFrom('admins')
    .select(['id', 'lastName'])
    .where('erasedAt', 'is not', null)
    .execute();
  expect(admins).toEqual([{ id: gone, lastName: `supprimé n° ${gone}` }]);
  expect((await app.journal('account.erase')).at(-1)).toMatchObject({
    adminId: null,
    after: { reason: 'durée de conservation' },
  });
});

it('clears the invoices and contracts of erased accounts once their periods end', async () => {
  const id = await buildAccount(app.db, { firstName: 'Awa', lastName: 'Ancienne' });
  const order = async (months: number, number: number) =>
    app.owner
      .insertInto('orders')
      .values({
        accountId: id,
        plan: 'single',
        planPrice: '10',
        status: 'paid',
        paidAt: monthsAgo(months),
        issuedAt: monthsAgo(months),
        invoiceYear: 2010,
        invoiceNumber: number,
        paymentReference: 'Virement Ancienne',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  const old = await order(121, 1);
  const recent = await order(119, 2);
  await app.owner
    .insertInto('customContracts')
    .values({ accountId: id, kind: 'label', title: 'Contrat Ancienne', template: 'Awa Ancienne', fieldValues: '{}' })
    .execute();
  expect((await client.post(`/api/profile/${id}/erasure`, { reason: 'demande' })).status).toBe(200);
  expect(await apply()).toEqual({ invoices: 1 });
  const nameOf = async (invoice: { id: number }) => (await client.get(`/api/invoices/${invoice.id}`)).data;
  expect(await nameOf(old)).toMatchObject({ customer: { name: `Compte supprimé n° ${id}` } });
  expect(await nameOf(recent)).toMatchObject({ customer: { name: 'Awa Ancienne' } });
  await app.owner
    .updateTable('accounts')
    .set({ erasedAt: monthsAgo(61) })
    .where('id', '=', id)
    .execute();
  expect(await apply()).toEqual({ contracts: 1 });
  expect(await app.db.selectFrom('customContracts').select(['title', 'template']).execute()).toEqual([
    { title: 'Contrat supprimé', template: 'Contrat supprimé' },
  ]);
  // A buyer who has been frozen for less than ten years cannot be changed by anybody.
  await expect(
    app.owner.updateTable('orders').set({ buyer: null }).where('id', '=', recent.id).execute(),
  ).rejects.toThrow('frozen');
});

it('deletes closed tickets, old statement files and letters that could not be sent', async () => {
  const ticket = async (status: string, months: number) =>
    app.owner
      .insertInto('tickets')
      .values({ title: 'Réclamation de Awa', url: 'https://exemple.fr', status, updatedAt: monthsAgo(months) })
      .returning('id')
      .executeTakeFirstOrThrow();
  const old = await ticket('closed', 37);
  const kept = [await ticket('closed', 35), await ticket('opened', 37)];
  await app.owner
    .insertInto('auditLog')
    .values({
      action: 'ticket.create',
      entity: 'ticket',
      entityId: String(old.id),
      after: '{"title": "Réclamation de Awa"}',
    })
    .execute();
  const statement = async (months: number) => {
    const { id } = await app.owner
      .insertInto('files')
      .values({
        storageKey: `statement/aa/${months}.csv`,
        kind: 'statement',
        originalName: 'releve.csv',
        contentType: 'text/csv',
        sizeBytes: 1,
        sha256: Buffer.alloc(32),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await app.owner
      .insertInto('statements')
      .values({
        fileName: 'releve.csv',
        sizeBytes: 1,
        sha256: Buffer.alloc(32, months),
        fileId: id,
        createdAt: monthsAgo(months),
      })
      .execute();
    return id;
  };
  const oldFile = await statement(121);
  await statement(119);
  await sql`SELECT graphile_worker.add_job('send_mail', '{"to": "a@exemple.fr", "subject": "x", "text": "y"}')`.execute(
    app.owner,
  );
  await sql`UPDATE graphile_worker._private_jobs SET attempts = max_attempts, created_at = now() - interval '31 days'`.execute(
    app.owner,
  );
  await sql`SELECT graphile_worker.add_job('send_mail', '{"to": "b@exemple.fr", "subject": "x", "text": "y"}')`.execute(
    app.owner,
  );
  for (const [name, days] of [
    ['old.eml', 31],
    ['young.eml', 29],
    ['note.txt', 31],
  ] as const) {
    await writeFile(join(outboxDir, name), 'x');
    const at = new Date(Date.now() - days * dayMs);
    await utimes(join(outboxDir, name), at, at);
  }
  expect(await apply()).toEqual({ tickets: 1, statements: 1, letters: 2 });
  expect(await app.db.selectFrom('tickets').select('id').orderBy('id').execute()).toEqual(kept);
  expect((await app.journal('ticket.create')).at(-1)).toMatchObject({ after: { title: 'effacé' } });
  expect(await app.db.selectFrom('files').select('id').where('binnedAt', 'is not', null).execute()).toEqual([
    { id: oldFile },
  ]);
  expect((await readdir(outboxDir)).sort()).toEqual(['note.txt', 'young.eml']);
  const jobs = await sql<{ to: string }>`SELECT payload ->> 'to' AS to FROM graphile_worker._private_jobs`.execute(
    app.owner,
  );
  expect(jobs.rows).toEqual([{ to: 'b@exemple.fr' }]);
});

it('uses the periods of the settings, which are never below the legal ones', async () => {
  const { data } = await client.get('/api/settings');
  const { version } = data as { version: string };
  const save = (changes: object) =>
    client.put('/api/settings', { version, retention: { ...defaultRetention, ...changes } });
  const refused = await save({ accountingMonths: 119, letterDays: 1 });
  expect(refused).toMatchObject({
    status: 422,
    errors: { 'retention.accountingMonths': 'De 120 à 600 mois', 'retention.letterDays': 'De 7 à 600 jours' },
  });
  const without = await app.signInWith(['manage_profiles']);
  expect((await without.put('/api/settings', { version, retention: defaultRetention })).status).toBe(403);
  expect((await save({ ticketMonths: 34 })).status).toBe(200);
  expect((await app.journal('settings.edit')).at(-1)).toMatchObject({
    before: { retention: { ticketMonths: 36 } },
    after: { retention: { ticketMonths: 34 } },
  });
  expect(await apply()).toEqual({ tickets: 1 });
});
