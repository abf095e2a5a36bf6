import { once } from 'node:events';
import type { Erasure, Subject } from '@regie/contract/entity.ts';
import { strFromU8, unzipSync } from 'fflate';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { sealChain } from '#src/modules/money/ledger/chain.service.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildAccount } from '#test/factories.ts';
import { credit, readBalance } from '#test/payouts.ts';
import { exportAccount } from './export.service.ts';
import { personalData } from './personal-data.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };
/** In every personal value that the fixtures store. */
const marker = 'marqueur';

beforeAll(async () => {
  client = await app.signInWith();
});

/** The files of a ZIP by name. */
const unzip = (bytes: Buffer) =>
  new Map(Object.entries(unzipSync(bytes)).map(([name, content]) => [name, strFromU8(content)]));

async function insert(table: string, values: Record<string, unknown>): Promise<number> {
  const columns = Object.keys(values).map((name) => sql.ref(name));
  const given = Object.values(values).map((value) =>
    typeof value === 'object' && value !== null && !Buffer.isBuffer(value)
      ? sql`${JSON.stringify(value)}::jsonb`
      : value,
  );
  const { rows } = await sql<{ id: number }>`
    INSERT INTO ${sql.table(table)} (${sql.join(columns)}) VALUES (${sql.join(given)}) RETURNING *`.execute(app.owner);
  return rows[0]?.id ?? 0;
}

/** The ledger's part of a payout, and of its cancellation. */
async function reserve(
  accountId: number,
  payoutId: number,
  amount: number,
  { memo = '', isReversed = false }: { memo?: string; isReversed?: boolean } = {},
): Promise<void> {
  const post = async (values: Record<string, unknown>, reserved: number) => {
    const id = await insert('ledger_transactions', { account_id: accountId, payout_id: payoutId, ...values });
    await sql`
      INSERT INTO ledger_postings (transaction_id, account, currency, amount, occurred_at)
      SELECT t.id, v.account, 'EUR', v.amount, t.occurred_at
        FROM ledger_transactions t,
             (VALUES (${`account:${accountId}`}, ${-reserved}::numeric), (${`payout:${payoutId}`}, ${reserved}::numeric)) AS v (account, amount)
       WHERE t.id = ${id}`.execute(app.owner);
    return id;
  };
  const first = await post({ kind: 'payout', memo }, amount);
  if (isReversed) await post({ kind: 'reversal', reverses: first }, -amount);
}

