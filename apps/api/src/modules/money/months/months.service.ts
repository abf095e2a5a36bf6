import { createHash } from 'node:crypto';
import {
  type AutomaticReport,
  type EarlierMonths,
  type MonthCell,
  MonthState,
  type StaleRate,
} from '@regie/contract/routes/months.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { fromMicros, toMicros } from '@regie/values/decimal.ts';
import { addMonths, findMonth, type Month, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { conflict, invalid } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { listAlerts } from '#src/modules/income/statements/statement-checks.service.ts';
import * as exchange from '#src/modules/money/exchange-rates/exchange-rates.service.ts';
import { incomeAlert, openAutomaticImport, postAutomaticImport } from '#src/modules/money/reports/imports.service.ts';
import * as queries from './months.queries.ts';
import { findExpected } from './months.rules.ts';

const shownMonths = 12;
const maxMonths = 60;
/** Two years before the period, for the rhythm of a source. */
const rememberedMonths = 24;

const shown = (amount: string | null | undefined) => toWireNumber(amount ?? '0');

function staleRates(rates: readonly exchange.UsedRate[]): StaleRate[] {
  const stale = rates.filter(exchange.isStaleRate);
  return [...new Map(stale.map((used) => [used.currency, used])).values()]
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
    .map((used) => ({
      ...toWireRow(used, 'rate'),
      month: monthToMs(used.month),
      rateMonth: monthToMs(used.rateMonth),
    }));
}

/** A cell has the state of its least advanced statement. */
const stateOf = (rows: readonly queries.MonthRow[]): MonthState =>
  MonthState.options.find((state) => rows.some((row) => row.state === state)) ?? 'expected';

type Expected = ReturnType<typeof findExpected>;

function toCell(source: string, month: Month, rows: readonly queries.MonthRow[], expected: Expected): MonthCell {
  const ready = rows.filter((row) => row.status === 'checked');
  return {
    source,
    month: monthToMs(month),
    state: stateOf(rows),
    statements: rows.flatMap(({ statementId: id, fileName, status }) =>
      id === null ? [] : { id, fileName, isChecked: status === 'checked' },
    ),
    amountEur: shown(rows[0]?.amountEur),
    unmatchedEur: shown(rows[0]?.unmatchedEur),
    readyEur: shown(rows[0]?.readyEur),
    readySums: ready.reduce((sum, row) => sum + row.waitingSums, 0),
    postedEur: shown(rows[0]?.postedEur),
    isMatched: rows.every(({ unmatchedSums }) => unmatchedSums === 0),
    missingRates: [
      ...Map.groupBy(
        rows.flatMap((row) => row.missingRates),
        ({ currency }) => currency,
      ),
    ]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, found]) => ({
        currency,
        amount: toWireNumber(fromMicros(found.reduce((sum, { amount }) => sum + toMicros(amount), 0n))),
      })),
    doubledEur: toWireNumber(fromMicros(rows.reduce((sum, row) => sum + toMicros(row.doubledEur), 0n))),
    staleRates: staleRates(rows.flatMap((row) => row.rates)),
    dueAt: expected?.dueAt ?? null,
    lateDays: expected?.lateDays ?? 0,
  };
}

/** Sources that sent income of the months, or should have. */
async function readCells(db: Database, months: readonly Month[], nowMs: number) {
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined || last === undefined) return { rows: [], cells: [] };
  const [rows, sent] = await Promise.all([
    queries.listStatementMonths(db, toDate(first), toDate(addMonths(last, 1))),
    queries.listSendings(db, toDate(addMonths(first, -rememberedMonths))),
  ]);
  const sendings = Map.groupBy(
    sent.map(({ source, month, arrivedAt }) => ({ source, month: month.slice(0, 7) as Month, arrivedAt })),
    ({ source }) => source,
  );
  const byCell = Map.groupBy(rows, (row) => `${row.source}\n${row.month.slice(0, 7)}`);
  const sources = new Set([...sendings.keys(), ...rows.map(({ source }) => source)]);
  const cells = [...sources]
    .sort((a, b) => a.localeCompare(b, 'fr'))
    .flatMap((source) =>
      months.flatMap((month) => {
        const rowsOfCell = byCell.get(`${source}\n${month}`) ?? [];
        const expected = rowsOfCell.length > 0 ? undefined : findExpected(sendings.get(source) ?? [], month, nowMs);
        return rowsOfCell.length > 0 || expected ? [toCell(source, month, rowsOfCell, expected)] : [];
      }),
    );
  return { rows, cells };
}

const totalOf = (rows: readonly queries.MonthRow[], month: Month, nowMs: number) => {
  const row = rows.find((one) => one.month.startsWith(month));
  return {
    month: monthToMs(month),
    amountEur: shown(row?.monthAmountEur),
    readyEur: shown(row?.monthReadyEur),
    isFuture: exchange.isFutureMonth(month, nowMs),
  };
};

