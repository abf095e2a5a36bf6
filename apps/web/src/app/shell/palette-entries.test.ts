import { capabilityNames } from '@regie/contract/capabilities.ts';
import type { SearchResult } from '@regie/contract/routes/search.ts';
import { expect, test } from 'vitest';
import { findScreenOf, screens, settingsSections } from '#src/app/screens.ts';
import { matchScreens, screensFor, targetOf } from './palette-entries.ts';

test('the palette contains every screen of the sidebar, and every path has a screen', () => {
  const all = screensFor(capabilityNames);
  for (const { to, icon } of screens) if (icon) expect(all.map((entry) => entry.to)).toContain(to);
  for (const { to, label } of all) {
    expect(findScreenOf(to), to).toBeDefined();
    expect(to).not.toContain('$');
    expect(label).not.toBe('');
  }
  expect(new Set(all.map(({ to }) => to)).size).toBe(all.length);
});

test.each([
  ['read_audit', ['/journal']],
  [
    'read_tools',
    [
      '/tools/ticket/opened',
      '/tools/ticket/closed',
      '/tools/empty-isrc-barcode',
      '/tools/isrc-redundancy',
      '/tools/naming-redundancy',
    ],
  ],
  ['read_unpaid_accounts', ['/payouts/unpaid-accounts']],
  [
    'manage_settings',
    [
      '/accounting/exchange-rates',
      '/settings',
      ...settingsSections.map((section) => `/settings/${section}`),
      '/system',
    ],
  ],
] as const)('%s alone adds only its screens to those of every session', (capability, own) => {
  const everybody = screensFor([]).map(({ to }) => to);
  const added = screensFor([capability]).flatMap(({ to }) => (everybody.includes(to) ? [] : to));
  expect(added).toEqual(own);
});

test('the signed-out screens are not offered after signing in', () => {
  expect(screensFor([]).map(({ to }) => to)).toEqual(['/', '/account/security', '/signatures']);
});

test.each([
  ['reglages', '/settings'],
  ['RÉGLAGES', '/settings'],
  ['conservation', '/settings/retention'],
  ['seuils', '/settings/payouts'],
  ['taux change', '/accounting/exchange-rates'],
  ['journ', '/journal'],
])('%s finds a screen', (text, to) => {
  expect(matchScreens(screensFor(capabilityNames), text)[0]?.to).toBe(to);
});

test.each(['sociétés sans siren', 'siren'])('%s finds the list of companies without one', (text) => {
  const found = { to: '/accounts/profiles', search: { siren: 'missing' } };
  expect(matchScreens(screensFor(capabilityNames), text)).toMatchObject([found]);
  expect(matchScreens(screensFor(['edit_reports']), text)).toEqual([]);
});

test.each(['zzzz', 'églages', '!!!'])('%s finds no screen', (text) => {
  expect(matchScreens(screensFor(capabilityNames), text)).toEqual([]);
});

const payout = { kind: 'payout', id: 7, label: 'Awa Diallo', hint: '' } as const;
test.each<[SearchResult, string]>([
  [{ kind: 'account', id: 7, label: '', hint: '' }, '/accounts/profiles/7'],
  [{ kind: 'release', id: 7, label: '', hint: '', status: 'PAID' }, '/library/release/7'],
  [{ kind: 'track', id: 8, label: '', hint: '', releaseId: 7 }, '/library/track/8'],
  [{ ...payout, status: 'PAID' }, '/payouts/payout/7'],
  [{ kind: 'import', id: 7, label: '', hint: '' }, '/reporting/import/7'],
  [{ kind: 'statement', id: 7, label: '', hint: '' }, '/reporting/statements/7'],
  [{ kind: 'unmatched', id: 7, label: '', hint: '', q: 'FRZ' }, '/reporting/unmatched'],
  [{ kind: 'order', id: 7, label: '', hint: '', status: 'PAID' }, '/accounts/invoice/7'],
])('a record has its screen: %o', (result, to) => {
  expect(targetOf(result, capabilityNames).to).toBe(to);
});

test.each([
  ['PENDING', '/payouts/pending'],
  ['PAID', '/payouts/paid'],
  ['CANCEL', '/payouts/cancelled'],
] as const)('a payout %s links to its list when its screen may not be opened', (status, to) => {
  const held = ['read_pending_payout', 'read_paid_payout'] as const;
  expect(targetOf({ ...payout, status }, [...held])).toEqual({ to, search: { q: 'V-000007' } });
});
