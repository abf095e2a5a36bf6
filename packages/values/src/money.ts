const locale = 'fr-FR';
export const nbsp = '\u00a0';
const minus = '\u2212';

/** Intl writes U+202F between thousands, which many fonts (and the PDF's) lack, and a hyphen for a minus. */
export function tidy(text: string): string {
  return text.replaceAll('\u202f', nbsp).replace(/^-/, minus);
}

/** Making a format takes as long as formatting fifty values. */
export function once<Key, Format>(make: (key: Key) => Format): (key: Key) => Format {
  const formats = new Map<Key, Format>();
  return (key) => {
    const format = formats.get(key) ?? make(key);
    formats.set(key, format);
    return format;
  };
}

const moneyFormat = once((currency: string) =>
  once((decimals: number) =>
    once(
      (least: number) =>
        new Intl.NumberFormat(locale, {
          style: 'currency',
          currency,
          minimumFractionDigits: least,
          maximumFractionDigits: decimals,
          roundingMode: 'halfEven',
        }),
    ),
  ),
);

/** `1 234,56 €`, rounded half-even (product §33.2) at `decimals`; at least `least` are shown. */
export function formatMoney(amount: number, currency: string, decimals = 2, least = 2): string {
  const text = moneyFormat(currency)(decimals)(least).format(amount);
  return tidy(isShownAsZero(amount, decimals) ? text.replace(/^-/, '') : text);
}

/** True when the amount reads 0,00 at that many decimals: it is grey and unsigned. */
export function isShownAsZero(amount: number, decimals = 2): boolean {
  return Math.abs(amount) <= 0.5 * 10 ** -decimals;
}

const cents = new Intl.NumberFormat('en', { maximumFractionDigits: 2, useGrouping: false, roundingMode: 'halfEven' });
/** The amount that `formatMoney` shows. */
export const shownAmount = (amount: number): number => Number(cents.format(amount));
