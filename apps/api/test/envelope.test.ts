import { errorStatus } from '@regie/contract/envelope.ts';
import { messages } from '@regie/contract/messages.ts';
import { routeTable } from '@regie/contract/routes.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '#src/lib/errors.ts';
import { type Reply, type TestClient, testPassword, useApp } from './app.ts';

const app = useApp();
let client: TestClient & { admin: { id: number; email: string } };

beforeAll(async () => {
  client = await app.signInWith();
});

function expectRefusal(reply: Reply, status: number, code: string, message: string) {
  expect(reply).toMatchObject({ status, code, message, data: null, errors: { global: message } });
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.headers['x-content-type-options']).toBe('nosniff');
  const policy = "default-src 'none';object-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";
  expect(reply.headers['content-security-policy']).toBe(policy);
  expect(reply.headers['referrer-policy']).toBe('same-origin');
  expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  expect(reply.headers['x-request-id']).toMatch(/^[\w-]{16}$/);
}

const invitation = (n: number) => ({ email: `cle${n}@regie.example`, capabilities: [] });
const post = (options: Parameters<TestClient['call']>[2]) => client.call('POST', '/api/manage-admins/invite', options);

describe('error answers', () => {
  it('400: a body that is not JSON, not an object, or absent', async () => {
    expectRefusal(await post({ rawBody: '{"email":' }), 400, 'invalid_data', messages.invalidData);
    expectRefusal(await post({ rawBody: '"text"' }), 400, 'invalid_data', messages.invalidData);
    expectRefusal(await post({}), 400, 'invalid_data', messages.emptyInput);
    expectRefusal(
      await post({ rawBody: '', headers: { 'content-type': 'application/json' } }),
      400,
      'invalid_data',
      messages.emptyInput,
    );
  });

  it('400: a text PostgreSQL cannot store', async () => {
    const reply = await client.get('/api/journal?q=a%00b');
    expectRefusal(reply, 400, 'invalid_data', messages.invalidData);
  });

  it.each(
    routeTable.filter(({ method, upload, path }) => method !== 'GET' && !upload && !path.startsWith('/webhooks')),
  )('400: invalid text sent to $method $path', async ({ method, path }) => {
    const url = `/api${path.replaceAll(/:\w+/g, '1')}`;
    for (const torn of [
      '{"a":"\\ud800"}',
      '{"a":["x\\uDFFFy"]}',
      '{"\\udc00":1}',
      Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'),
    ]) {
      const reply = await client.call(method, url, { rawBody: torn, headers: { 'content-type': 'application/json' } });
      expectRefusal(reply, 400, 'invalid_data', messages.invalidData);
    }
  });

  it('does not read the body of an unauthorised sender', async () => {
    const stranger = await app.visitor();
    const send = (url: string) =>
      stranger.call('POST', `/api${url}`, { rawBody: '{"a"', headers: { 'content-type': 'application/json' } });
    expectRefusal(await send('/nowhere'), 404, 'not_found', messages.notFound);
    expectRefusal(await send('/webhooks/stripe'), 404, 'not_found', messages.notFound);
    expectRefusal(await send('/manage-admins/invite'), 401, 'unauthorized', messages.unauthorized);
  });

  it('accepts a complete surrogate pair', async () => {
    const reply = await post({ rawBody: '{"email":"\\ud83c\\udfa7","capabilities":[]}' });
    expect(reply).toMatchObject({ status: 422, errors: { email: messages.email } });
  });

  it('400: an invalid URL', async () => {
    expect(await client.get('/api/%zz')).toMatchObject({ status: 400, code: 'invalid_data' });
  });

  it('404: an unknown call, and an :id that is not a positive integer', async () => {
    expectRefusal(await client.get('/api/nowhere'), 404, 'not_found', messages.notFound);
    for (const id of ['0', '-1', '1.5', 'abc', '1e400', '9007199254740993']) {
      const reply = await client.delete(`/api/manage-admins/admin/${id}`);
      expectRefusal(reply, 404, 'not_found', messages.notFound);
    }
  });

  it('413: a body over the limit', async () => {
    const reply = await post({ body: { email: 'x'.repeat(256 * 1024) } });
    expectRefusal(reply, 413, 'too_large', messages.tooLarge);
    const elements = await post({
      rawBody: `[${','.repeat(200_000)}]`,
      headers: { 'content-type': 'application/json' },
    });
    expectRefusal(elements, 413, 'too_large', messages.tooLarge);
  });

  it.each(
    routeTable.filter(({ capability, method, path }) => {
      return capability === 'public' && method !== 'GET' && !path.startsWith('/webhooks');
    }),
  )('413: more than 32 kB from a visitor to $path', async ({ method, path }) => {
    const stranger = await app.visitor();
    const reply = await stranger.call(method, `/api${path}`, { body: { email: 'x'.repeat(33_000) } });
    expectRefusal(reply, 413, 'too_large', messages.tooLarge);
  });

  it('415: another content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const reply = await post({ rawBody: 'email=a', headers: { 'content-type': type } });
      expectRefusal(reply, 415, 'unsupported_type', messages.unsupportedType);
    }
  });

  it("422: a field's rule, with its path", async () => {
    const reply = await post({ body: { email: 'nope', capabilities: [1, 'x'] } });
    expect(reply).toMatchObject({ status: 422, code: 'validation_failed', data: null });
    expect(reply.errors).toEqual({ email: messages.email, 'capabilities.1': messages.quotedNumber });
  });

  it.each(['0', '501', '-1', '1.5'])('422: limit=%s', async (limit) => {
    const reply = await client.get(`/api/journal?limit=${limit}`);
    expect(reply).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(Object.keys(reply.errors)).toEqual(['limit']);
  });

  it('400: an invalid limit, or a cursor of another list or origin', async () => {
    const admins = await client.get('/api/manage-admins?limit=1&sort=id');
    expect(admins.meta?.nextCursor).toBeNull();
    await app.buildAdmin();
    const cursor = (await client.get('/api/manage-admins?limit=1&sort=id')).meta?.nextCursor ?? '';
    expect((await client.get(`/api/manage-admins?limit=1&sort=id&cursor=${cursor}`)).status).toBe(200);
    const forged = (value: unknown) => {
      const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      return Buffer.from(JSON.stringify([...(Array.isArray(parts) ? parts.slice(0, 1) : []), value, 1])).toString(
        'base64url',
      );
    };
    for (const url of [
      '/api/journal?limit=abc',
      `/api/journal?cursor=${cursor}`,
      `/api/reporting/all?sort=id&order=asc&cursor=${cursor}`,
      `/api/manage-admins?sort=name&cursor=${cursor}`,
      `/api/manage-admins?sort=id&order=desc&cursor=${cursor}`,
      `/api/manage-admins?sort=id&kind=capabilities&cursor=${cursor}`,
      '/api/journal?cursor=!!!',
      `/api/manage-admins?sort=id&cursor=${forged('x')}`,
      `/api/manage-admins?sort=id&cursor=${forged(null)}`,
      `/api/manage-admins?sort=id&cursor=${forged('9'.repeat(30))}`,
    ]) {
      expectRefusal(await client.get(url), 400, 'invalid_data', messages.invalidData);
    }
  });

  it('internal errors have a generic message', () => {
    expect(new AppError('server_error').errors).toEqual({ global: messages.serverError });
  });

  it('500: without path, SQL text or stack, and with another message for reads', async () => {
    // The session cannot be read: the table of capabilities is renamed.
    await app.owner.schema.alterTable('admin_capabilities').renameTo('hidden_capabilities').execute();
    try {
      for (const [reply, sentence] of [
        [await client.get('/api/journal'), messages.readFailed],
        [await post({ body: invitation(0) }), messages.serverError],
      ] as const) {
        expectRefusal(reply, 500, 'server_error', sentence);
        expect(JSON.stringify(reply)).not.toMatch(/capabilit|select|node_modules|\.ts/i);
      }
    } finally {
      await app.owner.schema.alterTable('hidden_capabilities').renameTo('admin_capabilities').execute();
    }
  });
});

