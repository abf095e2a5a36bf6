import { expect, test } from 'vitest';
import { capabilities, capabilityNames, withImplied } from './capabilities.ts';

const pairs = capabilityNames.flatMap((edit) => {
  const read = capabilityNames.find((name) => name === edit.replace(/^edit_/, 'read_') && name !== edit);
  return read ? [[edit, read] as const] : [];
});

test('every edit_… capability has a read_… capability', () => {
  expect(pairs).toHaveLength(capabilityNames.filter((name) => name.startsWith('edit_')).length);
});

test.each(pairs)('%s includes %s and nothing else', (edit, read) => {
  expect(withImplied([edit]).sort()).toEqual([edit, read].sort());
  expect(withImplied([read])).toEqual([read]);
});

test('every capability has a distinct id', () => {
  expect(new Set(capabilities.map(({ id }) => id)).size).toBe(capabilityNames.length);
});
