import { isIPv6 } from 'node:net';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { createLimiter, spend } from '#src/lib/rate-limits.ts';
import { sign } from '#src/lib/secrets.ts';

const minute = 60;
/** Allowed failures within `seconds`, by counter (product §31.12; decision 050). */
const limits = {
  signInPair: { points: 5, seconds: 15 * minute },
  signInDevice: { points: 5, seconds: 15 * minute },
  signInAddress: { points: 50, seconds: 15 * minute },
  // Only counted: accounts are slowed, never locked.
  signInAccount: { points: Number.MAX_SAFE_INTEGER, seconds: 15 * minute },
  // Reached only with the right password: few guesses of a six-digit code, from any address.
  factor: { points: 5, seconds: 15 * minute },
  factorDay: { points: 30, seconds: 24 * 60 * minute },
  factorMail: { points: 5, seconds: 60 * minute },
  // Counted only to limit journal entries.
  providerFailure: { points: 30, seconds: 15 * minute },
  resetAddress: { points: 20, seconds: 60 * minute },
  resetEmail: { points: 5, seconds: 60 * minute },
} as const;
const limiterOf = (db: Database, name: keyof typeof limits) => createLimiter(db, { name, ...limits[name] });

const freeFailures = 5;
const firstDelayMs = 250;
const maxDelayMs = 4000;

/** An IPv6 user controls the whole /64. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const groups = head.split(':').filter(Boolean);
  const tailGroups = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - groups.length - tailGroups.length;
  const all = [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...tailGroups];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The delay of an attempt after `failures` recent ones on its account from any address. */
export function signInDelayMs(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(failures - freeFailures, 10));
}

const turns = new Map<string, Promise<unknown>>();

/** Runs attempts with one key one after the other, so that concurrent ones count like sequential ones. */
async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(key) ?? Promise.resolve()).then(work);
  const settled = turn.then(
    () => undefined,
    () => undefined,
  );
  turns.set(key, settled);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === settled) turns.delete(key);
  }
}

/**
 * Runs one sign-in attempt under the limits: per account and address, per address, and a delay per account. A device
 * known for this account has its own counter, so that failures of others do not lock it out. Known and unknown e-mails
 * count equally. `attempt` returns undefined on failure.
 * @throws AppError too_many_requests with Retry-After
 */
export function withSignInLimits<T>(
  { db, cookies }: Pick<Deps, 'db' | 'cookies'>,
  { email, address, device }: { email: string; address: string; device: string | undefined },
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const keyOf = (value: string) => sign(cookies.secret, 'throttle', value);
  const account = email.toLowerCase();
  const network = networkOf(address);
  const pairKey = keyOf(device === undefined ? `${account} ${network}` : `${account} device ${device}`);
  const pair = limiterOf(db, device === undefined ? 'signInPair' : 'signInDevice');
  const byAddress = limiterOf(db, 'signInAddress');
  const byAccount = limiterOf(db, 'signInAccount');
  return inTurn(pairKey, async () => {
    // Counted before the password check and refunded on success, so that concurrent attempts cannot exceed the limit.
    if (device === undefined) await spend(byAddress, keyOf(network));
    await spend(pair, pairKey);
    if (device === undefined) await wait(signInDelayMs((await byAccount.get(keyOf(account)))?.consumedPoints ?? 0));
    const result = await attempt();
    if (result === undefined) {
      await byAccount.penalty(keyOf(account), 1);
    } else {
      await pair.delete(pairKey);
      if (device === undefined) await byAddress.reward(keyOf(network), 1);
    }
    return result;
  });
}

/**
 * Runs one attempt to use or add a second factor under the admin's limits. `attempt` returns undefined on failure.
 * @throws AppError too_many_requests with Retry-After
 */
export function withFactorLimits<T>(
  { db, cookies }: Pick<Deps, 'db' | 'cookies'>,
  adminId: number,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const key = sign(cookies.secret, 'throttle', `factor ${adminId}`);
  const limiters = [limiterOf(db, 'factorDay'), limiterOf(db, 'factor')];
  return inTurn(key, async () => {
    for (const limiter of limiters) await spend(limiter, key);
    const result = await attempt();
    if (result !== undefined) for (const limiter of limiters) await limiter.reward(key, 1);
    return result;
  });
}

/** Counts a mailed code. @throws AppError too_many_requests with Retry-After */
export async function spendFactorMail({ db, cookies }: Pick<Deps, 'db' | 'cookies'>, adminId: number): Promise<void> {
  await spend(limiterOf(db, 'factorMail'), sign(cookies.secret, 'throttle', `factor ${adminId}`));
}

/**
 * Counts a request for a reset link. False when this e-mail has received enough letters: the caller answers normally
 * and sends none, so that the limit is not revealed.
 * @throws AppError too_many_requests when the address asks too often
 */
export async function maySendReset(
  { db, cookies }: Pick<Deps, 'db' | 'cookies'>,
  { email, address }: { email: string; address: string },
): Promise<boolean> {
  const keyOf = (value: string) => sign(cookies.secret, 'throttle', value);
  await spend(limiterOf(db, 'resetAddress'), keyOf(networkOf(address)));
  try {
    await limiterOf(db, 'resetEmail').consume(keyOf(email.toLowerCase()));
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}

/** Whether a failed provider sign-in is journalled: anybody can cause them, so their number is limited. */
export async function mayJournalFailure(
  { db, cookies }: Pick<Deps, 'db' | 'cookies'>,
  address: string,
): Promise<boolean> {
  try {
    await limiterOf(db, 'providerFailure').consume(sign(cookies.secret, 'throttle', networkOf(address)));
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}
