import { barcodeOf, isrcOf, searched } from './releases.ts';
import type { Client } from './world.ts';

/** Search texts as typed, letter by letter; codes belong to a release in the middle of the catalogue. */
function questions(releases: number): string[] {
  const middle = Math.floor(releases / 2);
  return [
    searched.common.slice(0, 2),
    searched.common.slice(0, 4),
    searched.common,
    searched.ordinary,
    searched.rare,
    searched.absent,
    searched.artist,
    searched.account,
    searched.account.slice(0, 3),
    `${searched.common} ${searched.ordinary}`,
    isrcOf(middle, 2),
    isrcOf(middle, 2).slice(0, 9),
    barcodeOf(middle),
    `${middle}`,
    '340,22',
  ];
}

interface Catalogue {
  client: Client;
  releases: number;
}

/** The 95th percentile of search times, ms, for the same queries on two catalogues, alternating. */
export async function compareSearch(few: Catalogue, many: Catalogue, repeats: number): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  // The first round warms up plans and caches.
  for (let round = 0; round <= repeats; round += 1) {
    for (const question of questions(0).keys()) {
      for (const [index, { client, releases }] of [few, many].entries()) {
        const q = encodeURIComponent(questions(releases)[question] ?? '');
        const start = performance.now();
        const response = await fetch(`${client.address}/api/search?q=${q}`, { headers: client.headers });
        if (!response.ok) throw new Error(`the search answered ${response.status}`);
        await response.text();
        if (round > 0) times[index]?.push(performance.now() - start);
      }
    }
  }
  return [percentile95(times[0]), percentile95(times[1])];
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN;
}
