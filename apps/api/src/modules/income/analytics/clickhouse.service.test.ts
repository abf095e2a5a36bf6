import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readAnalyticsUrl } from '#src/lib/clickhouse-address.ts';
import { testLines, useLines } from '#test/lines.ts';
import type { AnalyticsEngine } from './analytics-engine.service.ts';
import { createClickHouse } from './clickhouse.service.ts';

/** What Régie says to ClickHouse over HTTP; `npm run test:scale` compares the answers of ClickHouse's engine. */
useLines();

type Asked = { settings: URLSearchParams; sql: string; login: string | undefined; hasLeft: Promise<unknown> };
let server: Server;
let analytics: AnalyticsEngine;
let asked: Asked[];
let answer: (response: ServerResponse, asked: Asked) => void;

beforeEach(async () => {
  asked = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const one: Asked = {
      settings: new URL(request.url ?? '', 'http://localhost').searchParams,
      sql: await readAll(request),
      login: request.headers.authorization,
      hasLeft: once(response, 'close'),
    };
    asked.push(one);
    answer(response, one);
  };
  server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://regie:mot%20de%20passe@127.0.0.1:${port}/?collection=lignes&cluster=maison&memory_gb=3`;
  analytics = createClickHouse(readAnalyticsUrl(url), testLines.storage);
});

afterEach(async () => {
  await analytics.close();
  server.closeAllConnections();
  server.close();
});

const open = (signal = new AbortController().signal) => analytics.open(signal);
const failWith = (code: number, type: string) => (response: ServerResponse) => {
  response.writeHead(500, { 'x-clickhouse-exception-code': String(code) });
  response.end(`Code: ${code}. DB::Exception: Refused. (${type}) (version 26.7.2.1)\n`);
};

it('queries with its login and limits, and reads files through the collection', async () => {
  answer = (response) => response.end('{"place":"1","value":"Deezer"}\n{"place":"2","value":"\\\\"}\n');
  const session = await open();
  const { table, names } = await session.readLines(['lines/ab/one.parquet', 'lines/cd/two.parquet']);
  expect(names).toEqual(['one.parquet', 'two.parquet']);
  const values = session.values({ value: 'text', rate: 'float' }, [
    ["L'\\Été", 1.5],
    ['', null],
  ]);
  const rows = await session.rows(`SELECT * FROM ${table}, ${values}`);
  expect(rows).toEqual([
    { place: '1', value: 'Deezer' },
    { place: '2', value: '\\' },
  ]);
  const [{ sql, settings, login } = {} as Asked] = asked;
  expect(sql).toContain(`s3Cluster('maison', lignes, filename = '{lines/ab/one.parquet,lines/cd/two.parquet}', `);
  expect(sql).toContain(`values('value String, rate Nullable(Float64)', ('L\\'\\\\Été', 1.5), ('', NULL))`);
  expect(login).toBe(`Basic ${Buffer.from('regie:mot de passe').toString('base64')}`);
  expect(Object.fromEntries(settings)).toMatchObject({
    join_use_nulls: '1',
    max_execution_time: '30',
    max_memory_usage: '3000000000',
    wait_end_of_query: '1',
    cancel_http_readonly_queries_on_client_close: '1',
  });
});

it('puts large tables into the storage, and removes them with the session', async () => {
  const before = await keysOf();
  let stored = '';
  {
    await using session = await open();
    const table = await session.readText({ item: 'text', track: 'text' }, ['FR1\t1\n', 'FR2\t\\N\n']);
    const [key = ''] = (await keysOf()).filter((one) => !before.includes(one));
    expect(table).toBe(`s3(lignes, filename = '${key}', format = 'TSVRaw', structure = 'item String, track String')`);
    stored = await readAll(await testLines.storage.open(key));
  }
  expect(stored).toBe('FR1\t1\nFR2\t\\N\n');
  expect(await keysOf()).toEqual(before);
});

async function keysOf(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of testLines.storage.list()) keys.push(key);
  return keys;
}

it('rejects an answer that is too large or incomplete', async () => {
  answer = (response) => response.end('1\tDeezer\\n\n2\t\n');
  expect(await (await open()).text('SELECT 1', 100)).toBe('1\tDeezer\\n\n2\t\n');
  await expect((await open()).text('SELECT 1', 10)).rejects.toMatchObject({ name: 'EngineFailure', limit: 'size' });
  answer = (response) => {
    response.writeHead(200, { 'content-length': 100 }).write('1\tDeezer\n');
    setTimeout(() => response.destroy(), 50);
  };
  await expect((await open()).text('SELECT 1', 100)).rejects.toMatchObject({ name: 'EngineFailure', limit: undefined });
});

it('distinguishes memory and time limits from other failures', async () => {
  const refused = async () => (await open()).rows('SELECT 1');
  answer = failWith(241, 'MEMORY_LIMIT_EXCEEDED');
  await expect(refused()).rejects.toMatchObject({ name: 'EngineFailure', limit: 'size' });
  answer = failWith(159, 'TIMEOUT_EXCEEDED');
  await expect(refused()).rejects.toMatchObject({ name: 'EngineFailure', limit: 'time' });
  answer = failWith(669, 'NAMED_COLLECTION_DOESNT_EXIST');
  await expect(refused()).rejects.toMatchObject({ name: 'EngineFailure', limit: undefined });
  server.closeAllConnections();
  server.close();
  await expect(refused()).rejects.toMatchObject({ name: 'EngineFailure', limit: undefined });
});

it('closes the connection and kills the query when its caller aborts', async () => {
  const left = new AbortController();
  answer = (response, { sql }) => {
    if (sql.startsWith('KILL')) response.end();
    else setTimeout(() => left.abort(new Error('nobody waits')), 20);
  };
  await expect((await open(left.signal)).text('SELECT 1', 100)).rejects.toThrow('nobody waits');
  await asked[0]?.hasLeft;
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]?.sql).toBe('KILL QUERY WHERE query_id = {id:String} ASYNC');
  expect(asked[1]?.settings.get('param_id')).toBe(asked[0]?.settings.get('query_id'));
  await expect((await open(left.signal)).rows('SELECT 1')).rejects.toThrow('nobody waits');
  expect(asked).toHaveLength(2);
});
