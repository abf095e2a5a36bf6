import type { Comparison } from '@regie/contract/routes/compare.ts';
import { roundToCents, toUnits } from '@regie/values/decimal.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useApp } from '#test/app.ts';
import { deepCount } from '#test/deep.ts';
import { compareAtoms } from './compare.queries.ts';
import { toComparison } from './compare.service.ts';

const app = useApp();

interface Atom {
  place: number;
  isB: boolean;
  nature: string;
  source: string;
  kind: string;
  currency: string;
  item: string;
  track: number | null;
  hasLeft: boolean;
  quantity: number;
  amount: string;
  /** Null: the currency has none. */
  rate: string | null;
  percent: string;
}
type Received = Pick<Atom, 'place' | 'isB' | 'source'>;

const atomOf = (atom: Partial<Atom>): Atom => ({
  ...{
    place: 0,
    isB: false,
    nature: 'income',
    source: 'Spotify',
    kind: 'stream',
    currency: 'EUR',
    item: 'a',
    track: 1,
  },
  ...{ hasLeft: false, quantity: 1, amount: '1', rate: '1', percent: '100', ...atom },
});

const compareRandom = (atoms: readonly Atom[], received: readonly Received[]) =>
  compareAtoms(
    app.db,
    sql`received AS (SELECT place, "isB" AS is_b, source
                       FROM jsonb_to_recordset(${JSON.stringify(received)}::jsonb) AS r (place integer, "isB" boolean, source text)),
        atoms AS (SELECT 0 AS subject, place, "isB" AS is_b, nature, source, kind, currency, item, track AS track_id, "hasLeft" AS has_left, quantity, amount,
                         amount / rate AS eur, amount / rate * percent / 100 AS net,
                         NULL::bigint AS report_id, NULL::bigint AS statement_id, false AS is_waiting
                    FROM jsonb_to_recordset(${JSON.stringify(atoms)}::jsonb)
                      AS a (place integer, "isB" boolean, nature text, source text, kind text, currency text, item text, track bigint,
                            "hasLeft" boolean, quantity numeric, amount numeric, rate numeric, percent numeric))`,
  );

const effectsOf = ({ bars }: Pick<Comparison, 'bars'>) =>
  Object.fromEntries(bars.map(({ effect, amountEur }) => [effect, amountEur]));

it('takes the example of the rules apart to the cent', async () => {
  const of = (sides: Partial<Atom>[]) =>
    sides.flatMap((side, at) => (side.amount ? [atomOf({ ...side, isB: at === 1 })] : []));
  const row = await compareRandom(
    [
      ...of([
        { currency: 'USD', quantity: 100_000, amount: '300', rate: '1.1', percent: '80' },
        { currency: 'USD', quantity: 90_000, amount: '252', rate: '1.2', percent: '75' },
      ]),
      ...of([{ source: 'Deezer', amount: '32' }]),
      ...of([{}, { item: 'b', track: 2, amount: '7.5' }]),
      ...of([{}, { nature: 'correction', amount: '-4.2732', percent: '75' }]),
      ...of([
        { nature: 'referral', source: '', item: '7', track: null, amount: '5' },
        { nature: 'referral', source: '', item: '7', track: null, amount: '6.0951' },
      ]),
    ],
    [
      { place: 0, isB: false, source: 'Spotify' },
      { place: 0, isB: true, source: 'Spotify' },
      { place: 0, isB: false, source: 'Deezer' },
    ],
  );
  const comparison = toComparison(row, true);
  expect(comparison).toMatchObject({ amountAEur: 255.18, amountBEur: 167.89, differenceEur: -87.29 });
  expect(comparison.bars.map(({ effect, exactEur }) => [effect, exactEur])).toEqual([
    ['missing', -32],
    ['correction', -3.2049],
    ['new', 7.5],
    ['plays', -21.8181818182],
    ['price', -13.0909090909],
    ['rate', -15.2727272727],
    ['share', -10.5],
    ['referral', 1.0951],
  ]);
  expect(effectsOf(comparison)).toEqual({
    ...{ missing: -32, correction: -3.21, new: 7.5, plays: -21.82, price: -13.09, rate: -15.27, share: -10.5 },
    referral: 1.1,
  });
  const parts = comparison.bars.flatMap(({ parts }) => parts);
  expect(parts.find(({ amountEur }) => amountEur === -21.82)).toMatchObject({ before: 100_000, after: 90_000 });
  expect(parts.find(({ amountEur }) => amountEur === -13.09)).toMatchObject({
    kind: 'stream',
    before: 0.003,
    after: 0.0028,
    currency: 'USD',
  });
  expect(parts.find(({ amountEur }) => amountEur === -15.27)).toMatchObject({ before: 1.1, after: 1.2 });
  expect(parts.find(({ amountEur }) => amountEur === -10.5)).toMatchObject({ before: 80, after: 75 });
});