describe('Idempotency-Key', () => {
  const count = async (email: string) =>
    (await app.db.selectFrom('invitations').select('id').where('email', '=', email).execute()).length;

  it('applies twenty parallel calls once, with the same answer', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => post({ body: invitation(1), headers: { 'idempotency-key': 'k1' } })),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(new Set(replies.map(({ data, message }) => JSON.stringify([data, message]))).size).toBe(1);
    expect(replies.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect(replies.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(19);
    expect(await count(invitation(1).email)).toBe(1);
    const entries = (await app.journal('admin.invite')).filter((row) => JSON.stringify(row.after).includes('cle1@'));
    expect(entries).toHaveLength(1);
  });

  it('refuses the same key with another body', async () => {
    expect((await post({ body: invitation(2), headers: { 'idempotency-key': 'k2' } })).status).toBe(200);
    const other = await post({ body: invitation(3), headers: { 'idempotency-key': 'k2' } });
    expectRefusal(other, 409, 'conflict', messages.idempotencyConflict);
    expect(await count(invitation(3).email)).toBe(0);
  });

  it('separates the keys of admins, paths and queries', async () => {
    const other = await app.signInWith();
    const headers = { 'idempotency-key': 'k2' };
    expect((await other.post('/api/manage-admins/invite', invitation(4), headers)).status).toBe(200);
    const elsewhere = await client.call('POST', '/api/manage-admins/invite?x=1', { body: invitation(5), headers });
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.headers['idempotency-replayed']).toBeUndefined();
  });

  it('releases a key whose call failed', async () => {
    const headers = { 'idempotency-key': 'k3' };
    const body = { email: client.admin.email, capabilities: [] };
    expect((await post({ body, headers })).status).toBe(422);
    expect((await post({ body: invitation(6), headers })).status).toBe(200);
  });

  it('checks the capability first, even for a stored answer', async () => {
    const demoted = await app.signInWith(['edit_admins']);
    const headers = { 'idempotency-key': 'k4' };
    expect((await demoted.post('/api/manage-admins/invite', invitation(7), headers)).status).toBe(200);
    await app.db.deleteFrom('adminCapabilities').where('adminId', '=', demoted.admin.id).execute();
    expect((await demoted.post('/api/manage-admins/invite', invitation(7), headers)).status).toBe(403);
  });

  it.each(['', 'x'.repeat(201)])('refuses a key of %o', async (key) => {
    const reply = await post({ body: invitation(8), headers: { 'idempotency-key': key } });
    expectRefusal(reply, 400, 'invalid_data', messages.invalidData);
  });

  it('is ignored under /auth', async () => {
    const visitor = await app.visitor();
    const body = { email: client.admin.email, password: testPassword };
    for (let n = 0; n < 2; n += 1) {
      const reply = await visitor.post('/api/auth/signin', body, { 'idempotency-key': 'k5' });
      expect(reply).toMatchObject({ status: 200 });
      expect(reply.headers['idempotency-replayed']).toBeUndefined();
      await visitor.check();
    }
  });
});

