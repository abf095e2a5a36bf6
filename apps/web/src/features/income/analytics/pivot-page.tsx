import { Box, Button, Group, SegmentedControl, Select } from '@mantine/core';
import { isSpan, type PivotDimension, pivotDimensions, pivotMeasures } from '@regie/contract/analytics.ts';
import type { Pivot } from '@regie/contract/routes/analytics.ts';
import { formatMonths } from '@regie/values/formats.ts';
import { monthOfInstant } from '@regie/values/month.ts';
import { IconArrowsLeftRight } from '@tabler/icons-react';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { fr } from '#src/lib/fr.ts';
import { earliestSaleMs } from '#src/lib/months.ts';
import type { SearchParams } from '#src/lib/search-params.ts';
import { downloadTable, type FileColumn } from '#src/lib/table-file.ts';
import { ChartsSkeleton } from '#src/ui/charts-skeleton.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { FilterBar, type ListFilter } from '#src/ui/list/list-filters.tsx';
import listClasses from '#src/ui/list/list-page.module.css';
import { useListState } from '#src/ui/list/list-state.ts';
import { Tabs } from '#src/ui/list/list-toolbar.tsx';
import { SavedViews } from '#src/ui/list/list-views.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { TableSkeleton } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { EmptyState, ErrorState } from '#src/ui/states.tsx';
import { pivotQuery, valuesQuery } from './analytics.api.ts';
import { frAnalytics } from './analytics.fr.ts';
import analyticsClasses from './analytics.module.css';
import { analyticsTabs } from './analytics-tabs.ts';
import { DoubledIncome, MissingRates } from './inexact-notices.tsx';
import { frPivot } from './pivot.fr.ts';
import classes from './pivot.module.css';
import { currencyOf, entryName, noColumns, type PivotQuestion, readQuestion } from './pivot-state.ts';
import { type PivotRow, PivotTable, sortRows } from './pivot-table.tsx';
import { PivotValues } from './pivot-values.tsx';

const t = frPivot;
const PivotCharts = lazy(async () => ({ default: (await import('./pivot-charts.tsx')).PivotCharts }));

type Answer = Pivot & { question: PivotQuestion };

/** Income by two dimensions of any period (product §22.16); its whole state is in the URL. */
export default function PivotPage() {
  const { search, keep, setSearch } = useListState();
  const question = readQuestion(search);
  const answer = useQuery(pivotQuery(question));
  const { data } = answer;
  const rows = data ? sortRows(data, data.question.rows, search) : [];
  const setFilters = pivotDimensions.filter((by) => question.filters[by]);
  // The period is chosen above: parts of it are filters only once a cell leads to them.
  const offered = pivotDimensions.filter((by) => question.filters[by] || !isSpan(by));
  const clearFilters =
    setFilters.length > 0
      ? () => setSearch(Object.fromEntries(pivotDimensions.map((by) => [by, undefined])))
      : undefined;
  const isChart = search.view === 'chart';
  const body = useRef<HTMLDivElement>(null);
  const answered = useRef(data);
  useEffect(() => {
    const isNext = answered.current !== undefined && answered.current !== data;
    answered.current = data;
    // What had the focus, a cell or a filter, may be gone.
    if (isNext && document.activeElement?.matches('body, main'))
      body.current?.querySelector<HTMLElement>('tbody a')?.focus({ preventScroll: true });
  }, [data]);
  return (
    <div>
      <PageHeader title={frScreens.reports.pivot} method={frAnalytics.intro} />
      <Tabs tabs={analyticsTabs('pivot', keep('from'))} />
      <Controls question={question} data={data} onChange={setSearch} />
      <Group gap={8} mb={12}>
        <FilterBar
          filters={offered.map((by) => toFilter(by, question, data?.filters ?? []))}
          search={search}
          onChange={setSearch}
          onClear={clearFilters}
        />
      </Group>
      <Group gap="8px 16px" mb={12}>
        <State answer={answer} hasCells={!isChart && (data?.columns.length ?? 0) > 0} />
        <Group gap={8} ml="auto" wrap="nowrap">
          <SegmentedControl
            aria-label={t.view}
            data={(['table', 'chart'] as const).map((value) => ({ value, label: t.views[value] }))}
            value={isChart ? 'chart' : 'table'}
            onChange={(view) => setSearch({ view: view === 'chart' ? view : undefined })}
          />
          <FileMenu
            label={fr.list.export}
            // The table still shown is of the former question.
            disabled={!data || answer.isPlaceholderData || rows.length === 0}
            onPick={async (format) => {
              if (data) await downloadTable(format, exportName(data.question), fileColumns(data), fileRows(data, rows));
            }}
          />
          <SavedViews search={search} />
        </Group>
      </Group>
      {answer.isError && !answer.isFetching ? (
        <ErrorState query={answer} />
      ) : data === undefined ? (
        answer.isFetching && (isChart ? <ChartsSkeleton /> : <TableSkeleton rows={12} />)
      ) : (
        <div ref={body} className={listClasses.body} data-stale={answer.isPlaceholderData || undefined}>
          <div className={analyticsClasses.notes}>
            <MissingRates of={data.missingRates} />
            {rows.length > 0 && (
              <DoubledIncome
                of={data}
                without={[
                  ...(Object.keys(data.question.filters).length > 0 ? [frAnalytics.without.filters] : []),
                  ...(data.question.measure === 'amount' ? [frAnalytics.without.currency] : []),
                ]}
              />
            )}
          </div>
          {rows.length === 0 ? (
            <Empty data={data} onClear={clearFilters} />
          ) : isChart ? (
            <Suspense fallback={<ChartsSkeleton />}>
              <PivotCharts data={data} rows={rows} search={search} />
            </Suspense>
          ) : (
            <Box maw={data.columns.length === 0 ? 640 : undefined}>
              <PivotTable
                data={data}
                name={captionOf(data.question)}
                rows={rows}
                search={search}
                setSearch={setSearch}
              />
            </Box>
          )}
        </div>
      )}
    </div>
  );
}

