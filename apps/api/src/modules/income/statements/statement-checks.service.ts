import type { CheckedStatements, StatementAlert } from '@regie/contract/routes/statements.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { type AppError, conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { adminOf, type Caller } from '#src/lib/route.ts';
import { mapPresets } from '#src/modules/income/presets/presets.service.ts';
import {
  describeRates,
  findUnconfirmed,
  type UsedRate,
} from '#src/modules/money/exchange-rates/exchange-rates.service.ts';
import * as queries from './statements.queries.ts';
import { earliest, exact, isLive, isZero } from './statements.rules.ts';
import { type Db, lock, versionOf } from './statements.service.ts';

/** Rates at which the waiting income would be posted. */
export const usedRates = (months: readonly queries.MonthRow[]): UsedRate[] =>
  months.flatMap(({ month, currency, rate, rateMonth, isWaiting }) =>
    isWaiting && rate !== null && rateMonth !== null ? [{ month, currency, rate, rateMonth }] : [],
  );

/** For the journal: `2025-01 USD 12.5 / 12.75 (-0.25)`, the lines' sum, the declared amount and the difference. */
const describeDeclaration = ({ month, currency, sum, earned, difference }: queries.DeclarationRow) =>
  `${month.slice(0, 7)} ${currency} ${exact(sum)} / ${exact(earned)} (${exact(difference)})`;

const frenchMonth = new Intl.DateTimeFormat('fr-FR', { month: 'short', year: 'numeric', timeZone: 'UTC' });

type Examination = Awaited<ReturnType<typeof examine>>[number];

async function examine(db: Db, rows: readonly queries.StatementDetailRow[], nowMs: number) {
  const ids = rows.map(({ id }) => id);
  const months = Map.groupBy(await queries.listMonths(db, ids), ({ statementId }) => statementId);
  const declared = new Map((await queries.listDeclared(db, ids)).map((found) => [found.statementId, found]));
  const differing = Map.groupBy(
    (await queries.listDeclarations(db, ids)).filter(({ isRounding }) => !isRounding),
    ({ comparedId }) => comparedId,
  );
  const duplicates = Map.groupBy(await queries.listDuplicates(db, ids), ({ comparedId }) => comparedId);
  const presets = await mapPresets(db);
  return rows.map((row) => {
    const own = months.get(row.id) ?? [];
    const refusal = refusalOf(row, own);
    const found = { declared: declared.get(row.id), differing: differing.get(row.id) ?? [] };
    return {
      row,
      ...found,
      /** Why it cannot be checked. */
      refusal: refusal ?? rateRefusalOf(own),
      /** The reason is a currency without a rate. */
      lacksRate: refusal === undefined && own.some(({ rate }) => rate === null),
      /** Totals of the file that its rows do not come to. */
      announced: [...new Set((row.findings.announced ?? []).map(statementMessages.announced))],
      isDifferent: found.differing.length > 0 || (found.declared !== undefined && !isZero(found.declared.difference)),
      /** Stale rates and future months. */
      doubtful: findUnconfirmed(usedRates(own), nowMs),
      /** The largest first. */
      duplicates: duplicates.get(row.id) ?? [],
      isUnmatched: own.some((month) => month.isUnmatched),
      /** Nobody has validated a statement that its preset read. */
      isUnproven: row.preset !== null && presets.get(row.preset)?.isVerified === false,
    };
  });
}

function statusProblem(status: string): AppError | undefined {
  if (status === 'loaded') return undefined;
  return conflict(status === 'checked' ? statementMessages.alreadyChecked : statementMessages.notLoaded);
}

function refusalOf(row: queries.StatementDetailRow, months: readonly queries.MonthRow[]): AppError | undefined {
  if (row.status !== 'loaded') return statusProblem(row.status);
  if (row.countedRows === 0) return conflict(statementMessages.noRows);
  // Both would be posted, and duplicates are not reported between a correction and its statement.
  if (isLive(row.replacedStatus)) return conflict(statementMessages.replacesFirst);
  if (months.some(({ month }) => month < earliest)) return invalid({ accountingMonth: statementMessages.tooEarly });
  return undefined;
}

function rateRefusalOf(months: readonly queries.MonthRow[]): AppError | undefined {
  const withoutRate = months.find(({ rate }) => rate === null);
  if (!withoutRate) return undefined;
  const month = frenchMonth.format(new Date(`${withoutRate.month}T00:00:00Z`));
  return invalid({ global: statementMessages.rateMissing(withoutRate.currency, month) });
}

/** What keeps a statement from being checked unseen, in the words of the refusals. */
function alertsOf(found: Examination): StatementAlert[] {
  const { row, refusal, lacksRate, isDifferent, doubtful, duplicates, isUnmatched, isUnproven } = found;
  if (refusal) {
    const message = Object.values(refusal.errors)[0] ?? refusal.message;
    return [{ kind: lacksRate ? 'rate' : 'refused', message, canReplace: isLive(row.replacedStatus) }];
  }
  return [
    ...found.announced.map((message) => ({ kind: 'difference' as const, message })),
    ...(isDifferent ? [{ kind: 'difference' as const, message: statementMessages.noteRequired }] : []),
    ...(doubtful.length > 0 ? [{ kind: 'rates' as const, message: statementMessages.confirmRates }] : []),
    ...duplicates.map(({ statementId, lines, fileName }) => {
      const canReplace = statementId !== null && row.findings.contains?.includes(statementId) === true;
      const message = (canReplace ? statementMessages.extends : statementMessages.duplicates)(lines, fileName);
      return { kind: 'duplicates' as const, message, canReplace };
    }),
    ...(row.findings.mayBeCutAt == null ? [] : [{ kind: 'cut' as const, message: statementMessages.mayBeCut }]),
    ...(isUnproven ? [{ kind: 'preset' as const, message: statementMessages.unverifiedPreset }] : []),
    ...(isUnmatched ? [{ kind: 'unmatched' as const, message: statementMessages.unmatched }] : []),
  ];
}

