import type { Access } from '@regie/contract/route.ts';
import type { RouteName } from '@regie/contract/routes.ts';
import {
  IconCashBanknote,
  IconCashOff,
  IconClockHour4,
  IconCurrencyEuro,
  IconDisc,
  IconDiscOff,
  IconFileImport,
  IconFilePlus,
  IconHeadphones,
  IconHistory,
  IconHourglass,
  IconReportMoney,
  IconSend,
  IconSettings,
  IconStack2,
  IconUserDollar,
  IconUserShield,
  IconUsers,
  IconVideo,
  IconVideoPlus,
  IconVinyl,
} from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import { fr } from './fr.ts';
import { paths } from './paths.ts';

const readLibraries = [
  'read_none_paid_libraries',
  'read_paid_libraries',
  'read_delivered_libraries',
  'read_none_published_libraries',
] as const;
const editLibraries = [
  'edit_none_paid_libraries',
  'edit_paid_libraries',
  'edit_delivered_libraries',
  'edit_none_published_libraries',
] as const;

/** The sidebar's headings, in order (specification 1 §2). */
export const navSections = {
  accounts: fr.nav.accounts,
  production: fr.nav.production,
  payouts: fr.nav.payouts,
  reports: fr.nav.reports,
  services: fr.nav.services,
  contracts: fr.nav.contracts,
  accounting: fr.nav.accounting,
  tools: fr.nav.tools,
  administration: fr.nav.administration,
} as const;
export type NavSection = keyof typeof navSections;

export interface Screen {
  /** The router's form of the address: `/reporting/report/$id`. */
  path: `/${string}`;
  /** Who may open it; several capabilities mean any of them. */
  access: Access;
  /** The breadcrumb and the document's title, until the page names its record. */
  crumb: string;
  /** The screen above it in the breadcrumb. */
  parent?: string;
  page: () => Promise<{ default: (props: object) => ReactNode }>;
  /** Calls that everyone who may open the screen is able to make: without them it shows nothing. */
  needs: readonly RouteName[];
  /** Calls it makes for those whose capabilities allow them (`can(…)`). */
  uses?: readonly RouteName[];
  /** Its entry in the sidebar; entries follow the order of this table. */
  nav?: { section: NavSection; label: string; icon: ComponentType<{ size?: number; stroke?: number }>; to?: string };
}

/**
 * Every screen there is. Contract rows are named, not imported: the entry stays free of the schemas.
 */
