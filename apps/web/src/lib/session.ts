import type { Capability } from '@regie/contract/capabilities.ts';
import type { Envelope } from '@regie/contract/envelope.ts';
import type { Access } from '@regie/contract/route.ts';
import type { SessionData } from '@regie/contract/routes/auth.ts';
import type { SidebarChoices } from '@regie/contract/routes/views.ts';
import { createStore } from './store.ts';
import { hasUnsavedChanges } from './unsaved-changes.ts';

/**
 * `ended`: the server no longer knows the session. `signOut`: the user signed out, confirmed by the server or not.
 * `isOver`: the session has ended, but the screen has unsaved changes and stays while its user signs in again over it.
 */
export type SessionState =
  | { status: 'checking' }
  | { status: 'out'; ended: boolean; signOut?: 'done' | 'unconfirmed' }
  | { status: 'in'; data: SessionData; isOver?: true };

const store = createStore<SessionState>({ status: 'checking' });
let csrf: string | undefined;
/** The user whose session ended while this page was open. */
let endedUserId: number | undefined;
/** Read by the page that loads after signing out. */
const signedOutKey = 'signed-out';

/**
 * GET /api/auth/check; a failed check means not signed in, and its response still has the csrf token
 * (product §14.6, §17.2). It does not use `api()`: the entry bundle excludes the contract's schemas and Zod.
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
  if (data) store.set({ status: 'in', data });
  else store.set({ status: 'out', ended: false, ...(hasSignedOut && { signOut: 'done' as const }) });
}

export function getCsrf(): string | undefined {
  return csrf;
}

/**
 * Checks the session again: a new csrf token, and the current capabilities. False when the session is over or there is
 * no response.
 */
export async function refreshSession(): Promise<boolean> {
  // While the user has to sign in again, only the token is used: `resumeSession` handles the session's user.
  const isOver = isSessionOver();
  const wasSignedIn = store.get().status === 'in' && !isOver;
  const before = csrf;
  const data = await fetchCheck();
  if (isOver) return csrf !== undefined;
  if (data) {
    store.set({ status: 'in', data });
    return true;
  }
  if (!wasSignedIn) return csrf !== undefined;
  // Without a response the token is unchanged, and the session may still be valid.
  if (csrf !== before) markSessionEnded();
  return false;
}

/**
 * Handles a 401 response: the sign-in page opens, and returns here afterwards. With unsaved changes the screen stays,
 * and the user signs in again over it.
 */
export function markSessionEnded(): void {
  const state = store.get();
  if (state.status !== 'in' || state.isOver) return;
  endedUserId = state.data.user.id;
  store.set(hasUnsavedChanges() ? { ...state, isOver: true } : { status: 'out', ended: true });
}

/** Whether the screen stays only for its unsaved changes, until its user signs in again. */
export function isSessionOver(): boolean {
  const state = store.get();
  return state.status === 'in' && state.isOver === true;
}

/** Discards the unsaved changes and opens the sign-in page. */
export function leaveEndedSession(): void {
  if (isSessionOver()) store.set({ status: 'out', ended: true });
}

/** The same user has signed in again: the page continues without a reload. False for another user. */
export async function resumeSession(): Promise<boolean> {
  const data = await fetchCheck();
  if (!data || data.user.id !== endedUserId) return false;
  store.set({ status: 'in', data });
  return true;
}

/** Replaces the user's choices for the sidebar on this page. */
export function setSidebar(sidebar: SidebarChoices): void {
  const state = store.get();
  if (state.status === 'in') store.set({ ...state, data: { ...state.data, sidebar } });
}

/** Calls back after a sign-in; returns the unsubscribe function. */
export function onSignedIn(listener: () => void): () => void {
  const isIn = () => store.get().status === 'in' && !isSessionOver();
  let last = isIn();
  return store.subscribe(() => {
    const before = last;
    last = isIn();
    if (!before && last) listener();
  });
}

/**
 * Asks the server to end the session, then forgets it whatever the response (product §14.6): by a reload, or on this
 * page when the cookie may still be valid and would sign in again. `forget` clears the page's other data.
 */
export async function signOut(forget: () => void): Promise<void> {
  const answer = await fetch('/api/auth/signout', { credentials: 'same-origin' }).catch(() => undefined);
  // The trail of lists contains record names.
  window.sessionStorage.clear();
  if (answer?.ok) {
    window.sessionStorage.setItem(signedOutKey, 'yes');
    window.location.assign('/signin');
    return;
  }
  store.set({ status: 'out', ended: false, signOut: 'unconfirmed' });
  forget();
}

export const useSession = store.useValue;

/** The signed-in admin's session data. @throws outside signed-in screens */
export function useSignedIn(): SessionData {
  const session = useSession();
  if (session.status !== 'in') throw new Error('this screen needs a session');
  return session.data;
}

/** `can('edit_reports')` for the signed-in admin; always false when signed out. */
export function useCan(): (capability: Capability) => boolean {
  const session = useSession();
  const held = session.status === 'in' ? session.data.userCapabilities : [];
  return (capability) => held.includes(capability);
}

/** Whether someone with these capabilities may open or call what requires `access`. */
export function isAllowed(access: Access, held: readonly Capability[]): boolean {
  return access === 'public' || access === 'session' || access.some((capability) => held.includes(capability));
}
