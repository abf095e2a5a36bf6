import { createHash } from 'node:crypto';
import { monthIndexOfDay, reportMonthCount } from './calendar.ts';
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

export interface RoyaltyTrack {
  isrc: string;
  title: string;
  artist: string;
  barcode: string;
  /** Release month, counted from the first report month. */
  month: number;
  /** Streams of the best month. */
  height: number;
  seed: number;
}

/** What reports need of a block's tracks. */
export interface RoyaltyBlock {
  tracks: readonly RoyaltyTrack[];
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
  const found = new Map<string, RoyaltyTrack>();
  const artistFame = new Map<string, number>();
  for (const release of block.releases) {
    if (!earningStatuses.has(release.status) || release.digitalDay === null) continue;
    const month = monthIndexOfDay(release.digitalDay);
    const fame =
      artistFame.get(release.artistName) ?? new Random(seedOf('fame', release.artistName, block.index)).int(3, 30) / 10;
    artistFame.set(release.artistName, fame);
    const { artistName: artist } = release;
    const barcode = release.barcode ?? '';
    for (const { isrc, title } of release.tracks) {
      if (!isrc || found.has(isrc) || duplicateIsrcs.includes(isrc)) continue;
      const seed = seedOf('royalties', isrc);
      // Few tracks have most of the streams: the peak is inversely proportional to a uniform draw.
      const draw = Math.max(new Random(seed).fraction(), 0.0001);
      const height = Math.min(Math.round((lowestHeight * fame) / draw), highestHeight);
      found.set(isrc, { isrc, title, artist, barcode, month, seed, height });
    }
  }
  return { tracks: [...found.values()], duplicateIsrcs };
}

// From November to October: strong in December and summer, weak in February.
const seasons = [1.02, 1.14, 0.96, 0.9, 0.95, 0.97, 1, 1.06, 1.1, 1.05, 0.98, 1];

/** The month with an import by CSV. */
export const importedMonth = reportMonthCount - 3;
/** Distributes tracks among sources. */
export const slotOf = ({ seed }: RoyaltyTrack): number => (seed >>> 8) % 20;
export const isImported = (track: RoyaltyTrack, month: number): boolean =>
  month === importedMonth && slotOf(track) === 19;

/** Dollars are in ten-millionths. */
export interface Royalty {
  streams: number;
  streamUsd: number;
  downloads: number;
  downloadUsd: number;
  views: number;
  viewUsd: number;
}

/** What tracks earn in a month, by account. */
export function* monthRoyalties(
  blocks: readonly RoyaltyBlock[],
  month: number,
): Generator<{ track: RoyaltyTrack; royalty: Royalty }> {
  for (const track of blocks.flatMap(({ tracks }) => tracks)) {
    const age = month - track.month;
    const royalty = age < 0 ? undefined : inventRoyalty(track.height, track.seed, month, age);
    if (royalty && royalty.streams > 0) yield { track, royalty };
  }
}

function inventRoyalty(height: number, seed: number, month: number, age: number): Royalty {
  const random = new Random(seed ^ Math.imul(month + 1, 0x9e3779b1));
  const life = (age === 0 ? 0.6 : 1) * (0.22 + 0.78 / (1 + 0.14 * age));
  const noise = 0.8 + random.fraction() * 0.4;
  const growth = 1 + 0.012 * month;
  const streams = Math.round(height * life * noise * growth * at(seasons, month % 12));
  const downloads = Math.floor((streams * random.fraction()) / 4000);
  const views = random.chance(0.3) ? Math.round(streams * (0.1 + random.fraction() * 0.6)) : 0;
  return {
    streams,
    streamUsd: streams * random.int(27_000, 43_000),
    downloads,
    downloadUsd: downloads * random.pick([6_300_000, 6_930_000, 7_000_000, 9_100_000]),
    views,
    viewUsd: views * random.int(5_000, 9_000),
  };
}

/** As a row of the CSV import. */
export const toRow = (isrc: string, royalty: Royalty): RoyaltyRow => ({
  isrc,
  numOfStreams: royalty.streams,
  incomeOfStreams: toDollars(royalty.streamUsd),
  numOfDownloads: royalty.downloads,
  incomeOfDownloads: toDollars(royalty.downloadUsd),
  numOfYoutube: royalty.views,
  incomeOfYoutube: toDollars(royalty.viewUsd),
});

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
    toRow(isrc, inventRoyalty(random.int(200, 4000), random.uint32() | 0, month, 2)),
  );
  const first = rows[0];
  return first ? [...rows, { ...first, isrc: first.isrc.replace('FRZ', 'FRY'), incomeOfStreams: '1 204,50' }] : rows;
}
