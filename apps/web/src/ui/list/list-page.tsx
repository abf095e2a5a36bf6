import { Button, Group } from '@mantine/core';
import type { RouteContract } from '@regie/contract/route.ts';
import { formatTotal, slug } from '@regie/values/formats.ts';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { type ApiData, apiList, type ListParams } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { usePreference, useTextPreference } from '#src/lib/preferences.ts';
import { FileMenu } from '#src/ui/file-menu.tsx';
import { PageHeader, TabHeader } from '#src/ui/page-header.tsx';
import { EmptyState, type EmptyStateProps, ErrorState } from '#src/ui/states.tsx';
import { Gallery, RowCards } from './list-cards.tsx';
import { DisplayMenu, SortMenu, ViewSwitch } from './list-columns.tsx';
import { exportList, readList } from './list-export.ts';
import { FilterBar, filterParams, filterQuery, type ListFilter } from './list-filters.tsx';
import { useListKeys } from './list-keys.ts';
import classes from './list-page.module.css';
import { Pager, pageSize } from './list-pager.tsx';
import type { ListRows } from './list-rows.tsx';
import { SelectionBar } from './list-selection.tsx';
import { type ListState, useListState } from './list-state.ts';
import { RowTable } from './list-table.tsx';
import { type ListTab, SearchBox, Tabs } from './list-toolbar.tsx';
import { SavedViews } from './list-views.tsx';
import { usePageCode } from './page-code.ts';

interface ListPageProps<Route extends RouteContract, Row> extends Omit<ListRows<Row>, 'rowKey'> {
  /** Key of the list's preferences in this browser: columns, cards. By default the path of its call. */
  id?: string;
  route: Route;
  rows?: (data: ApiData<Route>) => readonly Row[];
  rowKey?: ListRows<Row>['rowKey'];
  /** Sent with every request; overrides the filters. */
  query?: ListParams;
  /** False where the title is not the name of the rows. */
  isCounted?: boolean;
  isTab?: boolean;
  /** How its figures are made. */
  method?: string;
  searchPlaceholder?: string;
  filters?: readonly ListFilter[];
  tabs?: readonly ListTab[];
  actions?: ReactNode;
  empty: EmptyStateProps;
  emptyByFilter?: ReactNode;
  emptyByFilterTitle?: string;
  /** The file's name without extension, by default from the title; null: no export. */
  exportName?: string | null;
  /** A summary of the selected rows, and actions on them; absent: rows cannot be selected. */
  selection?: (rows: readonly Row[], clear: () => void) => ReactNode;
  /** The list's own keys on a focused row, besides those of every list; false when the key does nothing for the row. */
  onRowKey?: (key: string, row: Row) => boolean;
  intro?: ReactNode;
  /** Offers cards, the default, beside the table. The element that opens the card has `data-row-open`. */
  card?: (row: Row) => ReactNode;
}

type Needed<Data, Row> = (Data extends readonly Row[] ? unknown : { rows: unknown }) &
  ([Row] extends [{ id: string | number }] ? unknown : { rowKey: unknown });

function listQuery(state: ListState, filters: readonly ListFilter[], query: ListParams): ListParams {
  const params: ListParams = { q: state.search.q, sort: state.search.sort, order: state.search.order };
  for (const filter of filters) Object.assign(params, filterQuery(filter, state.search));
  return { ...params, ...query };
}