it.each<[string, Partial<Atom>[], Record<string, number>]>([
  [
    'plays of one period only',
    [{}, { track: 1, item: 'b', isB: true, amount: '3' }, { item: 'c' }, { item: 'c', isB: true }],
    { plays: 2 },
  ],
  ['an amount without quantity', [{ quantity: 0 }, { isB: true, amount: '3' }], { amount: 2 }],
  [
    'a period of zero',
    [
      { amount: '0', percent: '50' },
      { isB: true, amount: '3' },
    ],
    { amount: 3 },
  ],
  ['a negative period', [{}, { isB: true, amount: '-1' }], { correction: -2 }],
  [
    'currencies that changed',
    [{}, { isB: true, currency: 'USD', amount: '4', rate: '2', quantity: 3 }],
    { plays: 2, price: -1 },
  ],
  ['a currency without rate', [{}, { isB: true }, { isB: true, currency: 'XTS', rate: null, amount: '9' }], {}],
  ['a track that was withdrawn', [{ item: 'b', track: 2 }, {}, { isB: true }], { gone: -1 }],
  ['a track that left the account', [{ item: 'b', track: 2, hasLeft: true }, {}, { isB: true }], { moved: -1 }],
  ['a source that only came later', [{ isB: true, source: 'Tidal' }], { extra: 1 }],
  ['another share', [{ amount: '10' }, { isB: true, amount: '10', percent: '75' }], { share: -2.5 }],
])('explains %s', async (_, sides, effects) => {
  const received = [false, true].map((isB) => ({ place: 0, isB, source: 'Spotify' }));
  const row = await compareRandom(sides.map(atomOf), [...received, { place: 0, isB: true, source: 'Tidal' }]);
  expect(effectsOf(toComparison(row, true))).toEqual(effects);
});

const amount = fc.oneof(
  fc.constantFrom('0', '-0.005', '0.00000001', '123456.789'),
  fc.integer({ min: -20_000, max: 200_000 }).map((units) => String(units / 1000)),
);
const atom: fc.Arbitrary<Atom> = fc.record({
  place: fc.nat(1),
  isB: fc.boolean(),
  nature: fc.constantFrom('income', 'income', 'income', 'correction', 'share'),
  source: fc.constantFrom('Spotify', 'Deezer', 'Vidéo'),
  kind: fc.constantFrom('stream', 'download'),
  currency: fc.constantFrom('EUR', 'USD'),
  item: fc.constantFrom('a', 'b', 'c', ''),
  // More tracks than are shown of a source.
  track: fc.option(fc.integer({ min: 1, max: 14 })),
  hasLeft: fc.boolean(),
  quantity: fc.integer({ min: -2, max: 1000 }),
  amount,
  rate: fc.constantFrom('1', '1.0824', '655.957', null),
  percent: fc.constantFrom('100', '80', '33.33', '0'),
});
const referral = fc
  .record({ isB: fc.boolean(), amount, item: fc.constantFrom('7', '8') })
  .map((given) => atomOf({ ...given, nature: 'referral', source: '', track: null }));
const received = fc.record({
  place: fc.nat(1),
  isB: fc.boolean(),
  source: fc.constantFrom('Spotify', 'Deezer', 'Vidéo'),
});

it('adds up to the difference, exactly and as shown, whatever the income', { tags: ['slow'] }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 5, arbitrary: atom }, { weight: 1, arbitrary: referral }), { maxLength: 40 }),
      fc.array(received, { maxLength: 12 }),
      async (atoms, sources) => {
        const row = await compareRandom(atoms, sources);
        const units = (text: string) => toUnits(text, 10);
        const sum = (numbers: readonly bigint[]) => numbers.reduce((total, one) => total + one, 0n);
        const net = (isB: boolean) =>
          atoms.reduce(
            (total, one) =>
              total +
              (one.isB === isB && one.rate ? (Number(one.amount) / Number(one.rate)) * (Number(one.percent) / 100) : 0),
            0,
          );
        expect(Number(row.amountA)).toBeCloseTo(net(false), 5);
        expect(Number(row.amountB)).toBeCloseTo(net(true), 5);
        const whole = row.parts.filter(({ place }) => place === null);
        expect(sum(whole.map((part) => units(part.amount)))).toBe(units(row.amountB) - units(row.amountA));
        expect(sum(row.parts.filter(({ place }) => place !== null).map((part) => units(part.amount)))).toBe(
          units(row.amountB) - units(row.amountA),
        );
        const shown = toComparison(row, true);
        const cents = (amounts: readonly { amountEur: number }[]) =>
          amounts.reduce((total, { amountEur }) => total + Math.round(amountEur * 100), 0);
        expect(cents(shown.bars)).toBe(Math.round(shown.differenceEur * 100));
        expect(BigInt(cents(shown.bars))).toBe(
          roundToCents(units(row.amountB), 10n ** 8n) - roundToCents(units(row.amountA), 10n ** 8n),
        );
        for (const bar of shown.bars) {
          expect(cents(bar.parts)).toBe(cents([bar]));
          for (const part of bar.parts) if (part.parts.length > 0) expect(cents(part.parts)).toBe(cents([part]));
        }
      },
    ),
    { numRuns: deepCount(2000) },
  );
});
