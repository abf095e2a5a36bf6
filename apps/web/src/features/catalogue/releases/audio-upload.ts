import { audioChunkBytes, looksLikeWav, maxAudioBytes } from '@regie/contract/audio.ts';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { api, apiUpload } from '#src/lib/api.ts';
import { createUploads, isEnded, type Upload } from '#src/lib/uploads.ts';
import { finishWork } from '#src/lib/work-tray.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.audio;

/** Uploads of audio, by track. */
export const audioUploads = createUploads<true>({
  chunkBytes: audioChunkBytes,
  atOnce: 1,
  isElsewhere: ({ code }) => code === 'conflict',
  words: { ...t, done: routes.uploadAudio.message },
});

export type AudioUpload = Upload;
export const { useUploads: useAudioUploads } = audioUploads;

/** Why a file cannot be sent, in the words of product §18.3; undefined when it can be. */
export async function refuseFile(file: File): Promise<string | undefined> {
  if (file.size > maxAudioBytes) return messages.audioTooLarge;
  try {
    const head = new Uint8Array(await file.slice(0, 12).arrayBuffer());
    return /\.wav$/i.test(file.name) && looksLikeWav(head, file.size) ? undefined : messages.audioFormat;
  } catch {
    return t.unreadable;
  }
}

/**
 * Sends a file to a track; `onStored` is called once it is the track's.
 * @returns why it was refused at once, in a sentence
 */
export async function startAudioUpload(
  track: { id: number; title: string; releaseId: number },
  file: File,
  onStored: () => void,
): Promise<string | undefined> {
  const present = audioUploads.find(track.id);
  if (present && !isEnded(present)) return t.busy;
  const refusal = await refuseFile(file);
  if (refusal !== undefined) return refusal;
  const params = { id: track.id };
  const query = { name: file.name, size: String(file.size) };
  const href = paths.release(track.releaseId);
  audioUploads.start({
    key: track.id,
    title: track.title,
    file,
    workTitle: t.workTitle(track.title),
    memoryKey: `audio-upload.${track.id}`,
    href,
    endpoint: {
      async begin({ isOurs }, signal) {
        const { data } = await api(routes.getAudioUpload, { params, query, signal });
        if (!isOurs) return { received: 0 };
        // The last answer was lost, not the file.
        return { received: data.received, result: data.done || undefined };
      },
      async send(chunk, { start }, call) {
        const headers = {
          'x-file-start': String(start),
          'x-file-name': encodeURIComponent(file.name),
          'x-file-size': String(file.size),
        };
        const { data } = await apiUpload(routes.uploadAudio, {
          params,
          file: chunk,
          fileName: 'chunk',
          headers,
          ...call,
        });
        return { received: data.received, result: data.done || undefined };
      },
      cancel: () => api(routes.cancelAudioUpload, { params, query }),
    },
    onStored(_, workId) {
      finishWork(workId, { state: 'done', result: routes.uploadAudio.message, href });
      onStored();
    },
  });
  return undefined;
}
