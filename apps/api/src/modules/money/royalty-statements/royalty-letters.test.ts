import type { RoyaltyRun, RoyaltyStatementRow } from '@regie/contract/routes/royalty-statements.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queryValue } from '#src/lib/db.ts';
import { newToken, sign } from '#src/lib/secrets.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { testOrigin } from '#test/origin.ts';
import { buildStatement } from '#test/statements.ts';
import { publishRun } from './publish-run.service.ts';
import { sendRoyaltyLetterJob } from './royalty-letters.service.ts';

const app = useApp();
let staff: TestClient;
let main: Client;
let month = 0;

beforeAll(async () => {
  staff = await app.signInWith();
  main = new Client({ connectionString: app.database.ownerUrl });
  await main.connect();
});
afterAll(() => main.end());
beforeEach(() => sql`DELETE FROM rate_limits`.execute(app.owner));

async function publish(): Promise<number> {
  month += 1;
  const { id } = await app.owner
    .insertInto('royaltyRuns')
    .values({ month: `2025-${String(month).padStart(2, '0')}-01` })
    .returning('id')
    .executeTakeFirstOrThrow();
  await publishRun(main, app.deps.lines, id);
  return id;
}
async function payee(email: string | null, state = 'enabled'): Promise<number> {
  const id = await buildAccount(app.db, {});
  await app.owner.updateTable('accounts').set({ email, state }).where('id', '=', id).execute();
  await app.db
    .transaction()
    .execute((trx) => postAdjustment(trx, { accountId: id, amountEur: '12.5', adminId: null, reason: 'Avance <b>' }));
  return id;
}
const rowsOf = async (run: number, query = '') =>
  (await staff.get(`/api/royalty-statements?runId=${run}&limit=100${query}`)).data as RoyaltyStatementRow[];
const detailOf = async (id: number) =>
  (await staff.get(`/api/royalty-statements/${id}`)).data as RoyaltyStatementRow & {
    link: string | null;
    email: string;
  };
const runOf = async (id: number) => (await staff.get(`/api/royalty-runs/${id}`)).data as RoyaltyRun;
const open = (link: string, more = '') => app.app.inject({ method: 'GET', url: link.replace(testOrigin, '') + more });
const linkIn = (text: string) => /https?:\/\/\S+\/releve\/\S+/.exec(text)?.[0] ?? '';

/** Knowing the letter's state. */
const send = async (id: number) =>
  staff.post(`/api/royalty-statements/${id}/send`, { seenAt: (await detailOf(id)).letter.at });

/** A statement that was sent to this address. */
async function sent(email: string) {
  const account = await payee(email);
  const run = await publish();
  const row = (await rowsOf(run)).find(({ Account }) => Account.id === account);
  const id = row?.id ?? 0;
  expect((await send(id)).status).toBe(200);
  const letters = await app.runJobs();
  return { account, run, id, letter: letters.find(({ to }) => to === email), link: (await detailOf(id)).link ?? '' };
}

