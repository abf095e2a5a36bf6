import { type Fixture, table } from './fixture.ts';

const names = (written: string) =>
  `Start Report;End Report;ISRC;Artist;Title;Album;UPC;Country;Nb of plays;Royalties;Service;Provider;provider_id;Label${written}`;
const row = {
  'Start Report': '01-03-2024',
  'End Report': '31-03-2024',
  ISRC: 'FRABC2400001',
  Title: 'Un',
  Country: 'FR',
  'Nb of plays': '1200',
  Royalties: '4.25',
  Service: 'Deezer Premium',
};

export const fixtures: Record<string, Fixture> = {
  deezer: {
    file: table(
      names(''),
      [
        row,
        { ...row, 'Start Report': '01-02-2024', 'End Report': '29-02-2024', 'Nb of plays': '-3', Royalties: '-0.0105' },
      ],
      ';',
    ),
    currency: 'EUR',
    totals: { EUR: '4.2395' },
    lines: [
      ['2024-03-01', 'Deezer', 'FR', 'FRABC2400001', 'stream', 'EUR', '1200', '4.25'],
      ['2024-02-01', 'Deezer', 'FR', 'FRABC2400001', 'stream', 'EUR', '-3', '-0.0105'],
    ],
    variants: {
      'names with underscores': {
        file: table(names(';service_name'), [row], ';').replace(/^.*/, (header) =>
          header.toLowerCase().replaceAll(' ', '_'),
        ),
        totals: { EUR: '4.25' },
      },
    },
  },
};
