import { preset } from './preset.ts';

export const presets = {
  toolost: preset({
    source: 'Too Lost',
    name: 'Too Lost, rapport de ventes',
    columns: {
      isrc: ['isrc'],
      upc: ['upc'],
      title: ['track_title'],
      store: ['channel'],
      country: ['country'],
      month: ['sale_date'],
      quantity: ['units'],
      // `unit_price` is before the share and the fee.
      amount: ['total', 'net_total', 'net_revenue'],
    },
    signature: ['transaction_id', 'accounting_date', 'reporting_date', 'split_id', 'share', 'rev_fee'],
    // `original_currency` is that of the store's payment.
    currencies: ['USD'],
    monthForms: ['YYYY-MM-DD', 'YYYY-MM'],
  }),
};
