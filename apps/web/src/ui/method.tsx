import { IconInfoCircle } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { fr } from '#src/lib/fr.ts';
import { buttonIcon } from './button-icon.tsx';
import classes from './method.module.css';

/** How figures are made, behind an "i". The browser places and closes it: Escape, or a click elsewhere. */
export function Method({ of, children }: { of: string; children: ReactNode }) {
  const id = useId();
  return (
    <>
      <button type="button" className={classes.button} popoverTarget={id} aria-label={fr.common.method(of)}>
        {buttonIcon(IconInfoCircle)}
      </button>
      <div id={id} popover="auto" className={classes.text}>
        {children}
      </div>
    </>
  );
}
