import { maxBatchRows } from '@regie/contract/routes/reports.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { Actor } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { importBatch } from '#src/modules/money/reports/import-batches.service.ts';
import { deleteReport, reverseImport } from '#src/modules/money/reports/reversals.service.ts';
import { createReport, createYoutubeReport } from '#src/modules/money/reports/single-reports.service.ts';
import { dayAfterMonth, instantOn, reportMonths } from './calendar.ts';
import type { EntryDates } from './entry-dates.ts';
import { at, Random, seedOf } from './random.ts';
import {
  faultyRows,
  fileKeyOf,
  importedMonth,
  isImported,
  monthRoyalties,
  type RoyaltyBlock,
  type RoyaltyRow,
  toRow,
} from './royalties.ts';

/** Index from the first report month. */
const singleReportMonths: readonly number[] = [9, 14, 20, 22, 23];
const deletedReportMonth = 22;

export interface ReportsOptions {
  blocks: readonly RoyaltyBlock[];
  /** Accounts with a video channel, with their index in the whole demo. */
  channels: readonly { accountId: number; ordinal: number }[];
  adminId: number | null;
  /** Distinguishes the files of this load from another's. */
  fileSuffix: string;
}

/** Adds the reports of a month that no statement brings, with the normal code, and backdates the rows. */
export async function loadReports(trx: Trx, dates: EntryDates, month: number, options: ReportsOptions): Promise<void> {
  const random = new Random(seedOf('report days', month));
  const arrival = dayAfterMonth(at(reportMonths, month));
  const actor: Actor = { adminId: options.adminId, requestId: null };
  if (month === importedMonth) {
    const name = `royalties-${at(reportMonths, month)}${options.fileSuffix}`;
    const rows = [...monthRoyalties(options.blocks, month)]
      .filter(({ track }) => isImported(track, month))
      .map(({ track, royalty }) => toRow(track.isrc, royalty));
    const wrong = rows.map((row) => ({
      ...row,
      incomeOfStreams: row.incomeOfStreams.replace('.', '').replace(/(\d{6})$/, '.$1'),
    }));
    const wrongId = await importFile(trx, actor, month, `${name}.csv`, wrong);
    await dates.date(instantOn(arrival + 3, random));
    await reverseImport(trx, actor, wrongId);
    await dates.date(instantOn(arrival + 4, random), { hasReversals: true });
    await importFile(trx, actor, month, `${name}-corrige.csv`, [...rows, ...faultyRows(options.blocks, month)]);
    await dates.date(instantOn(arrival + 5, random));
  }
  for (const { accountId, ordinal } of options.channels) {
    const draw = new Random(seedOf('channel', ordinal, month));
    const cents = Math.round((900 + (ordinal % 7) * 2600) * (0.7 + draw.fraction() * 0.7) * (1 + month / 40));
    await createYoutubeReport(trx, actor, {
      userId: accountId,
      fromDate: monthToMs(at(reportMonths, month)),
      incomeOfYoutube: cents / 100,
    });
  }
  await dates.date(instantOn(arrival + 6, random));
  if (singleReportMonths.includes(month)) {
    const accountIds = options.channels.map(({ accountId }) => accountId);
    await addSingleReport(trx, actor, month, accountIds);
    await dates.date(instantOn(arrival + 7, random), { hasReversals: month === deletedReportMonth });
  }
}

async function importFile(
  trx: Trx,
  actor: Actor,
  month: number,
  fileName: string,
  rows: readonly RoyaltyRow[],
): Promise<number> {
  const batches = Math.ceil(rows.length / maxBatchRows);
  let importId = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const answer = await importBatch(trx, actor, {
      monthMs: monthToMs(at(reportMonths, month)),
      toMs: undefined,
      fileKey: fileKeyOf('regie demo', fileName),
      fileName,
      batch,
      batches,
      rows: rows.slice(batch * maxBatchRows, (batch + 1) * maxBatchRows),
    });
    importId = answer.importId;
  }
  return importId;
}

/** A manual correction, and once a reversed one. */
async function addSingleReport(trx: Trx, actor: Actor, month: number, accountIds: readonly number[]): Promise<void> {
  const track = await trx
    .selectFrom('tracks')
    .select(['tracks.id', 'tracks.accountId'])
    .where('tracks.accountId', 'in', [...accountIds.slice(0, 50), 0])
    .where('tracks.isrc', 'is not', null)
    .orderBy('tracks.id')
    .offset(month % 7)
    .limit(1)
    .executeTakeFirst();
  if (!track) return;
  const { data } = await createReport(trx, actor, {
    trackId: track.id,
    userId: track.accountId,
    fromDate: monthToMs(at(reportMonths, month)),
    numOfStreams: 1800 + month * 37,
    incomeOfStreams: month === 20 ? -12.4 : 6.35,
    numOfDownloads: 3,
    incomeOfDownloads: 2.1,
    numOfYoutube: 0,
    incomeOfYoutube: 0,
  });
  if (month === deletedReportMonth) await deleteReport(trx, actor, data.id);
}
