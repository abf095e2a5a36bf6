import { Button, Menu } from '@mantine/core';
import { formatInteger } from '@regie/values/formats.ts';
import type { ReactNode } from 'react';
import { useAct } from '#src/lib/act.ts';
import { fr } from '#src/lib/fr.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import classes from './list-page.module.css';

const mostSelected = 500;

interface SelectionBarProps {
  count: number;
  total: number | undefined;
  onSelectAll: () => Promise<void>;
  onClear: () => void;
  children: ReactNode;
}

export function SelectionBar({ count, total, onSelectAll, onClear, children }: SelectionBarProps) {
  const isPhone = useIsPhone();
  const { act, isBusy, failure } = useAct({ reloads: 'nothing' });
  const all =
    total !== undefined && total > count && total <= mostSelected
      ? fr.list.selectFiltered(formatInteger(total))
      : undefined;
  return (
    <section data-selection className={classes.selectionBar} aria-label={fr.list.selected(count)}>
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
