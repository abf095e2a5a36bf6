import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { fr } from '#src/fr.ts';
import classes from './plain-table.module.css';

/** Over numbers it stands at the right; over buttons it is only read aloud. */
type Head = string | { right: string } | { hidden: string };

interface PlainTableProps {
  /** Of the region that scrolls. */
  name: string;
  /** Without one, the rows say by themselves what they are. */
  head?: readonly Head[];
  /** A frame around it; its head stays in sight. */
  isBoxed?: boolean;
  /** On phones its cells stand one below the other: for what is filled in, which must not scroll out of sight. */
  isStackable?: boolean;
  /** Beyond so many pixels it scrolls by itself. */
  maxHeight?: number;
  className?: string | undefined;
  /** Its `tbody`, and its `tfoot` where there are sums. Cells of numbers have `data-align="right"`, those that must not break `data-short`. */
  children: ReactNode;
}

/** A table to read. It may be wider than the window: it scrolls by itself, from the keyboard too. */
export function PlainTable({ name, head, isBoxed, isStackable, maxHeight, className, children }: PlainTableProps) {
  return (
    <section
      className={classes.scroll}
      data-boxed={isBoxed || undefined}
      data-stackable={isStackable || undefined}
      style={{ maxHeight }}
      tabIndex={0}
      aria-label={name}
    >
      <table className={`${classes.table} ${className ?? ''}`}>
        {head && (
          <thead>
            <tr>{head.map(headCell)}</tr>
          </thead>
        )}
        {children}
      </table>
    </section>
  );
}

function headCell(head: Head, index: number) {
  if (typeof head === 'string') {
    return (
      <th key={index} scope="col">
        {head}
      </th>
    );
  }
  return 'right' in head ? (
    <th key={index} scope="col" data-align="right">
      {head.right}
    </th>
  ) : (
    <th key={index} scope="col">
      <span className="visually-hidden">{head.hidden}</span>
    </th>
  );
}

/** Rows while they load. */
export function TableSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" aria-label={fr.common.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <div key={row} className={classes.skeleton}>
          <Skeleton h={12} w={`${24 + ((row * 17) % 24)}%`} />
          <Skeleton h={12} w="12%" ml="auto" />
          <Skeleton h={12} w="12%" />
        </div>
      ))}
    </div>
  );
}
