// @module-tag slow
import { isIbanValid } from '@regie/contract/bank-details.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '#src/lib/db.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { useDatabase } from '#test/database.ts';
import { testLines } from '#test/lines.ts';
import { ean13CheckDigit } from './identifiers.ts';
import { loadDemo } from './load-demo.ts';

const first = useDatabase();
const second = useDatabase();
const third = useDatabase();
const months = 4;
let db: Database;
let twin: Database;
let other: Database;

const load = (ownerUrl: string, scale: number, log: (line: string) => void = () => {}) =>
  loadDemo({ ownerUrl, storage: testLines.storage, scale, months, log });

async function column(database: Database, query: string): Promise<unknown[]> {
  const { rows } = await sql<{ value: unknown }>`SELECT ${sql.raw(query)}`.execute(database);
  return rows.map((row) => row.value);
}

const values = (query: string) => column(db, query);

beforeAll(async () => {
  db = createDatabase(first.ownerUrl, { max: 2 });
  twin = createDatabase(second.ownerUrl, { max: 2 });
  other = createDatabase(third.ownerUrl, { max: 2 });
  await load(first.ownerUrl, 1);
});

afterAll(async () => {
  await Promise.all([db.destroy(), twin.destroy(), other.destroy()]);
});

describe('the demo catalogue', () => {
  it('has an exact ledger and no balance made negative by a payout', async () => {
    expect(await verifyLedger(db, testLines)).toEqual([]);
    expect(await values(`count(*) AS value FROM reports WHERE reversed_at IS NULL`)).not.toEqual([0]);
    const overdrawn = await values(
      `b.account AS value FROM ledger_balances b
        WHERE b.account_id IS NOT NULL AND b.amount < 0
          AND NOT EXISTS (SELECT FROM ledger_transactions t JOIN ledger_postings p ON p.transaction_id = t.id
                           WHERE t.kind = 'adjustment' AND p.account = b.account AND p.amount < 0)`,
    );
    expect(overdrawn).toEqual([]);
  });

  it('reserves exactly the amounts of pending payouts', async () => {
    const differing = await values(
      `p.id AS value FROM payouts p LEFT JOIN ledger_balances b ON b.account = 'payout:' || p.id
        WHERE coalesce(b.amount, -1) <> CASE WHEN p.state = 'pending' AND p.deleted_at IS NULL THEN p.amount_eur ELSE 0 END`,
    );
    expect(differing).toEqual([]);
    const [paid] = await values(`sum(amount_eur - fee_eur) AS value FROM payouts WHERE state = 'paid'`);
    expect(await values(`sum(amount) AS value FROM ledger_postings WHERE account = 'paid'`)).toEqual([`${paid}0000`]);
  });

  it('has every state that screens show', async () => {
    expect(await values('status AS value FROM releases GROUP BY 1 ORDER BY 1')).toEqual([
      ...['cancelled', 'closed', 'delivered', 'draft', 'opened', 'paid', 'pending'],
    ]);
    expect(await values('state AS value FROM accounts GROUP BY 1 ORDER BY 1')).toEqual(['disabled', 'enabled', 'hold']);
    expect(await values('state AS value FROM payouts GROUP BY 1 ORDER BY 1')).toEqual(['cancelled', 'paid', 'pending']);
    expect(await values('status AS value FROM orders GROUP BY 1 ORDER BY 1')).toEqual(['cancelled', 'paid', 'pending']);
    expect(await values('status AS value FROM tickets GROUP BY 1 ORDER BY 1')).toEqual(['closed', 'opened']);
    expect(await values('count(*) > 3 AS value FROM custom_contracts')).toEqual([true]);
    expect(await values('status AS value FROM smartlinks GROUP BY 1 ORDER BY 1')).toEqual(['enabled', 'pending']);
    expect(
      await values(
        `count(*) AS value FROM smartlinks s
          WHERE clicks <> (SELECT coalesce(sum(c.clicks), 0) FROM smartlink_clicks c WHERE c.smartlink_id = s.id)`,
      ),
    ).toEqual([0]);
    expect(await values('count(*) > 500 AS value FROM smartlink_clicks')).toEqual([true]);
    expect(await values('reason AS value FROM import_unsaved_rows GROUP BY 1')).toEqual(
      expect.arrayContaining(['ISRC inconnu', 'ISRC en double']),
    );
    expect(await values(`count(*) AS value FROM releases WHERE status = 'cancelled' AND note IS NULL`)).toEqual([0]);
  });

  it('spells the free digital label in one way', async () => {
    const labels = await values('digital_label AS value FROM releases WHERE plan IS NOT NULL');
    expect(labels.filter((label) => label === null).length).toBeGreaterThan(10);
    expect(labels).not.toContain('');
    expect(await values('digital_label AS value FROM releases WHERE plan IS NULL')).toContain(null);
  });

  it('has valid account numbers, and only a few invalid barcodes', async () => {
    const ibans = await values(`iban AS value FROM billing_accounts WHERE type = 'bank'`);
    const european = ibans.map(String).filter((iban) => /^[A-Z]{2}/.test(iban));
    expect(european.length).toBeGreaterThan(40);
    expect(european.filter((iban) => !isIbanValid(iban))).toEqual([]);
    const barcodes = (await values('barcode AS value FROM releases WHERE barcode IS NOT NULL')).map(String);
    const wrong = barcodes.filter((barcode) => barcode.slice(12) !== String(ean13CheckDigit(barcode.slice(0, 12))));
    expect(barcodes.length).toBeGreaterThan(350);
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.length).toBeLessThan(8);
    expect(new Set(barcodes).size).toBeLessThan(barcodes.length);
  });

  it('has duplicate and missing ISRCs for the tools', async () => {
    const holders =
      'FROM (SELECT count(DISTINCT account_id) AS accounts FROM tracks GROUP BY isrc HAVING count(*) > 1 AND isrc IS NOT NULL) d';
    const [[within], [between], [missing]] = await Promise.all([
      values(`count(*) AS value ${holders} WHERE accounts = 1`),
      values(`count(*) AS value ${holders} WHERE accounts = 2`),
      values('count(*) AS value FROM tracks WHERE isrc IS NULL'),
    ]);
    expect(within).toBeGreaterThan(3);
    expect(between).toBeGreaterThan(1);
    expect(missing).toBeGreaterThan(10);
  });

  it('has a name for every record', async () => {
    const nameless = await values(
      `count(*) AS value FROM accounts WHERE length(first_name) < 2 OR length(last_name) < 2 OR length(address) > 50 OR email IS NULL
          OR coalesce(address, '') = '' OR coalesce(city, '') = '' OR coalesce(postcode, '') = '' OR coalesce(country, '') = ''`,
    );
    expect(nameless).toEqual([0]);
    expect(await values(`count(*) AS value FROM releases WHERE coalesce(artist_name, '') = ''`)).toEqual([0]);
    expect(
      await values(
        `count(*) AS value FROM tracks t WHERE NOT EXISTS (SELECT FROM track_credits c WHERE c.track_id = t.id)`,
      ),
    ).toEqual([0]);
  });

  it('numbers the invoices of each year without gaps', async () => {
    const gaps = await values(
      `invoice_year AS value FROM orders WHERE invoice_year IS NOT NULL GROUP BY 1
        HAVING max(invoice_number) <> count(*) OR min(invoice_number) <> 1
            OR max(invoice_number) <> (SELECT last_number FROM invoice_counters c WHERE c.year = orders.invoice_year)`,
    );
    expect(gaps).toEqual([]);
    expect(await values(`count(*) AS value FROM orders WHERE status = 'paid' AND invoice_number IS NULL`)).toEqual([0]);
  });

  it('has no cycle of referrals', async () => {
    const [circles] = await values(
      `count(*) AS value FROM (
         WITH RECURSIVE chain AS (
           SELECT referrer_id AS start, referred_id AS reached FROM referrals
           UNION SELECT chain.start, r.referred_id FROM chain JOIN referrals r ON r.referrer_id = chain.reached
         ) SELECT FROM chain WHERE start = reached) c`,
    );
    expect(circles).toBe(0);
    expect(await values('count(*) > 5 AS value FROM referrals')).toEqual([true]);
  });

  it('has staff with four presets and distinct passwords', async () => {
    const staff = await values(
      'count(*) AS value FROM admin_capabilities c JOIN admins a ON a.id = c.admin_id GROUP BY a.id ORDER BY 1',
    );
    expect(staff).toHaveLength(4);
    expect(new Set(await values('password_hash AS value FROM admins')).size).toBe(4);
  });
});

