import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkChosenPassword, hashPassword, isPassword } from './passwords.ts';

const list = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

it('hashes with argon2id, 19 MiB, two passes, one lane', async () => {
  expect(await hashPassword('marée haute')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

it('knows the right password from a wrong one and from no account', async () => {
  const stored = await hashPassword('marée haute');
  expect(await isPassword(stored, 'marée haute')).toBe(true);
  expect(await isPassword(stored, 'marée basse')).toBe(false);
  expect(await isPassword(undefined, 'marée haute')).toBe(false);
});

it('refuses at least 3 000 common passwords, whatever their case', () => {
  expect(new Set(list).size).toBeGreaterThanOrEqual(3000);
  expect(list.filter((password) => password.length < 6 || password !== password.toLowerCase())).toEqual([]);
  for (const password of ['123456', 'Azerty123', 'MOTDEPASSE', 'qwertyuiop', ...list]) {
    expect(() => checkChosenPassword(password), password).toThrow(/trop courant/);
  }
  expect(() => checkChosenPassword('vingt-deux faders')).not.toThrow();
});
