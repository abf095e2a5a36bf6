import { findNumber } from '@regie/values/search-text.ts';
import { typoPattern, wordsOf } from '@regie/values/typo.ts';
import { type RawBuilder, sql } from 'kysely';
import { queryColumn, queryRows, type Trx } from '#src/lib/db.ts';
import { keyset } from '#src/lib/keyset.ts';
import { accountsWith, hasEachWord, hasWords } from '#src/lib/text-search.ts';
import { accountIndex, findMatches } from '#src/lib/word-search.ts';

interface FoundAccount {
  id: number;
  name: string;
  company: string | null;
  email: string | null;
}

const accountSorts = { name: { expression: sql`r.last_name`, type: 'text' } } as const;

/** By last name, with each word in names, company or e-mail. */
async function findAccountIds(db: Trx, q: string, limit: number, filters: readonly RawBuilder<boolean>[] = []) {
  const { ids } = await findMatches(db, {
    index: accountIndex,
    scope: [''],
    q,
    page: keyset({ sort: 'name', order: 'asc', limit }, accountSorts, sql`r.id`),
    direction: 'asc',
    isOwnOrder: true,
    recordFilters: filters,
  });
  return ids.slice(0, limit);
}

/** A few words: each pattern reads the words of one initial. */
const mostNearWords = 4;