describe('loading the demo', () => {
  // Everything but keys and random secrets, ordered because insertion order depends on the planner.
  const contents = {
    accounts: [
      'first_name, last_name, email, company, city, state, library_percentile, memo, created_at',
      'accounts ORDER BY email',
    ],
    releases: ['title, artist_name, barcode, status, note, digital_release_date, created_at', 'releases ORDER BY id'],
    tracks: ['title, isrc, position, version, youtube_video_id', 'tracks ORDER BY id'],
    credits: ['p.full_name, c.kind, c.role', 'track_credits c JOIN people p ON p.id = c.person_id ORDER BY c.id'],
    orders: ['plan, total, invoice_year, invoice_number, paid_at', 'orders ORDER BY created_at, id'],
    billing: ['type, email, owner, iban, swift', 'billing_accounts ORDER BY id'],
    reports: [
      't.isrc, a.email, r.month, r.num_streams, r.gross_usd, r.account_eur, r.referrals_eur, r.reversed_at',
      `reports r JOIN accounts a ON a.id = r.account_id LEFT JOIN tracks t ON t.id = r.track_id
       ORDER BY r.import_id, a.email, t.id`,
    ],
    payouts: [
      'a.email, p.state, p.amount_eur, p.created_at, p.paid_at, p.cancel_reason',
      'payouts p JOIN accounts a ON a.id = p.account_id ORDER BY p.id',
    ],
    balances: ['a.email, b.amount', 'ledger_balances b JOIN accounts a ON a.id = b.account_id ORDER BY a.email'],
    journal: ['action, at, entity', 'audit_log ORDER BY id'],
    statements: [
      's.file_name, s.status, s.source, s.created_at, s.checked_at, m.month, m.currency, m.amount, m.posted_amount',
      'statements s LEFT JOIN statement_months m ON m.statement_id = s.id ORDER BY s.id, m.month, m.currency',
    ],
  } as const;

  const fingerprints = (database: Database) =>
    Promise.all(
      Object.entries(contents).map(async ([name, [columns, from]]) => [
        name,
        await column(
          database,
          `md5(string_agg(line, E'\\n')) AS value FROM (SELECT concat_ws('|', ${columns}) AS line FROM ${from}) lines`,
        ),
      ]),
    );

  it('continues after a failure half-way, and loads the same content', async () => {
    const stop = new Error('stopped half-way');
    const failing = load(second.ownerUrl, 1, (line) => {
      if (line.includes('versements')) throw stop;
    });
    await expect(failing).rejects.toBe(stop);
    expect(await column(twin, 'count(*) AS value FROM reports')).toEqual([0]);
    // As if it had been killed while it read them.
    await sql`UPDATE statements SET status = 'reading', loaded_at = NULL WHERE source IS NULL`.execute(twin);
    await load(second.ownerUrl, 1);
    expect(await fingerprints(twin)).toEqual(await fingerprints(db));
  }, 120_000);

  it('completes an existing demo once', async () => {
    await load(second.ownerUrl, 2);
    expect(await column(twin, 'count(*) AS value FROM accounts')).toEqual([280]);
    expect(await column(twin, 'count(*) - count(DISTINCT email) AS value FROM accounts')).toEqual([0]);
    expect(await column(twin, 'count(*) AS value FROM admins')).toEqual([4]);
    expect(await verifyLedger(twin, testLines)).toEqual([]);
    const said: string[] = [];
    await load(second.ownerUrl, 2, (line) => said.push(line));
    expect(said).toEqual(['Le catalogue de démonstration est déjà là (échelle 2).']);
    expect(await column(twin, 'count(*) AS value FROM accounts')).toEqual([280]);
  });

  it('refuses a database with real accounts', async () => {
    await other
      .insertInto('accounts')
      .values({ firstName: 'Jeanne', lastName: 'Réelle', libraryPercentile: '80', youtubePercentile: '80' })
      .execute();
    await expect(load(third.ownerUrl, 1)).rejects.toThrow(/ne viennent pas de la démonstration/);
    expect(await column(other, 'count(*) AS value FROM accounts')).toEqual([1]);
  });
});

