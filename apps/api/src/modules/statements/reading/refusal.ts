/**
 * A file, or one of its rows, cannot be read as it is: nothing of it is counted. The message is a French sentence for
 * staff; `line` is that of the file, counted from 1.
 */
export class StatementRefusal extends Error {
  override name = 'StatementRefusal';
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}
