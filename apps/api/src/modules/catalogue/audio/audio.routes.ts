import { routes } from '@regie/contract/routes.ts';
import { dataRoute, fileRoute, route, uploadRoute } from '#src/lib/route.ts';
import { removeReceived } from '#src/modules/platform/uploads/uploads.service.ts';
import * as audio from './audio.service.ts';

export const audioRoutes = [
  uploadRoute(routes.uploadAudio, {
    prepare: ({ params, caller, deps, request, upload }, db) =>
      audio.prepareChunk(db, deps, caller, params.id, request, upload),
    settled: (prepared) => {
      const data = audio.settledChunk(prepared);
      return data && { data, message: '' };
    },
    apply: async ({ caller, deps }, prepared, trx) => ({ data: await audio.finishUpload(trx, deps, caller, prepared) }),
    discard: (prepared, deps) => audio.discardChunk(deps, prepared),
    committed: async ({ stored }, deps) => removeReceived(deps, stored?.upload),
  }),
  dataRoute(routes.getAudioUpload, ({ params, query, caller, deps, request }, db) =>
    audio.getUploadState(db, deps, caller, params.id, request, query),
  ),
  route(routes.cancelAudioUpload, ({ params, query, caller, deps, request }, trx) =>
    audio.cancelUploads(trx, deps, caller, params.id, request, query),
  ),
  fileRoute(routes.downloadAudio, ({ params, deps, caller }, db) => audio.getAudioFile(db, deps, caller, params.id)),
  dataRoute(routes.getWaveform, ({ params, caller }, db) => audio.getWaveform(db, caller, params.id)),
];
