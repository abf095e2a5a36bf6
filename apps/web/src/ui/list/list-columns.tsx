import { ActionIcon, Menu } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconArrowsSort, IconLayoutGrid, IconTable } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import { usePreference } from '#src/lib/preferences.ts';
import { IconButton } from '#src/ui/icon-button.tsx';
import type { ExportedColumn } from './list-export.ts';
import type { ListState } from './list-state.ts';

/** Without `csv` the column is not exported; `type` and `unit` give its format in the file. */
export interface ListColumn<Row> extends ExportedColumn<Row> {
  key: string;
  cell?: (row: Row) => ReactNode;
  sort?: string;
  align?: 'right';
  width?: string;
  /** Names the row in narrow windows, instead of the first column, which is a number or date. */
  isIdentity?: boolean;
  total?: string;
  /** Its total is cut to the cent like a balance, so that it is the one it leads to. */
  isBalanceTotal?: true;
  isHeaderHidden?: boolean;
  isSecondary?: boolean;
  /** A code, an address or a time range: half of it says nothing, so narrow windows show it whole or not. */
  isCode?: boolean;
  isTableOnly?: boolean;
  isCardOnly?: boolean;
}

/** Of a total that leaves some rows out by default, in a list that is filtered for them. */
export const withWholeTotal = <Row,>(columns: readonly ListColumn<Row>[], isFiltered: boolean) =>
  columns.map((column) => (column.total && isFiltered ? { ...column, total: fr.list.total } : column));

interface DisplayMenuProps<Row> {
  columns: readonly ListColumn<Row>[];
  hidden: readonly string[];
  onHiddenChange: (keys: string[]) => void;
}

export function DisplayMenu<Row>({ columns, hidden, onHiddenChange }: DisplayMenuProps<Row>) {
  const [density, setDensity] = usePreference('density', ['comfortable', 'compact']);
  return (
    <Menu position="bottom-end" shadow="md" closeOnItemClick={false}>
      <Menu.Target>
        <IconButton variant="default" label={fr.list.display} icon={IconAdjustmentsHorizontal} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{fr.list.density}</Menu.Label>
        <Menu.RadioGroup
          value={density}
          onChange={(value) => setDensity(value === 'compact' ? 'compact' : 'comfortable')}
        >
          <Menu.RadioItem value="comfortable">{fr.list.comfortable}</Menu.RadioItem>
          <Menu.RadioItem value="compact">{fr.list.compact}</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Label>{fr.list.columns}</Menu.Label>
        {columns.map((column) => (
          <Menu.CheckboxItem
            key={column.key}
            checked={!hidden.includes(column.key)}
            onChange={(isShown) =>
              onHiddenChange(
                isShown ? hidden.filter((key) => key !== column.key) : [...hidden.filter(Boolean), column.key],
              )
            }
          >
            {column.header}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function ViewSwitch({
  view,
  onChange,
}: {
  view: 'cards' | 'table';
  onChange: (view: 'cards' | 'table') => void;
}) {
  const views = [
    { value: 'cards', label: fr.list.asCards, icon: IconLayoutGrid },
    { value: 'table', label: fr.list.asTable, icon: IconTable },
  ] as const;
  return (
    <ActionIcon.Group>
      {views.map(({ value, label, icon }) => (
        <IconButton
          key={value}
          label={label}
          icon={icon}
          variant={view === value ? 'light' : 'default'}
          aria-pressed={view === value}
          onClick={() => onChange(value)}
        />
      ))}
    </ActionIcon.Group>
  );
}

export interface ListSort {
  key: string;
  order: 'asc' | 'desc';
}

export function SortMenu<Row>({
  columns,
  state,
  defaultSort,
}: {
  columns: readonly ListColumn<Row>[];
  state: ListState;
  defaultSort: ListSort | undefined;
}) {
  const { sort = defaultSort?.key, order = defaultSort?.order ?? 'asc' } = state.search;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <IconButton variant="default" label={fr.list.sort} icon={IconArrowsSort} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{fr.list.sort}</Menu.Label>
        <Menu.RadioGroup
          value={`${sort} ${order}`}
          onChange={(value) => {
            const [nextSort, nextOrder] = value.split(' ');
            state.setSearch({ sort: nextSort, order: nextOrder });
          }}
        >
          {columns.flatMap((column) =>
            column.sort
              ? (['asc', 'desc'] as const).map((direction) => (
                  <Menu.RadioItem key={`${column.key} ${direction}`} value={`${column.sort} ${direction}`}>
                    {direction === 'asc' ? fr.list.ascending(column.header) : fr.list.descending(column.header)}
                  </Menu.RadioItem>
                ))
              : [],
          )}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
