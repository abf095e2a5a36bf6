import type { ReactNode } from 'react';
import classes from './record.module.css';

export interface Fact {
  label: string;
  /** Undefined leaves the fact out. */
  value: ReactNode;
}

/** Sections at the left, facts and links at the right; one column where the window is narrow. */
export function RecordLayout({
  children,
  sideTitle,
  facts,
}: {
  children: ReactNode;
  sideTitle: string;
  facts: Fact[];
}) {
  return (
    <div className={classes.page}>
      <div className={classes.main}>{children}</div>
      <aside className={classes.side} aria-label={sideTitle}>
        <h2 className={classes.sectionTitle}>{sideTitle}</h2>
        <dl className={classes.facts}>
          {facts.map(
            ({ label, value }) =>
              value !== undefined && (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
      </aside>
    </div>
  );
}

export function RecordSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className={classes.sectionTitle}>{title}</h2>
      {children}
    </section>
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
