import type { AccountSummary } from '@regie/contract/routes/accounts.ts';
import { frAccounts } from './accounts.fr.ts';

interface Named {
  id: number;
  fname: string;
  lname: string;
  company?: string | null;
}

export function accountName(account: Named): string {
  return (
    `${account.fname} ${account.lname}`.trim() || account.company || frAccounts.profile.unnamed(String(account.id))
  );
}

export type AccountTone = keyof typeof frAccounts.list.tone;

/** DISABLED takes precedence over HOLD, HOLD over label (product §34.17). */
export function accountTone(
  account: Pick<AccountSummary, 'state' | 'role' | 'hasLabelSubscription'>,
): AccountTone | undefined {
  if (account.state === 'DISABLED' || account.state === 'HOLD') return account.state;
  return account.role === 'LABEL' || account.hasLabelSubscription ? 'label' : undefined;
}

/** Whether account and referrers, in percent of the account's net, take more than the income. */
export const isShareNegative = (percent: number, referrers: number): boolean =>
  referrers > 0 && percent * (100 + referrers) > 10_000;
