import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';

export const profileQuery = (id: number) =>
  queryOptions({
    queryKey: ['profile', id],
    queryFn: async ({ signal }) => (await api(routes.getProfile, { params: { id }, signal })).data,
  });

export const billingQuery = (id: number) =>
  queryOptions({
    queryKey: ['billing', id],
    queryFn: async ({ signal }) => (await api(routes.getBillingAccount, { params: { id }, signal })).data,
  });

/** Accounts have few of them: the first page is complete. */
export const billingsQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['billings', accountId],
    queryFn: async ({ signal }) =>
      (await api(routes.listBillingAccounts, { params: { id: accountId }, query: { limit: 500 }, signal })).data,
  });

const shownReferrals = 200;
export const referralsQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['referrals', accountId],
    queryFn: async ({ signal }) =>
      api(routes.listReferrals, { params: { id: accountId }, query: { limit: shownReferrals }, signal }),
  });

const shownMovements = 5;
export const latestMovementsQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['profile', accountId, 'movements'],
    queryFn: async ({ signal }) =>
      (await api(routes.getStatement, { query: { userId: accountId, limit: shownMovements }, signal })).data.lines,
  });

export const payableQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['profile', accountId, 'payable'],
    queryFn: async ({ signal }) => (await api(routes.getAccountPayable, { params: { id: accountId }, signal })).data,
  });

export const figuresQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['profile', accountId, 'figures'],
    queryFn: async ({ signal }) => (await api(routes.getAccountFigures, { params: { id: accountId }, signal })).data,
  });

export const statementMonthsQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['profile', accountId, 'months'],
    queryFn: async ({ signal }) => (await api(routes.listStatementMonths, { params: { id: accountId }, signal })).data,
  });
