import type { Fixture } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  amuse: {
    file: [
      'Transaction date,Type,Source,Royalty Date,Service,UPC,ISRC,Artist,Release,Track,Quantity,Amount,Split,Total'.split(
        ',',
      ),
      ...[
        [
          '2024-05-15',
          'Credit',
          'Royalties',
          '2024-03-01',
          'Spotify',
          '',
          'FRABC2400001',
          'A',
          'R',
          'Un',
          '120',
          '0.5',
          '50',
          '0.25',
        ],
        ['2024-05-15', 'Debit', 'Withdrawal', '', '', '', '', '', '', '', '', '', '', '-80'],
        ['2024-05-15', 'Fee', 'Account', '', '', '', '', '', '', '', '', '', '', '-1'],
      ],
    ],
    currency: 'USD',
    totals: { USD: '0.25' },
    lines: [['2024-03-01', 'Spotify', '', 'FRABC2400001', 'stream', 'USD', '120', '0.25']],
    skipped: { Retrait: 1, 'Mouvement sans date de vente': 1 },
  },
};
