import { type Fixture, table } from './fixture.ts';

const sale = {
  TRACK_ID: '1',
  LABEL: 'Label',
  TRACK_TITLE: 'Un',
  TRACK_ARTIST: 'A',
  REMIX: 'Club Mix',
  TERRITORY: 'FRA',
  FORMAT: 'mp3',
  TRANSACTION_DATE: '2024-03-28',
  CONTENT_TYPE: 'single',
  TRACK_COUNT: '1',
  NET_CONTENT_REVENUE: '1.10',
  WITHHELD_AMOUNT: '0.18',
  NET_TOTAL: '0.92',
  SALE_TYPE: 'Sale',
};

export const fixtures: Record<string, Fixture> = {
  beatport: {
    file: table(
      'PRODUCT_UPC,PRODUCT_CATALOGUE_NUMBER,TRACK_ISRC_CODE,TRACK_ID,LABEL,RELEASE,TRACK_TITLE,TRACK_ARTIST,REMIXER_NAME,REMIX,TERRITORY,PURCHASE_STATUS,FORMAT,DELIVERY,TRANSACTION_DATE,CONTENT_TYPE,TRACK_COUNT,GROSS_CONTENT_REVENUE,GROSS_WAV_REVENUE,PAID_PRICE,NET_CONTENT_REVENUE,NET_WAV_REVENUE,MECHANICAL_WITHHOLDING,US_TAX_WITHHOLDING,WITHHELD_AMOUNT,US_TAX_WITHHOLDING_PERCENT,US_TAX_WITHHOLDING_COMPLIANCY_STATUS,NET_TOTAL,SALE_TYPE',
      [
        { ...sale, TRACK_ISRC_CODE: 'FRABC2400001' },
        // Two recordings of one title, without an ISRC.
        sale,
        { ...sale, REMIX: 'Dub Mix', TERRITORY: 'USA', NET_TOTAL: '1.62' },
        { ...sale, TRACK_ISRC_CODE: 'FRABC2400001', NET_TOTAL: '-0.92', SALE_TYPE: 'Void' },
      ],
    ),
    currency: 'USD',
    totals: { USD: '2.54' },
    lines: [
      ['2024-03-01', 'Beatport', 'FR', 'FRABC2400001', 'download', 'USD', '0', '0'],
      ['2024-03-01', 'Beatport', 'FR', '~', 'download', 'USD', '1', '0.92'],
      ['2024-03-01', 'Beatport', 'US', '~', 'download', 'USD', '1', '1.62'],
    ],
  },
};
