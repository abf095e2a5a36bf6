import { expect, it } from 'vitest';
import { accountName, accountTone } from './account-labels.ts';

it.each([
  [{ state: 'DISABLED', role: 'LABEL', hasLabelSubscription: true }, 'DISABLED'],
  [{ state: 'HOLD', role: 'LABEL', hasLabelSubscription: false }, 'HOLD'],
  [{ state: 'ENABLED', role: 'LABEL', hasLabelSubscription: false }, 'label'],
  [{ state: 'ENABLED', role: 'CUSTOMER', hasLabelSubscription: true }, 'label'],
  [{ state: 'ENABLED', role: 'CUSTOMER', hasLabelSubscription: false }, undefined],
] as const)('%o', (account, tone) => expect(accountTone(account)).toBe(tone));

it('names an account by its name, company or number', () => {
  expect(accountName({ id: 3, fname: 'Awa', lname: 'Diallo', company: 'Studio' })).toBe('Awa Diallo');
  expect(accountName({ id: 3, fname: '', lname: ' ', company: 'Studio' })).toBe('Studio');
  expect(accountName({ id: 3, fname: '', lname: '' })).toBe('Compte n°\u00a03');
});
