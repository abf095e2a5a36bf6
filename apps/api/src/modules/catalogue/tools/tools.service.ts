import type { ListMeta } from '@regie/contract/envelope.ts';
import type { ToolLibrary, ToolTrack } from '@regie/contract/routes/tools.ts';
import type { Trx } from '#src/lib/db.ts';
import type { ListQuery } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { statusOf } from '#src/modules/catalogue/releases/release-access.service.ts';
import * as queries from './tools.queries.ts';

const toTrack = (row: queries.TrackRow): ToolTrack => ({
  ...row,
  trackId: row.id,
  trackTitle: row.title,
  libraryId: row.releaseId,
  libraryTitle: row.releaseTitle,
  status: statusOf(row),
});

const toLibrary = (row: queries.ReleaseRow): ToolLibrary => ({
  ...row,
  status: statusOf(row),
});

interface Page<Row> {
  rows: Row[];
  meta: ListMeta;
}
const emptyPage: Page<never> = { rows: [], meta: { nextCursor: null, total: 0, totalIsExact: true } };

/**
 * `kind` selects the paged list (product §31.6). Without it each returns its first page, and `meta` describes the
 * first.
 */
async function pageLists<Rows extends Record<string, unknown>>(
  lists: { [K in keyof Rows]: () => Promise<Page<Rows[K]>> },
  kind: NoInfer<keyof Rows> | undefined,
) {
  const names: (keyof Rows)[] = Object.keys(lists);
  const pages = await Promise.all(
    names.map(async (name) => (kind === undefined || kind === name ? await lists[name]() : emptyPage)),
  );
  const shown = pages[kind === undefined ? 0 : names.indexOf(kind)] ?? emptyPage;
  return {
    data: Object.fromEntries(names.map((name, index) => [name, pages[index]?.rows ?? []])) as {
      [K in keyof Rows]: Rows[K][];
    },
    meta: shown.meta,
  };
}

const withRows = <From, To>(page: Page<From>, map: (row: From) => To): Page<To> => ({
  ...page,
  rows: page.rows.map(map),
});

type OfKind<Kind> = ListQuery & { kind?: Kind | undefined };

export const listEmptyCodes = (db: Trx, query: OfKind<'tracks' | 'libraries' | 'wrongBarcodes'>) =>
  pageLists(
    {
      tracks: async () => withRows(await queries.listTracksWithoutIsrc(db, query), toTrack),
      libraries: async () => withRows(await queries.listReleasesWithoutBarcode(db, query), toLibrary),
      wrongBarcodes: async () => withRows(await queries.listReleasesWithWrongBarcode(db, query), toLibrary),
    },
    query.kind,
  );

const inGroup = <Row extends { groupKey: string; size: number }>({ groupKey, size }: Row) => ({
  group: groupKey,
  size,
});

export const listDuplicateCodes = (db: Trx, query: OfKind<'isrc' | 'barcode'>) =>
  pageLists(
    {
      isrc: async () =>
        withRows(await queries.listTracksOfOneIsrc(db, query), (row) => ({ ...toTrack(row), ...inGroup(row) })),
      barcode: async () =>
        withRows(await queries.listReleasesOfOneBarcode(db, query), (row) => ({
          ...toLibrary(row),
          ...inGroup(row),
        })),
    },
    query.kind,
  );

const toAdvised = <Advice>({
  isSimilar,
  advice,
  isKept,
  incomeEur,
}: queries.Advised<Advice> & { isSimilar: boolean }) => ({
  match: isSimilar ? ('similar' as const) : ('same' as const),
  advice,
  isKept,
  incomeEur: incomeEur === null ? null : toWireNumber(incomeEur),
});

/** By default of one artist and account. */
export const listDuplicateTitles = (
  db: Trx,
  caller: Caller,
  query: queries.TitleScope & OfKind<'tracks' | 'libraries'>,
) =>
  pageLists(
    {
      tracks: async () =>
        withRows(await queries.listTracksOfOneTitle(db, query, caller.can('read_reports')), (row) => ({
          ...toTrack(row),
          ...inGroup(row),
          ...toAdvised(row),
        })),
      libraries: async () =>
        withRows(await queries.listReleasesOfOneTitle(db, query, caller.can('read_reports')), (row) => ({
          ...toLibrary(row),
          ...inGroup(row),
          ...toAdvised(row),
        })),
    },
    query.kind,
  );
