import { Box, Group, SimpleGrid, Stack } from '@mantine/core';
import { type QualityReason, qualityReasons } from '@regie/contract/releases.ts';
import type { Track } from '@regie/contract/routes/releases.ts';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import shared from '#src/ui/shared.module.css';
import { fullTitle, qualityLabel, splitQuality, tracksOfReason } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases.quality;

const icons = { good: IconCircleCheck, warning: IconAlertTriangle, blocking: IconCircleX };
type Level = keyof typeof icons;
const namedTracks = 10;

export function QualityMark({ quality }: { quality: readonly QualityReason[] }) {
  const { blocking, warnings } = splitQuality(quality);
  const level: Level = blocking.length > 0 ? 'blocking' : warnings.length > 0 ? 'warning' : 'good';
  const Icon = icons[level];
  return (
    <span
      className={classes.quality}
      data-level={level}
      title={quality.map((reason) => qualityReasons[reason].label).join(', ') || undefined}
    >
      <Icon size={16} stroke={1.8} aria-hidden />
      {qualityLabel(quality)}
    </span>
  );
}

interface QualityPanelProps {
  quality: readonly QualityReason[];
  tracks: readonly Track[];
  blockingTitle?: string;
  actionOf?: (reason: QualityReason) => ReactNode;
}

export function QualityPanel({ quality, tracks, blockingTitle = t.blockingTitle, actionOf }: QualityPanelProps) {
  const { blocking, warnings } = splitQuality(quality);
  if (quality.length === 0) {
    return (
      <p className={classes.quality} data-level="good">
        <IconCircleCheck size={18} stroke={1.8} aria-hidden />
        {t.goodText}
      </p>
    );
  }
  return (
    <SimpleGrid minColWidth="min(100%, 260px)" autoFlow="auto-fit" spacing={32} verticalSpacing={20}>
      {blocking.length > 0 && (
        <Reasons title={blockingTitle} level="blocking" reasons={blocking} {...{ tracks, actionOf }} />
      )}
      {warnings.length > 0 && (
        <Reasons title={t.warningTitle} level="warning" reasons={warnings} {...{ tracks, actionOf }} />
      )}
    </SimpleGrid>
  );
}

interface TaskProps {
  level: Level;
  icon?: typeof IconCircleX;
  action: ReactNode;
  children: ReactNode;
}

export function Task({ level, icon: Icon = icons[level], action, children }: TaskProps) {
  return (
    <Group justify="space-between" gap="4px 16px" mih={32}>
      <span className={classes.quality} data-level={level}>
        <Icon size={16} stroke={1.8} aria-hidden />
        <span>{children}</span>
      </span>
      {action}
    </Group>
  );
}

interface ReasonsProps extends Pick<QualityPanelProps, 'tracks' | 'actionOf'> {
  title: string;
  level: Level;
  reasons: readonly QualityReason[];
}

function Reasons({ title, level, reasons, tracks, actionOf }: ReasonsProps) {
  return (
    <div>
      <Box component="h3" mb={8} fz={13} fw={550} className={shared.muted}>
        {title}
      </Box>
      <Stack component="ul" gap={8}>
        {reasons.map((reason) => {
          const concerned = tracksOfReason(reason, tracks);
          return (
            <li key={reason}>
              <Task level={level} action={actionOf?.(reason)}>
                {qualityReasons[reason].label}
              </Task>
              {concerned.length > 0 && concerned.length < tracks.length && (
                <Box component="span" pl={22} className={shared.under}>
                  {t.tracks(concerned.slice(0, namedTracks).map(fullTitle).join(', '), concerned.length - namedTracks)}
                </Box>
              )}
            </li>
          );
        })}
      </Stack>
    </div>
  );
}
