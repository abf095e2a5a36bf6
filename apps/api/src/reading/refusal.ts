/**
 * A file or row cannot be read; nothing of the file counts. The message is for staff, in French; `line` counts from 1.
 * `asksSheets`: staff must choose the sheets of a workbook.
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
