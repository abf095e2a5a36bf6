import { exchangeRateMessages as refusals } from '@regie/contract/exchange-rates.ts';
import { describe, expect, it } from 'vitest';
import { readEcbRates } from './ecb.rules.ts';

/** Data API: `data-api.ecb.europa.eu/service/data/EXR/M..EUR.SP00.A?format=csvdata`. */
const apiHeader =
  'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_STATUS,OBS_CONF,OBS_PRE_BREAK,OBS_COM,TIME_FORMAT,BREAKS,COLLECTION,COMPILING_ORG,DISS_ORG,DOM_SER_IDS,PUBL_ECB,PUBL_MU,PUBL_PUBLIC,UNIT_INDEX_BASE,COMPILATION,COVERAGE,DECIMALS,NAT_TITLE,SOURCE_AGENCY,SOURCE_PUB,TITLE,TITLE_COMPL,UNIT,UNIT_MULT';
const apiRow = (key: string, month: string, rate: string, unit = '0') => {
  const [, freq, currency, denom, type, suffix] = key.split('.');
  return `${key},${freq},${currency},${denom},${type},${suffix},${month},${rate},A,F,,,P1M,,A,,,,,,,,,,4,,4F0,,US dollar/Euro,"ECB reference exchange rate, US dollar/Euro, 2:15 pm (C.E.T.)",USD,${unit}`;
};
const apiFile = (...rows: string[]) => `${[apiHeader, ...rows].join('\r\n')}\r\n`;

/** Data Portal: one column per selected series. */
const portalFile = `"DATE","TIME PERIOD","US dollar/Euro (EXR.M.USD.EUR.SP00.A)","Swiss franc/Euro (EXR.M.CHF.EUR.SP00.A)","US dollar/Euro (EXR.M.USD.EUR.SP00.E)"
"2026-04-30","2026Apr","1.1724681818181818","0.9312","1.18"
"2026-05-31","2026May","1.16085","","1.15"
`;

/** Statistical Data Warehouse, closed in 2023; newest first. */
const warehouseFile = `Data Source in SDW: null
,EXR.M.USD.EUR.SP00.A,120.EXR.M.GBP.EUR.SP00.A
,"ECB reference exchange rate, US dollar/Euro, 2:15 pm (C.E.T.)","ECB reference exchange rate, UK pound sterling/Euro, 2:15 pm (C.E.T.)"
Collection:,Average of observations through period (A),Average of observations through period (A)
Period\\Unit:,[US dollar ],[UK pound sterling ]
2021Feb,1.2098,0.87268
2021Jan,1.2171,-
`;

const ratesOf = (text: string) => readEcbRates(text).rates.map(({ month, currency, rate }) => [month, currency, rate]);
const leftOutOf = (text: string) =>
  Object.fromEntries([...readEcbRates(text).leftOut].map(([reason, series]) => [reason, [...series]]));
