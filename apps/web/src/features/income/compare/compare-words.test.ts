import type { Comparison, ComparisonPart, Effect } from '@regie/contract/routes/compare.ts';
import { monthToMs } from '@regie/values/month.ts';
import { expect, it } from 'vitest';
import { answerOf } from './compare-words.ts';

const partOf = (part: Partial<ComparisonPart>) => ({
  ...{
    amountEur: 0,
    exactEur: 0,
    name: '',
    id: null,
    others: null,
    kind: null,
    before: null,
    after: null,
    currency: null,
    parts: [],
  },
  ...{ reports: [null, null] as [null, null], statements: [null, null] as [null, null], ...part },
});
const barOf = (effect: Effect, amountEur: number, part: Partial<ComparisonPart>) => ({
  ...{ effect, amountEur, exactEur: amountEur },
  parts: [partOf({ amountEur, ...part })],
});
const comparison = (bars: Comparison['bars'], differenceEur = -87.29): Comparison => ({
  ...{
    name: 'Fanta Keïta',
    amountAEur: 255.18,
    amountBEur: 255.18 + differenceEur,
    differenceEur,
    bars,
    missingRates: [],
    doubledStatements: [],
  },
  ...{ fromA: monthToMs('2026-10'), fromB: monthToMs('2026-11'), isForecastA: false, isForecastB: false },
});
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

it('answers in three sentences with the account, the periods and the two largest effects', () => {
  const bars = [
    barOf('missing', -32, { name: 'Deezer' }),
    barOf('new', 7.5, { name: 'Spotify' }),
    barOf('plays', -21.82, { name: 'Spotify', kind: 'stream', before: 100_000, after: 90_000 }),
  ];
  expect(plain(answerOf('account', 1, comparison(bars)))).toBe(
    'Bonjour, les revenus du compte Fanta Keïta s’élèvent à 167,89 € pour novembre 2026, contre 255,18 € pour octobre 2026, soit 87,29 € de moins. ' +
      'Le principal effet, de −32,00 €, tient à des revenus que seule la première période a reçus : Deezer. ' +
      'Le deuxième, de −21,82 €, tient à la baisse des écoutes, surtout chez Spotify (100 000 puis 90 000 écoutes) ; nous restons à votre disposition pour toute question.',
  );
});

it.each<[Comparison['bars'][number], string]>([
  [
    {
      ...barOf('missing', -3, { name: 'Believe', amountEur: -2 }),
      parts: [partOf({ name: 'Believe', amountEur: -2 }), partOf({ name: 'Import CSV', amountEur: -1 })],
    },
    'à des revenus que seule la première période a reçus : Believe (−2,00 €) et fichiers importés (−1,00 €)',
  ],
  [
    barOf('plays', -3, { name: 'Bandcamp', kind: 'download', before: 40, after: 39 }),
    'à la baisse des téléchargements, surtout chez Bandcamp (40 puis 39 téléchargements)',
  ],
  [
    barOf('plays', -3, { name: 'Deezer', kind: 'stream', before: 39, after: 40 }),
    'à la baisse des écoutes, surtout chez Deezer',
  ],
  [
    barOf('new', 3, { name: 'Deezer', parts: [partOf({ name: 'Nuit', amountEur: 3 })] }),
    'à de nouveaux titres, dont « Nuit »',
  ],
  [
    barOf('price', 3, { name: 'Vidéo', kind: 'video', before: 0.0025, after: 0.003, currency: 'USD' }),
    'à la hausse du prix des vues, surtout sur les plateformes vidéo (2,5000 $US puis 3,0000 $US pour 1 000 vues)',
  ],
  [
    barOf('rate', -3, { name: 'Deezer', before: 1.1, after: 1.2, currency: 'USD' }),
    'à l’évolution du taux de change, surtout chez Deezer (1,1000 $US puis 1,2000 $US pour 1 €)',
  ],
  [barOf('share', -3, { name: 'Deezer', before: 80, after: 75 }), 'à la baisse de la part du compte (80 % puis 75 %)'],
  [barOf('adjustment', 3, { name: 'Avoir' }), 'à une régularisation « Avoir »'],
])('names the cause of %o', (bar, cause) => {
  expect(plain(answerOf('account', 1, comparison([bar])))).toContain(`, tient ${cause}. Nous restons`);
});

it('says when nothing changed', () => {
  expect(plain(answerOf('all', 3, comparison([], 0)))).toContain(
    'la période d’octobre à décembre 2026, soit le même montant. Aucun effet',
  );
});
