import { randomInt } from 'node:crypto';
import { recoveryCodeCount } from '@regie/contract/second-factors.ts';
import { Secret, TOTP } from 'otpauth';

const secretBytes = 20;
const periodSeconds = 30;
/** Steps before and after, for clocks and slow typing. */
const window = 1;

export function newTotpSecret(): Uint8Array {
  return new Secret({ size: secretBytes }).bytes;
}

const toSecret = (bytes: Uint8Array) => new Secret({ buffer: Uint8Array.from(bytes).buffer });

/** For the QR code and for typing. */
export function describeTotp(bytes: Uint8Array, admin: { email: string; house: string }) {
  const secret = toSecret(bytes);
  const uri = new TOTP({ issuer: admin.house.replaceAll(':', ' '), label: admin.email, secret }).toString();
  return { secret: secret.base32, uri };
}

/** Undefined when no accepted step matches. */
export function findTotpStep(bytes: Uint8Array, code: string): number | undefined {
  const timestamp = Date.now();
  const delta = TOTP.validate({ token: code, secret: toSecret(bytes), window, timestamp });
  return delta === null ? undefined : TOTP.counter({ timestamp, period: periodSeconds }) + delta;
}

// Without look-alikes: 120 bits, so a plain hash is safe.
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const groups = 4;
const groupLength = 6;

/** `abcdef-ghijkm-npqrst-uvwxyz` */
export function newRecoveryCodes(): string[] {
  const letter = () => alphabet.charAt(randomInt(alphabet.length));
  const group = () => Array.from({ length: groupLength }, letter).join('');
  return Array.from({ length: recoveryCodeCount }, () => Array.from({ length: groups }, group).join('-'));
}

/** Without case, spaces, hyphens. */
export const normalCode = (typed: string): string => typed.toLowerCase().replaceAll(/[\s-]/g, '');

const mailCodeDigits = 8;
export const newMailCode = (): string => String(randomInt(10 ** mailCodeDigits)).padStart(mailCodeDigits, '0');
