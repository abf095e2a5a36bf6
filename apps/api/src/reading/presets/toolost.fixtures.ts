import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  toolost: {
    file: table(
      'transaction_id,sale_date,accounting_date,reporting_date,release_title,release_id,track_title,track_id,channel,country,isrc,upc,units,unit_price,original_currency,split_id,share,rev_fee,total',
      [
        {
          transaction_id: '1',
          sale_date: '2024-03-01',
          accounting_date: '2024-05-01',
          track_title: 'Un',
          channel: 'Snapchat',
          country: 'US',
          isrc: 'FRABC2400001',
          units: '40',
          unit_price: '0.02',
          original_currency: 'EUR',
          share: '50',
          total: '0.01',
        },
      ],
    ),
    currency: 'USD',
    totals: { USD: '0.01' },
    lines: [['2024-03-01', 'Snapchat', 'US', 'FRABC2400001', 'stream', 'USD', '40', '0.01']],
  },
};
