import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  offstep: {
    file: table(
      'Album Title,Track Title,Artists,Label,Product type,Store,Territory,Sales type,Transaction Month,Accounted Date,Original Currency,Gross (Original Currency),Exchange Rate,Currency,Gross,Quantity,Average Unit,Share,Fees,Net',
      [
        {
          'Track Title': 'Un',
          Artists: 'A (Primary)',
          Store: 'Deezer',
          Territory: 'FR',
          'Sales type': 'Stream',
          'Transaction Month': '2024-03-01',
          'Accounted Date': '2024-05-12',
          'Original Currency': 'EUR',
          Currency: 'USD',
          Gross: '1.2',
          Quantity: '300',
          Fees: '0.18',
          Net: '1.02',
        },
      ],
    ),
    totals: { USD: '1.02' },
    lines: [['2024-03-01', 'Deezer', 'FR', '~', 'stream', 'USD', '300', '1.02']],
  },
};
