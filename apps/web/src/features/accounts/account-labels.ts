import type { AccountSummary } from '@regie/contract/routes/accounts.ts';
import { frAccounts } from './accounts.fr.ts';

/** A person's or a company's name; by default the account's number. */
export function accountName(account: { id: number; fname: string; lname: string; company?: string | null }): string {
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
