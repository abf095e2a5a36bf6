// @module-tag slow
import { auditActions } from '@regie/contract/audit.ts';
import type { RouteContract } from '@regie/contract/route.ts';
import { JournalEntry } from '@regie/contract/routes/staff.ts';
import { routeTable } from '@regie/contract/routes.ts';
import { recordTables } from '@regie/contract/tables.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type TestClient, useApp } from '#test/app.ts';
import { loadDemo } from './load-demo.ts';

/** Generated from the contract: calls every list and every other read with a query on the demo's data. */
const app = useApp();
let client: TestClient;

beforeAll(async () => {
  await loadDemo({
    ownerUrl: app.database.ownerUrl,
    storage: app.deps.storage,
    scale: 1,
    months: 4,
    log: () => undefined,
  });
  await app.runJobs();
  client = await app.signInWith();
  // The demo has no batch, so add one.
  await sql`
    WITH batch AS (INSERT INTO payout_batches (message_id, created_by) SELECT 'ESSAI', min(id) FROM admins RETURNING id)
    UPDATE payouts SET batch_id = batch.id FROM batch
     WHERE payouts.id IN (SELECT id FROM payouts WHERE state = 'pending' AND deleted_at IS NULL LIMIT 5)`.execute(
    app.owner,
  );
}, 180_000);

interface Property {
  enum?: string[];
  const?: string;
  type?: string;
  minimum?: number;
}
const properties = (schema: z.core.$ZodType): Record<string, Property> =>
  (z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }).properties ?? {}) as Record<string, Property>;
const choicesOf = (property: Property) =>
  property.enum ?? (property.const === undefined ? undefined : [property.const]);

const texts = [
  'a',
  'ma',
  'été nuit',
  'Maël Kœnig',
  '%',
  '_',
  "l'",
  '\\',
  '"',
  '(',
  '🎧',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  'é'.repeat(300),
  'FR1234567',
  '12,50',
  '999999999999999999999',
];
const odd = [
  '1',
  '0',
  '-1',
  '1.5',
  'true',
  'x',
  "'",
  '%',
  '\\',
  '🎧',
  '\u0000',
  '1577833200000',
  '1782856800000',
  '99999999999999999999',
  '8640000000000001',
  'Infinity',
  '2026-01',
  'EUR',
];
const paging = new Set(['limit', 'cursor', 'q', 'sort', 'order']);

/** Encodes lone surrogates as three bytes, which JavaScript's URL functions refuse. */
const encode = (text: string) =>
  text.isWellFormed()
    ? encodeURIComponent(text)
    : [...text]
        .map((c) =>
          c.isWellFormed()
            ? encodeURIComponent(c)
            : `%ED%${(0x80 | ((c.charCodeAt(0) >> 6) & 0x3f)).toString(16)}%${(0x80 | (c.charCodeAt(0) & 0x3f)).toString(16)}`,
        )
        .join('');
const toQuery = (query: Record<string, string>) =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&');

type Combination = Record<string, string>;
const product = (choices: readonly [string, readonly string[]][]): Combination[] =>
  choices.reduce<Combination[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );

