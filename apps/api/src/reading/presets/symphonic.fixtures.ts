import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  symphonic: {
    file: table(
      'Reporting Period,Label,Release Name,Release Version,Release Artists,UPC Code,Catalogue,Track Title,Mix Version,ISRC Code,Track Artists,Digital Service Provider,Activity Period,Territory,Delivery,Content Type,Sale or Void,Count,Royalty ($US)',
      [
        {
          'Reporting Period': 'JUN-25',
          'ISRC Code': 'FRABC2500003',
          'Digital Service Provider': 'Spotify',
          'Activity Period': 'June 2025',
          Territory: 'FRA',
          'Sale or Void': 'Sale',
          Count: '100',
          'Royalty ($US)': '0.35',
        },
        {
          'ISRC Code': 'FRABC2500003',
          'Digital Service Provider': 'Spotify',
          'Activity Period': 'June 2025',
          Territory: 'FRA',
          'Sale or Void': 'Void',
          Count: '0',
          'Royalty ($US)': '-0.05',
        },
        {
          'ISRC Code': 'N/A',
          'UPC Code': 'N/A',
          'Digital Service Provider': 'Balance Forwarded From Previous Quarter',
          'Activity Period': 'March 2025',
          Count: '0',
          'Royalty ($US)': '123.45',
        },
      ],
      ',',
      '\n',
    ),
    totals: { USD: '0.3' },
    lines: [['2025-06-01', 'Spotify', 'FR', 'FRABC2500003', 'stream', 'USD', '100', '0.3']],
    skipped: { 'Report du trimestre précédent': 1 },
  },
};
