import { Stack } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import shared from '#src/ui/shared.module.css';
import classes from './record-page.module.css';

interface RecordPageProps {
  /** A `PageHeader`. */
  header: ReactNode;
  children: ReactNode;
  /** Facts and related links. */
  side?: ReactNode;
}

/** A record: its header, a main column of sections, a side column of facts. */
export function RecordPage({ header, children, side }: RecordPageProps) {
  return (
    <div data-record className={classes.record}>
      {header}
      <div className={classes.columns} data-side={side !== undefined || undefined}>
        <Stack gap={32} miw={0}>
          {children}
        </Stack>
        {side && (
          <aside className={classes.side} aria-label={fr.common.facts}>
            {side}
          </aside>
        )}
      </div>
    </div>
  );
}

/** A titled part of a record page. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <div className={classes.sectionHead}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

export interface Fact {
  label: string;
  value: ReactNode;
}

export const hasValue = ({ value }: Fact): boolean =>
  value !== '' && value !== false && (value ?? undefined) !== undefined;

/** An e-mail address breaks before its @ and its dots. */
function breakAddress(text: string): ReactNode {
  if (!text.includes('@')) return text;
  return text.split(/(?=[@.])/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** Labels and values, one below the other; without a value, one is left out. */
export function Facts({ facts }: { facts: readonly (Fact | false)[] }) {
  return (
    <dl className={`${shared.facts} ${classes.facts}`}>
      {facts
        .filter((fact): fact is Fact => fact !== false && hasValue(fact))
        .map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{typeof value === 'string' ? breakAddress(value) : value}</dd>
          </div>
        ))}
    </dl>
  );
}
