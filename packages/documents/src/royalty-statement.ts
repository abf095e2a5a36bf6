import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { countryName } from '@regie/values/countries.ts';
import {
  capital,
  formatBalance,
  formatDate,
  formatInteger,
  formatLongMonth,
  formatMoney,
  formatMonth,
  formatPercent,
} from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { Content, ContentText, TableCell } from 'pdfmake/interfaces.js';
import { frDocuments } from './documents.fr.ts';
import { graphemesOf } from './fonts.ts';
import { isolateDirection } from './mixed-scripts.ts';
import { royaltyMovements, sumOf } from './movement-labels.ts';
import { head, houseParty, type PdfFile, parties, party, right } from './parts.ts';

const t = frDocuments.royalty;
type Amount = { netEur: number };
type Named = Amount & { name: string | null };
type Track = RoyaltyRecord['income']['tracks'][number];

/*
 * At most six pages: texts are cut before they wrap, so that the height of a row is known. Sections have at most so many
 * rows, and tracks have the height that the others leave. All in points.
 */
const maxRows = { stores: 20, countries: 20, referrals: 15, corrections: 8, payouts: 15, adjustments: 10 };
const contentHeight = 3400;
const sectionHeight = 56;
const rowHeight = 21;
const reasonHeight = 12;
const [fontSize, smallFontSize] = [9, 8];

const euros = (amount: number) => formatMoney(amount, 'EUR');
const shownMonth = (month: string) => formatMonth(monthToMs(month));
const shownDay = (day: string) => formatDate(Date.parse(day));

