import { createDatabase, type Trx } from '@regie/api/lib/db.ts';
import { sql } from 'kysely';
import { median } from './lists.ts';
import { type Client, peakBytes, residentBytes, startServer, type World } from './world.ts';

/** Creates accounts with positive balances; one in a hundred has bank details. */
export async function createOwedAccounts(world: World, database: string, accounts: number): Promise<void> {
  const db = createDatabase(world.url(database), { max: 1 });
  // Balances without postings: the measured list reads only balances.
  await sql`SET session_replication_role = replica`.execute(db);
  await sql`
    INSERT INTO accounts (first_name, last_name, email, library_percentile, youtube_percentile)
    SELECT 'Prénom ' || n, 'Nom ' || n, 'compte' || n || '@exemple.fr', 80, 80 FROM generate_series(1, ${sql.lit(accounts)}) n`.execute(
    db,
  );
  await sql`
    INSERT INTO ledger_balances (account, currency, amount)
    SELECT 'account:' || id, 'EUR', round((0.05 + 5000 * power((id * 7919 % 100003) / 100003.0, 3))::numeric, 6)
      FROM accounts`.execute(db);
  await sql`
    INSERT INTO billing_accounts (account_id, type, email, owner, holder_address, holder_city, holder_country, holder_postcode)
    SELECT id, 'paypal', 'compte' || id || '@exemple.fr', first_name, '3, rue Haute', 'Nantes', 'France', '44000'
      FROM accounts WHERE id % 100 = 0`.execute(db);
  await sql`VACUUM ANALYZE`.execute(db);
  await db.destroy();
}

