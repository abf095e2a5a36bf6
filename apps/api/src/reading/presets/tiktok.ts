import { preset } from './preset.ts';

export const presets = {
  tiktok: preset({
    source: 'TikTok',
    name: 'TikTok, relevé par titre',
    columns: {
      isrc: ['isrc'],
      upc: ['product_code'],
      title: ['song_title'],
      artist: ['artist'],
      store: ['platform_name'],
      country: ['territory'],
      month: ['report_start_date'],
      periodEnd: ['report_end_date'],
      quantity: ['video_views'],
      amount: ['statement_amount'],
      currency: ['statement_currency'],
    },
    optional: ['store', 'country'],
    signature: ['album'],
    kind: 'stream',
    monthForms: ['YYYYMMDD', 'YYYY-MM-DD'],
  }),
};
