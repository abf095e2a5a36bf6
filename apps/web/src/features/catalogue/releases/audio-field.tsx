import { Box, Button, CloseButton, Flex, Group, Progress, Stack } from '@mantine/core';
import { audioChunkBytes, looksLikeWav, maxAudioBytes } from '@regie/contract/audio.ts';
import { messages } from '@regie/contract/messages.ts';
import type { Track } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatBytes, formatNumber, formatPlayTime } from '@regie/values/formats.ts';
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { api, apiUpload } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { createUploads, type Endpoint, isEnded, percentOf, type Upload } from '#src/lib/uploads.ts';
import { finishWork } from '#src/lib/work-tray.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './audio.module.css';
import { audioOf, fullTitle } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.audio;

/** The file picker's filter; every file is checked before upload. */
export const audioTypes = '.wav,audio/wav,audio/x-wav,audio/vnd.wave';

type AudioTarget = Pick<Track, 'id' | 'title' | 'version' | 'libraryId'>;

/** Sends the file of a track. @returns why it was refused at once, in a sentence */
export function useSendAudio(): (track: AudioTarget, file: File) => Promise<string | undefined> {
  const queryClient = useQueryClient();
  const draftPath = paths.newRelease('tracks');
  const isInWizard = usePageLocation().pathname === draftPath;
  return async (track, file) => {
    const present = audioUploads.find(track.id);
    if (present && !isEnded(present)) return t.busy;
    const refusal = await refuseFile(file);
    if (refusal !== undefined) return refusal;
    const title = fullTitle(track);
    const href = isInWizard ? `${draftPath}?release=${track.libraryId}` : paths.release(track.libraryId);
    audioUploads.start({
      key: track.id,
      title,
      file,
      workTitle: t.workTitle(title),
      memoryKey: `audio-upload.${track.id}`,
      href,
      endpoint: endpointOf(track.id, file),
      onStored(_, workId) {
        finishWork(workId, { state: 'done', result: routes.uploadAudio.message, href });
        void queryClient.invalidateQueries();
      },
    });
    return undefined;
  };
}

function endpointOf(id: number, file: File): Endpoint<true> {
  const params = { id };
  const query = { name: file.name, size: String(file.size) };
  return {
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
  };
}

/** `3:24 · 44,1 kHz · 16 bits · stéréo`. */
export function audioFacts(audio: NonNullable<ReturnType<typeof audioOf>>): string {
  return [
    audio.durationMs == null ? undefined : formatPlayTime(audio.durationMs / 1000),
    audio.sampleRateHz == null ? undefined : t.rate(formatNumber(audio.sampleRateHz / 1000, 3)),
    audio.bitDepth == null ? undefined : t.bits(audio.bitDepth),
    audio.channels == null ? undefined : t.channels(audio.channels),
  ]
    .filter(Boolean)
    .join(' · ');
}

export function AudioField({ track }: { track: Track }) {
  const [refusal, setRefusal] = useState<string>();
  const upload = useAudioUploads().get(track.id);
  const sendAudio = useSendAudio();
  const audio = audioOf(track);
  return (
    <Stack gap={10}>
      {audio ? (
        <Group justify="space-between" gap="8px 16px">
          <Box component="span" miw={0} fz={14} className={shared.wrap}>
            {audio.name}
            <Box component="span" display="block" fz={12} className={shared.muted}>
              {[audioFacts(audio), audio.sizeBytes === undefined ? undefined : formatBytes(audio.sizeBytes)]
                .filter(Boolean)
                .join(' · ')}
            </Box>
          </Box>
          <Button
            component="a"
            href={audio.url}
            download
            variant="default"
            size="compact-md"
            leftSection={buttonIcon(IconDownload)}
          >
            {t.download}
          </Button>
        </Group>
      ) : (
        track.audioDetails !== null && (
          <Group component="p" justify="space-between" gap="8px 16px">
            {t.missing}
          </Group>
        )
      )}
      {upload && <AudioProgress upload={upload} />}
      {(!upload || isEnded(upload)) && (
        <Dropzone
          label={t.field(fullTitle(track))}
          accept={audioTypes}
          hint={t.hint}
          error={refusal}
          onFile={async (file) => setRefusal(await sendAudio(track, file))}
        />
      )}
    </Stack>
  );
}

export function NewAudioField({ file, onChange }: { file: File | undefined; onChange: (file: File) => void }) {
  const [refusal, setRefusal] = useState<string>();
  return (
    <Dropzone
      label={t.title}
      accept={audioTypes}
      hint={t.hint}
      fileName={file?.name}
      error={refusal}
      onFile={async (chosen) => {
        const refused = await refuseFile(chosen);
        setRefusal(refused);
        if (refused === undefined) onChange(chosen);
      }}
    />
  );
}

function sentenceOf(upload: Upload): string {
  const percent = percentOf(upload);
  switch (upload.phase) {
    case 'waiting':
      return t.waiting;
    case 'paused':
      return t.paused(percent);
    case 'sending': {
      const sent = t.sent(percent, formatBytes(upload.sentBytes), formatBytes(upload.sizeBytes));
      const { resumedAt } = upload;
      return resumedAt === undefined
        ? sent
        : `${sent} · ${t.resumed(Math.floor((resumedAt / upload.sizeBytes) * 100))}`;
    }
    default:
      return upload.message ?? '';
  }
}

export function AudioProgress({ upload }: { upload: Upload }) {
  const { key, title, phase } = upload;
  if (isEnded(upload)) {
    return (
      <Group
        gap={8}
        c={phase === 'done' ? 'var(--positive)' : phase === 'failed' ? 'var(--negative)' : undefined}
        fz={12}
        role={phase === 'failed' ? 'alert' : 'status'}
      >
        <span>{sentenceOf(upload)}</span>
        <CloseButton size="sm" aria-label={t.dismissOf(title)} onClick={() => audioUploads.dismiss(key)} />
      </Group>
    );
  }
  const isPaused = phase === 'paused';
  return (
    <div className={classes.progress}>
      <Progress.Root size={6}>
        <Progress.Section
          value={percentOf(upload)}
          aria-label={t.progressOf(title)}
          animated={phase === 'checking'}
          color={isPaused || phase === 'offline' ? 'gray' : undefined}
        />
      </Progress.Root>
      <Flex>
        <IconButton
          icon={isPaused ? IconPlayerPlay : IconPlayerPause}
          label={isPaused ? t.resumeOf(title) : t.pauseOf(title)}
          tooltip={isPaused ? t.resume : t.pause}
          onClick={() => (isPaused ? audioUploads.resume : audioUploads.pause)(key)}
        />
        <IconButton
          icon={IconX}
          label={t.cancelOf(title)}
          tooltip={fr.common.cancel}
          onClick={() => audioUploads.cancel(key)}
        />
      </Flex>
      <Box
        component="p"
        c={phase === 'offline' || phase === 'signedOut' ? 'var(--negative)' : 'var(--ink-2)'}
        fz={12}
        className={`${shared.wide} figures`}
      >
        <Box component="span" display="block" c="var(--ink)" className={shared.wrap}>
          {upload.fileName}
        </Box>{' '}
        {sentenceOf(upload)}
      </Box>
    </div>
  );
}

const audioUploads = createUploads<true>({
  chunkBytes: audioChunkBytes,
  atOnce: 1,
  isElsewhere: ({ code }) => code === 'conflict',
  words: { ...t, done: routes.uploadAudio.message },
});

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
