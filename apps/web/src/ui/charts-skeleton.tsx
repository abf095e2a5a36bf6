import { Group, Skeleton } from '@mantine/core';
import classes from './month-chart.module.css';

export function ChartsSkeleton() {
  return (
    <div className={classes.charts} aria-hidden="true">
      <ChartSkeleton />
      <ChartSkeleton />
    </div>
  );
}

const bars = [46, 58, 52, 64, 70, 62, 76, 84, 74, 68, 80, 72];

export function ChartSkeleton() {
  return (
    <div aria-hidden="true">
      <Skeleton h={20} w={160} />
      <Skeleton h={14} w={240} mt={8} />
      <Group align="flex-end" gap="4%" h={320} wrap="nowrap">
        {bars.map((percent, month) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
          <Skeleton key={month} h={`${percent}%`} />
        ))}
      </Group>
    </div>
  );
}
