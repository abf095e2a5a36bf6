import { Box, Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { currencySymbol, formatMonth, formatValue, nbsp } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { labelStep, roundTicks, spread } from './chart-scale.ts';
import { frCharts } from './charts.fr.ts';
import { Value } from './money.tsx';
import classes from './month-chart.module.css';
import { PlainTable } from './plain-table.tsx';
import shared from './shared.module.css';

const t = frCharts;

export interface ChartMonth {
  fromDate: number;
  values: readonly number[];
}

interface MonthChartProps {
  title: string;
  hint: ReactNode;
  /** Up to three: the first in the accent colour, the others in greys. */
  series: readonly string[];
  isLine?: boolean;
  months: readonly ChartMonth[];
  /** Of the values; null for units. */
  currency?: string | null;
  /** Makes the bars links, with what they lead to. */
  linkOf?: LinkOf | undefined;
}

type LinkOf = (month: number) => { to: string; search: object; label: string };

const heightPx = 220;
const margin = { top: 10, right: 8, bottom: 24, left: 56 };
const monthLabelPx = 74;
const letterPx = 7;
const labelGapPx = 14;
const tones = [classes.first, classes.second, classes.third];
const short = new Intl.NumberFormat('fr-FR', { notation: 'compact', maximumFractionDigits: 1 });
const shortValue = (value: number, currency: string | null) =>
  `${short.format(value).replaceAll('\u202f', nbsp)}${currency === null ? '' : `${nbsp}${currencySymbol(currency)}`}`;

export function Charts({ children }: { children: ReactNode }) {
  return <div className={classes.charts}>{children}</div>;
}

export function MonthChart({ title, hint, series, isLine = false, months, currency = 'EUR', linkOf }: MonthChartProps) {
  const [chosen, setChosen] = useState<number>();
  const last = months.length - 1;
  const active = Math.min(chosen ?? last, last);
  const current = months[active];
  const textOf = ({ fromDate, values }: ChartMonth) =>
    [
      formatMonth(fromDate),
      ...series.map((name, index) => t.value(name, formatValue(values[index] ?? 0, currency))),
    ].join(', ');
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = { ArrowLeft: active - 1, ArrowRight: active + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const month = Math.max(0, Math.min(last, next));
    setChosen(month);
    event.currentTarget.parentElement?.querySelectorAll('a')[month]?.focus();
  };
  const plot = (
    <Plot
      months={months}
      series={series}
      currency={currency}
      isLine={isLine}
      active={active}
      onPoint={setChosen}
      onKeyDown={onKeyDown}
      linkOf={
        linkOf &&
        ((month) => {
          const link = linkOf(month.fromDate);
          return { ...link, label: `${textOf(month)}, ${link.label}` };
        })
      }
    />
  );
  const table = (
    <PlainTable name={t.table(title)} head={[t.month, ...series.map((name) => ({ right: name }))]} isBoxed>
      <tbody>
        {months.toReversed().map((month) => (
          <tr key={month.fromDate}>
            <th scope="row">
              <MonthLink month={month.fromDate} linkOf={linkOf} />
            </th>
            {series.map((name, index) => (
              <td key={name} data-align="right">
                <Value value={month.values[index] ?? 0} currency={currency} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
  return (
    <section aria-label={title} data-empty={current === undefined || undefined}>
      <Text component="h2" inherit lineClamp={2} fz={15} fw={620} className={shared.wrap}>
        {title}
      </Text>
      <Box component="p" mt={2} className={`${shared.note} ${shared.wrap}`}>
        {hint}
      </Box>
      {current === undefined ? (
        <p className={`${shared.muted} ${shared.spaced}`}>{t.empty}</p>
      ) : (
        <>
          <p className={classes.readout} aria-hidden>
            {chosen !== undefined && <strong>{formatMonth(current.fromDate)}</strong>}
            {chosen !== undefined &&
              series.map((name, index) => (
                <Group key={name} component="span" display="inline-flex" gap={6} wrap="nowrap">
                  {series.length > 1 && (
                    <>
                      <span className={`${classes.swatch} ${tones[index]}`} /> {name}{' '}
                    </>
                  )}
                  <Value value={current.values[index] ?? 0} currency={currency} />
                </Group>
              ))}
          </p>
          {linkOf ? (
            <div className={classes.plot}>{plot}</div>
          ) : (
            <div
              className={classes.plot}
              role="slider"
              tabIndex={0}
              aria-label={t.pick(title)}
              aria-valuemin={0}
              aria-valuemax={last}
              aria-valuenow={active}
              aria-valuetext={current && textOf(current)}
              onKeyDown={onKeyDown}
              onFocus={() => setChosen((month) => month ?? last)}
              onBlur={() => setChosen(undefined)}
            >
              {plot}
            </div>
          )}
          <details>
            <summary>{t.showTable}</summary>
            {table}
          </details>
        </>
      )}
    </section>
  );
}

function MonthLink({ month, linkOf }: { month: number; linkOf: LinkOf | undefined }) {
  if (!linkOf) return formatMonth(month);
  const { to, search, label } = linkOf(month);
  return (
    <Link className={shared.link} to={to} search={search} title={label}>
      {formatMonth(month)}
    </Link>
  );
}

const sumOf = (values: readonly number[], sign: 1 | -1) =>
  values.reduce((sum, value) => (value * sign > 0 ? sum + value : sum), 0);

const longest = (names: readonly string[]) => Math.max(...names.map(({ length }) => length));
/** The value beside which the name of each series stands: the middle of its bar, or the end of its line. */
const labelPlaces = (values: readonly number[], isLine: boolean) =>
  values.map((value, index) => (isLine ? value : sumOf(values.slice(0, index), value < 0 ? -1 : 1) + value / 2));

interface PlotProps {
  months: readonly ChartMonth[];
  currency: string | null;
  series: readonly string[];
  isLine: boolean;
  active: number;
  onPoint: (index: number | undefined) => void;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  linkOf: ((month: ChartMonth) => ReturnType<LinkOf>) | undefined;
}

function Plot({ months, series, currency, isLine, active, onPoint, onKeyDown, linkOf }: PlotProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const right = series.length > 1 ? longest(series) * letterPx + 12 : margin.right;
  const plotWidth = Math.max(0, width - margin.left - right);
  const column = plotWidth / months.length;
  const extremes = months.flatMap(({ values }) => (isLine ? values : [sumOf(values, 1), sumOf(values, -1)]));
  const ticks = roundTicks(Math.min(...extremes), Math.max(...extremes));
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const y = (value: number) => margin.top + ((high - value) / (high - low)) * (heightPx - margin.top - margin.bottom);
  const x = (index: number) => margin.left + column * index;
  const step = labelStep(months.length, plotWidth, monthLabelPx);
  const hasRoom = column >= monthLabelPx;
  const barWidth = Math.max(1, Math.min(28, column * 0.66));
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const across = event.clientX - event.currentTarget.getBoundingClientRect().left - margin.left;
    onPoint(Math.max(0, Math.min(months.length - 1, Math.floor(across / column))));
  };
  const newest = months.at(-1)?.values ?? [];
  const labels = series.length > 1 ? labelPlaces(newest, isLine).map(y) : [];
  return (
    <div ref={ref} className={classes.canvas} onPointerLeave={() => onPoint(undefined)}>
      <svg width="100%" height={heightPx} aria-hidden onPointerMove={point} onPointerDown={point}>
        {width > 0 && (
          <>
            <rect
              className={classes.active}
              x={x(active)}
              y={margin.top}
              width={column}
              height={heightPx - margin.top - margin.bottom}
            />
            <g className={classes.grid}>
              {ticks.map((tick) => (
                <g key={tick}>
                  <line x1={margin.left} x2={width - right} y1={y(tick)} y2={y(tick)} />
                  <text x={margin.left - 8} y={y(tick) + 4} textAnchor="end">
                    {shortValue(tick, currency)}
                  </text>
                </g>
              ))}
              {months.map(({ fromDate }, index) =>
                // Counted from the newest month, which always has a label.
                (months.length - 1 - index) % step === 0 ? (
                  <text
                    key={fromDate}
                    x={x(index) + (hasRoom ? column / 2 : column)}
                    y={heightPx - 6}
                    textAnchor={hasRoom ? 'middle' : 'end'}
                  >
                    {formatMonth(fromDate)}
                  </text>
                ) : null,
              )}
            </g>
            {months.map(({ fromDate, values }, index) => (
              <Bars
                key={fromDate}
                values={isLine ? values.slice(0, 1) : values}
                x={x(index) + (column - barWidth) / 2}
                width={barWidth}
                y={y}
              />
            ))}
            {isLine && (
              <>
                <polyline
                  className={classes.line}
                  points={months.map(({ values }, index) => `${x(index) + column / 2},${y(values[1] ?? 0)}`).join(' ')}
                />
                <circle
                  className={classes.second}
                  cx={x(active) + column / 2}
                  cy={y(months[active]?.values[1] ?? 0)}
                  r={4}
                />
              </>
            )}
            <g>
              {spread(labels, labelGapPx, heightPx - margin.bottom).map((at, index) => (
                <g key={series[index]}>
                  <rect className={tones[index]} x={width - right + 4} y={at - 4} width={3} height={8} rx={1.5} />
                  <text x={width - right + 10} y={at + 4}>
                    {series[index]}
                  </text>
                </g>
              ))}
            </g>
          </>
        )}
      </svg>
      {width > 0 &&
        linkOf &&
        months.map((month, index) => {
          const { to, search, label } = linkOf(month);
          return (
            <Link
              key={month.fromDate}
              className={classes.link}
              style={{ left: x(index), width: column }}
              tabIndex={index === active ? 0 : -1}
              aria-label={label}
              to={to}
              search={search}
              onPointerEnter={() => onPoint(index)}
              onFocus={() => onPoint(index)}
              onBlur={() => onPoint(undefined)}
              onKeyDown={onKeyDown}
            />
          );
        })}
    </div>
  );
}

interface BarsProps {
  values: readonly number[];
  x: number;
  width: number;
  y: (value: number) => number;
}

function Bars({ values, x, width, y }: BarsProps) {
  return values.map((value, index) => {
    const before = sumOf(values.slice(0, index), value < 0 ? -1 : 1);
    const [from, to] = [y(before), y(before + value)];
    return (
      <rect
        // biome-ignore lint/suspicious/noArrayIndexKey: a series is known by its place.
        key={index}
        className={tones[index]}
        x={x}
        y={Math.min(from, to)}
        width={width}
        height={Math.abs(to - from)}
        rx={1.5}
      />
    );
  });
}