/** All addresses of a route: each choice in its path, and the first existing record. */
async function urlsOf(row: RouteContract): Promise<string[]> {
  const params = properties(row.params);
  const names = [...row.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
  const values: [string, readonly string[]][] = [];
  for (const name of names) {
    const choices = choicesOf(params[name] ?? {});
    values.push([name, choices ?? [await recordOf(row.path, name)]]);
  }
  return product(values).map(
    (chosen) => `/api${row.path.replace(/:(\w+)/g, (_, name: string) => chosen[name] ?? '1')}`,
  );
}

/** The table for an id, by the path's prefix. */
const tables: readonly [RegExp, string][] = [
  [/^\/payouts\/batches/, 'payout_batches'],
  [/^\/payouts/, 'payouts'],
  [/^\/reporting\/statements/, 'statements'],
  [/^\/imports/, 'imports'],
  [/^\/(profile|invoices\/user|accounts)/, 'accounts'],
];
async function recordOf(path: string, name: string): Promise<string> {
  if (name === 'key') {
    const items = await client.get('/api/reporting/unmatched?limit=1');
    return z.array(z.object({ key: z.string() })).parse(items.data)[0]?.key ?? 'x';
  }
  if (path.startsWith('/img')) {
    const cover = await app.db.selectFrom('files').select('storageKey').where('kind', '=', 'cover').executeTakeFirst();
    return cover?.storageKey.split('/').at(-1) ?? 'x';
  }
  if (path.startsWith('/referrals')) {
    const referral = await app.db.selectFrom('referrals').select('referrerId').executeTakeFirst();
    return String(referral?.referrerId);
  }
  const table = tables.find(([pattern]) => pattern.test(path))?.[1];
  if (!table) return '1';
  const { rows } = await sql<{ id: number }>`SELECT min(id) AS id FROM ${sql.table(table)}`.execute(app.owner);
  return String(rows[0]?.id ?? 1);
}

const reads = routeTable
  .filter((row) => row.method === 'GET' && row.capability !== 'public' && Object.keys(properties(row.query)).length > 0)
  .map((row): [string, (typeof routeTable)[number]] => [row.path, row]);

/** Lists that are empty in the demo. */
const emptyLists = new Set([
  '/imports/:id/unsaved',
  '/manage-admins/left',
  '/reporting/unmatched/aliases',
  '/tools/bulk/edits',
]);

describe('reads with a query', () => {
  it('include every list of the contract', () => {
    const lists = routeTable.filter((row) => row.list).map((row) => row.path);
    expect(lists.length).toBeGreaterThan(30);
    expect(reads.map(([path]) => path)).toEqual(expect.arrayContaining(lists));
  });

  it.each(reads)(
    '%s answers no 5xx to any search, filter or sort',
    async (_path, row) => {
      const known = properties(row.query);
      const filters = Object.entries(known).filter(([name]) => !paging.has(name));
      const combinations = product(
        filters.flatMap(([name, property]): [string, readonly string[]][] => {
          const choices = choicesOf(property);
          return choices ? [[name, choices]] : [];
        }),
      );
      const sorts = product(
        ['sort', 'order'].flatMap((name): [string, readonly string[]][] => {
          const choices = choicesOf(known[name] ?? {});
          return choices ? [[name, choices]] : [];
        }),
      );
      const queries: Combination[] = [
        {},
        ...combinations,
        ...(known.q ? texts.flatMap((q) => combinations.map((chosen) => ({ ...chosen, q }))) : []),
        ...sorts.map((sort) => ({ ...sort, limit: '2' })),
        ...(known.q ? sorts.map((sort) => ({ ...sort, limit: '2', q: 'a' })) : []),
        ...filters.flatMap(([name]) => odd.map((value) => ({ [name]: value }))),
        ...['!!!', 'W10', '\u0000'].map((cursor) => ({ cursor })),
      ];
      const failures: string[] = [];
      let shown = 0;
      for (const url of await urlsOf(row)) {
        for (const query of queries) {
          const text = toQuery(query);
          const reply = await client.get(`${url}?${text}`);
          if (reply.status >= 500) failures.push(`${reply.status} ${url}?${text}`);
          shown += reply.meta?.total ?? 0;
          // The second page of each sort.
          if (query.limit && reply.meta?.nextCursor) {
            const next = await client.get(`${url}?${text}&cursor=${reply.meta.nextCursor}`);
            if (next.status !== 200) failures.push(`${next.status} second page of ${url}?${text}`);
          }
        }
      }
      expect(failures).toEqual([]);
      if (row.list && !emptyLists.has(row.path)) expect(shown).toBeGreaterThan(0);
    },
    240_000,
  );
});

/** Fields of rows that name the record or a person of it. */
const nameKeys = new Set([
  'title',
  'name',
  'fullname',
  'fname',
  'lname',
  'company',
  'email',
  'fileName',
  'file',
  'isrc',
  'barcode',
  'slug',
  'artist',
  'createdBy',
  'messageId',
  'invoiceNumber',
  'userFname',
  'userLname',
  'userEmail',
  'owner',
  'trackTitle',
  'libraryTitle',
  'userName',
]);
/** Names of other records in a row, which no search finds: those of candidates, and of a row's release and account. */
const otherNames = new Map([
  ['/reporting/unmatched', ['fileName', 'isrc', 'libraryTitle', 'userName']],
  ['/tools/empty-isrc-barcode', ['libraryTitle', 'userName']],
  ['/tools/isrc-redundancy', ['userName']],
  ['/tools/naming-redundancy', ['isrc', 'libraryTitle', 'userName']],
]);
/** Lists whose rows have months and amounts only, or that are asked with other parameters elsewhere. */
const namelessLists = new Set([
  '/exchange-rates',
  '/accounting/reports',
  '/accounts/statement',
  '/ledger/transactions/:id/reports',
  '/royalty-drafts',
  '/reporting/analytics',
]);
const namesIn = (value: unknown, key = ''): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([inner, one]) => namesIn(one, Array.isArray(value) ? key : inner))
    : typeof value === 'string' && value.trim() !== '' && nameKeys.has(key)
      ? [[key, value]]
      : [];

