import { Box } from '@mantine/core';
import type { CoverWidth } from '@regie/contract/covers.ts';
import { CoverDetails } from '@regie/contract/routes/releases.ts';
import { useState } from 'react';
import { readJson } from '#src/lib/read-json.ts';
import classes from './cover.module.css';
import { frRecords } from './records.fr.ts';

const hues = [225, 167, 32, 315, 210, 60];
/** Displayed width and height, and the picture width that is sharp on dense screens. */
const sizes = {
  row: { pixels: 34, width: 96, dense: 96 },
  card: { pixels: 200, width: 365, dense: 730 },
  hero: { pixels: 200, width: 365, dense: 730 },
} as const satisfies Record<string, { pixels: number; width: CoverWidth; dense: CoverWidth }>;

function initialsOf(title: string): string {
  const words = title.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toLocaleUpperCase('fr');
}

const coverUrlOf = (release: { coverDetails: string }) => readJson(CoverDetails, release.coverDetails)?.url;
export const hasCover = (release: { coverDetails: string }): boolean => coverUrlOf(release) !== undefined;

interface CoverProps {
  release: { id: number; title: string; coverDetails: string };
  size: keyof typeof sizes;
}

/** Without a cover, or when it fails to load, the initials on a colour derived from the release. */
export function Cover({ release, size }: CoverProps) {
  const url = coverUrlOf(release);
  return (
    <Box
      component="span"
      className={classes.cover}
      data-size={size}
      __vars={{ '--hue': String(hues[release.id % hues.length]) }}
      aria-hidden={size !== 'hero'}
    >
      {url === undefined ? (
        initialsOf(release.title)
      ) : (
        // A new cover has a new URL: reset the state.
        <Picture key={url} url={url} title={release.title} size={size} />
      )}
    </Box>
  );
}

function Picture({ url, title, size }: { url: string; title: string; size: keyof typeof sizes }) {
  const [state, setState] = useState<'loading' | 'there' | 'failed'>('loading');
  const { pixels, width, dense } = sizes[size];
  const at = (w: CoverWidth) => `${url}?w=${w}&q=85&f=webp`;
  if (state === 'failed') return initialsOf(title);
  return (
    <img
      className={classes.picture}
      data-state={state}
      src={at(width)}
      srcSet={`${at(width)} 1x, ${at(dense)} 2x`}
      width={pixels}
      height={pixels}
      alt={size === 'hero' ? frRecords.cover(title) : ''}
      loading={size === 'hero' ? 'eager' : 'lazy'}
      decoding="async"
      // A cached picture may be loaded before the listener is added.
      ref={(image) => {
        if (image?.complete && image.naturalWidth > 0 && state === 'loading') setState('there');
      }}
      onLoad={() => setState('there')}
      onError={() => setState('failed')}
    />
  );
}
