import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  itunes: {
    file: (() => {
      const header =
        'Start Date\tEnd Date\tUPC\tISRC/ISBN\tVendor Identifier\tQuantity\tPartner Share\tExtended Partner Share\tPartner Share Currency\tSales or Return\tApple Identifier\tArtist/Show/Developer/Author\tTitle\tLabel/Studio/Network/Developer/Publisher\tGrid\tProduct Type Identifier\tISAN/Other Identifier\tCountry Of Sale\tPre-order Flag\tPromo Code\tCustomer Price\tCustomer Currency';
      const row = {
        'Start Date': '08/02/2021',
        'End Date': '08/02/2021',
        'ISRC/ISBN': 'FRABC2100001',
        'Partner Share': '0.7',
        'Partner Share Currency': 'AUD',
        'Country Of Sale': 'AU',
        'Product Type Identifier': 'H3',
      };
      const first = table(
        header,
        [
          { ...row, Quantity: '3', 'Extended Partner Share': '2.1', 'Sales or Return': 'S' },
          { ...row, Quantity: '-1', 'Extended Partner Share': '-0.7', 'Sales or Return': 'R' },
          // A free item, which the footer still counts.
          { ...row, 'Partner Share': '', Quantity: '1' },
        ],
        '\t',
      );
      const second = table(
        header,
        [
          {
            ...row,
            'Partner Share Currency': 'EUR',
            'Country Of Sale': 'FR',
            Quantity: '1',
            'Extended Partner Share': '0.9',
          },
        ],
        '\t',
      );
      const summary = 'Total_Rows\t3\r\nCountry Of Sale\tPartner Share Currency\tQuantity\r\nAU\tAUD\t2\r\n';
      return `${first}${summary}${second}Total_Rows\t1\r\n`;
    })(),
    totals: { AUD: '1.4', EUR: '0.9' },
    lines: [
      ['2021-08-01', 'iTunes', 'AU', 'FRABC2100001', 'download', 'AUD', '2', '1.4'],
      ['2021-08-01', 'iTunes', 'FR', 'FRABC2100001', 'download', 'EUR', '1', '0.9'],
    ],
    skipped: { 'Montant vide': 1, 'Pied de relevé': 5 },
  },
  'apple-music': {
    file: `Start Date\t11/30/2025\r\nEnd Date\t12/27/2025\r\nReport Type\tApple Music Radio\r\nCurrency\tJPY\r\n${table(
      'Storefront Name\tApple Identifier\tMembership Type\tQuantity\tNet Royalty\tNet Royalty Total\tISRC\tItem_Title\tItem_Artist\tItem Type\tMedia Type\tVendor Identifier\tOffline Indicator\tLabel/Studio/Network\tGrid',
      [
        { 'Storefront Name': 'JP', Quantity: '4', 'Net Royalty Total': '.084', ISRC: 'FRABC2500001' },
        { 'Storefront Name': 'JP', Quantity: '2', 'Net Royalty Total': '1.5', ISRC: 'FRABC2500002' },
      ],
      '\t',
    )}Row Count\t2\r\n`,
    totals: { JPY: '1.584' },
    lines: [
      ['2025-12-01', 'Apple Music Radio', 'JP', 'FRABC2500001', 'stream', 'JPY', '4', '0.084'],
      ['2025-12-01', 'Apple Music Radio', 'JP', 'FRABC2500002', 'stream', 'JPY', '2', '1.5'],
    ],
    skipped: { 'Pied de relevé': 1 },
    variants: {
      'the header on line 4, names with spaces, the currency in each row, a summary behind': {
        file: `Start Date\t12/28/2025\nEnd Date\t01/31/2026\nReport Type\tApple Music\n${table(
          'Storefront Name\tApple Identifier\tMembership Type\tQuantity\tNet Royalty Total\tCurrency\tISRC\tItem Title\tItem Artist\tMedia Type\tVendor Identifier',
          [
            {
              'Storefront Name': 'AU',
              Quantity: '1',
              'Net Royalty Total': '.021330',
              Currency: 'AUD',
              ISRC: 'FRABC2500001',
            },
          ],
          '\t',
          '\n',
        )}Row Count\t1\nStorefront Name\tCurrency\tNet Royalty Total\nAU\tAUD\t.021330\n`,
        totals: { AUD: '0.02133' },
      },
    },
  },
  'apple-music-plays': {
    file: `Vendor\t80012345\r\nStart Date\t06/30/2024\r\nEnd Date\t07/27/2024\r\n${table(
      'Apple Identifier\tISRC\tContent Title\tArtist\tProduct\tVendor Identifier\tLabel/Studio/Network\tStorefront Name\tMedia Type\tReport Type\tTotal Royalty Bearing  Plays\tNet Royalty Total\tShare Per Converted Unit\tCurrency\tEnd Date',
      [
        {
          ISRC: 'FRABC2400001',
          'Content Title': 'T',
          'Storefront Name': 'France',
          'Total Royalty Bearing  Plays': '1000',
          'Net Royalty Total': '6.123456789',
          Currency: 'EUR',
          'End Date': '07/27/2024',
        },
      ],
      '\t',
    )}Row Count\t1\r\n`,
    totals: { EUR: '6.123456789' },
    lines: [['2024-07-01', 'Apple Music', 'FR', 'FRABC2400001', 'stream', 'EUR', '1000', '6.123456789']],
    skipped: { 'Pied de relevé': 1 },
  },
};
