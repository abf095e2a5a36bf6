import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import { paths } from '#src/app/paths.ts';

/** An IBAN grouped by four characters; any other account number is unchanged. */
export function accountNumber(iban: string): string {
  const groups = iban.match(/.{1,4}/g);
  return /^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) && groups ? groups.join('\u00a0') : iban;
}

/** The payment destination: account number or PayPal address. */
export const destinationOf = (billing: Pick<BillingAccount, 'type' | 'iban' | 'email'>): string =>
  billing.type === 'bank' ? accountNumber(billing.iban ?? '') : (billing.email ?? '');

/** The path of its edit screen. */
export const addressOf = (billing: Pick<BillingAccount, 'id' | 'type'>) =>
  billing.type === 'bank' ? paths.bankAccount(billing.id) : paths.paypalAccount(billing.id);
