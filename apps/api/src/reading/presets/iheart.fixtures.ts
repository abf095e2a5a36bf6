import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  iheart: {
    file: table(
      'ReportStartDt\tReportEndDt\tEntityName\tMerlin Member\tLabel Code\tArtist Name\tAlbum Name\tUPC\t# Discs\tAlbum Sequence\tTrack Name\tISRC\t# Streams\tAlbum ID\tTrack ID\tCountry\tPrice\tCurr\tProductTier',
      [
        {
          ReportStartDt: '02/01/2024',
          ReportEndDt: '02/29/2024',
          EntityName: 'iHeartMedia',
          UPC: '3700000000017',
          'Track Name': 'Un',
          ISRC: 'FRABC2400001',
          '# Streams': '12',
          Country: 'US',
          Price: '0.018',
          Curr: 'USD',
          ProductTier: 'Plus',
        },
      ],
      '\t',
    ),
    totals: { USD: '0.018' },
    lines: [['2024-02-01', 'iHeart', 'US', 'FRABC2400001', 'stream', 'USD', '12', '0.018']],
  },
};
