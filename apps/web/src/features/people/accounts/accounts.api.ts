import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api, apiQuery } from '#src/lib/api.ts';

export const profileQuery = (id: number) => apiQuery(['profile', id], routes.getProfile, { params: { id } });

export const billingQuery = (id: number) => apiQuery(['billing', id], routes.getBillingAccount, { params: { id } });

/** Accounts have few of them: the first page is complete. */
export const billingsQuery = (accountId: number) =>
  apiQuery(['billings', accountId], routes.listBillingAccounts, { params: { id: accountId }, query: { limit: 500 } });

const shownReferrals = 200;
export const referralsQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['referrals', accountId],
    queryFn: async ({ signal }) =>
      api(routes.listReferrals, { params: { id: accountId }, query: { limit: shownReferrals }, signal }),
  });

const shownMovements = 5;
export const latestMovementsQuery = (accountId: number) =>
  apiQuery(['profile', accountId, 'movements'], routes.getStatement, {
    query: { userId: accountId, limit: shownMovements },
  });

export const payableQuery = (accountId: number) =>
  apiQuery(['profile', accountId, 'payable'], routes.getAccountPayable, { params: { id: accountId } });

export const figuresQuery = (accountId: number) =>
  apiQuery(['profile', accountId, 'figures'], routes.getAccountFigures, { params: { id: accountId } });

export const statementMonthsQuery = (accountId: number) =>
  apiQuery(['profile', accountId, 'months'], routes.listStatementMonths, { params: { id: accountId } });
