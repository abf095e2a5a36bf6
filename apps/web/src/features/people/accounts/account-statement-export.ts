import type { AccountStatement, AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import { routes } from '@regie/contract/routes.ts';
import { movementDetail, movementLabel } from '@regie/documents/movement-labels.ts';
import { formatInteger, splitBalance } from '@regie/values/formats.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { api, apiList, errorSentence, isAbort, type ListParams } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { downloadTable, type FileColumn, type FileFormat } from '#src/lib/table-file.ts';
import { addWork, finishWork, updateWork } from '#src/lib/work-tray.ts';
import { frAccounts } from './accounts.fr.ts';

const t = frAccounts.statement;
const pageSize = 500;
/** A longer PDF would have hundreds of pages. */
export const maxPdfLines = 5000;

export interface StatementPeriod {
  userId: number;
  from?: number;
  to?: number;
}

async function readWhole(
  period: StatementPeriod,
  signal: AbortSignal,
  onRead: (done: number, total: number) => void,
): Promise<AccountStatement> {
  const query: ListParams = { userId: period.userId, from: period.from, to: period.to, order: 'asc', limit: pageSize };
  const lines: AccountStatementLine[] = [];
  let bounds = { openingEur: 0, closingEur: 0 };
  let cursor: string | undefined;
  do {
    const { data, meta } = await apiList(routes.getStatement, { ...query, cursor }, signal);
    lines.push(...data.lines);
    bounds = { openingEur: data.openingEur, closingEur: data.closingEur };
    onRead(lines.length, meta?.total ?? lines.length);
    cursor = meta?.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { ...bounds, lines };
}

async function work(
  period: StatementPeriod,
  name: string,
  make: (statement: AccountStatement, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const aborter = new AbortController();
  const id = addWork({ title: t.work(name), unit: t.movements, cancel: () => aborter.abort() });
  try {
    const statement = await readWhole(period, aborter.signal, (done, total) => updateWork(id, { done, total }));
    await make(statement, aborter.signal);
    finishWork(id, { state: 'done', result: t.done(statement.lines.length) });
  } catch (error) {
    if (isAbort(error)) finishWork(id, { state: 'cancelled', result: fr.list.exportCancelled });
    else finishWork(id, { state: 'failed', result: errorSentence(error) });
  }
}

interface StatementFileRow {
  at?: number;
  movement: string;
  detail?: string;
  amount?: number;
  balance: number;
}
const fileColumns: FileColumn<StatementFileRow>[] = [
  { header: t.column.date, type: 'moment', value: (row) => row.at },
  { header: t.column.movement, value: (row) => row.movement },
  { header: frRecords.memo, value: (row) => row.detail },
  { header: t.column.amount, type: 'money', unit: 'EUR', value: (row) => row.amount },
  { header: t.column.balance, type: 'money', unit: 'EUR', value: (row) => splitBalance(row.balance).payable },
];

export function downloadStatementTable(format: FileFormat, period: StatementPeriod, name: string): Promise<void> {
  return work(period, name, async ({ openingEur, closingEur, lines }) => {
    const rows = lines.map((line) => ({
      at: line.occurredAt,
      movement: movementLabel(line),
      detail: movementDetail(line),
      amount: line.amountEur,
      balance: line.balanceEur,
    }));
    await downloadTable(format, t.fileName(period.userId), fileColumns, [
      { movement: t.opening, balance: openingEur },
      ...rows,
      { movement: t.closing, balance: closingEur },
    ]);
  });
}

export function downloadStatementPdf(period: StatementPeriod, name: string, limits: string): Promise<void> {
  return work(period, name, async (statement, signal) => {
    const [{ data: parties }, { statementDocument }, { downloadPdf }] = await Promise.all([
      api(routes.getStatementParties, { params: { id: period.userId }, signal }),
      import('@regie/documents/account-statement.ts'),
      import('#src/lib/pdf.ts'),
    ]);
    await downloadPdf(statementDocument(statement, parties, limits, Date.now()));
  });
}

export const pdfLimit = formatInteger(maxPdfLines);
