import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { paths } from './paths.ts';

/** A page's module. */
export interface Page {
  default: (props: object) => ReactNode;
  /** Loads the record's data when a link to the page is hovered or focused, so that a click shows it at once. */
  prefetch?: (client: QueryClient, id: number) => Promise<unknown>;
}

const billing = () => import('#src/features/accounts/billing-page.tsx');
const payoutList = () => import('#src/features/payouts/payout-list-page.tsx');
const peopleList = () => import('#src/features/library/people-list-page.tsx');
const releaseList = () => import('#src/features/releases/release-list-page.tsx');
const reportList = () => import('#src/features/reports/report-list-page.tsx');
const smartlinkList = () => import('#src/features/services/smartlink-list-page.tsx');
const stats = () => import('#src/features/stats/stats-page.tsx');
const ticketList = () => import('#src/features/tickets/ticket-list-page.tsx');

/** The page of each screen by its path, and of each frame by its name. */
export const pages: Record<string, () => Promise<Page>> = {
  account: () => import('#src/features/accounts/account-frame-page.tsx'),
  [paths.signIn]: () => import('#src/features/auth/sign-in-page.tsx'),
  [paths.signUp]: () => import('#src/features/auth/sign-up-page.tsx'),
  [paths.resetPassword]: () => import('#src/features/auth/reset-password-page.tsx'),
  [paths.resetPasswordAction]: () => import('#src/features/auth/reset-password-action-page.tsx'),
  [paths.home]: () => import('#src/features/home/home-page.tsx'),
  [paths.security]: () => import('#src/features/security/security-page.tsx'),
  [paths.profiles]: () => import('#src/features/accounts/profile-list-page.tsx'),
  [paths.newProfile]: () => import('#src/features/accounts/new-profile-page.tsx'),
  [paths.profile('$id')]: () => import('#src/features/accounts/profile-page.tsx'),
  [paths.statement('$id')]: () => import('#src/features/accounts/account-statement-page.tsx'),
  [paths.accountReleases('$id')]: () => import('#src/features/accounts/account-releases-page.tsx'),
  [paths.billings('$id')]: () => import('#src/features/accounts/billing-list-page.tsx'),
  [paths.accountInvoices('$id')]: () => import('#src/features/accounts/account-invoices-page.tsx'),
  [paths.accountContracts('$id')]: () => import('#src/features/accounts/account-contracts-page.tsx'),
  [paths.accountReferrals('$id')]: () => import('#src/features/accounts/account-referrals-page.tsx'),
  [paths.accountJournal('$id')]: () => import('#src/features/journal/account-journal-page.tsx'),
  [paths.editProfile('$id')]: () => import('#src/features/accounts/profile-edit-page.tsx'),
  [paths.bankAccount('$id')]: billing,
  [paths.paypalAccount('$id')]: billing,
  [paths.invoices]: () => import('#src/features/accounts/invoice-list-page.tsx'),
  [paths.invoice('$id')]: () => import('#src/features/accounts/invoice-page.tsx'),
  [paths.manageAdmins]: () => import('#src/features/admins/admin-list-page.tsx'),
  [paths.library]: () => import('#src/features/library/library-page.tsx'),
  [paths.releases('unpaid')]: releaseList,
  [paths.releases('paid')]: releaseList,
  [paths.releases('delivered')]: releaseList,
  [paths.releases('unpublished')]: releaseList,
  [paths.release('$id')]: () => import('#src/features/releases/release-page.tsx'),
  [paths.editRelease('$id')]: () => import('#src/features/releases/release-edit-page.tsx'),
  [paths.releaseDelivery('$id')]: () => import('#src/features/releases/delivery-page.tsx'),
  [paths.newRelease('$step')]: () => import('#src/features/releases/new-release-page.tsx'),
  [paths.libraryTracks]: () => import('#src/features/library/library-track-list-page.tsx'),
  [paths.artists]: peopleList,
  [paths.contributors]: peopleList,
  [paths.editors]: peopleList,
  [paths.pendingPayouts]: payoutList,
  [paths.payout('$id')]: () => import('#src/features/payouts/payout-page.tsx'),
  [paths.paidPayouts]: payoutList,
  [paths.cancelledPayouts]: payoutList,
  [paths.unpaidAccounts]: () => import('#src/features/payouts/unpaid-account-list-page.tsx'),
  [paths.requestPayout]: () => import('#src/features/payouts/request-page.tsx'),
  [paths.payoutBatches]: () => import('#src/features/payouts/batch-list-page.tsx'),
  [paths.payoutBatch('$id')]: () => import('#src/features/payouts/batch-page.tsx'),
  [paths.reporting('all')]: reportList,
  [paths.report('$id')]: () => import('#src/features/reports/report-page.tsx'),
  [paths.transaction('$id')]: () => import('#src/features/reports/transaction-page.tsx'),
  [paths.reporting('platform')]: reportList,
  [paths.addPlatformReport]: () => import('#src/features/reports/add-platform-report-page.tsx'),
  [paths.reporting('youtube')]: reportList,
  [paths.addYoutubeReport]: () => import('#src/features/reports/add-youtube-report-page.tsx'),
  [paths.imports]: () => import('#src/features/reports/import-list-page.tsx'),
  [paths.import('$id')]: () => import('#src/features/reports/import-page.tsx'),
  [paths.statements]: () => import('#src/features/statements/statement-list-page.tsx'),
  [paths.storeStatement('$id')]: () => import('#src/features/statements/statement-page.tsx'),
  [paths.statementMapping('$id')]: () => import('#src/features/statements/statement-mapping-page.tsx'),
  [paths.months]: () => import('#src/features/statements/month-board-page.tsx'),
  [paths.month('$month')]: () => import('#src/features/statements/month-page.tsx'),
  [paths.unmatched]: () => import('#src/features/unmatched/unmatched-page.tsx'),
  [paths.insight]: () => import('#src/features/insight/insight-page.tsx'),
  [paths.pivot]: () => import('#src/features/insight/pivot-page.tsx'),
  [paths.promoCodes]: () => import('#src/features/services/promo-code-list-page.tsx'),
  [paths.addPromoCode]: () => import('#src/features/services/add-promo-code-page.tsx'),
  [paths.smartlinks('pending')]: smartlinkList,
  [paths.smartlink('$id')]: () => import('#src/features/services/smartlink-page.tsx'),
  [paths.smartlinks('enabled')]: smartlinkList,
  [paths.subscriptions]: () => import('#src/features/services/subscription-list-page.tsx'),
  [paths.createContract]: () => import('#src/features/custom-contracts/create-contract-page.tsx'),
  [paths.accounting('platform')]: stats,
  [paths.accounting('youtube')]: stats,
  [paths.exchangeRates]: () => import('#src/features/accounting/exchange-rate-list-page.tsx'),
  [paths.tickets('opened')]: ticketList,
  [paths.tickets('closed')]: ticketList,
  [paths.bulkEdit]: () => import('#src/features/tools/bulk-edit-page.tsx'),
  [paths.emptyCodes]: () => import('#src/features/tools/empty-codes-page.tsx'),
  [paths.codeDoubles]: () => import('#src/features/tools/duplicate-codes-page.tsx'),
  [paths.titleDoubles]: () => import('#src/features/tools/duplicate-titles-page.tsx'),
  [paths.settings]: () => import('#src/features/settings/settings-page.tsx'),
  [paths.system]: () => import('#src/features/system/system-page.tsx'),
  [paths.signatures]: () => import('#src/features/signatures/signature-list-page.tsx'),
  [paths.signature('$subject', '$id')]: () => import('#src/features/signatures/signature-page.tsx'),
  [paths.journal]: () => import('#src/features/journal/journal-page.tsx'),
};
