import { isIPv6 } from 'node:net';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { createLimiter, spend } from '#src/lib/rate-limits.ts';
import { sign } from '#src/lib/secrets.ts';

const minute = 60;
/** Failures within `seconds` (product §31.12; decision 050). */
const limits = {
  signInPair: { points: 5, seconds: 15 * minute },
  signInDevice: { points: 5, seconds: 15 * minute },
  signInAddress: { points: 50, seconds: 15 * minute },
  // Accounts are slowed, never locked.
  signInAccount: { points: Number.MAX_SAFE_INTEGER, seconds: 15 * minute },
  // After the right password: few guesses of six digits, from any address.
  factor: { points: 5, seconds: 15 * minute },
  factorDay: { points: 30, seconds: 24 * 60 * minute },
  factorMail: { points: 5, seconds: 60 * minute },
  // Limits journal entries.
  providerFailure: { points: 30, seconds: 15 * minute },
  resetAddress: { points: 20, seconds: 60 * minute },
  resetEmail: { points: 5, seconds: 60 * minute },
} as const;
const limiterOf = (db: Database, name: keyof typeof limits) => createLimiter(db, { name, ...limits[name] });
type Counters = Pick<Deps, 'db' | 'cookies'>;
const keyOf = ({ cookies }: Counters, value: string) => sign(cookies.secret, 'throttle', value);

async function maySpend(deps: Counters, name: keyof typeof limits, key: string): Promise<boolean> {
  try {
    await limiterOf(deps.db, name).consume(keyOf(deps, key));
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}

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

/** After recent failures from any address. */
export function signInDelayMs(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(failures - freeFailures, 10));
}

const turns = new Map<string, Promise<unknown>>();

/** One attempt per key at a time, so that concurrent ones count like sequential ones. */
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
 * Per account and address, per address, and a delay per account. A known device has its own counter, so that others
 * cannot lock it out; unknown e-mails count equally. `attempt` returns undefined on failure.
 * @throws too_many_requests with Retry-After
 */
export function withSignInLimits<T>(
  deps: Counters,
  { email, address, device }: { email: string; address: string; device: string | undefined },
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { db } = deps;
  const account = email.toLowerCase();
  const network = networkOf(address);
  const pairKey = keyOf(deps, device === undefined ? `${account} ${network}` : `${account} device ${device}`);
  const [networkKey, accountKey] = [keyOf(deps, network), keyOf(deps, account)];
  const pair = limiterOf(db, device === undefined ? 'signInPair' : 'signInDevice');
  const byAddress = limiterOf(db, 'signInAddress');
  const byAccount = limiterOf(db, 'signInAccount');
  return inTurn(pairKey, async () => {
    // Counted first and refunded on success, so that concurrent attempts stay within the limit.
    if (device === undefined) await spend(byAddress, networkKey);
    await spend(pair, pairKey);
    if (device === undefined) await wait(signInDelayMs((await byAccount.get(accountKey))?.consumedPoints ?? 0));
    const result = await attempt();
    if (result === undefined) {
      await byAccount.penalty(accountKey, 1);
    } else {
      await pair.delete(pairKey);
      if (device === undefined) await byAddress.reward(networkKey, 1);
    }
    return result;
  });
}

/** `attempt` returns undefined on failure. @throws too_many_requests with Retry-After */
export function withFactorLimits<T>(
  deps: Counters,
  adminId: number,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const key = keyOf(deps, `factor ${adminId}`);
  const limiters = [limiterOf(deps.db, 'factorDay'), limiterOf(deps.db, 'factor')];
  return inTurn(key, async () => {
    for (const limiter of limiters) await spend(limiter, key);
    const result = await attempt();
    if (result !== undefined) for (const limiter of limiters) await limiter.reward(key, 1);
    return result;
  });
}

/** @throws too_many_requests with Retry-After */
export const spendFactorMail = (deps: Counters, adminId: number) =>
  spend(limiterOf(deps.db, 'factorMail'), keyOf(deps, `factor ${adminId}`));

/**
 * False when this e-mail has enough letters: the caller answers normally, so that the limit is not revealed.
 * @throws too_many_requests when the address asks too often
 */
export async function maySendReset(
  deps: Counters,
  { email, address }: { email: string; address: string },
): Promise<boolean> {
  await spend(limiterOf(deps.db, 'resetAddress'), keyOf(deps, networkOf(address)));
  return maySpend(deps, 'resetEmail', email.toLowerCase());
}

/** Anybody can cause failures, so their entries are limited. */
export const mayJournalFailure = (deps: Counters, address: string) =>
  maySpend(deps, 'providerFailure', networkOf(address));
