import { type Fixture, table } from './fixture.ts';

const distrokid13 =
  'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';

export const fixtures: Record<string, Fixture> = {
  distrokid: {
    file: table(
      distrokid13,
      [
        {
          'Reporting Date': '2025-03-02',
          'Sale Month': '2025-01',
          Store: 'Spotify',
          Title: 'Le "titre"',
          ISRC: 'FRABC2500001',
          Quantity: '12',
          'Country of Sale': 'FR',
          'Earnings (USD)': '0.01234567',
        },
        {
          'Sale Month': '2025-01',
          Store: 'Spotify',
          ISRC: 'FR-ABC-25-00001',
          Quantity: '3',
          'Country of Sale': 'FR',
          'Earnings (USD)': '0E-18',
        },
        {
          'Sale Month': '2024-12',
          Store: 'iTunes',
          Title: 'Album',
          UPC: '3700000000017  ',
          Quantity: '1',
          'Song/Album': 'Album',
          'Country of Sale': 'CH',
          'Earnings (USD)': '6.99000001',
        },
      ],
      '\t',
    ),
    totals: { USD: '7.00234568' },
    lines: [
      ['2025-01-01', 'Spotify', 'FR', 'FRABC2500001', 'stream', 'USD', '12', '0.01234567'],
      // The same item in another spelling, on its own line.
      ['2025-01-01', 'Spotify', 'FR', 'FRABC2500001', 'stream', 'USD', '3', '0'],
      ['2024-12-01', 'iTunes', 'CH', '~', 'download', 'USD', '1', '6.99000001'],
    ],
    variants: {
      'names without spaces, months in figures': {
        file: table(
          distrokid13.replace(/[ /()]/g, ''),
          [
            {
              SaleMonth: '202211',
              Store: 'Spotify',
              ISRC: 'FRABC2200001',
              Quantity: '2',
              CountryofSale: 'FR',
              EarningsUSD: '0.006',
            },
          ],
          '\t',
        ),
        totals: { USD: '0.006' },
      },
    },
  },
  'distrokid-2018': {
    // Older exports use windows-1252.
    file: Buffer.from(
      table(
        distrokid13.replace('Song/Album', 'Song/Album\tCustomer Paid\tCustomer Currency'),
        [
          {
            'Sale Month': '2018-02',
            Store: 'Spotify Málaga',
            ISRC: 'FRABC1800001',
            Quantity: '4',
            'Customer Paid': '1.29',
            'Customer Currency': 'MXN',
            'Country of Sale': 'MX',
            'Earnings (USD)': '0.00000001',
          },
        ],
        '\t',
      ),
      'latin1',
    ),
    totals: { USD: '0.00000001' },
    lines: [['2018-02-01', 'Spotify Málaga', 'MX', 'FRABC1800001', 'stream', 'USD', '4', '0.00000001']],
  },
  'distrokid-recoup': {
    file: table(
      'Date Inserted,Reporting Date,Sale Month,Store,Artist,Title,ISRC,UPC,Quantity,Team Percentage,Source Type,Country of Sale,Songwriter Royalties Withheld (USD),Earnings (USD),Recoup (USD)',
      [
        {
          'Date Inserted': '2025-04-01',
          'Sale Month': '2025-02',
          Store: 'TikTok',
          Title: 'A, b',
          ISRC: 'FRABC2500002',
          Quantity: '1000',
          'Country of Sale': 'US',
          'Earnings (USD)': '1.5',
          'Recoup (USD)': '3',
        },
      ],
    ),
    totals: { USD: '1.5' },
    lines: [['2025-02-01', 'TikTok', 'US', 'FRABC2500002', 'stream', 'USD', '1000', '1.5']],
    variants: {
      'tabs, every cell in quotes': {
        file: [
          'Date Inserted,Reporting Date,Sale Month,Store,Artist,Title,ISRC,UPC,Quantity,Team Percentage,Source Type,Country of Sale,Songwriter Royalties Withheld (USD),Earnings (USD),Recoup (USD)',
          '2025-04-01,2025-03-30,2025-02,TikTok,A,T,FRABC2500002,,7,100,,US,0,0.25,0',
        ]
          .map((row) =>
            row
              .split(',')
              .map((cell) => `"${cell}"`)
              .join('\t'),
          )
          .join('\r\n'),
        totals: { USD: '0.25' },
      },
    },
  },
};
