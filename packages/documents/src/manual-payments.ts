import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { Batch, ManualPayment } from '@regie/contract/routes/payouts.ts';
import { formatMoney, plural, sumAmounts } from '@regie/values/formats.ts';
import type { TableCell } from 'pdfmake/interfaces.js';
import { frDocuments } from './documents.fr.ts';
import { head, type PdfDocument, type PdfFile } from './parts.ts';

const t = frDocuments.manualPayments;
const joined = (...parts: (string | null)[]) => parts.filter(Boolean).join(', ');

/** A printable checklist of a batch's manual transfers. */
export function manualPaymentsDocument({ messageId }: Batch, payments: readonly ManualPayment[]): PdfFile {
  const total = sumAmounts(payments.map((payment) => payment.payoutNet));
  const count = plural(payments.length, t.one, t.many);
  const document: PdfDocument = {
    title: `${t.title} ${messageId}`,
    footer: `${t.title} ${messageId}`,
    content: [
      { text: t.title, style: 'title' },
      { text: t.intro(messageId, count, formatMoney(total, 'EUR')), margin: [0, 0, 0, 10] },
      {
        layout: 'lines',
        fontSize: 9,
        table: {
          headerRows: 1,
          dontBreakRows: true,
          widths: [52, '*', '*', 62, 26],
          body: [
            [head(t.payout), head(t.name), head(t.account), head(t.amount), head(t.done)],
            ...payments.map(({ payoutId, payoutNet, account }): TableCell[] => [
              formatPayoutNumber(payoutId),
              {
                stack: [
                  { text: account.owner, bold: true },
                  joined(account.holderAddress, account.holderAddress2),
                  joined(`${account.holderPostcode} ${account.holderCity}`.trim(), account.holderCountry),
                ],
              },
              {
                stack: [
                  { text: account.iban ?? '', bold: true },
                  ...(account.swift ? [account.swift] : []),
                  joined(account.bankName, account.bankCity, account.bankCountry),
                ],
              },
              { text: formatMoney(payoutNet, 'EUR'), alignment: 'right' },
              { canvas: [{ type: 'rect', x: 4, y: 0, w: 11, h: 11, lineWidth: 0.6, lineColor: '#565a66' }] },
            ]),
          ],
        },
      },
    ],
  };
  return { document, fileName: t.fileName(messageId) };
}
