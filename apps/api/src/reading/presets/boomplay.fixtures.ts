import { type Fixture, table } from './fixture.ts';

export const fixtures: Record<string, Fixture> = {
  boomplay: {
    file: table(
      'Service\tStart_Date\tEnd_Date\tDPID\tMember_Name\tLabel_Name\tRelease_Title\tArtist_Name\tTrack_Title\tRelease_ID\tGRID\tISRC\tGenre\tCountry_Of_Sale\tCommercial_Model\tSound_Quality\tService_Type\tType_Of_Play\tPrice_Code\tRetail_Price\tRetail_Currency\tUnit_Price\tQuantity\tTotal_Payable\tTotal_Payable_USD',
      [
        {
          Service: 'Boomplay',
          Start_Date: '20240301',
          End_Date: '20240331',
          Track_Title: 'Un',
          ISRC: 'FRABC2400001',
          Country_Of_Sale: 'NG',
          Type_Of_Play: 'Full Track Stream',
          Retail_Currency: 'NGN',
          Quantity: '500',
          Total_Payable: '420.5',
          Total_Payable_USD: '0.2801',
        },
        {
          Service: 'Boomplay',
          Start_Date: '20240301',
          End_Date: '20240331',
          ISRC: 'FRABC2400001',
          Country_Of_Sale: 'NG',
          Type_Of_Play: 'Download',
          Quantity: '1',
          Total_Payable_USD: '0.05',
        },
      ],
      '\t',
    ),
    totals: { USD: '0.3301' },
    lines: [
      ['2024-03-01', 'Boomplay', 'NG', 'FRABC2400001', 'stream', 'USD', '500', '0.2801'],
      ['2024-03-01', 'Boomplay', 'NG', 'FRABC2400001', 'download', 'USD', '1', '0.05'],
    ],
  },
};