async function findEarlier(db: Database, first: Month): Promise<EarlierMonths | null> {
  const row = await queries.findEarlierMonths(db, toDate(first));
  return row.first === null
    ? null
    : {
        ...toWireRow(row, 'readyEur'),
        first: monthToMs(row.first.slice(0, 7)),
        missingRates: row.missingRates.map((missing) => toWireRow(missing, 'amount')),
      };
}

/**
 * Sources by months, by default the last twelve complete ones, and the current one once it has income.
 * @throws validation_failed for an empty period or more than five years
 */
export async function listMonths(
  db: Database,
  query: { from?: number | undefined; to?: number | undefined },
  nowMs = Date.now(),
) {
  const current = monthOfInstant(nowMs);
  // Most statements arrive after their month.
  const latest = async () => ((await queries.hasIncome(db, toDate(current))) ? current : addMonths(current, -1));
  const last = (query.to === undefined ? undefined : findMonth(query.to)) ?? (await latest());
  const first = (query.from === undefined ? undefined : findMonth(query.from)) ?? addMonths(last, 1 - shownMonths);
  const months: Month[] = [];
  for (let month = first; month <= last && months.length <= maxMonths; month = addMonths(month, 1)) months.push(month);
  if (months.length === 0 || months.length > maxMonths)
    throw invalid({ from: 'Choisissez une période de cinq ans au plus' });
  const [{ rows, cells }, earlier] = await Promise.all([readCells(db, months, nowMs), findEarlier(db, first)]);
  return { months: months.map((month) => totalOf(rows, month, nowMs)), cells, earlier };
}

/** One month to close. */
export async function getMonth(db: Database, monthMs: number, nowMs = Date.now()) {
  const date = toDate(findMonth(monthMs));
  const month = date.slice(0, 7) as Month;
  const [{ rows, cells }, postings, refused] = await Promise.all([
    readCells(db, [month], nowMs),
    queries.listPostings(db, date),
    queries.listRefused(db, date),
  ]);
  const loaded = rows.flatMap(({ status, statementId }) => (status === 'loaded' ? (statementId ?? []) : []));
  const alerts = await listAlerts(db, loaded, nowMs);
  const byId = new Map(rows.map((row) => [row.statementId, row]));
  return {
    ...totalOf(rows, month, nowMs),
    sources: cells.map((cell) => ({
      ...cell,
      statements: cell.statements.map((statement) => {
        const row = byId.get(statement.id);
        return {
          ...statement,
          amountEur: shown(row?.ownEur),
          unmatchedEur: shown(row?.ownUnmatchedEur),
          isWaiting: (row?.waitingSums ?? 0) > 0,
          state: row?.state ?? 'loaded',
          doubledEur: shown(row?.doubledEur),
          version: alerts.get(statement.id)?.version ?? null,
          alerts: alerts.get(statement.id)?.alerts ?? [],
        };
      }),
      refused:
        cell.statements.length > 0
          ? []
          : refused
              .filter(({ source }) => source === cell.source)
              .map(({ id, fileName, line }) => ({ id, fileName, line })),
    })),
    postings: postings.map((posted) => toWireRow(posted, 'grossEur', 'accountsEur', 'referralsEur', 'platformEur')),
  };
}

const describe = ({ id, source, fileName }: queries.WaitingStatement) => ({ id, source, fileName });

/**
 * Posts all validated statements of a month as one reversible import (product §33.18). `isDryRun` rolls back;
 * `isForecast` includes loaded statements whose rates are known.
 * @param wanted.version of the dry run
 * @param wanted.confirmRates whether stale rates and a future month are meant; undefined posts with a warning
 * @throws conflict when nothing waits or the version differs; validation_failed for a missing rate, and on
 * `confirmRates` and `confirmDuplicates`
 */