describe('the API page', () => {
  it('shows every call to signed-in staff, with a policy without unsafe-*', async () => {
    const page = await app.app.inject({ url: '/api/docs', cookies: Object.fromEntries(client.cookies) });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'; style-src 'nonce-[\w-]+'/);
    expect(policy).not.toContain('unsafe');
    const nonce = /nonce-([\w-]+)/.exec(policy)?.[1];
    expect(page.body).toContain(`<style nonce="${nonce}">`);
    expect(page.body).not.toMatch(/<script|style="|onclick/);
    expect(page.body).toContain('/api/manage-admins/admin/:id');
    for (const [code, status] of Object.entries(errorStatus)) {
      expect(page.body).toContain(`<td>${status}</td><td><code>${code}</code></td>`);
    }
    for (const key of ['stepUp', 'provider', 'secondFactor']) expect(page.body).toContain(`errors.${key}`);
  });

  it('describes each call in OpenAPI 3.1', async () => {
    const answer = await app.app.inject({ url: '/api/docs/json', cookies: Object.fromEntries(client.cookies) });
    const document = answer.json<{ openapi: string; paths: Record<string, Record<string, { operationId: string }>> }>();
    expect(document.openapi).toBe('3.1.0');
    const { routeTable } = await import('@regie/contract/routes.ts');
    for (const row of routeTable) {
      const path = `/api${row.path.replace(/:(\w+)/g, '{$1}')}`;
      expect(document.paths[path]?.[row.method.toLowerCase()]?.operationId).toBe(row.name);
    }
    expect(document.paths['/api/manage-admins/admin/{id}']?.put).toMatchObject({
      parameters: expect.arrayContaining([expect.objectContaining({ name: 'id', in: 'path', required: true })]),
      requestBody: { content: { 'application/json': { schema: { required: expect.arrayContaining(['email']) } } } },
    });
  });
});

it('no call changes a prototype that its body names', { tags: ['slow'] }, async () => {
  // The last test here: some of these calls delete the first admin.
  const own = await app.signInWith();
  const names = '{"polluted": "oui"}';
  const rawBody = `{"__proto__": ${names}, "constructor": {"prototype": ${names}}, "data": {"__proto__": ${names}}}`;
  const calls = routeTable.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/auth/'));
  for (const { method, path } of calls) {
    await own.call(method, `/api${path.replaceAll(/:\w+/g, '1')}`, { rawBody });
    expect(Object.prototype, path).not.toHaveProperty('polluted');
  }
});
