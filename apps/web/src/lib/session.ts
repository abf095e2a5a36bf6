import type { Capability } from '@regie/contract/capabilities.ts';
import type { Envelope } from '@regie/contract/envelope.ts';
import type { Access } from '@regie/contract/route.ts';
import type { SessionData } from '@regie/contract/routes/auth.ts';
import type { SidebarChoices } from '@regie/contract/routes/views.ts';
import { createStore } from './store.ts';
import { hasUnsavedChanges } from './unsaved-changes.ts';

/** `ended`: unknown to the server. `isOver`: ended, but the screen stays for its unsaved changes until a sign-in. */
export type SessionState =
  | { status: 'checking' }
  | { status: 'out'; ended: boolean; signOut?: 'done' | 'unconfirmed' }
  | { status: 'in'; data: SessionData; isOver?: true };

const store = createStore<SessionState>({ status: 'checking' });
let csrf: string | undefined;
let endedUserId: number | undefined;
const signedOutKey = 'signed-out';

/** A refusal still has the csrf token (product §14.6, §17.2). Not by `api()`: the entry bundle excludes its schemas. */
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

export const getCsrf = (): string | undefined => csrf;

/** A new csrf token and the current capabilities. False when the session is over or there is no response. */
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

/** Opens the sign-in page; with unsaved changes the screen stays, and the user signs in again over it. */
export function markSessionEnded(): void {
  const state = store.get();
  if (state.status !== 'in' || state.isOver) return;
  endedUserId = state.data.user.id;
  store.set(hasUnsavedChanges() ? { ...state, isOver: true } : { status: 'out', ended: true });
}

export function isSessionOver(): boolean {
  const state = store.get();
  return state.status === 'in' && state.isOver === true;
}

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

/** Returns the choices before and after; undefined without a session. */
export function changeSidebar(change: (choices: SidebarChoices) => SidebarChoices) {
  const state = store.get();
  if (state.status !== 'in') return undefined;
  const former = state.data.sidebar;
  const next = change(former);
  store.set({ ...state, data: { ...state.data, sidebar: next } });
  return { former, next };
}

export function onSignedIn(listener: () => void): () => void {
  const isIn = () => store.get().status === 'in' && !isSessionOver();
  let last = isIn();
  return store.subscribe(() => {
    const before = last;
    last = isIn();
    if (!before && last) listener();
  });
}

/** Forgets the session whatever the answer (product §14.6); no reload where the cookie may still be valid. */
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

export type Can = (capability: Capability) => boolean;

const canOf =
  (session: SessionState): Can =>
  (capability) =>
    session.status === 'in' && session.data.userCapabilities.includes(capability);

export const useCan = () => canOf(useSession());

/** As `useCan`, outside components. */
export const can: Can = (capability) => canOf(store.get())(capability);

export const isAllowed = (access: Access, held: readonly Capability[]): boolean =>
  access === 'public' || access === 'session' || access.some((capability) => held.includes(capability));
