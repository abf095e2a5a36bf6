import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Can } from '#src/lib/session.ts';
import { paths } from './paths.ts';
import { settingsSections } from './screens.ts';

export interface Page {
  default: (props: object) => ReactNode;
  /** Loads the record's data when a link to the page is hovered or focused, so that a click shows it at once. */
  prefetch?: (client: QueryClient, id: number, can: Can) => Promise<unknown>;
}

const billing = () => import('#src/features/people/accounts/billing-page.tsx');
const compare = () => import('#src/features/income/compare/compare-page.tsx');
const invoiceList = () => import('#src/features/people/accounts/invoice-list-page.tsx');
const journal = () => import('#src/features/platform/journal/journal-page.tsx');
const payoutList = () => import('#src/features/money/payouts/payout-list-page.tsx');
const peopleList = () => import('#src/features/catalogue/library/people-list-page.tsx');
const releaseList = () => import('#src/features/catalogue/releases/release-list-page.tsx');
const reportList = () => import('#src/features/money/reports/report-list-page.tsx');
const settings = () => import('#src/features/people/settings/settings-page.tsx');
const smartlinkList = () => import('#src/features/catalogue/services/smartlink-list-page.tsx');
const stats = () => import('#src/features/money/stats/stats-page.tsx');
const ticketList = () => import('#src/features/catalogue/tickets/ticket-list-page.tsx');

