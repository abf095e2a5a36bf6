import { createHash } from 'node:crypto';
import { monthIndexOfDay } from './calendar.ts';
import type { DemoBlock } from './catalogue.ts';
import { at, Random, seedOf } from './random.ts';

/** One row of a report file, as the CSV import accepts it. */
export interface RoyaltyRow {
  isrc: string;
  numOfStreams: number;
  incomeOfStreams: string;
  numOfDownloads: number;
  incomeOfDownloads: string;
  numOfYoutube: number;
  incomeOfYoutube: string;
}

/** What reports need of a block's tracks. */
export interface RoyaltyBlock {
  /** By release month, counted from the first report month; `height` is the streams of the best month. */
  tracks: readonly { isrc: string; month: number; height: number; seed: number }[];
  /** ISRCs held by tracks of two accounts. */
  duplicateIsrcs: string[];
}

const earningStatuses = new Set(['delivered', 'closed', 'opened', 'cancelled']);
const lowestHeight = 640;
const highestHeight = 420_000;

/** Extracts a block's delivered ISRCs, each once. */
export function toRoyaltyBlock(block: DemoBlock): RoyaltyBlock {
  const owners = new Map<string, Set<number>>();
  for (const release of block.releases) {
    for (const { isrc } of release.tracks) {
      if (isrc) owners.set(isrc, (owners.get(isrc) ?? new Set()).add(release.owner));
    }
  }
  const duplicateIsrcs = [...owners].filter(([, holders]) => holders.size > 1).map(([isrc]) => isrc);
  const found = new Map<string, RoyaltyBlock['tracks'][number]>();
  const artistFame = new Map<string, number>();
  for (const release of block.releases) {
    if (!earningStatuses.has(release.status) || release.digitalDay === null) continue;
    const month = monthIndexOfDay(release.digitalDay);
    const fame =
      artistFame.get(release.artistName) ?? new Random(seedOf('fame', release.artistName, block.index)).int(3, 30) / 10;
    artistFame.set(release.artistName, fame);
    for (const { isrc } of release.tracks) {
      if (!isrc || found.has(isrc) || duplicateIsrcs.includes(isrc)) continue;
      const seed = seedOf('royalties', isrc);
      // Few tracks have most of the streams: the peak is inversely proportional to a uniform draw.
      const draw = Math.max(new Random(seed).fraction(), 0.0001);
      found.set(isrc, { isrc, month, seed, height: Math.min(Math.round((lowestHeight * fame) / draw), highestHeight) });
    }
  }
  return { tracks: [...found.values()], duplicateIsrcs };
}

// From November to October: strong in December and summer, weak in February.
const seasons = [1.02, 1.14, 0.96, 0.9, 0.95, 0.97, 1, 1.06, 1.1, 1.05, 0.98, 1];

/** The rows of a month, by account. */
export function* royaltyRows(blocks: readonly RoyaltyBlock[], month: number): Generator<RoyaltyRow> {
  for (const track of blocks.flatMap(({ tracks }) => tracks)) {
    const age = month - track.month;
    const row = age < 0 ? undefined : royaltyRow(track.isrc, track.height, track.seed, month, age);
    if (row && row.numOfStreams > 0) yield row;
  }
}

function royaltyRow(isrc: string, height: number, seed: number, month: number, age: number): RoyaltyRow {
  const random = new Random(seed ^ Math.imul(month + 1, 0x9e3779b1));
  const life = (age === 0 ? 0.6 : 1) * (0.22 + 0.78 / (1 + 0.14 * age));
  const noise = 0.8 + random.fraction() * 0.4;
  const growth = 1 + 0.012 * month;
  const streams = Math.round(height * life * noise * growth * at(seasons, month % 12));
  const downloads = Math.floor((streams * random.fraction()) / 4000);
  const views = random.chance(0.3) ? Math.round(streams * (0.1 + random.fraction() * 0.6)) : 0;
  return {
    isrc,
    numOfStreams: streams,
    incomeOfStreams: toDollars(streams * random.int(27_000, 43_000)),
    numOfDownloads: downloads,
    incomeOfDownloads: toDollars(downloads * random.pick([6_300_000, 6_930_000, 7_000_000, 9_100_000])),
    numOfYoutube: views,
    incomeOfYoutube: toDollars(views * random.int(5_000, 9_000)),
  };
}

/** Ten-millionths of a dollar as decimal text. */
function toDollars(units: number): string {
  const text = String(Math.round(units)).padStart(8, '0');
  return `${text.slice(0, -7)}.${text.slice(-7)}`;
}

/** A fictitious SHA-256 file key. */
export function fileKeyOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** Rows that cannot be posted: unknown ISRCs, duplicate ones, and invalid ones. */
export function faultyRows(blocks: readonly RoyaltyBlock[], month: number): RoyaltyRow[] {
  const random = new Random(seedOf('faulty', month));
  const unknown = Array.from({ length: 14 }, () => `FRZ${random.digits(2)}26${random.digits(5)}`);
  const doubled = blocks.slice(0, 1).flatMap((block) => block.duplicateIsrcs);
  const rows = [...unknown, ...doubled, 'FR-Z03-26-0001', ''].map((isrc) =>
    royaltyRow(isrc, random.int(200, 4000), random.uint32() | 0, month, 2),
  );
  const first = rows[0];
  return first ? [...rows, { ...first, isrc: first.isrc.replace('FRZ', 'FRY'), incomeOfStreams: '1 204,50' }] : rows;
}
