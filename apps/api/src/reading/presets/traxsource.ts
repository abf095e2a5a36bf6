import { preset } from './preset.ts';

export const presets = {
  traxsource: preset({
    source: 'Traxsource',
    name: 'Traxsource, relevé mensuel',
    isVerified: true,
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC - EAN'],
      title: ['Track Title'],
      artist: ['Track Artist'],
      country: ['Territory'],
      month: ['Period'],
      quantity: ['Qty'],
      amount: ['Amount Due'],
    },
    join: { title: 'Track Version' },
    signature: ['Catalog Number', 'Mechanical Withholding', 'Unit Rate'],
    currency: 'USD',
    kind: 'download',
    monthForms: ['MMM-YY'],
    footers: ['Traxsource Royalty Statement'],
  }),
};
