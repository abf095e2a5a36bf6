/** A cell as the file holds it: only a workbook's numeric cells are numbers, with the digits written in the file. */
export type Cell = string | { readonly number: string };

/** What the cell reads like, for the preview and the file of unsaved rows. */
export function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? cell : cell.number;
}

export function isBlankRow(row: readonly Cell[]): boolean {
  return row.every((cell) => cellText(cell).trim() === '');
}

const significantDigits = 17;

/**
 * A number of a workbook as it was meant: a cell that shows 7.99 is written 7.9900000000000002, the double that it is;
 * the shortest text that is the same double says what was typed. More digits than a double has are another writer's own.
 */
export function numberText(written: string): string {
  const value = Number(written);
  if (written === '' || !Number.isFinite(value)) return written;
  // Without leading zeros, mark and exponent.
  const digits = written.length > significantDigits ? written.replace(/^[-0.]+|e.*$|\D/gi, '') : '';
  return digits.length > significantDigits ? written : String(value);
}

/** 0 → `A`, 27 → `AB`. */
export function columnName(index: number): string {
  return (index >= 26 ? columnName(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26));
}
