import { stringifySearch } from '#src/lib/search-params.ts';

/** Every address the app links to (decisions §8). */
export const paths = {
  home: '/',
  signIn: (origin?: string) => `/signin${stringifySearch({ origin: origin === '/' ? undefined : origin })}`,
  resetPassword: '/reset-password',
  manageAdmins: '/accounts/manage-admins',
  profiles: '/accounts/profiles',
  reporting: (type: 'all' | 'platform' | 'youtube' = 'all') => `/reporting/${type}`,
  report: (id: number) => `/reporting/report/${id}`,
  addPlatformReport: '/reporting/platform/add',
  addYoutubeReport: '/reporting/youtube/add',
  imports: '/reporting/imports',
  import: (id: number) => `/reporting/import/${id}`,
  transaction: (id: number) => `/reporting/transaction/${id}`,
  exchangeRates: '/accounting/exchange-rates',
  unpaidReleases: '/library/releases/unpaid',
  pendingPayouts: '/payouts/pending',
  unpaidAccounts: '/payouts/unpaid-accounts',
  journal: '/journal',
} as const;
