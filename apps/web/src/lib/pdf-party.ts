import type { Column, Content } from 'pdfmake/interfaces';

export const party = (name: string, lines: readonly string[], title?: string): Column => ({
  width: '*',
  stack: [
    ...(title === undefined ? [] : [{ text: title, style: 'tableHead' }]),
    { text: name, bold: true },
    ...lines.map((text): Content => ({ text })),
  ],
});
