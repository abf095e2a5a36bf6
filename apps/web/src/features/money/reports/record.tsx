import type { Fact } from '#src/ui/record-page.tsx';
import classes from './record.module.css';

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
