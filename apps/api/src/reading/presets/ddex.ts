import { preset } from './preset.ts';

export const presets = {
  'dsr-sales': preset({
    source: 'DDEX',
    name: 'DDEX DSR, ventes par sortie et par titre (SRB)',
    layout: 'dsr',
    columns: {
      isrc: ['SR08.ResourceISRC'],
      upc: ['SR08.ReleaseICPN'],
      title: ['SR08.ResourceTitle', 'SR08.ReleaseTitle'],
      artist: ['SR08.ResourceDisplayArtistName', 'SR08.ReleaseDisplayArtistName'],
      store: ['SRHE.SenderName', 'HEAD.SenderName'],
      country: ['SY10.Territory'],
      month: ['SR08.SalesTransactionDate'],
      quantity: ['SR08.NetUsage'],
      amount: ['SR08.AllocatedNetRevenueInCurrencyOfAccounting'],
      currency: ['SY10.CurrencyOfAccounting'],
      kind: ['SY10.UseType'],
    },
    monthForms: ['YYYY-MM-DD', 'YYYYMMDD'],
  }),
  'dsr-ugc': preset({
    source: 'DDEX',
    name: 'DDEX DSR, contenus d’utilisateurs (UGC), revenus nets par titre',
    isVerified: true,
    layout: 'dsr',
    columns: {
      isrc: ['AS01.ISRC'],
      title: ['AS01.Title'],
      artist: ['AS01.DisplayArtistName'],
      store: ['HEAD.SenderName'],
      country: ['SY02.Territory'],
      month: ['SU03.ValidityPeriodStart', 'HEAD.UsageStartDate'],
      quantity: ['SU03.Usages'],
      amount: ['SU03.NetRevenue'],
      currency: ['SY02.CurrencyOfReporting', 'SY02.Currency'],
    },
    monthForms: ['YYYYMMDD', 'YYYY-MM-DD'],
  }),
};
