import { type Fixture, table } from './fixture.ts';

const header =
  'start_date,end_date,confirmation_report_date,country,currency,type,units,unit_price,gross_total,channel_costs,taxes,net_total,currency_rate,gross_total_client_currency,other_costs_client_currency,channel_costs_client_currency,taxes_client_currency,net_total_client_currency,user,channel,label,display_artist,release,upc,track,isrc,tenant_id';

export const fixtures: Record<string, Fixture> = {
  'sonosuite-paid': {
    isChosen: true,
    currency: 'EUR',
    file: table(header, [
      {
        start_date: '2024-06-01',
        country: 'US',
        currency: 'USD',
        type: 't',
        units: '10',
        net_total: '0.02',
        net_total_client_currency: '0.018',
        channel: 'Deezer',
        isrc: 'FRABC2400001',
      },
    ]),
    totals: { EUR: '0.018' },
    lines: [['2024-06-01', 'Deezer', 'US', 'FRABC2400001', 'stream', 'EUR', '10', '0.018']],
  },
  sonosuite: {
    isChosen: true,
    file: table(header, [
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
    ]),
    totals: { EUR: '0.012345678901', USD: '0.5' },
    lines: [
      ['2024-06-01', 'Deezer', 'FR', 'FRABC2400001', 'stream', 'EUR', '10', '0.012345678901'],
      ['2024-06-01', 'TikTok', 'US', 'FRABC2400001', 'video', 'USD', '1', '0.5'],
    ],
    variants: {
      'the columns of other accounts': {
        file: table(
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
        totals: { EUR: '5.5' },
      },
    },
  },
};
