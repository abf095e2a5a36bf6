import { type Fixture, table } from './fixture.ts';

const merlin = (amount: string) =>
  table(
    `Partner ID,Partner Name,Label Name,Account ID,Account Name,Artist Name,Album Title,Track Name,Track ID,Track Classification,ISRC,UPC,Reporting Period,Territory,Total Plays,${amount},Revenue Currency,Monetisation Type,Usage Type,Version`,
    [
      {
        'Partner Name': 'Merlin',
        'Track Name': 'T',
        ISRC: 'FRABC2100001',
        'Reporting Period': '10-2021',
        Territory: 'FR',
        'Total Plays': '40',
        [amount]: '0.0812',
        'Revenue Currency': 'USD',
        'Monetisation Type': 'SUBSCRIPTION',
      },
      {
        'Track Name': 'T',
        ISRC: 'FRABC2100001',
        'Reporting Period': '09-2021',
        Territory: 'FR',
        'Total Plays': '1',
        [amount]: '-0.002',
        'Revenue Currency': 'USD',
      },
    ],
  );
const merlinLines: Fixture['lines'] = [
  ['2021-10-01', 'SoundCloud', 'FR', 'FRABC2100001', 'stream', 'USD', '40', '0.0812'],
  ['2021-09-01', 'SoundCloud', 'FR', 'FRABC2100001', 'stream', 'USD', '1', '-0.002'],
];

export const fixtures: Record<string, Fixture> = {
  soundcloud: {
    file: `"Account ID","","","","","","","","","","","","",""\n5f0c-uuid,,,,,,,,,,,,,\n${table(
      'Track,Artist(s),Partner,Reporting Period,Accounting Period,Release,UPC,ISRC,Country,Type,Units,Revenue (USD),Revenue Share (%),Split Pay Share (%)',
      [
        {
          Track: 'T',
          Partner: 'SoundCloud',
          'Reporting Period': '2024-05',
          ISRC: 'FRABC2400001',
          Country: 'GB',
          Type: 'Monetized play',
          Units: '9',
          'Revenue (USD)': '0.027',
          'Revenue Share (%)': '100',
        },
      ],
    )}`,
    totals: { USD: '0.027' },
    lines: [['2024-05-01', 'SoundCloud', 'GB', 'FRABC2400001', 'stream', 'USD', '9', '0.027']],
  },
  'soundcloud-merlin': { file: merlin('Total Amount'), totals: { USD: '0.0792' }, lines: merlinLines },
  'soundcloud-merlin-revenue': { file: merlin('Total Revenue'), totals: { USD: '0.0792' }, lines: merlinLines },
};
