import { readFileSync } from 'node:fs';
import { hash, verify } from '@node-rs/argon2';
import { messages } from '@regie/contract/messages.ts';
import { invalid } from './errors.ts';
import { newToken } from './secrets.ts';

/** Decisions §1: argon2id (the library's default) with 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const commonPasswords: ReadonlySet<string> = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
);

// What an unknown e-mail's password is compared with, so that both take the same time.
const nobodysHash = hash(newToken(), parameters);

/** The argon2id hash to store. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

/** Whether the password is the one; without a stored hash false, after the same work. */
export async function isPassword(storedHash: string | undefined, password: string): Promise<boolean> {
  const isRight = await verify(storedHash ?? (await nobodysHash), password);
  return storedHash !== undefined && isRight;
}

/**
 * Refuses the passwords that everybody tries first, where one is chosen (decisions §1).
 * @throws AppError validation_failed on `password`
 */
export function checkChosenPassword(password: string): void {
  if (commonPasswords.has(password.toLowerCase())) throw invalid({ password: messages.passwordTooCommon });
}
