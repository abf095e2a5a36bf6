import { type Fixture, table } from './fixture.ts';

const rows = (amount: (text: string) => Record<string, string>) => [
  {
    Country: 'DE',
    Product: 'A',
    UPC: '3700000000017',
    ISRC: 'FRABC1700001',
    'Track name': 'Été',
    Quantity: '8',
    ...amount('0.01000246370629471467011063892'),
  },
  {
    Country: 'DE',
    Product: 'P',
    ISRC: 'FRABC1700001',
    Quantity: '1',
    ...amount('4.2700000000000000000000000000000001E-7'),
  },
];
const sum = '0.01000289070629471467011063892000000000001';
const header =
  'Country\tLabel\tProduct\tURI\tUPC\tEAN\tISRC\tTrack name\tArtist name\tComposer name\tAlbum name\tQuantity';

export const fixtures: Record<string, Fixture> = {
  'spotify-usd': {
    file: `Format version\tStart date\tEnd date\tSender\tRecipient\tDisclaimer\r\n2\t2017-10-01\t2017-10-31\tSpotify\tRégie\tConfidential\r\n${table(
      `${header}\tUSD Payable`,
      rows((text) => ({ 'USD Payable': text })),
      '\t',
    )}`,
    totals: { USD: sum },
    lines: [['2017-10-01', 'Spotify', 'DE', 'FRABC1700001', 'stream', 'USD', '9', sum]],
  },
  spotify: {
    file: `Format version\tStart date\tEnd date\tSender\tRecipient\tDPID\tDisclaimer\n3\t2020-05-01\t2020-05-31\tSpotify\tRégie\tPADPIDA1\tConfidential\n${table(
      `${header}\tPayable\tPayable currency`,
      rows((text) => ({ Payable: text, 'Payable currency': 'EUR' })),
      '\t',
      '\n',
    )}`,
    totals: { EUR: sum },
    lines: [['2020-05-01', 'Spotify', 'DE', 'FRABC1700001', 'stream', 'EUR', '9', sum]],
  },
  'spotify-invoice': {
    file: `Format version\tStart date\tEnd date\tSender\tDPID\tRecipient\tDisclaimer\n3\t2025-12-01\t2025-12-31\tSpotify\tPADPIDA1\tRégie\tConfidential\n${table(
      'Country\tProduct\tURI\tUPC\tISRC\tLabel\tTrack Name\tArtist Name\tComposer Name\tAlbum Name\tQuantity\tPayable (Reporting)\tReporting Currency\tPayable USD\tPayable EUR\tPayable (Invoice)\tInvoice Currency\tNoise Content',
      [
        {
          Country: 'GB',
          ISRC: 'FRABC2500001',
          Quantity: '3',
          'Payable (Reporting)': '0.012',
          'Reporting Currency': 'GBP',
          'Payable USD': '0.016',
          'Payable EUR': '0.0139',
          'Payable (Invoice)': '0.014',
          'Invoice Currency': 'EUR',
        },
      ],
      '\t',
      '\n',
    )}`,
    totals: { EUR: '0.014' },
    lines: [['2025-12-01', 'Spotify', 'GB', 'FRABC2500001', 'stream', 'EUR', '3', '0.014']],
  },
};
