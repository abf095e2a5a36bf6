import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAct } from '#src/lib/act.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import classes from './list-page.module.css';

/** The maximum number of records in one bulk call. */
const mostSelected = 500;

interface SelectionBarProps {
  count: number;
  /** The number of rows of the filter, when it is exact. */
  total: number | undefined;
  onSelectAll: () => Promise<void>;
  onClear: () => void;
  /** Actions on the selected rows. */
  children: ReactNode;
}

export function SelectionBar({ count, total, onSelectAll, onClear, children }: SelectionBarProps) {
  const isPhone = useIsPhone();
  const { act, isBusy, failure } = useAct({ reloads: 'nothing' });
  /** The label of the choice of all rows of the filter, including other pages. */
  const all =
    total !== undefined && total > count && total <= mostSelected
      ? fr.list.selectFiltered(formatInteger(total))
      : undefined;
  return (
    <section className={classes.selectionBar} aria-label={fr.list.selected(count)}>
      <strong>{fr.list.selected(count)}</strong>
      {children}
      {isPhone ? (
        <MoreMenu label={fr.list.moreSelection}>
          {all && <Menu.Item onClick={() => act(onSelectAll)}>{all}</Menu.Item>}
          <Menu.Item onClick={onClear}>{fr.list.clearSelection}</Menu.Item>
        </MoreMenu>
      ) : (
        <>
          {all && (
            <Button variant="subtle" size="compact-sm" loading={isBusy} onClick={() => act(onSelectAll)}>
              {all}
            </Button>
          )}
          <Button variant="subtle" size="compact-sm" onClick={onClear}>
            {fr.list.clearSelection}
          </Button>
        </>
      )}
      {failure && <span role="alert">{failure}</span>}
    </section>
  );
}
