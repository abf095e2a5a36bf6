import { IconCircleCheckFilled, IconCircleDashed, IconCircleMinus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import { DateText } from '#src/ui/dates.tsx';
import shared from '#src/ui/shared.module.css';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

export interface Step {
  label: string;
  /** Null: not done yet. `by` is null for the system. */
  done: { at: number; by: string | null } | null;
  note?: ReactNode;
  isLeftOut?: boolean;
}

export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className={classes.steps}>
      {steps.map(({ label, done, note, isLeftOut }) => {
        const open = isLeftOut ? IconCircleMinus : IconCircleDashed;
        const Icon = done ? IconCircleCheckFilled : open;
        return (
          <li key={label} className={classes.step} data-done={done !== null || undefined} data-left-out={isLeftOut}>
            <span className={classes.stepName}>
              <Icon size={16} stroke={1.8} aria-hidden /> {label}
            </span>
            {done && (
              <>
                <span className={shared.under}>
                  <DateText ms={done.at} hasTime />
                </span>
                <span className={shared.under}>{done.by ?? fr.common.system}</span>
              </>
            )}
            {(note || !done) && <span className={shared.under}>{note ?? frPayouts.notYet}</span>}
          </li>
        );
      })}
    </ol>
  );
}
