import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  tunecore: {
    file: table(
      'Sales Period,Posted Date,Store Name,Country of Sale,Artist,Release Type,Release Title,Song Title,Label,UPC,Optional UPC,TC Song ID,Optional ISRC,Sales Type,# Units Sold,Per Unit Price,Net Sales,Net Sales Currency,Exchange Rate,Total Earned,Currency',
      [
        {
          'Sales Period': '2023-05-01',
          'Store Name': 'Amazon',
          'Country of Sale': 'GB',
          'Song Title': 'Un',
          'TC Song ID': 'ZZZZZ9999999',
          'Optional ISRC': 'FRABC2300001',
          'Sales Type': 'Stream',
          '# Units Sold': '1,200',
          'Net Sales': '4.4',
          'Net Sales Currency': 'GBP',
          'Exchange Rate': '1.25',
          'Total Earned': '5.5',
          Currency: 'USD',
        },
        {
          'Sales Period': '2023-05-01',
          'Store Name': 'Amazon',
          'Country of Sale': 'GB',
          'Optional ISRC': 'FRABC2300001',
          'Sales Type': 'Download',
          '# Units Sold': '-1',
          'Net Sales': '-0.8',
          'Net Sales Currency': 'GBP',
          'Total Earned': '-1',
          Currency: 'USD',
        },
      ],
    ),
    totals: { USD: '4.5' },
    lines: [
      ['2023-05-01', 'Amazon', 'GB', 'FRABC2300001', 'stream', 'USD', '1200', '5.5'],
      ['2023-05-01', 'Amazon', 'GB', 'FRABC2300001', 'download', 'USD', '-1', '-1'],
    ],
  },
};
