import type { Comparison, ComparisonPart, Effect } from '@regie/contract/routes/compare.ts';
import { de } from '@regie/values/elision.ts';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { useCan } from '#src/lib/session.ts';
import { ExactMoney } from '#src/ui/exact.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { frCompare } from './compare.fr.ts';
import classes from './compare.module.css';
import { factOf, mainPart, partName } from './compare-words.ts';

const t = frCompare;
const decimals = 10;

interface Names {
  a: string;
  b: string;
}

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
export function Waterfall({ data, names }: { data: Comparison; names: Names }) {
  const places = placeBars(data);
  const total = (name: string, amount: number, style: object) => (
    <Row name={name} amount={amount} exact={amount} isTotal>
      <span className={classes.bar} style={style} data-kind="total" data-cut={places.isCut || undefined} />
    </Row>
  );
  return (
    <PlainTable name={t.table} head={[t.effect, { right: t.amount }]} className={classes.table}>
      <tbody>
        {total(names.a, data.amountAEur, places.a)}
        {data.bars.map((bar, index) => (
          <Row
            key={bar.effect}
            name={t.effects[bar.effect]}
            amount={bar.amountEur}
            exact={bar.exactEur}
            under={mainText(bar)}
            parts={bar.parts.map((part) => (
              <PartRow key={keyOf(part)} effect={bar.effect} part={part} names={names} depth={1} />
            ))}
          >
            <span className={classes.bar} style={places.bars[index]} data-kind={bar.amountEur < 0 ? 'less' : 'more'} />
          </Row>
        ))}
        {total(names.b, data.amountBEur, places.b)}
      </tbody>
    </PlainTable>
  );
}

/** The largest part, and what changed in it. */
function mainText(bar: Comparison['bars'][number]) {
  const part = mainPart(bar);
  return part && [partName(bar.effect, part, true), factOf(bar.effect, part)].filter(Boolean).join('\u00a0: ');
}

const keyOf = ({ name, id, others }: ComparisonPart) => `${id} ${others} ${name}`;

interface PartRowProps {
  effect: Effect;
  part: ComparisonPart;
  names: Names;
  depth: number;
}

function PartRow({ effect, part, names, depth }: PartRowProps) {
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
            parts.length === 0 && part.others === null && <Sources part={part} names={names} />
          )}
        </>
      }
      parts={parts.map((one) => (
        <PartRow key={keyOf(one)} effect={effect} part={one} names={names} depth={depth + 1} />
      ))}
    />
  );
}

/** The reports that explain an amount, or the statements where nothing is posted. */
function Sources({ part, names }: { part: ComparisonPart; names: Names }) {
  if (!useCan()('read_reports')) return null;
  return [names.a, names.b].map((name, at) => {
    const [report, statement] = [part.reports[at], part.statements[at]];
    const to = report ? paths.report(report) : statement ? paths.storeStatement(statement) : undefined;
    if (!to) return null;
    return (
      <Link key={name} className={shared.textLink} to={to}>
        {(report ? t.report : t.statement)(de(name))}
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
