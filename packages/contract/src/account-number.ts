const shownDigits = 4;
const hidden = '••••';

/** An IBAN or account number as it is shown unless somebody asks for it: its last 4 characters. */
export const maskAccountNumber = (number: string): string =>
  number.length <= shownDigits ? number : `${hidden}${number.replaceAll(/\s/g, '').slice(-shownDigits)}`;

/** Whether this is what `maskAccountNumber` leaves of a number. */
export const isMaskedAccountNumber = (text: string): boolean => text.startsWith(hidden);

/** `fr14 2004…` as `FR142004…`: what an IBAN is compared and stored as. */
export const normaliseIban = (text: string): string => text.toUpperCase().replaceAll(/[\s\u00a0.-]/g, '');

const groupSize = 4;
/** In fours, as it is printed. */
export const formatIban = (iban: string): string => {
  const groups = iban.match(new RegExp(`.{1,${groupSize}}`, 'g'));
  return /^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) && groups ? groups.join('\u00a0') : iban;
};
