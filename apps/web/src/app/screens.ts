import type { Capability } from '@regie/contract/capabilities.ts';
import type { Access } from '@regie/contract/route.ts';
import type { WaitingCounts } from '@regie/contract/routes/accounting.ts';
import * as icons from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { isAllowed } from '#src/lib/session.ts';
import type { PageShape } from '#src/ui/states.tsx';
import { paths, type SettingsSection } from './paths.ts';
import { frScreens as t } from './screens.fr.ts';

export type NavSection = keyof typeof t.sections;

interface Row {
  /** The router's form of the path: `/reporting/report/$id`. */
  path: string;
  /** Its address where the path has steps: the first. */
  to?: string;
  label: string;
  crumb?: string;
  /** Who may open it; with several capabilities, any one is enough. By default who may open the screen around it. */
  access?: Access;
  shape?: PageShape;
  /** The screen above it depends on the record: the sidebar lights none until the record is known. */
  hasOwnParent?: true;
  /** The one of its owner, where that is another than its list's. */
  section?: NavSection;
  /** With an icon it is an entry of the sidebar. */
  icon?: ComponentType<{ size?: number; stroke?: number }>;
  /** The entry is the "+" on the line of the list around it. */
  adds?: true;
  waiting?: keyof WaitingCounts;
  /** Who sees the entry, where more may open the screen. */
  listedFor?: Access;
  below?: readonly (Row | Frame)[];
  listedFirst?: readonly Row[];
}

export interface Frame {
  isFrame: true;
  path: string;
  access: Access;
  shape: PageShape;
  below: readonly Row[];
}

interface Around {
  access?: Access;
  section?: NavSection;
  frame?: Frame;
  parent?: Screen;
}

export interface Screen extends Omit<Row, 'below' | 'listedFirst'>, Around {
  to: string;
  crumb: string;
  access: Access;
}

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

export const settingsSections = Object.keys(t.settingsSections) as SettingsSection[];

const unlisted: readonly Row[] = [
  { path: paths.signIn, access: 'public', label: t.auth.signIn },
  { path: paths.signUp, access: 'public', label: t.auth.signUp },
  { path: paths.resetPassword, access: 'public', label: t.auth.reset },
  { path: paths.resetPasswordAction, access: 'public', label: t.auth.resetAction },
  { path: paths.home, access: 'session', label: t.home, shape: 'home' },
  { path: paths.security, access: 'session', label: t.security },
];

