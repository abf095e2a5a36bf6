import { routes } from '@regie/contract/routes.ts';
import { apiQuery } from '#src/lib/api.ts';

/** The next ISRC of each of the house's prefixes. */
export const nextIsrcsQuery = apiQuery(['next-isrcs'], routes.listNextIsrcs);
