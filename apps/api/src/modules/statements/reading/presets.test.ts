import { gzipSync } from 'node:zlib';
import { StatementPreset } from '@regie/contract/statements.ts';
import { describe, expect, it } from 'vitest';
import { readStatement, type SheetCell, storedFile, totalsOf, workbookOf, zipOf } from './files-for-tests.ts';
import { describePresets, housePresets } from './presets.ts';
import { openStatement } from './read-statement.ts';
import { headRows } from './recognise.ts';

type Row = Record<string, string>;

/** A file of these rows under a header; columns that a row does not name are empty. */
function table(header: string, rows: readonly (Row | string)[], delimiter = ',', end = '\r\n'): string {
  const names = header.split(delimiter);
  const cells = rows.map((row) => {
    if (typeof row === 'string') return row;
    const unknown = Object.keys(row).filter((name) => !names.includes(name));
    if (unknown.length > 0) throw new Error(`no column ${unknown.join(', ')}`);
    return names.map((name) => quoted(row[name] ?? '', delimiter)).join(delimiter);
  });
  return [header, ...cells, ''].join(end);
}
const quoted = (text: string, delimiter: string) =>
  delimiter !== '\t' && (text.includes(delimiter) || text.includes('"')) ? `"${text.replaceAll('"', '""')}"` : text;

/** What one line of a file is expected to say: month, store, country, item or `~`, kind, currency, quantity, amount. */
type Line = [string, string, string, string, string, string, string, string];

interface Fixture {
  file: string | Buffer;
  totals: Record<string, string>;
  lines: Line[];
  skipped?: Record<string, number>;
  month?: string;
}

const distrokid13 =
  'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';
const fugaExtended =
  'Royalty ID,Asset ISRC,Asset Title,Asset Version,Asset Artist,Asset Duration,Sale net receipts calculation,Sale net receipts,Contract deal term,Contract Reference,Reported Royalty,Asset/Product,Territory,Quantity,Sale Type,Sale User Type,Sale Start date,Sale End date,Sale Store Name,DSP,Royalty Calculation Base,Product Reference,Asset Reference,Product Share,Asset Share,Exchange Rate,Currency,Product Title,Product Artist,Product UPC,Product Catalog Number,Product Label,Report Run ID,Report ID,Sale ID,Statement Run ID,Statement Run Name';
const youtubeAsset =
  'Adjustment Type,Day,Country,Asset ID,Asset Title,Asset Labels,Asset Channel ID,Asset Type,Custom ID,ISRC,UPC,GRid,Artist,Album,Label,Administer Publish Rights,Owned Views,YouTube Revenue Split : Auction,YouTube Revenue Split : Reserved,YouTube Revenue Split : Partner Sold YouTube Served,YouTube Revenue Split : Partner Sold Partner Served,YouTube Revenue Split,Partner Revenue : Auction,Partner Revenue : Reserved,Partner Revenue : Partner Sold YouTube Served,Partner Revenue : Partner Sold Partner Served,Partner Revenue';
const cargoHeader =
  'Period,Catalogue No.,Label,Label ID,Sold To,Cinram V Sage V Cost,Domestic v Export,Sale / Cost,Type / Cost Reason,Country,Artist / Invoice Ref,Title / More info,UPC on report,Format,Net Qty,Gross value,Cost,Storage Costs,Distribution fee,Net after fee';
const believeRow = {
  'Reporting month': '2026/05/01',
  'Sales Month': '2026/03/01',
  Platform: 'Spotify',
  'Country / Region': 'Germany',
  ISRC: 'FRABC2600001',
  'Sales Type': 'Stream',
  'Client Payment Currency': 'EUR',
};

const fuga = (sign: string, reported: string[]) =>
  table(
    fugaExtended,
    reported.map((amount) => ({
      'Asset ISRC': 'FRABC2200001',
      'Sale net receipts calculation': `€0.004 × 100% of sale × 100% of asset × 0.985 €/${sign} = ${sign}0.003`,
      'Reported Royalty': amount,
      Territory: 'FR',
      Quantity: '2',
      'Sale Type': 'Streaming',
      'Sale Start date': '2022-08-01',
      DSP: 'Deezer',
      // The sale's, not what is paid.
      Currency: 'EUR',
    })),
  );

