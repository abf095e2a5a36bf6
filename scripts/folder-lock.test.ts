import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLockHolder, tryLock } from '@regie/embedded-postgres/folder-lock.mjs';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-lock-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test('a second process gets the process id of the holder until the lock is released', () => {
  const lockDir = join(folder, 'lock');
  const first = tryLock(lockDir);
  expect(tryLock(lockDir)).toEqual({ holderPid: process.pid });
  expect(findLockHolder(lockDir)).toBe(process.pid);
  if ('release' in first) first.release();
  expect(findLockHolder(lockDir)).toBeUndefined();
  expect(tryLock(lockDir)).toHaveProperty('release');
});

test('a reused process id does not hold the lock', async () => {
  const lockDir = join(folder, 'lock');
  await mkdir(lockDir);
  await writeFile(join(lockDir, `${process.pid}-1-00000000`), '');
  expect(tryLock(lockDir)).toHaveProperty('release');
});

test("racing processes that take over a dead holder's lock never hold it at once", { tags: ['slow'] }, async () => {
  const counter = join(folder, 'counter');
  await writeFile(counter, '0');
  const program = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import { waitForLock } from '@regie/embedded-postgres/folder-lock.mjs';
    const [lockDir, counter] = process.argv.slice(1);
    for (let round = 0; round < 20; round += 1) {
      const lock = await waitForLock(lockDir);
      const seen = Number(readFileSync(counter, 'utf8'));
      await new Promise((done) => setImmediate(done));
      writeFileSync(counter, String(seen + 1));
      if (round === 19) process.kill(process.pid, 'SIGKILL');
      lock.release();
    }`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', program, join(folder, 'lock'), counter], {
      cwd: join(import.meta.dirname, '..'),
      stdio: 'inherit',
    }),
  );
  await Promise.all(children.map((child) => once(child, 'exit')));
  expect(await readFile(counter, 'utf8')).toBe('120');
});
