import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { Batch, ManualPayment } from '@regie/contract/routes/payouts.ts';
import { formatMoney, plural, sumAmounts } from '@regie/values/formats.ts';
import type { TableCell } from 'pdfmake/interfaces';
import { downloadBlob } from '#src/lib/download.ts';
import { makePdf } from '#src/lib/pdf.ts';
import { joined } from './payout-labels.tsx';
import { frPayouts } from './payouts.fr.ts';

const t = frPayouts.batch;

/** A printable checklist of a batch's manual transfers. @throws Error */
export async function downloadManualPayments(batch: Batch, payments: readonly ManualPayment[]): Promise<void> {
  const head = (text: string): TableCell => ({ text, style: 'tableHead' });
  const total = sumAmounts(payments.map((payment) => payment.payoutNet));
  const count = plural(payments.length, frPayouts.unpaid.one, frPayouts.unpaid.many);
  const blob = await makePdf({
    title: `${t.printTitle} ${batch.messageId}`,
    footer: `${t.printTitle} ${batch.messageId}`,
    content: [
      { text: t.printTitle, style: 'title' },
      { text: t.printIntro(batch.messageId, count, formatMoney(total, 'EUR')), margin: [0, 0, 0, 10] },
      {
        layout: 'lines',
        fontSize: 9,
        table: {
          headerRows: 1,
          dontBreakRows: true,
          widths: [52, '*', '*', 62, 26],
          body: [
            [head(t.payout), head(t.name), head(t.printAccount), head(t.printAmount), head(t.printDone)],
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
  });
  downloadBlob(blob, t.printFile(batch.messageId));
}
