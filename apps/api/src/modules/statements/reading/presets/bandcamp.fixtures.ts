import { type Fixture, table } from './fixture.ts';

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
          {
            date: '1/2/24 5:00pm',
            'item type': 'refund',
            'item name': 'Été',
            currency: 'EUR',
            quantity: '1',
            'sub total': '-1.00',
            'assessed revenue share': '-0.15',
            'transaction fee': '',
            isrc: 'FRABC2400001',
            country: 'Belgium',
            'country code': 'BE',
          },
          { date: '1/3/24 4:00pm', 'item type': 'payout', currency: 'EUR', 'net amount': '-0.85' },
        ],
      )}`,
      'utf16le',
    ),
    totals: { EUR: '0' },
    lines: [['2024-01-01', 'Bandcamp', 'BE', 'FRABC2400001', 'download', 'EUR', '0', '0']],
    skipped: { Versement: 1 },
  },
};
