import { auditActions } from '@regie/contract/audit.ts';
import { jobNames } from '@regie/contract/entities/job.ts';
import { JournalEntry } from '@regie/contract/routes/staff.ts';
import { z } from '@regie/contract/zod.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { createJobs } from '#src/jobs.ts';
import { writeAudit } from '#src/lib/audit.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildReferral, buildRelease, buildTrack } from '#test/factories.ts';
import { buildBilling } from '#test/payouts.ts';

const app = useApp();
let client: TestClient;
let author: TestAdmin;
const day = (n: number) => Date.UTC(2030, 0, n);

beforeAll(async () => {
  client = await app.signInWith(['read_audit']);
  author = await app.buildAdmin({ capabilities: [] });
  await sql`UPDATE admins SET first_name = 'Éloïse', last_name = 'Brun' WHERE id = ${author.id}`.execute(app.db);
  await sql`INSERT INTO audit_log (at, admin_id, action, entity, entity_id, before, after, request_id)
    SELECT '2030-01-01'::timestamptz AT TIME ZONE 'UTC' + (n - 1) * interval '1 day',
      CASE WHEN n % 2 = 0 THEN ${author.id}::bigint END,
      CASE WHEN n <= 3 THEN 'exchange_rate.set' ELSE 'report.delete' END, CASE WHEN n <= 3 THEN 'exchange_rate' ELSE 'report' END,
      n::text, jsonb_build_object('rate', 1000 + n), jsonb_build_object('rate', 1001 + n), 'req' || n
    FROM generate_series(1, 8) AS n ORDER BY n`.execute(app.owner);
});

const list = async (query: string) => {
  const reply = await client.get(`/api/journal?${query}`);
  expect(reply.status).toBe(200);
  return { rows: z.array(JournalEntry).parse(reply.data), meta: reply.meta };
};
const idsFor = async (query: string) => (await list(query)).rows.map((row) => row.entityId);

it('shows admin, action and record with values before and after, newest first', async () => {
  const { rows, meta } = await list('entity=report');
  expect(rows.map((row) => row.entityId)).toEqual(['8', '7', '6', '5', '4']);
  expect(meta).toEqual({ nextCursor: null, total: 5, totalIsExact: true });
  expect(rows[0]).toEqual({
    id: expect.any(Number),
    at: day(8),
    admin: { id: author.id, name: 'Éloïse Brun' },
    action: 'report.delete',
    entity: 'report',
    entityId: '8',
    records: [],
    before: { rate: 1008 },
    after: { rate: 1009 },
    requestId: 'req8',
    address: null,
    agent: null,
  });
  expect(rows[1]?.admin).toBeNull();
});

it('filters by action, record, admin and time, bounds included', async () => {
  expect(await idsFor('action=exchange_rate.set')).toEqual(['3', '2', '1']);
  expect(await idsFor('entity=report&entityId=5')).toEqual(['5']);
  expect(await idsFor(`admin=${author.id}`)).toEqual(['8', '6', '4', '2']);
  expect(await idsFor(`from=${day(3)}&to=${day(5)}`)).toEqual(['5', '4', '3']);
  expect(await idsFor(`from=${day(9)}`)).toEqual([]);
});

