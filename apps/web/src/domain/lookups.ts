import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';

// What pickers search: each returns at most 20 records by name.

export const lookupAccounts = async (q: string, signal: AbortSignal) =>
  (await api(routes.lookupAccounts, { query: { q }, signal })).data;

export const lookupReleases = async (q: string, signal: AbortSignal) =>
  (await api(routes.lookupReleases, { query: { q }, signal })).data;

export const lookupTracks = async (q: string, signal: AbortSignal) =>
  (await api(routes.lookupTracks, { query: { q }, signal })).data;

export const lookupPeople = async (q: string, signal: AbortSignal) =>
  (await api(routes.lookupPeople, { query: { q }, signal })).data;
