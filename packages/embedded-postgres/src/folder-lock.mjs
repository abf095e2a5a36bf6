// Plain JavaScript: set-up uses it before the project's own Node is installed.
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** The start time tells a reused id from the holder; '0' without /proc. A zombie counts as ended. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] ?? '0');
  } catch {
    return '0';
  }
}

function isAlive(token) {
  const [pidText = '', start = '0'] = token.split('-');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  return start === '0' || startOf(pid) === start;
}

function readHolder(lockDir) {
  try {
    return readdirSync(lockDir)[0];
  } catch {
    return undefined;
  }
}

/**
 * The id of the process that holds the lock, if it is alive.
 * @param {string} lockDir
 * @returns {number | undefined}
 */
export function findLockHolder(lockDir) {
  const token = readHolder(lockDir);
  return token !== undefined && isAlive(token) ? Number(token.split('-')[0]) : undefined;
}

/**
 * Takes the lock, or returns its holder. A lock is a folder with one file named after its holder. Renaming a folder
 * over another only succeeds when that one is empty, and a dead holder's file is removed by name, so two processes that
 * find the same dead holder cannot both take the lock.
 * @param {string} lockDir
 * @returns {{ release: () => void } | { holderPid: number }}
 */
export function tryLock(lockDir) {
  const token = `${process.pid}-${startOf(process.pid)}-${randomBytes(4).toString('hex')}`;
  mkdirSync(dirname(lockDir), { recursive: true });
  const candidate = `${lockDir}.${token}`;
  mkdirSync(candidate);
  writeFileSync(join(candidate, token), '');
  for (;;) {
    try {
      renameSync(candidate, lockDir);
      break;
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') {
        rmSync(candidate, { recursive: true, force: true });
        throw error;
      }
    }
    const holder = readHolder(lockDir);
    if (holder !== undefined && isAlive(holder)) {
      rmSync(candidate, { recursive: true, force: true });
      return { holderPid: Number(holder.split('-')[0]) };
    }
    if (holder !== undefined) rmSync(join(lockDir, holder), { force: true });
  }
  return {
    release() {
      try {
        unlinkSync(join(lockDir, token));
        rmdirSync(lockDir);
      } catch {
        // Another process may have taken the emptied folder already.
      }
    },
  };
}

/**
 * Waits for the lock; `onWait` is called once, with the holder, when there is one.
 * @param {string} lockDir
 * @param {(holderPid: number) => void} [onWait]
 * @returns {Promise<{ release: () => void }>}
 */
export async function waitForLock(lockDir, onWait) {
  let told = false;
  for (;;) {
    const lock = tryLock(lockDir);
    if ('release' in lock) return lock;
    if (!told) onWait?.(lock.holderPid);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
