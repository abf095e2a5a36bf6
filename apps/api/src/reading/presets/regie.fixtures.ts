import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
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
    variants: {
      'French names, dots': {
        file: 'Code ISRC;Écoutes;Revenus des écoutes;Vues YouTube;Revenus YouTube\nFRABC2500001;10;0.125;;\nFRABC2500002;;;4;0.5\n',
        totals: { USD: '0.625' },
      },
    },
  },
};
