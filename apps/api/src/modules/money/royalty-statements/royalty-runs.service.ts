import { messages } from '@regie/contract/messages.ts';
import type { ChangeReason } from '@regie/contract/routes/compare.ts';
import type { RoyaltyLine } from '@regie/contract/routes/royalty-statements.ts';
import { frDocuments } from '@regie/documents/documents.fr.ts';
import { findMonth, monthToMs } from '@regie/values/month.ts';
import { writeAudit } from '#src/lib/audit.ts';
import { literal } from '#src/lib/column-engine.ts';
import { connectClient, type Database, type Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { conflict, invalid, notFound, orNotFound } from '#src/lib/errors.ts';
import { bufferAnswer, type FileAnswer, type StreamAnswer } from '#src/lib/file-answer.ts';
import { enqueue, type JobDeps } from '#src/lib/jobs.ts';
import type { ListQuery } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import { adminOf, type Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { listReasons } from '#src/modules/income/compare/compare.service.ts';
import type { LineStore } from '#src/modules/income/lines/lines.service.ts';
import { csvOptions, csvText, openMadeFile } from '#src/modules/income/lines/lines-csv.service.ts';
import { printRoyaltyStatement } from './print-statement.service.ts';
import { publishRun } from './publish-run.service.ts';
import { linkTo } from './royalty-letters.service.ts';
import * as queries from './royalty-statements.queries.ts';

const runToWire = (row: queries.RunRow) => ({
  ...toWireRow(row, 'incomeEur', 'closingEur'),
  month: monthToMs(row.month),
  createdBy: row.createdByName,
  hasFailed: row.failedAt !== null,
  letters: { none: row.none, queued: row.queued, sent: row.sent, failed: row.failed },
});

const refOf = (row: { id: number; firstName: string; lastName: string }) => ({
  id: row.id,
  fname: row.firstName,
  lname: row.lastName,
});

const statementToWire = (row: queries.StatementRow) => ({
  ...toWireRow(row, 'openingEur', 'incomeEur', 'closingEur'),
  Account: refOf({ ...row, id: row.accountId }),
  from: monthToMs(row.fromMonth),
  to: monthToMs(row.month),
  letter: { state: row.letter, failure: row.failure, at: (row.sentAt ?? row.queuedAt)?.getTime() ?? null },
});

export async function listRuns(db: Database, query: ListQuery<'month'>) {
  const { rows, meta } = await queries.listRuns(db, query);
  return { data: rows.map(runToWire), meta };
}

/** @throws not_found */
export const getRun = async (db: Database, id: number) =>
  runToWire(orNotFound(await queries.findRun(db, id), messages.unknownRun));

/** One query for each pair of months: few on a page. */
async function findReasons(db: Trx, month: string, drafts: readonly queries.DraftRow[]) {
  const months = await queries.listSalesMonths(
    db,
    month,
    drafts.map(({ id }) => id),
  );
  const found = new Map<number, ChangeReason>();
  for (const same of Map.groupBy(months, ({ a, b }) => `${a} ${b}`).values()) {
    const [{ a, b }] = same as [queries.SalesMonths];
    const accounts = same.map(({ accountId }) => accountId);
    for (const [id, reason] of await listReasons(db, accounts, { a, b })) found.set(id, reason);
  }
  return found;
}

export async function listDrafts(
  db: Trx,
  caller: Caller,
  { month, ...query }: ListQuery<'name' | 'income' | 'closing'> & { month: number },
) {
  const asked = toDate(findMonth(month));
  const { rows, meta } = await queries.listDrafts(db, asked, query);
  const reasons = caller.can('manage_profiles') ? await findReasons(db, asked, rows) : new Map<number, ChangeReason>();
  const data = rows.map((row) => ({
    ...row,
    Account: refOf(row),
    from: monthToMs(row.fromMonth),
    openingEur: toWireNumber(row.opening),
    incomeEur: toWireNumber(row.income),
    closingEur: toWireNumber(row.closing),
    formerIncomeEur: row.formerIncome === null ? null : toWireNumber(row.formerIncome),
    reason: reasons.get(row.id) ?? null,
  }));
  return { data, meta };
}

/**
 * Queues the publication of a month's statements.
 * @throws conflict while another run is being published; validation_failed when the month is not after the last run's,
 * or is in the future: no earlier one could be published any more
 */
export async function startRun(trx: Trx, caller: Caller, form: { month: number }): Promise<{ id: number }> {
  const month = toDate(findMonth(form.month));
  const last = await queries.findLastRun(trx);
  if (last?.isOpen) throw conflict(messages.runIsOpen);
  if (form.month > Date.now()) throw invalid({ month: messages.runIsFuture });
  if (last && last.month >= month) throw invalid({ month: messages.runIsEarlier });
  const [run] = await queries.addRun(trx, month, adminOf(caller));
  const id = run?.id ?? 0;
  await writeAudit(trx, caller, { action: 'royalty_run.publish', entityId: id, after: { month } });
  await enqueue(trx, 'publish_royalty_run', { runId: id });
  return { id };
}

/** @throws not_found; conflict unless it has failed */
export async function retryRun(trx: Trx, caller: Caller, id: number): Promise<void> {
  const run = orNotFound(await queries.findRun(trx, id), messages.unknownRun);
  if (run.publishedAt !== null || run.failedAt === null) throw conflict(messages.runHasNotFailed);
  await queries.setFailed(trx, id, false);
  await writeAudit(trx, caller, { action: 'royalty_run.retry', entityId: id });
  await enqueue(trx, 'publish_royalty_run', { runId: id });
}

/** All or none; a failure is shown, and tried again when staff ask for it. */
export const publishRoyaltyRunJob =
  ({ lines, ownerUrl }: { lines: LineStore; ownerUrl: string }) =>
  async ({ runId }: { runId: number }, { db, log }: JobDeps): Promise<void> => {
    try {
      await using main = await connectClient(ownerUrl, 'regie royalty statements');
      await publishRun(main, lines, runId);
    } catch (error) {
      log.error({ runId, error }, 'the statements of a month were not published');
      await queries.setFailed(db, runId, true);
    }
  };

export async function listStatements(db: Database, query: Parameters<typeof queries.listStatements>[1]) {
  const { rows, meta } = await queries.listStatements(db, query);
  return { data: rows.map(statementToWire), meta };
}

const findStatement = async (db: Database, id: number) =>
  orNotFound(await queries.findStatement(db, id), messages.unknownStatementOut);

/** @throws not_found */
export async function getStatement(
  { publicUrl, cookies }: Pick<Deps, 'publicUrl' | 'cookies'>,
  db: Database,
  caller: Caller,
  id: number,
) {
  const row = await findStatement(db, id);
  const isShown = caller.can('manage_profiles') || caller.can('send_statements');
  const { email, link } = isShown ? row : { email: null, link: null };
  return {
    ...statementToWire(row),
    ...{ sha256: row.sha256.toString('hex'), record: row.record, email },
    link: link === null ? null : linkTo({ publicUrl, secret: cookies.secret }, id, link),
    linkExpiresAt: link === null ? null : (row.linkExpiresAt?.getTime() ?? null),
  };
}

/** @throws not_found, also of an erased one */
export async function getStatementPdf(db: Database, id: number): Promise<FileAnswer> {
  const record = orNotFound((await findStatement(db, id)).record, messages.unknownStatementOut);
  const content = await printRoyaltyStatement(record);
  return bufferAnswer(content, 'application/pdf', frDocuments.royalty.fileName(record.account.id, record.number));
}
/** Of the file of a run's lines. */
const linesOf = async (store: LineStore, storageKey: string, accountId: number) =>
  `read_parquet(${literal(await store.pathOf(storageKey))}) WHERE account_id = ${accountId}`;

/** @throws not_found */
export async function listLines(
  db: Database,
  store: LineStore,
  id: number,
  { after, limit, trackId }: { after: number; limit: number; trackId?: number | undefined },
) {
  const { storageKey, accountId } = await findStatement(db, id);
  if (storageKey === null) return [];
  const rows = await store.engine.run<Record<keyof RoyaltyLine, string>>([
    `SELECT line, track_id AS "trackId", title, isrc, release, store, country, month, quantity, gross, currency, rate,
            gross_eur AS "grossEur", percentile, net_eur AS "netEur", file_name AS "fileName", first_line AS "firstLine"
       FROM ${await linesOf(store, storageKey, accountId)}
        AND line > ${after} ${trackId === undefined ? '' : `AND track_id = ${trackId}`}
      ORDER BY line LIMIT ${limit}`,
  ]);
  return rows.map(({ line, trackId, firstLine, ...row }) => ({
    ...row,
    ...{ line: Number(line), trackId: Number(trackId) || null, firstLine: Number(firstLine) },
  }));
}

const decimal = (column: string) => `replace(CAST(${column} AS VARCHAR), '.', ',')`;
/** Headings and SQL of the file of lines; net amounts have all their decimals. */
const fileColumns: readonly (readonly [heading: string, value: string])[] = [
  ['Titre', csvText('title')],
  ['ISRC', csvText('isrc')],
  ['Sortie', csvText('release')],
  ['Plateforme', csvText('store')],
  ['Pays', csvText('country')],
  ['Mois de vente', `strftime(month, '%Y-%m')`],
  ['Quantité', decimal('quantity')],
  ['Montant brut', decimal('gross')],
  ['Devise', 'currency'],
  ['Taux (devise par euro)', decimal('rate')],
  ['Brut en euros', decimal('gross_eur')],
  ['Part (%)', decimal('percentile')],
  ['Net en euros', decimal('net_eur')],
  ['Fichier', csvText('file_name')],
  ['Ligne du fichier', 'nullif(first_line, 0)'],
];

/** A statement's lines as CSV for French spreadsheets. @throws not_found without lines */
export async function downloadLines(db: Database, store: LineStore, id: number): Promise<StreamAnswer> {
  const { storageKey, accountId, number } = await findStatement(db, id);
  if (storageKey === null) throw notFound(messages.unknownStatementOut);
  const columns = fileColumns.map(([, value], index) => `${value} AS c${index}`).join(', ');
  const query = `SELECT ${columns} FROM ${await linesOf(store, storageKey, accountId)} ORDER BY line`;
  const headings = fileColumns.map(([heading]) => heading);
  return {
    fileName: `Releve-${accountId}-${number}.csv`,
    contentType: 'text/csv; charset=utf-8',
    content: () =>
      openMadeFile(store, headings, (path) =>
        store.engine.run([`COPY (${query}) TO ${literal(path)} (${csvOptions})`]),
      ),
  };
}
