/**
 * A cell as the file holds it. Text is never typed by guesswork; only a workbook's own numeric cells are
 * numbers, and even those keep the digits written in the file.
 */
export type Cell = string | { readonly number: string };

/** What the cell reads like, for the preview and the file of unsaved rows. */
export function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? cell : cell.number;
}

export function isBlankRow(row: readonly Cell[]): boolean {
  return row.every((cell) => cellText(cell).trim() === '');
}
