import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import type { RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { formatInteger, formatMonth, sumAmounts } from '@regie/values/formats.ts';
import { frDocuments } from './documents.fr.ts';

const t = frDocuments.statement;

function plainMovement(line: AccountStatementLine): string {
  switch (line.kind) {
    case 'import':
      return line.import ? t.importOf(t.type[line.import.type], formatMonth(line.import.month)) : t.kind.import;
    case 'referral':
      return line.referred && line.import
        ? t.referralOf(line.referred.name, formatMonth(line.import.month))
        : t.kind.referral;
    case 'payout':
      return line.payoutId === null ? t.kind.payout : t.payout(formatPayoutNumber(line.payoutId));
    case 'adjustment':
      return t.kind.adjustment;
  }
}

export const movementLabel = (line: AccountStatementLine): string =>
  line.isReversal ? t.reversal(plainMovement(line)) : plainMovement(line);

export function movementDetail(line: AccountStatementLine): string {
  if (line.import && !line.isReversal) {
    const batch = line.import.batch === null ? undefined : t.batch(formatInteger(line.import.batch + 1));
    return [line.import.fileName, line.import.fileName ? batch : undefined].filter(Boolean).join(', ');
  }
  return memoDetail(line);
}

/** Its label already names the payout: drops « Versement 12 » from « Versement 12 : paiement rejeté ». */
export function memoDetail({ payoutId, memo }: { payoutId: number | null; memo: string }): string {
  const detail = payoutId === null ? memo : memo.replace(/^Versement \d+(\s:)?\s/, '');
  return detail.charAt(0).toUpperCase() + detail.slice(1);
}

export const sumOf = (parts: readonly { netEur: number }[]): number => sumAmounts(parts.map(({ netEur }) => netEur));

/** What leads from the opening to the closing. */
export const royaltyMovements = (record: RoyaltyRecord): [name: string, amountEur: number][] => [
  [frDocuments.royalty.income, record.income.totalEur],
  [frDocuments.royalty.referrals, sumOf(record.referrals)],
  [frDocuments.royalty.corrections, sumOf(record.corrections)],
  [frDocuments.royalty.payouts, sumOf(record.payouts)],
  [frDocuments.royalty.adjustments, sumOf(record.adjustments)],
];