/** An account with a personal value in every column that can hold one, and nothing against its erasure. */
async function buildFullAccount(): Promise<number> {
  const id = await insert('accounts', {
    first_name: `${marker} prénom`,
    last_name: `${marker} nom`,
    email: `${marker}@exemple.fr`,
    company: `${marker} société`,
    address: `${marker} rue`,
    address2: `${marker} bâtiment`,
    city: `${marker} ville`,
    postcode: marker,
    country: `${marker} pays`,
    vat_number: `${marker} tva`,
    siren: '732829320',
    electronic_address: `732829320_${marker}`,
    timezone: `${marker}/Paris`,
    memo: `${marker} note`,
    library_percentile: 80,
    youtube_percentile: 70,
  });
  const billing = {
    account_id: id,
    owner: `${marker} titulaire`,
    holder_address: marker,
    holder_address2: marker,
    holder_city: marker,
    holder_country: marker,
    holder_postcode: marker,
  };
  const bank = await insert('billing_accounts', {
    ...billing,
    type: 'bank',
    bank_name: marker,
    bank_country: marker,
    bank_address: marker,
    bank_address2: marker,
    bank_city: marker,
    bank_zip_code: marker,
    iban: marker.toUpperCase(),
    swift: marker.toUpperCase(),
  });
  await insert('billing_accounts', { ...billing, type: 'paypal', email: `${marker}@paypal.exemple` });
  await insert('custom_contracts', {
    account_id: id,
    kind: 'label',
    title: `Contrat ${marker}`,
    template: `# Contrat\n\nEntre {maison} et {client}, ${marker}`,
    field_values: { client: `${marker} client`, maison: 'Régie' },
  });
  const cover = await insert('files', {
    storage_key: 'cover/aa/aa.png',
    kind: 'cover',
    original_name: `${marker}.png`,
    content_type: 'image/png',
    size_bytes: 1,
    sha256: Buffer.alloc(32),
  });
  const release = await insert('releases', {
    account_id: id,
    title: 'Sortie',
    status: 'delivered',
    label: `${marker} label`,
    digital_label: `${marker} label`,
    note: `${marker} note`,
    publisher_link: `https://${marker}.exemple`,
    recording_owner: `${marker} producteur`,
    cover_owner: `${marker} photographe`,
    artist_name: `${marker} artiste`,
    cover_file_id: cover,
  });
  const track = await insert('tracks', {
    release_id: release,
    account_id: id,
    position: 1,
    title: 'Titre',
    isrc: 'FRPRV2600001',
    recording_owner: `${marker} producteur`,
  });
  const person = await insert('people', {
    full_name: `${marker} musicienne`,
    spotify_id: `0${marker}1234567890123`,
    apple_music_id: '12',
  });
  await insert('track_credits', { track_id: track, person_id: person, kind: 'artist', role: 'Primary Artist' });
  await insert('uploads', {
    admin_id: client.admin.id,
    kind: 'audio',
    track_id: track,
    file_name: `${marker}.wav`,
    size_bytes: 10,
    spool_name: `${id}-spool`,
  });
  await insert('income_items', {
    key: 'FRPRV2600001',
    isrc: 'FRPRV2600001',
    title: 'Titre',
    artist: `${marker} artiste`,
    track_id: track,
  });
  await insert('smartlinks', { release_id: release, slug: `sortie-${id}` });
  await insert('tickets', {
    account_id: id,
    title: `${marker} ticket`,
    url: `https://${marker}.exemple`,
    note: `${marker} note`,
  });
  await insert('tickets', { track_id: track, title: `${marker} ticket`, url: `https://${marker}.exemple` });
  const order = await insert('orders', {
    account_id: id,
    release_id: release,
    plan: 'single',
    plan_price: 10,
    status: 'paid',
    paid_at: new Date().toISOString(),
    issued_at: new Date().toISOString(),
    invoice_year: 2031,
    invoice_number: id,
    receipt_email: `${marker}@exemple.fr`,
    payment_reference: `${marker} virement`,
    card_transaction_id: `pi_${marker}`,
    payment_intent_id: `pi_${marker}${id}`,
    buyer: { first_name: `${marker} prénom`, last_name: `${marker} nom`, company: null, city: 'Lyon' },
  });
  await insert('credit_notes', {
    year: 2031,
    number: id,
    order_id: order,
    invoice_year: 2030,
    invoice_number: id,
    card_transaction_id: marker,
    payment_reference: marker,
    buyer: { first_name: `${marker} prénom`, last_name: `${marker} nom` },
  });
  await credit(app.owner, id, '10');
  const payout = await insert('payouts', {
    account_id: id,
    billing_account_id: bank,
    state: 'cancelled',
    amount_eur: 10,
    fee_eur: 0.6,
    cancelled_at: new Date().toISOString(),
    cancel_reason: `${marker} raison`,
    beneficiary: { type: 'bank', owner: `${marker} titulaire`, iban: marker },
  });
  await reserve(id, payout, 10, { memo: `${marker} motif`, isReversed: true });
  const batch = await insert('payout_batches', {
    message_id: `RG-${id}`,
    created_by: client.admin.id,
    state: 'void',
    voided_at: new Date().toISOString(),
  });
  await insert('bank_answers', {
    report_id: await insert('bank_reports', { batch_id: batch, admin_id: client.admin.id }),
    payout_id: payout,
    account_id: id,
    verdict: 'near',
    said: `${marker} nom connu`,
    beneficiary: { type: 'bank', owner: `${marker} titulaire`, iban: marker },
    destination: `\\x${'00'.repeat(32)}`,
    left_batch: true,
  });
  const statement = await insert('royalty_statements', {
    run_id: await insert('royalty_runs', {
      month: `20${30 + (id % 60)}-01-01`,
      published_at: new Date().toISOString(),
      through_id: 0,
    }),
    account_id: id,
    number: 1,
    from_month: '2026-01-01',
    opening_eur: 0,
    closing_eur: 0,
    income_eur: 0,
    lines: 0,
    record: { account: { id, name: `${marker} relevé` } },
    sha256: `\\x${'00'.repeat(32)}`,
  });
  const expires = new Date().toISOString();
  await insert('royalty_letters', { statement_id: statement, email: `${marker}@lettre.example`, expires_at: expires });
  await insert('proposals', {
    kind: 'adjustment',
    target: String(id),
    entry_id: 1,
    value: { amountEur: '5', reason: `${marker} motif` },
    proposed_by: client.admin.id,
    ended_by: client.admin.id,
    ended_at: new Date().toISOString(),
    is_done: false,
  });
  await credit(app.owner, id, '-10');
  // Through the application, so that the journal names what it names.
  expect(
    (
      await client.put(`/api/profile/${id}/profile`, {
        fname: `${marker} Awa`,
        lname: `${marker} Diallo`,
        country: 'France',
        memo: `${marker} mémo`,
      })
    ).status,
  ).toBe(200);
  await app.owner
    .updateTable('accounts')
    .set({ firstName: `${marker} prénom`, country: `${marker} pays` })
    .where('id', '=', id)
    .execute();
  for (const [action, entity, entityId, after] of [
    [
      'billing.edit',
      'billing_account',
      bank,
      { owner: `${marker} titulaire`, bankName: marker, iban: `••••${marker}` },
    ],
    ['ticket.edit', 'ticket', 0, { status: 'OPENED' }],
    ['mail.refuse', 'mail', null, { to: `${marker}@exemple.fr`, subject: `Pour ${marker}`, reply: 550 }],
    ['release.edit', 'release', release, { recordingOwnerName: `${marker} producteur`, title: 'Sortie' }],
  ] as const) {
    await insert('audit_log', { action, entity, entity_id: entityId === null ? null : String(entityId), after });
  }
  return id;
}

