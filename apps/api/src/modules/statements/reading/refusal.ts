/**
 * A file, or one of its rows, cannot be read as it is: nothing of it is counted. The message is a French sentence for
 * staff; `line` is that of the file, counted from 1. `asksSheets` of a workbook of which staff has to say what is read.
 */
export class StatementRefusal extends Error {
  override name = 'StatementRefusal';
  readonly line: number | undefined;
  readonly asksSheets: boolean;

  constructor(message: string, about: number | { asksSheets: true } | undefined = undefined) {
    super(message);
    this.line = typeof about === 'number' ? about : undefined;
    this.asksSheets = typeof about === 'object';
  }
}
