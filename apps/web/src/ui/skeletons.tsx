import { Skeleton, type SkeletonProps } from '@mantine/core';

/** In place of rows, cards or fields that are alike. */
export const Skeletons = ({ count, ...skeleton }: SkeletonProps & { count: number }) =>
  Array.from({ length: count }, (_, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
    <Skeleton key={i} {...skeleton} />
  ));
