import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const tokenBytes = 32;

/** 256 random bits, URL-safe. */
export const newToken = (): string => randomBytes(tokenBytes).toString('base64url');

/** SHA-256, the only form in which tokens are stored. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** HMAC-SHA-256 of `value` with the installation's secret, separated by purpose. */
export const sign = (secret: string, purpose: string, value: string): string =>
  createHmac('sha256', secret).update(`${purpose}\0${value}`).digest('base64url');

/** Constant-time comparison. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hashToken(given), hashToken(expected));

/** The secret in DATA_DIR, generated at the first start (product §37.5). */
export function readOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, 'session-secret');
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, newToken(), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

export const deriveAppPassword = (secret: string): string => sign(secret, 'database-role', 'regie_app');

const sealedKey = (secret: string, purpose: string) => createHmac('sha256', secret).update(`seal\0${purpose}`).digest();
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts with AES-256-GCM, under a key derived from the installation's secret. */
export function seal(secret: string, purpose: string, value: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', sealedKey(secret, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(value), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Decrypts a value of `seal`; undefined when the value or the secret has changed. */
export function unseal(secret: string, purpose: string, sealed: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealedKey(secret, purpose), sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}
