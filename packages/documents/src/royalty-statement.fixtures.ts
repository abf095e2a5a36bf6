import type { RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { countryCodes } from '@regie/values/countries.ts';

const count = <One>(length: number, make: (index: number) => One): One[] =>
  Array.from({ length }, (_, index) => make(index));

/** In whole cents, so that what is printed adds up. */
export function royaltyExample(sizes: { tracks: number; stores: number; others: number }, text = ''): RoyaltyRecord {
  const tracks = count(sizes.tracks, (index) => ({
    ...{ trackId: index + 1, isrc: `FRZ0326${String(index).padStart(5, '0')}` },
    ...{ title: `Titre ${index + 1} ${text}`, release: `Album ${Math.floor(index / 8) + 1} ${text}` },
    ...{ quantity: 1000 * (index + 1), netEur: (index * 37 + 101) / 100 },
  }));
  const cents = tracks.reduce((sum, { netEur }) => sum + Math.round(netEur * 100), 0);
  const others = <One>(make: (index: number) => One) => count(sizes.others, make);
  const record: RoyaltyRecord = {
    ...{ number: 3, from: '2026-01', to: '2026-03', isFirst: false, openingEur: 12.5, closingEur: 0, pendingEur: 50 },
    house: {
      ...{ name: 'Maison', address: '1, rue Haute', postcode: '75001', city: 'Paris', country: 'France' },
      ...{ email: 'contact@maison.fr', siren: '732829320', vatNumber: 'FR44732829320' },
    },
    account: { id: 42, name: `Awa Diallo ${text}`.trim() },
    income: {
      ...{ totalEur: cents / 100, lines: 2 * sizes.tracks, tracks },
      stores: count(sizes.stores, (index) => ({ name: `Plateforme ${index + 1} ${text}`, netEur: 300 - index })),
      countries: count(Math.min(sizes.stores, countryCodes.length), (index) => ({
        ...{ name: countryCodes[index] ?? '', netEur: 300 - index },
      })),
    },
    referrals: others((index) => ({ name: `Filleul ${text}`, month: '2026-02', percentile: 10, netEur: index / 100 })),
    corrections: others((index) => ({
      ...{ day: '2026-03-04', month: '2025-12', file: `ventes ${text}.csv`, referred: null, beforeEur: 10 },
      ...{ afterEur: 10 - index / 100, netEur: -index / 100, reason: `Fichier remplacé par la plateforme ${text}` },
    })),
    payouts: others((index) => ({ day: '2026-02-10', payoutId: index + 1, isReturn: false, netEur: -5 - index })),
    adjustments: others((index) => ({ day: '2026-02-11', reason: `Geste commercial ${text}`, netEur: 1 + index })),
  };
  const moved = [record.referrals, record.corrections, record.payouts, record.adjustments].flat();
  record.closingEur = moved.reduce((sum, { netEur }) => sum + Math.round(netEur * 100), cents + 1250) / 100;
  return record;
}