/** Accounts of which each word is one of the text's, with one typo forgiven. */
async function findNearAccountIds(db: Trx, q: string, limit: number): Promise<number[]> {
  const words = wordsOf(q);
  if (words.length === 0 || words.length > mostNearWords) return [];
  const hasWord = (word: string) =>
    sql`r.id IN (SELECT x.account_id FROM account_words x WHERE x.word ~ ${typoPattern(word)})`;
  return queryColumn<number>(db)`
    SELECT r.id FROM accounts r WHERE ${sql.join(words.map(hasWord), sql` AND `)} ORDER BY r.last_name, r.id LIMIT ${limit}`;
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** An amount as it is typed or copied: `2 544,65 €`, `56.06 $US`, `−35,50`, `106,81 CHF`. */
export function findAmount(q: string): string | null {
  const [, digits = '', unit] = /^([-−]?\d[\d\s]*(?:[.,]\d{1,2})?)\s*(€|\$(?:US)?|[a-z]{3})?$/i.exec(q.trim()) ?? [];
  if (unit && /^[a-z]/i.test(unit) && !currencies.has(unit.toUpperCase())) return null;
  const typed = digits.replaceAll(/\s/g, '').replace(',', '.').replace('−', '-');
  return typed.length <= 16 && Number(typed) !== 0 ? typed : null;
}

/** By number, words or balance; this number first. */
export async function searchAccounts(db: Trx, q: string, limit: number): Promise<FoundAccount[]> {
  const number = findNumber(q, 'account');
  const amount = findAmount(q);
  const exact = [
    ...(number === undefined ? [] : [number]),
    ...(await findAccountIds(db, q, limit)),
    ...(amount === null
      ? []
      : await queryColumn<number>(db)`
          SELECT account_id FROM ledger_balances
           WHERE account_id IS NOT NULL AND currency = 'EUR' AND trunc(amount, 2) = ${amount}::numeric LIMIT ${limit}`),
  ];
  const ids = exact.length > 0 ? exact : await findNearAccountIds(db, q, limit);
  return queryRows<FoundAccount>(db)`
    SELECT id, coalesce(nullif(trim(first_name || ' ' || last_name), ''), company, email::text, 'Compte ' || id) AS name,
           nullif(company, '') AS company, email
      FROM accounts WHERE id = ANY(${ids}::bigint[]) ORDER BY id = ${number ?? 0}::bigint DESC, last_name, id LIMIT ${limit}`;
}

interface FoundPayout {
  id: number;
  status: 'PENDING' | 'PAID' | 'CANCEL';
  amountEur: string;
  name: string;
  createdAt: Date;
}

/** Whose payouts are searched. */
const accountsOfText = 20;

/** Newest first, by number or amount, or of matching accounts. */
export async function searchPayouts(
  db: Trx,
  states: readonly ('pending' | 'paid' | 'cancelled')[],
  q: string,
  limit: number,
): Promise<FoundPayout[]> {
  const isShown = (alias: string) => sql<boolean>`
    ${sql.ref(`${alias}.state`)} IN (${sql.join(states.map((state) => sql.lit(state)))}) AND ${sql.ref(`${alias}.deleted_at`)} IS NULL`;
  const id = findNumber(q, 'payout') ?? null;
  const amount = findAmount(q);
  const isNumber = id !== null || amount !== null;
  const accounts = isNumber
    ? []
    : await findAccountIds(db, q, accountsOfText, [
        sql`EXISTS (SELECT 1 FROM payouts x WHERE x.account_id = r.id AND ${isShown('x')})`,
      ]);
  if (!isNumber && accounts.length === 0) return [];
  const matches = isNumber
    ? sql`SELECT p.id FROM payouts p WHERE p.id = ${id}::bigint AND ${isShown('p')}
          UNION
          (SELECT p.id FROM payouts p WHERE p.amount_eur = ${amount}::numeric AND ${isShown('p')} ORDER BY p.id DESC LIMIT ${limit})`
    : sql`SELECT h.id FROM unnest(${accounts}::bigint[]) AS a (id)
           CROSS JOIN LATERAL (SELECT p.id FROM payouts p WHERE p.account_id = a.id AND ${isShown('p')}
                                ORDER BY p.id DESC LIMIT ${limit}) h`;
  return queryRows<FoundPayout>(db)`
    SELECT p.id, CASE p.state WHEN 'pending' THEN 'PENDING' WHEN 'paid' THEN 'PAID' ELSE 'CANCEL' END AS status,
           p.amount_eur, trim(a.first_name || ' ' || a.last_name) AS name, p.created_at
      FROM payouts p JOIN accounts a ON a.id = p.account_id
     WHERE p.id IN (${matches}) ORDER BY p.id DESC LIMIT ${limit}`;
}

interface FoundImport {
  id: number;
  fileName: string | null;
  month: string;
  grossUsd: string;
  grossEur: string;
}

/** Newest first, by the amount of their reports or what accounts got of it, to the cent. */
export async function searchImports(db: Trx, q: string, limit: number): Promise<FoundImport[]> {
  const amount = findAmount(q);
  if (amount === null) return [];
  return queryRows<FoundImport>(db)`
    SELECT i.id, i.file_name, i.month, i.gross_usd, i.gross_eur FROM imports i
     WHERE i.reversed_at IS NULL AND 0.005 >= least(
       abs(i.gross_usd - ${amount}::numeric), abs(i.gross_eur - ${amount}::numeric), abs(i.accounts_eur - ${amount}::numeric))
     ORDER BY i.id DESC LIMIT ${limit}`;
}

interface FoundTicket {
  id: number;
  status: 'OPENED' | 'CLOSED';
  title: string;
  name: string;
}

/** Open ones first, by number (`dt-` or not), or words of title, address or customer. */
export function searchTickets(db: Trx, q: string, limit: number): Promise<FoundTicket[]> {
  const number = findNumber(q, 'ticket');
  const matches =
    number === undefined
      ? hasEachWord(q, (word) => sql`${hasWords(sql`k.search`, word)} OR k.account_id IN ${accountsWith(word)}`)
      : sql<boolean>`k.id = ${number}::bigint`;
  return queryRows<FoundTicket>(db)`
    SELECT k.id, upper(k.status) AS status, k.title, coalesce(trim(a.first_name || ' ' || a.last_name), '') AS name
      FROM tickets k LEFT JOIN accounts a ON a.id = k.account_id
     WHERE ${matches} ORDER BY k.status DESC, k.id DESC LIMIT ${limit}`;
}
