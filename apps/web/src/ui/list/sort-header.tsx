import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import shared from '#src/ui/shared.module.css';
import classes from './list-page.module.css';

interface SortHeaderProps extends ComponentProps<'th'> {
  label: string;
  align: 'right' | undefined;
  isSorted: boolean;
  order: string | undefined;
  onSort: (order: 'asc' | 'desc') => void;
}

/** The largest numbers come first, or the first names. */
export function SortHeader({ label, align, isSorted, order, onSort, ...rest }: SortHeaderProps) {
  const isUp = isSorted && order === 'asc';
  const isDownNext = isUp || (!isSorted && align === 'right');
  const Arrow = isUp ? IconArrowUp : IconArrowDown;
  return (
    <th {...rest} scope="col" data-align={align} aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}>
      <button
        type="button"
        className={classes.sort}
        data-sorted={isSorted || undefined}
        onClick={() => onSort(isDownNext ? 'desc' : 'asc')}
      >
        <span className={shared.cut}>{label}</span>
        <Arrow size={13} stroke={2} aria-hidden />
      </button>
    </th>
  );
}
