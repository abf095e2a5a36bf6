import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { useApp } from '#test/app.ts';
import { buildApp } from './app.ts';
import { createDatabase, type Database } from './lib/db.ts';

const app = useApp();
const opened: Database[] = [];
afterAll(() => Promise.all(opened.map((db) => db.destroy())));

/** The app, and the lines that it logs. */
async function buildLoud() {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const loud = await buildApp({
    deps: { ...app.deps, log },
    trustProxy: [],
    webDir: undefined,
    metricsToken: undefined,
  });
  return { loud, lines };
}

it('logs where the database failed, but not its message, which may quote a row', async () => {
  await sql`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'row (awa@exemple.fr) is refused'; END $$`.execute(app.owner);
  await sql`CREATE TRIGGER fail BEFORE INSERT ON exchange_rates EXECUTE FUNCTION fail()`.execute(app.owner);
  const { loud, lines } = await buildLoud();
  const client = await app.signInWith();
  const response = await loud.inject({
    method: 'PUT',
    url: '/api/exchange-rates',
    cookies: Object.fromEntries(client.cookies),
    headers: { 'x-csrf-token': client.csrf ?? '' },
    payload: { month: monthToMs('2025-03'), currency: 'GBP', rate: 0.85, confirmFar: true },
  });
  await loud.close();
  expect(response.statusCode).toBe(500);
  const logged = lines.join('');
  expect(logged).toContain('unexpected error');
  expect(logged).toContain('exchange-rates.routes.ts');
  expect(logged + response.body).not.toContain('awa@exemple.fr');
});

it('logs the address and the user agent of each call without control characters, but no query', async () => {
  const { loud, lines } = await buildLoud();
  await loud.inject({
    url: '/api/journal?q=secret',
    remoteAddress: '203.0.113.9',
    headers: { 'user-agent': 'Essai/1.0\u001b[2J\n{"level":60}' },
  });
  await loud.close();
  const [entry] = lines.map((line) => JSON.parse(line) as object).filter((line) => 'route' in line);
  expect(entry).toMatchObject({ route: '/api/journal', status: 401, address: '203.0.113.9' });
  expect(entry).toHaveProperty('agent', 'Essai/1.0 [2J {"level":60}');
  expect(lines.join('')).not.toContain('secret');
});

it('logs the admin and the reason of each refusal', async () => {
  const { loud, lines } = await buildLoud();
  const client = await app.signInWith(['read_audit']);
  const cookies = Object.fromEntries(client.cookies);
  const headers = { 'x-csrf-token': client.csrf ?? '' };
  await loud.inject({ method: 'PUT', url: '/api/settings', cookies, headers, payload: {} });
  await loud.inject({ method: 'PUT', url: '/api/settings', cookies, payload: {} });
  await loud.inject({ url: '/api/journal?limit=0', cookies });
  await loud.inject({ url: '/api/journal', cookies });
  for (let n = 0; n < 6; n += 1) {
    const payload = {
      presentPassword: 'x',
      password: 'neuf curseurs gris',
      password_confirmation: 'neuf curseurs gris',
    };
    await loud.inject({ method: 'PUT', url: '/api/auth/password', cookies, headers, payload });
  }
  await loud.close();
  const entries = lines
    .map((line) => JSON.parse(line) as { route?: string })
    .filter(({ route }) => route !== undefined);
  const admin = client.admin.id;
  expect(entries.slice(0, 4)).toMatchObject([
    { status: 403, refusal: 'forbidden', admin },
    { status: 403, refusal: 'csrf_invalid', admin },
    { status: 422, refusal: 'validation_failed', admin },
    { status: 200, admin },
  ]);
  expect(entries[3]).not.toHaveProperty('refusal');
  expect(entries.at(-1)).toMatchObject({ status: 429, refusal: 'too_many_requests', admin });
});

it('decides "expired" by the date in Paris, whatever the database\'s time zone', async () => {
  // These zones are 25 hours apart: at any time one has another date than Paris.
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const url = new URL(app.database.appUrl);
    url.searchParams.set('options', `-c timezone=${zone}`);
    const db = createDatabase(url.href, { max: 2 });
    opened.push(db);
    const elsewhere = await buildApp({
      deps: { ...app.deps, db },
      trustProxy: [],
      webDir: undefined,
      metricsToken: undefined,
    });
    const { rows } = await sql<{ id: number; day: number }>`
      WITH account AS (INSERT INTO accounts (last_name, library_percentile, youtube_percentile)
        VALUES ('Dernier jour', 80, 80), ('Veille', 80, 80) RETURNING id, last_name)
      INSERT INTO orders (account_id, plan, status, plan_price, paid_at, due_date)
      SELECT id, 'label', 'paid', 10, now(), (now() AT TIME ZONE 'Europe/Paris')::date - (last_name = 'Veille')::int
        FROM account ORDER BY last_name RETURNING account_id AS id, due_date - '2000-01-01'::date AS day`.execute(
      app.db,
    );
    const [lastDay, dayBefore] = [...rows].sort((a, b) => b.day - a.day);
    const client = await app.signInWith();
    const response = await elsewhere.inject({
      url: '/api/accounts/profiles?kind=accountsWithLabelSubscription&limit=500',
      cookies: Object.fromEntries(client.cookies),
    });
    await elsewhere.close();
    const held = response
      .json<{ data: { accountsWithLabelSubscription: { userId: number }[] } }>()
      .data.accountsWithLabelSubscription.map((one) => one.userId);
    expect(held).toContain(lastDay?.id);
    expect(held).not.toContain(dayBefore?.id);
  }
});
