import { capabilityNames } from '@regie/contract/capabilities.ts';
import { expect, test } from 'vitest';
import { findAct } from './palette-acts.ts';

const november = Date.UTC(2026, 10, 28);
const actOf = (text: string, held: Parameters<typeof findAct>[1] = capabilityNames) =>
  findAct(text, held, [], november);

test.each([
  ['clôturer octobre', '/reporting/months/2026-10', undefined],
  ['comptabiliser octobre', '/reporting/months/2026-10', undefined],
  ['cloturer octbre', '/reporting/months/2026-10', undefined],
  ['cloturer decembre', '/reporting/months/2025-12', undefined],
  ['clôturer juil 2025', '/reporting/months/2025-07', undefined],
  ['clotrer', '/reporting/months/2026-10', undefined],
  ['clôturer 09/2026', '/reporting/months/2026-09', undefined],
  ['ajouter un tux', '/accounting/exchange-rates', { add: '2026-10' }],
  ['ajouter un taux', '/accounting/exchange-rates', { add: '2026-10' }],
  ['ajouter un taux gbp mars', '/accounting/exchange-rates', { add: '2026-03', currency: 'GBP' }],
])('%s opens %s', (text, to, search) => {
  expect(actOf(text)?.pages).toEqual([{ label: expect.any(String), to, ...(search && { search }) }]);
});

test('“ajouter un taux” offers each rate that statements wait for, once', () => {
  const missing = [['CHF'], ['CHF', 'GBP']].map((currencies) => ({
    month: Date.UTC(2026, 8, 1),
    readySums: 0,
    missingRates: currencies.map((currency) => ({ currency, amount: 1 })),
  }));
  const found = findAct('ajouter un taux', capabilityNames, missing, november);
  expect(found?.pages.map(({ search }) => search)).toEqual([
    { add: '2026-09', currency: 'CHF' },
    { add: '2026-09', currency: 'GBP' },
  ]);
  expect(findAct('ajouter un taux usd mars', capabilityNames, missing, november)?.pages).toHaveLength(1);
});

test('“clôturer” offers each month with income to post, the oldest first', () => {
  const cells = [9, 8, 8, 7].map((month) => ({
    month: Date.UTC(2026, month, 1),
    missingRates: [],
    readySums: month - 7,
  }));
  const closing = (text: string) => findAct(text, capabilityNames, cells, november)?.pages.map(({ to }) => to);
  expect(closing('clôturer')).toEqual(['/reporting/months/2026-09', '/reporting/months/2026-10']);
  expect(closing('clôturer août')).toEqual(['/reporting/months/2026-08']);
});

test('“relevé octobre” lists the statements of the month, for whoever may read them', () => {
  const { name, isSure, pages } = actOf('relevés oct') ?? {};
  expect({ name, isSure, pages }).toEqual({
    ...{ name: 'oct', isSure: true },
    pages: [{ label: 'Relevés d’octobre\u00a02026', to: '/reporting/statements', search: { month: '2026-10' } }],
  });
  expect(actOf('relevé octobre', ['read_reports'])).not.toHaveProperty('name');
  expect(actOf('relevé octobre', ['manage_profiles'])?.pages).toMatchObject([{ to: '/accounts/profiles' }]);
});

test.each([
  ['payer Klein', 'klein', '/payouts/request'],
  ['payer à Kelin', 'kelin', '/payouts/request'],
  ['payr klein', 'klein', '/payouts/request'],
  ['relvé klein', 'klein', '/accounts/7/statement'],
  ['relevés de klein', 'klein', '/accounts/7/statement'],
  ['relevé d’Ida', 'ida', '/accounts/7/statement'],
  ['relevé mark', 'mark', '/accounts/7/statement'],
  ['relevé klein', 'klein', '/accounts/7/statement'],
  ['Relevé de Klein', 'klein', '/accounts/7/statement'],
  ['pourq', '', '/accounts/7/statement'],
  ['Pourquoi ce montant ?', '', '/accounts/7/statement'],
  ['pourquoi serge diallo', 'serge diallo', '/accounts/7/statement'],
  ['pourquoi ce montant\u00a0? Diallo', 'diallo', '/accounts/7/statement'],
])('%s is about the account “%s”', (text, name, to) => {
  const act = actOf(text);
  expect(act?.name).toBe(name);
  expect(act?.of?.(7).to).toBe(to);
});

test.each(['klein', 'octobre', 'ajouter', 'taux', 'pour', 'un pourquoi', 'player one', 'clo', 'xloturer', ''])(
  '“%s” asks for nothing',
  (text) => {
    expect(actOf(text)).toBeUndefined();
  },
);

test.each([
  ['clôturer octobre', ['read_reports']],
  ['payer klein', ['manage_profiles', 'read_pending_payout']],
  ['ajouter un taux', ['read_reports']],
  ['relevé klein', ['edit_pending_payout']],
] as const)('%s needs more than %s', (text, held) => {
  expect(actOf(text, [...held])).toBeUndefined();
});
