import { ActionIcon, Button, Checkbox, CloseButton, Group, Menu, Skeleton, TextInput, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { RouteContract } from '@regie/contract/route.ts';
import {
  IconAdjustmentsHorizontal,
  IconArrowDown,
  IconArrowsSort,
  IconArrowUp,
  IconChevronLeft,
  IconChevronRight,
  IconLayoutGrid,
  IconSearch,
  IconTable,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type HistoryState, Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { type ApiData, apiList, errorSentence, type ListParams } from '#src/lib/api.ts';
import { formatInteger, formatTotal } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { usePreference, useTextPreference } from '#src/lib/preferences.ts';
import { FileMenu } from './file-menu.tsx';
import { type ExportedColumn, exportList, readPages } from './list-export.ts';
import { FilterChip, filterParams, filterQuery, type ListFilter } from './list-filters.tsx';
import { useListKeys } from './list-keys.ts';
import classes from './list-page.module.css';
import { type ListState, useListState } from './list-state.ts';
import { PageHeader } from './page-header.tsx';
import { EmptyState, ErrorState } from './states.tsx';

/** Without `csv` the column is not exported; `type` and `unit` give its format in the file. */
export interface ListColumn<Row> extends ExportedColumn<Row> {
  /** Unique in the list. */
  key: string;
  /** Absent for a column that is only exported. */
  cell?: (row: Row) => ReactNode;
  /** The contract's sort key, when the column is sortable. */
  sort?: string;
  align?: 'right';
  width?: string;
  /** Hidden first in narrow windows. */
  isSecondary?: boolean;
}

export interface ListTab {
  label: string;
  to: string;
  search?: Record<string, string>;
  isCurrent: boolean;
}

export interface ListPageProps<Route extends RouteContract, Row> {
  /** Unique key of the list's preferences in this browser (columns). */
  id: string;
  title: string;
  route: Route;
  /** Extracts the rows from the response. */
  rows: (data: ApiData<Route>) => readonly Row[];
  /** Sent with every request; overrides the filters. */
  query?: ListParams;
  /** The first column identifies the row. */
  columns: readonly ListColumn<Row>[];
  rowKey: (row: Row) => string | number;
  /** The row's accessible name. */
  rowName: (row: Row) => string;
  /** The link of the whole row. */
  rowHref?: (row: Row) => string;
  /** History state passed to that link. */
  rowState?: (row: Row) => HistoryState;
  /** Instead of `rowHref`, for records that open beside the list. */
  onRowOpen?: (row: Row) => void;
  /** Groups consecutive rows under a heading. */
  group?: { key: (row: Row) => string; header: (row: Row) => ReactNode };
  /** The row's colour; a cell says the same in words. */
  rowTone?: (row: Row) => 'success' | 'danger' | 'neutral' | undefined;
  /** Quick actions at the end of the row. */
  rowActions?: (row: Row) => ReactNode;
  /** Placeholder of the search box; absent: no search. */
  searchPlaceholder?: string;
  filters?: readonly ListFilter[];
  tabs?: readonly ListTab[];
  /** Primary action, to the right of the title. */
  actions?: ReactNode;
  empty: { title: string; text?: string; action?: ReactNode };
  /** The file's name without extension; absent: no export. */
  exportName?: string;
  /** Actions on the selected rows; absent: rows cannot be selected. */
  selection?: (rows: readonly Row[], clear: () => void) => ReactNode;
  /** A summary of the selected rows. */
  selectionTotal?: (rows: readonly Row[]) => ReactNode;
  /** Between the header and the list. */
  intro?: ReactNode;
  /**
   * Renders a row as a card. The list then offers cards, the default, beside its table, and remembers the choice. The
   * element that opens the card has `data-row-open`.
   */
  card?: (row: Row) => ReactNode;
  /** The default sort, to mark its column. */
  defaultSort?: { key: string; order: 'asc' | 'desc' };
}

/** The maximum number of records in one bulk call. */
const mostSelected = 500;
const pageSize = 50;
const searchDelayMs = 250;
const skeletonRows = 10;

/** The part of a list's URL that is sent to the server. */
function listQuery(state: ListState, filters: readonly ListFilter[], query: ListParams): ListParams {
  const params: ListParams = { q: state.search.q, sort: state.search.sort, order: state.search.order };
  for (const filter of filters) Object.assign(params, filterQuery(filter, state.search));
  return { ...params, ...query };
}

/**
 * The list page of interface.md: its whole state is in the URL, so that reload, back and a shared link show the same
 * rows.
 */
export function ListPage<Route extends RouteContract, Row>(props: ListPageProps<Route, Row>) {
  const { route, filters = [], columns, selection } = props;
  const state = useListState();
  const query = listQuery(state, filters, props.query ?? {});
  const result = useQuery({
    queryKey: ['list', route.path, query, state.search.cursor ?? null],
    queryFn: ({ signal }) => apiList(route, { ...query, limit: pageSize, cursor: state.search.cursor }, signal),
    placeholderData: keepPreviousData,
  });
  const rows = result.data ? props.rows(result.data.data) : undefined;
  const meta = result.data?.meta;
  const [density] = usePreference('density', ['comfortable', 'compact']);
  const [view, setView] = usePreference(`view.${props.id}`, ['cards', 'table']);
  const { card } = props;
  const isGallery = card !== undefined && view === 'cards';
  const [hiddenText, setHiddenText] = useTextPreference(`columns.${props.id}`);
  const hidden = hiddenText.split(',');
  const shown = columns.filter((column, i) => column.cell && (i === 0 || !hidden.includes(column.key)));
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const [selected, setSelected] = useState<ReadonlyMap<string | number, Row>>(new Map());
  const container = useRef<HTMLDivElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);

  const toggle = (row: Row) => {
    const next = new Map(selected);
    const key = props.rowKey(row);
    if (!next.delete(key)) next.set(key, row);
    setSelected(next);
  };
  const clearSelection = () => setSelected(new Map());
  const selectAll = async () => {
    const all = new Map<string | number, Row>();
    for await (const page of readPages({ route, query, rows: props.rows })) {
      for (const row of page) all.set(props.rowKey(row), row);
    }
    setSelected(all);
  };
  useListKeys({
    container,
    searchBox,
    onSelect: (index) => {
      const row = rows?.[index];
      if (selection && row !== undefined) toggle(row);
    },
  });

  const listParams = ['q', ...filters.flatMap(filterParams)];
  const isFiltered = listParams.some((param) => state.search[param] !== undefined && state.search[param] !== '');
  const clearFilters = () => {
    state.setSearch(Object.fromEntries(listParams.map((param) => [param, undefined])));
  };

  // A lower bound is raised to the number of rows already paged through, and is exact on the last page.
  const seen = (state.page - 1) * pageSize + (rows?.length ?? 0);
  const total = meta && formatTotal(Math.max(meta.total, seen), meta.totalIsExact || meta.nextCursor === null);
  const exportable = props.exportName;
  const Rows = isNarrow ? RowCards : RowTable;
  return (
    <div>
      <PageHeader title={props.title} count={total} actions={props.actions} />
      {props.intro}
      {props.tabs && <Tabs tabs={props.tabs} />}
      <div className={classes.toolbar}>
        {props.searchPlaceholder && (
          <SearchBox
            inputRef={searchBox}
            placeholder={props.searchPlaceholder}
            value={state.search.q ?? ''}
            onSearch={(q) => state.setSearch({ q }, { replace: true })}
          />
        )}
        {filters.map((filter) => (
          <FilterChip
            key={filter.label}
            filter={filter}
            search={state.search}
            onChange={(change) => state.setSearch(change)}
          />
        ))}
        {isFiltered && (
          <Button variant="subtle" size="compact-sm" onClick={clearFilters}>
            {fr.list.clearFilters}
          </Button>
        )}
        <div className={classes.tools}>
          {exportable && (
            <FileMenu
              label={fr.list.export}
              disabled={!meta || meta.total === 0}
              onPick={(format) =>
                exportList({
                  route,
                  query,
                  rows: props.rows,
                  columns,
                  title: props.title,
                  fileName: exportable,
                  meta,
                  format,
                })
              }
            />
          )}
          {card && <ViewSwitch view={view} onChange={setView} />}
          {isGallery ? (
            <SortMenu columns={columns} state={state} defaultSort={props.defaultSort} />
          ) : (
            <DisplayMenu
              columns={columns.filter((column, i) => column.cell && i > 0)}
              hidden={hidden}
              onHiddenChange={(keys) => setHiddenText(keys.join(','))}
            />
          )}
        </div>
      </div>
      {selection && selected.size > 0 && (
        <section className={classes.selectionBar} aria-label={fr.list.selected(selected.size)}>
          <strong>{fr.list.selected(selected.size)}</strong>
          {props.selectionTotal?.([...selected.values()])}
          {selection([...selected.values()], clearSelection)}
          {meta?.totalIsExact && meta.total > selected.size && meta.total <= mostSelected && (
            <SelectAll total={meta.total} onSelect={selectAll} />
          )}
          <Button variant="subtle" size="compact-sm" onClick={clearSelection}>
            {fr.list.clearSelection}
          </Button>
        </section>
      )}
      <div
        ref={container}
        aria-busy={result.isFetching}
        data-stale={result.isPlaceholderData || undefined}
        className={classes.body}
      >
        {result.isError && !rows ? (
          <ErrorState
            query={{
              error: result.error,
              refetch: () => (state.search.cursor ? state.goToFirstPage() : result.refetch()),
            }}
          />
        ) : rows && rows.length === 0 ? (
          isFiltered || state.page > 1 ? (
            <EmptyState
              icon={IconSearch}
              title={fr.list.emptyByFilter}
              text={fr.list.emptyByFilterHint}
              action={
                <Button variant="default" onClick={clearFilters}>
                  {fr.list.clearFilters}
                </Button>
              }
            />
          ) : (
            <EmptyState {...props.empty} />
          )
        ) : isGallery ? (
          <Gallery title={props.title} data={rows} rowKey={props.rowKey} card={card} />
        ) : (
          <Rows
            {...props}
            columns={shown}
            data={rows}
            density={density}
            state={state}
            selected={selected}
            onToggle={selection ? toggle : undefined}
            onToggleAll={(all) => setSelected(new Map(all ? (rows ?? []).map((row) => [props.rowKey(row), row]) : []))}
          />
        )}
      </div>
      {meta && rows && rows.length > 0 && (
        <Pager state={state} count={rows.length} total={total ?? ''} nextCursor={meta.nextCursor} />
      )}
      <div role="status" className="visually-hidden">
        {meta && !result.isFetching ? `${props.title} : ${total}` : ''}
      </div>
    </div>
  );
}

/** Selects all rows of the filter, including other pages. */
function SelectAll({ total, onSelect }: { total: number; onSelect: () => Promise<void> }) {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const select = async () => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      await onSelect();
    } catch (error) {
      setFailure(errorSentence(error));
    }
    setIsBusy(false);
  };
  return (
    <>
      <Button variant="subtle" size="compact-sm" loading={isBusy} onClick={() => void select()}>
        {fr.list.selectFiltered(formatInteger(total))}
      </Button>
      {failure && <span role="alert">{failure}</span>}
    </>
  );
}

