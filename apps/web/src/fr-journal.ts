import { formatPayoutNumber } from '@regie/contract/payouts.ts';

export const frJournal = {
  signIns: 'Connexions',
  signInOptions: { with: 'Avec les connexions', only: 'Connexions seules' },
  payoutNumber: formatPayoutNumber,
  oldRate: (month: string, currency: string, rate: string, of: string) =>
    `${month}, ${currency}\u00a0: ${rate} (taux de ${of})`,
  declaration: (month: string, read: string, declared: string, difference: string) =>
    `${month}\u00a0: lu ${read}, annoncé ${declared}, écart ${difference}`,
  change: (field: string, before: string, after: string) => `${field}\u00a0: ${before} → ${after}`,
  value: (field: string, value: string) => `${field}\u00a0: ${value}`,
} as const;
