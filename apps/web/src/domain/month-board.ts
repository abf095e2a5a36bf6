import { routes } from '@regie/contract/routes.ts';
import { apiQuery } from '#src/lib/api.ts';

/** The last twelve months: up to the last complete one, or the current one once it has income. */
export const boardQuery = apiQuery(['months', 'home'], routes.listMonths, { query: {} });
