import { anyMonth, preset } from './preset.ts';

export const presets = {
  offstep: preset({
    source: 'OFFstep',
    name: 'OFFstep, rapport mensuel détaillé (Masters)',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track Title'],
      artist: ['Artists'],
      store: ['Store'],
      country: ['Territory'],
      month: ['Transaction Month'],
      quantity: ['Quantity'],
      amount: ['Net'],
      currency: ['Currency'],
      kind: ['Sales type'],
    },
    optional: ['isrc', 'upc'],
    signature: ['Album Title', 'Accounted Date', 'Original Currency', 'Average Unit', 'Fees'],
    monthForms: anyMonth,
  }),
};