export const pages: Record<string, () => Promise<Page>> = {
  account: () => import('#src/features/people/accounts/account-frame-page.tsx'),
  [paths.signIn]: () => import('#src/features/people/auth/sign-in-page.tsx'),
  [paths.signUp]: () => import('#src/features/people/auth/sign-up-page.tsx'),
  [paths.resetPassword]: () => import('#src/features/people/auth/reset-password-page.tsx'),
  [paths.resetPasswordAction]: () => import('#src/features/people/auth/reset-password-action-page.tsx'),
  [paths.home]: () => import('#src/features/platform/home/home-page.tsx'),
  [paths.security]: () => import('#src/features/people/security/security-page.tsx'),
  [paths.profiles]: () => import('#src/features/people/accounts/profile-list-page.tsx'),
  [paths.newProfile]: () => import('#src/features/people/accounts/new-profile-page.tsx'),
  [paths.profile('$id')]: () => import('#src/features/people/accounts/profile-page.tsx'),
  [paths.statement('$id')]: () => import('#src/features/people/accounts/account-statement-page.tsx'),
  [paths.accountReleases('$id')]: () => import('#src/features/people/accounts/account-releases-page.tsx'),
  [paths.billings('$id')]: () => import('#src/features/people/accounts/billing-list-page.tsx'),
  [paths.accountInvoices('$id')]: invoiceList,
  [paths.accountContracts('$id')]: () => import('#src/features/people/accounts/account-contracts-page.tsx'),
  [paths.accountRoyalties('$id')]: () => import('#src/features/people/accounts/account-royalties-page.tsx'),
  [paths.accountReferrals('$id')]: () => import('#src/features/people/accounts/account-referrals-page.tsx'),
  [paths.compareAccount('$id')]: compare,
  [paths.accountJournal('$id')]: journal,
  [paths.editProfile('$id')]: () => import('#src/features/people/accounts/profile-edit-page.tsx'),
  [paths.bankAccount('$id')]: billing,
  [paths.paypalAccount('$id')]: billing,
  [paths.invoices]: invoiceList,
  [paths.invoice('$id')]: () => import('#src/features/people/accounts/invoice-page.tsx'),
  [paths.manageAdmins]: () => import('#src/features/people/admins/admin-list-page.tsx'),
  [paths.library]: () => import('#src/features/catalogue/library/library-page.tsx'),
  [paths.releases('unpaid')]: releaseList,
  [paths.releases('paid')]: releaseList,
  [paths.releases('delivered')]: releaseList,
  [paths.releases('unpublished')]: releaseList,
  [paths.release('$id')]: () => import('#src/features/catalogue/releases/release-page.tsx'),
  [paths.editRelease('$id')]: () => import('#src/features/catalogue/releases/release-edit-page.tsx'),
  [paths.releaseDelivery('$id')]: () => import('#src/features/catalogue/releases/delivery-page.tsx'),
  [paths.newRelease('$step')]: () => import('#src/features/catalogue/releases/new-release-page.tsx'),
  [paths.track('$id')]: () => import('#src/features/catalogue/releases/track-page.tsx'),
  [paths.libraryTracks]: () => import('#src/features/catalogue/library/library-track-list-page.tsx'),
  [paths.artists]: peopleList,
  [paths.contributors]: peopleList,
  [paths.editors]: peopleList,
  [paths.pendingPayouts]: payoutList,
  [paths.payout('$id')]: () => import('#src/features/money/payouts/payout-page.tsx'),
  [paths.paidPayouts]: payoutList,
  [paths.cancelledPayouts]: payoutList,
  [paths.unpaidAccounts]: () => import('#src/features/money/payouts/unpaid-account-list-page.tsx'),
  [paths.requestPayout]: () => import('#src/features/money/payouts/request-page.tsx'),
  [paths.payEveryone]: () => import('#src/features/money/payouts/pay-everyone-page.tsx'),
  [paths.royaltyRuns]: () => import('#src/features/money/royalty-statements/royalty-list-page.tsx'),
  [paths.newRoyaltyRun]: () => import('#src/features/money/royalty-statements/royalty-drafts-page.tsx'),
  [paths.royaltyRun('$id')]: () => import('#src/features/money/royalty-statements/royalty-run-page.tsx'),
  [paths.royaltyStatement('$id')]: () => import('#src/features/money/royalty-statements/royalty-statement-page.tsx'),
  [paths.payoutBatches]: () => import('#src/features/money/payouts/batch-list-page.tsx'),
  [paths.payoutBatch('$id')]: () => import('#src/features/money/payouts/batch-page.tsx'),
  [paths.reporting('all')]: reportList,
  [paths.report('$id')]: () => import('#src/features/money/reports/report-page.tsx'),
  [paths.transaction('$id')]: () => import('#src/features/money/reports/transaction-page.tsx'),
  [paths.reporting('platform')]: reportList,
  [paths.addPlatformReport]: () => import('#src/features/money/reports/add-platform-report-page.tsx'),
  [paths.reporting('youtube')]: reportList,
  [paths.addYoutubeReport]: () => import('#src/features/money/reports/add-youtube-report-page.tsx'),
  [paths.imports]: () => import('#src/features/money/reports/import-list-page.tsx'),
  [paths.import('$id')]: () => import('#src/features/money/reports/import-page.tsx'),
  [paths.statements]: () => import('#src/features/income/statements/statement-list-page.tsx'),
  [paths.storeStatement('$id')]: () => import('#src/features/income/statements/statement-page.tsx'),
  [paths.statementMapping('$id')]: () => import('#src/features/income/statements/statement-mapping-page.tsx'),
  [paths.months]: () => import('#src/features/income/statements/month-board-page.tsx'),
  [paths.month('$month')]: () => import('#src/features/income/statements/month-page.tsx'),
  [paths.unmatched]: () => import('#src/features/income/unmatched/unmatched-page.tsx'),
  [paths.analytics]: () => import('#src/features/income/analytics/analytics-page.tsx'),
  [paths.pivot]: () => import('#src/features/income/analytics/pivot-page.tsx'),
  [paths.compare]: compare,
  [paths.promoCodes]: () => import('#src/features/catalogue/services/promo-code-list-page.tsx'),
  [paths.addPromoCode]: () => import('#src/features/catalogue/services/add-promo-code-page.tsx'),
  [paths.smartlinks('pending')]: smartlinkList,
  [paths.smartlink('$id')]: () => import('#src/features/catalogue/services/smartlink-page.tsx'),
  [paths.smartlinks('enabled')]: smartlinkList,
  [paths.subscriptions]: () => import('#src/features/catalogue/services/subscription-list-page.tsx'),
  [paths.createContract]: () => import('#src/features/people/custom-contracts/create-contract-page.tsx'),
  [paths.accounting('platform')]: stats,
  [paths.accounting('youtube')]: stats,
  [paths.exchangeRates]: () => import('#src/features/money/accounting/exchange-rate-list-page.tsx'),
  [paths.ticket('$id')]: () => import('#src/features/catalogue/tickets/ticket-page.tsx'),
  [paths.tickets('opened')]: ticketList,
  [paths.tickets('closed')]: ticketList,
  [paths.bulkEdit]: () => import('#src/features/catalogue/tools/bulk-edit-page.tsx'),
  [paths.emptyCodes]: () => import('#src/features/catalogue/tools/empty-codes-page.tsx'),
  [paths.codeDoubles]: () => import('#src/features/catalogue/tools/duplicate-codes-page.tsx'),
  [paths.titleDoubles]: () => import('#src/features/catalogue/tools/duplicate-titles-page.tsx'),
  [paths.settings]: settings,
  ...Object.fromEntries(settingsSections.map((section) => [paths.settingsSection(section), settings])),
  [paths.system]: () => import('#src/features/platform/system/system-page.tsx'),
  [paths.signatures]: () => import('#src/features/money/signatures/signature-list-page.tsx'),
  [paths.signature('$subject', '$id')]: () => import('#src/features/money/signatures/signature-page.tsx'),
  [paths.journal]: journal,
};
