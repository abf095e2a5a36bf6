// @module-tag slow
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queryValue } from '#src/lib/db.ts';
import { sendRun } from '#src/modules/money/royalty-statements/royalty-letters.service.ts';
import { useApp } from './app.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor } from './factories.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

const app = useApp();
const refuses = (address: string) => Number(/\d+/.exec(address)?.[0]) % 2 === 1;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer(refuses);
});
afterAll(() => mail.stop());

/** A published run of statements, without their accounts' movements. */
async function buildRun(count: number): Promise<number> {
  const { id } = await app.owner
    .insertInto('royaltyRuns')
    .values({ month: '2026-01-01', publishedAt: new Date(), throughId: 0 })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (let n = 0; n < count; n += 1) {
    const account = await buildAccount(app.db);
    await sql`UPDATE accounts SET email = ${`c${n}@exemple.fr`} WHERE id = ${account}`.execute(app.owner);
    await sql`
      INSERT INTO royalty_statements (run_id, account_id, number, from_month, opening_eur, closing_eur, income_eur, lines, record, sha256)
      VALUES (${id}, ${account}, 1, '2026-01-01', 0, 0, 0, 0, ${{ number: 1, from: '2026-01', to: '2026-01', account: { name: `Compte ${n}` } }}, ${Buffer.alloc(32)})`.execute(
      app.owner,
    );
  }
  return id;
}

const waiting = () => queryValue<number>(app.owner)`
  SELECT count(*) FROM royalty_letters WHERE sent_at IS NULL AND coalesce(failure, 'unreachable') = 'unreachable'`;

it('delivers or refuses each letter once, whenever the worker is killed', { timeout: 600_000 }, async () => {
  const kills = Math.max(6, deepCount(50));
  const count = kills * 8;
  const run = await buildRun(count);
  const { adminId } = await buildActor(app.owner);
  const caller = { adminId, requestId: null, session: undefined, can: () => true };
  const sent = await app.owner.transaction().execute((trx) => sendRun(trx, caller, run, 60_000_000));
  expect(sent).toEqual({ queued: count, failed: 0 });
  // Asking twice queues nothing more.
  expect(await app.owner.transaction().execute((trx) => sendRun(trx, caller, run, 60))).toEqual({
    queued: 0,
    failed: 0,
  });

  for (let round = 0; round <= kills && (await waiting()) > 0; round += 1) {
    // At once, where a worker waits until the former one is known to be dead.
    await sql`UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL, run_at = now()`.execute(
      app.owner,
    );
    await sql`UPDATE graphile_worker._private_job_queues SET locked_at = NULL, locked_by = NULL`.execute(app.owner);
    const worker = fork(new URL('worker-process.ts', import.meta.url), [app.database.ownerUrl, mail.url]);
    await once(worker, 'message');
    if (round < kills) await delay(Math.random() * 25);
    else while ((await waiting()) > 0) await delay(50);
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
  }

  expect(await waiting()).toBe(0);
  const delivered = [...mail.letters.values()].map(({ to }) => to).sort();
  const expected = Array.from({ length: count }, (_, n) => `c${n}@exemple.fr`).filter((address) => !refuses(address));
  expect(delivered).toEqual(expected.sort());
  // A mailbox shows a letter that was sent twice, around a kill, once.
  expect(mail.deliveries.length).toBeLessThanOrEqual(delivered.length + 2 * kills);
  const states = await sql<{ sent: number; refused: number }>`
    SELECT count(*) FILTER (WHERE sent_at IS NOT NULL) AS sent,
           count(*) FILTER (WHERE failure = 'refused' AND reply = 550) AS refused FROM royalty_letters`.execute(
    app.owner,
  );
  expect(states.rows[0]).toEqual({ sent: count / 2, refused: count / 2 });
});
