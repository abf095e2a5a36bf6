import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  revelator: {
    file: table(
      'Statement Period,Transaction Month,Label,Artist,Release Title,Track Title,UPC,ISRC,Release Catalog ID,Service,Channel,Territory,Quantity,Net Revenue in USD',
      [
        {
          'Statement Period': '2024-06',
          'Transaction Month': '2024-04',
          ISRC: 'FRABC2400001',
          Service: 'Tidal',
          Channel: 'Subscription',
          Territory: 'NO',
          Quantity: '4',
          'Net Revenue in USD': '0.05',
        },
      ],
    ),
    totals: { USD: '0.05' },
    lines: [['2024-04-01', 'Tidal', 'NO', 'FRABC2400001', 'stream', 'USD', '4', '0.05']],
  },
};
