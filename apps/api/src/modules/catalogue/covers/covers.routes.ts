import type { CoverWidth } from '@regie/contract/covers.ts';
import { routes } from '@regie/contract/routes.ts';
import { fileRoute, uploadRoute } from '#src/lib/route.ts';
import { discardCover, getCover, getPicture, replaceCover, storeCover } from './covers.service.ts';

export const coverRoutes = [
  uploadRoute(routes.replaceCover, {
    prepare: ({ deps, caller, params, upload }) => storeCover(deps, caller, params.id, upload),
    apply: async ({ caller, params }, cover, trx) => ({ data: await replaceCover(trx, caller, params.id, cover) }),
    discard: (cover, deps) => discardCover(deps, cover),
  }),
  fileRoute(routes.downloadCover, ({ deps, params, caller }, db) => getCover(deps, db, caller, params.id)),
  // The contract allows no other widths.
  fileRoute(routes.getPicture, ({ deps, params, query }, db) =>
    getPicture(deps, db, params.key, query.w as CoverWidth),
  ),
];
