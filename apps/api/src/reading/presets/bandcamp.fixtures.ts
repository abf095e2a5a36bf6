import { type Fixture, table } from './fixture.ts';

const sale = {
  date: '1/2/24 4:00pm',
  'item type': 'track',
  'item name': 'Été',
  currency: 'EUR',
  quantity: '1',
  isrc: 'FRABC2400001',
  country: 'Belgium',
  'country code': 'BE',
};

const refund = { ...sale, 'item type': 'refund', quantity: '-1' };
/** The raw export. */
export const rawHeader =
  'date,paid to,item type,item name,artist,currency,item price,quantity,discount code,sub total,tax,shipping,ship from country name,transaction fee,fee type,item total,amount you received,bandcamp transaction id,paypal transaction id,assessed revenue share,collected revenue share,balance of revenue share,change to payout balance,payout balance,net amount,package,option,item url,sku,catalog number,upc,isrc,buyer name,buyer email,buyer phone,buyer note,ship to name,ship to street,ship to street 2,ship to city,ship to state,ship to zip,ship to country,ship to country code,ship date,ship notes,country,country code,region/state,city,referrer,referrer url';

export const fixtures: Record<string, Fixture> = {
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
      `\ufeff${table(rawHeader, [
        { ...sale, 'net amount': '0.85', 'buyer note': 'Bravo,\nvraiment' },
        { ...sale, 'sub total': '10', 'transaction fee': '0.92', 'assessed revenue share': 'n/a' },
        // A refunded cart: its first row has the fees of both.
        {
          ...sale,
          'item type': 'refund',
          quantity: '-1',
          'sub total': '-1.00',
          'transaction fee': '-0.5',
          'assessed revenue share': '-1.65',
        },
        { ...sale, 'item type': 'reversal', quantity: '-1', 'sub total': '-10' },
        { date: '1/3/24 4:00pm', 'item type': 'payout', currency: 'EUR', 'net amount': '-0.85' },
      ])}`,
      'utf16le',
    ),
    totals: { EUR: '1.08' },
    lines: [['2024-01-01', 'Bandcamp', 'BE', 'FRABC2400001', 'download', 'EUR', '0', '1.08']],
    skipped: { Versement: 1 },
    variants: {
      'what the payout balance says of a cart, of a refund in part, and of sales with taxes': {
        file: table(rawHeader, [
          // A cart: the deductions of all its rows, shipping included, are in one row.
          {
            ...refund,
            'bandcamp transaction id': 't1',
            'sub total': '-17',
            shipping: '-2',
            'transaction fee': '-1.08',
            'assessed revenue share': '-3.4',
            'change to payout balance': '-36.52',
          },
          { ...refund, 'bandcamp transaction id': 't1', 'sub total': '-17', shipping: '-5' },
          {
            ...refund,
            'bandcamp transaction id': 't2',
            'sub total': '-5',
            'transaction fee': '-0.16',
            'assessed revenue share': '-0.39',
            'change to payout balance': '-4.45',
          },
          {
            ...sale,
            'sub total': '7',
            tax: '1.33',
            'transaction fee': '0.54',
            'assessed revenue share': '0.7',
            'change to payout balance': '5.76',
          },
          {
            ...sale,
            'sub total': '7',
            tax: '1.33',
            'transaction fee': '0.54',
            'assessed revenue share': '0.7',
            'change to payout balance': '7.09',
          },
        ]),
        totals: { EUR: '-22.45' },
      },
      'what fans add and collection societies take': {
        file: table(
          'date,paid to,item type,item name,artist,currency,item price,quantity,discount code,sub total,additional fan contribution,tax rate,seller tax,marketplace tax,shipping,ship from country name,transaction fee,fee type,item total,amount you received,bandcamp transaction id,paypal transaction id,assessed revenue share,collected revenue share,balance of revenue share,collection society share,change to payout balance,payout balance,net amount,upc,isrc,country,country code',
          [
            {
              ...sale,
              'item type': 'refund',
              quantity: '-1',
              'sub total': '-41.11',
              'additional fan contribution': '-3.89',
              'marketplace tax': '-2.77',
              shipping: '-5',
              'transaction fee': '-1.46',
              'assessed revenue share': '-4.5',
              'collection society share': '-0.04',
            },
          ],
        ),
        totals: { EUR: '-39' },
      },
    },
  },
};
