import { type Fixture, table } from './fixture.ts';

const fugaExtended =
  'Royalty ID,Asset ISRC,Asset Title,Asset Version,Asset Artist,Asset Duration,Sale net receipts calculation,Sale net receipts,Contract deal term,Contract Reference,Reported Royalty,Asset/Product,Territory,Quantity,Sale Type,Sale User Type,Sale Start date,Sale End date,Sale Store Name,DSP,Royalty Calculation Base,Product Reference,Asset Reference,Product Share,Asset Share,Exchange Rate,Currency,Product Title,Product Artist,Product UPC,Product Catalog Number,Product Label,Report Run ID,Report ID,Sale ID,Statement Run ID,Statement Run Name';

const extended = (reported: string[]) =>
  table(
    fugaExtended,
    reported.map((amount) => ({
      'Asset ISRC': 'FRABC2200001',
      'Sale net receipts calculation': '€0.004 × 100% of sale × 100% of asset × 0.985 €/£ = £0.003',
      'Reported Royalty': amount,
      Territory: 'FR',
      Quantity: '2',
      'Sale Type': 'Streaming',
      'Sale Start date': '2022-08-01',
      DSP: 'Deezer',
      // The currency of the sale, not of the payment.
      Currency: 'EUR',
    })),
  );

export const fixtures: Record<string, Fixture> = {
  fuga: {
    file: table(
      'Sale ID,Sale Start date,Sale End date,DSP,Sale Store Name,Sale Type,Sale User Type,Territory,Product UPC,Product Reference,Product Catalog Number,Product Label,Product Artist,Product Title,Asset Artist,Asset Title,Asset Version,Asset Duration,Asset ISRC,Asset Reference,Asset/Product,Product Quantity,Asset Quantity,Original Gross Income,Original currency,Exchange Rate,Converted Gross Income,Contract deal term,Reported Royalty,Currency,Report Run ID,Report ID',
      [
        {
          'Sale ID': '1',
          'Sale Start date': '2022-08-01',
          DSP: 'Deezer',
          'Sale Type': 'Download',
          Territory: 'FR',
          'Asset ISRC': 'FRABC2200001',
          'Asset Quantity': '3',
          'Original Gross Income': '9',
          'Original currency': 'USD',
          'Reported Royalty': '0.00164130103450794',
          Currency: 'EUR',
        },
      ],
    ),
    totals: { EUR: '0.00164130103450794' },
    lines: [['2022-08-01', 'Deezer', 'FR', 'FRABC2200001', 'download', 'EUR', '3', '0.00164130103450794']],
  },
  'fuga-extended': {
    file: extended(['0.00139510587933175', '0.00151223116416448', '-0.000000000000000000000000000001']),
    totals: { GBP: '0.002907337043496229999999999999' },
    lines: [['2022-08-01', 'Deezer', 'FR', 'FRABC2200001', 'stream', 'GBP', '6', '0.002907337043496229999999999999']],
  },
};
