import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  orchard: {
    file: Buffer.from(
      table(
        'Period;Activity Period;Retailer;Territory;Orchard UPC;Manufacturer UPC;Project Code;Product Code;Subaccount;Imprint Label;Artist Name;Product Name;Track Name;Track Artist;ISRC;Volume;Track;Trans Type;Trans Type Description;Unit Price;Discount;Price;Quantity;Total;Adjusted Total;Split Rate;Label Share Net Receipts;Ringtone Publishing;Cloud Publishing;Publishing;Mech. Administrative Fee;Preferred Currency',
        [
          {
            Period: '2017M10',
            'Activity Period': '2017M09',
            Retailer: 'Spotify',
            Territory: 'España',
            ISRC: 'ESA011700001',
            'Trans Type Description': 'Audio Stream',
            Quantity: '7',
            'Label Share Net Receipts': '0,258066',
            'Preferred Currency': 'EUR',
          },
        ],
        ';',
      ),
      'latin1',
    ),
    totals: { EUR: '0.258066' },
    lines: [['2017-09-01', 'Spotify', 'ES', 'ESA011700001', 'stream', 'EUR', '7', '0.258066']],
    variants: {
      'the names of input files, tabs, dots': {
        file: table(
          'Period\tActivity Period\tDMS\tTerritory\tOrchard UPC\tManufacturer UPC\tLabel Catalog #\tSubaccount\tImprint Label\tArtist Name\tRelease Name\tTrack Name\tTrack Artist\tISRC\tVolume\tTrack #\tTrans Type\tQuantity\tSplit Rate\tLabel Share Net Receipts\tPreferred Currency',
          [
            {
              Period: '2017M10',
              'Activity Period': '2017M10',
              DMS: 'Spotify',
              ISRC: 'FRABC1700001',
              'Trans Type': 'Stream',
              Quantity: '2',
              'Label Share Net Receipts': '1,234.5678',
              'Preferred Currency': 'GBP',
            },
          ],
          '\t',
        ),
        totals: { GBP: '1234.5678' },
      },
    },
  },
  'orchard-new': {
    file: `\ufeff${table(
      'STATEMENT PERIOD,SALE COUNTRY,STORE,PRODUCT ARTIST,PRODUCT,TRACK ARTIST,TRACK,TRACK VERSION,TRANSACTION TYPE,TRANSACTION SUBTYPE,QUANTITY,NET SHARE ACCOUNT CURRENCY,ORIGINAL STATEMENT PERIOD,TRANSACTION DATE,DISPLAY UPC,ISRC,PRODUCT CODE,PRODUCT VERSION,ACCOUNT ID,ACCOUNT NAME,CONTRACT ID,LABEL IMPRINT,ACCOUNT CURRENCY,SALE CURRENCY',
      [
        {
          'STATEMENT PERIOD': '2024M03',
          'SALE COUNTRY': 'US',
          STORE: 'Amazon',
          TRACK: 'T',
          'TRANSACTION TYPE': 'Stream',
          'TRANSACTION SUBTYPE': 'Subscription',
          QUANTITY: '2',
          'NET SHARE ACCOUNT CURRENCY': '0.0000012',
          'DISPLAY UPC': 'Empty:',
          ISRC: '',
          'ACCOUNT CURRENCY': 'EUR',
          'SALE CURRENCY': 'USD',
        },
      ],
    )}`,
    totals: { EUR: '0.0000012' },
    lines: [['2024-03-01', 'Amazon', 'US', '~', 'stream', 'EUR', '2', '0.0000012']],
  },
};
