import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const tokenBytes = 32;

/** 256 random bits, URL-safe. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** SHA-256, the only form in which a token is stored. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** HMAC-SHA-256 of `value` under the house's secret, for the purpose named. */
export function sign(secret: string, purpose: string, value: string): string {
  return createHmac('sha256', secret).update(`${purpose}\0${value}`).digest('base64url');
}

/** Equality in a time that does not depend on where the texts differ. */
export function isSameSecret(given: string, expected: string): boolean {
  const a = createHash('sha256').update(given).digest();
  const b = createHash('sha256').update(expected).digest();
  return timingSafeEqual(a, b);
}

/** The secret of DATA_DIR, generated at the first start (decisions §7). */
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

/** The password of the application's database role; every process with the same secret derives the same one. */
export function deriveAppPassword(secret: string): string {
  return sign(secret, 'database-role', 'regie_app');
}

const sealedKey = (secret: string, purpose: string) => createHmac('sha256', secret).update(`seal\0${purpose}`).digest();
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts what must be read again (AES-256-GCM), under a key derived from the house's secret. */
export function seal(secret: string, purpose: string, value: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', sealedKey(secret, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(value), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** What `seal` was given; undefined when the house's secret is another one since. */
export function unseal(secret: string, purpose: string, sealed: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', sealedKey(secret, purpose), sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}
