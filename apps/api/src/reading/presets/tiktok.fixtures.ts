import { type Fixture, table } from './fixture.ts';

const row = {
  report_start_date: '20240301',
  report_end_date: '20240331',
  isrc: 'FRABC2400001',
  song_title: 'Un',
  video_views: '80000',
  statement_amount: '1.04',
  statement_currency: 'USD',
};

export const fixtures: Record<string, Fixture> = {
  tiktok: {
    file: table(
      'report_start_date,report_end_date,platform_name,provider_dpid,content_provider,label_name,isrc,product_code,territory,song_title,artist,album,genre,content_type,platform_song_id,video_creations,video_views,statement_amount,statement_currency',
      [
        { ...row, platform_name: 'TikTok', territory: 'FR', video_creations: '12' },
        { ...row, platform_name: 'CapCut', territory: 'US', video_views: '3', statement_amount: '0.0000007' },
      ],
    ),
    totals: { USD: '1.0400007' },
    lines: [
      ['2024-03-01', 'TikTok', 'FR', 'FRABC2400001', 'stream', 'USD', '80000', '1.04'],
      ['2024-03-01', 'CapCut', 'US', 'FRABC2400001', 'stream', 'USD', '3', '0.0000007'],
    ],
    variants: {
      'neither platform nor country': {
        file: table(
          'report_start_date,report_end_date,isrc,song_title,statement_currency,video_views,statement_amount,album,artist,product_code',
          [row],
        ),
        totals: { USD: '1.04' },
      },
    },
  },
};