/** An admin who left, with a personal value in every column that can hold one. */
async function buildFullAdmin(): Promise<number> {
  const email = `${marker}-admin@exemple.fr`;
  const person = await app.buildAdmin({ email, capabilities: [] });
  const { id } = person;
  const own = await app.signIn(person);
  expect((await own.get('/api/home')).status).toBe(200);
  await app.owner
    .updateTable('admins')
    .set({ firstName: `${marker} prénom`, lastName: `${marker} nom` })
    .where('id', '=', id)
    .execute();
  await app.owner.updateTable('sessions').set({ device: marker, address: marker }).where('adminId', '=', id).execute();
  const token = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32)));
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  await insert('password_resets', { token_hash: token(), admin_id: id, expires_at: soon });
  await sql`INSERT INTO invitations (token_hash, email, capabilities, invited_by, expires_at, used_by, used_at)
    VALUES (${token()}, ${email}, '{}', ${client.admin.id}, now(), ${id}, now())`.execute(app.owner);
  await insert('second_factors', { admin_id: id, kind: 'totp', name: `${marker} téléphone`, totp_secret: token() });
  await insert('second_factors', {
    admin_id: id,
    kind: 'passkey',
    name: `${marker} clé`,
    credential_id: `${marker}-clé`,
    public_key: Buffer.from(marker),
  });
  await insert('recovery_codes', { code_hash: token(), admin_id: id });
  await insert('auth_challenges', {
    token_hash: token(),
    admin_id: id,
    purpose: 'sign_in',
    challenge: marker,
    expires_at: soon,
  });
  await insert('admin_identities', { issuer: `https://${marker}`, subject: marker, admin_id: id });
  await insert('sidebars', { admin_id: id, favourites: `{/${marker}}`, opened: '{}' });
  await insert('saved_views', { admin_id: id, list: 'releases', name: `${marker} vue`, search: `?q=${marker}` });
  await insert('idempotency_keys', {
    admin_id: id,
    scope: 'POST /x',
    key: marker,
    body_hash: token(),
    response: marker,
  });
  await insert('audit_log', {
    admin_id: id,
    action: 'account.edit',
    entity: 'account',
    entity_id: '999999',
    after: { city: 'Ville du client' },
    address: marker,
    agent: `${marker}/1.0`,
  });
  await insert('audit_log', {
    admin_id: client.admin.id,
    action: 'admin.edit',
    entity: 'admin',
    entity_id: String(id),
    before: { fname: `${marker} prénom`, email, capabilities: [] },
    after: { fname: `${marker} prénom`, email, capabilities: ['read_audit'] },
  });
  await insert('audit_log', {
    action: 'billing.confirm',
    entity: 'billing_account',
    entity_id: '999999',
    after: { changedBy: `${marker} prénom ${marker} nom` },
  });
  await insert('audit_log', { action: 'admin.invite', entity: 'invitation', entity_id: '1', after: { email } });
  return id;
}

