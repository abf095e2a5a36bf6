const shownDigits = 4;
const hidden = '••••';

/** The masked form of an IBAN or account number: only its last 4 characters. */
export const maskAccountNumber = (number: string): string =>
  number.length <= shownDigits ? number : `${hidden}${number.replaceAll(/\s/g, '').slice(-shownDigits)}`;

/** Whether the text is the output of `maskAccountNumber`. */
export const isMaskedAccountNumber = (text: string): boolean => text.startsWith(hidden);

/** `fr14 2004…` as `FR142004…`: the form in which IBANs are compared and stored. */
export const normaliseIban = (text: string): string => text.toUpperCase().replaceAll(/[\s\u00a0.-]/g, '');

/** Groups of four characters, as on paper. */
export const formatIban = (iban: string): string => {
  const groups = iban.match(/.{1,4}/g);
  return /^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) && groups ? groups.join('\u00a0') : iban;
};
