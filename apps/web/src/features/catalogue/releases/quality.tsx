import { type QualityReason, qualityReasons } from '@regie/contract/releases.ts';
import type { Track } from '@regie/contract/routes/releases.ts';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { fullTitle, qualityLabel, splitQuality, tracksOfReason } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases.quality;

const icons = { good: IconCircleCheck, warning: IconAlertTriangle, blocking: IconCircleX };
type Level = keyof typeof icons;
/** The number of tracks listed by title. */
const namedTracks = 10;

/** Quality control's result as an icon and text; its reasons show on hover. */
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
  /** The way to what corrects a reason. */
  actionOf?: (reason: QualityReason) => ReactNode;
}

/** All reasons, blocking ones first, with the tracks concerned. */
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
    <div className={classes.qualityPanel}>
      {blocking.length > 0 && (
        <Reasons title={blockingTitle} level="blocking" reasons={blocking} {...{ tracks, actionOf }} />
      )}
      {warnings.length > 0 && (
        <Reasons title={t.warningTitle} level="warning" reasons={warnings} {...{ tracks, actionOf }} />
      )}
    </div>
  );
}

interface ReasonsProps extends Pick<QualityPanelProps, 'tracks' | 'actionOf'> {
  title: string;
  level: Level;
  reasons: readonly QualityReason[];
}

function Reasons({ title, level, reasons, tracks, actionOf }: ReasonsProps) {
  const Icon = icons[level];
  return (
    <div>
      <h3 className={classes.reasonsTitle}>{title}</h3>
      <ul className={classes.reasons}>
        {reasons.map((reason) => {
          const concerned = tracksOfReason(reason, tracks);
          return (
            <li key={reason}>
              <div className={classes.task}>
                <span className={classes.quality} data-level={level}>
                  <Icon size={16} stroke={1.8} aria-hidden />
                  {qualityReasons[reason].label}
                </span>
                {actionOf?.(reason)}
              </div>
              {concerned.length > 0 && concerned.length < tracks.length && (
                <span className={classes.hint}>
                  {t.tracks(concerned.slice(0, namedTracks).map(fullTitle).join(', '), concerned.length - namedTracks)}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
