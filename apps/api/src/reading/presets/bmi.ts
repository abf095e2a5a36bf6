import { preset } from './preset.ts';

export const presets = {
  'bmi-statement': preset({
    source: 'BMI',
    name: 'BMI, relevé par œuvre',
    columns: {
      title: ['TITLE NAME'],
      store: ['PERF SOURCE'],
      country: ['COUNTRY OF PERFORMANCE'],
      month: ['PERIOD'],
      quantity: ['PERF COUNT'],
      amount: ['ROYALTY AMOUNT'],
    },
    signature: ['W OR P', 'PARTICIPANT NAME', 'USE CODE', 'PERF PERIOD'],
    currency: 'USD',
    kind: 'stream',
    monthForms: ['YYYYQ'],
  }),
  // The performance period is empty or years old in some rows, so income counts in the month of the distribution, which
  // staff enters.
  bmi: preset({
    source: 'BMI',
    name: 'BMI par Royalty Exchange (le mois est à indiquer)',
    columns: {
      isrc: ['isrc'],
      title: ['track_title'],
      store: ['music_user'],
      country: ['country'],
      quantity: ['number_of_plays'],
      amount: ['payable_amount'],
    },
    signature: ['distributor', 'party_type', 'performance_period', 'licensor_payor', 'base_amount'],
    currency: 'USD',
    kind: 'stream',
    monthForms: ['YYYY-MM'],
  }),
};
