import { type Capability, capabilityNames, withImplied } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import type { RouteContract } from '@regie/contract/route.ts';
import { routeTable } from '@regie/contract/routes.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from './app.ts';

/** Generated from all routes, so that a new route is covered at once. */
const app = useApp();
let visitor: TestClient;
let powerless: TestClient;
let allPowerful: TestClient;

beforeAll(async () => {
  visitor = await app.visitor();
  powerless = await app.signInWith([]);
  allPowerful = await app.signInWith();
});

/** Signing in is slow, so admins with equal capabilities are shared. */
const holders = new Map<string, Promise<TestClient>>();
function whoHolds(capabilities: readonly Capability[]): Promise<TestClient> {
  const key = [...capabilities].sort().join();
  const known = holders.get(key) ?? app.signInWith(capabilities);
  holders.set(key, known);
  return known;
}

type Row = RouteContract & { name: string };
const rows = routeTable.map((row): [string, Row] => [`${row.method} ${row.path}`, row]);
/** Called by another server: authenticated by signature (tested with the orders). */
const signedCalls = ['POST /webhooks/stripe'];
const mutating = rows.filter(([name, row]) => row.method !== 'GET' && !signedCalls.includes(name));
const closed = rows.filter(([, row]) => row.capability !== 'public');
const guarded = rows.filter(([, row]) => typeof row.capability !== 'string');
/** Whether these capabilities allow the call: `edit_…` includes reading (product §39.13). */
const opens = (row: Row, granted: readonly Capability[]) =>
  withImplied(granted).some((name) => row.capability.includes(name));
const urlOf = (row: Row) => `/api${row.path.replace(/:\w+/g, '1')}`;
/** A body and a query that are invalid for every route. */
const badUrlOf = (row: Row) => `${urlOf(row)}?limit=0&date=never&token=`;
const badBody = { email: 7, capabilities: 'all', month: {}, trackId: '' };
const withBody = (row: Row) => (row.method === 'GET' ? {} : { body: badBody });

/** Calls that need no session; all others must name a capability. */
const publicCalls = [
  'GET /auth/check',
  'GET /auth/invitation',
  'GET /auth/oidc/callback',
  'GET /auth/oidc/start',
  'GET /auth/reset_password/action',
  'GET /auth/signout',
  'GET /auth/ways',
  'POST /auth/oidc/factor',
  'POST /auth/reset_password/action',
  'POST /auth/reset_password/request',
  'POST /auth/signin',
  'POST /auth/signin/factor',
  'POST /auth/signup',
  'POST /webhooks/stripe',
];
/** Calls for any signed-in admin (product §31.18). */
const sessionCalls = [
  'GET /auth/oidc/confirm',
  'GET /auth/security',
  'POST /auth/step-up/start',
  'POST /auth/step-up',
  'POST /auth/factors/mail-code',
  'POST /auth/factors/totp/start',
  'POST /auth/factors/totp',
  'POST /auth/factors/passkey/start',
  'POST /auth/factors/passkey',
  'DELETE /auth/factors/:id',
  'POST /auth/factors/recovery-codes',
  'DELETE /auth/factor-lift',
  'DELETE /auth/sessions/:id',
  'DELETE /auth/sessions',
  'PUT /auth/password',
  'GET /home',
  'GET /home/waiting',
  'GET /views',
  'POST /views',
  'DELETE /views/:id',
  'PUT /sidebar',
  'GET /resources/:id',
  'GET /release/:id',
  'GET /library/track/:id',
  'GET /img/:key',
  'GET /signatures',
  'GET /signatures/:subject/:id',
  'POST /signatures/:subject/:id/start',
  'POST /signatures/:subject/:id',
  'DELETE /signatures/:subject/:id',
  'POST /signatures/:subject/:id/ask',
];

/** Parses Fastify's route tree: four columns of indentation per level, each path relative to its parent's. */
function listRegistered(tree: string): string[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const node = /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line);
    if (!node) return [];
    const depth = (node[1] ?? '').length / 4;
    const path = `${parents[depth - 1] ?? ''}${node[2]}`;
    parents[depth] = path;
    if (!path.startsWith('/api')) return [];
    const methods = (node[3] ?? '').split(', ').filter((method) => method !== '' && method !== 'HEAD');
    return methods.map((method) => `${method} ${path.slice('/api'.length)}`);
  });
}

