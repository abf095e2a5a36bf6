import { Skeleton } from '@mantine/core';
import classes from './month-chart.module.css';

/** Where the two charts will stand. */
export function ChartsSkeleton() {
  return (
    <div className={classes.charts} aria-hidden="true">
      <Skeleton />
      <Skeleton />
    </div>
  );
}
