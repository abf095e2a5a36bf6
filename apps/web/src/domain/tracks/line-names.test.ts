import { sheetStride } from '@regie/contract/statements.ts';
import { describe, expect, it } from 'vitest';
import { formatLine, formatLineWithin, joinLine, nameLine, splitLine } from './line-names.ts';

describe('a line of a statement', () => {
  it('of a text or of the first sheet is shown by its number', () => {
    expect([formatLine(12), nameLine(12), formatLineWithin(12)]).toEqual(['12', 'Ligne 12', '12']);
  });

  it('of another sheet is shown with its sheet', () => {
    const line = 2 * sheetStride + 12;
    expect([formatLine(line), nameLine(line), formatLineWithin(line)]).toEqual([
      'Feuille 3, ligne 12',
      'Feuille 3, ligne 12',
      '12 de la feuille 3',
    ]);
    expect(splitLine(line)).toEqual({ sheet: 3, line: 12 });
    expect(joinLine(3, 12)).toBe(line);
  });
});
