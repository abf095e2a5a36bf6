import { appendFile, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Database, queryRow, type Trx } from '#src/lib/db.ts';

const rowsAtOnce = 5000;

/** Appends new journal and ledger rows to the hash chain, in transactions of a few thousand rows. */
export async function sealChain(db: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ added: number }>`SELECT seal_chain(${rowsAtOnce}) AS added`.execute(db);
    if ((rows[0]?.added ?? 0) < rowsAtOnce) return;
  }
}

/** The end of the chain on a day. Stored elsewhere, it reveals a chain that was recomputed. */
export interface Anchor {
  seq: number;
  /** Hexadecimal. */
  hash: string;
}

const findEnd = (db: Database) => queryRow<Anchor>(db)`
    SELECT seq, encode(hash, 'hex') AS hash FROM chain_links ORDER BY seq DESC LIMIT 1`;

/** `2026-11-22 1234 3f9a…`: one line of the anchor file. */
const anchorLine = ({ seq, hash }: Anchor, now: Date): string => `${now.toISOString().slice(0, 10)} ${seq} ${hash}`;

/** Appends the end of the chain to the anchor file. @returns the line; undefined while the chain is empty */
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

/**
 * Recomputes the chain and compares it with anchors stored elsewhere.
 * @returns one line for the first broken link and one for the first anchor that does not match
 */
export async function findChainFaults(trx: Trx, anchors: readonly Anchor[]): Promise<string[]> {
  const { rows } = await sql<{
    seq: number | null;
    source: keyof typeof sourceNames;
    rowId: number;
    isMissing: boolean;
  }>`SELECT * FROM find_broken_link()`.execute(trx);
  const faults = rows.map(({ seq, source, rowId, isMissing }) =>
    seq === null
      ? `${sourceNames[source]} ${rowId} was added behind the chain`
      : `link ${seq}, ${sourceNames[source]} ${rowId}: ${isMissing ? 'removed' : 'changed since it was sealed'}`,
  );
  const sealed = await sql<{ seq: number; hash: string }>`
    SELECT seq, encode(hash, 'hex') AS hash FROM chain_links WHERE seq = ANY(${anchors.map(({ seq }) => seq)}::bigint[])`.execute(
    trx,
  );
  const hashes = new Map(sealed.rows.map(({ seq, hash }) => [seq, hash]));
  const departing = anchors.find(({ seq, hash }) => hashes.get(seq) !== hash);
  if (departing) faults.push(`link ${departing.seq} is not the one that was anchored`);
  return faults;
}