/** Its whole state is in the URL (interface.md): reload, back and a shared link show the same rows. */
export function ListPage<Route extends RouteContract, Row>(
  props: ListPageProps<Route, Row> & Needed<ApiData<Route>, Row>,
) {
  const { route, filters = [], columns, selection, id = route.path } = props;
  const rowsOf = props.rows ?? ((data) => data as readonly Row[]);
  const rowKey = props.rowKey ?? ((row) => (row as { id: string | number }).id);
  const state = useListState();
  const query = listQuery(state, filters, props.query ?? {});
  const result = useQuery({
    queryKey: ['list', route.path, query, state.search.cursor ?? null],
    queryFn: ({ signal }) => apiList(route, { ...query, limit: pageSize, cursor: state.search.cursor }, signal),
    placeholderData: keepPreviousData,
  });
  const rows = result.data ? rowsOf(result.data.data) : undefined;
  const [first] = rows ?? [];
  usePageCode(first && props.rowLink?.(first).to);
  const meta = result.data?.meta;
  const [density] = usePreference('density', ['comfortable', 'compact']);
  const [view, setView] = usePreference(`view.${id}`, ['cards', 'table']);
  const { card } = props;
  const [hiddenHere, setHiddenHere] = useTextPreference(`columns.${id}`);
  // A saved view brings its own columns.
  const hiddenText = state.search.masquees ?? hiddenHere;
  const setHiddenText = (text: string) => {
    setHiddenHere(text);
    if (state.search.masquees !== undefined) state.setSearch({ masquees: undefined }, { replace: true });
  };
  const hidden = hiddenText.split(',');
  const isNarrow = useIsPhone();
  // On a phone, fifty cards would be twenty screens: rows show the same in a fifth of them.
  const isGallery = card !== undefined && view === 'cards' && !isNarrow;
  const shown = columns.filter(
    (column, i) => column.cell && (isNarrow || !column.isCardOnly) && (i === 0 || !hidden.includes(column.key)),
  );
  const [selected, setSelected] = useState<ReadonlyMap<string | number, Row>>(new Map());
  const container = useRef<HTMLDivElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);

  const toggle = (row: Row) => {
    const next = new Map(selected);
    const key = rowKey(row);
    if (!next.delete(key)) next.set(key, row);
    setSelected(next);
  };
  const clearSelection = () => setSelected(new Map());
  const selectAll = async () => {
    const all = new Map<string | number, Row>();
    for await (const { data } of readList(route, query)) {
      for (const row of rowsOf(data)) all.set(rowKey(row), row);
    }
    setSelected(all);
  };
  useListKeys({
    container,
    searchBox,
    rows: result.data?.data as readonly unknown[] | undefined,
    onRowKey: (key, index) => {
      const row = rows?.[index];
      return row !== undefined && (props.onRowKey?.(key, row) ?? false);
    },
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
  const lastShown = (state.page - 1) * pageSize + (rows?.length ?? 0);
  const total = meta && formatTotal(Math.max(meta.total, lastShown), meta.totalIsExact || meta.nextCursor === null);
  const Header = props.isTab ? TabHeader : PageHeader;
  const Rows = isNarrow ? RowCards : RowTable;
  return (
    <div>
      <Header
        title={props.title}
        count={props.isCounted === false ? undefined : total}
        method={props.method}
        actions={props.actions}
      />
      {props.intro}
      {props.tabs && <Tabs tabs={props.tabs} />}
      <Group gap={8} mb={12} className={classes.toolbar}>
        {props.searchPlaceholder && (
          <SearchBox
            inputRef={searchBox}
            placeholder={props.searchPlaceholder}
            value={state.search.q ?? ''}
            onSearch={(q) => state.setSearch({ q }, { replace: true })}
          />
        )}
        <FilterBar
          filters={filters}
          search={state.search}
          onChange={state.setSearch}
          onClear={isFiltered ? clearFilters : undefined}
        />
        <Group gap={8} ml="auto" wrap="nowrap" className={classes.tools}>
          {props.exportName !== null && (
            <FileMenu
              label={fr.list.export}
              disabled={!meta || meta.total === 0}
              onPick={(format) =>
                exportList({
                  route,
                  query,
                  rows: rowsOf,
                  columns,
                  title: props.title,
                  fileName: props.exportName ?? slug(props.title),
                  meta,
                  format,
                })
              }
            />
          )}
          {!props.isTab && <SavedViews search={{ ...state.search, masquees: hiddenText || '-' }} />}
          {card && !isNarrow && <ViewSwitch view={view} onChange={setView} />}
          {isGallery ? (
            <SortMenu columns={columns} state={state} defaultSort={props.defaultSort} />
          ) : (
            <DisplayMenu
              columns={columns.filter((column, i) => column.cell && i > 0 && !column.isCardOnly)}
              hidden={hidden}
              onHiddenChange={(keys) => setHiddenText(keys.join(','))}
            />
          )}
        </Group>
      </Group>
      {selection && selected.size > 0 && (
        <SelectionBar
          count={selected.size}
          total={meta?.totalIsExact ? meta.total : undefined}
          onSelectAll={selectAll}
          onClear={clearSelection}
        >
          {selection([...selected.values()], clearSelection)}
        </SelectionBar>
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
              title={props.emptyByFilterTitle ?? fr.list.emptyByFilter}
              text={fr.list.emptyByFilterHint}
              action={
                <>
                  {props.emptyByFilter}{' '}
                  <Button variant="default" onClick={clearFilters}>
                    {fr.list.clearFilters}
                  </Button>
                </>
              }
            />
          ) : (
            <EmptyState {...props.empty} />
          )
        ) : isGallery ? (
          <Gallery title={props.title} data={rows} rowKey={rowKey} card={card} />
        ) : (
          <Rows
            {...props}
            rowKey={rowKey}
            columns={shown}
            data={rows}
            // The amount of a single row is its own total.
            sums={meta?.total === 1 ? undefined : meta?.sums}
            density={density}
            state={state}
            selected={selected}
            onToggle={selection ? toggle : undefined}
            onToggleAll={(all) => setSelected(new Map(all ? (rows ?? []).map((row) => [rowKey(row), row]) : []))}
          />
        )}
      </div>
      {meta && rows && rows.length > 0 && (
        <Pager state={state} count={rows.length} total={total ?? ''} nextCursor={meta.nextCursor} />
      )}
      <div role="status" className="visually-hidden">
        {meta && !result.isFetching ? `${props.title}\u00a0: ${total}` : ''}
      </div>
    </div>
  );
}
