import type { Client } from 'pg';
import type { LineWriter } from '#src/modules/income/lines/lines.service.ts';
import type { SeenItem, SummedLines } from '#src/reading/summing.ts';

export const progressChannel = 'statement_progress';
const progressEveryMs = 500;

/** The statement was deleted during the load. */
export class Abandoned extends Error {
  override name = 'Abandoned';
}

/**
 * Reports how far a load is, at most twice a second. The next call after the statement is no longer being read throws
 * Abandoned.
 */
export function reportsProgress(
  side: Client,
  statementId: number,
  read: () => { bytes: number; sizeBytes: number; rows: number },
): () => Promise<void> {
  let reportedAt = performance.now();
  let reporting: Promise<void> = Promise.resolve();
  const report = async () => {
    const { rowCount } = await side.query(
      `SELECT pg_notify($2, $3) FROM statements WHERE id = $1 AND status = 'reading'`,
      [statementId, progressChannel, JSON.stringify({ statementId, ...read() })],
    );
    if (rowCount === 0) throw new Abandoned();
  };
  return async () => {
    if (performance.now() - reportedAt < progressEveryMs) return;
    reportedAt = performance.now();
    await reporting;
    reporting = report();
    // The next call throws it.
    reporting.catch(() => undefined);
  };
}

/** The numbers of lines and of their rows, and sums by place as COPY text. */
export type GivenLines = { lines: number; rows: number; places: string[] };

/** A query for fewer items is not worth its overhead. */
const itemsAtOnce = 2000;

/** Items are stored on the other connection while the next rows are read. */
export async function takeLines(
  side: Client,
  writer: LineWriter,
  lines: AsyncIterable<SummedLines>,
  report: () => Promise<void>,
): Promise<GivenLines> {
  let kept: Promise<void> = Promise.resolve();
  let waiting: SeenItem[] = [];
  const storeSeen = async (least: number) => {
    if (waiting.length < least) return;
    await kept;
    kept = storeItems(side, waiting);
    // The next `await` reports the error, even if the lines fail first.
    kept.catch(() => undefined);
    waiting = [];
  };
  const given: GivenLines = { lines: 0, rows: 0, places: [] };
  for await (const { copyText, items, placesText, ...counts } of lines) {
    given.lines += counts.lines;
    given.rows += counts.rows;
    if (placesText !== '') given.places.push(placesText);
    waiting.push(...items);
    await storeSeen(itemsAtOnce);
    await report();
    await writer.add(copyText);
  }
  await storeSeen(1);
  await kept;
  return given;
}

/** With their current track, as `match_items` finds it. Ordered by key, so that two loads cannot deadlock. */
async function storeItems(side: Client, items: readonly SeenItem[]): Promise<void> {
  await side.query(
    `WITH seen AS MATERIALIZED (
       SELECT DISTINCT ON (key) * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS s (key, isrc, upc, title, artist)
        ORDER BY key, upc
     )
     INSERT INTO income_items AS known (key, isrc, upc, title, artist, track_id, unmatched)
     SELECT s.key, s.isrc, s.upc, s.title, s.artist, m.track_id, m.unmatched
       FROM seen s CROSS JOIN LATERAL matched_track(s.isrc) m ORDER BY s.key
     ON CONFLICT (key) DO UPDATE SET upc = excluded.upc WHERE known.upc IS NULL AND excluded.upc IS NOT NULL`,
    (['key', 'isrc', 'upc', 'title', 'artist'] as const).map((field) => items.map((item) => item[field])),
  );
}
