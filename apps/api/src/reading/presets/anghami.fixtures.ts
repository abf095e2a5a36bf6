import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  anghami: {
    file: table(
      'Service Name,Start Date,End Date,DPID,Member Name,Label Name,Release Title,Artist Name,Track Title,Release ID,ISRC,Genre,Country of Sale,Service Tier,Service Plan,Type of Play,Quantity,Currency,Total Payable',
      [
        {
          'Service Name': 'Anghami',
          'Start Date': '01/02/2024',
          'End Date': '29/02/2024',
          'Track Title': 'Un',
          'Release ID': '3700000000017',
          ISRC: 'FRABC2400001',
          'Country of Sale': 'AE',
          'Service Plan': 'Premium',
          'Type of Play': 'Stream',
          Quantity: '90',
          Currency: 'USD',
          'Total Payable': '0.123',
        },
      ],
    ),
    totals: { USD: '0.123' },
    lines: [['2024-02-01', 'Anghami', 'AE', 'FRABC2400001', 'stream', 'USD', '90', '0.123']],
  },
};