const captionOf = ({ rows, columns, measure }: PivotQuestion) =>
  t.caption(t.one[rows].toLowerCase(), columns && t.one[columns].toLowerCase(), t.measures[measure]);

interface ControlsProps {
  question: PivotQuestion;
  data: Answer | undefined;
  onChange: (change: SearchParams) => void;
}

const dimensions = pivotDimensions.map((value) => ({ value, label: t.one[value] }));

function Controls({ question, data, onChange }: ControlsProps) {
  const { rows, columns, measure, unit } = question;
  const currencies = useQuery({ ...valuesQuery('currency', question), enabled: measure === 'amount' });
  const change = (next: SearchParams) => onChange({ ...next, sort: undefined, order: undefined });
  const month = (label: string, param: 'from' | 'to', shown: number | null | undefined) => (
    <div className={classes[param]}>
      <MonthField
        label={label}
        value={question[param] ?? shown ?? undefined}
        firstMonthMs={earliestSaleMs}
        onChange={(value) => {
          const other = param === 'from' ? 'to' : 'from';
          const otherShown = question[other] ?? data?.[`${other}Date`] ?? undefined;
          onChange({
            [param]: value === undefined ? undefined : monthOfInstant(value),
            [other]: value === undefined || otherShown === undefined ? undefined : monthOfInstant(otherShown),
          });
        }}
      />
    </div>
  );
  return (
    <div className={classes.controls}>
      <Select
        label={t.rows}
        data={dimensions}
        value={rows}
        allowDeselect={false}
        onChange={(value) =>
          value && change({ rows: value, columns: value === columns ? rows : (columns ?? noColumns) })
        }
      />
      <IconButton
        variant="default"
        label={t.swap}
        icon={IconArrowsLeftRight}
        disabled={columns === undefined}
        onClick={() => change({ rows: columns, columns: rows })}
      />
      <Select
        label={t.columns}
        data={[{ value: noColumns, label: t.noColumns }, ...dimensions.filter(({ value }) => value !== rows)]}
        value={columns ?? noColumns}
        allowDeselect={false}
        onChange={(value) => value && change({ columns: value })}
      />
      <Select
        className={classes.wide}
        label={t.measure}
        data={pivotMeasures.map((value) => ({ value, label: t.measures[value] }))}
        value={measure}
        allowDeselect={false}
        onChange={(value) => value && onChange({ measure: value === 'euros' ? undefined : value })}
      />
      {measure === 'amount' && (
        <Select
          className={classes.wide}
          label={t.one.currency}
          data={[...new Set([unit, ...(currencies.data ?? []).map(({ value }) => value)])].sort()}
          value={unit}
          allowDeselect={false}
          searchable
          nothingFoundMessage={t.values.nothing}
          onChange={(value) => value && onChange({ unit: value })}
        />
      )}
      {month(t.from, 'from', data?.fromDate)}
      {month(t.to, 'to', data?.toDate)}
    </div>
  );
}