describe('the statements of the demo', () => {
  it('of five sources are read by the normal code and posted month by month, leaving months to close', async () => {
    expect(await values('status AS value FROM statements GROUP BY 1 ORDER BY 1')).toEqual([
      ...['checked', 'loaded', 'refused', 'replaced', 'unrecognised'],
    ]);
    expect(await values(`source AS value FROM statements WHERE source IS NOT NULL GROUP BY 1 ORDER BY 1`)).toEqual([
      ...['Bandcamp', 'Believe', 'DistroKid', 'Symphonic', 'The Orchard'],
    ]);
    // The months of the quarter a second time, with what came late.
    expect(
      await values(`to_char(month, 'YYYY-MM') AS value FROM imports WHERE kind = 'automatic' ORDER BY id`),
    ).toEqual([...['2026-07', '2026-08', '2026-07', '2026-08']]);
    expect(await values(`count(*) > 2 AS value FROM income_items WHERE track_id IS NULL`)).toEqual([true]);
    expect(
      await values(
        `file_name AS value FROM live_duplicates d JOIN statements s ON s.id = d.statement_id ORDER BY s.id`,
      ),
    ).toEqual([expect.stringMatching(/^DistroKid_\d{4}-\d\d\.tsv$/), expect.stringMatching(/_copie\.tsv$/)]);
    expect(await values(`findings -> 'refusal' -> 'line' AS value FROM statements WHERE status = 'refused'`)).toEqual([
      13,
    ]);
    expect(
      await values(
        `o.file_name AS value FROM statements s JOIN statements o ON o.id = s.replaces WHERE o.status = 'replaced'`,
      ),
    ).toEqual(['TheOrchard_2026-08.csv']);
  });

  it('have the same income as what is posted, and a rate for each month and currency but the last franc', async () => {
    expect(
      await values(`m.currency AS value FROM statement_months m WHERE rate_of(m.currency, m.month) IS NULL`),
    ).toEqual(['CHF']);
    expect(
      await values(
        `count(*) AS value FROM statement_months m JOIN statements s ON s.id = m.statement_id
          WHERE s.status = 'checked' AND m.month < '2026-09-01' AND m.posted_amount <> m.amount`,
      ),
    ).toEqual([0]);
  });
});