const dsrSales = (sales: string[]) => {
  const sale = (id: number, isrc: string, summary: string, net: string) => {
    const cells = Array.from({ length: 48 }, () => '');
    cells[0] = 'SR08';
    cells[1] = `T${id}`;
    cells[3] = '3700000000017';
    cells[4] = 'R1';
    cells[9] = 'Album \\| deux';
    cells[13] = isrc;
    cells[20] = 'Titre';
    cells[24] = summary;
    cells[25] = '2024-02-29';
    cells[26] = '10';
    cells[27] = '1';
    cells[28] = '9';
    cells[44] = '999';
    cells[46] = net;
    return cells.join('\t');
  };
  const rows = [
    'SRHE\tdsrf/1\tFinancialReportingToRecordCompaniesProfileSRB\t1.0\tM1\t2024-03-05T10:00:00Z\t1\t1\t2024-02-01\t2024-02-29\tPADPIDA1\tDeezer',
    'SY10\tS1\t\t\tSubscriptionModel\tOnDemandStream\t2024-02-01\t2024-02-29\t\t\t\t\tFR\t\t\t\t1\t1\t0\t1\tUSD\tEUR\t0.9',
    'SY10\tS2\t\t\tPayAsYouGoModel\tPermanentDownload\t2024-02-01\t2024-02-29\t\t\t\t\tBE\t\t\t\t1\t1\t0\t1\tGBP\tEUR\t1.1',
    ...sales.map((net, index) => sale(index, index === 2 ? '' : 'FRABC2400001', index === 1 ? 'S2' : 'S1', net)),
  ];
  return [...rows, `SRFO\t${rows.length + 1}\t2`, ''].join('\r\n');
};