describe('the letters of a run', () => {
  it('leave once to each account with an address; the others are listed with the reason', async () => {
    const [awa, without, blocked] = [
      await payee('awa@exemple.fr'),
      await payee(null),
      await payee('bloquee@exemple.fr', 'disabled'),
    ];
    const run = await publish();
    expect(await runOf(run)).toMatchObject({ letters: { none: 3 }, withoutEmail: 1, stopped: 1 });
    expect((await staff.post(`/api/royalty-runs/${run}/send`)).data).toEqual({ queued: 1, failed: 2 });
    expect((await staff.post(`/api/royalty-runs/${run}/send`)).data).toEqual({ queued: 0, failed: 2 });
    const letters = await app.runJobs();
    expect(letters.map(({ to }) => to)).toEqual(['awa@exemple.fr']);
    expect(await app.runJobs()).toEqual([]);
    const id = (await rowsOf(run, '&letter=sent'))[0]?.id ?? 0;
    const { link } = await detailOf(id);
    expect(linkIn(letters[0]?.text ?? '')).toBe(link);
    expect(letters[0]?.text).not.toContain('12,50');
    expect((await rowsOf(run, '&letter=failed')).map(({ letter }) => letter.failure).sort()).toEqual([
      'no_email',
      'suspended',
    ]);
    expect(await runOf(run)).toMatchObject({ letters: { none: 0, queued: 0, sent: 1, failed: 2 } });
    expect((await rowsOf(run, '&letter=sent'))[0]?.Account.id).toBe(awa);

    const emailOf = (email: string | null, of: number) =>
      app.owner.updateTable('accounts').set({ email }).where('id', '=', of).execute();
    await emailOf('retrouvee@exemple.fr', without);
    expect((await staff.post(`/api/royalty-runs/${run}/send`)).data).toEqual({ queued: 1, failed: 1 });
    // The address is the account's when the letter leaves.
    await emailOf('corrigee@exemple.fr', without);
    expect((await app.runJobs()).map(({ to }) => to)).toEqual(['corrigee@exemple.fr']);

    const stopped = (await rowsOf(run)).find(({ Account }) => Account.id === blocked)?.id;
    await send(stopped ?? 0);
    expect((await app.runJobs()).map(({ to }) => to)).toEqual(['bloquee@exemple.fr']);
  });

  it('leave again only when the caller knows that they have left', async () => {
    const { id } = await sent('deux@exemple.fr');
    expect(await staff.post(`/api/royalty-statements/${id}/send`, { seenAt: null })).toMatchObject({ status: 409 });
    expect(await app.runJobs()).toEqual([]);
    expect((await send(id)).status).toBe(200);
    expect(await app.runJobs()).toHaveLength(1);
  });

  it('are due later once as many as are allowed have left in the last minute', async () => {
    const account = await payee('rythme@exemple.fr');
    const run = await publish();
    const id = (await rowsOf(run)).find(({ Account }) => Account.id === account)?.id ?? 0;
    await send(id);
    let sentMails = 0;
    const job = sendRoyaltyLetterJob({
      ...{ publicUrl: testOrigin, sessionSecret: 'secret', lettersPerMinute: 1 },
      sendMail: async () => {
        sentMails += 1;
      },
    });
    const deps = { db: app.owner, log: app.deps.log };
    const tryAt = (ago: string) =>
      sql`UPDATE royalty_letters SET tried_at = now() - ${ago}::interval WHERE statement_id <> ${id}`.execute(
        app.owner,
      );
    await tryAt('1 second');
    await job({ statementId: id }, deps);
    expect(sentMails).toBe(0);
    await tryAt('2 minutes');
    await job({ statementId: id }, deps);
    await job({ statementId: id }, deps);
    expect(sentMails).toBe(1);
    await sql`DELETE FROM graphile_worker._private_jobs`.execute(app.owner);
  });

  it('are tried for three days', async () => {
    const account = await payee('silence@exemple.fr');
    const run = await publish();
    const id = (await rowsOf(run)).find(({ Account }) => Account.id === account)?.id ?? 0;
    await send(id);
    const job = sendRoyaltyLetterJob({
      ...{ publicUrl: testOrigin, sessionSecret: 'secret', lettersPerMinute: 1000 },
      sendMail: async () => {
        throw new Error('no answer');
      },
    });
    const deps = { db: app.owner, log: app.deps.log };
    await expect(job({ statementId: id }, deps)).rejects.toThrow('no answer');
    expect((await detailOf(id)).letter).toMatchObject({ state: 'queued', failure: 'unreachable' });
    await sql`UPDATE royalty_letters SET queued_at = now() - interval '4 days' WHERE statement_id = ${id}`.execute(
      app.owner,
    );
    await job({ statementId: id }, deps);
    expect((await detailOf(id)).letter).toMatchObject({ state: 'failed', failure: 'given_up' });
    await sql`DELETE FROM graphile_worker._private_jobs`.execute(app.owner);
  });

  it('need an address, a published run and an account that is not erased', async () => {
    const account = await payee(null);
    const run = await publish();
    const id = (await rowsOf(run)).find(({ Account }) => Account.id === account)?.id ?? 0;
    expect(await send(id)).toMatchObject({ status: 422 });
    await sql`UPDATE accounts SET erased_at = now(), email = NULL WHERE id = ${account}`.execute(app.owner);
    expect(await send(id)).toMatchObject({ status: 409 });
    const { id: unpublished } = await app.owner
      .insertInto('royaltyRuns')
      .values({ month: '2024-01-01' })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect(await staff.post(`/api/royalty-runs/${unpublished}/send`)).toMatchObject({ status: 409 });
    await sql`DELETE FROM royalty_runs WHERE id = ${unpublished}`.execute(app.owner);
    expect(await staff.post(`/api/royalty-runs/${unpublished}/send`)).toMatchObject({ status: 404 });
  });
});

