import type { Fixture, SheetCell } from './fixture.ts';

const cargoHeader =
  'Period,Catalogue No.,Label,Label ID,Sold To,Cinram V Sage V Cost,Domestic v Export,Sale / Cost,Type / Cost Reason,Country,Artist / Invoice Ref,Title / More info,UPC on report,Format,Net Qty,Gross value,Cost,Storage Costs,Distribution fee,Net after fee';

export const fixtures: Record<string, Fixture> = {
  'cargo-physical': {
    currency: 'GBP',
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
      return [
        cargoHeader.split(','),
        row('HMV', '3', '23.969999999999999'),
        row('HMV', '-1', '-7.9900000000000002'),
        ['Total', ...Array.from({ length: 13 }, () => ''), { n: '2', f: 'SUM(O2:O3)' }],
      ];
    })(),
    totals: { GBP: '15.98' },
    lines: [['2023-01-01', 'HMV', 'GB', '~', 'download', 'GBP', '2', '15.98']],
    skipped: { 'Ligne de total': 1 },
  },
};
