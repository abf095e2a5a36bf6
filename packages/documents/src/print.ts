import imported from 'pdfmake';
import type { TDocumentDefinitions } from 'pdfmake/interfaces.js';
import { frDocuments } from './documents.fr.ts';
import { embedFacturX } from './embed-factur-x.ts';
import { drawInVisualOrder, mapLigaturesToText } from './mixed-scripts.ts';
import type { PreparedDocument } from './prepare.ts';

// Its types lack the file system, which Node and browsers have.
const pdfMake = imported as typeof imported & { virtualfs: { writeFileSync(name: string, file: Uint8Array): void } };

const ink = '#17181c';
const softInk = '#565a66';
const line = '#cfd1d8';
const millimetre = 72 / 25.4;
const margin = 20 * millimetre;
const pageWidthPt = 210 * millimetre;
const pageNumberWidthPt = 90;
/** A fixed width, not `*`: a title without spaces is broken instead of pushing the page number out. */
const footerWidthPt = pageWidthPt - 2 * margin - pageNumberWidthPt;

pdfMake.setUrlAccessPolicy(() => false);
// Only Node has files.
pdfMake.setLocalAccessPolicy?.(() => false);
pdfMake.addTableLayouts({
  lines: {
    hLineWidth: (row, { table }) => (row === 0 || row === table.body.length ? 0 : 0.5),
    vLineWidth: () => 0,
    hLineColor: () => line,
    paddingLeft: (column) => (column === 0 ? 0 : 6),
    paddingRight: () => 6,
    paddingTop: () => 4,
    paddingBottom: () => 3,
  },
});

/** What pdfmake prints. */
export const toDefinition = ({ title, content, footer, facturX }: PreparedDocument): TDocumentDefinitions => ({
  ...(facturX === undefined ? {} : { version: '1.7', subset: 'PDF/A-3b' }),
  info: { title },
  pageSize: 'A4',
  pageMargins: [margin, margin, margin, margin + 10],
  language: 'fr-FR',
  content: drawInVisualOrder(content),
  footer: (page, pages) => ({
    margin: [margin, 18, margin, 0],
    columns: [
      { stack: [drawInVisualOrder(structuredClone(footer))], style: 'small', width: footerWidthPt },
      { text: frDocuments.page(page, pages), style: 'small', alignment: 'right', width: pageNumberWidthPt },
    ],
  }),
  pageBreakBefore: (node, info) =>
    node.headlineLevel === 1 && info.getFollowingNodesOnPage().length === 0 && node.pageNumbers.length === 1,
  defaultStyle: { font: 'Roboto', fontSize: 10, lineHeight: 1.25, color: ink },
  styles: {
    title: { fontSize: 20, bold: true, margin: [0, 0, 0, 12] },
    heading: { fontSize: 11.5, bold: true, margin: [0, 12, 0, 4] },
    small: { fontSize: 8, color: softInk },
    tableHead: { fontSize: 8.5, bold: true, color: softInk },
  },
});

const oneFile = (name: string) => ({ normal: name, bold: name, italics: name, bolditalics: name });

export async function printDocument(prepared: PreparedDocument): Promise<Blob> {
  for (const { name, file } of prepared.fonts) pdfMake.virtualfs.writeFileSync(name, new Uint8Array(file));
  pdfMake.setFonts({
    ...Object.fromEntries(prepared.fonts.map(({ name }) => [name, oneFile(name)])),
    Roboto: { normal: 'regular', bold: 'medium', italics: 'regular', bolditalics: 'medium' },
  });
  const pdf = pdfMake.createPdf(toDefinition(prepared));
  const stream = await pdf.getStream();
  mapLigaturesToText(stream);
  if (prepared.facturX !== undefined) embedFacturX(stream, prepared.facturX);
  return new Blob([new Uint8Array(await pdf.getBuffer())], { type: 'application/pdf' });
}
