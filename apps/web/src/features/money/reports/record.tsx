import type { ReactNode } from 'react';
import { type Fact, Facts, Section } from '#src/ui/record-page.tsx';
import classes from './record.module.css';

/** The side column; facts without a value are omitted. */
export function SideFacts({ title, facts }: { title: string; facts: { label: string; value: ReactNode }[] }) {
  return (
    <Section title={title}>
      <Facts facts={facts.filter((fact) => fact.value !== undefined)} />
    </Section>
  );
}

/** Key figures in a row. */
export function Figures({ figures, isLarge }: { figures: Fact[]; isLarge?: boolean }) {
  return (
    <dl className={classes.figures}>
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd data-large={isLarge || undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
