import { type Delimiter, type FileRow, RecordScanner } from './reading/records.ts';
import { StatementRefusal } from './reading/refusal.ts';

/**
 * Cuts a text into rows and cells as the files of statements are cut; `onRow` may throw.
 * @returns why it cannot be cut, in French, with the line
 */
export function scanRows(
  text: string,
  delimiter: Delimiter,
  onRow: (row: FileRow) => void,
): { message: string; line: number | undefined } | undefined {
  const scanner = new RecordScanner(delimiter, onRow);
  try {
    scanner.push(text);
    scanner.end();
  } catch (error) {
    if (!(error instanceof StatementRefusal)) throw error;
    return { message: error.message, line: error.line };
  }
  return undefined;
}
