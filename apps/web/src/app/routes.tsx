import type { Capability } from '@regie/contract/capabilities.ts';
import type { Access } from '@regie/contract/route.ts';
import type { WaitingCounts } from '@regie/contract/routes/accounting.ts';
import {
  IconAbc,
  IconBarcodeOff,
  IconBrandYoutube,
  IconCalendarMonth,
  IconCalendarRepeat,
  IconCashBanknote,
  IconCashOff,
  IconChartBar,
  IconChartHistogram,
  IconClockHour4,
  IconCopy,
  IconCurrencyEuro,
  IconDisc,
  IconDiscOff,
  IconDiscount2,
  IconFileImport,
  IconFileInvoice,
  IconFilePencil,
  IconFilePlus,
  IconFlag,
  IconFlagCheck,
  IconHeadphones,
  IconHeartbeat,
  IconHistory,
  IconHourglass,
  IconLink,
  IconLinkPlus,
  IconMusicPlus,
  IconMusicQuestion,
  IconReceipt2,
  IconReportMoney,
  IconSend,
  IconSettings,
  IconStack2,
  IconTableImport,
  IconTicket,
  IconUserDollar,
  IconUserShield,
  IconUsers,
  IconVideo,
  IconVideoPlus,
  IconVinyl,
  IconWritingSign,
} from '@tabler/icons-react';
import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { isAllowed } from '#src/lib/session.ts';
import type { PageShape } from '#src/ui/states.tsx';
import { paths } from './paths.ts';
import { frScreens } from './screens.fr.ts';

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

/** The sidebar's sections, in order (product §12.4). */
export const navSections = frScreens.sections;
export type NavSection = keyof typeof navSections;

/** A page's module. */
export interface Page {
  default: (props: object) => ReactNode;
  /** Loads the record's data when a link to the page is hovered or focused, so that a click shows it at once. */
  prefetch?: (client: QueryClient, id: number) => Promise<unknown>;
}

export interface Screen {
  /** The router's form of the path: `/reporting/report/$id`. */
  path: `/${string}`;
  /** Who may open it; with several capabilities, any one is enough. */
  access: Access;
  /** The breadcrumb and the document's title, until the record's name is known: by default its label in the sidebar. */
  crumb: string;
  /** What stands in for it while it loads, where that is no list, form or plain record. */
  shape?: PageShape;
  /** The record page it is a tab of. */
  record?: keyof typeof recordFrames;
  /** The parent screen in the breadcrumb. */
  parent?: string;
  /** Its list depends on the record: none is shown as its parent until the record is known. */
  hasOwnParent?: true;
  page: () => Promise<Page>;
  /** Its entry in the sidebar, in the order of this table. */
  nav?: {
    section: NavSection;
    label: string;
    icon: ComponentType<{ size?: number; stroke?: number }>;
    to?: string;
    /** The path of the screen that adds to this list: a "+" on the list's line. */
    create?: string;
    /** The count of what waits in this list. */
    waiting?: keyof WaitingCounts;
    /** Who sees the entry, where more may open the screen. */
    access?: Access;
  };
}

/** Record pages whose tabs are screens: what stays around the tabs. */
export const recordFrames = {
  account: {
    path: '/accounts/profiles/$id',
    access: ['manage_profiles'],
    shape: 'account',
    page: () => import('#src/features/accounts/account-frame-page.tsx'),
  },
} as const;

const accountTab = {
  access: ['manage_profiles'],
  record: 'account',
  parent: '/accounts/profiles',
} satisfies Partial<Screen>;

const reportList = {
  access: ['read_reports'],
  crumb: frScreens.reports.title,
  page: () => import('#src/features/reports/report-list-page.tsx'),
} satisfies Partial<Screen>;

const releaseList = {
  parent: '/library',
  page: () => import('#src/features/releases/release-list-page.tsx'),
} satisfies Partial<Screen>;

type Row = Omit<Screen, 'crumb'> & ({ crumb: string } | { crumb?: never; nav: NonNullable<Screen['nav']> });

