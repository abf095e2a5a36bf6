import { Skeleton } from '@mantine/core';
import classes from './month-chart.module.css';

/** Placeholder of the two charts. */
export function ChartsSkeleton() {
  return (
    <div className={classes.charts} aria-hidden="true">
      <Skeleton />
      <Skeleton />
    </div>
  );
}
