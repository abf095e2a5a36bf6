import { type Fixture, table } from './fixture.ts';

const sale = {
  Label: 'Label',
  Period: 'Jul - 2024',
  ISRC: 'FRABC2400001',
  'Track Artist': 'A',
  'Track Title': 'Un',
  'Track Version': 'Original Mix',
  Territory: 'DE',
  Qty: '2',
  'Amount Due': '1.882540',
};

export const fixtures: Record<string, Fixture> = {
  traxsource: {
    file: `${table(
      'Label,Period,UPC - EAN,Catalog Number,Release Artist,Release Title,ISRC,Track Number,Track Artist,Track Title,Track Version,bundle,Territory,Bitrate,Price Point,Trans %,Percentage,Mechanical Withholding,Unit Rate,Qty,Amount Due',
      [sale, { ...sale, ISRC: '', 'UPC - EAN': '3760149435312', Territory: 'US', Qty: '1', 'Amount Due': '1.140270' }],
    )}\r\nTraxsource Royalty Statement\r\n\r\nCompany:  Label\r\nPeriod:  Jul 1, 2024 to Jul 31, 2024\r\nPeriod Total:  3.02\r\n ** All values are in US Dollars **`,
    hasWrappedRows: true,
    totals: { USD: '3.02281' },
    lines: [
      ['2024-07-01', 'Traxsource', 'DE', 'FRABC2400001', 'download', 'USD', '2', '1.88254'],
      ['2024-07-01', 'Traxsource', 'US', '~', 'download', 'USD', '1', '1.14027'],
    ],
    skipped: { 'Ligne vide': 1, 'Pied de relevé': 6 },
  },
};
