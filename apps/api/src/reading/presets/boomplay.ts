import { preset } from './preset.ts';

export const presets = {
  boomplay: preset({
    source: 'Boomplay',
    name: 'Boomplay, relevé par titre',
    columns: {
      isrc: ['ISRC'],
      upc: ['Release_ID'],
      title: ['Track_Title'],
      artist: ['Artist_Name'],
      store: ['Service'],
      country: ['Country_Of_Sale'],
      month: ['Start_Date'],
      periodEnd: ['End_Date'],
      quantity: ['Quantity'],
      // Total_Payable is in the currency of the listener's subscription; labels are paid in dollars.
      amount: ['Total_Payable_USD'],
      kind: ['Type_Of_Play'],
    },
    signature: ['Member_Name', 'Sound_Quality', 'Price_Code', 'Retail_Currency', 'Total_Payable'],
    currency: 'USD',
    kind: 'stream',
    kinds: { download: ['download'] },
    monthForms: ['YYYYMMDD'],
  }),
};
