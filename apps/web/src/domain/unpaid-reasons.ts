import { payoutMessages, preflightProblems } from '@regie/contract/payouts.ts';

const fixable: readonly string[] = [
  payoutMessages.noBilling,
  payoutMessages.severalAccounts,
  ...Object.values(preflightProblems).map(({ label }) => label),
];

/** The id of the list of accounts that are not paid for this reason; undefined for balances that are too small. */
export const reasonId = (reason: string): string | undefined =>
  fixable.includes(reason) ? `motif-${fixable.indexOf(reason)}` : undefined;
