import type { RouteContract } from '@regie/contract/route.ts';
import { routes } from '@regie/contract/routes.ts';
import { apiList } from '#src/lib/api.ts';

const lookup =
  <Route extends RouteContract>(route: Route) =>
  async (q: string, signal: AbortSignal) =>
    (await apiList(route, { q }, signal)).data;

export const lookupAccounts = lookup(routes.lookupAccounts);
export const lookupReleases = lookup(routes.lookupReleases);
export const lookupTracks = lookup(routes.lookupTracks);
export const lookupPeople = lookup(routes.lookupPeople);
