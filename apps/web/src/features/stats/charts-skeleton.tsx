import { Skeleton } from '@mantine/core';
import classes from './stats.module.css';

/** Where the two charts will stand. */
export function ChartsSkeleton() {
  return (
    <div className={classes.charts} aria-hidden="true">
      <Skeleton />
      <Skeleton />
    </div>
  );
}
