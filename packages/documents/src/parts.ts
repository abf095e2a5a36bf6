import type { House } from '@regie/contract/settings.ts';
import type { Column, Content, ContentText, TableCell } from 'pdfmake/interfaces.js';
import { frDocuments } from './documents.fr.ts';

/** What is printed is plain data, with the styles `title`, `heading`, `small` and `tableHead` and the layout `lines`. */
export interface PdfDocument {
  title: string;
  content: Content[];
  footer: string;
  /** The XML of an electronic invoice: it is printed as PDF/A-3 that holds it. */
  facturX?: string;
}

export interface PdfFile {
  document: PdfDocument;
  fileName: string;
}

export const head = (text: string, alignment?: 'right'): ContentText => ({ text, style: 'tableHead', alignment });

export const right = (text: string, bold = false): TableCell => ({ text, alignment: 'right', noWrap: true, bold });

export const party = (name: string, lines: readonly (string | null | undefined)[], title?: string): Column => ({
  width: '*',
  stack: [
    ...(title === undefined ? [] : [{ text: title, style: 'tableHead' }]),
    { text: name, bold: true },
    ...lines.flatMap((line): Content[] => (line?.trim() ? [{ text: line.trim() }] : [])),
  ],
});

type PrintedHouse = Pick<House, 'name' | 'address' | 'postcode' | 'city' | 'country' | 'siren' | 'vatNumber'>;

export const houseParty = (
  house: PrintedHouse & { email?: string },
  title?: string,
  more: readonly string[] = [],
): Column =>
  party(
    house.name,
    [
      ...house.address.split('\n'),
      `${house.postcode} ${house.city}`,
      house.country,
      house.email,
      house.siren && frDocuments.siren(house.siren),
      house.vatNumber && frDocuments.vatNumber(house.vatNumber),
      ...more,
    ],
    title,
  );

/** Side by side, at the head of a document. */
export const parties = (...columns: Column[]): Content => ({ columnGap: 24, margin: [0, 0, 0, 20], columns });