describe('the page of a statement', () => {
  it('shows the figures without session, cookie or script, and is not indexed', async () => {
    const { link } = await sent('page@exemple.fr');
    const page = await open(link);
    expect(page.statusCode).toBe(200);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    });
    expect(page.headers).not.toHaveProperty('set-cookie');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).not.toMatch(/<script|style="|<iframe|http:/);
    expect(page.body).toContain('12,50');
    expect(page.body).toContain('Avance &lt;b&gt;');
    expect((await open(link, '/releve.pdf')).body.slice(0, 4)).toBe('%PDF');
    expect((await open(link, '/lignes.csv')).statusCode).toBe(404);
    expect((await open(link, '/autre')).statusCode).toBe(404);
    expect((await open(link, '/titre/7')).statusCode).toBe(404);
  });

  it('leads an amount back to the lines of the store’s file', async () => {
    const account = await payee('lignes@exemple.fr');
    const track = await buildTrack(app.db, account, {
      releaseId: await buildRelease(app.db, account),
      title: 'Aurore',
    });
    const rows = Array.from({ length: 60 }, (_, n) => ({
      ...{ isrc: track.isrc, month: '2025-03', amount: `${n + 1}.0000007`, store: `Boutique ${n}`, country: 'FR' },
    }));
    await buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, { isChecked: true });
    await postMonthAsShown(staff, { fromDate: monthToMs('2025-03'), confirmRates: true });
    const run = await publish();
    const row = (await rowsOf(run)).find(({ Account }) => Account.id === account);
    await send(row?.id ?? 0);
    const link = (await detailOf(row?.id ?? 0)).link ?? '';
    const page = await open(link);
    const [, path = ''] = /href="[^"]+(\/titre\/\d+)"/.exec(page.body) ?? [];
    const why = await open(link, path);
    expect(why.body).toMatch(/60,0000007 USD|1,0000007 USD/);
    expect(why.body).toMatch(/ligne \d+/);
    const [, next = ''] = /(\/titre\/\d+\?apres=\d+)"/.exec(why.body) ?? [];
    const rest = await open(link, next);
    expect(rest.statusCode).toBe(200);
    expect((await open(link, `${path}?apres=99999`)).statusCode).toBe(404);
    expect((why.body + rest.body).match(/Boutique \d+</g)).toHaveLength(60);

    const file = await open(link, '/lignes.csv');
    const lines = file.body.trim().split('\n').slice(1);
    expect(lines).toHaveLength(60);
    const micros = lines.map((line) => BigInt((line.split(';')[12] ?? '').replace(',', '')));
    const income = await queryValue<string>(app.owner)`SELECT income_eur FROM royalty_statements WHERE id = ${row?.id}`;
    expect(micros.reduce((sum, part) => sum + part, 0n)).toBe(BigInt(income.replace('.', '')));
    expect((await staff.get(`/api/royalty-statements/${row?.id}/lines.csv`)).status).toBe(200);
  });

  it('is missing alike for a guessed, revoked or expired link, and once the account is erased', async () => {
    const { link, id, account } = await sent('fin@exemple.fr');
    const missing = async (address: string) => {
      const page = await open(address);
      const { date, 'x-request-id': _, ...headers } = page.headers;
      return { status: page.statusCode, body: page.body, headers };
    };
    const guessed = await missing(`${testOrigin}/releve/${id}-1-${newToken()}`);
    expect(guessed.status).toBe(404);
    expect(await missing(`${testOrigin}/releve/x`)).toEqual(guessed);

    expect((await staff.post(`/api/royalty-statements/${id}/revoke-link`)).status).toBe(200);
    expect(await missing(link)).toEqual(guessed);
    expect((await detailOf(id)).link).toBeNull();
    expect((await staff.post(`/api/royalty-statements/${id}/revoke-link`)).status).toBe(409);

    await send(id);
    await app.runJobs();
    const again = (await detailOf(id)).link ?? '';
    expect(again).not.toBe(link);
    expect((await open(again)).statusCode).toBe(200);
    expect(await missing(link)).toEqual(guessed);

    await sql`UPDATE royalty_letters SET expires_at = now() WHERE statement_id = ${id}`.execute(app.owner);
    expect(await missing(again)).toEqual(guessed);
    await sql`UPDATE royalty_letters SET expires_at = now() + interval '1 day' WHERE statement_id = ${id}`.execute(
      app.owner,
    );
    expect((await open(again)).statusCode).toBe(200);
    await app.db
      .transaction()
      .execute((trx) =>
        postAdjustment(trx, { accountId: account, amountEur: '-12.5', adminId: null, reason: 'Solde' }),
      );
    expect((await staff.post(`/api/profile/${account}/erasure`, { reason: 'demande' })).status).toBe(200);
    expect(await missing(again)).toEqual(guessed);
  });

  it('opens for none of 10 000 guessed links, and slows their sender down', { timeout: 60_000 }, async () => {
    const { link, id } = await sent('devine@exemple.fr');
    const secret = app.deps.cookies.secret;
    const statuses = new Map<number, number>();
    const guess = async (n: number) => {
      const mac = n % 2 === 0 ? newToken() : sign(secret, 'royalty-link', `${id}.${n + 2}`);
      const page = await open(`/releve/${id}-${n % 2 === 0 ? 1 : n + 2}-${mac}`);
      statuses.set(page.statusCode, (statuses.get(page.statusCode) ?? 0) + 1);
    };
    for (let n = 0; n < 10_000; n += 100) await Promise.all(Array.from({ length: 100 }, (_, k) => guess(n + k)));
    expect(statuses.get(200)).toBeUndefined();
    expect(statuses.get(404)).toBe(30);
    expect(statuses.get(429)).toBe(9970);
    // A customer behind the same address is not stopped.
    expect((await open(link)).statusCode).toBe(200);
  });
});
