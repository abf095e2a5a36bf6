import { fillLetter } from '@regie/contract/letters.ts';
import type { Settings } from '@regie/contract/settings.ts';
import type { MailMessage } from '#src/lib/mail.ts';

/** To the former and the new address. */
export function emailChangedLetter(
  to: string,
  account: { name: string; email: string | null },
  { emailChangedLetter: letter, house }: Settings,
): MailMessage {
  const changement = account.email === null ? 'a été retirée' : `est maintenant ${account.email}`;
  return { to, ...fillLetter<'emailChangedLetter'>(letter, { maison: house.name, compte: account.name, changement }) };
}

/** To every address concerned (product §35.5); numbers show their last 4 characters. */
export function billingChangedLetter(
  to: string,
  account: { name: string; type: 'bank' | 'paypal'; destination: string },
  { billingChangedLetter: letter, house }: Settings,
): MailMessage {
  const moyen = account.type === 'bank' ? 'du compte bancaire' : 'du compte PayPal';
  const { name, destination } = account;
  return {
    to,
    ...fillLetter<'billingChangedLetter'>(letter, { maison: house.name, compte: name, moyen, destination }),
  };
}
