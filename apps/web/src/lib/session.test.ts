import { safeOrigin } from '@regie/contract/safe-origin.ts';
import { expect, test } from 'vitest';
import { isAllowed } from './session.ts';

test.each(['/', '/journal', '/reporting/all?type=platform&from=2026-01', '/reporting/report/12#suite'])(
  '%j is a page of this site',
  (origin) => {
    expect(safeOrigin(origin)).toBe(origin);
  },
);

test.each([
  undefined,
  '',
  'journal',
  'https://ailleurs.example/',
  '//ailleurs.example/x',
  '/\\ailleurs.example',
  '/\t/ailleurs.example',
  '\\/ailleurs.example',
  'javascript:alert(1)',
  '/..//ailleurs.example',
  '/signin?origin=/signin',
  '/reset-password',
  '/signup?token=x',
])('%j redirects to the home page', (origin) => {
  expect(safeOrigin(origin)).toBe('/');
});

test('any one of the capabilities is enough', () => {
  expect(isAllowed('public', [])).toBe(true);
  expect(isAllowed('session', [])).toBe(true);
  expect(isAllowed(['read_admins', 'edit_admins'], ['edit_admins'])).toBe(true);
  expect(isAllowed(['read_admins'], ['edit_admins'])).toBe(false);
});
