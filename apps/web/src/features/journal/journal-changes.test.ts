import { expect, test } from 'vitest';
import { findChanges, showValue } from './journal-changes.ts';

test('only what differs is a change, by path', () => {
  expect(
    findChanges(
      { fname: 'Ana', address: { city: 'Lyon', zip: '69001' }, tags: [1, 2] },
      {
        fname: 'Ana',
        address: { city: 'Paris', zip: '69001' },
        tags: [1, 3],
      },
    ),
  ).toEqual([
    { field: 'address.city', before: 'Lyon', after: 'Paris' },
    { field: 'tags', before: [1, 2], after: [1, 3] },
  ]);
});

test('a creation shows what it got, a deletion what it had', () => {
  expect(findChanges(null, { rate: 1.1 })).toEqual([{ field: 'rate', before: undefined, after: 1.1 }]);
  expect(findChanges({ rate: 1.1 }, null)).toEqual([{ field: 'rate', before: 1.1, after: undefined }]);
  expect(findChanges(null, null)).toEqual([]);
});

test.each([
  ['createdAt', 1_577_833_200_000, '01/01/2020 00:00'],
  ['month', 1_577_833_200_000, 'janv.\u00a02020'],
  ['month', '2026-01-01', 'janv.\u00a02026'],
  ['month', '2026-01', 'janv.\u00a02026'],
  ['accountsEur', '-1234.567800', '\u22121\u00a0234,5678\u00a0€'],
  ['rate', '1.142200', '1,1422'],
  ['type', 'youtube', 'plateforme vidéo'],
  ['reversed_at', '2026-01-01T10:00:00.000Z', '01/01/2026 11:00'],
  ['userId', 12345, '12345'],
  ['rows', 12345, '12\u00a0345'],
  ['capabilities', ['read_reports'], 'Voir les rapports'],
  ['capabilities', [18], 'Voir les rapports'],
  ['isOn', true, 'Oui'],
  ['label', '', 'vide'],
  ['label', null, 'absent'],
])('%s = %j', (field, value, text) => {
  expect(showValue(field, value)).toBe(text);
});