const columnsWhere = (subject: Subject, isWanted: (how: Erasure) => boolean): string[] =>
  Object.entries(personalData).flatMap(([table, data]) =>
    data.of?.[subject]
      ? Object.entries({ ...data[subject], ...(subject === 'account' ? data.third : {}) })
          .filter(([, how]) => isWanted(how))
          .map(([column]) => `${table}.${column}`)
      : [],
  );
/** Nobody in the tests signs with a passkey. */
const unfilled = (column: string) => column.startsWith('signature_assertions.');

/** Every column of the database in which some row holds the marker. */
async function findMarked(): Promise<string[]> {
  const marked: string[] = [];
  for (const table of Object.keys(personalData)) {
    const { rows } = await sql<{ key: string }>`
      SELECT DISTINCT f.key FROM ${sql.table(table)} t, jsonb_each_text(to_jsonb(t)) AS f
       WHERE f.value ILIKE ${`%${marker}%`} OR f.value ILIKE ${`%${Buffer.from(marker).toString('hex')}%`}`.execute(
      app.owner,
    );
    marked.push(...rows.map(({ key }) => `${table}.${key}`));
  }
  return marked.sort();
}

const mayKeep = (how: Erasure) => typeof how === 'object' && 'keep' in how;
const verify = async () => {
  await sealChain(app.owner);
  return verifyLedger(app.owner, app.deps.lines);
};

