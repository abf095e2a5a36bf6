import { ActionIcon, Box, CloseButton, Flex, Progress, Tooltip } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { formatBytes } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { isEnded, percentOf } from '#src/lib/uploads.ts';
import shared from '#src/ui/shared.module.css';
import classes from './audio.module.css';
import { type AudioUpload, audioUploads } from './audio-upload.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.audio;

function sentenceOf(upload: AudioUpload): string {
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

/** An upload's progress with its actions, or its result. */
export function AudioProgress({ upload }: { upload: AudioUpload }) {
  const { key, title, phase } = upload;
  if (isEnded(upload)) {
    return (
      <div className={classes.ended} data-phase={phase} role={phase === 'failed' ? 'alert' : 'status'}>
        <span>{sentenceOf(upload)}</span>
        <CloseButton size="sm" aria-label={t.dismissOf(title)} onClick={() => audioUploads.dismiss(key)} />
      </div>
    );
  }
  const isPaused = phase === 'paused';
  return (
    <div className={classes.progress} data-phase={phase}>
      <Progress.Root size={6}>
        <Progress.Section
          value={percentOf(upload)}
          aria-label={t.progressOf(title)}
          animated={phase === 'checking'}
          color={isPaused || phase === 'offline' ? 'gray' : undefined}
        />
      </Progress.Root>
      <Flex>
        <Tooltip label={isPaused ? t.resume : t.pause}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={isPaused ? t.resumeOf(title) : t.pauseOf(title)}
            onClick={() => (isPaused ? audioUploads.resume : audioUploads.pause)(key)}
          >
            {isPaused ? <IconPlayerPlay size={16} stroke={1.7} /> : <IconPlayerPause size={16} stroke={1.7} />}
          </ActionIcon>
        </Tooltip>
        <Tooltip label={fr.common.cancel}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t.cancelOf(title)}
            onClick={() => audioUploads.cancel(key)}
          >
            <IconX size={16} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </Flex>
      <p className={classes.figures}>
        <Box component="span" display="block" c="var(--ink)" className={shared.wrap}>
          {upload.fileName}
        </Box>{' '}
        {sentenceOf(upload)}
      </p>
    </div>
  );
}