/** The screens below each other as in the breadcrumb, by section and in the order of the sidebar (product §12.4). */
const sections: Record<NavSection, readonly Row[]> = {
  accounts: [
    {
      path: paths.profiles,
      access: ['manage_profiles'],
      label: t.accounts.title,
      icon: icons.IconUsers,
      below: [
        { path: paths.newProfile, label: t.accounts.newCrumb },
        {
          isFrame: true,
          path: 'account',
          access: ['manage_profiles'],
          shape: 'account',
          below: [
            { path: paths.profile('$id'), label: t.accounts.crumb },
            { path: paths.statement('$id'), label: t.accounts.statement },
            { path: paths.accountReleases('$id'), label: t.accounts.releases },
            { path: paths.billings('$id'), label: t.accounts.billings },
            { path: paths.accountInvoices('$id'), label: t.accounts.invoices },
            { path: paths.accountContracts('$id'), label: t.accounts.contracts },
            { path: paths.accountRoyalties('$id'), label: t.accounts.royalties },
            { path: paths.accountReferrals('$id'), label: t.accounts.referrals },
            { path: paths.accountJournal('$id'), label: t.journal },
            { path: paths.editProfile('$id'), label: t.accounts.edit },
          ],
        },
        { path: paths.compareAccount('$id'), label: t.reports.compare, hasOwnParent: true },
        { path: paths.bankAccount('$id'), label: t.accounts.bankAccount },
        { path: paths.paypalAccount('$id'), label: t.accounts.paypalAccount },
      ],
    },
    {
      path: paths.invoices,
      access: ['manage_profiles'],
      label: t.accounts.invoices,
      icon: icons.IconFileInvoice,
      below: [{ path: paths.invoice('$id'), label: t.accounts.invoice }],
    },
    {
      path: paths.royaltyRuns,
      access: ['read_statements_out'],
      label: t.accounts.royalties,
      icon: icons.IconFileCheck,
      below: [
        { path: paths.newRoyaltyRun, label: t.accounts.newRoyalties, access: ['send_statements'] },
        { path: paths.royaltyRun('$id'), label: t.accounts.royaltyRun },
        { path: paths.royaltyStatement('$id'), label: t.accounts.royalty },
      ],
    },
    {
      path: paths.manageAdmins,
      access: ['read_admins', 'edit_admins', 'delete_admins'],
      label: t.admins,
      icon: icons.IconUserShield,
    },
  ],
  production: [
    {
      path: paths.library,
      access: readLibraries,
      label: t.library.title,
      icon: icons.IconVinyl,
      listedFirst: [
        {
          path: paths.releases('unpaid'),
          access: ['read_none_paid_libraries'],
          label: t.releases.unpaid,
          icon: icons.IconClockHour4,
          waiting: 'unpaidReleases',
        },
        {
          path: paths.releases('paid'),
          access: ['read_paid_libraries'],
          label: t.releases.paid,
          icon: icons.IconDisc,
          waiting: 'paidReleases',
        },
        {
          path: paths.releases('delivered'),
          access: ['read_delivered_libraries'],
          label: t.releases.delivered,
          icon: icons.IconSend,
        },
        {
          path: paths.releases('unpublished'),
          access: ['read_none_published_libraries'],
          label: t.releases.unpublished,
          icon: icons.IconDiscOff,
        },
      ],
      below: [
        {
          path: paths.release('$id'),
          access: 'session',
          label: t.releases.release,
          hasOwnParent: true,
          shape: 'release',
        },
        { path: paths.editRelease('$id'), access: editLibraries, label: t.releases.edit, hasOwnParent: true },
        { path: paths.releaseDelivery('$id'), access: editLibraries, label: t.releases.delivery, hasOwnParent: true },
        {
          path: paths.newRelease('$step'),
          to: paths.newRelease(),
          access: editLibraries,
          label: t.releases.new,
          icon: icons.IconMusicPlus,
          adds: true,
        },
        {
          path: paths.track('$id'),
          access: 'session',
          label: t.library.track,
          hasOwnParent: true,
          shape: 'release',
        },
        { path: paths.libraryTracks, label: t.library.tracks },
        { path: paths.artists, label: t.library.artists },
        { path: paths.contributors, label: t.library.contributors },
        { path: paths.editors, label: t.library.editors },
      ],
    },
  ],
  payouts: [
    {
      path: paths.pendingPayouts,
      access: ['read_pending_payout'],
      label: t.payouts.pending,
      icon: icons.IconHourglass,
      waiting: 'pendingPayouts',
      below: [
        {
          path: paths.payout('$id'),
          access: ['edit_pending_payout', 'edit_paid_payout'],
          label: t.payouts.crumb,
          hasOwnParent: true,
          shape: 'payout',
        },
      ],
    },
    { path: paths.paidPayouts, access: ['read_paid_payout'], label: t.payouts.paid, icon: icons.IconCashBanknote },
    { path: paths.cancelledPayouts, access: ['read_paid_payout'], label: t.payouts.cancelled, icon: icons.IconCashOff },
    {
      path: paths.unpaidAccounts,
      access: ['read_unpaid_accounts'],
      label: t.payouts.unpaidAccounts,
      icon: icons.IconUserDollar,
      waiting: 'unpaidAccounts',
      below: [
        { path: paths.requestPayout, access: ['edit_pending_payout'], label: t.payouts.request },
        { path: paths.payEveryone, access: ['edit_pending_payout'], label: t.payouts.payEveryone },
      ],
    },
    {
      path: paths.payoutBatches,
      access: ['read_pending_payout', 'read_paid_payout'],
      label: t.payouts.batches,
      icon: icons.IconStack2,
      below: [{ path: paths.payoutBatch('$id'), label: t.payouts.batch }],
    },
  ],
  reports: [
    {
      path: paths.reporting('all'),
      access: ['read_reports'],
      label: t.reports.all,
      crumb: t.reports.title,
      icon: icons.IconReportMoney,
      below: [
        { path: paths.report('$id'), label: t.reports.report, hasOwnParent: true, section: 'accounts' },
        {
          path: paths.transaction('$id'),
          access: ['read_reports', 'manage_profiles'],
          label: t.reports.transaction,
          hasOwnParent: true,
        },
      ],
    },
    {
      path: paths.reporting('platform'),
      access: ['read_reports'],
      label: t.reports.platform,
      crumb: t.reports.title,
      icon: icons.IconHeadphones,
      below: [
        {
          path: paths.addPlatformReport,
          access: ['edit_reports'],
          label: t.reports.addPlatform,
          icon: icons.IconFilePlus,
          adds: true,
        },
      ],
    },
    {
      path: paths.reporting('youtube'),
      access: ['read_reports'],
      label: t.reports.youtube,
      crumb: t.reports.title,
      icon: icons.IconVideo,
      below: [
        {
          path: paths.addYoutubeReport,
          access: ['edit_reports'],
          label: t.reports.addYoutube,
          icon: icons.IconVideoPlus,
          adds: true,
        },
      ],
    },
    {
      path: paths.imports,
      access: ['read_reports'],
      label: t.reports.imports,
      icon: icons.IconFileImport,
      below: [{ path: paths.import('$id'), label: t.reports.import }],
    },
    {
      path: paths.statements,
      access: ['read_reports'],
      label: t.reports.statements,
      icon: icons.IconReceipt2,
      below: [
        { path: paths.storeStatement('$id'), label: t.reports.statement, shape: 'statement' },
        { path: paths.statementMapping('$id'), access: ['edit_reports'], label: t.reports.mapping },
      ],
    },
    {
      path: paths.months,
      access: ['read_reports'],
      label: t.reports.months,
      icon: icons.IconCalendarMonth,
      below: [{ path: paths.month('$month'), label: t.reports.month }],
    },
    {
      path: paths.unmatched,
      access: ['read_reports'],
      label: t.reports.unmatched,
      icon: icons.IconMusicQuestion,
      waiting: 'unmatched',
    },
    {
      path: paths.analytics,
      access: ['read_reports'],
      label: t.reports.analytics,
      icon: icons.IconChartHistogram,
      below: [
        { path: paths.pivot, label: t.reports.pivot },
        { path: paths.compare, label: t.reports.compare, hasOwnParent: true },
      ],
    },
  ],
  services: [
    {
      path: paths.promoCodes,
      access: ['read_coupon'],
      label: t.services.promoCodes,
      icon: icons.IconDiscount2,
      below: [
        {
          path: paths.addPromoCode,
          access: ['edit_coupon'],
          label: t.services.addPromoCode,
          icon: icons.IconTicket,
          adds: true,
        },
      ],
    },
    {
      path: paths.smartlinks('pending'),
      access: ['read_smartlink'],
      label: t.services.pendingSmartlinks,
      icon: icons.IconLinkPlus,
      below: [{ path: paths.smartlink('$id'), label: t.services.smartlink, hasOwnParent: true }],
    },
    {
      path: paths.smartlinks('enabled'),
      access: ['read_smartlink'],
      label: t.services.enabledSmartlinks,
      icon: icons.IconLink,
    },
    {
      path: paths.subscriptions,
      access: ['read_subscriptions'],
      label: t.services.subscriptions,
      icon: icons.IconCalendarRepeat,
    },
  ],
  contracts: [
    { path: paths.createContract, access: ['edit_tools'], label: t.createContract, icon: icons.IconFilePencil },
  ],
  accounting: [
    {
      path: paths.accounting('platform'),
      access: ['read_platforms_stats'],
      label: t.stats.platform,
      icon: icons.IconChartBar,
    },
    {
      path: paths.accounting('youtube'),
      access: ['read_youtube_stats'],
      label: t.stats.youtube,
      icon: icons.IconBrandYoutube,
    },
    {
      path: paths.exchangeRates,
      access: ['manage_settings', 'read_reports'],
      label: t.exchangeRates,
      icon: icons.IconCurrencyEuro,
    },
  ],
  tools: [
    {
      path: paths.tickets('opened'),
      access: ['edit_tools', 'read_tools'],
      label: t.tickets.opened,
      icon: icons.IconFlag,
      waiting: 'openTickets',
      below: [{ path: paths.ticket('$id'), label: t.tickets.ticket, hasOwnParent: true }],
    },
    {
      path: paths.tickets('closed'),
      access: ['edit_tools', 'read_tools'],
      label: t.tickets.closed,
      icon: icons.IconFlagCheck,
    },
    { path: paths.bulkEdit, access: ['edit_tools'], label: t.tools.bulkEdit, icon: icons.IconTableImport },
    { path: paths.emptyCodes, access: ['read_tools'], label: t.tools.emptyCodes, icon: icons.IconBarcodeOff },
    { path: paths.codeDoubles, access: ['read_tools'], label: t.tools.codeDoubles, icon: icons.IconCopy },
    { path: paths.titleDoubles, access: ['read_tools'], label: t.tools.titleDoubles, icon: icons.IconAbc },
  ],
  administration: [
    {
      path: paths.settings,
      access: ['manage_settings'],
      label: t.settings,
      icon: icons.IconSettings,
      below: settingsSections.map((section) => ({
        path: paths.settingsSection(section),
        label: t.settingsSections[section],
        shape: 'form',
      })),
    },
    { path: paths.system, access: ['manage_settings'], label: t.system, icon: icons.IconHeartbeat },
    {
      path: paths.signatures,
      access: 'session',
      listedFor: ['edit_pending_payout', 'manage_settings', 'edit_admins'],
      label: t.signatures,
      icon: icons.IconWritingSign,
      waiting: 'signatures',
      below: [{ path: paths.signature('$subject', '$id'), label: t.signature }],
    },
    { path: paths.journal, access: ['read_audit'], label: t.journal, icon: icons.IconHistory },
  ],
};

