import type { AccountStatement, AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import { routes } from '@regie/contract/routes.ts';
import { movementDetail, movementLabel } from '@regie/documents/movement-labels.ts';
import { formatInteger, splitBalance } from '@regie/values/formats.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { api } from '#src/lib/api.ts';
import { runWork } from '#src/lib/run-work.ts';
import { downloadTable, type FileColumn, type FileFormat } from '#src/lib/table-file.ts';
import { readList } from '#src/ui/list/list-export.ts';
import { frAccounts } from './accounts.fr.ts';

const t = frAccounts.statement;
/** A longer PDF would have hundreds of pages. */
export const maxPdfLines = 5000;

export interface StatementPeriod {
  userId: number;
  from?: number;
  to?: number;
}

const work = (
  { userId, from, to }: StatementPeriod,
  name: string,
  make: (statement: AccountStatement, signal: AbortSignal) => Promise<void>,
): Promise<void> =>
  runWork({ title: t.work(name), unit: t.movements }, async (signal, onProgress) => {
    const lines: AccountStatementLine[] = [];
    let bounds = { openingEur: 0, closingEur: 0 };
    for await (const { data, meta } of readList(routes.getStatement, { userId, from, to, order: 'asc' }, signal)) {
      lines.push(...data.lines);
      bounds = { openingEur: data.openingEur, closingEur: data.closingEur };
      onProgress({ done: lines.length, total: meta?.total ?? lines.length });
    }
    await make({ ...bounds, lines }, signal);
    return { state: 'done', result: t.done(lines.length) };
  });

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
