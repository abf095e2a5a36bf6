import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { statementChunkBytes } from '@regie/contract/statements.ts';
import { sql } from 'kysely';
import { type Client, residentBytes } from './world.ts';

/** The ids of a process and its descendants. */
async function familyOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const families = await Promise.all(children.trim().split(' ').filter(Boolean).map(Number).map(familyOf));
  return [pid, ...families.flat()];
}

/** Resident memory of a server and its descendants in bytes; shared memory counts for each. */
async function familyBytes(pid: number): Promise<number> {
  const bytes = await Promise.all((await familyOf(pid)).map((one) => residentBytes(one).catch(() => 0)));
  return bytes.reduce((sum, one) => sum + one, 0);
}

async function send(client: Client, method: string, path: string, body: string | FormData, headers = {}) {
  const response = await fetch(`${client.address}/api${path}`, {
    method,
    headers: { ...client.headers, ...headers },
    body,
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: { id: number; statementId: number | null } }).data;
}

/** Uploads a store's file in chunks, like the browser. @returns the statement's id */
export async function sendStatement(client: Client, path: string): Promise<number> {
  await using file = await open(path);
  const { size } = await file.stat();
  const { id } = await send(
    client,
    'POST',
    '/reporting/statements/uploads',
    JSON.stringify({ fileName: path.split('/').at(-1), sizeBytes: size }),
    { 'content-type': 'application/json' },
  );
  let statementId: number | null = null;
  for (let start = 0; start < size; start += statementChunkBytes) {
    const bytes = Buffer.alloc(Math.min(statementChunkBytes, size - start));
    await file.read(bytes, 0, bytes.length, start);
    const form = new FormData();
    form.append('chunk', new Blob([bytes]), 'chunk');
    ({ statementId } = await send(client, 'PUT', `/reporting/statements/uploads/${id}`, form, {
      'x-file-start': String(start),
      'idempotency-key': `${path} ${start} ${client.pid}`,
    }));
  }
  return statementId ?? 0;
}

/** Peak memory of a server and its descendants while it loads a statement and updates analytics, bytes. */
export async function peakWhileLoading(client: Client, statementId: number): Promise<number> {
  let peak = 0;
  for (;;) {
    peak = Math.max(peak, await familyBytes(client.pid));
    const { rows } = await sql<{ status: string; marks: number }>`
      SELECT status, (SELECT count(*) FROM analytics_marks) AS marks FROM statements WHERE id = ${statementId}`.execute(
      client.db,
    );
    const status = rows[0]?.status;
    if (status === 'loaded' && rows[0]?.marks === 0) return peak;
    if (status !== 'received' && status !== 'reading' && status !== 'loaded') throw new Error(`not loaded: ${status}`);
    await delay(50);
  }
}