function toFilter(by: PivotDimension, question: PivotQuestion, known: Pivot['filters']): ListFilter {
  const values = question.filters[by];
  const named = known.filter((one) => one.by === by);
  const nameOf = (value: string) =>
    entryName(by, { value, name: named.find((one) => one.value === value)?.name ?? value, others: null });
  return {
    kind: 'own',
    label: t.one[by],
    param: by,
    text: values?.map(nameOf).join(', '),
    editor: (onChange) => (
      <PivotValues by={by} question={question} known={named} onApply={(text) => onChange({ [by]: text })} />
    ),
  };
}

function State({ answer, hasCells }: { answer: UseQueryResult<Answer>; hasCells: boolean }) {
  const client = useQueryClient();
  const { data, isFetching, isPaused, isPlaceholderData, isError } = answer;
  return (
    <Group gap="4px 12px" mih={36} className={shared.note} role="status">
      {isFetching ? (
        <>
          {t.computing}
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => void client.cancelQueries({ queryKey: ['analytics', 'pivot'] })}
          >
            {t.stop}
          </Button>
        </>
      ) : !isPaused && (isPlaceholderData || (data === undefined && !isError)) ? (
        <>
          {t.stopped.title}. {t.stopped.text}
          <Button variant="subtle" size="compact-sm" onClick={() => void answer.refetch()}>
            {t.stopped.again}
          </Button>
        </>
      ) : (
        data &&
        data.fromDate !== null &&
        data.toDate !== null &&
        data.rows.length > 0 &&
        [periodText(data, data.fromDate, data.toDate), ...(hasCells ? [t.hint] : [])].join('. ')
      )}
    </Group>
  );
}

function periodText({ question: { filters } }: Answer, from: number, to: number): string {
  const part = pivotDimensions
    .filter(isSpan)
    .flatMap((by) => (filters[by] ?? []).map((value) => entryName(by, { value, name: '', others: null })));
  return part.length === 0 ? formatMonths(from, to) : part.join(', ');
}

function Empty({ data, onClear }: { data: Answer; onClear: (() => void) | undefined }) {
  return (
    <EmptyState
      title={frAnalytics.empty.title}
      text={data.fromDate === null ? frAnalytics.empty.text : t.emptyText}
      action={
        onClear ? (
          <Button variant="default" onClick={onClear}>
            {fr.list.clearFilters}
          </Button>
        ) : (
          <LinkButton to={paths.statements} variant="default">
            {frAnalytics.empty.toStatements}
          </LinkButton>
        )
      }
    />
  );
}

const exportName = ({ rows, columns }: PivotQuestion) =>
  [t.exportName, rows, columns].filter((part) => part !== undefined).join('-');

type FileRow = Omit<PivotRow, 'entry'> & { entry: PivotRow['entry'] | undefined };

const fileRows = (data: Answer, rows: readonly PivotRow[]): FileRow[] => [
  ...rows,
  { entry: undefined, cells: data.columnTotals, total: data.total },
];

function fileColumns({ question, columns }: Answer): FileColumn<FileRow>[] {
  const { rows, columns: by } = question;
  const currency = currencyOf(question);
  const number = currency === null ? {} : ({ type: 'exactMoney', unit: currency } as const);
  const text = (header: string, value: (entry: PivotRow['entry']) => string | null): FileColumn<FileRow> => ({
    header,
    type: 'text',
    value: ({ entry }) => entry && value(entry),
  });
  return [
    { header: t.one[rows], type: 'text', value: ({ entry }) => (entry ? entryName(rows, entry) : t.total) },
    ...(rows === 'track' || rows === 'release' ? [text(frAnalytics.column.artists, ({ artists }) => artists)] : []),
    ...(rows === 'track' ? [text(frAnalytics.column.isrc, ({ isrc }) => isrc)] : []),
    ...columns.map(
      (column, at): FileColumn<FileRow> => ({
        header: by === undefined ? '' : entryName(by, column),
        ...number,
        value: ({ cells }) => cells[at],
      }),
    ),
    { header: t.total, ...number, value: ({ total }) => total },
  ];
}
