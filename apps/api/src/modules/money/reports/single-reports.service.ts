import { messages } from '@regie/contract/messages.ts';
import type { ReportForm, YoutubeReportForm } from '@regie/contract/routes/reports.ts';
import { findMonth } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import { queryRow, type Trx } from '#src/lib/db.ts';
import { AppError, invalid } from '#src/lib/errors.ts';
import { toFrenchDollars } from '#src/lib/money.ts';
import { endDate, toDate } from '#src/lib/months.ts';
import { checkAccount } from '#src/modules/people/accounts/accounts.service.ts';
import { addToImport, incomeAlert, openImport, warnFutureMonth } from './imports.service.ts';
import { postContributions, type SingleContribution, singleSource } from './report-posting.queries.ts';

interface SingleReport {
  type: 'platform' | 'youtube';
  month: string;
  toDate: string;
  contribution: SingleContribution;
  /** Whether a second report is meant; undefined from clients that do not ask. */
  again: boolean | undefined;
}

interface OtherReport {
  id: number;
  grossUsd: string;
  createdAt: Date;
  author: string;
  isEqual: boolean;
}

/**
 * Finds another report that may have paid the income: with equal figures, or made by hand. A lock makes concurrent
 * calls see each other.
 * @returns the warning unless confirmed
 * @throws conflict on `again`, with the id under `report`
 */
async function findOtherReport(trx: Trx, { type, month, contribution, again }: SingleReport): Promise<string[]> {
  if (again) return [];
  const { trackId, accountId } = contribution;
  const what = `report ${type} ${trackId ?? accountId} ${month}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${what}, 0))`.execute(trx);
  const usd = (income: number) => sql`round(${String(income)}::numeric, 10)`;
  const isEqual = sql`(num_streams, num_downloads, num_youtube, income_streams_usd, income_downloads_usd, income_youtube_usd)
    = (${contribution.streams}::bigint, ${contribution.downloads}::bigint, ${contribution.youtube}::bigint,
       ${usd(contribution.incomeStreams)}, ${usd(contribution.incomeDownloads)}, ${usd(contribution.incomeYoutube)})`;
  const first = await queryRow<OtherReport>(trx)`
    SELECT r.id, r.gross_usd, i.created_at, trim(concat(a.first_name, ' ', a.last_name)) AS author, ${isEqual} AS is_equal
      FROM reports r JOIN imports i ON i.id = r.import_id LEFT JOIN admins a ON a.id = i.created_by
     WHERE (i.kind = 'single' OR ${isEqual}) AND r.type = ${type} AND r.month = ${month} AND r.reversed_at IS NULL
       AND ${trackId === null ? sql`r.account_id = ${accountId}` : sql`r.track_id = ${trackId}`}
     ORDER BY is_equal DESC, r.id LIMIT 1`;
  if (!first) return [];
  const day = new Intl.DateTimeFormat('fr-FR', { timeZone: 'Europe/Paris' }).format(first.createdAt);
  const describe = (by: string) =>
    messages.reportExists(first.id, first.isEqual, toFrenchDollars(first.grossUsd), day, by);
  // The journal keeps the warning, without a person's name.
  if (!first.isEqual && again === undefined) return [describe('')];
  throw new AppError('conflict', describe(first.author), {
    errors: { again: describe(first.author), report: String(first.id) },
  });
}

async function createSingle(trx: Trx, actor: Actor, report: SingleReport) {
  const others = await findOtherReport(trx, report);
  const target = await openImport(trx, actor, {
    kind: 'single',
    type: report.type,
    month: report.month,
    toDate: report.toDate,
    batchesExpected: 1,
  });
  const warnings = [...others, ...warnFutureMonth(target)];
  const posted = await postContributions(
    trx,
    { import: target, batch: 0, adminId: actor.adminId },
    singleSource(report.contribution),
  );
  if (posted.reportId === null) throw new Error('a single report was not written');
  await addToImport(trx, target.id, posted, { batches: 1, rows: 1, saved: 1 });
  await writeAudit(trx, actor, {
    action: 'report.create',
    entityId: posted.reportId,
    after: {
      type: report.type,
      month: report.month.slice(0, 7),
      trackId: report.contribution.trackId,
      userId: report.contribution.accountId,
      grossUsd: posted.grossUsd,
      accountsEur: posted.accountsEur,
      referralsEur: posted.referralsEur,
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    alert: await incomeAlert(trx, `Le rapport ${posted.reportId} est saisi à la main`, posted.accountsEur),
  });
  return { data: { id: posted.reportId }, warnings };
}

/**
 * A platform report with an import of its own.
 * @throws validation_failed for an unknown or foreign track (product §25.3); conflict
 */
export async function createReport(trx: Trx, actor: Actor, form: ReportForm) {
  const track = await trx.selectFrom('tracks').select('accountId').where('id', '=', form.trackId).executeTakeFirst();
  if (!track) throw invalid({ trackId: 'Ce titre n’existe pas' });
  if (track.accountId !== form.userId) throw invalid({ userId: 'Ce titre n’appartient pas à ce compte' });
  const month = toDate(findMonth(form.fromDate));
  return createSingle(trx, actor, {
    type: 'platform',
    month,
    toDate: endDate(month, form.toDate),
    contribution: {
      trackId: form.trackId,
      accountId: form.userId,
      streams: form.numOfStreams,
      incomeStreams: form.incomeOfStreams,
      downloads: form.numOfDownloads,
      incomeDownloads: form.incomeOfDownloads,
      youtube: form.numOfYoutube,
      incomeYoutube: form.incomeOfYoutube,
    },
    again: form.again,
  });
}

/** A month's income of an account, shared by `youtubeChannelIncomePercentile`. @throws validation_failed, conflict */
export async function createYoutubeReport(trx: Trx, actor: Actor, form: YoutubeReportForm) {
  await checkAccount(trx, form.userId);
  const month = toDate(findMonth(form.fromDate));
  return createSingle(trx, actor, {
    type: 'youtube',
    month,
    toDate: endDate(month, undefined),
    contribution: {
      trackId: null,
      accountId: form.userId,
      streams: 0,
      incomeStreams: 0,
      downloads: 0,
      incomeDownloads: 0,
      youtube: 0,
      incomeYoutube: form.incomeOfYoutube,
    },
    again: form.again,
  });
}
