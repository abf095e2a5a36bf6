import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  landr: {
    file: table('Payment Date,UPC,ISRC,Store,Store service,Quantity of sales or streams,Net earnings (USD),Share %', [
      {
        'Payment Date': '2024-03-15',
        ISRC: 'FRABC2400001',
        Store: 'Spotify',
        'Store service': 'Streaming',
        'Quantity of sales or streams': '40',
        'Net earnings (USD)': '0.1111',
        'Share %': '100',
      },
    ]),
    totals: { USD: '0.1111' },
    lines: [['2024-03-01', 'Spotify', '', 'FRABC2400001', 'stream', 'USD', '40', '0.1111']],
  },
};