/** For loaded statements: the version a check refers to, and what to look at first. */
export async function listAlerts(
  db: Db,
  ids: readonly number[],
  nowMs = Date.now(),
): Promise<Map<number, { version: string; alerts: StatementAlert[] }>> {
  if (ids.length === 0) return new Map();
  const found = await examine(db, await queries.listDetails(db, ids), nowMs);
  return new Map(found.map((one) => [one.row.id, { version: versionOf(one.row), alerts: alertsOf(one) }]));
}

type Review = { version: string; note?: string | undefined; confirmRates?: boolean; confirmDuplicates?: boolean };

/**
 * Checks a loaded statement, and stores the confirmed stale rates, future months and duplicate lines.
 * @throws AppError not_found; conflict; validation_failed when it cannot be posted, on `confirmRates` for an
 * unconfirmed rate or month, on `confirmDuplicates` when another statement has some of its lines
 */
export async function checkStatement(trx: Trx, caller: Caller, id: number, review: Review, nowMs = Date.now()) {
  const row = await lock(trx, id);
  const problem = statusProblem(row.status);
  if (problem) throw problem;
  if (review.version !== versionOf(row)) throw conflict(statementMessages.changed);
  const found = orNotFound((await examine(trx, [row], nowMs))[0]);
  const { refusal, announced, isDifferent, doubtful, duplicates } = found;
  if (refusal) throw refusal;
  const note = review.note === undefined || review.note === '' ? null : review.note;
  if (note === null && (isDifferent || announced.length > 0)) throw invalid({ note: statementMessages.noteRequired });
  const [largest] = duplicates;
  // Report them together, so that staff confirms once.
  const unconfirmed = {
    ...(doubtful.length > 0 && !review.confirmRates ? { confirmRates: statementMessages.confirmRates } : {}),
    ...(largest && !review.confirmDuplicates
      ? { confirmDuplicates: statementMessages.duplicates(largest.lines, largest.fileName) }
      : {}),
  };
  if (Object.keys(unconfirmed).length > 0) throw invalid(unconfirmed);
  await setChecked(trx, caller, found, note);
  return { id, status: 'checked' as const };
}

async function setChecked(trx: Trx, caller: Caller, found: Examination, note: string | null) {
  const { row, declared, differing, announced, doubtful, duplicates } = found;
  await queries.setConfirmed(trx, row.id, duplicates);
  await queries.setChecked(trx, row.id, { adminId: adminOf(caller), note, confirmedRates: doubtful });
  await writeAudit(trx, caller, {
    action: 'statement.check',
    entityId: row.id,
    before: { status: 'loaded' },
    after: {
      status: 'checked',
      ...(declared ? { difference: exact(declared.difference), currency: row.declaredCurrency } : {}),
      ...(announced.length === 0 ? {} : { announced }),
      ...(differing.length === 0 ? {} : { declarations: differing.map(describeDeclaration) }),
      ...(note === null ? {} : { note }),
      ...(doubtful.length === 0 ? {} : { confirmedRates: describeRates(doubtful) }),
      ...(duplicates.length > 0
        ? {
            duplicateOf: duplicates.flatMap(({ statementId }) => statementId ?? []),
            duplicateOfImport: duplicates.flatMap(({ importId }) => importId ?? []),
            duplicateLines: duplicates.map(({ lines }) => lines),
            duplicateEur: duplicates.map(({ amountEur }) => amountEur),
          }
        : {}),
    },
  });
}

/**
 * Checks the statements without difference from a declared amount, duplicate, missing or stale rate, future month and
 * income without a track. The others are left, each with its reason.
 */
export async function checkStatements(
  trx: Trx,
  caller: Caller,
  shown: readonly { id: number; version: string }[],
  nowMs = Date.now(),
): Promise<CheckedStatements> {
  const versions = new Map(shown.map(({ id, version }) => [id, version]));
  const rows = await queries.lockStatements(trx, [...versions.keys()]);
  const checked: number[] = [];
  const left: CheckedStatements['left'] = [];
  for (const found of await examine(trx, rows, nowMs)) {
    const { id, fileName } = found.row;
    const isChanged = versions.get(id) !== versionOf(found.row);
    const reason = isChanged ? statementMessages.changed : alertsOf(found)[0]?.message;
    if (reason !== undefined) {
      left.push({ id, fileName, reason });
      continue;
    }
    await setChecked(trx, caller, found, null);
    checked.push(id);
  }
  return { checked, left };
}

/** @throws AppError not_found; conflict when it is not checked, or while lines of it are posted */
export async function uncheckStatement(trx: Trx, caller: Caller, id: number) {
  const row = await lock(trx, id);
  if (row.status !== 'checked') throw conflict(statementMessages.notChecked);
  if ((await queries.listImports(trx, id)).length > 0) throw conflict(statementMessages.isPosted);
  await queries.setChecked(trx, id);
  await queries.setConfirmed(trx, id, []);
  await writeAudit(trx, caller, {
    action: 'statement.uncheck',
    entityId: id,
    before: { status: 'checked', note: row.checkNote },
    after: { status: 'loaded' },
  });
  return { id, status: 'loaded' as const };
}
