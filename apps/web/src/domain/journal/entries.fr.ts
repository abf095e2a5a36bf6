export const frEntries = {
  absent: 'absent',
  empty: 'vide',
  oldRate: (month: string, currency: string, rate: string, of: string) =>
    `${month}, ${currency}\u00a0: ${rate} (taux du mois\u00a0: ${of})`,
  declaration: (month: string, read: string, declared: string, difference: string) =>
    `${month}\u00a0: lu ${read}, déclaré ${declared}, écart ${difference}`,
  change: (field: string, before: string, after: string) => `${field}\u00a0: ${before} → ${after}`,
  value: (field: string, value: string) => `${field}\u00a0: ${value}`,
} as const;