export const screens: readonly Screen[] = [
  {
    path: '/signin',
    access: 'public',
    crumb: fr.auth.signInTitle,
    page: () => import('#src/features/auth/sign-in-page.tsx'),
    needs: ['signIn'],
  },
  {
    path: '/signup',
    access: 'public',
    crumb: fr.auth.signUpTitle,
    page: () => import('#src/features/auth/sign-up-page.tsx'),
    needs: ['findInvitation', 'signUp'],
  },
  {
    path: '/reset-password',
    access: 'public',
    crumb: fr.auth.resetTitle,
    page: () => import('#src/features/auth/reset-password-page.tsx'),
    needs: ['requestPasswordReset'],
  },
  {
    path: '/reset-password-action',
    access: 'public',
    crumb: fr.auth.resetActionTitle,
    page: () => import('#src/features/auth/reset-password-action-page.tsx'),
    needs: ['resetPassword'],
  },
  {
    path: '/',
    access: 'session',
    crumb: fr.nav.home,
    page: () => import('#src/features/home/home-page.tsx'),
    needs: ['getHome'],
  },
  {
    path: '/accounts/profiles',
    access: ['manage_profiles', 'edit_reports'],
    crumb: fr.accounts.title,
    page: () => import('#src/features/accounts/profile-list-page.tsx'),
    needs: ['listProfiles'],
    nav: { section: 'accounts', label: fr.accounts.nav, icon: IconUsers },
  },
  {
    path: '/accounts/profiles/new',
    access: ['manage_profiles'],
    crumb: fr.accounts.newCrumb,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/new-profile-page.tsx'),
    needs: ['createProfile'],
  },
  {
    path: '/accounts/profiles/$id',
    access: ['manage_profiles'],
    crumb: fr.accounts.crumb,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/profile-page.tsx'),
    needs: [
      'getProfile',
      'editProfile',
      'listReferrals',
      'addReferral',
      'deleteReferral',
      'lookupAccounts',
      'getAccountFigures',
      'listStatementMonths',
      'listProfileLibraries',
      'importProfileLibraries',
    ],
  },
  {
    path: '/accounts/$id/billings',
    access: ['manage_profiles'],
    crumb: fr.accounts.billings,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/billing-list-page.tsx'),
    needs: ['getProfile', 'listBillingAccounts', 'createBankAccount', 'createPaypalAccount'],
  },
  {
    path: '/accounts/$id/statement',
    access: ['manage_profiles'],
    crumb: fr.accounts.statement,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/statement-page.tsx'),
    needs: ['getProfile', 'getStatement', 'getStatementParties'],
  },
  {
    path: '/accounts/bank-account/$id',
    access: ['manage_profiles'],
    crumb: fr.accounts.bankAccount,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/bank-account-page.tsx'),
    needs: ['getBillingAccount', 'editBankAccount', 'confirmBillingAccount'],
  },
  {
    path: '/accounts/paypal-account/$id',
    access: ['manage_profiles'],
    crumb: fr.accounts.paypalAccount,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/paypal-account-page.tsx'),
    needs: ['getBillingAccount', 'editPaypalAccount', 'confirmBillingAccount'],
  },
  {
    path: '/accounts/manage-admins',
    access: ['read_admins', 'edit_admins', 'delete_admins'],
    crumb: fr.admins.title,
    page: () => import('#src/features/admins/admin-list-page.tsx'),
    needs: ['listAdmins'],
    uses: ['createAdmin', 'editAdmin', 'deleteAdmin', 'inviteAdmin', 'cancelInvitation'],
    nav: { section: 'accounts', label: fr.admins.nav, icon: IconUserShield },
  },
  {
    path: '/library/releases/unpaid',
    access: ['read_none_paid_libraries'],
    crumb: fr.releases.nav.unpaid,
    parent: '/library',
    page: () => import('#src/features/releases/release-list-page.tsx'),
    needs: ['listUnpaidReleases'],
    uses: ['lookupAccounts'],
    nav: { section: 'production', label: fr.releases.nav.unpaid, icon: IconClockHour4 },
  },
  {
    path: '/library/releases/paid',
    access: ['read_paid_libraries'],
    crumb: fr.releases.nav.paid,
    parent: '/library',
    page: () => import('#src/features/releases/release-list-page.tsx'),
    needs: ['listPaidReleases'],
    uses: ['lookupAccounts'],
    nav: { section: 'production', label: fr.releases.nav.paid, icon: IconDisc },
  },
  {
    path: '/library/releases/delivered',
    access: ['read_delivered_libraries'],
    crumb: fr.releases.nav.delivered,
    parent: '/library',
    page: () => import('#src/features/releases/release-list-page.tsx'),
    needs: ['listDeliveredReleases'],
    uses: ['lookupAccounts'],
    nav: { section: 'production', label: fr.releases.nav.delivered, icon: IconSend },
  },
  {
    path: '/library/releases/unpublished',
    access: ['read_none_published_libraries'],
    crumb: fr.releases.nav.unpublished,
    parent: '/library',
    page: () => import('#src/features/releases/release-list-page.tsx'),
    needs: ['listUnpublishedReleases'],
    uses: ['lookupAccounts'],
    nav: { section: 'production', label: fr.releases.nav.unpublished, icon: IconDiscOff },
  },
  {
    path: '/library',
    access: readLibraries,
    crumb: fr.library.title,
    page: () => import('#src/features/library/library-page.tsx'),
    needs: ['countReleases'],
    nav: { section: 'production', label: fr.library.title, icon: IconVinyl },
  },
  {
    path: '/library/release/$id',
    access: 'session',
    crumb: fr.releases.crumb,
    parent: '/library',
    page: () => import('#src/features/releases/release-page.tsx'),
    needs: ['getResources'],
    uses: [
      'orderTracks',
      'addTrack',
      'editTrack',
      'deleteTrack',
      'deleteRelease',
      'lookupPeople',
      'getLicenceContract',
    ],
  },
  {
    path: '/library/release/$id/edit',
    access: editLibraries,
    crumb: fr.releases.form.crumb,
    parent: '/library',
    page: () => import('#src/features/releases/release-edit-page.tsx'),
    needs: ['getRelease', 'editRelease', 'importTracks'],
  },
  {
    path: '/release/new/$step',
    access: editLibraries,
    crumb: fr.wizard.title,
    parent: '/library',
    page: () => import('#src/features/releases/new-release-page.tsx'),
    needs: [
      'createRelease',
      'getRelease',
      'editRelease',
      'quoteDelivery',
      'saveDelivery',
      'startPayment',
      'payOffline',
    ],
    uses: ['lookupAccounts'],
  },
  {
    path: '/library/tracks',
    access: readLibraries,
    crumb: fr.library.tracks,
    parent: '/library',
    page: () => import('#src/features/library/library-track-list-page.tsx'),
    needs: ['listLibraryTracks'],
  },
  {
    path: '/library/artists',
    access: readLibraries,
    crumb: fr.library.artists,
    parent: '/library',
    page: () => import('#src/features/library/people-list-page.tsx'),
    needs: ['listArtists'],
    uses: ['editArtist'],
  },
  {
    path: '/library/contributors',
    access: readLibraries,
    crumb: fr.library.contributors,
    parent: '/library',
    page: () => import('#src/features/library/people-list-page.tsx'),
    needs: ['listContributors'],
  },
  {
    path: '/library/editors',
    access: readLibraries,
    crumb: fr.library.editors,
    parent: '/library',
    page: () => import('#src/features/library/people-list-page.tsx'),
    needs: ['listEditors'],
  },
  {
    path: '/reporting',
    access: ['read_reports'],
    crumb: fr.reports.title,
    page: () => import('#src/features/reports/report-list-page.tsx'),
    needs: ['listReports', 'lookupAccounts'],
  },
  {
    path: '/payouts/pending',
    access: ['read_pending_payout'],
    crumb: fr.payouts.pending,
    page: () => import('#src/features/payouts/payout-list-page.tsx'),
    needs: ['listPendingPayouts'],
    uses: ['preflightBatch', 'createBatch'],
    nav: { section: 'payouts', label: fr.payouts.pending, icon: IconHourglass },
  },
  {
    path: '/payouts/paid',
    access: ['read_paid_payout'],
    crumb: fr.payouts.paid,
    page: () => import('#src/features/payouts/payout-list-page.tsx'),
    needs: ['listPaidPayouts', 'getPayoutReceipt', 'markPayoutDownloaded'],
    nav: { section: 'payouts', label: fr.payouts.paid, icon: IconCashBanknote },
  },
  {
    path: '/payouts/cancelled',
    access: ['read_paid_payout'],
    crumb: fr.payouts.cancelled,
    page: () => import('#src/features/payouts/payout-list-page.tsx'),
    needs: ['listCancelledPayouts'],
    nav: { section: 'payouts', label: fr.payouts.cancelled, icon: IconCashOff },
  },
  {
    path: '/payouts/payout/$id',
    access: ['edit_pending_payout', 'edit_paid_payout'],
    crumb: fr.payouts.crumb,
    parent: '/payouts/pending',
    page: () => import('#src/features/payouts/payout-page.tsx'),
    needs: ['getPayout', 'editPayout', 'deletePayout'],
    uses: ['approvePayout', 'getPayoutReceipt', 'markPayoutDownloaded'],
  },
  {
    path: '/payouts/request',
    access: ['edit_pending_payout'],
    crumb: fr.payouts.request,
    parent: '/payouts/unpaid-accounts',
    page: () => import('#src/features/payouts/request-page.tsx'),
    needs: ['getRequestOptions', 'requestPayout'],
  },
  {
    path: '/payouts/unpaid-accounts',
    access: ['read_unpaid_accounts'],
    crumb: fr.payouts.unpaidAccounts,
    page: () => import('#src/features/payouts/unpaid-account-list-page.tsx'),
    needs: ['listUnpaidAccounts'],
    uses: ['getRequestOptions', 'requestPayout', 'requestBalances'],
    nav: { section: 'payouts', label: fr.payouts.unpaidAccounts, icon: IconUserDollar },
  },
  {
    path: '/payouts/batches',
    access: ['read_pending_payout', 'read_paid_payout'],
    crumb: fr.payouts.batches,
    page: () => import('#src/features/payouts/batch-list-page.tsx'),
    needs: ['listBatches'],
    uses: ['getApprovalProposal', 'approveApprovalProposal', 'withdrawApprovalProposal'],
    nav: { section: 'payouts', label: fr.payouts.batches, icon: IconStack2 },
  },
  {
    path: '/payouts/batches/$id',
    access: ['read_pending_payout', 'read_paid_payout'],
    crumb: fr.payouts.batch,
    parent: '/payouts/batches',
    page: () => import('#src/features/payouts/batch-page.tsx'),
    needs: ['getBatch', 'listBatchPayouts'],
    uses: [
      'approveBatch',
      'exportBatch',
      'payBatch',
      'voidBatch',
      'listManualPayments',
      'getBatchSepa',
      'getBatchPaypal',
    ],
  },
  {
    path: '/reporting/all',
    access: ['read_reports'],
    crumb: fr.reports.title,
    page: () => import('#src/features/reports/report-list-page.tsx'),
    needs: ['listReports', 'lookupAccounts'],
    nav: { section: 'reports', label: fr.reports.nav.all, icon: IconReportMoney },
  },
  {
    path: '/reporting/platform',
    access: ['read_reports'],
    crumb: fr.reports.title,
    page: () => import('#src/features/reports/report-list-page.tsx'),
    needs: ['listReports', 'lookupAccounts'],
    nav: { section: 'reports', label: fr.reports.nav.platform, icon: IconHeadphones },
  },
  {
    path: '/reporting/youtube',
    access: ['read_reports'],
    crumb: fr.reports.title,
    page: () => import('#src/features/reports/report-list-page.tsx'),
    needs: ['listReports', 'lookupAccounts'],
    nav: { section: 'reports', label: fr.reports.nav.youtube, icon: IconVideo },
  },
  {
    path: '/reporting/report/$id',
    access: ['read_reports'],
    crumb: fr.reports.detail.crumb,
    parent: '/reporting/all',
    page: () => import('#src/features/reports/report-page.tsx'),
    needs: ['getReport'],
    uses: ['deleteReport'],
  },
  {
    path: '/reporting/platform/add',
    access: ['edit_reports'],
    crumb: fr.reports.addPlatform.title,
    parent: '/reporting/all',
    page: () => import('#src/features/reports/add-platform-report-page.tsx'),
    needs: ['lookupTracks', 'createReport', 'importReportBatch', 'deleteReportsByMonth'],
    uses: ['getImport'],
    nav: { section: 'reports', label: fr.reports.nav.addPlatform, icon: IconFilePlus },
  },
  {
    path: '/reporting/youtube/add',
    access: ['edit_reports'],
    crumb: fr.reports.youtube.title,
    parent: '/reporting/all',
    page: () => import('#src/features/reports/add-youtube-report-page.tsx'),
    needs: ['lookupAccounts', 'createYoutubeReport'],
    nav: { section: 'reports', label: fr.reports.nav.addYoutube, icon: IconVideoPlus },
  },
  {
    path: '/reporting/imports',
    access: ['read_reports'],
    crumb: fr.reports.imports.title,
    page: () => import('#src/features/reports/import-list-page.tsx'),
    needs: ['listImports'],
    nav: { section: 'reports', label: fr.reports.nav.imports, icon: IconFileImport },
  },
  {
    path: '/reporting/import/$id',
    access: ['read_reports'],
    crumb: fr.reports.imports.crumb,
    parent: '/reporting/imports',
    page: () => import('#src/features/reports/import-page.tsx'),
    needs: ['getImport', 'listUnsavedRows'],
    uses: ['reverseImport'],
  },
  {
    path: '/reporting/transaction/$id',
    access: ['read_reports', 'manage_profiles'],
    crumb: fr.reports.transaction.crumb,
    parent: '/reporting/all',
    page: () => import('#src/features/reports/transaction-page.tsx'),
    needs: ['getLedgerTransaction', 'explainPosting'],
  },
  {
    path: paths.exchangeRates,
    access: ['manage_settings', 'read_reports'],
    crumb: fr.exchangeRates.title,
    page: () => import('#src/features/accounting/exchange-rate-list-page.tsx'),
    needs: ['listExchangeRates'],
    uses: ['putExchangeRate'],
    nav: { section: 'accounting', label: fr.exchangeRates.title, icon: IconCurrencyEuro },
  },
  {
    path: paths.settings,
    access: ['manage_settings'],
    crumb: fr.settings.title,
    page: () => import('#src/features/settings/settings-page.tsx'),
    needs: ['getSettings', 'putSettings'],
    nav: { section: 'administration', label: fr.settings.title, icon: IconSettings },
  },
  {
    path: paths.journal,
    access: ['read_audit'],
    crumb: fr.journal.title,
    page: () => import('#src/features/journal/journal-page.tsx'),
    needs: ['listJournal'],
    uses: ['listAdmins'],
    nav: { section: 'administration', label: fr.journal.title, icon: IconHistory },
  },
];

/** Whether an address such as `/reporting/platform` has a screen yet. */
export function findScreenOf(address: string): Screen | undefined {
  const pathname = address.split(/[?#]/)[0] ?? '';
  const parts = pathname.split('/');
  const candidates = screens.filter((screen) => {
    const pattern = screen.path.split('/');
    return pattern.length === parts.length && pattern.every((part, i) => part.startsWith('$') || part === parts[i]);
  });
  // A literal address wins over one with parameters.
  return candidates.toSorted((a, b) => a.path.split('$').length - b.path.split('$').length)[0];
}
