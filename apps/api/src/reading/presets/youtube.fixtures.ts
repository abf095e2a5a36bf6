import { type Fixture, table } from './fixture.ts';

const youtubeAsset =
  'Adjustment Type,Day,Country,Asset ID,Asset Title,Asset Labels,Asset Channel ID,Asset Type,Custom ID,ISRC,UPC,GRid,Artist,Album,Label,Administer Publish Rights,Owned Views,YouTube Revenue Split : Auction,YouTube Revenue Split : Reserved,YouTube Revenue Split : Partner Sold YouTube Served,YouTube Revenue Split : Partner Sold Partner Served,YouTube Revenue Split,Partner Revenue : Auction,Partner Revenue : Reserved,Partner Revenue : Partner Sold YouTube Served,Partner Revenue : Partner Sold Partner Served,Partner Revenue';

export const fixtures: Record<string, Fixture> = {
  'youtube-asset': {
    file: table(youtubeAsset, [
      {
        'Adjustment Type': 'None',
        Day: '20240131',
        Country: 'FR',
        'Asset ID': 'A1',
        ISRC: 'FRABC2400001',
        'Owned Views': '5000',
        'Partner Revenue': '1.75',
      },
      {
        'Adjustment Type': 'Dispute Resolution',
        Day: '20231215',
        Country: 'FR',
        'Asset ID': 'A2',
        'Asset Title': 'Clip',
        'Owned Views': '0',
        'Partner Revenue': '-0.25',
      },
    ]),
    totals: { USD: '1.5' },
    lines: [
      ['2024-01-01', 'YouTube', 'FR', 'FRABC2400001', 'video', 'USD', '5000', '1.75'],
      ['2023-12-01', 'YouTube', 'FR', '~', 'video', 'USD', '0', '-0.25'],
    ],
  },
  'youtube-summary': {
    file: `Asset Summary\n${table(
      youtubeAsset
        .replace(',Day,', ',Month,')
        .replace('GRid', 'GRID')
        .replace('Partner Revenue : Auction', 'Partner\u00a0Revenue\u00a0: Auction'),
      [
        {
          Month: '202401',
          Country: 'JP',
          'Asset ID': 'A1',
          ISRC: 'FRABC2400001',
          'Owned Views': '10',
          'Partner Revenue': '0.03',
        },
      ],
    )}`,
    totals: { USD: '0.03' },
    lines: [['2024-01-01', 'YouTube Premium', 'JP', 'FRABC2400001', 'stream', 'USD', '10', '0.03']],
  },
  'youtube-claim': {
    file: table(
      youtubeAsset
        .replace('Asset ID', 'Video ID,Channel ID,Asset ID')
        .replace('Administer Publish Rights', 'Content Type,Policy,Claim Type,Claim Origin'),
      [
        {
          'Adjustment Type': 'None',
          Day: '20240315',
          Country: 'FR',
          'Video ID': 'v',
          'Asset ID': 'A1',
          ISRC: 'FRABC2400001',
          'Owned Views': '1200',
          'Partner Revenue': '0.75',
        },
        {
          'Adjustment Type': 'Spam Adjustment',
          Day: '20240315',
          Country: 'US',
          'Asset ID': 'A1',
          ISRC: 'FRABC2400001',
          'Owned Views': '-10',
          'Partner Revenue': '-0.05',
        },
      ],
    ),
    totals: { USD: '0.7' },
    lines: [
      ['2024-03-01', 'YouTube', 'FR', 'FRABC2400001', 'video', 'USD', '1200', '0.75'],
      ['2024-03-01', 'YouTube', 'US', 'FRABC2400001', 'video', 'USD', '-10', '-0.05'],
    ],
  },
  'youtube-shorts': {
    file: table(
      'Adjustment Type,Video ID,Video Title,Video Duration (sec),Category,Channel ID,Uploader,Content Type,Policy,Engaged Views,Net Partner Revenue (Post revshare)',
      [
        {
          'Adjustment Type': 'None',
          'Video ID': 'v',
          'Video Title': 'Un',
          Uploader: 'A',
          'Engaged Views': '3000',
          'Net Partner Revenue (Post revshare)': '0.0412',
        },
      ],
    ),
    month: '2024-03-01',
    totals: { USD: '0.0412' },
    lines: [['2024-03-01', 'YouTube Shorts', '', '~', 'video', 'USD', '3000', '0.0412']],
  },
  'youtube-claims': {
    file: table(
      'Adjustment Type,Country,Day,Video ID,Video Channel ID,Asset ID,Asset Channel ID,Asset Title,Asset Labels,Asset Type,Custom ID,ISRC,UPC,GRID,Artist,Album,Label,Claim Type,Content Type,Offer,Owned Views,Monetized Views : Audio,Monetized Views : Audio Visual,Monetized Views,YouTube Revenue Split,Partner Revenue : Pro Rata,Partner Revenue : Per Sub Min,Partner Revenue',
      [
        {
          'Adjustment Type': 'None',
          Country: 'US',
          Day: '20240102',
          'Video ID': 'v',
          ISRC: 'FRABC2400001',
          'Owned Views': '7',
          'Partner Revenue': '0.007',
        },
      ],
    ),
    totals: { USD: '0.007' },
    lines: [['2024-01-01', 'YouTube Premium', 'US', 'FRABC2400001', 'stream', 'USD', '7', '0.007']],
  },
};