describe('an account', () => {
  let id: number;
  beforeAll(async () => {
    id = await buildFullAccount();
    await sealChain(app.owner);
  });

  it('is exported with every personal column, and the export is journalled', async () => {
    const reply = await client.get(`/api/profile/${id}/personal-data`);
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/zip' } });
    expect(reply.headers['content-disposition']).toContain(`donnees-compte-${id}.zip`);
    const files = unzip(reply.bytes);
    const missing = columnsWhere('account', (how) => how !== 'follow').filter((name) => {
      const [table, column = ''] = name.split('.');
      const rows: Record<string, unknown>[] = JSON.parse(files.get(`tables/${table}.json`) ?? '[]');
      return !rows.some((row) => row[column] !== null && row[column] !== undefined && row[column] !== '');
    });
    expect(missing).toEqual([]);
    expect(files.get('LISEZMOI.txt')).toContain(`du compte n° ${id}`);
    const [contract] = [...files].filter(([name]) => name.startsWith('documents/contrat-'));
    expect(contract?.[1]).toContain(`Entre Régie et ${marker} client, ${marker}`);
    // Colleagues' addresses and numbers are not the customer's data.
    const journal: Record<string, unknown>[] = JSON.parse(files.get('tables/audit_log.json') ?? '[]');
    expect(journal.length).toBeGreaterThan(3);
    expect(journal.every((entry) => !('address' in entry) && !('admin_id' in entry) && !('search' in entry))).toBe(
      true,
    );
    expect((await app.journal('account.export')).at(-1)).toMatchObject({
      adminId: client.admin.id,
      entityId: String(id),
    });
  });

  it('exports nothing about other accounts', async () => {
    const other = await buildAccount(app.db);
    const files = unzip((await client.get(`/api/profile/${other}/personal-data`)).bytes);
    expect([...files.values()].some((text) => text.includes(marker))).toBe(false);
    expect(JSON.parse(files.get('tables/orders.json') ?? '')).toEqual([]);
    expect(JSON.parse(files.get('tables/accounts.json') ?? '')).toHaveLength(1);
  });

  it('ends its transaction when the client disconnects', { tags: ['slow'] }, async () => {
    const large = await buildAccount(app.db);
    const imported = await insert('imports', {
      kind: 'single',
      type: 'youtube',
      month: '2026-01-01',
      to_date: '2026-02-01',
      rate: 1,
      terms_version: 1,
    });
    await sql`
      INSERT INTO reports (type, month, import_id, account_id, percentile, gross_eur, account_eur, referrals_eur, platform_eur)
      SELECT 'youtube', '2026-01-01', ${imported}, ${large}, 80, 0, 0, 0, 0 FROM generate_series(1, 20000)`.execute(
      app.owner,
    );
    const openOnes = async () => {
      const { rows } = await sql<{ open: number }>`
        SELECT count(*) AS open FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE 'FETCH%'`.execute(
        app.owner,
      );
      return rows[0]?.open;
    };
    const caller = { adminId: client.admin.id, requestId: null, session: undefined, can: () => true };
    const stream = await (await exportAccount(app.db, caller, large)).content();
    await once(stream, 'readable');
    // Nobody reads on: the rest waits in the database.
    await expect.poll(openOnes).toBe(1);
    stream.destroy();
    await expect.poll(openOnes).toBe(0);
    await sql`DELETE FROM reports WHERE import_id = ${imported}`.execute(app.owner);
    await sql`DELETE FROM imports WHERE id = ${imported}`.execute(app.owner);
  });

  it('is refused without the capability, and for an unknown account', async () => {
    const without = await app.signInWith(['read_reports', 'edit_admins']);
    expect((await without.get(`/api/profile/${id}/personal-data`)).status).toBe(403);
    expect((await without.get(`/api/profile/${id}/erasure`)).status).toBe(403);
    expect((await without.post(`/api/profile/${id}/erasure`, { reason: 'demande' })).status).toBe(403);
    expect((await client.get('/api/profile/999999/personal-data')).status).toBe(404);
    expect((await client.post(`/api/profile/${id}/erasure`, { reason: '' })).status).toBe(422);
  });

  it('is not erased while money, payouts, orders or referrals are open', async () => {
    const open = await buildAccount(app.db);
    const billing = await insert('billing_accounts', {
      account_id: open,
      type: 'paypal',
      email: 'a@exemple.fr',
      owner: 'Awa',
      holder_address: '',
      holder_city: '',
      holder_country: '',
      holder_postcode: '',
    });
    await credit(app.owner, open, '12.5');
    const payout = await insert('payouts', {
      account_id: open,
      billing_account_id: billing,
      amount_eur: 1,
      fee_eur: 0,
    });
    await reserve(open, payout, 1);
    await insert('orders', { account_id: open, plan: 'single', plan_price: 10 });
    await insert('referrals', { referrer_id: open, referred_id: await buildAccount(app.db), percentile: 5 });
    const preview = await client.get(`/api/profile/${open}/erasure`);
    expect(preview.data).toMatchObject({ billings: 1, erasedAt: null });
    const reply = await client.post(`/api/profile/${open}/erasure`, { reason: 'demande du 12 novembre' });
    expect(reply.status).toBe(409);
    for (const sentence of ['11,50', 'Versements en attente\u00a0: 1', 'en cours\u00a0: 1', 'Parrainages'])
      expect(reply.message).toContain(sentence);
    expect(
      (await app.db.selectFrom('accounts').select('erasedAt').where('id', '=', open).executeTakeFirstOrThrow())
        .erasedAt,
    ).toBeNull();
  });

  it('needs the right to edit the releases that go to the bin', async () => {
    const some = await app.signInWith(['manage_profiles']);
    expect((await some.post(`/api/profile/${id}/erasure`, { reason: 'demande' })).status).toBe(403);
  });

  it('is erased except where the law or the credits of works require its data', async () => {
    expect(await verify()).toEqual([]);
    const order = await app.db.selectFrom('orders').select('id').where('accountId', '=', id).executeTakeFirstOrThrow();
    const invoice = (await client.get(`/api/invoices/${order.id}`)).data;
    expect(invoice).toMatchObject({ customer: { name: `${marker} prénom ${marker} nom` } });
    expect((await client.get(`/api/profile/${id}/erasure`)).data).toMatchObject({
      releases: 1,
      tracks: 1,
      billings: 2,
      invoices: 1,
      contracts: 1,
      obstacles: [],
    });
    const reply = await client.post(`/api/profile/${id}/erasure`, { reason: 'demande du 12 novembre' });
    expect(reply).toMatchObject({ status: 200 });

    const kept = [...columnsWhere('account', mayKeep), 'people.search', 'people_words.full_name', 'people_words.word'];
    expect((await findMarked()).filter((column) => !kept.includes(column))).toEqual([]);
    expect(await client.get(`/api/profile/${id}/profile`)).toMatchObject({
      data: {
        fname: 'Compte',
        lname: `supprimé n° ${id}`,
        email: null,
        state: 'DISABLED',
        erasedAt: expect.any(Number),
      },
    });
    // The issued invoice still names its buyer.
    expect((await client.get(`/api/invoices/${order.id}`)).data).toEqual({
      ...(invoice as object),
      release: expect.anything(),
      transactionDetails: expect.any(String),
    });
    expect((await app.journal('account.erase')).at(-1)).toMatchObject({
      adminId: client.admin.id,
      entityId: String(id),
      after: { reason: 'demande du 12 novembre', releases: 1, billings: 2 },
    });
    const files = await app.db.selectFrom('files').select('binnedAt').execute();
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => file.binnedAt === null)).toEqual([]);
    expect(await verify()).toEqual([]);
  });

  it('cannot be erased twice, changed or exported after that', async () => {
    expect((await client.post(`/api/profile/${id}/erasure`, { reason: 'encore' })).status).toBe(404);
    expect((await client.get(`/api/profile/${id}/personal-data`)).status).toBe(404);
    const form = { fname: 'Nouveau', lname: 'Nom', country: 'France' };
    expect((await client.put(`/api/profile/${id}/profile`, form)).status).toBe(404);
    expect((await client.get(`/api/lookup/accounts?q=supprim%C3%A9`)).data).toEqual([]);
    const billing = {
      owner: 'Awa Diallo',
      email: 'a@exemple.fr',
      holderAddress: '1 rue',
      holderCity: 'Lyon',
      holderCountry: 'France',
    };
    expect(
      (await client.post(`/api/profile/${id}/billing/paypal`, { ...billing, holderPostcode: '69001' })).status,
    ).toBe(404);
  });
});

