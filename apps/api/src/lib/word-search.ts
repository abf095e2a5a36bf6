import { type RawBuilder, sql } from 'kysely';
import { queryColumn, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { capCount, type Keyset } from '#src/lib/keyset.ts';

/**
 * Searches lists by words (`database/schema/14-search.sql`; docs/decisions/090): each word of the text is a prefix of
 * one of the record's. Few matches are read and sorted. With many, the page comes from an index in the list's order:
 * the word index for few words, else the list's own, checking each row. Both read a bounded range; if it does not fill
 * the page, all matches are read.
 */
export interface WordIndex {
  table: string;
  id: string;
  /** Column of the default order, with one name in the word table and the record. */
  order: string;
  /** Column that partitions the word table; a list chooses its values. */
  scope?: string;
  base: string;
  /** Whether deleted records keep their rows. */
  hasBin?: true;
  /** Columns of the list's order, including the id. */
  columns: readonly string[];
  /** `FROM … WHERE …` of the list without a search, as `r`, for one value of the scope. */
  list: (scope: string) => RawBuilder<unknown>;
}

export const releaseIndex: WordIndex = {
  table: 'release_words',
  id: 'release_id',
  order: 'created_at',
  scope: 'status',
  base: 'releases',
  hasBin: true,
  columns: ['id', 'created_at', 'title', 'artist_name'],
  list: (status) => sql`FROM releases r WHERE r.deleted_at IS NULL AND r.status = ${sql.lit(status)}`,
};
export const trackIndex: WordIndex = {
  table: 'track_words',
  id: 'track_id',
  order: 'title',
  base: 'tracks',
  hasBin: true,
  columns: ['id', 'title'],
  list: () => sql`FROM tracks r WHERE r.deleted_at IS NULL`,
};
export const accountIndex: WordIndex = {
  table: 'account_words',
  id: 'account_id',
  order: 'last_name',
  base: 'accounts',
  columns: ['id', 'last_name'],
  list: () => sql`FROM accounts r WHERE true`,
};
export const peopleIndex: WordIndex = {
  table: 'people_words',
  id: 'person_id',
  order: 'full_name',
  scope: 'list',
  base: 'people',
  columns: ['id', 'full_name'],
  list: (list) => sql`
    FROM (SELECT person_id AS id, full_name FROM people_words WHERE list = ${sql.lit(list)} AND word = '') r WHERE true`,
};

/** Up to this many matches, all are read and counted exactly. */
const fewMatches = 5000;
/** The same for the rarest of several words, each of whose matches is checked against the others. */
const fewMatchesOfSeveral = 500;
/** Maximum index rows read for a total; with more, the total is "at least". */
const countedRows = 12_000;
/** With more words of this prefix, their index ranges are not merged. */
const fewWords = 64;
/** Maximum rows read from an ordered index for one page. */
const maxRowsPerPage = 20_000;

export interface Search {
  index: WordIndex;
  /** Values of the index's scope; any single value when it has none. */
  scope: readonly string[];
  q: string;
  page: Keyset;
  direction: 'asc' | 'desc';
  /** Whether the page uses the index's order. */
  isOwnOrder: boolean;
  /** Further conditions, on columns that index and record share. */
  filters?: (alias: string) => RawBuilder<boolean>[];
  /** Further conditions on the record `r`. */
  recordFilters?: readonly RawBuilder<boolean>[];
  /** When the text starts a code: replaces the words by a condition on `r.id`. */
  code?: { ids: RawBuilder<unknown>; holds: (id: RawBuilder<unknown>) => RawBuilder<boolean> } | undefined;
}

export interface Found {
  /** The page's ids, plus one if there is a next page. */
  ids: number[];
  count: () => Promise<ReturnType<typeof capCount>>;
}

const all = (conditions: readonly RawBuilder<boolean>[]) =>
  conditions.length === 0 ? sql<boolean>`true` : sql.join<boolean>(conditions, sql` AND `);
const literals = (values: readonly string[]) => sql.join(values.map((value) => sql.lit(value)));
/** In byte order, words with a prefix lie between it and it followed by the highest character. */
const beginsWith = (column: string, word: RawBuilder<unknown> | string) =>
  sql<boolean>`${sql.ref(column)} >= ${word}::text AND ${sql.ref(column)} < ${word}::text || chr(1114111)`;
/** The ids of live releases with a word of this prefix. */
export const releasesWith = (word: string): RawBuilder<unknown> =>
  sql`(SELECT x.release_id FROM release_words x WHERE ${beginsWith('x.word', sql`(words_of(${word}))[1]`)})`;
const inScope = ({ index, scope }: Pick<Search, 'index' | 'scope'>, alias: string) =>
  index.scope === undefined
    ? sql<boolean>`true`
    : sql<boolean>`${sql.ref(`${alias}.${index.scope}`)} IN (${literals(scope)})`;
const isScope = ({ index }: Pick<Search, 'index'>, alias: string, value: RawBuilder<unknown>) =>
  index.scope === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(`${alias}.${index.scope}`)} = ${value}`;
const scopes = (search: Pick<Search, 'scope'>) => sql`unnest(ARRAY[${literals(search.scope)}])`;

interface Token {
  word: string;
  /** Number of index rows with this prefix, capped like a list's total. */
  matches: number;
  /** The words with this prefix, if there are few. */
  words: string[] | null;
}

/** The words of a text, rarest first; a word that is a prefix of another is dropped. */
async function measure(db: Trx, search: Pick<Search, 'index' | 'scope' | 'q'>): Promise<Token[]> {
  const { index } = search;
  const table = sql.table(index.table);
  const rows = await queryRows<Token>(db)`
    SELECT t.word, m.matches, s.words
      FROM unnest(words_of(${search.q})) AS t (word)
     CROSS JOIN LATERAL (
       SELECT count(*) AS matches
         FROM (SELECT 1 FROM ${table} x WHERE ${inScope(search, 'x')} AND ${beginsWith('x.word', sql`t.word`)}
                LIMIT ${sql.lit(fewMatches + 1)}) AS counted) AS m
      LEFT JOIN LATERAL (
        SELECT CASE WHEN count(DISTINCT found.word) <= ${sql.lit(fewWords)} THEN array_agg(DISTINCT found.word) END AS words
          FROM ${scopes(search)} AS part (value)
         CROSS JOIN LATERAL (
           WITH RECURSIVE step (word, n) AS (
             (SELECT x.word, 1 FROM ${table} x
               WHERE ${isScope(search, 'x', sql`part.value`)} AND ${beginsWith('x.word', sql`t.word`)} ORDER BY x.word LIMIT 1)
             UNION ALL
             SELECT (SELECT x.word FROM ${table} x
                      WHERE ${isScope(search, 'x', sql`part.value`)} AND x.word > step.word AND x.word < t.word || chr(1114111)
                      ORDER BY x.word LIMIT 1), step.n + 1
               FROM step WHERE step.word IS NOT NULL AND step.n <= ${sql.lit(fewWords)})
           SELECT step.word FROM step WHERE step.word IS NOT NULL) AS found) AS s ON true`;
  return rows
    .filter((token) => !rows.some((other) => other !== token && other.word.startsWith(token.word)))
    .sort((a, b) => a.matches - b.matches || Number(a.words === null) - Number(b.words === null));
}

export async function findMatches(db: Trx, search: Search): Promise<Found> {
  const { index, page, code, filters = () => [], recordFilters = [] } = search;
  const [rarest, ...others] = code ? [] : await measure(db, search);
  if (!(rarest || code)) return { ids: [], count: async () => capCount(0) };
  const table = sql.table(index.table);
  const id = sql.ref(index.id);
  const limit = sql.lit(page.limit + 1);

  const order = sql.ref(index.order);
  const isWord = (alias: string, { word, words }: Token) =>
    words
      ? sql<boolean>`${sql.ref(`${alias}.word`)} IN (${literals(words.length > 0 ? words : [word])})`
      : beginsWith(`${alias}.word`, word);
  /**
   * Looked up per record (OFFSET 0 prevents a join in a bad order): by its position in the index, or among the record's
   * words if there may be many.
   */
  const hasWords = (tokens: readonly Token[], record: { id: string; order: string; scope: RawBuilder<unknown> }) =>
    all(
      tokens.map((token) =>
        token.words
          ? sql<boolean>`EXISTS (
              SELECT 1 FROM ${table} o
               WHERE ${isScope(search, 'o', record.scope)} AND ${isWord('o', token)}
                 AND o.${order} = ${sql.ref(record.order)} AND o.${id} = ${sql.ref(record.id)} OFFSET 0)`
          : sql<boolean>`EXISTS (
              SELECT 1 FROM ${table} o WHERE o.${id} = ${sql.ref(record.id)} AND ${isWord('o', token)} OFFSET 0)`,
      ),
    );
  const rows = rarest
    ? sql`SELECT x.* FROM ${table} x WHERE ${inScope(search, 'x')} AND ${isWord('x', rarest)}`
    : sql``;
  const scopeOf = (alias: string) => (index.scope === undefined ? sql`NULL` : sql.ref(`${alias}.${index.scope}`));
  const hasOthers = (alias: string) =>
    hasWords(others, { id: `${alias}.${index.id}`, order: `${alias}.${index.order}`, scope: scopeOf(alias) });
  // Ids in the scope, possibly repeated, unless a code was meant.
  const matches = code
    ? code.ids
    : sql`SELECT x.${id} AS id, x.${order} FROM (${rows}) x WHERE ${all(filters('x'))} AND ${hasOthers('x')}`;
  // The index does not know codes, so its conditions are checked on the record.
  const conditions = code
    ? [...(index.scope === undefined ? [] : [inScope(search, 'r')]), ...filters('r'), ...recordFilters]
    : recordFilters;
  const columns = sql.join(index.columns.map((column) => sql.ref(`r.${column}`)));
  const needsRecord = conditions.length > 0 || !search.isOwnOrder || code !== undefined;
  const live = index.hasBin ? sql<boolean>`r.deleted_at IS NULL` : sql<boolean>`true`;

  const readAll = async (): Promise<Found> => {
    const distinct = sql`SELECT DISTINCT ON (m.id) m.* FROM (${matches}) m`;
    const matching = needsRecord
      ? sql`SELECT ${columns} FROM (${distinct}) m JOIN ${sql.table(index.base)} r ON r.id = m.id WHERE ${live} AND ${all(conditions)}`
      : sql`SELECT DISTINCT * FROM (${matches}) m`;
    const answer = await queryRow<{ ids: number[]; n: number }>(db)`
      WITH matching AS MATERIALIZED (${matching})
      SELECT ARRAY(SELECT r.id FROM matching r WHERE ${page.after} ORDER BY ${page.orderBy} LIMIT ${limit})::text[]::bigint[] AS ids,
             (SELECT count(*) FROM matching) AS n`;
    return { ids: answer?.ids.map(Number) ?? [], count: async () => capCount(answer?.n ?? 0) };
  };
  const isLarge = code
    ? await isBeyond(db, code.ids)
    : (rarest?.matches ?? 0) > (others.length > 0 ? fewMatchesOfSeveral : fewMatches);
  if (!isLarge) return readAll();

  const count = async () =>
    // Each row of the rarest word is checked against the others, so fewer rows are read.
    others.length > 0
      ? { total: page.limit, totalIsExact: false }
      : countMatches(db, {
          rows: code ? code.ids : rows,
          // With one word and no code, each record has one row.
          isDistinct: !code && rarest?.words?.length === 1,
          id: code ? sql`m.id` : sql`m.${id}`,
          isCounted: all([
            ...(code ? [] : filters('m')),
            ...(conditions.length > 0 ? [isKept(index, code ? sql`m.id` : sql`m.${id}`, live, conditions)] : []),
          ]),
        });
  const direction = sql.raw(search.direction);
  const ownOrder = (alias: string) =>
    sql`${sql.ref(`${alias}.${index.order}`)} ${direction}, ${sql.ref(`${alias}.id`)} ${direction}`;
  const isPlain = others.length === 0 && filters('r').length === 0 && recordFilters.length === 0;
  const words = search.isOwnOrder ? rarest?.words : undefined;
  const pages = words
    ? // Each word has an index range in the list's order; merging the first rows of each gives the page.
      sql`
        SELECT DISTINCT h.* FROM unnest(${words}::text[]) AS w (word) CROSS JOIN ${scopes(search)} AS part (value)
         CROSS JOIN LATERAL (
           SELECT s.* FROM (
             SELECT r.* FROM (SELECT x.${id} AS id, x.${sql.ref(index.order)} FROM ${table} x
                               WHERE ${isScope(search, 'x', sql`part.value`)} AND x.word = w.word AND ${all(filters('x'))}) r
              WHERE ${page.after} ORDER BY ${page.orderBy} LIMIT ${isPlain ? limit : sql.lit(maxRowsPerPage)}) s
            WHERE ${hasWords(others, { id: 's.id', order: `s.${index.order}`, scope: sql`part.value` })}
              AND ${recordFilters.length > 0 ? isKept(index, sql`s.id`, live, recordFilters) : sql`true`}
            ORDER BY ${ownOrder('s')} LIMIT ${limit}) h`
    : sql.join(
        search.scope.map(
          (value) => sql`
            (SELECT r.* FROM (SELECT r.* ${index.list(value)} AND ${page.after} ORDER BY ${page.orderBy}
                     LIMIT ${sql.lit(maxRowsPerPage)}) r
              WHERE ${
                code
                  ? code.holds(sql`r.id`)
                  : hasWords(rarest ? [rarest, ...others] : others, {
                      id: 'r.id',
                      order: `r.${index.order}`,
                      scope: sql.lit(value),
                    })
              } AND ${all([...filters('r'), ...recordFilters])}
              ORDER BY ${page.orderBy} LIMIT ${limit})`,
        ),
        sql` UNION ALL `,
      );
  const ids = await queryColumn<number>(db)`SELECT r.id FROM (${pages}) r ORDER BY ${page.orderBy} LIMIT ${limit}`;
  if (ids.length > page.limit || (words && isPlain)) return { ids, count };
  return readAll();
}

const isKept = (
  index: WordIndex,
  record: RawBuilder<unknown>,
  live: RawBuilder<boolean>,
  conditions: readonly RawBuilder<boolean>[],
) =>
  sql<boolean>`EXISTS (SELECT 1 FROM ${sql.table(index.base)} r WHERE r.id = ${record} AND ${live} AND ${all(conditions)} OFFSET 0)`;

const isBeyond = (db: Trx, ids: RawBuilder<unknown>) => queryValue<boolean>(db)`
  SELECT count(*) > ${sql.lit(fewMatches)} FROM (SELECT 1 FROM (${ids}) i LIMIT ${sql.lit(fewMatches + 1)}) AS counted`;

/** Of at most that many index rows. Common words have very many; beyond the limit the total is "at least". */
async function countMatches(
  db: Trx,
  counted: { rows: RawBuilder<unknown>; id: RawBuilder<unknown>; isDistinct: boolean; isCounted: RawBuilder<boolean> },
): Promise<ReturnType<typeof capCount>> {
  const { rows, id, isDistinct, isCounted } = counted;
  const answer = await queryRow<{ records: number; read: number }>(db)`
    SELECT count(${isDistinct ? id : sql`DISTINCT ${id}`}) FILTER (WHERE ${isCounted}) AS records, count(*) AS read
      FROM (${rows} LIMIT ${sql.lit(countedRows)}) m`;
  const { records = 0, read = 0 } = answer ?? {};
  const count = capCount(records);
  return { ...count, totalIsExact: count.totalIsExact && read < countedRows };
}