const refusalOf = (text: string): string => {
  try {
    readEcbRates(text);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
};

describe('an ECB file', () => {
  it('may have one row per series and month', () => {
    const text = apiFile(
      apiRow('EXR.M.USD.EUR.SP00.A', '2026-04', '1.1724681818181818'),
      apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', '1.16085'),
      apiRow('EXR.M.JPY.EUR.SP00.A', '2026-05', '184.12'),
      apiRow('EXR.M.RUB.EUR.SP00.A', '2026-05', 'NaN'),
    );
    const expected = [
      ['2026-04', 'USD', '1.1724681818181818'],
      ['2026-05', 'USD', '1.16085'],
      ['2026-05', 'JPY', '184.12'],
    ];
    expect(ratesOf(text)).toEqual(expected);
    expect(ratesOf(`\uFEFF${text.replaceAll('\r\n', '\n').trimEnd()}`)).toEqual(expected);
  });

  it('needs neither the key column nor a fixed column order', () => {
    expect(
      ratesOf(
        'DATAFLOW,TIME_PERIOD,OBS_VALUE,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX\nECB:EXR(1.0),2026-05,1.5,M,AUD,EUR,SP00,A\n',
      ),
    ).toEqual([['2026-05', 'AUD', '1.5']]);
    expect(ratesOf('TIME_PERIOD,OBS_VALUE,KEY\n2026-05,1.5,EXR.M.AUD.EUR.SP00.A\n')).toEqual([
      ['2026-05', 'AUD', '1.5'],
    ]);
  });

  it('may have one column per series', () => {
    expect(ratesOf(portalFile)).toEqual([
      ['2026-04', 'USD', '1.1724681818181818'],
      ['2026-04', 'CHF', '0.9312'],
      ['2026-05', 'USD', '1.16085'],
    ]);
    expect(leftOutOf(portalFile)).toEqual({ variation: ['EXR.M.USD.EUR.SP00.E'] });
  });

  it('may have several header lines in the old format', () => {
    expect(ratesOf(warehouseFile)).toEqual([
      ['2021-02', 'USD', '1.2098'],
      ['2021-02', 'GBP', '0.87268'],
      ['2021-01', 'USD', '1.2171'],
    ]);
  });

  it('may be several files, pasted one after the other', () => {
    expect(
      ratesOf(`${portalFile}\n${apiFile(apiRow('EXR.M.SEK.EUR.SP00.A', '2026-05', '10.9'))}\n${portalFile}`),
    ).toHaveLength(4);
  });

  it('may be exported from a French spreadsheet', () => {
    expect(ratesOf('DATE;TIME PERIOD;Euro (EXR.M.USD.EUR.SP00.A)\r\n31/05/2026;2026May;1,16085\r\n')).toEqual([
      ['2026-05', 'USD', '1.16085'],
    ]);
    expect(ratesOf('KEY\tTIME_PERIOD\tOBS_VALUE\nEXR.M.USD.EUR.SP00.A\t2026-05\t1,16085\n')).toEqual([
      ['2026-05', 'USD', '1.16085'],
    ]);
  });

  it('names its other series and leaves them out', () => {
    const text = apiFile(
      apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', '1.16'),
      apiRow('EXR.D.USD.EUR.SP00.A', '2026-05-29', '1.1588'),
      apiRow('EXR.M.USD.EUR.SP00.E', '2026-05', '1.15'),
      apiRow('EXR.M.EUR.USD.SP00.A', '2026-05', '0.86'),
      apiRow('EXR.M.GBP.USD.SP00.A', '2026-05', '0.75'),
      apiRow('EXR.M.E02.EUR.EN00.A', '2026-05', '99.1'),
    );
    expect(ratesOf(text)).toEqual([['2026-05', 'USD', '1.16']]);
    expect(leftOutOf(text)).toEqual({
      frequency: ['EXR.D.USD.EUR.SP00.A'],
      variation: ['EXR.M.USD.EUR.SP00.E'],
      denominator: ['EXR.M.GBP.USD.SP00.A'],
      kind: ['EXR.M.EUR.USD.SP00.A', 'EXR.M.E02.EUR.EN00.A'],
    });
  });

  it('counts months before 2020 without reading their rates', () => {
    const { rates, tooEarly } = readEcbRates(
      apiFile(
        apiRow('EXR.M.TRL.EUR.SP00.A', '2004-12', '1872692.1'),
        apiRow('EXR.M.USD.EUR.SP00.A', '2019-12', '1.1113'),
        apiRow('EXR.M.USD.EUR.SP00.A', '2020-01', '1.11'),
      ),
    );
    expect({ rates, tooEarly }).toEqual({ rates: [{ month: '2020-01', currency: 'USD', rate: '1.11' }], tooEarly: 2 });
  });

  it('may repeat an equal rate', () => {
    const twice = (rate: string) =>
      apiFile(apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', '1.16'), apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', rate));
    expect(ratesOf(twice('1.1600'))).toHaveLength(1);
    expect(refusalOf(twice('1.161'))).toBe(refusals.ecbTwice(3, 'USD', '2026-05'));
  });
});