it('an erasure clears a balance below a cent, which no payout can pay', async () => {
  const id = await buildAccount(app.db);
  await credit(app.owner, id, '0.004');
  expect((await client.post(`/api/profile/${id}/erasure`, { reason: 'demande' })).status).toBe(200);
  expect(await readBalance(app.db, `account:${id}`)).toBe('0.000000');
  expect(await verify()).toEqual([]);
});

describe('a redacted journal entry', () => {
  it('is reported when its content, or the actor or record it names, changes afterwards', async () => {
    const { id } = await app.owner
      .selectFrom('journalRedactions')
      .innerJoin('auditLog', 'auditLog.id', 'journalRedactions.entryId')
      .select('auditLog.id')
      .where('auditLog.action', '=', 'billing.edit')
      .executeTakeFirstOrThrow();
    for (const [change, back] of [
      [sql`before = '{"owner": "Autre"}'`, sql`before = NULL`],
      [sql`entity_id = entity_id || '0'`, sql`entity_id = left(entity_id, -1)`],
    ] as const) {
      await sql`UPDATE audit_log SET ${change} WHERE id = ${id}`.execute(app.owner);
      expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
        expect.stringContaining(`journal entry ${id}: changed`),
      ]);
      await sql`UPDATE audit_log SET ${back} WHERE id = ${id}`.execute(app.owner);
      expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
    }
  });

  it('may be an entry from before entries had a salt', async () => {
    const account = await buildAccount(app.db);
    const { id } = await app.owner
      .insertInto('auditLog')
      .values({
        action: 'account.edit',
        entity: 'account',
        entityId: String(account),
        after: '{"city": "Lyon"}',
        salt: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect(await verify()).toEqual([]);
    expect((await client.post(`/api/profile/${account}/erasure`, { reason: 'demande' })).status).toBe(200);
    const entry = app.db.selectFrom('auditLog').select('after').where('id', '=', id);
    expect(await entry.executeTakeFirstOrThrow()).toEqual({ after: { city: 'effacé' } });
    expect(await verify()).toEqual([]);
    await sql`UPDATE audit_log SET after = '{"city": "Paris"}' WHERE id = ${id}`.execute(app.owner);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
      expect.stringContaining(`journal entry ${id}: changed`),
    ]);
    await sql`UPDATE audit_log SET after = '{"city": "effacé"}' WHERE id = ${id}`.execute(app.owner);
  });

  it('cannot be written by the application role', async () => {
    await expect(sql`UPDATE audit_log SET after = '{}'`.execute(app.db)).rejects.toThrow('permission denied');
    await expect(
      sql`INSERT INTO journal_redactions (entry_id, content_hash) VALUES (1, sha256('x'))`.execute(app.db),
    ).rejects.toThrow('permission denied');
  });
});

