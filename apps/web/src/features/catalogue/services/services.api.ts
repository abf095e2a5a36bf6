import { routes } from '@regie/contract/routes.ts';
import { apiQuery } from '#src/lib/api.ts';

export const smartlinkQuery = (id: number) => apiQuery(['smartlink', id], routes.getSmartlink, { params: { id } });

export const clicksQuery = (id: number) =>
  apiQuery(['smartlink', id, 'clicks'], routes.getSmartlinkClicks, { params: { id } });