const flatten = (rows: readonly (Row | Frame)[], around: Around): Screen[] =>
  rows.flatMap((row) => {
    if ('isFrame' in row) return flatten(row.below, { ...around, access: row.access, frame: row });
    const { below = [], listedFirst = [], ...own } = row;
    const screen = { access: 'session', to: own.path, crumb: own.label, ...around, ...own } as const;
    const inside = { ...around, access: screen.access, parent: screen };
    return [...flatten(listedFirst, inside), screen, ...flatten(below, inside)];
  });

const sectionNames = Object.keys(sections) as NavSection[];

export const screens: readonly Screen[] = [
  ...flatten(unlisted, {}),
  ...sectionNames.flatMap((section) => flatten(sections[section], { section })),
];

export type NavScreen = Screen & Required<Pick<Screen, 'icon' | 'section'>>;

/** The sections with an entry for these capabilities (product §11.6). @param others paths shown for another reason */
export function sectionsFor(
  held: readonly Capability[],
  others: readonly string[] = [],
): { section: NavSection; entries: NavScreen[] }[] {
  const entries = screens.filter(
    (screen): screen is NavScreen =>
      screen.icon !== undefined && (isAllowed(screen.listedFor ?? screen.access, held) || others.includes(screen.path)),
  );
  return sectionNames
    .map((section) => ({ section, entries: entries.filter((entry) => entry.section === section) }))
    .filter(({ entries: own }) => own.length > 0);
}

/** Fixed paths before those with an id, by the number of parts: every page looks up several addresses. */
const patterns = Map.groupBy(
  screens
    .toSorted((a, b) => a.path.split('$').length - b.path.split('$').length)
    .map((screen) => ({ screen, parts: screen.path.split('/') })),
  ({ parts }) => parts.length,
);

export function findScreenOf(address: string): Screen | undefined {
  const asked = address.split(/[?#]/)[0]?.split('/') ?? [];
  const isAsked = (part: string, i: number) => part.startsWith('$') || part === asked[i];
  return patterns.get(asked.length)?.find(({ parts }) => parts.every(isAsked))?.screen;
}
