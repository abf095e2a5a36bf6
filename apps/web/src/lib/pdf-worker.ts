import * as imported from 'pdfmake/build/pdfmake';
import type { TDocumentDefinitions } from 'pdfmake/interfaces';
import type { FromPdfWorker, PdfDocument, ToPdfWorker } from './pdf.ts';

// One object whose methods need it as `this`; its types only know of the methods.
const pdfMake = (imported as typeof imported & { default: typeof imported }).default;

const ink = '#17181c';
const softInk = '#565a66';
const line = '#cfd1d8';
const millimetre = 72 / 25.4;
const margin = 20 * millimetre;

const post = (message: FromPdfWorker) => self.postMessage(message);

function toBase64(file: ArrayBuffer): string {
  const bytes = new Uint8Array(file);
  let binary = '';
  const step = 32_768;
  for (let at = 0; at < bytes.length; at += step) binary += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(binary);
}

const toDefinition = (document: PdfDocument): TDocumentDefinitions => ({
  info: { title: document.title },
  pageSize: 'A4',
  pageMargins: [margin, margin, margin, margin + 10],
  language: 'fr-FR',
  content: document.content,
  footer: (page, pages) => ({
    margin: [margin, 18, margin, 0],
    columns: [
      { text: document.footer, style: 'small' },
      { text: `Page\u00a0${page} sur\u00a0${pages}`, style: 'small', alignment: 'right', width: 90 },
    ],
  }),
  // A heading stays with what it announces.
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

self.addEventListener('message', ({ data }: MessageEvent<ToPdfWorker>) => {
  void make(data).catch((error: unknown) =>
    post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
  );
});

async function make({ document, letters }: ToPdfWorker): Promise<void> {
  pdfMake.addVirtualFileSystem({ 'regular.ttf': toBase64(letters.regular), 'medium.ttf': toBase64(letters.medium) });
  pdfMake.setFonts({
    Roboto: { normal: 'regular.ttf', bold: 'medium.ttf', italics: 'regular.ttf', bolditalics: 'medium.ttf' },
  });
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
  post({ kind: 'made', blob: await pdfMake.createPdf(toDefinition(document)).getBlob() });
}
