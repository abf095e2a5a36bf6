import {
  type ChangeReason,
  type Comparison,
  type ComparisonPart,
  effects,
  type revenueSubjects,
} from '@regie/contract/routes/compare.ts';
import { roundParts, roundToCents, toUnits } from '@regie/values/decimal.ts';
import { addMonths, type Month, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import type { Trx } from '#src/lib/db.ts';
import { notFound, orNotFound } from '#src/lib/errors.ts';
import {
  type ComparisonRow,
  compareAccounts,
  compareSubject,
  findSubject,
  type PartRow,
  type Subject,
} from './compare.queries.ts';

interface Asked {
  /** Milliseconds. */
  a: number;
  b: number;
  months: number;
}

const decimals = 10;
const unitsPerCent = 10n ** 8n;
const toEuros = (cents: bigint) => Number(cents) / 100;
const toExact = (units: bigint) => Number(units) / 10 ** decimals;
const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

async function compare(db: Trx, subject: Subject, name: string, { a, b, months }: Asked): Promise<Comparison> {
  const monthsFrom = (ms: number) =>
    Array.from({ length: months }, (_, index): string => `${addMonths(monthOfInstant(ms), index)}-01`);
  const periods = { a: monthsFrom(a), b: monthsFrom(b) };
  const hasTracks = 'account' in subject || ('tracks' in subject && subject.tracks.length > 1);
  return {
    name,
    fromA: monthToMs(periods.a[0] as Month),
    fromB: monthToMs(periods.b[0] as Month),
    ...toComparison(await compareSubject(db, subject, periods), hasTracks),
  };
}

/** Amounts in cents, so that the parts of each sum add up to it (docs/decisions/450). */
export function toComparison(row: ComparisonRow, hasTracks: boolean): Omit<Comparison, 'name' | 'fromA' | 'fromB'> {
  const [a, b] = [row.amountA, row.amountB].map((amount) => roundToCents(toUnits(amount, decimals), unitsPerCent));
  const difference = (b ?? 0n) - (a ?? 0n);
  const bars = effects
    .map((effect) => ({ effect, rows: row.parts.filter((part) => part.effect === effect) }))
    .map((bar) => ({ ...bar, exact: sumOf(wholes(bar.rows).map(unitsOf)) }))
    .filter(({ exact }) => exact !== 0n);
  const shown = roundParts(
    bars.map(({ exact }) => exact),
    difference,
    unitsPerCent,
  );
  return {
    amountAEur: toEuros(a ?? 0n),
    amountBEur: toEuros(b ?? 0n),
    differenceEur: toEuros(difference),
    isForecastA: row.isForecastA,
    isForecastB: row.isForecastB,
    missingRates: row.missing,
    doubledStatements: row.doubled,
    bars: bars
      .map(({ effect, rows, exact }, at) => {
        const cents = shown[at] ?? 0n;
        const amounts = { effect, amountEur: toEuros(cents), exactEur: toExact(exact) };
        // Referrals and adjustments have no source.
        const isFlat = effect === 'referral' || effect === 'adjustment';
        if (isFlat) return { ...amounts, parts: toParts(placed(rows), cents).map((part) => ({ ...part, parts: [] })) };
        const parts = toParts(wholes(rows), cents).map((part) => {
          const own = hasTracks
            ? placed(rows).filter(({ source, kind }) => source === part.name && kind === part.kind)
            : [];
          return { ...part, parts: toParts(own, BigInt(Math.round(part.amountEur * 100))) };
        });
        return { ...amounts, parts };
      })
      .filter(({ amountEur }) => amountEur !== 0),
  };
}

const unitsOf = ({ amount }: PartRow) => toUnits(amount, decimals);
const wholes = (rows: readonly PartRow[]) => rows.filter(({ place }) => place === null);
const placed = (rows: readonly PartRow[]) => rows.filter(({ place }) => place !== null);

function toParts(rows: readonly PartRow[], total: bigint): ComparisonPart[] {
  const shown = roundParts(rows.map(unitsOf), total, unitsPerCent);
  return rows
    .map((row, at) => ({
      ...row,
      name: row.place === null ? row.source : row.name,
      amountEur: toEuros(shown[at] ?? 0n),
      exactEur: toExact(unitsOf(row)),
    }))
    .filter(({ amountEur }) => amountEur !== 0);
}

export async function compareAccount(db: Trx, id: number, asked: Asked): Promise<Comparison> {
  const { name } = orNotFound(await findSubject(db, 'account', id));
  return compare(db, { account: id }, name, asked);
}

/** The largest effect between two months of each account that has one, with the source or record of its largest part. */
export async function listReasons(
  db: Trx,
  accounts: readonly number[],
  { a, b }: { a: string; b: string },
): Promise<Map<number, ChangeReason>> {
  const rest = { isForecastA: false, isForecastB: false, missing: [], doubled: [] };
  const rows = await compareAccounts(db, accounts, { a: [a], b: [b] });
  return new Map(
    rows.flatMap(({ subject, ...row }) => {
      const { bars } = toComparison({ ...row, ...rest }, false);
      const [first] = bars.toSorted((one, other) => Math.abs(other.amountEur) - Math.abs(one.amountEur));
      if (!first) return [];
      const { effect, amountEur, parts } = first;
      const main = parts.find((part) => part.others === null && part.amountEur < 0 === amountEur < 0) ?? parts[0];
      return [
        [subject, { effect, amountEur, name: main?.name ?? '', fromA: monthToMs(a), fromB: monthToMs(b) }] as const,
      ];
    }),
  );
}

export async function compareRevenue(
  db: Trx,
  { subject, value, ...asked }: Asked & { subject: (typeof revenueSubjects)[number]; value: string },
): Promise<Comparison> {
  if (subject === 'all') return compare(db, { store: undefined }, '', asked);
  if (subject === 'store') return compare(db, { store: value }, value, asked);
  if (!/^[1-9]\d{0,14}$/.test(value)) throw notFound();
  const isAccount = subject === 'grossAccount';
  const { name, tracks } = orNotFound(await findSubject(db, isAccount ? 'account' : subject, Number(value)));
  return compare(db, isAccount ? { account: Number(value), isGross: true } : { tracks }, name, asked);
}