const rows: readonly Row[] = [
  {
    path: '/signin',
    access: 'public',
    crumb: frScreens.auth.signIn,
    page: () => import('#src/features/auth/sign-in-page.tsx'),
  },
  {
    path: '/signup',
    access: 'public',
    crumb: frScreens.auth.signUp,
    page: () => import('#src/features/auth/sign-up-page.tsx'),
  },
  {
    path: '/reset-password',
    access: 'public',
    crumb: frScreens.auth.reset,
    page: () => import('#src/features/auth/reset-password-page.tsx'),
  },
  {
    path: '/reset-password-action',
    access: 'public',
    crumb: frScreens.auth.resetAction,
    page: () => import('#src/features/auth/reset-password-action-page.tsx'),
  },
  {
    path: '/',
    access: 'session',
    crumb: frScreens.home,
    shape: 'home',
    page: () => import('#src/features/home/home-page.tsx'),
  },
  {
    path: '/accounts/profiles',
    access: ['manage_profiles'],
    page: () => import('#src/features/accounts/profile-list-page.tsx'),
    nav: { section: 'accounts', label: frScreens.accounts.title, icon: IconUsers },
  },
  {
    path: '/accounts/profiles/new',
    access: ['manage_profiles'],
    crumb: frScreens.accounts.newCrumb,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/new-profile-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/profiles/$id',
    crumb: frScreens.accounts.crumb,
    page: () => import('#src/features/accounts/profile-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/$id/statement',
    crumb: frScreens.accounts.statement,
    page: () => import('#src/features/accounts/account-statement-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/$id/releases',
    crumb: frScreens.accounts.releases,
    page: () => import('#src/features/accounts/account-releases-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/$id/billings',
    crumb: frScreens.accounts.billings,
    page: () => import('#src/features/accounts/billing-list-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/$id/invoices',
    crumb: frScreens.accounts.invoices,
    page: () => import('#src/features/accounts/account-invoices-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/$id/contracts',
    crumb: frScreens.accounts.contracts,
    page: () => import('#src/features/accounts/account-contracts-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/$id/referrals',
    crumb: frScreens.accounts.referrals,
    page: () => import('#src/features/accounts/account-referrals-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/$id/journal',
    crumb: frScreens.journal,
    page: () => import('#src/features/journal/account-journal-page.tsx'),
  },
  {
    ...accountTab,
    path: '/accounts/profiles/$id/edit',
    crumb: frScreens.accounts.edit,
    page: () => import('#src/features/accounts/profile-edit-page.tsx'),
  },
  {
    path: '/accounts/bank-account/$id',
    access: ['manage_profiles'],
    crumb: frScreens.accounts.bankAccount,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/billing-page.tsx'),
  },
  {
    path: '/accounts/paypal-account/$id',
    access: ['manage_profiles'],
    crumb: frScreens.accounts.paypalAccount,
    parent: '/accounts/profiles',
    page: () => import('#src/features/accounts/billing-page.tsx'),
  },
  {
    path: '/accounts/invoices',
    access: ['manage_profiles'],
    page: () => import('#src/features/accounts/invoice-list-page.tsx'),
    nav: { section: 'accounts', label: frScreens.accounts.invoices, icon: IconFileInvoice },
  },
  {
    path: '/accounts/invoice/$id',
    access: ['manage_profiles'],
    crumb: frScreens.accounts.invoice,
    parent: '/accounts/invoices',
    page: () => import('#src/features/accounts/invoice-page.tsx'),
  },
  {
    path: '/accounts/manage-admins',
    access: ['read_admins', 'edit_admins', 'delete_admins'],
    page: () => import('#src/features/admins/admin-list-page.tsx'),
    nav: { section: 'accounts', label: frScreens.admins, icon: IconUserShield },
  },
  {
    ...releaseList,
    path: '/library/releases/unpaid',
    access: ['read_none_paid_libraries'],
    nav: { section: 'production', label: frScreens.releases.unpaid, icon: IconClockHour4, waiting: 'unpaidReleases' },
  },
  {
    ...releaseList,
    path: '/library/releases/paid',
    access: ['read_paid_libraries'],
    nav: { section: 'production', label: frScreens.releases.paid, icon: IconDisc, waiting: 'paidReleases' },
  },
  {
    ...releaseList,
    path: '/library/releases/delivered',
    access: ['read_delivered_libraries'],
    nav: { section: 'production', label: frScreens.releases.delivered, icon: IconSend },
  },
  {
    ...releaseList,
    path: '/library/releases/unpublished',
    access: ['read_none_published_libraries'],
    nav: { section: 'production', label: frScreens.releases.unpublished, icon: IconDiscOff },
  },
  {
    path: '/library',
    access: readLibraries,
    page: () => import('#src/features/library/library-page.tsx'),
    nav: { section: 'production', label: frScreens.library.title, icon: IconVinyl, create: '/release/new/$step' },
  },
  {
    path: '/library/release/$id',
    access: 'session',
    crumb: frScreens.releases.release,
    parent: '/library',
    hasOwnParent: true,
    shape: 'release',
    page: () => import('#src/features/releases/release-page.tsx'),
  },
  {
    path: '/library/release/$id/edit',
    access: editLibraries,
    crumb: frScreens.releases.edit,
    parent: '/library',
    hasOwnParent: true,
    page: () => import('#src/features/releases/release-edit-page.tsx'),
  },
  {
    path: '/library/release/$id/delivery',
    access: editLibraries,
    crumb: frScreens.releases.delivery,
    parent: '/library',
    hasOwnParent: true,
    page: () => import('#src/features/releases/delivery-page.tsx'),
  },
  {
    path: '/release/new/$step',
    access: editLibraries,
    parent: '/library',
    page: () => import('#src/features/releases/new-release-page.tsx'),
    nav: { section: 'production', label: frScreens.releases.new, icon: IconMusicPlus, to: paths.newRelease() },
  },
  {
    path: '/library/tracks',
    access: readLibraries,
    crumb: frScreens.library.tracks,
    parent: '/library',
    page: () => import('#src/features/library/library-track-list-page.tsx'),
  },
  {
    path: '/library/artists',
    access: readLibraries,
    crumb: frScreens.library.artists,
    parent: '/library',
    page: () => import('#src/features/library/people-list-page.tsx'),
  },
  {
    path: '/library/contributors',
    access: readLibraries,
    crumb: frScreens.library.contributors,
    parent: '/library',
    page: () => import('#src/features/library/people-list-page.tsx'),
  },
  {
    path: '/library/editors',
    access: readLibraries,
    crumb: frScreens.library.editors,
    parent: '/library',
    page: () => import('#src/features/library/people-list-page.tsx'),
  },
  { ...reportList, path: '/reporting' },
  {
    path: '/payouts/pending',
    access: ['read_pending_payout'],
    page: () => import('#src/features/payouts/payout-list-page.tsx'),
    nav: { section: 'payouts', label: frScreens.payouts.pending, icon: IconHourglass, waiting: 'pendingPayouts' },
  },
  {
    path: '/payouts/paid',
    access: ['read_paid_payout'],
    page: () => import('#src/features/payouts/payout-list-page.tsx'),
    nav: { section: 'payouts', label: frScreens.payouts.paid, icon: IconCashBanknote },
  },
  {
    path: '/payouts/cancelled',
    access: ['read_paid_payout'],
    page: () => import('#src/features/payouts/payout-list-page.tsx'),
    nav: { section: 'payouts', label: frScreens.payouts.cancelled, icon: IconCashOff },
  },
  {
    path: '/payouts/payout/$id',
    access: ['edit_pending_payout', 'edit_paid_payout'],
    crumb: frScreens.payouts.crumb,
    parent: '/payouts/pending',
    hasOwnParent: true,
    shape: 'payout',
    page: () => import('#src/features/payouts/payout-page.tsx'),
  },
  {
    path: '/payouts/request',
    access: ['edit_pending_payout'],
    crumb: frScreens.payouts.request,
    parent: '/payouts/unpaid-accounts',
    page: () => import('#src/features/payouts/request-page.tsx'),
  },
  {
    path: '/payouts/unpaid-accounts',
    access: ['read_unpaid_accounts'],
    page: () => import('#src/features/payouts/unpaid-account-list-page.tsx'),
    nav: {
      section: 'payouts',
      label: frScreens.payouts.unpaidAccounts,
      icon: IconUserDollar,
      waiting: 'unpaidAccounts',
    },
  },
  {
    path: '/payouts/batches',
    access: ['read_pending_payout', 'read_paid_payout'],
    page: () => import('#src/features/payouts/batch-list-page.tsx'),
    nav: { section: 'payouts', label: frScreens.payouts.batches, icon: IconStack2 },
  },
  {
    path: '/payouts/batches/$id',
    access: ['read_pending_payout', 'read_paid_payout'],
    crumb: frScreens.payouts.batch,
    parent: '/payouts/batches',
    page: () => import('#src/features/payouts/batch-page.tsx'),
  },
  {
    ...reportList,
    path: '/reporting/all',
    nav: { section: 'reports', label: frScreens.reports.all, icon: IconReportMoney },
  },
  {
    ...reportList,
    path: '/reporting/platform',
    nav: {
      section: 'reports',
      label: frScreens.reports.platform,
      icon: IconHeadphones,
      create: '/reporting/platform/add',
    },
  },
  {
    ...reportList,
    path: '/reporting/youtube',
    nav: { section: 'reports', label: frScreens.reports.youtube, icon: IconVideo, create: '/reporting/youtube/add' },
  },
  {
    path: '/reporting/report/$id',
    access: ['read_reports'],
    crumb: frScreens.reports.report,
    parent: '/reporting/all',
    page: () => import('#src/features/reports/report-page.tsx'),
  },
  {
    path: '/reporting/platform/add',
    access: ['edit_reports'],
    parent: '/reporting/all',
    page: () => import('#src/features/reports/add-platform-report-page.tsx'),
    nav: { section: 'reports', label: frScreens.reports.addPlatform, icon: IconFilePlus },
  },
  {
    path: '/reporting/youtube/add',
    access: ['edit_reports'],
    parent: '/reporting/all',
    page: () => import('#src/features/reports/add-youtube-report-page.tsx'),
    nav: { section: 'reports', label: frScreens.reports.addYoutube, icon: IconVideoPlus },
  },
  {
    path: '/reporting/imports',
    access: ['read_reports'],
    page: () => import('#src/features/reports/import-list-page.tsx'),
    nav: { section: 'reports', label: frScreens.reports.imports, icon: IconFileImport },
  },
  {
    path: '/reporting/import/$id',
    access: ['read_reports'],
    crumb: frScreens.reports.import,
    parent: '/reporting/imports',
    page: () => import('#src/features/reports/import-page.tsx'),
  },
  {
    path: '/reporting/statements',
    access: ['read_reports'],
    page: () => import('#src/features/statements/statement-list-page.tsx'),
    nav: { section: 'reports', label: frScreens.reports.statements, icon: IconReceipt2 },
  },
  {
    path: '/reporting/statements/$id',
    access: ['read_reports'],
    crumb: frScreens.reports.statement,
    parent: '/reporting/statements',
    shape: 'statement',
    page: () => import('#src/features/statements/statement-page.tsx'),
  },
  {
    path: '/reporting/statements/$id/mapping',
    access: ['edit_reports'],
    crumb: frScreens.reports.mapping,
    parent: '/reporting/statements',
    page: () => import('#src/features/statements/statement-mapping-page.tsx'),
  },
  {
    path: '/reporting/months',
    access: ['read_reports'],
    page: () => import('#src/features/statements/month-board-page.tsx'),
    nav: { section: 'reports', label: frScreens.reports.months, icon: IconCalendarMonth },
  },
  {
    path: '/reporting/months/$month',
    access: ['read_reports'],
    crumb: frScreens.reports.month,
    parent: '/reporting/months',
    page: () => import('#src/features/statements/month-page.tsx'),
  },
  {
    path: '/reporting/unmatched',
    access: ['read_reports'],
    page: () => import('#src/features/unmatched/unmatched-page.tsx'),
    nav: { section: 'reports', label: frScreens.reports.unmatched, icon: IconMusicQuestion, waiting: 'unmatched' },
  },
  {
    path: '/reporting/insight',
    access: ['read_reports'],
    page: () => import('#src/features/insight/insight-page.tsx'),
    nav: { section: 'reports', label: frScreens.reports.insight, icon: IconChartHistogram },
  },
  {
    path: '/reporting/insight/pivot',
    access: ['read_reports'],
    crumb: frScreens.reports.pivot,
    parent: '/reporting/insight',
    page: () => import('#src/features/insight/pivot-page.tsx'),
  },
  {
    path: '/reporting/transaction/$id',
    access: ['read_reports', 'manage_profiles'],
    crumb: frScreens.reports.transaction,
    parent: '/reporting/all',
    hasOwnParent: true,
    page: () => import('#src/features/reports/transaction-page.tsx'),
  },
  {
    path: '/services/promo-codes',
    access: ['read_coupon'],
    page: () => import('#src/features/services/promo-code-list-page.tsx'),
    nav: {
      section: 'services',
      label: frScreens.services.promoCodes,
      icon: IconDiscount2,
      create: '/services/promo-codes/add',
    },
  },
  {
    path: '/services/promo-codes/add',
    access: ['edit_coupon'],
    parent: '/services/promo-codes',
    page: () => import('#src/features/services/add-promo-code-page.tsx'),
    nav: { section: 'services', label: frScreens.services.addPromoCode, icon: IconTicket },
  },
  {
    path: '/services/smartlinks/pending',
    access: ['read_smartlink'],
    page: () => import('#src/features/services/smartlink-list-page.tsx'),
    nav: { section: 'services', label: frScreens.services.pendingSmartlinks, icon: IconLinkPlus },
  },
  {
    path: '/services/smartlinks/enabled',
    access: ['read_smartlink'],
    page: () => import('#src/features/services/smartlink-list-page.tsx'),
    nav: { section: 'services', label: frScreens.services.enabledSmartlinks, icon: IconLink },
  },
  {
    path: '/services/smartlink/$id/edit',
    access: ['read_smartlink'],
    crumb: frScreens.services.smartlink,
    parent: '/services/smartlinks/pending',
    hasOwnParent: true,
    page: () => import('#src/features/services/smartlink-page.tsx'),
  },
  {
    path: '/services/subscriptions',
    access: ['read_subscriptions'],
    page: () => import('#src/features/services/subscription-list-page.tsx'),
    nav: { section: 'services', label: frScreens.services.subscriptions, icon: IconCalendarRepeat },
  },
  {
    path: '/contracts/create',
    access: ['edit_tools'],
    page: () => import('#src/features/custom-contracts/create-contract-page.tsx'),
    nav: { section: 'contracts', label: frScreens.createContract, icon: IconFilePencil },
  },
  {
    path: '/accounting/platform',
    access: ['read_platforms_stats'],
    page: () => import('#src/features/stats/stats-page.tsx'),
    nav: { section: 'accounting', label: frScreens.stats.platform, icon: IconChartBar },
  },
  {
    path: '/accounting/youtube',
    access: ['read_youtube_stats'],
    page: () => import('#src/features/stats/stats-page.tsx'),
    nav: { section: 'accounting', label: frScreens.stats.youtube, icon: IconBrandYoutube },
  },
  {
    path: paths.exchangeRates,
    access: ['manage_settings', 'read_reports'],
    page: () => import('#src/features/accounting/exchange-rate-list-page.tsx'),
    nav: { section: 'accounting', label: frScreens.exchangeRates, icon: IconCurrencyEuro },
  },
  {
    path: '/tools/ticket/opened',
    access: ['edit_tools', 'read_tools'],
    page: () => import('#src/features/tickets/ticket-list-page.tsx'),
    nav: { section: 'tools', label: frScreens.tickets.opened, icon: IconFlag, waiting: 'openTickets' },
  },
  {
    path: '/tools/ticket/closed',
    access: ['edit_tools', 'read_tools'],
    page: () => import('#src/features/tickets/ticket-list-page.tsx'),
    nav: { section: 'tools', label: frScreens.tickets.closed, icon: IconFlagCheck },
  },
  {
    path: paths.bulkEdit,
    access: ['edit_tools'],
    page: () => import('#src/features/tools/bulk-edit-page.tsx'),
    nav: { section: 'tools', label: frScreens.tools.bulkEdit, icon: IconTableImport },
  },
  {
    path: paths.emptyCodes,
    access: ['read_tools'],
    page: () => import('#src/features/tools/empty-codes-page.tsx'),
    nav: { section: 'tools', label: frScreens.tools.emptyCodes, icon: IconBarcodeOff },
  },
  {
    path: paths.codeDoubles,
    access: ['read_tools'],
    page: () => import('#src/features/tools/duplicate-codes-page.tsx'),
    nav: { section: 'tools', label: frScreens.tools.codeDoubles, icon: IconCopy },
  },
  {
    path: paths.titleDoubles,
    access: ['read_tools'],
    page: () => import('#src/features/tools/duplicate-titles-page.tsx'),
    nav: { section: 'tools', label: frScreens.tools.titleDoubles, icon: IconAbc },
  },
  {
    path: paths.settings,
    access: ['manage_settings'],
    shape: 'settings',
    page: () => import('#src/features/settings/settings-page.tsx'),
    nav: { section: 'administration', label: frScreens.settings, icon: IconSettings },
  },
  {
    path: paths.system,
    access: ['manage_settings'],
    page: () => import('#src/features/system/system-page.tsx'),
    nav: { section: 'administration', label: frScreens.system, icon: IconHeartbeat },
  },
  {
    path: paths.security,
    access: 'session',
    crumb: frScreens.security,
    page: () => import('#src/features/security/security-page.tsx'),
  },
  {
    path: paths.signatures,
    access: 'session',
    crumb: frScreens.signatures,
    page: () => import('#src/features/signatures/signature-list-page.tsx'),
    nav: {
      section: 'administration',
      label: frScreens.signatures,
      icon: IconWritingSign,
      waiting: 'signatures',
      access: ['edit_pending_payout', 'manage_settings', 'edit_admins'],
    },
  },
  {
    path: '/signatures/$subject/$id',
    access: 'session',
    crumb: frScreens.signature,
    parent: paths.signatures,
    page: () => import('#src/features/signatures/signature-page.tsx'),
  },
  {
    path: paths.journal,
    access: ['read_audit'],
    page: () => import('#src/features/journal/journal-page.tsx'),
    nav: { section: 'administration', label: frScreens.journal, icon: IconHistory },
  },
];

/** All screens. */
export const screens: readonly Screen[] = rows.map((row) =>
  row.crumb === undefined ? { ...row, crumb: row.nav.label } : row,
);

export type NavScreen = Screen & { nav: NonNullable<Screen['nav']> };

/** The address of a screen: of one with steps, the first. */
export const addressOf = ({ path, nav }: Pick<Screen, 'path' | 'nav'>): string => nav?.to ?? path;

/**
 * The sections with at least one entry for these capabilities (product §11.6).
 * @param others paths of entries that the reader sees for another reason
 */
export function sectionsFor(
  held: readonly Capability[],
  others: readonly string[] = [],
): { section: NavSection; entries: NavScreen[] }[] {
  const entries = screens.filter(
    (screen): screen is NavScreen =>
      screen.nav !== undefined && (isAllowed(screen.nav.access ?? screen.access, held) || others.includes(screen.path)),
  );
  const sections = Object.keys(navSections) as NavSection[];
  return sections
    .map((section) => ({ section, entries: entries.filter((screen) => screen.nav.section === section) }))
    .filter(({ entries: own }) => own.length > 0);
}

/** Whether a path such as `/reporting/platform` has a screen. */
export function findScreenOf(address: string): Screen | undefined {
  const pathname = address.split(/[?#]/)[0] ?? '';
  const parts = pathname.split('/');
  const candidates = screens.filter((screen) => {
    const pattern = screen.path.split('/');
    return pattern.length === parts.length && pattern.every((part, i) => part.startsWith('$') || part === parts[i]);
  });
  // A literal path takes precedence over one with parameters.
  return candidates.toSorted((a, b) => a.path.split('$').length - b.path.split('$').length)[0];
}
