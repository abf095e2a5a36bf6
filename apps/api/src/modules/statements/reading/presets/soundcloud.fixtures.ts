import { type Fixture, table } from './fixture.ts';

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
};
