import classes from './inline.module.css';

export type StatusTone = 'success' | 'warning' | 'danger' | 'info' | 'neutral';

/** A state as text; the colour only repeats it. */
export function StatusBadge({ tone, children }: { tone: StatusTone; children: string }) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {children}
    </span>
  );
}
