import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import { paths } from '#src/paths.ts';

/** An account number in fours; what is no IBAN as it was written. */
export function accountNumber(iban: string): string {
  const groups = iban.match(/.{1,4}/g);
  return /^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) && groups ? groups.join('\u00a0') : iban;
}

/** Where the money goes. */
export const destinationOf = (billing: Pick<BillingAccount, 'type' | 'iban' | 'email'>): string =>
  billing.type === 'bank' ? accountNumber(billing.iban ?? '') : (billing.email ?? '');

/** The screen that edits it. */
export const addressOf = (billing: Pick<BillingAccount, 'id' | 'type'>) =>
  billing.type === 'bank' ? paths.bankAccount(billing.id) : paths.paypalAccount(billing.id);
