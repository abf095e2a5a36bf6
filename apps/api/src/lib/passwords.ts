import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { hash, verify } from '@node-rs/argon2';
import { messages } from '@regie/contract/messages.ts';
import { fold } from '@regie/contract/words.ts';
import { invalid } from './errors.ts';
import { newToken } from './secrets.ts';

/** Decisions §1: argon2id (the library's default) with 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Of the 100 000 commonest (SecLists, and French ones) those that are long enough to be chosen, in small letters. */
const commonPasswords: ReadonlySet<string> = new Set(
  gunzipSync(readFileSync(new URL('./common-passwords.txt.gz', import.meta.url)))
    .toString('utf8')
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
export async function isPassword(storedHash: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await verify(storedHash ?? (await nobodysHash), password);
  return typeof storedHash === 'string' && isRight;
}

const minWordLength = 3;
/** What a password made of somebody's words must have besides them, in letters. */
const minOwnLetters = 4;

/** Whether hardly a letter is left of the password without these words, figures and signs. */
function isMadeOf(password: string, texts: readonly string[]): boolean {
  const words = texts
    .flatMap((text) => [...fold(text).split(/[^\p{L}\p{N}]+/u), fold(text).replaceAll(/[^\p{L}\p{N}]/gu, '')])
    .filter((word) => word.length >= minWordLength)
    .sort((one, other) => other.length - one.length);
  const folded = fold(password);
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), folded);
  return rest !== folded && rest.replaceAll(/[^\p{L}]/gu, '').length < minOwnLetters;
}

/**
 * Refuses the passwords that everybody tries first, where one is chosen (decisions §1).
 * @param words names and addresses of the person and the house, which a password must not be made of
 * @throws AppError validation_failed on `password`
 */
export function checkChosenPassword(password: string, words: readonly string[] = []): void {
  if (commonPasswords.has(password.toLowerCase())) throw invalid({ password: messages.passwordTooCommon });
  if (isMadeOf(password, ['regie', ...words])) throw invalid({ password: messages.passwordOwnWords });
}
