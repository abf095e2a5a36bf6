import { audioChunkBytes } from '#src/audio.ts';
import { anyEditLibraries, anyReadLibraries } from '#src/releases.ts';
import { defineRoute } from '#src/route.ts';
import { z } from '#src/zod.ts';

/** Names the upload when the headers X-File-Name and X-File-Size are absent; encoded only once. */
const UploadQuery = z.object({ name: z.string().optional(), size: z.string().optional() });

const UploadState = z.object({
  /** The number of bytes the server has; the next chunk starts there. */
  received: z.number(),
  size: z.number(),
  /** The file is complete, verified and attached to the track. */
  done: z.boolean(),
  /** JSON string of AudioDetails, once done. */
  audioDetails: z.string().optional(),
});
export type UploadState = z.infer<typeof UploadState>;

const anyLibraries = [...anyReadLibraries, ...anyEditLibraries] as const;

export const audioRoutes = {
  uploadAudio: defineRoute('PUT /tracks/:id/edit/audio', anyEditLibraries, {
    summary:
      'One chunk of a track’s WAV, at most 350 000 bytes, with headers X-File-Start, X-File-Name (URL-encoded) and X-File-Size. Start 0 restarts the upload; a start other than the server’s offset answers 409 with {received}.',
    response: UploadState,
    message: 'L’audio du titre est enregistré',
    upload: { field: 'track', maxBytes: audioChunkBytes },
  }),
  getAudioUpload: defineRoute('GET /tracks/:id/edit/audio', anyEditLibraries, {
    summary:
      'The received bytes of an upload of the caller, by X-File-Name and X-File-Size or `name` and `size`; by default the latest.',
    query: UploadQuery,
    response: UploadState,
  }),
  cancelAudioUpload: defineRoute('DELETE /tracks/:id/edit/audio', anyEditLibraries, {
    summary: 'Give up an upload of the caller, named likewise, else all of this track; the present file stays.',
    query: UploadQuery,
    message: 'L’envoi est annulé',
  }),
  downloadAudio: defineRoute('GET /tracks/:id/audio', anyLibraries, { isFile: true }),
  getWaveform: defineRoute('GET /tracks/:id/waveform', anyLibraries, {
    response: z.object({
      /** Base64 of pairs of signed bytes (minimum, maximum; 127 is full scale); null when not computed. */
      peaks: z.string().nullable(),
      durationMs: z.number().nullable(),
    }),
  }),
};
