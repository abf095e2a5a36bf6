import { sheetStride } from '@regie/contract/statements.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { frSourceLines } from './source-lines.fr.ts';

/** A line of a statement's file from the server's number: its sheet, from 1, and its number in the sheet. */
export const splitLine = (line: number) => ({ sheet: Math.floor(line / sheetStride) + 1, line: line % sheetStride });

export const joinLine = (sheet: number, line: number) => (sheet - 1) * sheetStride + line;

/** `12`, or `Feuille 2, ligne 12`: in a table column. */
export function formatLine(number: number): string {
  const { sheet, line } = splitLine(number);
  return sheet === 1 ? formatInteger(line) : frSourceLines.sheetLine(formatInteger(sheet), formatInteger(line));
}

/** `Ligne 12`, or `Feuille 2, ligne 12`: at the start of a sentence. */
export function nameLine(number: number): string {
  const { sheet, line } = splitLine(number);
  return sheet === 1 ? frSourceLines.lineNumber(formatInteger(line)) : formatLine(number);
}

/** `12`, or `12 de la feuille 2`: after the word « ligne ». */
export function formatLineWithin(number: number): string {
  const { sheet, line } = splitLine(number);
  return sheet === 1 ? formatInteger(line) : frSourceLines.lineWithin(formatInteger(sheet), formatInteger(line));
}
