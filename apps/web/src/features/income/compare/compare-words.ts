import type { Comparison, ComparisonPart, Effect } from '@regie/contract/routes/compare.ts';
import { formatMoney, formatMonth, nbsp } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import type { CompareSubject } from '#src/domain/compare-link.tsx';
import { frCompare } from './compare.fr.ts';

const t = frCompare;

/** `janv. 2026`, or `janv. 2026 – mars 2026`. */
export const periodName = (from: number, months: number): string =>
  months === 1
    ? formatMonth(from)
    : `${formatMonth(from)} – ${formatMonth(monthToMs(addMonths(monthOfInstant(from), months - 1)))}`;

/** `1 234 → 1 100 écoutes`; undefined where nothing that has a number changed. */
export function factOf(effect: Effect, { before, after, currency }: ComparisonPart): string | undefined {
  if (before === null || after === null) return undefined;
  if (effect === 'plays') return t.facts.plays(before, after);
  if (effect === 'share') return t.facts.share(before, after);
  if (currency === null) return undefined;
  if (effect === 'price') return t.facts.price(before, after, currency);
  return effect === 'rate' ? t.facts.rate(before, after, currency) : undefined;
}

/** A row of an effect; `isSource` for the first level. */
export function partName(effect: Effect, { name, others }: ComparisonPart, isSource: boolean): string {
  if (others !== null) {
    if (effect === 'referral') return t.otherAccounts(others);
    return (effect === 'adjustment' ? t.otherAdjustments : t.otherTracks)(others);
  }
  return name || (effect === 'adjustment' ? t.noReason : isSource ? t.roundings : t.noTrack);
}

/** The largest part that goes the way of its effect. */
export const mainPart = <Part extends ComparisonPart>({
  amountEur,
  parts,
}: {
  amountEur: number;
  parts: readonly Part[];
}) => parts.find((part) => part.others === null && part.amountEur < 0 === amountEur < 0) ?? parts[0];

const byTrack: ReadonlySet<Effect> = new Set(['new', 'gone', 'moved']);

function causeOf(bar: Comparison['bars'][number]): string {
  const { effect, amountEur } = bar;
  const largest = mainPart(bar);
  if (!largest) return '';
  const track = byTrack.has(effect) ? mainPart(largest) : undefined;
  const most = track ? `«${nbsp}${partName(effect, track, false)}${nbsp}»` : partName(effect, largest, true);
  const fact = factOf(effect, largest);
  return `${t.said.causes[effect](most, amountEur < 0)}${fact ? t.said.fact(fact) : ''}`;
}

/** Three sentences for whoever asked: the amounts, and the two largest effects with their causes. */
export function answerOf(subject: CompareSubject, months: number, data: Comparison): string {
  const money = (amount: number) => formatMoney(amount, 'EUR');
  const { said } = t;
  const period = (from: number) => {
    const name = periodName(from, months);
    return months === 1 ? name : said.period(name);
  };
  const opening = said.amounts(
    said.subjects[subject](data.name),
    money(data.amountBEur),
    period(data.fromB),
    money(data.amountAEur),
    period(data.fromA),
    data.isForecastA || data.isForecastB,
  );
  const size = money(Math.abs(data.differenceEur));
  const difference = data.differenceEur === 0 ? said.same : (data.differenceEur < 0 ? said.less : said.more)(size);
  const [first, second] = data.bars.toSorted((one, other) => Math.abs(other.amountEur) - Math.abs(one.amountEur));
  return [
    `${opening}${difference}`,
    first ? said.first(money(first.amountEur), causeOf(first)) : said.none,
    second ? said.second(money(second.amountEur), causeOf(second)) : said.end,
  ].join(' ');
}