export async function postAutomaticReport(
  trx: Trx,
  actor: Actor,
  wanted: {
    monthMs: number;
    isDryRun: boolean;
    isForecast?: boolean;
    version?: string | undefined;
    confirmRates?: boolean | undefined;
    confirmDuplicates?: boolean;
  },
  nowMs = Date.now(),
) {
  const month = toDate(findMonth(wanted.monthMs));
  // Hundreds of thousands of tracks take longer than the default.
  await sql`SET LOCAL statement_timeout = '30min'`.execute(trx);
  const statements = await queries.lockWaitingStatements(trx, month);
  const isForecast = wanted.isDryRun && wanted.isForecast;
  const ready = statements.filter(
    ({ status, waitingSums, missingRates }) =>
      waitingSums > 0 && (status === 'checked' || (isForecast && missingRates.length === 0)),
  );
  if (ready.length === 0) {
    throw conflict(
      statements.some((statement) => statement.waitingSums > 0)
        ? 'Aucun relevé validé n’attend pour ce mois\u00a0: validez d’abord les relevés chargés'
        : 'Rien n’attend pour ce mois\u00a0: tous ses relevés sont comptabilisés, ou aucun n’est chargé',
    );
  }
  const missing = [...new Set(ready.flatMap((statement) => statement.missingRates))].sort();
  if (missing.length > 0) {
    throw invalid({
      fromDate: `Aucun taux de change ${missing.join(', ')} pour ce mois\u00a0: ajoutez-le dans Comptabilité → Taux de change`,
    });
  }
  const unconfirmed = ready.flatMap((statement) => {
    const rates = exchange
      .findUnconfirmed(statement.rates, nowMs)
      .filter((used) => !exchange.isConfirmedRate(used, statement.confirmedRates));
    return rates.length === 0
      ? []
      : [{ id: statement.id, rates, confirmedRates: exchange.withConfirmed(statement.confirmedRates, rates) }];
  });
  const duplicates = await queries.listDuplicates(trx, { month, statementIds: ready.map(({ id }) => id) });
  const equal = duplicates.find((found) => !found.isConfirmed);
  const doubtful = [...new Set(unconfirmed.flatMap(({ rates }) => exchange.describeRates(rates)))];
  const warnings =
    !wanted.isDryRun && !wanted.confirmRates && doubtful.length > 0
      ? [statementMessages.unconfirmedRates(doubtful)]
      : [];
  if (!wanted.isDryRun) {
    const unconfirmedErrors = {
      ...(unconfirmed.length > 0 && wanted.confirmRates === false
        ? { confirmRates: statementMessages.confirmRates }
        : {}),
      ...(equal && !wanted.confirmDuplicates
        ? { confirmDuplicates: statementMessages.duplicates(equal.lines, equal.otherFileName) }
        : {}),
    };
    if (Object.keys(unconfirmedErrors).length > 0) throw invalid(unconfirmedErrors);
    if (wanted.confirmRates && unconfirmed.length > 0) await queries.setConfirmedRates(trx, unconfirmed);
  }
  await sql`SAVEPOINT automatic_report`.execute(trx);
  const target = await openAutomaticImport(trx, actor, month);
  const importId = target.id;
  const rows = await queries.claimSums(trx, { importId, statementIds: ready.map(({ id }) => id), month });
  if (rows === 0) throw conflict('Rien n’attend plus pour ce mois');
  await queries.freezeRates(trx, importId);
  await postAutomaticImport(trx, actor, { target, source: queries.claimedSource(importId), rows });
  await queries.dropClaimTable(trx);
  const posted = await trx
    .selectFrom('imports')
    .select(['rows', 'reports', 'grossUsd', 'grossEur', 'accountsEur', 'referralsEur', 'platformEur'])
    .where('id', '=', importId)
    .executeTakeFirstOrThrow();
  const accounts = await queries.listAccountShares(trx, importId);
  const posting = {
    month: monthToMs(month),
    statements: ready.map(describe),
    ...toWireRow(posted, 'grossUsd', 'grossEur', 'accountsEur', 'referralsEur', 'platformEur'),
    accounts: accounts.map(({ firstName: fname, lastName: lname, ...account }) => ({
      ...{ fname, lname },
      ...toWireRow(account, 'accountEur'),
    })),
  };
  const report: AutomaticReport = {
    ...posting,
    importId: wanted.isDryRun ? null : importId,
    version: createHash('sha256').update(JSON.stringify(posting)).digest('hex'),
    unmatchedEur: shown(statements[0]?.unmatchedEur),
    unchecked: statements
      .filter((statement) => statement.status === 'loaded' && statement.waitingSums > 0)
      .map(describe),
    duplicates: duplicates.map((found) => toWireRow(found, 'amountEur')),
    isLate: await queries.isPostedMonth(trx, month, importId),
    staleRates: staleRates(ready.flatMap((statement) => statement.rates)),
    isFuture: exchange.isFutureMonth(month, nowMs),
    mustConfirm: unconfirmed.length > 0,
  };
  if (wanted.isDryRun) {
    await sql`ROLLBACK TO SAVEPOINT automatic_report`.execute(trx);
    return { data: report };
  }
  if (wanted.version !== undefined && report.version !== wanted.version) throw conflict(statementMessages.monthChanged);
  await writeAudit(trx, actor, {
    action: 'import.automatic',
    entityId: importId,
    after: {
      month: month.slice(0, 7),
      statements: ready.slice(0, 1000).map(({ id }) => id),
      reports: posted.reports,
      grossUsd: posted.grossUsd,
      accountsEur: posted.accountsEur,
      referralsEur: posted.referralsEur,
      ...(doubtful.length === 0 ? {} : warnings.length > 0 ? { warnings } : { confirmedRates: doubtful }),
      ...(duplicates.length > 0
        ? {
            duplicateOf: duplicates.slice(0, 1000).flatMap((found) => found.otherStatementId ?? []),
            duplicateOfImport: duplicates.slice(0, 1000).flatMap((found) => found.otherImportId ?? []),
            duplicateLines: duplicates.slice(0, 1000).map((found) => found.lines),
            duplicateEur: duplicates.slice(0, 1000).map((found) => found.amountEur),
          }
        : {}),
    },
    alert: (await queries.isOwnWork(trx, importId, actor.adminId))
      ? await incomeAlert(
          trx,
          `Une même personne a déposé, validé et comptabilisé un relevé (import n°\u00a0${importId})`,
          posted.accountsEur,
          'import',
        )
      : undefined,
  });
  return { data: report, warnings };
}
