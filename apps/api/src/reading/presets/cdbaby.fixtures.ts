import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  cdbaby: {
    file: table(
      'Report Date\tSales Date\tQuantity\tPrice\tSubtotal\tIsrc\tBarcode\tCDBabySku\tAlbum Name\tArtist Name\tTrack Name\tPartner Name\tTransaction Type\tDelivery Country',
      [
        {
          'Sales Date': '10/15/2023 12:00:00 AM',
          Quantity: '2',
          Subtotal: '0.0123',
          Isrc: 'usx123000001',
          Barcode: '"0123456789012"',
          'Partner Name': 'Apple Music',
          'Transaction Type': 'Stream',
          'Delivery Country': 'United States',
        },
      ],
      '\t',
    ),
    totals: { USD: '0.0123' },
    lines: [['2023-10-01', 'Apple Music', 'US', 'USX123000001', 'stream', 'USD', '2', '0.0123']],
  },
};
