import { routes } from '@regie/contract/routes.ts';
import { apiQuery } from '#src/lib/api.ts';

export const payoutQuery = (id: number) => apiQuery(['payout', id], routes.getPayout, { params: { id } });

export const requestOptionsQuery = (accountId: number) =>
  apiQuery(['payout-request', accountId], routes.getRequestOptions, { params: { id: accountId } });
