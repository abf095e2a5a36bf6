const shownDigits = 4;
const hidden = '••••';

/** An IBAN or account number as it is shown unless somebody asks for it: its last 4 characters. */
export const maskAccountNumber = (number: string): string =>
  number.length <= shownDigits ? number : `${hidden}${number.replaceAll(/\s/g, '').slice(-shownDigits)}`;

/** Whether this is what `maskAccountNumber` leaves of a number. */
export const isMaskedAccountNumber = (text: string): boolean => text.startsWith(hidden);

/** `fr14 2004…` as `FR142004…`: what an IBAN is compared and stored as. */
export const normaliseIban = (text: string): string => text.toUpperCase().replaceAll(/[\s\u00a0.-]/g, '');
