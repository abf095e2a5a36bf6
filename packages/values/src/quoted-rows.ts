/**
 * Whether a quoted cell of a row contains other rows, because a quote that opens in one row closes in a later one: without
 * its quotes, at least two of the row's lines have the cells of a whole row. Line ends within a title or a description
 * alone do not tell.
 * @param cells as read, with `\n` at line ends
 * @param width number of columns
 */
export function containsRows(cells: readonly string[], width: number, delimiter: string): boolean {
  const lines = cells.join(delimiter).split('\n');
  return width > 1 && lines.filter((line) => line.split(delimiter).length >= width).length > 1;
}
