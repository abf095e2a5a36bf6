import type {
  AccountStatement,
  AccountStatementLine,
  AccountStatementParties,
} from '@regie/contract/routes/account-statement.ts';
import { formatBalance, formatDate, formatLongDate, formatMoney, sumAmounts } from '@regie/values/formats.ts';
import type { TableCell } from 'pdfmake/interfaces.js';
import { frDocuments } from './documents.fr.ts';
import { movementDetail, movementLabel } from './movement-labels.ts';
import { head, houseParty, type PdfDocument, type PdfFile, parties, party, right } from './parts.ts';

const t = frDocuments.statement;

interface Movement {
  first: AccountStatementLine;
  parts: number;
  amountEur: number;
  balanceEur: number;
}

/** Consecutive batches of one import are one movement. */
export function groupBatches(lines: readonly AccountStatementLine[]): Movement[] {
  const movements: Movement[] = [];
  for (const line of lines) {
    const last = movements.at(-1);
    const isSame =
      last !== undefined &&
      line.import !== null &&
      last.first.import?.id === line.import.id &&
      last.first.kind === line.kind &&
      last.first.isReversal === line.isReversal &&
      last.first.referred?.id === line.referred?.id;
    if (!isSame) {
      movements.push({ first: line, parts: 1, amountEur: line.amountEur, balanceEur: line.balanceEur });
      continue;
    }
    last.parts += 1;
    last.amountEur = sumAmounts([last.amountEur, line.amountEur]);
    last.balanceEur = line.balanceEur;
  }
  return movements;
}

const euros = (amount: number) => formatMoney(amount, 'EUR');

function movementCell({ first, parts }: Movement): TableCell {
  const detail =
    parts > 1 ? [first.import?.fileName, t.parts(parts)].filter(Boolean).join(', ') : movementDetail(first);
  return { stack: [{ text: movementLabel(first) }, ...(detail ? [{ text: detail, style: 'small' }] : [])] };
}

export function statementDocument(
  statement: AccountStatement,
  { house, account }: AccountStatementParties,
  limits: string,
  nowMs: number,
): PdfFile {
  const document: PdfDocument = {
    title: `${t.documentTitle}, ${account.name}`,
    footer: t.documentFooter(account.name, account.id),
    content: [
      parties(houseParty(house), party(account.name, account.lines)),
      { text: t.documentTitle, style: 'title' },
      { text: `${limits}. ${t.madeOn(formatLongDate(nowMs))}.`, margin: [0, 0, 0, 10] },
      {
        layout: 'lines',
        fontSize: 9,
        table: {
          headerRows: 1,
          dontBreakRows: true,
          widths: [56, '*', 'auto', 'auto'],
          body: [
            [
              head(t.column.date),
              head(t.column.movement),
              head(t.column.amount, 'right'),
              head(t.column.balance, 'right'),
            ],
            ['', { text: t.opening, bold: true }, '', right(formatBalance(statement.openingEur))],
            ...groupBatches(statement.lines).map((movement): TableCell[] => [
              formatDate(movement.first.occurredAt),
              movementCell(movement),
              right(euros(movement.amountEur)),
              right(formatBalance(movement.balanceEur)),
            ]),
            ['', { text: t.closing, bold: true }, '', right(formatBalance(statement.closingEur), true)],
          ],
        },
      },
      { text: `${t.rounded} ${t.notInvoice}`, style: 'small', margin: [0, 12, 0, 0] },
    ],
  };
  return { document, fileName: `${t.fileName(account.id)}.pdf` };
}
