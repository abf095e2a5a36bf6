import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { hash, verify } from '@node-rs/argon2';
import { messages } from '@regie/contract/messages.ts';
import { fold } from '@regie/values/search-text.ts';
import { invalid } from './errors.ts';
import { newToken } from './secrets.ts';

/** product §31.11: argon2id (the library's default) with 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The 100 000 most common (SecLists, and French ones) of the minimum length, in lower case. */
const commonPasswords: ReadonlySet<string> = new Set(
  gunzipSync(readFileSync(new URL('./common-passwords.txt.gz', import.meta.url)))
    .toString('utf8')
    .split('\n')
    .filter(Boolean),
);

// Compared with for unknown e-mails, so that both cases take equal time.
const dummyHash = hash(newToken(), parameters);

export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

/** Verifies a password; without a stored hash returns false after the same work. */
export async function isPassword(storedHash: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await verify(storedHash ?? (await dummyHash), password);
  return typeof storedHash === 'string' && isRight;
}

const minWordLength = 3;
/** Minimum letters besides names of the person. */
const minOwnLetters = 4;

/** Whether a password has almost no letters besides these words, digits and symbols. */
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
 * Refuses common passwords (product §31.11), and those made of `words`: names and addresses of the person and the
 * label.
 * @throws AppError validation_failed on `password`
 */
export function checkChosenPassword(password: string, words: readonly string[] = []): void {
  if (commonPasswords.has(password.toLowerCase())) throw invalid({ password: messages.passwordTooCommon });
  if (isMadeOf(password, ['regie', ...words])) throw invalid({ password: messages.passwordOwnWords });
}
