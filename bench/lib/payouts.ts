import { createDatabase, type Trx } from '@regie/api/lib/db.ts';
import { sql } from 'kysely';
import type { Client, World } from './world.ts';

/** Fills a migrated database with accounts that are owed something; one in a hundred has bank details. */
export async function createOwedAccounts(world: World, database: string, accounts: number): Promise<void> {
  const db = createDatabase(world.url(database), { max: 1 });
  // Balances without the postings they are the sums of: the list reads no others.
  await sql`SET session_replication_role = replica`.execute(db);
  await sql`
    INSERT INTO accounts (first_name, last_name, email)
    SELECT 'Prénom ' || n, 'Nom ' || n, 'compte' || n || '@exemple.fr' FROM generate_series(1, ${sql.lit(accounts)}) n`.execute(
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

/** The rows of a payout request but its journal's, in one statement that looks at nothing. */
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

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Median times, ms, of a payout request and of the same rows written without looking at anything, asked in turn.
 * @throws when a call is refused
 */
export async function compareRequests(client: Client, repeats: number): Promise<[request: number, bare: number]> {
  const { rows } = await sql<{ userId: number; account: number }>`
    WITH payee AS (
      INSERT INTO accounts (first_name, last_name) VALUES ('Lina', 'Mesure') RETURNING id),
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
