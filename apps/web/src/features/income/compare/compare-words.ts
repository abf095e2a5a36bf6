import type { Comparison, ComparisonPart, Effect } from '@regie/contract/routes/compare.ts';
import { formatLongMonth, formatMoney, formatMonths, nbsp } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import type { CompareSubject } from '#src/domain/compare-link.tsx';
import { frCompare } from './compare.fr.ts';

const t = frCompare;

const lastMonth = (from: number, months: number) => monthToMs(addMonths(monthOfInstant(from), months - 1));

export const periodName = (from: number, months: number): string => formatMonths(from, lastMonth(from, months));

/** Of an amount with its sign: `+3,96 €`. */
const signedMoney = (amount: number): string => `${amount > 0 ? '+' : ''}${formatMoney(amount, 'EUR')}`;

/** `1 234 → 1 100 écoutes`; undefined where nothing that has a number changed the way of the amount. */
export function factOf(effect: Effect, part: ComparisonPart): string | undefined {
  const { before, after, currency, kind, amountEur } = part;
  if (before === null || after === null || before === after) return undefined;
  // Of several tracks the sum or mean may change the other way.
  if (after > before !== (effect === 'rate' ? amountEur < 0 : amountEur > 0)) return undefined;
  if (effect === 'share') return t.facts.share(before, after);
  if (effect === 'plays' && kind) return t.facts.plays(before, after, kind);
  if (currency === null) return undefined;
  if (effect === 'price' && kind) return t.facts.price(before, after, currency, kind);
  return effect === 'rate' ? t.facts.rate(before, after, currency) : undefined;
}

/** A row of an effect; `isSource` for the first level. */
export function partName(effect: Effect, { name, others, kind }: ComparisonPart, isSource: boolean): string {
  if (others !== null) {
    if (effect === 'referral') return t.otherAccounts(others);
    return (effect === 'adjustment' ? t.otherAdjustments : t.otherTracks)(others);
  }
  if (isSource && name && kind && kind !== 'stream') return t.sourceKind(name, kind);
  return name || (effect === 'adjustment' ? t.noReason : isSource ? t.roundings : t.noTrack);
}

const listedParts = 3;
const list = new Intl.ListFormat('fr');

/** The largest parts with their amounts; the only one without. */
function listParts(parts: readonly ComparisonPart[], textOf: (part: ComparisonPart, isOnly: boolean) => string) {
  const rest = parts.length - listedParts;
  const shown = parts.slice(0, rest === 1 ? parts.length : listedParts);
  return list.format([
    ...shown.map((part) => textOf(part, parts.length === 1)),
    ...(rest > 1 ? [t.otherSources(rest)] : []),
  ]);
}

/** What a bar is made of, in a line. */
export function contentOf({ effect, parts }: Comparison['bars'][number]): string {
  return listParts(parts, (part, isOnly) => {
    const name = partName(effect, part, true);
    const fact = factOf(effect, part);
    return isOnly ? [name, fact].filter(Boolean).join('\u00a0: ') : t.amountOf(name, signedMoney(part.amountEur));
  });
}

/** The largest part that goes the way of its effect. */
const mainPart = <Part extends ComparisonPart>({ amountEur, parts }: { amountEur: number; parts: readonly Part[] }) =>
  parts.find((part) => part.others === null && part.amountEur < 0 === amountEur < 0) ?? parts[0];

const byTrack: ReadonlySet<Effect> = new Set(['new', 'gone', 'moved']);

function causeOf(bar: Comparison['bars'][number], months: number): string {
  const { effect, amountEur, parts } = bar;
  const { said } = t;
  if (effect === 'missing' || effect === 'extra') {
    const sources = listParts(parts, ({ name, amountEur }, isOnly) =>
      isOnly ? said.source(name) : said.sourceAmount(said.source(name), signedMoney(amountEur)),
    );
    return said.onlyOneReceived(effect === 'missing', months > 1, sources);
  }
  const largest = mainPart(bar);
  if (!largest) return '';
  const track = byTrack.has(effect) ? mainPart(largest) : undefined;
  const most = track
    ? `«${nbsp}${partName(effect, track, false)}${nbsp}»`
    : partName(effect, { ...largest, kind: null }, true);
  const fact = factOf(effect, largest);
  const cause = { most, isOne: parts.length === 1, isLess: amountEur < 0, kind: largest.kind ?? 'stream' };
  return `${said.causes[effect](cause)}${fact ? said.fact(fact) : ''}`;
}

/** Three sentences for whoever asked: the amounts, and the two largest effects with their causes. */
export function answerOf(subject: CompareSubject, months: number, data: Comparison): string {
  const money = (amount: number) => formatMoney(amount, 'EUR');
  const { said } = t;
  const period = (from: number) => {
    if (months === 1) return formatLongMonth(from);
    const last = formatLongMonth(lastMonth(from, months));
    const [month = '', year = ''] = formatLongMonth(from).split(nbsp);
    return said.period(last.endsWith(year) ? month : formatLongMonth(from), last);
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
    first ? said.first(signedMoney(first.amountEur), causeOf(first, months)) : said.none,
    second ? said.second(signedMoney(second.amountEur), causeOf(second, months)) : said.end,
  ].join(' ');
}
