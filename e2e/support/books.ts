import type { ReportDetail } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './api.ts';
import { numberToUnits } from './decimals.ts';

/**
 * Tests run in parallel on the same data. A test that compares balances reserves accounts, with those their referrals
 * pay, so that no other test changes them.
 */
const shares = { month: [0], single: [1], large: [2, 3, 4, 5, 6], cutShort: [7] } as const;
const slices = 8;

export type Track = { id: number; isrc: string; title: string; accountId: number };

export type Share = {
  accountIds: ReadonlySet<number>;
  /** Delivered tracks with an ISRC of one account only, one per ISRC. */
  tracks: Track[];
  /** By account, the referrers whose percentage of its net comes out of the house's share. */
  referrers: ReadonlyMap<number, number[]>;
};

/** Reserves the part of the demo catalogue that one test may post to. */
export async function reserveBooks(api: Api, share: keyof typeof shares): Promise<Share> {
  const tracks = await readTracks(api);
  const accountIds = [...new Set(tracks.map((track) => track.accountId))];
  const referrers = new Map<number, number[]>();
  for (const accountId of accountIds) {
    const report = await latestReport(api, accountId);
    const paid = (report?.referrals ?? []).map((referral) => referral.referrer.id);
    if (paid.length > 0) referrers.set(accountId, paid);
  }
  const wanted: readonly number[] = shares[share];
  const groups = groupsOf(accountIds, referrers).filter((_, index) => wanted.includes(index % slices));
  const own = new Set(groups.flat());
  return { accountIds: own, tracks: tracks.filter((track) => own.has(track.accountId)), referrers };
}

/** Tracks with an ISRC of one account only, one per ISRC. */
export async function readTracks(api: Api): Promise<Track[]> {
  const byIsrc = new Map<string, Track[]>();
  for (const track of await api.all(routes.listDeliveredTracks, (data) => data, { query: { sort: 'id' } })) {
    if (track.isrc === null) continue;
    const same = byIsrc.get(track.isrc) ?? [];
    byIsrc.set(track.isrc, [...same, { ...track, isrc: track.isrc, accountId: track.userId }]);
  }
  // When one account has several tracks, any of them would do; this test does not decide which.
  return [...byIsrc.values()].flatMap((same) => (same.length === 1 ? same : []));
}

async function latestReport(api: Api, userId: number): Promise<ReportDetail | undefined> {
  const { data } = await api.call(routes.listReports, { query: { userId, limit: 1, type: 'platform' } });
  const [report] = data;
  return report && (await api.call(routes.getReport, { params: { id: report.id } })).data;
}

/** Accounts connected by referrals, the largest groups first. */
function groupsOf(accountIds: readonly number[], referrers: ReadonlyMap<number, number[]>): number[][] {
  const groups = new Map<number, Set<number>>();
  const groupOf = (id: number) => groups.get(id) ?? new Set([id]);
  for (const id of accountIds) {
    const joined = new Set([id, ...(referrers.get(id) ?? [])].flatMap((member) => [...groupOf(member)]));
    for (const member of joined) groups.set(member, joined);
  }
  return [...new Set(groups.values())]
    .map((group) => [...group].sort((a, b) => a - b))
    .sort((a, b) => b.length - a.length || (a[0] ?? 0) - (b[0] ?? 0));
}

/** Balances in millionths of a euro, by account. */
export async function readBalances(api: Api, accountIds: ReadonlySet<number>): Promise<Map<number, bigint>> {
  const accounts = await api.all(routes.listProfiles, (data) => data.accounts, { query: { sort: 'id' } });
  return new Map(
    accounts.filter(({ id }) => accountIds.has(id)).map(({ id, income }) => [id, numberToUnits(income, 6)]),
  );
}

/** ISRCs shared by tracks of two accounts, as in the demo's imports. */
export async function findDuplicateIsrcs(api: Api): Promise<string[]> {
  const imports = await api.all(routes.listImports, (data) => data, { query: { kind: 'csv' } });
  const found = new Set<string>();
  for (const { id } of imports.filter(({ unsaved }) => unsaved > 0 && unsaved < 500)) {
    const rows = await api.all(routes.listUnsavedRows, (data) => data, { params: { id } });
    for (const { isrc, reason } of rows) if (reason === 'ISRC en double') found.add(isrc);
  }
  return [...found].sort();
}
