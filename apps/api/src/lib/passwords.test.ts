import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { checkChosenPassword, hashPassword, isPassword } from './passwords.ts';

const list = gunzipSync(readFileSync(new URL('./common-passwords.txt.gz', import.meta.url)))
  .toString('utf8')
  .trimEnd()
  .split('\n');

it('hashes with argon2id, 19 MiB, two passes, one lane', async () => {
  expect(await hashPassword('marée haute')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

it('accepts the right password, refuses a wrong password and a missing account', async () => {
  const stored = await hashPassword('marée haute');
  expect(await isPassword(stored, 'marée haute')).toBe(true);
  expect(await isPassword(stored, 'marée basse')).toBe(false);
  expect(await isPassword(undefined, 'marée haute')).toBe(false);
});

it('compares all characters of a password as they were typed', async () => {
  const long = 'é'.repeat(127);
  const stored = await hashPassword(`${long}e`);
  expect(await isPassword(stored, `${long}e`)).toBe(true);
  const others = [`${long}f`, `${long}E`, `${long}e `, ` ${long}e`, `${long}e`.normalize('NFD'), long];
  for (const other of others) expect(await isPassword(stored, other), other).toBe(false);
});

it('refuses the most common passwords in any case', { tags: ['slow'] }, () => {
  expect(list.length).toBeGreaterThan(39_000);
  expect(list.filter((password) => password.length < 8 || password !== password.toLowerCase())).toEqual([]);
  for (const password of ['Azerty123', 'MOTDEPASSE', 'qwertyuiop', 'football1', ...list]) {
    expect(() => checkChosenPassword(password), password).toThrow(/trop courant/);
  }
  expect(() => checkChosenPassword('vingt-deux faders')).not.toThrow();
});

it.each([
  'Camille2026!',
  'camillelefèvre',
  'LeFevre-Camille1',
  'c.lefevre#75',
  'marée-haute-12',
  'MareeHaute!!',
  'Regie2026*',
  'regiecamille99',
  'lefevreabc1',
])('refuses %s, which consists of names of the person or label', (password) => {
  const words = ['Camille', 'Lefèvre', 'c.lefevre@maree-haute.example', 'Marée Haute'];
  expect(() => checkChosenPassword(password, words)).toThrow(/se devine/);
});

it("accepts a person's name among other words", () => {
  const words = ['Ana', 'Roy', 'ana@maree-haute.example', 'Marée Haute'];
  for (const password of ['banane-royale-12', 'quatre faders hauts', '12345678901234']) {
    expect(() => checkChosenPassword(password, words), password).not.toThrow();
  }
});
