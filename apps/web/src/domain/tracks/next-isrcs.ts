import { routes } from '@regie/contract/routes.ts';
import { apiQuery } from '#src/lib/api.ts';

export const nextIsrcsQuery = apiQuery(['next-isrcs'], routes.listNextIsrcs);
