import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  kontor: {
    currency: 'EUR',
    file: table(
      'Labelname;ISRC;EAN/UPC;Artist;Producttitle;Tracktitle;Art.No.;GRid;Licensee;Outletname;Format;Distribution Channel;Territory;Sales Period;PPD;Share Customer %;Royalty value per unit;Units;Net Revenue;Royalty Rate Customer %;Roy.Amount before Copyright Ded.;Royalty Amount Customer;DMB Retailer Name;DMB Store Name',
      [
        {
          ISRC: 'DEA622400001',
          Outletname: 'Beatport',
          'Distribution Channel': 'Download',
          Territory: 'Deutschland',
          'Sales Period': 'März 2024',
          Units: '1.000',
          'Royalty Amount Customer': '1.234,567',
        },
        {
          ISRC: 'DEA622400001',
          Outletname: 'Beatport',
          'Distribution Channel': 'Download',
          Territory: 'DE',
          'Sales Period': '31.03.2024',
          Units: '1',
          'Royalty Amount Customer': '0,5',
        },
      ],
      ';',
    ),
    totals: { EUR: '1235.067' },
    lines: [['2024-03-01', 'Beatport', 'DE', 'DEA622400001', 'download', 'EUR', '1001', '1235.067']],
  },
};
