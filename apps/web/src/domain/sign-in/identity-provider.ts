import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { paths } from '#src/app/paths.ts';
import { apiQuery } from '#src/lib/api.ts';

/** Sign-in by password, at the identity provider, or both: server configuration. */
export const signInMethodsQuery = queryOptions({
  ...apiQuery(['sign-in-ways'], routes.listSignInWays),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The page that the provider's pop-up returns to: it notifies the other pages and closes. */
const confirmedOrigin = `${paths.security}?confirmed=oui`;
const channelName = 'regie-provider';

/** The URL that signs in at the identity provider and returns to `origin`. */
export const providerSignInAddress = (origin: string) => `/api/auth/oidc/start?origin=${encodeURIComponent(origin)}`;

/** Opens the provider in a pop-up, so that this page keeps its form. */
export function openProvider(call: 'start' | 'confirm'): void {
  window.open(`/api/auth/oidc/${call}?origin=${encodeURIComponent(confirmedOrigin)}`, '_blank');
}

/** Notifies the other pages of this browser that the provider has confirmed the identity. */
export function broadcastConfirmation(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage('confirmed');
  channel.close();
  // When the browser refuses to close the pop-up, the page says so.
  window.close();
}

/** Subscribes to that notification; returns the unsubscribe function. */
export function onConfirmed(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', listener);
  return () => channel.close();
}
