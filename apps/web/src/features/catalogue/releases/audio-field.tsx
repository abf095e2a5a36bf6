import { Box, Button, Group, Stack } from '@mantine/core';
import type { Track } from '@regie/contract/routes/releases.ts';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatBytes, formatNumber, formatPlayTime } from '#src/lib/formats.ts';
import { isEnded } from '#src/lib/uploads.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import shared from '#src/ui/shared.module.css';
import { AudioProgress } from './audio-progress.tsx';
import { refuseFile, startAudioUpload, useAudioUploads } from './audio-upload.ts';
import { audioOf, fullTitle } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.audio;

/** The file picker's filter; every file is checked before upload. */
export const audioTypes = '.wav,audio/wav,audio/x-wav,audio/vnd.wave';

type AudioTarget = Pick<Track, 'id' | 'title' | 'version' | 'libraryId'>;

/** Uploads a track's file from any screen; the screen reloads once it is stored. */
export function useSendAudio(): (track: AudioTarget, file: File) => Promise<string | undefined> {
  const queryClient = useQueryClient();
  return (track, file) =>
    startAudioUpload({ id: track.id, title: fullTitle(track), releaseId: track.libraryId }, file, () => {
      void queryClient.invalidateQueries();
    });
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

/** A track's audio file: the current one, and a replacement chosen or dropped. */
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

/** The audio file of a new track, uploaded once the track is created. */
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
