import { medianTimes } from './lists.ts';
import { barcodeOf, isrcOf, searched } from './releases.ts';
import type { Client } from './world.ts';

const dayMs = 86_400_000;
/** Counting the matches of both words reads all of both; shown without a limit. */
const extreme = 'search: two words of every tenth title';

/** The lists' typical queries as paths; codes belong to a release in the middle of the catalogue. */
function releaseQuestions(releases: number): Record<string, string> {
  const middle = Math.floor(releases / 2);
  const list = '/releases/delivered?limit=50';
  const q = (text: string) => `${list}&q=${encodeURIComponent(text)}`;
  const month = Date.UTC(2023, 0, 1);
  return {
    'unpaid, first page': '/releases/unpaid?limit=50',
    'paid, first page': '/releases/paid?limit=50',
    'delivered, first page': list,
    'unpublished, first page': '/releases/unpublished?limit=50',
    'delivered, last page': `${list}&order=desc&last`,
    'by title': `${list}&sort=title&order=asc`,
    'by title, from the end': `${list}&sort=title&order=desc`,
    'by artist': `${list}&sort=artist&order=asc`,
    'by artist, from the end': `${list}&sort=artist&order=desc`,
    'oldest first': `${list}&order=asc`,
    'a genre': `${list}&genre=Jazz`,
    'a month': `${list}&from=${month}&to=${month + 31 * dayMs}`,
    'search: rare word': q(searched.rare),
    'search: common word': q(searched.common),
    'search: beginning of a common word': q(searched.common.slice(0, 3)),
    'search: one letter': q(searched.common.slice(0, 1)),
    'search: common word by title': `${q(searched.common)}&sort=title&order=asc`,
    'search: absent word': q(searched.absent),
    'search: ISRC': q(isrcOf(middle, 2)),
    'search: barcode': q(barcodeOf(middle)),
    'search: artist': q(searched.artist),
    'search: account': q(searched.account),
    'search: two words': q(`${searched.common} ${searched.ordinary}`),
    [extreme]: q(`${searched.common} ${searched.alsoCommon}`),
    'search: common and rare word': q(`${searched.common} ${searched.rare}`),
    'search: common word in a genre': `${q(searched.common)}&genre=Jazz`,
    'counts of the lists': '/releases/counts',
    'tracks, first page': '/library/tracks?limit=50',
    'tracks: common word': `/library/tracks?limit=50&q=${searched.common}`,
    'tracks: rare word': `/library/tracks?limit=50&q=${searched.rare}`,
    'tracks: ISRC': `/library/tracks?limit=50&q=${isrcOf(middle, 2)}`,
    'artists, first page': '/library/artists?limit=50',
    'artists: a name': `/library/artists?limit=50&q=${encodeURIComponent(searched.artist)}`,
    'artists: beginning of names': '/library/artists?limit=50&q=ba',
    'contributors, first page': '/library/contributors?limit=50',
    'editors, first page': '/library/editors?limit=50',
    'lookup: releases, common word': `/lookup/releases?q=${searched.common}`,
    'lookup: tracks, common word': `/lookup/tracks?q=${searched.common}`,
    'lookup: people': '/lookup/people?q=ba',
  };
}

interface Ratio {
  name: string;
  fewMs: number;
  manyMs: number;
  isExtreme: boolean;
}

/** Median times of all queries on both servers, alternating. */
export async function compareReleaseLists(
  few: { client: Client; releases: number },
  many: { client: Client; releases: number },
  repeats: number,
): Promise<Ratio[]> {
  const [ofFew, ofMany] = [few, many].map(({ releases }) => releaseQuestions(releases));
  const ratios: Ratio[] = [];
  for (const [name, path] of Object.entries(ofMany ?? {})) {
    const targets = [
      { client: few.client, path: await withLastPage(few.client, ofFew?.[name] ?? path) },
      { client: many.client, path: await withLastPage(many.client, path) },
    ];
    const [fewMs = 0, manyMs = 0] = await medianTimes(targets, repeats);
    ratios.push({ name, fewMs, manyMs, isExtreme: name === extreme });
  }
  return ratios;
}

/**
 * The last page of a list if `last` is set: starts after the fiftieth row of the reversed list, so no list is walked.
 */
async function withLastPage(client: Client, path: string): Promise<string> {
  if (!path.endsWith('&order=desc&last')) return path;
  const list = path.replace('&order=desc&last', '');
  const reply = await fetch(`${client.address}/api${list}&order=asc`, { headers: client.headers });
  const { meta } = (await reply.json()) as { meta: { nextCursor: string | null } };
  // A cursor contains its list and order, then its row.
  const cursor = Buffer.from(meta.nextCursor ?? '', 'base64url')
    .toString('utf8')
    .replace(':asc:', ':desc:');
  return `${list}&order=desc&cursor=${Buffer.from(cursor).toString('base64url')}`;
}