describe('the routes', () => {
  it('name who may call them', () => {
    const open = rows.filter(([, row]) => row.capability === 'public').map(([name]) => name);
    expect(open.sort()).toEqual(publicCalls);
    expect(rows.filter(([, row]) => row.capability === 'session').map(([name]) => name)).toEqual(sessionCalls);
    for (const [name, row] of guarded) {
      expect(row.capability.length, name).toBeGreaterThan(0);
      for (const capability of row.capability) expect(capabilityNames, name).toContain(capability);
    }
  });

  it('are listed once each', () => {
    expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  });

  it('are exactly those the server answers', () => {
    const registered = listRegistered(app.app.printRoutes({ commonPrefix: false }));
    // The page that shows this list is not an API route.
    const expected = [...rows.map(([name]) => name), 'GET /docs', 'GET /docs/json'];
    // Two methods at one path may name its parameter differently (`:status|:id`), so names are ignored.
    const places = (names: string[]) => names.map((name) => name.replaceAll(/:\w+(\|:\w+)*/g, ':')).sort();
    expect(places(registered)).toEqual(places(expected));
  });
});

describe('signed out', () => {
  it.each(closed)('%s answers 401', async (_name, row) => {
    const reply = await visitor.call(row.method, badUrlOf(row), withBody(row));
    expect(reply).toMatchObject({
      status: 401,
      code: 'unauthorized',
      message: messages.unauthorized,
      data: null,
      errors: { global: messages.unauthorized },
    });
  });

  it.each(['/api/docs', '/api/docs/json'])('GET %s answers 401', async (url) => {
    expect(await visitor.get(url)).toMatchObject({ status: 401, code: 'unauthorized' });
  });
});

describe('without the capability', () => {
  it.each(guarded)('%s answers 403 before validating the body', async (_name, row) => {
    const reply = await powerless.call(row.method, badUrlOf(row), withBody(row));
    expect(reply).toMatchObject({ status: 403, code: 'forbidden', message: messages.forbidden, data: null });
  });

  it.each(guarded)('%s answers 403 to all other capabilities', async (_name, row) => {
    const others = capabilityNames.filter((name) => !opens(row, [name]));
    const client = await whoHolds(others);
    const reply = await client.call(row.method, badUrlOf(row), withBody(row));
    expect(reply).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it.each(guarded)('%s allows each of its capabilities, and those that include one', async (_name, row) => {
    for (const capability of capabilityNames.filter((name) => opens(row, [name]))) {
      const client = await whoHolds([capability]);
      const reply = await client.call(row.method, badUrlOf(row), withBody(row));
      expect([401, 403], capability).not.toContain(reply.status);
    }
  });
});

describe('with every capability but one', () => {
  // The id of no record, so allowed calls change nothing.
  const nowhere = (row: Row) => `/api${row.path.replace(/:\w+/g, '2147483000')}?limit=0&date=never&token=`;

  it.each(capabilityNames)('without %s refuses exactly the calls that need it', { tags: ['slow'] }, async (removed) => {
    const kept = capabilityNames.filter((name) => name !== removed);
    const client = await app.signInWith(kept);
    const refused: string[] = [];
    for (const [name, row] of guarded) {
      const reply = await client.call(row.method, nowhere(row), withBody(row));
      expect([name, reply.status]).not.toEqual([name, 401]);
      if (reply.status === 403) refused.push(name);
    }
    const onlyThat = guarded.filter(([, row]) => !opens(row, kept)).map(([name]) => name);
    expect(refused).toEqual(onlyThat);
  });
});

describe('mutating calls', () => {
  const callers = (row: Row) => (row.capability === 'public' ? [visitor, allPowerful] : [allPowerful]);
  const refusal = { status: 403, code: 'csrf_invalid', message: messages.csrf, data: null };

  it.each(mutating)('%s refuses a missing, foreign or outdated csrf token', async (_name, row) => {
    const stranger = await app.visitor();
    for (const caller of callers(row)) {
      const other = caller === visitor ? stranger.csrf : visitor.csrf;
      for (const token of ['', 'x'.repeat(43), other ?? '', powerless.csrf ?? '']) {
        const options = { ...withBody(row), headers: { 'x-csrf-token': token } };
        expect(await caller.call(row.method, urlOf(row), options)).toMatchObject(refusal);
      }
      const reply = await app.app.inject({
        method: row.method,
        url: urlOf(row),
        cookies: Object.fromEntries(caller.cookies),
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(badBody),
      });
      expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([403, 'csrf_invalid']);
    }
  });

  it.each(mutating)('%s refuses a foreign origin', async (_name, row) => {
    for (const caller of callers(row)) {
      for (const origin of [
        'https://ailleurs.example',
        'null',
        'http://localhost:3001',
        'http://localhost:3000.evil',
      ]) {
        const reply = await caller.call(row.method, urlOf(row), { ...withBody(row), headers: { origin } });
        expect(reply, origin).toMatchObject(refusal);
      }
      const own = await caller.call(row.method, badUrlOf(row), {
        ...withBody(row),
        headers: { origin: 'http://localhost:3000' },
      });
      expect(own.code).not.toBe('csrf_invalid');
    }
  });
});
