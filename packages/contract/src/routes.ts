import type { RouteContract } from './route.ts';
import { accountStatementRoutes } from './routes/account-statement.ts';
import { exchangeRateRoutes, homeRoutes, lookupRoutes } from './routes/accounting.ts';
import { accountRoutes } from './routes/accounts.ts';
import { analyticsRoutes } from './routes/analytics.ts';
import { audioRoutes } from './routes/audio.ts';
import { authRoutes } from './routes/auth.ts';
import { billingRoutes } from './routes/billing.ts';
import { compareRoutes } from './routes/compare.ts';
import { coverRoutes } from './routes/covers.ts';
import { customContractRoutes } from './routes/custom-contracts.ts';
import { invoiceRoutes } from './routes/invoices.ts';
import { licenceContractRoutes } from './routes/licence-contract.ts';
import { monthRoutes } from './routes/months.ts';
import { orderRoutes, webhookRoutes } from './routes/orders.ts';
import { payoutBatchRoutes, payoutRoutes } from './routes/payouts.ts';
import { privacyRoutes } from './routes/privacy.ts';
import { promoCodeRoutes } from './routes/promo-codes.ts';
import { referralRoutes } from './routes/referrals.ts';
import { libraryRoutes, releaseRoutes, trackRoutes } from './routes/releases.ts';
import { reportRoutes } from './routes/reports.ts';
import { rowImportRoutes } from './routes/row-import.ts';
import { royaltyStatementRoutes } from './routes/royalty-statements.ts';
import { searchRoutes } from './routes/search.ts';
import { securityRoutes } from './routes/security.ts';
import { settingsRoutes } from './routes/settings.ts';
import { signatureRoutes } from './routes/signatures.ts';
import { smartlinkRoutes } from './routes/smartlinks.ts';
import { journalRoutes, staffRoutes } from './routes/staff.ts';
import { statementRoutes } from './routes/statements.ts';
import { statsRoutes } from './routes/stats.ts';
import { subscriptionRoutes } from './routes/subscriptions.ts';
import { systemRoutes } from './routes/system.ts';
import { ticketRoutes } from './routes/tickets.ts';
import { toolRoutes } from './routes/tools.ts';
import { trackPageRoutes } from './routes/track-page.ts';
import { unmatchedRoutes } from './routes/unmatched.ts';
import { viewRoutes } from './routes/views.ts';

/** The whole HTTP table (product §31.18), used by server, browser, sidebar, rights tests and the OpenAPI page. */
export const routes = {
  ...authRoutes,
  ...securityRoutes,
  ...staffRoutes,
  ...journalRoutes,
  ...privacyRoutes,
  ...homeRoutes,
  ...viewRoutes,
  ...accountRoutes,
  ...billingRoutes,
  ...referralRoutes,
  ...accountStatementRoutes,
  ...royaltyStatementRoutes,
  ...invoiceRoutes,
  ...lookupRoutes,
  ...searchRoutes,
  ...exchangeRateRoutes,
  ...reportRoutes,
  ...monthRoutes,
  ...analyticsRoutes,
  ...compareRoutes,
  ...statementRoutes,
  ...unmatchedRoutes,
  ...releaseRoutes,
  ...trackRoutes,
  ...trackPageRoutes,
  ...audioRoutes,
  ...coverRoutes,
  ...libraryRoutes,
  ...orderRoutes,
  ...webhookRoutes,
  ...settingsRoutes,
  ...signatureRoutes,
  ...systemRoutes,
  ...licenceContractRoutes,
  ...payoutRoutes,
  ...payoutBatchRoutes,
  ...rowImportRoutes,
  ...promoCodeRoutes,
  ...smartlinkRoutes,
  ...subscriptionRoutes,
  ...ticketRoutes,
  ...statsRoutes,
  ...customContractRoutes,
  ...toolRoutes,
};

/** The same as an array, for tests over every route. */
export const routeTable: readonly (RouteContract & { name: string })[] =
  // Comparing every row's own types with RouteContract would take a third of the type-check.
  Object.entries<RouteContract>(routes as object as Record<string, RouteContract>).map(([name, row]) => ({
    name,
    ...row,
  }));
