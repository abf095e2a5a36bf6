import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import { paths } from '#src/app/paths.ts';

/** An IBAN grouped by four characters; any other account number is unchanged. */
export function accountNumber(iban: string): string {
  const groups = iban.match(/.{1,4}/g);
  return /^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) && groups ? groups.join('\u00a0') : iban;
}

export const destinationOf = (billing: Pick<BillingAccount, 'type' | 'iban' | 'email'>): string =>
  billing.type === 'bank' ? accountNumber(billing.iban ?? '') : (billing.email ?? '');

export const addressOf = (billing: Pick<BillingAccount, 'id' | 'type'>) =>
  billing.type === 'bank' ? paths.bankAccount(billing.id) : paths.paypalAccount(billing.id);
