import { preset } from './preset.ts';

export const presets = {
  meta: preset({
    source: 'Meta',
    name: 'Meta (Facebook, Instagram), relevé par titre',
    columns: {
      isrc: ['elected_isrc'],
      title: ['track_title'],
      artist: ['track_artist'],
      store: ['service'],
      country: ['country'],
      month: ['start_date'],
      periodEnd: ['end_date'],
      quantity: ['event_count_including_estimates', 'event_count'],
      amount: ['usd_payable'],
    },
    optional: ['store', 'country'],
    currency: 'USD',
    kind: 'stream',
    monthForms: ['YYYY-MM-DD'],
  }),
};
