import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Database } from '#src/lib/db.ts';
import type { LineStore } from '#src/modules/income/lines/lines.service.ts';
import { type LoadTarget, loadStatement } from '#src/modules/income/statements/load.service.ts';
import { testLines } from './lines.ts';

/** Columns of Apple's monthly summary, after the region. */
export const appleSummaryColumns = [
  'Units Sold',
  'Earned',
  'Pre-Tax Subtotal',
  'Input Tax',
  'Adjustments',
  'Withholding Tax',
  'Total Owed',
  'Exchange Rate',
  'Proceeds',
  'Bank Account Currency',
];

/** A statement row; missing fields get defaults. */
export interface StatementRow {
  isrc?: string;
  month?: string;
  store?: string;
  country?: string;
  quantity?: number | string;
  /** USD, as exact text. */
  amount: string;
  title?: string;
  artist?: string;
  upc?: string;
}

/** A DistroKid bank-details statement with these rows. */
export function distrokidFile(rows: readonly StatementRow[]): string {
  const header =
    'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';
  const lines = rows.map((row) =>
    [
      '2025-04-02',
      row.month ?? '2025-01',
      row.store ?? 'Deezer',
      row.artist ?? 'Artiste',
      row.title ?? 'Titre',
      row.isrc ?? '',
      row.upc ?? '',
      String(row.quantity ?? 1),
      '100',
      row.isrc ? 'Song' : 'Album',
      row.country ?? 'FR',
      '0',
      row.amount,
    ].join('\t'),
  );
  return `${[header, ...lines].join('\r\n')}\r\n`;
}

/** An uploaded statement that is not loaded. */
export async function buildReceived(
  owner: Database,
  content: string | Buffer,
  fileName = 'releve.tsv',
): Promise<number> {
  const bytes = Buffer.from(content);
  const sha256 = createHash('sha256').update(bytes).digest();
  const file = await owner
    .insertInto('files')
    .values({
      storageKey: `statement/${randomBytes(16).toString('hex')}.bin`,
      kind: 'statement',
      originalName: fileName,
      contentType: 'application/octet-stream',
      sizeBytes: bytes.length,
      sha256,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id } = await owner
    .insertInto('statements')
    .values({ fileName, sizeBytes: Math.max(1, bytes.length), sha256, fileId: file.id })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Loads an uploaded statement from these bytes, like its job. */
export async function readReceived(
  ownerUrl: string,
  statementId: number,
  content: string | Buffer,
  {
    lines = testLines,
    load = (target) => loadStatement(ownerUrl, target),
  }: {
    lines?: LineStore;
    load?: (target: LoadTarget) => Promise<boolean>;
  } = {},
): Promise<boolean> {
  const bytes = Buffer.from(content);
  return load({
    statementId,
    file: {
      sizeBytes: bytes.length,
      open: async (range) => Readable.from([bytes.subarray(range?.start ?? 0, (range?.end ?? bytes.length - 1) + 1)]),
    },
    lines,
  });
}

/** A loaded statement, optionally checked. */
export async function buildStatement(
  test: { owner: Database; ownerUrl: string },
  rows: readonly StatementRow[],
  options: { fileName?: string; isChecked?: boolean; accountingMonth?: string } = {},
): Promise<number> {
  const content = distrokidFile(rows);
  const id = await buildReceived(test.owner, content, options.fileName);
  await readReceived(test.ownerUrl, id, content);
  const { isChecked, accountingMonth } = options;
  if (isChecked) {
    await test.owner
      .updateTable('statements')
      .set({ status: 'checked', checkedAt: new Date() })
      .where('id', '=', id)
      .execute();
  }
  if (accountingMonth) {
    await test.owner.updateTable('statements').set({ accountingMonth }).where('id', '=', id).execute();
  }
  return id;
}

/** An Apple Music statement (S1, S3, S5, F1) of a calendar month: one currency per file, one row per amount. */
export function appleMusicFile(options: {
  /** `YYYY-MM`. */
  month: string;
  currency: string;
  amounts: readonly string[];
  type?: string;
}): string {
  const { month, currency, amounts, type = 'Apple Music' } = options;
  const [year, number] = month.split('-');
  const header =
    'Storefront Name\tApple Identifier\tMembership Type\tQuantity\tNet Royalty\tNet Royalty Total\tISRC\tItem_Title\tItem_Artist\tItem Type\tMedia Type\tVendor Identifier\tOffline Indicator\tLabel/Studio/Network\tGrid';
  const rows = amounts.map(
    (amount, index) =>
      `FR\t1\tIndividual\t1\t${amount}\t${amount}\tFRAPP2500${String(index).padStart(3, '0')}\tTitre\tArtiste\tSong\tStream\tV\tN\tLabel\t`,
  );
  return [
    `Start Date\t${number}/05/${year}`,
    `End Date\t${number}/25/${year}`,
    `Report Type\t${type}`,
    `Currency\t${currency}`,
    header,
    ...rows,
    '',
  ].join('\n');
}

/** Apple's monthly summary: region, earned, owed, exchange rate, proceeds and currency of the bank account. */
export function appleSummaryFile(
  month: string,
  rows: readonly (readonly [
    region: string,
    earned: string,
    owed: string,
    rate: string,
    proceeds: string,
    bank: string,
  ])[],
): string {
  const line = (cells: readonly string[]) => `${cells.map((cell) => `"${cell}"`).join(',')},,`;
  return [
    `"iTunes Connect - Payments and Financial Reports\t(${month})"${','.repeat(12)}`,
    ','.repeat(12),
    line(['Country or Region (Currency)', ...appleSummaryColumns]),
    ...rows.map(([region, earned, owed, rate, proceeds, bank]) =>
      line([region, '1', earned, earned, '0', '0', '0', owed, rate, proceeds, bank]),
    ),
    ','.repeat(12),
    '',
  ].join('\r\n');
}
