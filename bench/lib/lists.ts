import { measureThroughput } from './load.ts';
import type { Client } from './world.ts';

async function get(client: Client, path: string): Promise<{ meta: { nextCursor: string | null } }> {
  const response = await fetch(`${client.address}/api${path}`, { headers: client.headers });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as { meta: { nextCursor: string | null } };
}

export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Median times, ms, of several paths, called alternately so that load affects all equally. */
export async function medianTimes(
  targets: readonly { client: Client; path: string }[],
  repeats: number,
): Promise<number[]> {
  const times = targets.map((): number[] => []);
  for (let round = 0; round < repeats + 3; round += 1) {
    for (const [index, { client, path }] of targets.entries()) {
      const start = performance.now();
      await get(client, path);
      if (round >= 3) times[index]?.push(performance.now() - start);
    }
  }
  return times.map(median);
}

/** Pages to the end of a list and returns its last page's path. */
export async function findDeepestPage(client: Client, path: string): Promise<string> {
  let deepest = `${path}?limit=50`;
  let cursor: string | null = null;
  for (;;) {
    const { meta } = await get(client, `${path}?limit=500${cursor ? `&cursor=${cursor}` : ''}`);
    if (!meta.nextCursor) return deepest;
    cursor = meta.nextCursor;
    deepest = `${path}?limit=50&cursor=${cursor}`;
  }
}

/** Requests per second of two paths; medians of alternating rounds. */
export async function compareThroughput(
  client: Client,
  paths: [string, string],
  seconds: number,
): Promise<[number, number]> {
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round += 1) {
    for (const [index, path] of paths.entries()) {
      const rate = await measureThroughput(client, path, { connections: 8, seconds });
      rates[index]?.push(rate);
    }
  }
  return [median(rates[0]), median(rates[1])];
}
