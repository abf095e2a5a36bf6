import type { Random } from './random.ts';

const base36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const registrantCount = 36 ** 3;
// Prime, so coprime with 36³: every registrant number gets its own code.
const scatter = 7919;

/** The first five characters of a registrant's ISRCs; unique for 140 000 registrants. */
export function registrantPrefix(country: string, registrant: number): string {
  const turn = Math.floor(registrant / registrantCount);
  const code = (registrant * scatter + 31_211) % registrantCount;
  const letters = [code / 1296, code / 36, code].map((part) => base36.charAt(Math.floor(part) % 36)).join('');
  return `${turn === 0 ? country : ['FX', 'FZ', 'QZ'][turn - 1]}${letters}`;
}

/** A barcode: the twelve given digits and their check digit. */
export function ean13(twelveDigits: string): string {
  return twelveDigits + ean13CheckDigit(twelveDigits);
}

export function ean13CheckDigit(twelveDigits: string): number {
  let sum = 0;
  for (let index = 0; index < 12; index += 1) sum += Number(twelveDigits.charAt(index)) * (index % 2 === 0 ? 1 : 3);
  return (10 - (sum % 10)) % 10;
}

/** A long decimal number modulo 97. */
function mod97(digits: string): number {
  let remainder = 0;
  for (const digit of digits) remainder = (remainder * 10 + Number(digit)) % 97;
  return remainder;
}

const lettersAsNumbers = (text: string) =>
  text.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 'A'.charCodeAt(0) + 10));

/** An IBAN with its check digits (ISO 13616). */
export function toIban(country: string, bban: string): string {
  const check = 98 - mod97(lettersAsNumbers(`${bban}${country}00`));
  return `${country}${String(check).padStart(2, '0')}${bban}`;
}

/** National account numbers of IBAN countries, with their own check digits if any. */
const bbans: Record<string, (random: Random, bank: string) => string> = {
  FR: (random, bank) => withFrenchKey(bank + random.digits(5) + random.digits(11)),
  BE: (random, bank) => {
    const account = bank.slice(0, 3) + random.digits(7);
    return account + String(mod97(account) || 97).padStart(2, '0');
  },
  CH: (random, bank) => bank + random.digits(12),
  LU: (random, bank) => bank.slice(0, 3) + random.digits(13),
};

/** The RIB key: weights 89, 15 and 3 for bank, branch and account. */
function withFrenchKey(account: string): string {
  const weighted =
    89 * mod97(account.slice(0, 5)) + 15 * mod97(account.slice(5, 10)) + 3 * mod97(account.slice(10, 21));
  return account + String(97 - (weighted % 97)).padStart(2, '0');
}

/** An account number in its country's format; free text without IBANs (product §34.14). */
export function accountNumber(random: Random, country: string, bankCode: string): string {
  const bban = bbans[country];
  return bban ? toIban(country, bban(random, bankCode)) : random.digits(24);
}

/** A French VAT number: the key and a SIREN with a valid Luhn digit. */
export function frenchVatNumber(random: Random): string {
  const eight = `${random.int(4, 9)}${random.digits(7)}`;
  let sum = 0;
  for (let index = 0; index < 8; index += 1) {
    const weighted = Number(eight.charAt(index)) * (index % 2 === 0 ? 1 : 2);
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  const siren = eight + String((10 - (sum % 10)) % 10);
  return `FR${String((12 + 3 * mod97(siren)) % 97).padStart(2, '0')}${siren}`;
}
