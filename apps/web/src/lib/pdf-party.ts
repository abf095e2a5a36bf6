import type { Column, Content } from 'pdfmake/interfaces';

/** A party of a document as a column: its name above its lines, under a title where it has one. */
export const party = (name: string, lines: readonly string[], title?: string): Column => ({
  width: '*',
  stack: [
    ...(title === undefined ? [] : [{ text: title, style: 'tableHead' }]),
    { text: name, bold: true },
    ...lines.map((text): Content => ({ text })),
  ],
});
