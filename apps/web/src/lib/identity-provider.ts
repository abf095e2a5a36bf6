import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { paths } from '#src/paths.ts';
import { api } from './api.ts';

/** By password, at the identity provider, or both: set where the server is started. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: async ({ signal }) => (await api(routes.listSignInWays, { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Where the provider's answer leads in a window of its own: that page tells the others, and closes. */
const confirmedOrigin = `${paths.security}?confirmed=oui`;
const channelName = 'regie-provider';

/** The address that signs in at the identity provider and comes back to `origin`. */
export const providerSignInAddress = (origin: string) => `/api/auth/oidc/start?origin=${encodeURIComponent(origin)}`;

/** Opens the provider beside this page, which keeps what was typed. */
export function openProvider(call: 'start' | 'confirm'): void {
  window.open(`/api/auth/oidc/${call}?origin=${encodeURIComponent(confirmedOrigin)}`, '_blank');
}

/** Tells the other pages of this browser that the provider has confirmed who is there. */
export function broadcastConfirmation(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage('confirmed');
  channel.close();
  // The page says so where the browser does not let it close itself.
  window.close();
}

/** Calls back once another page tells that; returns how to stop. */
export function onConfirmed(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', listener);
  return () => channel.close();
}
