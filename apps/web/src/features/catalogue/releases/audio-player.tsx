import { ActionIcon, Box, CloseButton, Group, useComputedColorScheme } from '@mantine/core';
import type { Track } from '@regie/contract/routes/releases.ts';
import { formatPlayTime } from '@regie/values/formats.ts';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { styleNonce } from '#src/ui/app-theme.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './audio.module.css';
import { audioOf, fullTitle } from './release-labels.ts';
import { waveformQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.audio;
const stepSeconds = 5;
const waveHeightPx = 48;

interface AudioPlayerProps {
  track: Track;
  media: RefObject<HTMLAudioElement | null>;
  isPlaying: boolean;
  onPlaying: (isPlaying: boolean) => void;
  /** Omitted for one that stays; it starts only when asked. */
  onClose?: () => void;
}

/** Plays a track, streamed in ranges; the server computed the waveform, so drawing it needs nothing of the file. */
export function AudioPlayer({ track, media, isPlaying, onPlaying, onClose }: AudioPlayerProps) {
  const title = fullTitle(track);
  const audio = audioOf(track);
  const [time, setTime] = useState(0);
  const [mediaSeconds, setMediaSeconds] = useState<number>();
  const [hasFailed, setHasFailed] = useState(false);
  const { data: waveform } = useQuery(waveformQuery(track.id, track.audioDetails ?? ''));
  const seconds = mediaSeconds ?? (audio?.durationMs ?? 0) / 1000;

  const toggle = () => {
    const element = media.current;
    if (!element) return;
    if (element.paused) void element.play().catch(() => setHasFailed(true));
    else element.pause();
  };
  const seek = (to: number) => {
    const place = Math.max(0, Math.min(seconds, to));
    if (media.current) media.current.currentTime = place;
    setTime(place);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isButton = event.target instanceof HTMLElement && event.target.closest('button') !== null;
    const moves: Record<string, () => void> = {
      ArrowRight: () => seek(time + stepSeconds),
      ArrowUp: () => seek(time + stepSeconds),
      ArrowLeft: () => seek(time - stepSeconds),
      ArrowDown: () => seek(time - stepSeconds),
      Home: () => seek(0),
      End: () => seek(seconds),
      ...(isButton ? {} : { ' ': toggle }),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  };
  const seekByPointer = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    seek(((event.clientX - left) / width) * seconds);
  };

  if (!audio) return null;
  return (
    <section
      className={classes.player}
      data-floating={onClose && true}
      aria-label={t.player(title)}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: music, without a transcript to show */}
      <audio
        ref={media}
        src={audio.url}
        autoPlay={onClose !== undefined}
        preload="metadata"
        onPlay={() => {
          setHasFailed(false);
          onPlaying(true);
        }}
        onPause={() => onPlaying(false)}
        onTimeUpdate={(event) => setTime(event.currentTarget.currentTime)}
        onDurationChange={(event) => {
          const { duration } = event.currentTarget;
          setMediaSeconds(Number.isFinite(duration) ? duration : undefined);
        }}
        onError={() => {
          onPlaying(false);
          setHasFailed(true);
        }}
      />
      <ActionIcon
        className={classes.playButton}
        variant="filled"
        radius="xl"
        size={44}
        aria-label={isPlaying ? t.pausePlaying(title) : t.play(title)}
        onClick={toggle}
      >
        {isPlaying ? <IconPlayerPauseFilled size={18} /> : <IconPlayerPlayFilled size={18} />}
      </ActionIcon>
      <Group align="baseline" justify="space-between" gap={12} fz={13} wrap="nowrap" style={{ gridColumn: '2 / -1' }}>
        <Box component="span" fw={600} className={shared.cut}>
          {title}
        </Box>
        <Box component="span" flex="none" className={`${shared.muted} figures`}>
          {formatPlayTime(time)} / {formatPlayTime(seconds)}
        </Box>
      </Group>
      <div
        className={classes.position}
        role="slider"
        tabIndex={0}
        aria-label={t.position(title)}
        aria-valuemin={0}
        aria-valuemax={Math.floor(seconds)}
        aria-valuenow={Math.floor(time)}
        aria-valuetext={t.time(formatPlayTime(time), formatPlayTime(seconds))}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          seekByPointer(event);
        }}
        onPointerMove={seekByPointer}
      >
        {waveform?.peaks ? (
          <Waveform peaks={waveform.peaks} seconds={seconds} media={media} />
        ) : (
          <div className={classes.plainLine}>
            <div
              className={classes.plainDone}
              style={{ transform: `scaleX(${seconds > 0 ? Math.min(1, time / seconds) : 0})` }}
            />
          </div>
        )}
      </div>
      {onClose && <CloseButton aria-label={t.close} onClick={onClose} />}
      {hasFailed && (
        <Box component="p" c="var(--negative)" fz={13} className={shared.wide} role="alert">
          {t.playFailed}
        </Box>
      )}
    </section>
  );
}

/** Converts the server's pairs of signed bytes to the two outlines above and below the middle. */
function toLines(peaks: string): [Float32Array, Float32Array] {
  const bytes = Int8Array.from(atob(peaks), (character) => character.charCodeAt(0));
  const steps = bytes.length / 2;
  const line = (from: 0 | 1) => Float32Array.from({ length: steps }, (_, step) => (bytes[step * 2 + from] ?? 0) / 127);
  return [line(1), line(0)];
}

function Waveform({
  peaks,
  seconds,
  media,
}: {
  peaks: string;
  seconds: number;
  media: RefObject<HTMLAudioElement | null>;
}) {
  const container = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const hasLength = seconds > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other colours of another scheme are drawn anew
  useEffect(() => {
    let isGone = false;
    let drawn: { destroy: () => void } | undefined;
    const place = container.current;
    const element = media.current;
    if (!place || !element || !hasLength) return;
    void import('wavesurfer.js').then(({ default: WaveSurfer }) => {
      if (isGone) return;
      const colour = (name: string) => getComputedStyle(place).getPropertyValue(name).trim();
      drawn = WaveSurfer.create({
        container: place,
        media: element,
        peaks: toLines(peaks),
        duration: seconds,
        height: waveHeightPx,
        waveColor: colour('--line-strong'),
        progressColor: colour('--mantine-primary-color-filled'),
        cursorColor: colour('--ink'),
        cursorWidth: 1,
        barWidth: 2,
        barGap: 1,
        barRadius: 2,
        interact: false,
        cspNonce: styleNonce(),
      });
    });
    return () => {
      isGone = true;
      drawn?.destroy();
    };
  }, [peaks, hasLength, seconds, media, scheme]);
  return <div ref={container} className={classes.wave} aria-hidden />;
}
