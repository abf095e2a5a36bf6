import type { SmartlinkDetail } from '@regie/contract/routes/smartlinks.ts';
import { routes } from '@regie/contract/routes.ts';
import { platformHosts, smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import { measureThroughput } from './load.ts';
import type { Client } from './world.ts';

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function call(client: Client, method: string, path: string, body: object): Promise<SmartlinkDetail> {
  const response = await fetch(`${client.address}/api${path}`, {
    method,
    headers: { ...client.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { code: string; data: SmartlinkDetail };
  if (answer.code !== 'success') throw new Error(`${method} ${path} was answered ${response.status}`);
  return answer.data;
}

/** As `comparePage`, of a smartlink with every platform. */
export async function compareSmartlinkPage(
  client: Client,
  releaseId: number,
  seconds: number,
): Promise<[number, number]> {
  const { id, slug } = await call(client, 'POST', routes.createSmartlink.path, { libraryId: releaseId });
  const urls = Object.fromEntries(
    smartlinkPlatforms.map((name) => [name, `https://${platformHosts[name][0]}/album/1`]),
  );
  await call(client, 'PUT', routes.editSmartlink.path.replace(':id', String(id)), { status: 'ENABLED', urls });
  return comparePage(client, `/s/${slug}`, seconds);
}

/** Requests per second of a public page, and of a static file of the same size. */
export async function comparePage(client: Client, path: string, seconds: number): Promise<[number, number]> {
  const page = await fetch(client.address + path);
  if (page.status !== 200) throw new Error(`the page was answered ${page.status}`);
  const stored = await fetch(`${client.address}/api/bench/page`, {
    method: 'PUT',
    headers: { ...client.headers, 'content-type': 'application/octet-stream' },
    body: await page.arrayBuffer(),
  });
  if (!stored.ok) throw new Error(`the file was answered ${stored.status}`);
  const paths = [path, '/page.html'] as const;
  const rates: [number[], number[]] = [[], []];
  // The first round warms up both.
  for (let round = 0; round < 4; round += 1) {
    for (const [index, measured] of paths.entries()) {
      const load = { connections: 8, seconds: round === 0 ? 0.2 : seconds, root: '' };
      const rate = await measureThroughput(client, measured, load);
      if (round > 0) rates[index]?.push(rate);
    }
  }
  return [median(rates[0]), median(rates[1])];
}
