import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What each folder's code imports of the folders beside it. */
function importsOf(folder: string, alias: string): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const path of globSync(`${folder}/*/*/**/*.{ts,tsx}`).filter((file) => !file.includes('.test.'))) {
    const name = path.split('/').slice(4, 6).join('/');
    const found = imports.get(name) ?? new Set<string>();
    for (const [, other = ''] of readFileSync(path, 'utf8').matchAll(new RegExp(`'${alias}/([^/']+/[^/']+)/`, 'g'))) {
      if (other !== name) found.add(other);
    }
    imports.set(name, found);
  }
  return imports;
}

it.each([
  ['apps/api/src/modules', '#src/modules'],
  ['apps/web/src/features', '#src/features'],
])('no folders of %s import each other in a circle', (folder, alias) => {
  const left = importsOf(folder, alias);
  expect(left.size).toBeGreaterThan(10);
  // Who imports nothing that is left is in no circle.
  for (let size = 0; size !== left.size; ) {
    size = left.size;
    for (const [name, others] of left) if (![...others].some((other) => left.has(other))) left.delete(name);
  }
  expect(Object.fromEntries(left)).toEqual({});
});
