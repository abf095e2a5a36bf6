import type { ListMeta } from '@regie/contract/envelope.ts';
import type {
  DuplicateTitle,
  ReleaseAdvice,
  TitleAdvice,
  ToolLibrary,
  ToolTrack,
} from '@regie/contract/routes/tools.ts';
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
 * Several lists in one answer; `kind` selects the paged one (product §31.6). Without it each returns its first page,
 * and `meta` describes the first list.
 */
async function pageLists<Kind extends string, Rows extends Record<Kind, unknown>>(
  lists: { [K in Kind]: () => Promise<Page<Rows[K]>> },
  kind: Kind | undefined,
): Promise<{ data: { [K in Kind]: Rows[K][] }; meta: ListMeta }> {
  const names = Object.keys(lists) as Kind[];
  const pages = await Promise.all(
    names.map(async (name) => (kind === undefined || kind === name ? await lists[name]() : emptyPage)),
  );
  const shown = pages[kind === undefined ? 0 : names.indexOf(kind)] ?? emptyPage;
  return {
    data: Object.fromEntries(names.map((name, index) => [name, pages[index]?.rows ?? []])) as {
      [K in Kind]: Rows[K][];
    },
    meta: shown.meta,
  };
}

const withRows = <From, To>(page: Page<From>, map: (row: From) => To): Page<To> => ({
  ...page,
  rows: page.rows.map(map),
});

interface EmptyRows {
  tracks: ToolTrack;
  libraries: ToolLibrary;
  wrongBarcodes: ToolLibrary;
}

/** Tracks without ISRC, releases without barcode, and releases with an invalid one. */
export const listEmptyCodes = (db: Trx, query: ListQuery & { kind?: keyof EmptyRows | undefined }) =>
  pageLists<keyof EmptyRows, EmptyRows>(
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

interface CodeRows {
  isrc: ToolTrack & { group: string; size: number };
  barcode: ToolLibrary & { group: string; size: number };
}

/** Tracks with the same ISRC, and releases with the same barcode. */
export const listDuplicateCodes = (db: Trx, query: ListQuery & { kind?: keyof CodeRows | undefined }) =>
  pageLists<keyof CodeRows, CodeRows>(
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

type Advised<Advice> = Pick<DuplicateTitle, 'match' | 'isKept' | 'incomeEur'> & { advice: Advice };
interface TitleRows {
  tracks: CodeRows['isrc'] & Advised<TitleAdvice>;
  libraries: CodeRows['barcode'] & Advised<ReleaseAdvice>;
}

const toAdvised = <Advice>({
  isSimilar,
  advice,
  isKept,
  incomeEur,
}: queries.Advised<Advice> & { isSimilar: boolean }): Advised<Advice> => ({
  match: isSimilar ? 'similar' : 'same',
  advice,
  isKept,
  incomeEur: incomeEur === null ? null : toWireNumber(incomeEur),
});

/** Tracks and releases with similar titles, by default of one artist and one account. */
export const listDuplicateTitles = (
  db: Trx,
  caller: Caller,
  query: ListQuery & queries.TitleScope & { kind?: keyof TitleRows | undefined },
) =>
  pageLists<keyof TitleRows, TitleRows>(
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
