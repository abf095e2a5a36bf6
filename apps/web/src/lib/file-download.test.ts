import { expect, it } from 'vitest';
import { attachedName } from './file-download.ts';

it('names a downloaded file with its accents', () => {
  expect(attachedName(`attachment; filename="relev_.csv"; filename*=UTF-8''relev%C3%A9%20%27a%27.csv`)).toBe(
    "relevé 'a'.csv",
  );
  expect(attachedName('attachment; filename="lignes.csv"')).toBe('lignes.csv');
  expect(attachedName(`attachment; filename="lignes.csv"; filename*=UTF-8''%E9`)).toBe('lignes.csv');
  expect(attachedName('')).toBeUndefined();
});