function Tabs({ tabs }: { tabs: readonly ListTab[] }) {
  const nav = useRef<HTMLElement>(null);
  const current = tabs.findIndex(({ isCurrent }) => isCurrent);
  useEffect(() => {
    const tab = nav.current?.children[current];
    // On a phone only the row of tabs scrolls.
    if (nav.current && tab instanceof HTMLElement) {
      nav.current.scrollLeft =
        tab.offsetLeft - nav.current.offsetLeft - (nav.current.clientWidth - tab.offsetWidth) / 2;
    }
  }, [current]);
  return (
    <nav ref={nav} className={classes.tabs} aria-label={fr.list.tabs}>
      {tabs.map((tab) => (
        <Link
          key={tab.label}
          to={tab.to}
          search={tab.search ?? {}}
          className={classes.tab}
          aria-current={tab.isCurrent ? 'page' : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}

interface SearchBoxProps {
  inputRef: React.RefObject<HTMLInputElement | null>;
  placeholder: string;
  value: string;
  onSearch: (q: string) => void;
}

/** Searches shortly after the last key; the box keeps its text while the URL follows. */
function SearchBox({ inputRef, placeholder, value, onSearch }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const timer = useRef<number>(undefined);
  const pending = useRef(false);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  // Back and "clear the filters" change the URL from outside.
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    if (!pending.current) setText(value);
  }
  const search = (next: string, delay: number) => {
    setText(next);
    window.clearTimeout(timer.current);
    pending.current = true;
    timer.current = window.setTimeout(() => {
      pending.current = false;
      onSearch(next.trim());
    }, delay);
  };
  return (
    <TextInput
      ref={inputRef}
      type="search"
      className={classes.search}
      aria-label={fr.list.search}
      placeholder={placeholder}
      value={text}
      maxLength={200}
      leftSection={<IconSearch size={16} stroke={1.8} aria-hidden />}
      rightSection={
        text ? <CloseButton size="sm" aria-label={fr.list.clearSearch} onClick={() => search('', 0)} /> : null
      }
      onChange={(event) => search(event.currentTarget.value, searchDelayMs)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') search(text, 0);
        if (event.key === 'Escape' && text) search('', 0);
      }}
    />
  );
}

interface DisplayMenuProps<Row> {
  columns: readonly ListColumn<Row>[];
  hidden: readonly string[];
  onHiddenChange: (keys: string[]) => void;
}

function DisplayMenu<Row>({ columns, hidden, onHiddenChange }: DisplayMenuProps<Row>) {
  const [density, setDensity] = usePreference('density', ['comfortable', 'compact']);
  return (
    <Menu position="bottom-end" shadow="md" closeOnItemClick={false} withinPortal>
      <Menu.Target>
        <Tooltip label={fr.list.display}>
          <ActionIcon variant="default" size={36} aria-label={fr.list.display}>
            <IconAdjustmentsHorizontal size={18} stroke={1.8} />
          </ActionIcon>
        </Tooltip>
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

function ViewSwitch({ view, onChange }: { view: 'cards' | 'table'; onChange: (view: 'cards' | 'table') => void }) {
  const views = [
    { value: 'cards', label: fr.list.asCards, icon: IconLayoutGrid },
    { value: 'table', label: fr.list.asTable, icon: IconTable },
  ] as const;
  return (
    <ActionIcon.Group>
      {views.map(({ value, label, icon: Icon }) => (
        <Tooltip key={value} label={label}>
          <ActionIcon
            variant={view === value ? 'light' : 'default'}
            size={36}
            aria-label={label}
            aria-pressed={view === value}
            onClick={() => onChange(value)}
          >
            <Icon size={18} stroke={1.8} />
          </ActionIcon>
        </Tooltip>
      ))}
    </ActionIcon.Group>
  );
}

/** Cards have no column headers to sort by. */
function SortMenu<Row>({
  columns,
  state,
  defaultSort,
}: Pick<ListPageProps<RouteContract, Row>, 'columns' | 'defaultSort'> & { state: ListState }) {
  const { sort = defaultSort?.key, order = defaultSort?.order ?? 'asc' } = state.search;
  return (
    <Menu position="bottom-end" shadow="md" withinPortal>
      <Menu.Target>
        <Tooltip label={fr.list.sort}>
          <ActionIcon variant="default" size={36} aria-label={fr.list.sort}>
            <IconArrowsSort size={18} stroke={1.8} />
          </ActionIcon>
        </Tooltip>
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

interface GalleryProps<Row> {
  title: string;
  data: readonly Row[] | undefined;
  rowKey: (row: Row) => string | number;
  card: (row: Row) => ReactNode;
}

/** Cards in columns, three in medium-width windows (product §12.5). */
function Gallery<Row>({ title, data, rowKey, card }: GalleryProps<Row>) {
  if (data === undefined) {
    return (
      <div className={classes.gallery}>
        {Array.from({ length: 6 }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders have no identity
          <Skeleton key={i} h={360} radius="md" />
        ))}
      </div>
    );
  }
  return (
    <ul className={classes.gallery} aria-label={title}>
      {data.map((row) => (
        <li key={rowKey(row)} className={classes.tile} data-row>
          {card(row)}
        </li>
      ))}
    </ul>
  );
}

interface RowsProps<Row>
  extends Pick<
    ListPageProps<RouteContract, Row>,
    | 'title'
    | 'columns'
    | 'rowKey'
    | 'rowName'
    | 'group'
    | 'rowHref'
    | 'rowState'
    | 'rowTone'
    | 'onRowOpen'
    | 'rowActions'
    | 'defaultSort'
  > {
  data: readonly Row[] | undefined;
  density: 'comfortable' | 'compact';
  state: ListState;
  selected: ReadonlyMap<string | number, Row>;
  onToggle: ((row: Row) => void) | undefined;
  onToggleAll: (all: boolean) => void;
}

/** The identity cell as the link or button that opens the row; it covers the whole row. */
function RowOpener<Row>({
  row,
  rowHref,
  rowState,
  onRowOpen,
  rowName,
  children,
}: Pick<RowsProps<Row>, 'rowHref' | 'rowState' | 'onRowOpen' | 'rowName'> & { row: Row; children: ReactNode }) {
  if (rowHref) {
    return (
      <Link
        to={rowHref(row)}
        state={rowState?.(row) ?? {}}
        className={classes.opener}
        data-row-open
        aria-label={rowName(row)}
        preload="intent"
      >
        {children}
      </Link>
    );
  }
  if (onRowOpen) {
    return (
      <button
        type="button"
        className={classes.opener}
        data-row-open
        aria-label={rowName(row)}
        onClick={() => onRowOpen(row)}
      >
        {children}
      </button>
    );
  }
  return (
    <span data-row-open tabIndex={-1}>
      {children}
    </span>
  );
}

/** Whether a row is the first of its group on the page. */
const startsGroup = <Row,>(group: ListPageProps<RouteContract, Row>['group'], data: readonly Row[], index: number) => {
  const [row, former] = [data[index], data[index - 1]];
  return group && row !== undefined && (former === undefined || group.key(former) !== group.key(row));
};

function RowTable<Row>(props: RowsProps<Row>) {
  const { columns, data, state, selected, onToggle, rowActions } = props;
  const sorted = state.search.sort ?? props.defaultSort?.key;
  const order =
    state.search.order === 'asc' || state.search.order === 'desc' ? state.search.order : props.defaultSort?.order;
  const [first, ...others] = columns;
  const selectedHere = data?.filter((row) => selected.has(props.rowKey(row))).length ?? 0;
  return (
    <table className={classes.table} data-density={props.density}>
      <caption className="visually-hidden">{props.title}</caption>
      <thead>
        <tr>
          {onToggle && (
            <th scope="col" className={classes.checkCell}>
              <Checkbox
                size="xs"
                aria-label={fr.list.selectAll}
                disabled={!data?.length}
                checked={selectedHere > 0 && selectedHere === data?.length}
                indeterminate={selectedHere > 0 && selectedHere !== data?.length}
                onChange={(event) => props.onToggleAll(event.currentTarget.checked)}
              />
            </th>
          )}
          {columns.map((column) => {
            const isSorted = column.sort !== undefined && column.sort === sorted;
            return (
              <th
                key={column.key}
                scope="col"
                data-align={column.align}
                data-secondary={column.isSecondary || undefined}
                style={{ width: column.width }}
                aria-sort={isSorted ? (order === 'asc' ? 'ascending' : 'descending') : undefined}
              >
                {column.sort ? (
                  <button
                    type="button"
                    className={classes.sort}
                    data-sorted={isSorted || undefined}
                    onClick={() =>
                      state.setSearch({
                        sort: column.sort,
                        order:
                          isSorted && order === 'asc'
                            ? 'desc'
                            : isSorted
                              ? 'asc'
                              : column.align === 'right'
                                ? 'desc'
                                : 'asc',
                      })
                    }
                  >
                    {column.header}
                    {isSorted && order === 'asc' ? (
                      <IconArrowUp size={13} stroke={2} aria-hidden />
                    ) : (
                      <IconArrowDown size={13} stroke={2} aria-hidden />
                    )}
                  </button>
                ) : (
                  column.header
                )}
              </th>
            );
          })}
          {rowActions && (
            <th scope="col">
              <span className="visually-hidden">{fr.list.actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {data === undefined
          ? Array.from({ length: skeletonRows }, (_, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders have no identity
              <tr key={i}>
                {onToggle && <td className={classes.checkCell} />}
                {columns.map((column, j) => (
                  <td key={column.key} data-align={column.align} data-secondary={column.isSecondary || undefined}>
                    <Skeleton
                      h={12}
                      w={j === 0 ? `${45 + ((i * 17) % 35)}%` : '60%'}
                      ml={column.align ? 'auto' : undefined}
                    />
                  </td>
                ))}
                {rowActions && <td />}
              </tr>
            ))
          : data.map((row, index) => {
              const key = props.rowKey(row);
              return (
                <Fragment key={key}>
                  {startsGroup(props.group, data, index) && (
                    <tr className={classes.group}>
                      <th scope="colgroup" colSpan={columns.length + (onToggle ? 1 : 0) + (rowActions ? 1 : 0)}>
                        {props.group?.header(row)}
                      </th>
                    </tr>
                  )}
                  <tr
                    data-row
                    data-selected={selected.has(key) || undefined}
                    data-tone={props.rowTone?.(row)}
                    data-opens={Boolean(props.rowHref ?? props.onRowOpen) || undefined}
                  >
                    {onToggle && (
                      <td className={classes.checkCell}>
                        <Checkbox
                          size="xs"
                          aria-label={fr.list.selectRow(props.rowName(row))}
                          checked={selected.has(key)}
                          onChange={() => onToggle(row)}
                        />
                      </td>
                    )}
                    {first && (
                      <td className={classes.identity} data-align={first.align}>
                        <RowOpener {...props} row={row}>
                          {first.cell?.(row)}
                        </RowOpener>
                      </td>
                    )}
                    {others.map((column) => (
                      <td key={column.key} data-align={column.align} data-secondary={column.isSecondary || undefined}>
                        {column.cell?.(row)}
                      </td>
                    ))}
                    {rowActions && <td className={classes.actionsCell}>{rowActions(row)}</td>}
                  </tr>
                </Fragment>
              );
            })}
      </tbody>
    </table>
  );
}

/** The same rows in narrow windows: each is a card with labels. */
function RowCards<Row>(props: RowsProps<Row>) {
  const { columns, data, selected, onToggle, rowActions } = props;
  const [first, ...others] = columns;
  if (data === undefined) {
    return (
      <div className={classes.cards}>
        {Array.from({ length: 5 }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders have no identity
          <Skeleton key={i} h={104} radius="md" />
        ))}
      </div>
    );
  }
  return (
    <ul className={classes.cards} aria-label={props.title}>
      {data.map((row, index) => {
        const key = props.rowKey(row);
        return (
          <Fragment key={key}>
            {startsGroup(props.group, data, index) && <li className={classes.group}>{props.group?.header(row)}</li>}
            <li
              className={classes.card}
              data-row
              data-selected={selected.has(key) || undefined}
              data-tone={props.rowTone?.(row)}
              data-opens={Boolean(props.rowHref ?? props.onRowOpen) || undefined}
            >
              <div className={classes.cardHead}>
                {onToggle && (
                  <Checkbox
                    aria-label={fr.list.selectRow(props.rowName(row))}
                    checked={selected.has(key)}
                    onChange={() => onToggle(row)}
                    className={classes.above}
                  />
                )}
                <div className={classes.identity}>
                  <RowOpener {...props} row={row}>
                    {first?.cell?.(row)}
                  </RowOpener>
                </div>
                {rowActions && <div className={classes.above}>{rowActions(row)}</div>}
              </div>
              <dl className={classes.facts}>
                {others.map((column) => (
                  <div key={column.key}>
                    <dt>{column.header}</dt>
                    <dd>{column.cell?.(row)}</dd>
                  </div>
                ))}
              </dl>
            </li>
          </Fragment>
        );
      })}
    </ul>
  );
}

interface PagerProps {
  state: ListState;
  count: number;
  total: string;
  nextCursor: string | null;
}

function Pager({ state, count, total, nextCursor }: PagerProps) {
  const from = (state.page - 1) * pageSize + 1;
  return (
    <nav className={classes.pager} aria-label={fr.list.pages}>
      <span>{fr.list.range(formatInteger(from), formatInteger(from + count - 1), total)}</span>
      <Group gap={8}>
        <Button
          variant="default"
          disabled={state.page <= 1}
          leftSection={<IconChevronLeft size={16} stroke={1.8} aria-hidden />}
          onClick={state.goToPreviousPage}
        >
          {fr.list.previous}
        </Button>
        <Button
          variant="default"
          disabled={nextCursor === null}
          rightSection={<IconChevronRight size={16} stroke={1.8} aria-hidden />}
          onClick={() => nextCursor !== null && state.goToNextPage(nextCursor)}
        >
          {fr.list.next}
        </Button>
      </Group>
    </nav>
  );
}
