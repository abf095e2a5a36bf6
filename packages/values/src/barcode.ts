/** GTIN-8, UPC, EAN and GTIN-14. */
export const hasBarcodeLength = (text: string): boolean => [8, 12, 13, 14].includes(text.length);

/** Whether a text is a barcode: digits, the last of which checks the others (product §34.14). */
export function isBarcodeValid(text: string): boolean {
  const sum = [...text].reverse().reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return /^\d+$/.test(text) && hasBarcodeLength(text) && sum % 10 === 0;
}

/** The digits of a barcode, with the leading zero of a UPC that a spreadsheet dropped; undefined for other texts. */
export function readBarcode(text: string): string | undefined {
  const digits = text.replaceAll(/[\s\u00a0-]/g, '');
  if (!/^\d{1,20}$/.test(digits)) return undefined;
  const padded = digits.padStart(12, '0');
  return digits.length === 11 && isBarcodeValid(padded) ? padded : digits;
}
