import { appendFile, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Database, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';

const rowsAtOnce = 5000;

/** Appends new rows to the hash chain, in transactions of a few thousand. */
export async function sealChain(db: Database): Promise<void> {
  let added = rowsAtOnce;
  while (added === rowsAtOnce) added = await queryValue<number>(db)`SELECT seal_chain(${rowsAtOnce})`;
}

/** The end of the chain. Stored elsewhere, it reveals a recomputed chain. */
export interface Anchor {
  seq: number;
  hash: string;
}

const findEnd = (db: Database) => queryRow<Anchor>(db)`
    SELECT seq, encode(hash, 'hex') AS hash FROM chain_links ORDER BY seq DESC LIMIT 1`;

/** `2026-11-22 1234 3f9a…` */
const anchorLine = ({ seq, hash }: Anchor, now: Date): string => `${now.toISOString().slice(0, 10)} ${seq} ${hash}`;

/** @returns the line; undefined while the chain is empty */
export async function anchorChain(db: Database, path: string | undefined): Promise<string | undefined> {
  const end = await findEnd(db);
  if (!end) return undefined;
  const line = anchorLine(end, new Date());
  if (path !== undefined) await appendFile(path, `${line}\n`, { mode: 0o600 });
  return line;
}

const anchorForm = /^\d{4}-\d{2}-\d{2} (\d+) ([0-9a-f]{64})$/;

/** @throws Error with the first invalid line */
export async function readAnchors(path: string): Promise<Anchor[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, seq, hash] = anchorForm.exec(line.trim()) ?? [];
    if (seq === undefined || hash === undefined) throw new Error(`invalid anchor: ${line.slice(0, 100)}`);
    return { seq: Number(seq), hash };
  });
}

const sourceNames = { journal: 'journal entry', ledger: 'ledger transaction' } as const;

/** Recomputes the chain. @returns one line for the first broken link and for the first anchor that does not match */
export async function findChainFaults(trx: Trx, anchors: readonly Anchor[]): Promise<string[]> {
  const rows = await queryRows<{
    seq: number | null;
    source: keyof typeof sourceNames;
    rowId: number;
    isMissing: boolean;
  }>(trx)`SELECT * FROM find_broken_link()`;
  const faults = rows.map(({ seq, source, rowId, isMissing }) =>
    seq === null
      ? `${sourceNames[source]} ${rowId} was added behind the chain`
      : `link ${seq}, ${sourceNames[source]} ${rowId}: ${isMissing ? 'removed' : 'changed since it was sealed'}`,
  );
  const sealed = await sql<{ seq: number; hash: string }>`
    SELECT seq, encode(hash, 'hex') AS hash FROM chain_links
     WHERE seq = ANY(${anchors.map(({ seq }) => seq)}::bigint[])`.execute(trx);
  const hashes = new Map(sealed.rows.map(({ seq, hash }) => [seq, hash]));
  const departing = anchors.find(({ seq, hash }) => hashes.get(seq) !== hash);
  if (departing) faults.push(`link ${departing.seq} is not the one that was anchored`);
  return faults;
}
