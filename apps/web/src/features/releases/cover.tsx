import type { CoverWidth } from '@regie/contract/covers.ts';
import { CoverDetails } from '@regie/contract/routes/releases.ts';
import { useState } from 'react';
import { fr } from '#src/fr.ts';
import classes from './cover.module.css';
import { readJson } from './release-labels.ts';

const tones = 6;
/** Width and height on the page, and the picture that is sharp enough there, also on a dense screen. */
const sizes = {
  row: { pixels: 34, width: 96, dense: 96 },
  card: { pixels: 200, width: 365, dense: 730 },
  hero: { pixels: 200, width: 365, dense: 730 },
} as const satisfies Record<string, { pixels: number; width: CoverWidth; dense: CoverWidth }>;

/** Two letters of a title: its first words' first letters. */
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

/**
 * A release's cover, in a space that is kept from the first moment. Without one, or when it does not come, the
 * release's initials on a calm ground, the same one every time.
 */
export function Cover({ release, size }: CoverProps) {
  const url = coverUrlOf(release);
  return (
    <span className={classes.cover} data-size={size} data-tone={release.id % tones} aria-hidden={size !== 'hero'}>
      {url === undefined ? (
        initialsOf(release.title)
      ) : (
        // A new cover is a new address: it begins anew.
        <Picture key={url} url={`/api${url}`} title={release.title} size={size} />
      )}
    </span>
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
      alt={size === 'hero' ? fr.cover.alt(title) : ''}
      loading={size === 'hero' ? 'eager' : 'lazy'}
      decoding="async"
      // From the browser's memory it may be there before anybody listens.
      ref={(image) => {
        if (image?.complete && image.naturalWidth > 0 && state === 'loading') setState('there');
      }}
      onLoad={() => setState('there')}
      onError={() => setState('failed')}
    />
  );
}
