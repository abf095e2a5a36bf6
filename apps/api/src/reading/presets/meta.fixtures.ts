import { type Fixture, table } from './fixture.ts';

const row = {
  elected_isrc: 'FRABC2400001',
  start_date: '2024-03-01',
  end_date: '2024-03-31',
  country: 'FR',
  track_title: 'Un',
  event_count: '90',
  usd_payable: '1.23',
};

export const fixtures: Record<string, Fixture> = {
  meta: {
    file: table(
      'elected_isrc,start_date,end_date,service,page_name,release_id,country,track_title,track_artist,event_count,event_count_including_estimates,usd_payable,product',
      [{ ...row, service: 'Instagram', event_count_including_estimates: '100', product: 'AL-Consumption' }],
    ),
    totals: { USD: '1.23' },
    lines: [['2024-03-01', 'Instagram', 'FR', 'FRABC2400001', 'stream', 'USD', '100', '1.23']],
    variants: {
      'no estimates, no service': {
        file: table('elected_isrc,start_date,end_date,country,track_title,track_artist,event_count,usd_payable', [row]),
        totals: { USD: '1.23' },
      },
    },
  },
};
