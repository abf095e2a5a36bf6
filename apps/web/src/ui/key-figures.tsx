import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import shared from '#src/ui/shared.module.css';
import classes from './key-figures.module.css';

export interface KeyFigure {
  label: string;
  value: ReactNode;
  /** Given as undefined while it loads: its place is kept. */
  hint?: ReactNode;
}

export function KeyFigures({ label, figures }: { label: string; figures: readonly KeyFigure[] }) {
  return (
    <ul className={classes.figures} aria-label={label}>
      {figures.map((figure) => (
        <li key={figure.label} className={classes.figure}>
          <span className={classes.label}>{figure.label}</span>
          <span className={`${shared.figure} ${classes.value}`}>
            {figure.value ?? <Skeleton component="span" display="block" h="1lh" w={120} />}
          </span>
          {'hint' in figure && <p className={classes.hint}>{figure.hint}</p>}
        </li>
      ))}
    </ul>
  );
}