describe('an admin', () => {
  let id: number;
  beforeAll(async () => {
    id = await buildFullAdmin();
    await sealChain(app.owner);
  });

  it('is exported with every personal column, but not with the customers’ data', async () => {
    const reply = await client.get(`/api/manage-admins/admin/${id}/personal-data`);
    expect(reply.status).toBe(200);
    const files = unzip(reply.bytes);
    const missing = columnsWhere('admin', (how) => how !== 'follow')
      .filter((name) => !unfilled(name))
      .filter((name) => {
        const [table, column = ''] = name.split('.');
        const rows: Record<string, unknown>[] = JSON.parse(files.get(`tables/${table}.json`) ?? '[]');
        return !rows.some((row) => row[column] !== null && row[column] !== undefined);
      });
    expect(missing).toEqual([]);
    const journal = files.get('tables/audit_log.json') ?? '';
    expect(journal).toContain(`${marker}-admin@exemple.fr`);
    expect(journal).not.toContain('Ville du client');
    expect([...files.values()].join()).not.toContain('password_hash');
    expect((await app.journal('admin.export')).at(-1)).toMatchObject({ entityId: String(id) });
  });

  it('is exported only by an admin who may change them', async () => {
    const strong = await app.buildAdmin({ capabilities: ['edit_admins', 'manage_settings'] });
    const weak = await app.signInWith(['edit_admins']);
    expect((await weak.get(`/api/manage-admins/admin/${strong.id}/personal-data`)).status).toBe(403);
    expect((await weak.get(`/api/manage-admins/admin/${id}/personal-data`)).status).toBe(200);
    const without = await app.signInWith(['read_admins', 'manage_profiles']);
    expect((await without.get(`/api/manage-admins/admin/${id}/personal-data`)).status).toBe(403);
    expect((await without.post(`/api/manage-admins/admin/${id}/erasure`, { reason: 'départ' })).status).toBe(403);
  });

  it('is erased once they have left', { tags: ['slow'] }, async () => {
    const path = `/api/manage-admins/admin/${id}/erasure`;
    expect((await client.post(path, { reason: 'départ' })).status).toBe(404);
    expect((await client.delete(`/api/manage-admins/admin/${id}`)).status).toBe(200);
    await app.runJobs();
    expect((await client.get('/api/manage-admins/left')).data).toMatchObject([
      { id, email: `${marker}-admin@exemple.fr` },
    ]);
    expect((await client.get(`/api/manage-admins/left?q=${marker}%20nom`)).data).toMatchObject([{ id }]);
    expect((await client.get('/api/manage-admins/left?q=personne')).data).toEqual([]);
    const before = await findMarked();
    expect(before).toContain('second_factors.name');
    expect((await client.post(path, { reason: 'départ du service' })).status).toBe(200);

    const kept = [...columnsWhere('account', mayKeep), 'people.search', 'people_words.full_name', 'people_words.word'];
    expect((await findMarked()).filter((column) => !kept.includes(column))).toEqual([]);
    expect((await client.get('/api/manage-admins/left')).data).toEqual([]);
    const journal = await client.get(`/api/journal?admin=${id}`);
    expect(journal.data).toContainEqual(
      expect.objectContaining({ admin: expect.objectContaining({ name: `administrateur supprimé n° ${id}` }) }),
    );
    expect((await app.journal('admin.erase')).at(-1)).toMatchObject({
      entityId: String(id),
      after: { reason: 'départ du service' },
    });
    expect(await verify()).toEqual([]);
  });
});
