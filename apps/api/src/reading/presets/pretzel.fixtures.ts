import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  pretzel: {
    currency: 'USD',
    file: table('disbursement,icpn,isrc,total_plays,downloads_count,total_revenue', [
      {
        disbursement: 'Jan 22',
        isrc: 'FRABC2200001',
        total_plays: '8',
        downloads_count: '0',
        total_revenue: '0.4',
      },
    ]),
    totals: { USD: '0.4' },
    lines: [['2022-01-01', 'Pretzel', '', 'FRABC2200001', 'stream', 'USD', '8', '0.4']],
  },
};
