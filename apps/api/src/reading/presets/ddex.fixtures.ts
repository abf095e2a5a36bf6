import type { Fixture } from './fixture.ts';

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

export const fixtures: Record<string, Fixture> = {
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
      // The file's order of cells differs from the standard's.
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
};
