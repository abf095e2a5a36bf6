import classes from './releases.module.css';

const tones = 6;

/** Two letters of a title: its first words' first letters. */
function initialsOf(title: string): string {
  const words = title.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toLocaleUpperCase('fr');
}

/** What stands where a release has no cover picture: its initials on a calm ground, the same one every time. */
export function Cover({ id, title, size }: { id: number; title: string; size: 'card' | 'hero' | 'row' }) {
  return (
    <span className={classes.cover} data-size={size} data-tone={id % tones} aria-hidden>
      {initialsOf(title)}
    </span>
  );
}
