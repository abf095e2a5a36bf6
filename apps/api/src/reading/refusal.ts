/**
 * A file or one of its rows cannot be read; nothing of the file counts. The message is a French sentence for staff;
 * `line` is the line of the file, from 1. `asksSheets` is set when staff must choose the sheets of a workbook.
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

/** The same refusal with a line, unless it has one or is another error. */
export const atLine = (error: unknown, line: number): unknown =>
  error instanceof StatementRefusal && error.line === undefined ? new StatementRefusal(error.message, line) : error;
