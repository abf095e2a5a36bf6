import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { openEvents } from './events.service.ts';
import { progressChannel } from './take-lines.service.ts';

const app = useApp();

const notify = (payload: unknown) =>
  sql`SELECT pg_notify(${progressChannel}, ${JSON.stringify(payload)})`.execute(app.owner);

/** Repeats the notification until a client receives it, since listening starts shortly after the response. */
async function notifyUntil(payload: unknown, isReceived: () => boolean): Promise<void> {
  while (!isReceived()) await notify(payload);
}

async function listen(client: TestClient) {
  const { port } = app.app.server.listening
    ? (app.app.server.address() as AddressInfo)
    : await app.app.listen({ port: 0, host: '127.0.0.1' }).then(() => app.app.server.address() as AddressInfo);
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(`http://127.0.0.1:${port}/api/reporting/statements/events`, { headers: { cookie } });
  let text = '';
  const ended = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })();
  return { response, ended, text: () => text };
}

it('closes when the session or the capability ends', async () => {
  const open = async () => {
    const { cookies, admin } = await app.signInWith(['read_reports']);
    const request = { cookies: Object.fromEntries(cookies) } as Parameters<typeof openEvents>[1];
    const stream = openEvents(app.deps, request, 5).resume();
    // Listen from the start: the stream may close before the call that ends it returns.
    return { admin, stream, closed: once(stream, 'close') };
  };
  const [one, other] = [await open(), await open()];
  await app.owner.deleteFrom('adminCapabilities').where('adminId', '=', one.admin.id).execute();
  await one.closed;
  expect(other.stream.closed).toBe(false);
  await app.owner.deleteFrom('sessions').where('adminId', '=', other.admin.id).execute();
  await other.closed;
});

it('sends the progress of statements only to those who may read reports', async () => {
  const reader = await app.signInWith(['read_reports']);
  const events = await listen(reader);
  expect(events.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(events.response.headers.get('cache-control')).toBe('no-store');
  await notifyUntil({ statementId: 7, bytes: 10, sizeBytes: 20, rows: 3, secret: 'x' }, () =>
    events.text().includes('data:'),
  );
  expect(events.text()).toContain('data: {"statementId":7,"bytes":10,"sizeBytes":20,"rows":3}\n\n');
  const other = await listen(await app.signInWith(['read_tools']));
  expect(other.response.status).toBe(403);
  // Invalid notifications are not forwarded.
  await notify('nonsense');
  const seen = events.text();
  await notifyUntil({ statementId: 8 }, () => events.text().includes('{"statementId":8}'));
  expect(events.text().slice(seen.length)).not.toContain('nonsense');
  await app.app.close();
  await events.ended;
});
