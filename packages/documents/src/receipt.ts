import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { PayoutReceipt } from '@regie/contract/routes/payouts.ts';
import { formatLongDate, formatMoney } from '@regie/values/formats.ts';
import type { Content, TableCell } from 'pdfmake/interfaces.js';
import { frDocuments } from './documents.fr.ts';
import { houseParty, type PdfFile, parties, party } from './parts.ts';

const t = frDocuments.receipt;

const groupByFour = (text: string) => text.replaceAll(/\s/g, '').replaceAll(/(.{4})(?=.)/g, '$1 ');

const rows = (entries: readonly (readonly [string, string | null])[]): Content => ({
  layout: 'lines',
  margin: [0, 4, 0, 12],
  table: {
    widths: ['*', 'auto'],
    body: entries.flatMap(([label, value]): TableCell[][] =>
      value ? [[{ text: label }, { text: value, alignment: 'right' }]] : [],
    ),
  },
});

/** The receipt of a paid payout (product §33.20, §34.9): amount, fee and net, at two decimals. It is not an invoice. */
export function receiptDocument(receipt: PayoutReceipt): PdfFile {
  const number = formatPayoutNumber(receipt.payoutId);
  const { house, account } = receipt;
  const isBank = account.type === 'bank';
  const money = (amount: number) => formatMoney(amount, 'EUR');
  return {
    fileName: t.fileName(number),
    document: {
      title: `${t.title} ${number}`,
      footer: t.footer(number),
      content: [
        { text: t.title, style: 'title' },
        rows([
          [t.number, number],
          [t.date, formatLongDate(receipt.paidAt)],
        ]),
        parties(
          houseParty(house, t.from),
          party(
            account.owner,
            [
              account.holderAddress,
              account.holderAddress2,
              `${account.holderPostcode} ${account.holderCity}`,
              account.holderCountry,
              t.accountNumber(String(receipt.userId)),
            ],
            t.to,
          ),
        ),
        { text: t.by, style: 'heading', headlineLevel: 1 },
        rows([
          [isBank ? t.bank : t.paypal, isBank ? account.bankName : account.email],
          [t.iban, isBank && account.iban ? groupByFour(account.iban) : null],
          [t.bic, isBank ? account.swift : null],
        ]),
        rows([
          [t.amount, money(receipt.payoutAmount)],
          [t.fee, money(-receipt.payoutFee)],
        ]),
        {
          columns: [
            { text: t.net, bold: true, fontSize: 13 },
            { text: money(receipt.payoutNet), bold: true, fontSize: 13, alignment: 'right' },
          ],
          margin: [0, 0, 0, 20],
        },
        { text: t.notAnInvoice, style: 'small' },
      ],
    },
  };
}