/** Writes the rows of a payout request, except the journal's, in one statement without checks. */
export async function writePayoutRows(
  trx: Trx,
  payout: { userId: number; account: number; amount: number; adminId: number | null },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    WITH requested AS (
      INSERT INTO payouts (account_id, billing_account_id, amount_eur, fee_eur, created_by)
      VALUES (${payout.userId}, ${payout.account}, ${payout.amount}, 0.6, ${payout.adminId})
      RETURNING id, account_id, amount_eur),
    posted AS (
      INSERT INTO ledger_transactions (kind, account_id, payout_id, admin_id, memo)
      SELECT 'payout', account_id, id, ${payout.adminId}, 'Versement ' || id || ' demandé' FROM requested
      RETURNING id),
    postings AS (
      INSERT INTO ledger_postings (transaction_id, account, currency, amount)
      SELECT posted.id, side.account, 'EUR', side.amount
        FROM posted, requested r, LATERAL (VALUES ('account:' || r.account_id, -r.amount_eur), ('payout:' || r.id, r.amount_eur))
             AS side (account, amount))
    SELECT id FROM requested`.execute(trx);
  return rows[0]?.id ?? 0;
}

/**
 * Median times, ms, of a payout request and of writing the same rows without checks, alternating.
 * @throws when a call fails
 */
export async function compareRequests(client: Client, repeats: number): Promise<[request: number, bare: number]> {
  const { rows } = await sql<{ userId: number; account: number }>`
    WITH payee AS (
      INSERT INTO accounts (first_name, last_name, library_percentile, youtube_percentile)
      VALUES ('Lina', 'Mesure', 80, 80) RETURNING id),
    adjustment AS (
      INSERT INTO ledger_transactions (kind, account_id, memo) SELECT 'adjustment', id, 'Reprise' FROM payee RETURNING id, account_id),
    posted AS (
      INSERT INTO ledger_postings (transaction_id, account, currency, amount)
      SELECT a.id, side.account, 'EUR', side.amount
        FROM adjustment a, LATERAL (VALUES ('account:' || a.account_id, 100000), ('adjustment', -100000)) AS side (account, amount))
    INSERT INTO billing_accounts (account_id, type, email, owner, holder_address, holder_city, holder_country, holder_postcode)
    SELECT id, 'paypal', 'lina@exemple.fr', 'Lina', '3, rue Haute', 'Nantes', 'France', '44000' FROM payee
    RETURNING account_id AS user_id, id AS account`.execute(client.db);
  const body = JSON.stringify({ ...rows[0], amount: 1.25 });
  const paths = ['/payouts/request', '/bench/payout'] as const;
  const times: [number[], number[]] = [[], []];
  for (let round = -5; round < repeats; round += 1) {
    for (const [index, path] of paths.entries()) {
      const start = performance.now();
      const response = await fetch(`${client.address}/api${path}`, {
        method: 'POST',
        headers: { ...client.headers, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
        body,
      });
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
      if (round >= 0) times[index]?.push(performance.now() - start);
    }
  }
  return [median(times[0]), median(times[1])];
}

/** Prepares the label's settings and one pending payout for each of many accounts. */
async function createWaitingPayouts(world: World, database: string, payouts: number): Promise<void> {
  const db = createDatabase(world.url(database), { max: 1 });
  const house = { name: 'Maison Mesure', city: 'Marseille', country: 'France', iban: 'FR1420041010050500013M02606' };
  await sql`
    INSERT INTO settings (key, value) VALUES ('house', ${JSON.stringify(house)}::jsonb), ('payoutApprovalEur', '10000000'), ('unsignedEur', '10000000')`.execute(
    db,
  );
  await sql`
    INSERT INTO accounts (first_name, last_name, email, library_percentile, youtube_percentile)
    SELECT 'Prénom ' || n, 'Nom ' || n, 'compte' || n || '@exemple.fr', 80, 80 FROM generate_series(1, ${sql.lit(payouts)}) n`.execute(
    db,
  );
  await sql`
    INSERT INTO billing_accounts (account_id, type, owner, holder_address, holder_city, holder_country, holder_postcode,
                                  bank_name, bank_country, iban, swift)
    SELECT id, 'bank', first_name || ' ' || last_name, '12 rue de la Loge', 'Marseille', 'France', '13002',
           'Banque du Port', 'Allemagne', 'DE89370400440532013000', 'COBADEFFXXX' FROM accounts`.execute(db);
  await sql`
    WITH given AS (
      INSERT INTO ledger_transactions (kind, account_id, memo) SELECT 'adjustment', id, 'Reprise' FROM accounts
      RETURNING id, account_id)
    INSERT INTO ledger_postings (transaction_id, account, currency, amount)
    SELECT g.id, side.account, 'EUR', side.amount
      FROM given g, LATERAL (VALUES ('account:' || g.account_id, 100), ('adjustment', -100)) AS side (account, amount)`.execute(
    db,
  );
  await sql`
    WITH requested AS (
      INSERT INTO payouts (account_id, billing_account_id, amount_eur, fee_eur)
      SELECT account_id, id, 10 + id % 90, 0.6 FROM billing_accounts RETURNING id, account_id, amount_eur),
    posted AS (
      INSERT INTO ledger_transactions (kind, account_id, payout_id, memo)
      SELECT 'payout', account_id, id, 'Versement ' || id || ' demandé' FROM requested RETURNING id, payout_id)
    INSERT INTO ledger_postings (transaction_id, account, currency, amount)
    SELECT posted.id, side.account, 'EUR', side.amount
      FROM posted JOIN requested r ON r.id = posted.payout_id,
           LATERAL (VALUES ('account:' || r.account_id, -r.amount_eur), ('payout:' || r.id, r.amount_eur)) AS side (account, amount)`.execute(
    db,
  );
  await sql`VACUUM ANALYZE`.execute(db);
  await db.destroy();
}

/**
 * Makes a new server create a batch of all the payouts, export it, return its SEPA file and mark it paid.
 * @returns the server's peak memory above its start, bytes, and the duration of the file's download
 * @throws when a call is refused, or the file does not name every payout
 */
export async function measureBatch(world: World, database: string, payouts: number) {
  await createWaitingPayouts(world, database, payouts);
  const client = await startServer(world, database);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${client.address}/api${path}`, {
      method,
      headers: { ...client.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  };
  const { rows } = await sql<{ id: number }>`SELECT id FROM payouts ORDER BY id`.execute(client.db);
  const form = { payouts: rows.map((row) => row.id), confirmWarnings: true };
  const before = await residentBytes(client.pid);
  const made = (await (await call('POST', '/payouts/batches', form)).json()) as { data: { id: number } };
  const batch = `/payouts/batches/${made.data.id}`;
  await call('POST', `${batch}/export`);
  const start = performance.now();
  const file = await (await call('GET', `${batch}/sepa.xml`)).text();
  const fileMs = performance.now() - start;
  const named = file.match(/<CdtTrfTxInf>/g)?.length ?? 0;
  if (named !== payouts) throw new Error(`the file names ${named} of ${payouts} payouts`);
  await call('POST', `${batch}/pay`);
  const memoryGrowthBytes = (await peakBytes(client.pid)) - before;
  await client.stop();
  return { memoryGrowthBytes, fileMs };
}