const fixtures: Record<string, Fixture> = {
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
      // Written otherwise, the same item on a line of its own.
      ['2025-01-01', 'Spotify', 'FR', 'FRABC2500001', 'stream', 'USD', '3', '0'],
      ['2024-12-01', 'iTunes', 'CH', '~', 'download', 'USD', '1', '6.99000001'],
    ],
  },
  'distrokid-2018': {
    // As older exports are: Western letters.
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
  },
  tunecore: {
    file: table(
      'Sales Period,Posted Date,Store Name,Country of Sale,Artist,Release Type,Release Title,Song Title,Label,UPC,Optional UPC,TC Song ID,Optional ISRC,Sales Type,# Units Sold,Per Unit Price,Net Sales,Net Sales Currency,Exchange Rate,Total Earned,Currency',
      [
        {
          'Sales Period': '2023-05-01',
          'Store Name': 'Amazon',
          'Country of Sale': 'GB',
          'Song Title': 'Un',
          'TC Song ID': 'ZZZZZ9999999',
          'Optional ISRC': 'FRABC2300001',
          'Sales Type': 'Stream',
          '# Units Sold': '1,200',
          'Net Sales': '4.4',
          'Net Sales Currency': 'GBP',
          'Exchange Rate': '1.25',
          'Total Earned': '5.5',
          Currency: 'USD',
        },
        {
          'Sales Period': '2023-05-01',
          'Store Name': 'Amazon',
          'Country of Sale': 'GB',
          'Optional ISRC': 'FRABC2300001',
          'Sales Type': 'Download',
          '# Units Sold': '-1',
          'Net Sales': '-0.8',
          'Net Sales Currency': 'GBP',
          'Total Earned': '-1',
          Currency: 'USD',
        },
      ],
    ),
    totals: { USD: '4.5' },
    lines: [
      ['2023-05-01', 'Amazon', 'GB', 'FRABC2300001', 'stream', 'USD', '1200', '5.5'],
      ['2023-05-01', 'Amazon', 'GB', 'FRABC2300001', 'download', 'USD', '-1', '-1'],
    ],
  },
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
  believe: {
    file: table(
      'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Release Catalog nb;Streaming Subscription Type;Release type;Sales Type;Quantity;Client Payment Currency;Unit Price;Mechanical Fee;Gross Revenue;Client share rate;Net Revenue',
      [
        { ...believeRow, Quantity: '1.234', 'Net Revenue': '1.234,56' },
        { ...believeRow, Quantity: '2', 'Net Revenue': '0,005' },
        // As another program wraps it.
        '"2026/05/01;2026/03/01;Deezer;France;L;""A"";R;T;;FRABC2600001;;;;Stream;1;EUR;;;;;0,1",',
        'Total;;;;;;;;;;;;;;;;;;;;1234,665',
      ],
      ';',
    ),
    totals: { EUR: '1234.665' },
    lines: [
      ['2026-03-01', 'Spotify', 'DE', 'FRABC2600001', 'stream', 'EUR', '1236', '1234.565'],
      ['2026-03-01', 'Deezer', 'FR', 'FRABC2600001', 'stream', 'EUR', '1', '0.1'],
    ],
    skipped: { 'Ligne de total': 1 },
  },
  'believe-ru': {
    file: windows1251(
      table(
        'Месяц отчета;Платформа;страна / регион;Исполнитель;Название трека;ISRC;Каталожный номер релиза;Тип продажи;Количество;Валюта;Сумма вознаграждения',
        [
          {
            'Месяц отчета': '01/05/2024',
            Платформа: 'Яндекс Музыка',
            'страна / регион': 'Россия',
            'Название трека': 'Песня',
            ISRC: 'RUA1D2400001',
            'Тип продажи': 'Скачивание',
            Количество: '3',
            Валюта: 'RUB',
            'Сумма вознаграждения': '10,5',
          },
        ],
        ';',
      ),
    ),
    totals: { RUB: '10.5' },
    lines: [['2024-05-01', 'Яндекс Музыка', 'RU', 'RUA1D2400001', 'download', 'RUB', '3', '10.5']],
  },
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
  fuga: {
    file: table(
      'Sale ID,Sale Start date,Sale End date,DSP,Sale Store Name,Sale Type,Sale User Type,Territory,Product UPC,Product Reference,Product Catalog Number,Product Label,Product Artist,Product Title,Asset Artist,Asset Title,Asset Version,Asset Duration,Asset ISRC,Asset Reference,Asset/Product,Product Quantity,Asset Quantity,Original Gross Income,Original currency,Exchange Rate,Converted Gross Income,Contract deal term,Reported Royalty,Currency,Report Run ID,Report ID',
      [
        {
          'Sale ID': '1',
          'Sale Start date': '2022-08-01',
          DSP: 'Deezer',
          'Sale Type': 'Download',
          Territory: 'FR',
          'Asset ISRC': 'FRABC2200001',
          'Asset Quantity': '3',
          'Original Gross Income': '9',
          'Original currency': 'USD',
          'Reported Royalty': '0.00164130103450794',
          Currency: 'EUR',
        },
      ],
    ),
    totals: { EUR: '0.00164130103450794' },
    lines: [['2022-08-01', 'Deezer', 'FR', 'FRABC2200001', 'download', 'EUR', '3', '0.00164130103450794']],
  },
  'fuga-extended': {
    file: fuga('£', ['0.00139510587933175', '0.00151223116416448', '-0.000000000000000000000000000001']),
    totals: { GBP: '0.002907337043496229999999999999' },
    lines: [['2022-08-01', 'Deezer', 'FR', 'FRABC2200001', 'stream', 'GBP', '6', '0.002907337043496229999999999999']],
  },
  bandcamp: {
    file: table(
      'date,paid to,item type,item name,artist,currency,item price,quantity,discount code,sub total,transaction fee,fee type,item total,amount you received,bandcamp transaction id,paypal transaction id,net amount',
      [
        {
          date: '11/25/22 5:45pm',
          'item type': 'track',
          'item name': 'Un',
          currency: 'GBP',
          quantity: '1',
          'net amount': '6.22',
        },
        {
          date: '11/26/22 12:05am',
          'item type': 'album',
          'item name': 'Deux',
          currency: 'EUR',
          quantity: '1',
          'net amount': '8.1',
        },
        {
          date: '11/27/22 1:00pm',
          'item type': 'refund',
          'item name': 'Un',
          currency: 'GBP',
          quantity: '1',
          'net amount': '6.22',
        },
        {
          date: '11/28/22 1:00pm',
          'item type': 'reversal',
          'item name': 'Deux',
          currency: 'EUR',
          quantity: '-1',
          'net amount': '-0.1',
        },
        {
          date: '11/30/22 1:00pm',
          'item type': 'payout',
          currency: 'EUR',
          'net amount': '-8',
        },
      ],
    ),
    totals: { EUR: '8', GBP: '0' },
    lines: [
      ['2022-11-01', 'Bandcamp', '', '~', 'download', 'GBP', '0', '0'],
      ['2022-11-01', 'Bandcamp', '', '~', 'download', 'EUR', '0', '8'],
    ],
    skipped: { Versement: 1 },
  },
  'bandcamp-raw': {
    file: Buffer.from(
      `\ufeff${table(
        'date,paid to,item type,item name,artist,currency,item price,quantity,discount code,sub total,tax,shipping,ship from country name,transaction fee,fee type,item total,amount you received,bandcamp transaction id,paypal transaction id,assessed revenue share,collected revenue share,balance of revenue share,change to payout balance,payout balance,net amount,package,option,item url,sku,catalog number,upc,isrc,buyer name,buyer email,buyer phone,buyer note,ship to name,ship to street,ship to street 2,ship to city,ship to state,ship to zip,ship to country,ship to country code,ship date,ship notes,country,country code,region/state,city,referrer,referrer url',
        [
          {
            date: '1/2/24 4:00pm',
            'item type': 'track',
            'item name': 'Été',
            currency: 'EUR',
            quantity: '1',
            'net amount': '0.85',
            isrc: 'FRABC2400001',
            'buyer note': 'Bravo,\nvraiment',
            country: 'Belgium',
            'country code': 'BE',
          },
          { date: '1/3/24 4:00pm', 'item type': 'payout', currency: 'EUR', 'net amount': '-0.85' },
        ],
      )}`,
      'utf16le',
    ),
    totals: { EUR: '0.85' },
    lines: [['2024-01-01', 'Bandcamp', 'BE', 'FRABC2400001', 'download', 'EUR', '1', '0.85']],
    skipped: { Versement: 1 },
  },
  'kontor-eur': {
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
  sonosuite: {
    file: table(
      'start_date,end_date,confirmation_report_date,country,currency,type,units,unit_price,gross_total,channel_costs,taxes,net_total,currency_rate,gross_total_client_currency,other_costs_client_currency,channel_costs_client_currency,taxes_client_currency,net_total_client_currency,user,channel,label,display_artist,release,upc,track,isrc,tenant_id',
      [
        {
          start_date: '2024-06-01',
          country: 'FR',
          currency: 'EUR',
          type: 't',
          units: '10',
          net_total: '0.012345678901',
          net_total_client_currency: '9',
          channel: 'Deezer',
          isrc: 'FRABC2400001',
        },
        {
          start_date: '2024-06-01',
          country: 'US',
          currency: 'USD',
          type: 'v',
          units: '1',
          net_total: '0.5',
          channel: 'TikTok',
          isrc: 'FRABC2400001',
        },
      ],
    ),
    totals: { EUR: '0.012345678901', USD: '0.5' },
    lines: [
      ['2024-06-01', 'Deezer', 'FR', 'FRABC2400001', 'stream', 'EUR', '10', '0.012345678901'],
      ['2024-06-01', 'TikTok', 'US', 'FRABC2400001', 'video', 'USD', '1', '0.5'],
    ],
  },
  soundcloud: {
    file: `"Account ID","","","","","","","","","","","","",""\n5f0c-uuid,,,,,,,,,,,,,\n${table(
      'Track,Artist(s),Partner,Reporting Period,Accounting Period,Release,UPC,ISRC,Country,Type,Units,Revenue (USD),Revenue Share (%),Split Pay Share (%)',
      [
        {
          Track: 'T',
          Partner: 'SoundCloud',
          'Reporting Period': '2024-05',
          ISRC: 'FRABC2400001',
          Country: 'GB',
          Type: 'Monetized play',
          Units: '9',
          'Revenue (USD)': '0.027',
          'Revenue Share (%)': '100',
        },
      ],
    )}`,
    totals: { USD: '0.027' },
    lines: [['2024-05-01', 'SoundCloud', 'GB', 'FRABC2400001', 'stream', 'USD', '9', '0.027']],
  },
  revelator: {
    file: table(
      'Statement Period,Transaction Month,Label,Artist,Release Title,Track Title,UPC,ISRC,Release Catalog ID,Service,Channel,Territory,Quantity,Net Revenue in USD',
      [
        {
          'Statement Period': '2024-06',
          'Transaction Month': '2024-04',
          ISRC: 'FRABC2400001',
          Service: 'Tidal',
          Channel: 'Subscription',
          Territory: 'NO',
          Quantity: '4',
          'Net Revenue in USD': '0.05',
        },
      ],
    ),
    totals: { USD: '0.05' },
    lines: [['2024-04-01', 'Tidal', 'NO', 'FRABC2400001', 'stream', 'USD', '4', '0.05']],
  },
  itunes: {
    file: (() => {
      const header =
        'Start Date\tEnd Date\tUPC\tISRC/ISBN\tVendor Identifier\tQuantity\tPartner Share\tExtended Partner Share\tPartner Share Currency\tSales or Return\tApple Identifier\tArtist/Show/Developer/Author\tTitle\tLabel/Studio/Network/Developer/Publisher\tGrid\tProduct Type Identifier\tISAN/Other Identifier\tCountry Of Sale\tPre-order Flag\tPromo Code\tCustomer Price\tCustomer Currency';
      const row = {
        'Start Date': '08/02/2021',
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
      const summary = 'Total_Rows\t2\r\nCountry Of Sale\tPartner Share Currency\tQuantity\r\nAU\tAUD\t2\r\n';
      return `${first}${summary}${second}Total_Rows\t1\r\n`;
    })(),
    totals: { AUD: '1.4', EUR: '0.9' },
    lines: [
      ['2021-08-01', 'iTunes', 'AU', 'FRABC2100001', 'download', 'AUD', '2', '1.4'],
      ['2021-08-01', 'iTunes', 'FR', 'FRABC2100001', 'download', 'EUR', '1', '0.9'],
    ],
    skipped: { 'Pied de relevé': 5 },
  },
  'apple-music': {
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
  'sddigital-usd': {
    file: table(
      'Internal Invoice Number,Customer,Catalog Number,Title_Description,UPC,Product ID,Artist,Product Title,Digital Service Provider_Subdescription,Country Code,Transaction Type,Quantity,Gross Unit Price,Total Gross Income,Distribution Fee Total,Label Net Unit Price,Label Net Total,datePaidlast,dateProcessedlast,Flag for mech obligation,Flag for Radio_Performance Royalty Exclusion,internal serial number,Label,invoice_description',
      [
        {
          'Product ID': 'USABC2000001',
          'Digital Service Provider_Subdescription': 'Qobuz',
          'Country Code': 'FR',
          'Transaction Type': 'Permanent Download',
          Quantity: '1',
          'Label Net Total': '0.70000000000001',
          datePaidlast: '2/6/2020',
          dateProcessedlast: '1/31/2020',
        },
      ],
    ),
    totals: { USD: '0.70000000000001' },
    lines: [['2020-01-01', 'Qobuz', 'FR', 'USABC2000001', 'download', 'USD', '1', '0.70000000000001']],
  },
  'sdphysical-usd': {
    file: table(
      'Internal Invoice Number,Customer,Catalog Number,UPC,Title_Description,Artist,Product Title,Customer Region,Country Code,CustomerClassification,digest invoiceform,signedQuantity,Gross Unit Price,Label Net Unit Price,Total Gross Income,Distribution Fee Total,MnD Fee Total,Label Net Total,datePaidlast,dateProcessedlast,flag for mech obligation,internal serial number,Label,Invoice_Description',
      [
        {
          Customer: 'Rough Trade',
          UPC: '0656605000017',
          'Country Code': 'GB',
          signedQuantity: '-2',
          'Label Net Total': '-19.98',
          dateProcessedlast: '12/1/2019',
        },
      ],
    ),
    totals: { USD: '-19.98' },
    lines: [['2019-12-01', 'Rough Trade', 'GB', '~', 'download', 'USD', '-2', '-19.98']],
  },
  'cargo-physical-gbp': {
    file: (() => {
      const row = (name: string, quantity: string, net: string): SheetCell[] =>
        cargoHeader.split(',').map((column): SheetCell => {
          if (column === 'Period') return '2023_01';
          if (column === 'Sold To') return name;
          if (column === 'Country') return 'UK';
          if (column === 'Title / More info') return 'Album & plus';
          if (column === 'UPC on report') return { n: '12345678905' };
          if (column === 'Net Qty') return { n: quantity };
          if (column === 'Net after fee') return { n: net };
          return '';
        });
      return workbookOf([
        cargoHeader.split(','),
        row('HMV', '3', '23.969999999999999'),
        row('HMV', '-1', '-7.9900000000000002'),
        ['Total', ...Array.from({ length: 13 }, () => ''), { n: '2', f: 'SUM(O2:O3)' }],
      ]);
    })(),
    totals: { GBP: '15.98' },
    lines: [['2023-01-01', 'HMV', 'GB', '~', 'download', 'GBP', '2', '15.98']],
    skipped: { 'Ligne de total': 1 },
  },
  'dsr-sales': {
    file: dsrSales(['0.1', '2', '-0.00000000001']),
    totals: { EUR: '2.09999999999' },
    lines: [
      ['2024-02-01', 'Deezer', 'FR', 'FRABC2400001', 'stream', 'EUR', '9', '0.1'],
      ['2024-02-01', 'Deezer', 'BE', 'FRABC2400001', 'download', 'EUR', '9', '2'],
      ['2024-02-01', 'Deezer', 'FR', '~', 'stream', 'EUR', '9', '-0.00000000001'],
    ],
  },
  'dsr-ugc': {
    file: [
      'HEAD\tdsrf/30\tUGCProfile\t1.1\tM\t2016-01-21T15:09:26Z\t1\t1\t2015-10-01\t2015-12-31\tP\tYouTube',
      // The file's own order of cells, not the standard's.
      '#SU03.01\tBlockId\tSalesTransactionId\tSummaryRecordId\tDspReleaseId\tNetRevenue\tUsages\tValidityPeriodStart',
      '#SY02.01\tSummaryRecordId\tTerritory\tCurrency',
      'SY02.01\t1\tIS\tUSD',
      'SY02.01\t1\tIS\tUSD',
      'AS01\t1\tR1\tX1\tFRABC1500001\tUn',
      'AS01\t1\tR2\tX2\tFRABC1500002\tDeux',
      'SU03.01\t1\tU1\t1\tX2\t1.5\t100\t20151001',
      'AS01\t2\tR1\tX3\tFRABC1500003\tTrois',
      'SU03.01\t2\tU1\t1\tX9\t0.25\t10\t',
      'FOOT\t11\t11\t2\t2\t2',
      '',
    ].join('\n'),
    totals: { USD: '1.75' },
    lines: [
      ['2015-10-01', 'YouTube', 'IS', 'FRABC1500002', 'video', 'USD', '100', '1.5'],
      ['2015-10-01', 'YouTube', 'IS', 'FRABC1500003', 'video', 'USD', '10', '0.25'],
    ],
  },
  landr: {
    file: table('Payment Date,UPC,ISRC,Store,Store service,Quantity of sales or streams,Net earnings (USD),Share %', [
      {
        'Payment Date': '2024-03-15',
        ISRC: 'FRABC2400001',
        Store: 'Spotify',
        'Store service': 'Streaming',
        'Quantity of sales or streams': '40',
        'Net earnings (USD)': '0.1111',
        'Share %': '100',
      },
    ]),
    totals: { USD: '0.1111' },
    lines: [['2024-03-01', 'Spotify', '', 'FRABC2400001', 'stream', 'USD', '40', '0.1111']],
  },
  'pretzel-usd': {
    file: table('disbursement,icpn,isrc,total_plays,downloads_count,total_revenue', [
      {
        disbursement: 'Jan 22',
        isrc: 'FRABC2200001',
        total_plays: '8',
        downloads_count: '0',
        total_revenue: '0.4',
      },
    ]),
    totals: { USD: '0.4' },
    lines: [['2022-01-01', 'Pretzel', '', 'FRABC2200001', 'stream', 'USD', '8', '0.4']],
  },
  regie: {
    file: table(
      'ISRC;Streams;Income of streams;Downloads;Income of downloads;Youtube;Income of youtube',
      [
        {
          ISRC: 'FRABC2500001',
          Streams: '1 000',
          'Income of streams': '3,5',
          Downloads: '2',
          'Income of downloads': '1,4',
          Youtube: '50',
          'Income of youtube': '0,05',
        },
        { ISRC: 'FRABC2500001', Streams: '1', 'Income of streams': '-0,5' },
      ],
      ';',
    ),
    month: '2025-04-01',
    totals: { USD: '4.45' },
    lines: [
      ['2025-04-01', 'Régie', '', 'FRABC2500001', 'stream', 'USD', '1001', '3'],
      ['2025-04-01', 'Régie', '', 'FRABC2500001', 'download', 'USD', '2', '1.4'],
      ['2025-04-01', 'Régie', '', 'FRABC2500001', 'video', 'USD', '50', '0.05'],
    ],
  },
};

/** The same forms as they were also seen. */
const variants: [string, string, string, Record<string, string>][] = [
  [
    'believe',
    'other spellings, days before months, dots',
    table(
      'Reporting Month;Sales Month;Platform;Country/Region;Label Name;Artist Name;Release Title;Track Title;UPC/EAN;ISRC;Release Type;Sales Type;Quantity;Currency;Gross Revenue;Net Revenue',
      [
        {
          'Reporting Month': '01/05/2026',
          'Sales Month': '01/02/2026',
          Platform: 'Deezer',
          ISRC: 'FRABC2600001',
          Quantity: '3',
          Currency: 'USD',
          'Net Revenue': '0.0025',
        },
      ],
      ';',
    ),
    { USD: '0.0025' },
  ],
  [
    'distrokid-recoup',
    'tabs, every cell in quotes',
    [
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
    { USD: '0.25' },
  ],
  [
    'orchard',
    'the names of input files, tabs, dots',
    table(
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
    { GBP: '1234.5678' },
  ],
  [
    'sonosuite',
    'the columns of other accounts',
    table(
      'id,start_date,end_date,confirmation_report_date,country,currency,type,units,unit_price,gross_total,channel_costs,other_costs,taxes,net_total,currency_rate,net_total_client_currency,user_email,channel,label,artist,release,upc,track_title,isrc',
      [
        {
          start_date: '2024-06-30',
          currency: 'EUR',
          type: 'a',
          units: '1',
          net_total: '5.5',
          channel: 'Qobuz',
          upc: '3700000000017',
        },
      ],
    ),
    { EUR: '5.5' },
  ],
  [
    'regie',
    'French names, dots',
    'Code ISRC;Écoutes;Revenus des écoutes;Vues YouTube;Revenus YouTube\nFRABC2500001;10;0.125;;\nFRABC2500002;;;4;0.5\n',
    { USD: '0.625' },
  ],
];

/** Only letters that the page has: the platform writes no other text than Unicode. */
function windows1251(text: string): Buffer {
  const decoder = new TextDecoder('windows-1251');
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]));
  return Buffer.from([...text].map((letter) => codes.get(letter) ?? 63));
}

/** What their files leave open is the currency: these are read once staff has said which. */
const asked: Record<string, string[]> = {
  'fuga-extended': ['usd', 'cad', 'aud'],
  kontor: ['eur', 'usd', 'gbp'],
  sonosuite: ['eur', 'usd', 'gbp'],
  sddigital: ['usd', 'eur', 'gbp'],
  sdphysical: ['usd', 'eur', 'gbp'],
  'cargo-physical': ['gbp', 'eur', 'usd'],
  pretzel: ['usd', 'eur', 'gbp'],
};
const chosenOnly = [
  'sonosuite',
  ...Object.entries(asked).flatMap(([form, currencies]) => currencies.map((currency) => `${form}-${currency}`)),
];
const choice = (key: string, month: string | undefined) => ({
  month,
  chosen: chosenOnly.includes(key) ? key : undefined,
});

describe('the presets of the house', () => {
  it('are each held to a file of their form', () => {
    const keys = new Set([...Object.keys(fixtures), ...chosenOnly]);
    expect([...keys].sort()).toEqual(housePresets.map(({ key }) => key).sort());
  });

  it.each(housePresets.map(({ key, preset }) => [key, preset] as const))('%s is what a preset may be', (_, preset) => {
    expect(StatementPreset.parse(preset)).toEqual(preset);
  });

  it.each(Object.entries(fixtures))('%s', async (key, { file, month, totals, lines, skipped = {} }) => {
    const read = await readStatement(file, choice(key, month));
    expect(read.preset).toBe(key);
    expect(totalsOf(read.lines)).toEqual(totals);
    expect(
      read.lines.map((line) => [
        line.month,
        line.store,
        line.country,
        line.item.startsWith('~') ? '~' : line.item,
        line.kind,
        line.currency,
        line.quantity,
        line.amount,
      ]),
    ).toEqual(lines);
    expect(Object.fromEntries(read.totals.skipped)).toEqual(skipped);
    const left = Object.values(skipped).reduce((sum, count) => sum + count, 0);
    expect(read.totals.rows).toBe(read.totals.counted + left);
  });

  it.each(variants)('%s, with %s', async (key, _, file, totals) => {
    const read = await readStatement(file, choice(key, '2025-04-01'));
    expect(read.preset).toBe(key);
    expect(totalsOf(read.lines)).toEqual(totals);
  });

  const packable = Object.entries(fixtures).filter(([key]) => key !== 'cargo-physical-gbp');
  it.each(packable)('%s, packed, says the same', async (key, { file, month }) => {
    const options = choice(key, month);
    const { lines } = await readStatement(file, options);
    expect((await readStatement(gzipSync(file), options)).lines).toEqual(lines);
    expect((await readStatement(zipOf([{ name: 'Relevé.txt', content: file }]), options)).lines).toEqual(lines);
  });

  const tables = Object.entries(fixtures).flatMap(([key, { file, month }]) => {
    const { preset } = housePresets.find((known) => known.key === key) ?? {};
    // One of its rows is wrapped as no workbook is.
    return typeof file === 'string' && preset?.layout === 'table' && key !== 'believe' ? [{ key, file, month }] : [];
  });
  it.each(tables)('$key, saved as a workbook, says the same', async ({ key, file, month }) => {
    const { lines } = await readStatement(file, choice(key, month));
    const delimiter = file.includes('\t') ? '\t' : file.includes(';') ? ';' : ',';
    const rows = headRows(file.replace(/^\ufeff/, ''), delimiter, Number.POSITIVE_INFINITY);
    const read = await readStatement(workbookOf(rows.map(({ cells }) => cells)), choice(key, month));
    expect(read.preset).toBe(key);
    expect(read.lines).toEqual(lines);
  });

  it.each(['usd', 'cad', 'aud'])('a formula in dollars is %s where staff says so', async (currency) => {
    const read = await readStatement(fuga('$', ['0.1', '0.2']), { chosen: `fuga-extended-${currency}` });
    expect(totalsOf(read.lines)).toEqual({ [currency.toUpperCase()]: '0.3' });
  });

  it.each(Object.entries(asked).filter(([form]) => form !== 'fuga-extended'))(
    '%s names no currency: staff is asked',
    async (form, currencies) => {
      const { file } = fixtures[form] ?? fixtures[`${form}-${currencies[0]}`] ?? { file: '' };
      const opened = await openStatement(storedFile(file), housePresets);
      if (opened.is !== 'ambiguous') throw new Error(opened.is);
      const own = currencies.map((currency) => `${form}-${currency}`);
      expect(opened.findings.presets.map(({ key }) => key)).toEqual(form === 'sonosuite' ? [...own, form] : own);
      for (const [index, key] of own.entries()) {
        const { lines } = await readStatement(file, { chosen: key });
        expect(new Set(lines.map(({ currency }) => currency))).toEqual(new Set([currencies[index]?.toUpperCase()]));
      }
    },
  );

  it('of SonoSuite reads what the client is paid, in the currency that staff says', async () => {
    const { file } = fixtures.sonosuite ?? { file: '' };
    const { lines } = await readStatement(file, { chosen: 'sonosuite-eur' });
    expect(totalsOf(lines)).toEqual({ EUR: '9' });
  });

  it('describes itself to a screen', () => {
    const described = describePresets();
    expect(described.filter(({ isVerified }) => isVerified).map(({ key }) => key)).toEqual([
      'distrokid',
      'fuga-extended',
      'bandcamp',
      'sddigital-usd',
      'sddigital-eur',
      'sddigital-gbp',
      'cargo-physical-gbp',
      'cargo-physical-eur',
      'cargo-physical-usd',
      'dsr-ugc',
      'regie',
    ]);
    expect(described.find(({ key }) => key === 'regie')?.columns).toEqual([
      'isrc',
      'streams',
      'incomeofstreams',
      'downloads',
      'incomeofdownloads',
      'youtube',
      'incomeofyoutube',
    ]);
  });
});
