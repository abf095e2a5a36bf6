import type { Comparison, ComparisonPart, Effect } from '@regie/contract/routes/compare.ts';
import { de } from '@regie/values/elision.ts';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { monthToParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import { ExactMoney } from '#src/ui/exact.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { frCompare } from './compare.fr.ts';
import classes from './compare.module.css';
import { contentOf, factOf, partName, periodName } from './compare-words.ts';

const t = frCompare;
const decimals = 10;

/** Where the bars of both amounts and of what lies between begin and end, in percent of the width. */
function placeBars({ amountAEur, amountBEur, bars }: Comparison) {
  const after = [amountAEur];
  for (const { amountEur } of bars) after.push((after.at(-1) ?? 0) + amountEur);
  const [least, most] = [Math.min(...after, amountBEur), Math.max(...after, amountBEur)];
  // Small changes of a large amount are shown without its first part.
  const isCut = least > 0 && most - least < least * 0.6;
  const low = isCut ? least - (most - least) * 0.4 : Math.min(0, least);
  const high = Math.max(isCut ? most : 0, most);
  const at = (value: number) => (high === low ? 0 : ((value - low) / (high - low)) * 100);
  const span = (from: number, to: number) => ({
    left: `${Math.min(at(from), at(to))}%`,
    width: `${Math.abs(at(to) - at(from))}%`,
  });
  const zero = isCut ? low : 0;
  return {
    isCut,
    a: span(zero, amountAEur),
    b: span(zero, amountBEur),
    bars: bars.map((_, index) => span(after[index] ?? 0, after[index + 1] ?? 0)),
  };
}

/** From one amount to the other, effect by effect: a table whose rows open to what they are made of. */
export function Waterfall({ data, months }: { data: Comparison; months: number }) {
  const places = placeBars(data);
  const periods = [data.fromA, data.fromB].map((from, at) => ({
    side: at === 0 ? 'a' : 'b',
    name: periodName(from, months),
    month: months === 1 ? monthToParam(from) : undefined,
  }));
  const total = (name: string, amount: number, style: object) => (
    <Row name={name} amount={amount} exact={amount} isTotal>
      <span className={classes.bar} style={style} data-kind="total" data-cut={places.isCut || undefined} />
    </Row>
  );
  return (
    <PlainTable name={t.table} head={[t.effect, { right: t.amount }]} className={classes.table}>
      <tbody>
        {total(periodName(data.fromA, months), data.amountAEur, places.a)}
        {data.bars.map((bar, index) => (
          <Row
            key={bar.effect}
            name={t.effects[bar.effect]}
            amount={bar.amountEur}
            exact={bar.exactEur}
            under={contentOf(bar)}
            parts={bar.parts.map((part) => (
              <PartRow key={keyOf(part)} effect={bar.effect} part={part} periods={periods} depth={1} />
            ))}
          >
            <span className={classes.bar} style={places.bars[index]} data-kind={bar.amountEur < 0 ? 'less' : 'more'} />
          </Row>
        ))}
        {total(periodName(data.fromB, months), data.amountBEur, places.b)}
      </tbody>
    </PlainTable>
  );
}

const keyOf = ({ name, kind, id, others }: ComparisonPart) => `${id} ${others} ${name} ${kind}`;

interface Period {
  side: string;
  name: string;
  /** Of a period of one month. */
  month: string | undefined;
}

interface PartRowProps {
  effect: Effect;
  part: ComparisonPart;
  periods: readonly Period[];
  depth: number;
}

function PartRow({ effect, part, periods, depth }: PartRowProps) {
  const name = partName(effect, part, depth === 1);
  const parts = part.parts ?? [];
  const PartLink = effect === 'referral' ? AccountLink : TrackLink;
  return (
    <Row
      name={name}
      shownName={part.id === null || effect === 'adjustment' ? name : <PartLink id={part.id}>{name}</PartLink>}
      amount={part.amountEur}
      exact={part.exactEur}
      depth={depth}
      under={
        <>
          {factOf(effect, part)}
          {effect === 'adjustment' && part.id !== null ? (
            <Link className={shared.textLink} to={paths.transaction(part.id)}>
              {t.entry}
            </Link>
          ) : (
            parts.length === 0 && part.others === null && <Sources part={part} periods={periods} />
          )}
        </>
      }
      parts={parts.map((one) => (
        <PartRow key={keyOf(one)} effect={effect} part={one} periods={periods} depth={depth + 1} />
      ))}
    />
  );
}

/** The reports that explain an amount, the statements where nothing is posted, or the month of other imports. */
function Sources({ part, periods }: { part: ComparisonPart; periods: readonly Period[] }) {
  if (!useCan()('read_reports')) return null;
  const hasNone = [...part.reports, ...part.statements].every((id) => id === null);
  return periods.map(({ side, name, month }, at) => {
    const [report, statement] = [part.reports[at], part.statements[at]];
    const [text, to] = report
      ? [t.report, paths.report(report)]
      : statement
        ? [t.statement, paths.storeStatement(statement)]
        : [t.month, hasNone && month !== undefined && part.name ? paths.month(month) : undefined];
    if (!to) return null;
    return (
      <Link key={side} className={shared.textLink} to={to}>
        {text(de(name))}
      </Link>
    );
  });
}

interface RowProps {
  name: string;
  shownName?: ReactNode;
  amount: number;
  exact: number;
  isTotal?: boolean;
  depth?: number;
  under?: ReactNode;
  /** The bar. */
  children?: ReactNode;
  parts?: readonly ReactNode[];
}

function Row({ name, shownName = name, amount, exact, isTotal, depth = 0, under, children, parts = [] }: RowProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <tr data-depth={depth} data-total={isTotal}>
        <th scope="row">
          <div className={classes.label}>
            <span>
              {parts.length > 0 ? (
                <button
                  type="button"
                  className={classes.toggle}
                  aria-expanded={isOpen}
                  onClick={() => setIsOpen(!isOpen)}
                >
                  <IconChevronRight size={14} stroke={2} aria-hidden />
                  {name}
                </button>
              ) : (
                <span className={classes.name}>{shownName}</span>
              )}
              {under && <span className={classes.under}>{under}</span>}
            </span>
            {children && (
              <span className={classes.track} aria-hidden>
                {children}
              </span>
            )}
          </div>
        </th>
        <td data-align="right">
          {!isTotal && amount > 0 && '+'}
          <ExactMoney amount={exact} shown={amount} currency="EUR" decimals={decimals} />
        </td>
      </tr>
      {isOpen && parts}
    </>
  );
}