/** In em: the widest of a kind, or a little more than most. */
function widthOf(character: string): number {
  if (/^[ .,;:'’!|()[\]ijltfrI-]/.test(character)) return 0.36;
  if (/^[mwMW@%œŒæÆ]/.test(character)) return 0.9;
  if (/^[\p{Ll}\p{N}\p{P}\p{Z}\p{sc=Arab}\p{sc=Hebr}]/u.test(character)) return 0.57;
  if (/^\p{Lu}/u.test(character)) return 0.72;
  return /^\p{Lo}/u.test(character) ? 1 : 1.3;
}

/** The lines of a text, broken at spaces where there are any; what exceeds `count` is cut. */
function linesOf(text: string, width: number, size: number, count = 1): string[] {
  const whole = text.replaceAll(/\s+/g, ' ').trim();
  if (whole.length * 0.9 * size <= width && !/[\u0250-\uffff]/.test(whole)) return whole === '' ? [] : [whole];
  const lines: string[] = [];
  let rest = graphemesOf(whole);
  while (rest.length > 0 && lines.length < count) {
    let [end, room] = [0, width / size - 1];
    while (end < rest.length && room >= 0) room -= widthOf(rest[end++] ?? '');
    if (end === rest.length) return [...lines, rest.join('')];
    const space = rest.lastIndexOf(' ', end);
    if (space > end / 2) end = space;
    lines.push(rest.slice(0, end).join(''));
    rest = rest.slice(end);
    if (rest[0] === ' ') rest.shift();
  }
  return lines.map((line, index) => (index === count - 1 && rest.length > 0 ? `${line}…` : line));
}

interface Row {
  cells: TableCell[];
  height: number;
}
const oneLine = (text: string, width: number): ContentText => ({
  text: linesOf(text, width, fontSize)[0] ?? '',
  noWrap: true,
});
const rowOf = (...cells: TableCell[]): Row => ({ cells, height: rowHeight });

/** The largest amounts in their order, and the others: none is left alone. */
function largest<One extends Amount>(all: readonly One[], max: number): { shown: readonly One[]; others: One[] } {
  if (all.length <= max + 1) return { shown: all, others: [] };
  const ranked = all.toSorted((a, b) => Math.abs(b.netEur) - Math.abs(a.netEur));
  const [kept, others] = [new Set(ranked.slice(0, max)), ranked.slice(max)];
  return { shown: all.filter((one) => kept.has(one)), others };
}

interface Section {
  content: Content[];
  height: number;
}
const none: Section = { content: [], height: 0 };

/** The title is a row of the head: it is not left alone at the end of a page. */
const titled = (text: string, columns: readonly ContentText[]): TableCell[][] => [
  columns.map(
    (): TableCell => ({ text, style: 'heading', colSpan: columns.length, border: [false, false, false, false] }),
  ),
  columns.map((column): TableCell => ({ ...column, border: [false, false, false, true] })),
];

/** Widths without padding, which is 6 on each side but the first. */
const section = (heads: TableCell[][], widths: number[], rows: readonly Row[]): Section => ({
  height: rows.reduce((sum, { height }) => sum + height, sectionHeight),
  content: [
    {
      layout: 'lines',
      fontSize,
      table: {
        ...{ headerRows: heads.length, keepWithHeaderRows: 1, dontBreakRows: true, widths },
        body: [...heads, ...rows.map(({ cells }) => cells)],
      },
    },
  ],
});

const sumWidths = [140, 70, 6, 141, 70];
const [sumWidth = 0] = sumWidths;

/** The head and the rows of platforms or countries; nothing when all is without one. */
function listSums(
  name: 'stores' | 'countries',
  sums: readonly Named[],
  nameOf: (name: string | null) => string,
): TableCell[][] {
  if (sums.every((one) => one.name === null)) return [];
  const { shown, others } = largest(sums, maxRows[name]);
  const rows = shown.map((one): TableCell[] => [oneLine(nameOf(one.name), sumWidth), right(euros(one.netEur))]);
  if (others.length > 0) rows.push([t.rest[name](others.length), right(euros(sumOf(others)))]);
  const net: ContentText = { ...head(t.net, 'right'), margin: [0, 14, 0, 0] };
  return [[{ text: t[name], style: 'heading' }, net], ...rows];
}

/** Side by side. */
function listStoresAndCountries({ stores, countries }: RoyaltyRecord['income']): Section {
  const left = listSums('stores', stores, (name) => name ?? t.noStore);
  const beside = listSums('countries', countries, (code) => (code === null ? t.noCountry : countryName(code)));
  const [heads, ...rows] = Array.from({ length: Math.max(left.length, beside.length) }, (_, index) =>
    rowOf(...(left[index] ?? ['', '']), '', ...(beside[index] ?? ['', ''])),
  );
  return heads ? section([heads.cells], sumWidths, rows) : none;
}

interface Kind<One extends Amount> {
  name: Exclude<keyof typeof maxRows, 'stores' | 'countries'>;
  widths: number[];
  heads: ContentText[];
  rowOf: (one: One) => Row;
}

/** A section of rows that end with their net amount; nothing without rows. */
function listed<One extends Amount>(all: readonly One[], { name, widths, heads, rowOf: toRow }: Kind<One>): Section {
  if (all.length === 0) return none;
  const { shown, others } = largest(all, maxRows[name]);
  const [label, sum] = [t.rest[name](others.length), right(euros(sumOf(others)))];
  // A date is before the name, other amounts are after it.
  const rest = widths.length === 2 ? [label, sum] : ['', label, ...widths.slice(3).map(() => ''), sum];
  return section(titled(t[name], heads), widths, [...shown.map(toRow), ...(others.length > 0 ? [rowOf(...rest)] : [])]);
}

const movementWidths = [56, 315, 80];
const [, movementWidth = 0] = movementWidths;
const correctionWidths = [50, 185, 64, 64, 64];
const [, correctionWidth = 0] = correctionWidths;

const listReferrals = (referrals: RoyaltyRecord['referrals']) =>
  listed(referrals, {
    ...{ name: 'referrals', widths: [383, 80], heads: [head(t.what), head(t.net, 'right')] },
    rowOf: ({ name, month, percentile, netEur }) => {
      const [shown = ''] = linesOf(name ?? '', 240, fontSize);
      const percent = percentile === null ? null : formatPercent(percentile);
      return rowOf(t.referral(isolateDirection(shown), shownMonth(month), percent), right(euros(netEur)));
    },
  });

const listCorrections = (corrections: RoyaltyRecord['corrections']) =>
  listed(corrections, {
    name: 'corrections',
    widths: correctionWidths,
    heads: [head(t.date), head(t.what), ...[t.before, t.after, t.net].map((text) => head(text, 'right'))],
    rowOf: ({ day, month, file, referred, beforeEur, afterEur, netEur, reason }) => {
      const details = [referred, reason, file].filter(Boolean).join(', ');
      const lines = linesOf(details, correctionWidth, smallFontSize, 2);
      const small = lines.map((text) => ({ text, style: 'small', noWrap: true }));
      const amounts = [beforeEur, afterEur, netEur].map((amount) => right(euros(amount)));
      return {
        cells: [shownDay(day), { stack: [t.correction(shownMonth(month), null, null), ...small] }, ...amounts],
        height: rowHeight + lines.length * reasonHeight,
      };
    },
  });

const dated = <One extends Amount & { day: string }>(
  name: 'payouts' | 'adjustments',
  all: readonly One[],
  whatOf: (one: One) => string,
) =>
  listed(all, {
    ...{ name, widths: movementWidths, heads: [head(t.date), head(t.what), head(t.net, 'right')] },
    rowOf: (one) => rowOf(shownDay(one.day), oneLine(whatOf(one), movementWidth), right(euros(one.netEur))),
  });

const trackWidths = [249, 72, 52, 66];
const [trackWidth = 0] = trackWidths;

/** The largest tracks, under their releases, whose sums are of the shown ones. */
function listTracks(tracks: readonly Track[], height: number): Section {
  if (tracks.length === 0) return none;
  const releases = Map.groupBy(tracks, ({ release }) => release);
  const kept = new Set<Track>();
  const open = new Set<string | null>();
  // The others have a row.
  let room = height - sectionHeight - rowHeight;
  for (const track of tracks.toSorted((a, b) => Math.abs(b.netEur) - Math.abs(a.netEur))) {
    room -= open.has(track.release) ? rowHeight : 2 * rowHeight;
    if (room < 0) break;
    kept.add(track);
    open.add(track.release);
  }
  const others = tracks.filter((track) => !kept.has(track));
  const amounts = (parts: readonly Track[], bold: boolean) => {
    const counted = parts.flatMap(({ quantity }) => quantity ?? []);
    const quantity = counted.length === 0 ? '' : formatInteger(counted.reduce((sum, one) => sum + one, 0));
    return [right(quantity, bold), right(euros(sumOf(parts)), bold)];
  };
  const rows = Array.from(releases).flatMap(([release, all]) => {
    const shown = all.filter((track) => kept.has(track));
    if (shown.length === 0) return [];
    const [name = ''] = linesOf(release ?? t.noRelease, trackWidth - 90, fontSize);
    const title =
      shown.length === all.length
        ? name
        : t.partOf(isolateDirection(name), formatInteger(shown.length), formatInteger(all.length));
    return [
      rowOf({ text: title, bold: true, noWrap: true }, '', ...amounts(shown, true)),
      ...shown.map((track) =>
        rowOf(
          { ...oneLine(track.title ?? t.noTrack, trackWidth - 10), margin: [10, 0, 0, 0] },
          { text: track.isrc ?? '', noWrap: true },
          ...amounts([track], false),
        ),
      ),
    ];
  });
  if (others.length > 0) rows.push(rowOf(t.rest.tracks(others.length), '', ...amounts(others, false)));
  const heads = [head(t.track), head(t.isrc), head(t.quantity, 'right'), head(t.net, 'right')];
  return section(titled(t.tracks, heads), trackWidths, rows);
}

const periodOf = ({ from, to }: RoyaltyRecord) =>
  capital([...new Set([from, to])].map((month) => formatLongMonth(monthToMs(month))).join(' – '));

function summarise(record: RoyaltyRecord): Content[] {
  const movements = royaltyMovements(record).filter(([, amount]) => amount !== 0);
  const pending: Content = { text: `${t.pending}\u00a0: ${euros(record.pendingEur)}`, margin: [0, 6, 0, 0] };
  return [
    {
      layout: 'lines',
      table: {
        widths: ['*', 'auto'],
        body: [
          [t.opening, right(formatBalance(record.openingEur))],
          ...movements.map(([name, amount]) => [name, right(euros(amount))]),
          [{ text: t.closing, bold: true }, right(formatBalance(record.closingEur), true)],
        ],
      },
    },
    ...(record.pendingEur === 0 ? [] : [pending]),
  ];
}

/** A PDF of at most six pages. */
export function royaltyDocument(record: RoyaltyRecord): PdfFile {
  const { account, house } = record;
  const title = t.title(formatInteger(record.number));
  const accountNumber = frDocuments.receipt.accountNumber(String(account.id));
  const [name = ''] = linesOf(account.name, 220, smallFontSize);
  const after = [
    listStoresAndCountries(record.income),
    listReferrals(record.referrals),
    listCorrections(record.corrections),
    dated('payouts', record.payouts, ({ payoutId, isReturn }) => t.payout(formatPayoutNumber(payoutId), isReturn)),
    dated('adjustments', record.adjustments, ({ reason }) => reason),
  ];
  const others = after.reduce((sum, { height }) => sum + height, 0);
  const tracks = listTracks(record.income.tracks, contentHeight - others);
  return {
    fileName: t.fileName(account.id, record.number),
    document: {
      title: `${title}, ${account.name}`,
      footer: `${title}, ${isolateDirection(name)}, ${accountNumber}`,
      content: [
        parties(houseParty(house), party(linesOf(account.name, 225, 10, 3).join(' '), [accountNumber])),
        { text: title, style: 'title', margin: [0, 0, 0, 2] },
        { text: periodOf(record), margin: [0, 0, 0, 10] },
        ...summarise(record),
        ...tracks.content,
        ...after.flatMap(({ content }) => content),
        { text: `${t.rounded} ${frDocuments.statement.notInvoice}`, style: 'small', margin: [0, 12, 0, 0] },
      ],
    },
  };
}