/** A record of each kind that belongs to an account, as `kind id`. */
async function buildBelongings(accountId: number): Promise<string[]> {
  const db = app.owner;
  const billing = await buildBilling(app.db, accountId);
  const batch = await db
    .insertInto('payoutBatches')
    .values({ messageId: `ESSAI-${accountId}`, createdBy: author.id })
    .returning('id')
    .executeTakeFirstOrThrow();
  const payout = await db
    .insertInto('payouts')
    .values({ accountId, billingAccountId: billing, amountEur: '10', feeEur: '0.6', batchId: batch.id })
    .returning('id')
    .executeTakeFirstOrThrow();
  const referredId = await buildAccount(app.db);
  const order = await db
    .insertInto('orders')
    .values({ accountId, plan: 'single', planPrice: '10' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const contract = await db
    .insertInto('customContracts')
    .values({ accountId, kind: 'essai', title: 'Essai', template: 'Essai', fieldValues: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ticket = await db
    .insertInto('tickets')
    .values({ accountId, title: 'Essai', url: 'https://video.example/w' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return [
    `account ${accountId}`,
    `billing_account ${billing}`,
    `payout ${payout.id}`,
    `payout_batch ${batch.id}`,
    `referral ${await buildReferral(app.db, { referrerId: accountId, referredId, percentile: '5' })}`,
    `release ${await buildRelease(app.db, accountId)}`,
    `order ${order.id}`,
    `contract ${contract.id}`,
    `ticket ${ticket.id}`,
  ];
}

it('lists the acts on an account and on its records, and none on those of others', async () => {
  const [account, other] = [await buildAccount(app.db), await buildAccount(app.db)];
  const belongings = await buildBelongings(account);
  const actions = Object.entries(auditActions);
  for (const record of [...belongings, ...(await buildBelongings(other))]) {
    const [entity, id] = record.split(' ');
    const action = actions.find((row) => row[1] === entity)?.[0];
    await sql`INSERT INTO audit_log (action, entity, entity_id) VALUES (${action}, ${entity}, ${id})`.execute(
      app.owner,
    );
  }
  const { rows } = await list(`account=${account}`);
  expect(rows.map(({ entity, entityId }) => `${entity} ${entityId}`)).toEqual(belongings.toReversed());
  expect((await list(`account=${account}&entity=payout`)).rows).toHaveLength(1);
});

it('searches action, record and name without case or accents', async () => {
  expect(await idsFor('q=ELOISE')).toEqual(['8', '6', '4', '2']);
  expect(await idsFor('q=exchange')).toEqual(['3', '2', '1']);
  expect(await idsFor('q=DELETE%20report%207')).toEqual(['7']);
});

it('finds entries by displayed words in any order, and by names of files and records', { tags: ['slow'] }, async () => {
  const account = await buildAccount(app.db, { firstName: 'Ophélie', lastName: 'Diarra' });
  const releaseId = await buildRelease(app.db, account);
  await app.db.transaction().execute(async (trx) => {
    const actor = { adminId: author.id, requestId: null };
    await writeAudit(trx, actor, { action: 'import.batch', entityId: 777_001, after: { file: 'Écoutes été.csv' } });
    await writeAudit(trx, actor, {
      action: 'statement.upload',
      entityId: 777_002,
      after: { fileName: 'bandcamp_2030.csv' },
    });
    await writeAudit(trx, actor, { action: 'income_item.unassign', entityId: '777003' });
    await writeAudit(trx, actor, {
      action: 'account.edit',
      entityId: account,
      before: { city: 'Lyon' },
      after: { city: 'Metz' },
    });
    await writeAudit(trx, actor, { action: 'payout.pay', entityId: 777_005 });
    await writeAudit(trx, actor, { action: 'release.edit', entityId: releaseId, before: { genre: 'Pop' } });
  });
  const found = async (q: string) => idsFor(`q=${encodeURIComponent(q)}`);
  for (const [q, ids] of [
    ['rapport supprime', ['8', '7', '6', '5', '4']],
    ['supprimé eloise RAPPORT', ['8', '6', '4']],
    ['taux de change n° 2', ['2']],
    ['ete.csv import', ['777001']],
    ['lignes importées écoutes', ['777001']],
    ['bandcamp relevé', ['777002']],
    ["d'un revenu retirée", ['777003']],
    ['diarra COMPTE ophelie', [String(account)]],
    ['V-777005 versement', ['777005']],
    ['ophelie modifiée sortie', [String(releaseId)]],
    ['rapport absent', []],
  ] as const)
    expect([q, await found(q)]).toEqual([q, ids]);
});

it('finds entries by the words of fields and values it shows', { tags: ['slow'] }, async () => {
  const account = await buildAccount(app.db, { firstName: 'Wilfried', lastName: 'De Quenum' });
  const actor = { adminId: author.id, requestId: null };
  const write = (entry: Parameters<typeof writeAudit>[2]) =>
    app.db.transaction().execute((trx) => writeAudit(trx, actor, entry));
  await write({
    action: 'order.set_status',
    entityId: 880_001,
    before: { status: 'PAID' },
    after: { status: 'CANCEL', creditNote: 'AV-2026-00041', creditedInvoice: '2026-00079' },
  });
  await write({
    action: 'order.pay',
    entityId: 880_002,
    before: { status: 'PENDING' },
    after: { status: 'PAID', total: 1209.9, invoiceNumber: '2026-00082' },
  });
  await write({
    action: 'import.batch',
    entityId: 880_003,
    after: { batch: 0, rows: 12_345, month: '2031-10', accountsEur: '-1234.567800' },
  });
  await write({ action: 'admin.edit', entityId: 880_004, after: { capabilities: ['read_reports'] } });
  await write({
    action: 'release.delivery',
    entityId: 880_005,
    after: { platforms: ['apple-music'], territories: ['FR', 'BE'], digitalReleaseDate: '2031-09-04' },
  });
  await write({ action: 'subscription.create', entityId: 880_006, after: { userId: account } });
  await write({ action: 'admin.delete', entityId: 880_007, after: { makers: [author.id], unchecked: true } });
  await write({
    action: 'payout.pay',
    entityId: 880_008,
    before: { fee: '0.60' },
    after: { fee: '0.60', type: 'bank' },
  });
  await write({ action: 'settings.edit', entityId: null, after: { prices: { album: 31.5 } } });
  await write({
    action: 'import.reverse',
    entityId: 880_009,
    after: {
      grossUsd: '246.9273000000',
      declarations: ['2031-10 USD 8246.9200000000 / 8247.0000000000 (0.0800000000)'],
    },
  });
  await write({
    action: 'payout.request',
    entityId: 880_010,
    after: { amount: '1020000.500000', fee: '0.0012340000' },
  });
  await app.db
    .transaction()
    .execute((trx) =>
      writeAudit(
        trx,
        { adminId: null, requestId: null },
        { action: 'exchange_rate.import_ecb', entityId: '2031-11 USD', after: { rate: '1.142200' } },
      ),
    );
  // The entries of other tests hold random numbers.
  const found = async (q: string) =>
    (await idsFor(`q=${encodeURIComponent(q)}`)).filter((id) => !/^\d{1,3}$/.test(id ?? ''));
  for (const [q, ids] of [
    ['avoir', ['880001']],
    ['av-2026-00041', ['880001']],
    ['Annulée commande', ['880001']],
    ['2026-00082', ['880002']],
    ['Commande n° 880002', ['880002']],
    ['facture 1 209,90 €', ['880002']],
    ['1209,9', ['880002']],
    ['Payée 880002', ['880002']],
    ['oct. 2031 lignes', ['880003']],
    ['10/2031 880003', ['880003']],
    ['octobre lignes 12 345', ['880003']],
    ['\u22121\u00a0234,57\u00a0€', ['880003']],
    ['envoi 1 880003', ['880003']],
    ['voir les rapports', ['880004']],
    ['apple music belgique', ['880005']],
    ['numérique 04/09/2031', ['880005']],
    ['QUENUM abonnement', ['880006']],
    ['de quenum abonnement', ['880006']],
    ['ajouté éloïse 880007 oui', ['880007']],
    ['880008 bancaire', ['880008']],
    // A field that did not change is not shown.
    ['880008 frais', []],
    ['prix de l\u2019album 31,50', [null]],
    ["prix de l'album", [null]],
    ['système BCE nov. 2031', ['2031-11 USD']],
    ['1,1422 usd', ['2031-11 USD']],
    // The journal shows an invoice with its credit note.
    ['2026-00079', ['880001']],
    // Amounts match as they are shown, with or without spaces and decimals.
    ...(['246,93', '246.93', '8 246,92', '8246,92'] as const).map((q) => [q, ['880009']] as const),
    ...(['1 020 000,50', '1020000,5', '1 020 000', '1020000', '0,001234'] as const).map(
      (q) => [q, ['880010']] as const,
    ),
    // Digits that are not shown do not.
    ...(['246,92730', '30000', '246,920', '92000', '0,00123400', '50000'] as const).map((q) => [q, []] as const),
  ] as const)
    expect([q, await found(q)]).toEqual([q, ids]);
});

it('pages each entry once, in both orders', async () => {
  for (const order of ['asc', 'desc']) {
    const seen: (string | null)[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await list(`entity=report&limit=2&order=${order}${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.rows.map((row) => row.entityId));
      cursor = page.meta?.nextCursor ?? null;
    }
    expect(seen).toEqual(order === 'asc' ? ['4', '5', '6', '7', '8'] : ['8', '7', '6', '5', '4']);
  }
});

it('finds rare words behind thousands of entries, and shows a minimum count for common ones', {
  tags: ['slow'],
}, async () => {
  await sql`INSERT INTO audit_log (action, entity, entity_id, after)
    SELECT 'promo_code.create', 'promo_code', 'long' || n,
           jsonb_build_object('name', CASE WHEN n IN (3, 9) THEN 'zyx rare' ELSE 'fréquent' END)
      FROM generate_series(1, 2600) AS n ORDER BY n`.execute(app.owner);
  const exact = (total: number) => ({ total, totalIsExact: true });
  for (const q of ['zyx', 'zyx rare', 'zy', 'promo zyx']) {
    const { rows, meta } = await list(`q=${encodeURIComponent(q)}`);
    expect([q, rows.map((row) => row.entityId), meta]).toEqual([
      q,
      ['long9', 'long3'],
      { nextCursor: null, ...exact(2) },
    ]);
  }
  const { meta } = await list('q=zyx&limit=1');
  expect(meta).toMatchObject(exact(2));
  const next = await list(`q=zyx&limit=1&cursor=${meta?.nextCursor}`);
  expect(next.rows.map((row) => row.entityId)).toEqual(['long3']);
  expect(await idsFor('q=introuvable%20zyx')).toEqual([]);
  const common = await list('q=frequent');
  expect(common.rows).toHaveLength(50);
  expect(common.meta).toMatchObject({ totalIsExact: false });
  expect(common.meta?.total).toBeGreaterThan(900);
});

it('cannot be changed by the application role', async () => {
  await expect(sql`UPDATE audit_log SET action = 'x.y'`.execute(app.db)).rejects.toThrow(/permission denied/);
  await expect(sql`DELETE FROM audit_log`.execute(app.db)).rejects.toThrow(/permission denied/);
});

it('shows the address and device of each change', async () => {
  const staff = await app.signInWith(['edit_admins', 'read_audit']);
  const agent = `Essai/1.0 ${'x'.repeat(400)}`;
  await staff.call('POST', '/api/manage-admins/invite', {
    body: { email: 'adresse@regie.example', capabilities: [] },
    address: '203.0.113.9',
    headers: { 'user-agent': agent },
  });
  const [entry] = (await list(`action=admin.invite&admin=${staff.admin.id}`)).rows;
  expect(entry).toMatchObject({ address: '203.0.113.9', agent: agent.slice(0, 300) });
  // Also for a failed sign-in, which has no admin.
  await (await app.visitor()).call('POST', '/api/auth/signin', {
    body: { email: 'personne@regie.example', password: 'huit faders' },
    address: '203.0.113.10',
  });
  expect((await list('action=auth.signin_failed')).rows[0]).toMatchObject({ admin: null, address: '203.0.113.10' });
});

it('hides sign-ins and sign-outs by default', async () => {
  const staff = await app.signInWith(['read_audit']);
  const actionsFor = async (query: string) =>
    (await list(`admin=${staff.admin.id}&${query}`)).rows.map(({ action }) => action);
  await app.db.transaction().execute(async (trx) => {
    const actor = { adminId: staff.admin.id, requestId: null };
    await writeAudit(trx, actor, { action: 'auth.change_password', entityId: staff.admin.id });
    await writeAudit(trx, actor, { action: 'auth.signout', entityId: staff.admin.id });
  });
  expect(await actionsFor('')).toEqual(['auth.change_password']);
  expect(await actionsFor('signIns=only')).toEqual(['auth.signout', 'auth.signin']);
  expect(await actionsFor('signIns=with')).toEqual(['auth.signout', 'auth.change_password', 'auth.signin']);
  expect(await actionsFor('action=auth.signin')).toEqual(['auth.signin']);
});

it('names the records of entries and their fields, including deleted ones', async () => {
  const account = await buildAccount(app.db, { firstName: 'Serge', lastName: 'Kanté' });
  const { id: trackId } = await buildTrack(app.db, account, { title: 'Marée haute' });
  const { releaseId } = await app.db
    .selectFrom('tracks')
    .select('releaseId')
    .where('id', '=', trackId)
    .executeTakeFirstOrThrow();
  const { id: smartlinkId } = await app.db
    .insertInto('smartlinks')
    .values({ releaseId, slug: 'marees' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const item = { key: 'FRX992600001', isrc: 'FRX992600001', title: 'Marée haute', artist: 'Serge Kanté', trackId };
  await app.owner.insertInto('incomeItems').values(item).execute();
  await app.db.transaction().execute(async (trx) => {
    const actor = { adminId: author.id, requestId: null };
    await writeAudit(trx, actor, { action: 'income_item.match', entityId: item.key });
    await writeAudit(trx, actor, { action: 'smartlink.edit', entityId: smartlinkId, after: { slug: 'marees' } });
    await writeAudit(trx, actor, {
      action: 'report.create',
      entityId: 999_999,
      after: { userId: account, trackId, month: '2031-01', type: 'platform' },
    });
    await writeAudit(trx, actor, {
      action: 'smartlink.delete',
      entityId: 888_888,
      before: { slug: 'parti', libraryId: releaseId },
    });
    await writeAudit(trx, actor, {
      action: 'ticket.create',
      entityId: 777_777,
      after: { title: 'Vlog du phare', trackId: null },
    });
    await writeAudit(trx, actor, {
      action: 'payout.approve',
      entityId: 666_666,
      after: { approvedBy: author.id, userId: 5_555_555 },
    });
    await writeAudit(trx, actor, {
      action: 'release.order_tracks',
      entityId: releaseId,
      after: { trackIds: [trackId, 444_444] },
    });
  });
  const recordsOf = async (action: string) => (await list(`action=${action}`)).rows[0]?.records;
  const none = { isGone: false, ownerId: null, place: null };
  expect(await recordsOf('report.create')).toEqual([
    { ...none, kind: 'account', id: String(account), name: 'Serge Kanté' },
    { ...none, kind: 'track', id: String(trackId), name: 'Marée haute', ownerId: releaseId },
  ]);
  expect(await recordsOf('ticket.create')).toEqual([
    { ...none, kind: 'ticket', id: '777777', name: 'Vlog du phare', isGone: true },
  ]);
  expect(await recordsOf('payout.approve')).toEqual([
    { ...none, kind: 'admin', id: String(author.id), name: 'Éloïse Brun' },
  ]);
  expect((await recordsOf('release.order_tracks'))?.map(({ kind, id }) => [kind, id])).toEqual([
    ['release', String(releaseId)],
    ['track', String(trackId)],
  ]);
  expect(await recordsOf('smartlink.edit')).toMatchObject([{ kind: 'smartlink', isGone: false }]);
  expect(await recordsOf('income_item.match')).toMatchObject([{ name: 'Marée haute', ownerId: releaseId }]);
  await app.db.updateTable('releases').set({ deletedAt: new Date() }).where('id', '=', releaseId).execute();
  // Records of a deleted release have no page.
  expect(await recordsOf('smartlink.edit')).toMatchObject([{ kind: 'smartlink', isGone: true }]);
  expect(await recordsOf('income_item.match')).toMatchObject([{ name: 'Marée haute', ownerId: null }]);
  expect(await recordsOf('smartlink.delete')).toEqual([
    { ...none, kind: 'release', id: String(releaseId), name: expect.stringMatching(/^Sortie /), isGone: true },
  ]);
});

it('names two admins or accounts of the same name with their e-mail addresses', async () => {
  const actors = [await app.buildAdmin(), await app.buildAdmin()];
  const accounts = [await buildAccount(app.db), await buildAccount(app.db)];
  const names = { firstName: 'Nadia', lastName: 'Deux-Fois' };
  const ids = actors.map(({ id }) => id);
  await app.owner.updateTable('admins').set(names).where('id', 'in', ids).execute();
  await app.owner.updateTable('accounts').set(names).where('id', 'in', accounts).execute();
  const emails = await app.db.selectFrom('accounts').select(['id', 'email']).where('id', 'in', accounts).execute();
  await app.db.transaction().execute(async (trx) => {
    for (const [n, { id }] of actors.entries()) {
      await writeAudit(trx, { adminId: id, requestId: 'x' }, { action: 'account.edit', entityId: accounts[n] ?? 0 });
    }
  });
  for (const [n, actor] of actors.entries()) {
    const { data } = await client.get(`/api/journal?admin=${actor.id}&action=account.edit`);
    const email = emails.find(({ id }) => id === accounts[n])?.email;
    expect(data).toMatchObject([
      {
        admin: { id: actor.id, name: `Nadia Deux-Fois (${actor.email})` },
        records: [{ kind: 'account', name: `Nadia Deux-Fois${email ? ` (${email})` : ''}` }],
      },
    ]);
  }
});

it('has a name for every job that can fail', () => {
  const options = {
    sendMail: async () => undefined,
    publicUrl: '',
    sessionSecret: '',
    lettersPerMinute: 60,
    lines: app.deps.lines,
    uploadsDir: '',
    ownerUrl: '',
  };
  expect(Object.keys(createJobs(options)).toSorted()).toEqual(Object.keys(jobNames).toSorted());
});
