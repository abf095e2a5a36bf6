import { Group, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import classes from './plain-table.module.css';

type Head = string | { right: string } | { hidden: string };
type HeadParts = { text?: string; right?: string; hidden?: string };

interface PlainTableProps {
  name: string;
  head?: readonly Head[];
  isBoxed?: boolean;
  /** On phones its cells are stacked, with their `data-label` before them: for tables that must stay in view whole. */
  isStackable?: boolean;
  maxHeight?: number;
  className?: string;
  /** The `tbody`, and a `tfoot` for sums. Numbers have `data-align="right"`, cells without line breaks `data-short`. */
  children: ReactNode;
}

export function PlainTable({ name, head, isBoxed, isStackable, maxHeight, className, children }: PlainTableProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section is a landmark, with the name of the one around it
    <div
      role="group"
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
    </div>
  );
}

function headCell(head: Head, index: number) {
  const { text, right, hidden }: HeadParts = typeof head === 'string' ? { text: head } : head;
  return (
    <th key={index} scope="col" data-align={right === undefined ? undefined : 'right'}>
      {hidden === undefined ? (text ?? right) : <span className="visually-hidden">{hidden}</span>}
    </th>
  );
}

export function TableSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" data-skeleton aria-label={fr.common.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Group key={row} gap={24} py={12} wrap="nowrap" className={classes.skeleton}>
          <Skeleton h={12} w={`${24 + ((row * 17) % 24)}%`} />
          <Skeleton h={12} w="12%" ml="auto" />
          <Skeleton h={12} w="12%" />
        </Group>
      ))}
    </div>
  );
}
