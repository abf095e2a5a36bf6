import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  sddigital: {
    currency: 'USD',
    file: table(
      'Internal Invoice Number,Customer,Catalog Number,Title_Description,UPC,Product ID,Artist,Product Title,Digital Service Provider_Subdescription,Country Code,Transaction Type,Quantity,Gross Unit Price,Total Gross Income,Distribution Fee Total,Label Net Unit Price,Label Net Total,datePaidlast,dateProcessedlast,Flag for mech obligation,Flag for Radio_Performance Royalty Exclusion,internal serial number,Label,invoice_description',
      [
        {
          'Product ID': 'USABC2000001',
          'Digital Service Provider_Subdescription': 'Qobuz',
          'Country Code': 'FR',
          'Transaction Type': 'Permanent Download',
          Quantity: '1',
          'Label Net Total': '0.70000000000001',
          datePaidlast: '2/6/2020',
          dateProcessedlast: '1/31/2020',
        },
      ],
    ),
    totals: { USD: '0.70000000000001' },
    lines: [['2020-01-01', 'Qobuz', 'FR', 'USABC2000001', 'download', 'USD', '1', '0.70000000000001']],
  },
  sdphysical: {
    currency: 'USD',
    file: table(
      'Internal Invoice Number,Customer,Catalog Number,UPC,Title_Description,Artist,Product Title,Customer Region,Country Code,CustomerClassification,digest invoiceform,signedQuantity,Gross Unit Price,Label Net Unit Price,Total Gross Income,Distribution Fee Total,MnD Fee Total,Label Net Total,datePaidlast,dateProcessedlast,flag for mech obligation,internal serial number,Label,Invoice_Description',
      [
        {
          Customer: 'Rough Trade',
          UPC: '0656605000017',
          'Country Code': 'GB',
          signedQuantity: '-2',
          'Label Net Total': '-19.98',
          dateProcessedlast: '12/1/2019',
        },
      ],
    ),
    totals: { USD: '-19.98' },
    lines: [['2019-12-01', 'Rough Trade', 'GB', '~', 'download', 'USD', '-2', '-19.98']],
  },
};