describe('the search of a list', () => {
  const searched = reads.filter(
    ([, row]) => row.list && 'q' in properties(row.query) && !emptyLists.has(row.path) && !namelessLists.has(row.path),
  );
  /** The rows of an answer, or of each of its lists. */
  const rowsIn = (data: unknown): unknown[] => (Array.isArray(data) ? data : Object.values(data ?? {}).flat());
  it.each(searched)('%s finds a row by each name that the row shows', async (path, row) => {
    const missed: string[] = [];
    let names = 0;
    for (const url of await urlsOf(row)) {
      const reply = await client.get(`${url}?limit=5`);
      const first = rowsIn(reply.data).find((one) => namesIn(one).length > 0);
      for (const [key, name] of namesIn(first)) {
        if (otherNames.get(path)?.includes(key)) continue;
        names += 1;
        const found = await client.get(`${url}?limit=500&q=${encodeURIComponent(name)}`);
        const rows = rowsIn(found.data).map((one) => JSON.stringify(one));
        if (!rows.includes(JSON.stringify(first))) missed.push(`${url} ${key}: ${name}`);
      }
    }
    expect(missed).toEqual([]);
    expect(names).toBeGreaterThan(0);
  });
});

describe('the journal', () => {
  beforeAll(async () => {
    await sql`
      INSERT INTO code_edits (kind, source, file_name, created_by) SELECT 'isrc', 'file', 'codes.csv', min(id) FROM admins`.execute(
      app.owner,
    );
    await client.post('/api/manage-admins/invite', { email: 'attendue@regie.example', capabilities: [] });
    const preset = {
      ...{ source: 'Chez nous', name: 'Chez nous, relevé mensuel', monthForms: ['YYYY-MM'], decimalMark: ',' },
      columns: { isrc: ['Code piste'], month: ['Mois'], amount: ['Gain'], store: ['Boutique'] },
      ...{ optional: [], signature: [], absent: [], kinds: {}, skip: [], footers: [] },
    };
    await client.post('/api/reporting/presets', preset);
  });

  const presets = { kind: 'statement_preset', table: 'statement_presets', key: undefined } as const;
  it.each([...recordTables, presets])(
    'names the record of an entry of kind $kind',
    async ({ kind, table, key: ofText }) => {
      const key = ofText ? 'key' : 'id';
      const action = Object.entries(auditActions).find(([, entity]) => entity === kind)?.[0];
      const stored = await sql<{ entityId: string }>`
      INSERT INTO audit_log (action, entity, entity_id)
      SELECT ${action}, ${kind}, ${sql.ref(key)}::text FROM ${sql.table(table)} ORDER BY ${sql.ref(key)} LIMIT 1
      RETURNING entity_id`.execute(app.owner);
      const id = stored.rows[0]?.entityId;
      expect(id).toBeDefined();
      const reply = await client.get(`/api/journal?signIns=with&entity=${kind}&entityId=${id}`);
      const [entry] = z.array(JournalEntry).parse(reply.data);
      expect(entry?.records).toEqual([expect.objectContaining({ kind, id })]);
      expect(kind === 'import' || entry?.records[0]?.name).toBeTruthy();
    },
  );
});
