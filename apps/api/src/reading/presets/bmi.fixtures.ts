import { type Fixture, table } from './fixture.ts';

const row = {
  distributor: 'BMI',
  distribution_year: '2024',
  distribution_period: 'Q1',
  track_title: 'Un',
  isrc: 'FRABC2400001',
  music_user: 'SPOTIFY',
};

export const fixtures: Record<string, Fixture> = {
  'bmi-statement': {
    file: table(
      'PERIOD,W OR P,PARTICIPANT NAME,PARTICIPANT #,IP #,TITLE NAME,TITLE #,PERF SOURCE,COUNTRY OF PERFORMANCE,SHOW NAME,EPISODE NAME,USE CODE,TIMING,PARTICIPANT %,PERF COUNT,BONUS LEVEL,ROYALTY AMOUNT,WITHHOLD,PERF PERIOD,CURRENT ACTIVITY AMT,COMPANY NAME,COMPANY CODE',
      [
        {
          PERIOD: '20242',
          'TITLE NAME': 'Un',
          'PERF SOURCE': 'SPOTIFY',
          'COUNTRY OF PERFORMANCE': 'UNITED STATES',
          'PERF COUNT': '1,234',
          'ROYALTY AMOUNT': '12.34',
          'PERF PERIOD': '20234',
        },
        { PERIOD: '20242', 'TITLE NAME': 'Deux', 'PERF SOURCE': 'YOUTUBE', 'ROYALTY AMOUNT': '-0.34' },
      ],
    ),
    totals: { USD: '12' },
    lines: [
      ['2024-04-01', 'SPOTIFY', 'US', '~', 'stream', 'USD', '1234', '12.34'],
      ['2024-04-01', 'YOUTUBE', '', '~', 'stream', 'USD', '0', '-0.34'],
    ],
  },
  bmi: {
    file: table(
      'distributor,distribution_year,distribution_period,region,reporting_year,reporting_period,country,party_type,track_title,track_id,iswc,isrc,show_name,episode_name,use_code,income_type,raw_income_type,general_source,music_user,raw_music_user,performance_period,survey_type,number_of_plays,licensor_payor,payable_amount,base_amount,bonus_amount,is_adjustment,sales_period',
      [
        {
          ...row,
          country: 'US',
          performance_period: '2023Q2',
          number_of_plays: '1000',
          payable_amount: '1.5',
          base_amount: '1.2',
          bonus_amount: '0.3',
        },
        // Without a period and plays.
        { ...row, country: 'US', payable_amount: '-0.25', base_amount: '-0.25', is_adjustment: 'true' },
      ],
    ),
    month: '2024-03-01',
    totals: { USD: '1.25' },
    lines: [['2024-03-01', 'SPOTIFY', 'US', 'FRABC2400001', 'stream', 'USD', '1000', '1.25']],
  },
};
