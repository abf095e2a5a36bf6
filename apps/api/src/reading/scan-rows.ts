import { type Delimiter, type FileRow, RecordScanner } from './records.ts';
import { StatementRefusal } from './refusal.ts';

/** Like statement files; `onRow` may throw. @returns the French error with its line when the text is invalid */
export function scanRows(text: string, delimiter: Delimiter, onRow: (row: FileRow) => void) {
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