describe('another file is refused with a hint:', () => {
  it.each([
    ['an empty text', ' \n', refusals.ecbUnknown],
    ['any text', 'Bonjour,\nvoici les taux', refusals.ecbUnknown],
    ['another CSV', `Mois,Devise,Taux\n${'2026-05,USD,1.16\n'.repeat(50)}`, refusals.ecbUnknown],
    ['eurofxref-hist.csv', 'Date,USD,JPY,BGN,\n2026-05-29,1.1588,184.1,1.9558,\n', refusals.ecbDaily],
    [
      'a long eurofxref-hist.csv',
      `Date,USD,JPY,BGN,\n${'2026-05-29,1.1588,184.1,1.9558,\n'.repeat(90)}`,
      refusals.ecbDaily,
    ],
    ['daily rates in rows', apiFile(apiRow('EXR.D.USD.EUR.SP00.A', '2026-05-29', '1.1588')), refusals.ecbDaily],
    [
      'daily rates in columns',
      '"DATE","TIME PERIOD","US dollar/Euro (EXR.D.USD.EUR.SP00.A)"\n"2026-05-29","29 May 2026","1.1588"\n',
      refusals.ecbDaily,
    ],
    ['ends of months', apiFile(apiRow('EXR.M.USD.EUR.SP00.E', '2026-05', '1.15')), refusals.ecbEndOfPeriod],
    ['quarters', apiFile(apiRow('EXR.Q.USD.EUR.SP00.A', '2026-Q1', '1.15')), refusals.ecbNone],
    ['other statistics', 'KEY,TIME_PERIOD,OBS_VALUE\nICP.M.U2.N.000000.4.ANR,2026-05,2.1\n', refusals.ecbNone],
    ['a workbook', 'PK\u0003\u0004…', refusals.ecbPacked],
    ['bytes', 'KEY\0,TIME_PERIOD', refusals.ecbPacked],
    [
      'a month that a spreadsheet wrote',
      apiFile(apiRow('EXR.M.USD.EUR.SP00.A', 'mai-26', '1.16')),
      refusals.ecbMonth(2, 'mai-26'),
    ],
    ['a thirteenth month', apiFile(apiRow('EXR.M.USD.EUR.SP00.A', '2026-13', '1.16')), refusals.ecbMonth(2, '2026-13')],
    [
      'a row of something else among the months',
      portalFile.replace('"2026-05-31","2026May"', '"Total","Total"'),
      refusals.ecbMonth(3, 'Total'),
    ],
    ['a word for a rate', apiFile(apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', 'n/a')), refusals.ecbRate(2, 'n/a')],
    ['a rate of zero', apiFile(apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', '0')), refusals.ecbRate(2, '0')],
    ['a negative rate', apiFile(apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', '-1.1')), refusals.ecbRate(2, '-1.1')],
    ['thousands', apiFile(apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', '"1,160"')), refusals.ecbRate(2, '1,160')],
    [
      'rates of a hundred euros',
      apiFile(apiRow('EXR.M.USD.EUR.SP00.A', '2026-05', '116', '2')),
      refusals.ecbUnit(2, '2'),
    ],
    ['a row that is cut', apiFile().concat('EXR.M.USD.EUR.SP00.A,M,USD,EUR,SP00,A,2026-05,1.1'), refusals.ecbShort(2)],
    ['a month that is cut', portalFile.replace(/,"",.*$/m, ''), refusals.ecbShort(3)],
    ['an open quote', '"DATE","TIME PERIOD","(EXR.M.USD.EUR.SP00.A)"\n"2026-05', /^Ligne 2\u00a0: .*guillemet/],
  ])('%s', (_name, text, message) => {
    const refusal = refusalOf(text);
    if (typeof message === 'string') expect(refusal).toBe(message);
    else expect(refusal).toMatch(message);
  });
});
