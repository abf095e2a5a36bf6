import type { Capability } from '@regie/contract/capabilities.ts';
import type { Envelope } from '@regie/contract/envelope.ts';
import type { Access } from '@regie/contract/route.ts';
import type { SessionData } from '@regie/contract/routes/auth.ts';
import { useSyncExternalStore } from 'react';
import { hasUnsavedChanges } from './unsaved-changes.ts';

/**
 * `ended`: there was a session and the server no longer knows it. `signOut`: its owner left, which the server confirmed
 * or not. `isOver`: the session has ended, but the screen holds something that would be lost, and stays while its owner
 * signs in again over it.
 */
export type SessionState =
  | { status: 'checking' }
  | { status: 'out'; ended: boolean; signOut?: 'done' | 'unconfirmed' }
  | { status: 'in'; data: SessionData; isOver?: true };

let state: SessionState = { status: 'checking' };
let csrf: string | undefined;
/** Whose session ended while this page was open. */
let endedUserId: number | undefined;
const listeners = new Set<() => void>();
/** Left for the page that loads after signing out. */
const signedOutKey = 'signed-out';

function setState(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * GET /api/auth/check; a failed check means not signed in, and even then the answer carries the csrf token
 * (product §14.6, §17.2). Not called through `api()`: the entry holds neither the contract's schemas nor Zod.
 */
async function fetchCheck(): Promise<SessionData | undefined> {
  try {
    const response = await fetch('/api/auth/check', {
      credentials: 'same-origin',
      headers: { accept: 'application/json' },
    });
    const envelope: Envelope<SessionData> = await response.json();
    csrf = envelope.csrf ?? csrf;
    return response.ok && envelope.code === 'success' ? envelope.data : undefined;
  } catch {
    return undefined;
  }
}

export async function checkSession(): Promise<void> {
  const data = await fetchCheck();
  const hasSignedOut = window.sessionStorage.getItem(signedOutKey) !== null;
  window.sessionStorage.removeItem(signedOutKey);
  if (data) setState({ status: 'in', data });
  else setState({ status: 'out', ended: false, ...(hasSignedOut && { signOut: 'done' as const }) });
}

export function getCsrf(): string | undefined {
  return csrf;
}

/**
 * Asks again who is signed in: a fresh csrf token, and the capabilities as they are now. False when the session is
 * over or nothing answered.
 */
export async function refreshSession(): Promise<boolean> {
  // While its owner is to sign in again, only the token is wanted: whose session it is now is `resumeSession`'s matter.
  const isOver = isSessionOver();
  const wasSignedIn = state.status === 'in' && !isOver;
  const before = csrf;
  const data = await fetchCheck();
  if (isOver) return csrf !== undefined;
  if (data) {
    setState({ status: 'in', data });
    return true;
  }
  if (!wasSignedIn) return csrf !== undefined;
  // Without an answer the token is the same, and the session may well be alive.
  if (csrf !== before) markSessionEnded();
  return false;
}

/**
 * A call was answered 401: the screens give way to the sign-in page, which leads back here. Where something typed or
 * chosen would be lost, the screen stays and signing in again happens over it.
 */
export function markSessionEnded(): void {
  if (state.status !== 'in' || state.isOver) return;
  endedUserId = state.data.user.id;
  setState(hasUnsavedChanges() ? { ...state, isOver: true } : { status: 'out', ended: true });
}

/** Whether the screen only stays for what it holds, while its owner is to sign in again. */
export function isSessionOver(): boolean {
  return state.status === 'in' && state.isOver === true;
}

/** Gives up what the screen held: to the sign-in page after all. */
export function leaveEndedSession(): void {
  if (state.status === 'in' && state.isOver) setState({ status: 'out', ended: true });
}

/** Whoever's session ended here has signed in again: the page goes on without a reload. False for anyone else. */
export async function resumeSession(): Promise<boolean> {
  const data = await fetchCheck();
  if (!data || data.user.id !== endedUserId) return false;
  setState({ status: 'in', data });
  return true;
}

/** Calls back when somebody is signed in where nobody was; returns how to stop. */
export function onSignedIn(listener: () => void): () => void {
  const isIn = () => state.status === 'in' && !isSessionOver();
  let last = isIn();
  return subscribe(() => {
    const before = last;
    last = isIn();
    if (!before && last) listener();
  });
}

/**
 * Asks the server to end the session, then forgets it whatever the answer (product §14.6): by a reload, or, where
 * the cookie may still be good and would sign in again, on this page. `forget` empties what else the page remembers.
 */
export async function signOut(forget: () => void): Promise<void> {
  const answer = await fetch('/api/auth/signout', { credentials: 'same-origin' }).catch(() => undefined);
  // The trail of lists holds names that were seen.
  window.sessionStorage.clear();
  if (answer?.ok) {
    window.sessionStorage.setItem(signedOutKey, 'yes');
    window.location.assign('/signin');
    return;
  }
  setState({ status: 'out', ended: false, signOut: 'unconfirmed' });
  forget();
}

export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, () => state);
}

/** The signed-in admin's session data. @throws outside signed-in screens */
export function useSignedIn(): SessionData {
  const session = useSession();
  if (session.status !== 'in') throw new Error('this screen needs a session');
  return session.data;
}

/** `can('edit_reports')`, for the signed-in admin; always false when nobody is. */
export function useCan(): (capability: Capability) => boolean {
  const session = useSession();
  const held = session.status === 'in' ? session.data.userCapabilities : [];
  return (capability) => held.includes(capability);
}

/** Whether someone who holds these capabilities may open or call what wants `access`. */
export function isAllowed(access: Access, held: readonly Capability[]): boolean {
  return access === 'public' || access === 'session' || access.some((capability) => held.includes(capability));
}
