import { Box } from '@mantine/core';
import type { Pivot } from '@regie/contract/routes/analytics.ts';
import { formatInteger, formatValue, sumAmounts } from '@regie/values/formats.ts';
import { addMonths, type Month, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import type { SearchParams } from '#src/lib/search-params.ts';
import { BarContent, barClass } from '#src/ui/bar-content.tsx';
import { Charts, MonthChart } from '#src/ui/month-chart.tsx';
import shared from '#src/ui/shared.module.css';
import { frPivot } from './pivot.fr.ts';
import { currencyOf, drillInto, entryName, type PivotQuestion } from './pivot-state.ts';
import type { PivotRow } from './pivot-table.tsx';

const t = frPivot;
const rankedRows = 10;
const monthSeries = 3;

interface PivotChartsProps {
  data: Pivot & { question: PivotQuestion };
  rows: readonly PivotRow[];
  search: SearchParams;
}

export function PivotCharts({ data, rows, search }: PivotChartsProps) {
  const { question } = data;
  return (
    <Charts>
      {(question.rows === 'month' || question.columns === 'month') && <Months data={data} rows={rows} />}
      {question.rows !== 'month' && <Rank data={data} rows={rows} search={search} />}
    </Charts>
  );
}

interface Series {
  name: string;
  values: Map<string, number>;
}

function listSeries(
  { question, columns, columnTotals }: PivotChartsProps['data'],
  rows: readonly PivotRow[],
): Series[] {
  const { rows: by, columns: across } = question;
  const series = (name: string, values: readonly (readonly [string, number | null | undefined])[]) => ({
    name,
    values: new Map(values.map(([month, value]) => [month, value ?? 0])),
  });
  if (by !== 'month') {
    return rows
      .filter(({ entry }) => entry.others === null)
      .map(({ entry, cells }) =>
        series(
          entryName(by, entry),
          columns.map(({ value }, at) => [value, cells[at]]),
        ),
      );
  }
  if (across === undefined)
    return [
      series(
        t.total,
        rows.map(({ entry, total }) => [entry.value, total]),
      ),
    ];
  return columns
    .map((column, at) => ({ column, at }))
    .filter(({ column }) => column.others === null)
    .sort((one, other) => (columnTotals[other.at] ?? 0) - (columnTotals[one.at] ?? 0))
    .map(({ column, at }) =>
      series(
        entryName(across, column),
        rows.map(({ entry, cells }) => [entry.value, cells[at]]),
      ),
    );
}

function othersOf(
  { question, columns, columnTotals }: PivotChartsProps['data'],
  rows: readonly PivotRow[],
  first: readonly Series[],
): Series {
  const totals =
    question.rows === 'month'
      ? rows.map(({ entry, total }) => [entry.value, total] as const)
      : columns.map(({ value }, at) => [value, columnTotals[at] ?? 0] as const);
  const values = totals.map(
    ([month, total]) => [month, sumAmounts([total, ...first.map(({ values }) => -(values.get(month) ?? 0))])] as const,
  );
  return { name: t.rest, values: new Map(values) };
}

function Months({ data, rows }: Pick<PivotChartsProps, 'data' | 'rows'>) {
  const all = listSeries(data, rows);
  const first = all.slice(0, monthSeries - 1);
  const shown = all.length <= monthSeries ? all : [...first, othersOf(data, rows, first)];
  const [start] = shown.flatMap(({ values }) => [...values.keys()].filter((month) => month !== '')).sort();
  const last = data.toDate === null ? undefined : monthOfInstant(data.toDate);
  const months: Month[] = [];
  for (let month = start as Month | undefined; month && last && month <= last; month = addMonths(month, 1))
    months.push(month);
  return (
    <MonthChart
      title={t.months}
      hint={t.monthsHint}
      series={shown.map(({ name }) => name)}
      currency={currencyOf(data.question)}
      months={months.map((month) => ({
        fromDate: monthToMs(month),
        values: shown.map(({ values }) => values.get(month) ?? 0),
      }))}
    />
  );
}

function Rank({ data, rows, search }: PivotChartsProps) {
  const { question, total } = data;
  const first = rows.filter(({ entry }) => entry.others === null).slice(0, rankedRows);
  const largest = Math.max(...first.map((row) => row.total), 0);
  const currency = currencyOf(question);
  const title = t.caption(t.one[question.rows].toLowerCase(), undefined, t.measures[question.measure]);
  return (
    <section aria-label={title}>
      <Box component="h2" fz={15} fw={620}>
        {title}
      </Box>
      <p className={`${shared.note} ${shared.wrap}`}>{t.rankHint(formatInteger(first.length))}</p>
      <Box component="ol" mt={12}>
        {first.map((row) => {
          const name = entryName(question.rows, row.entry);
          return (
            <li key={row.entry.value}>
              <Link
                className={barClass}
                to={paths.pivot}
                search={{ ...search, ...drillInto(question, [[question.rows, row.entry.value]]) }}
                aria-label={t.detail(name, formatValue(row.total, currency))}
              >
                <BarContent name={name} value={row.total} currency={currency} total={total} largest={largest} />
              </Link>
            </li>
          );
        })}
      </Box>
    </section>
  );
}
