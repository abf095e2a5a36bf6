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
