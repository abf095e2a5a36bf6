import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { paths } from '#src/app/paths.ts';
import { apiQuery } from '#src/lib/api.ts';

export const signInMethodsQuery = queryOptions({
  ...apiQuery(['sign-in-ways'], routes.listSignInWays),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The page that the provider's pop-up returns to: it notifies the other pages and closes. */
const confirmedOrigin = `${paths.security}?confirmed=oui`;
const channelName = 'regie-provider';

export const providerSignInAddress = (origin: string) => `/api/auth/oidc/start?origin=${encodeURIComponent(origin)}`;

export function openProvider(call: 'start' | 'confirm'): void {
  window.open(`/api/auth/oidc/${call}?origin=${encodeURIComponent(confirmedOrigin)}`, '_blank');
}

export function broadcastConfirmation(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage('confirmed');
  channel.close();
  // When the browser refuses to close the pop-up, the page says so.
  window.close();
}

export function onConfirmed(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', listener);
  return () => channel.close();
}
