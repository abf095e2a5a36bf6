import * as imported from 'pdfmake/build/pdfmake';
import type { TDocumentDefinitions } from 'pdfmake/interfaces';
import type { FromPdfWorker, ToPdfWorker } from './pdf.ts';
import type { PrintedDocument } from './pdf-glyphs.ts';
import { drawInVisualOrder } from './pdf-visual-order.ts';

// Methods that need the object as `this`; the types lack it.
const pdfMake = (imported as typeof imported & { default: typeof imported }).default;

const ink = '#17181c';
const softInk = '#565a66';
const line = '#cfd1d8';
const millimetre = 72 / 25.4;
const margin = 20 * millimetre;
const pageWidthPt = 210 * millimetre;
const pageNumberWidthPt = 90;
/** A fixed width, not `*`: a title without spaces is broken instead of pushing the page number out. */
const footerWidthPt = pageWidthPt - 2 * margin - pageNumberWidthPt;

const post = (message: FromPdfWorker) => self.postMessage(message);

function toBase64(file: ArrayBuffer): string {
  const bytes = new Uint8Array(file);
  let binary = '';
  const step = 32_768;
  for (let at = 0; at < bytes.length; at += step) binary += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(binary);
}

function ordered<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part;
  if ('hasRightToLeft' in part) drawInVisualOrder(part);
  for (const child of Object.values(part)) ordered(child);
  return part;
}

const toDefinition = (document: PrintedDocument): TDocumentDefinitions => ({
  info: { title: document.title },
  pageSize: 'A4',
  pageMargins: [margin, margin, margin, margin + 10],
  language: 'fr-FR',
  content: ordered(document.content),
  footer: (page, pages) => ({
    margin: [margin, 18, margin, 0],
    columns: [
      { stack: [ordered(structuredClone(document.footer))], style: 'small', width: footerWidthPt },
      { text: `Page\u00a0${page} sur\u00a0${pages}`, style: 'small', alignment: 'right', width: pageNumberWidthPt },
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

self.addEventListener('message', ({ data }: MessageEvent<ToPdfWorker>) => {
  void make(data).catch((error: unknown) =>
    post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
  );
});

const backward = /^[\p{sc=Arab}\p{sc=Hebr}\p{M}]+$/u;

/** Readers reverse right-to-left text by character: a ligature's letters must be in visual order, or لا reads ال. */
function mapLigaturesToText(made: object): void {
  if (!('_fontFamilies' in made) || typeof made._fontFamilies !== 'object') return;
  for (const font of Object.values(made._fontFamilies ?? {})) {
    const unicode: unknown = font?.unicode;
    if (!Array.isArray(unicode)) continue;
    for (const codes of unicode) {
      if (Array.isArray(codes) && codes.length > 1 && backward.test(String.fromCodePoint(...codes))) codes.reverse();
    }
  }
}

const oneFile = (name: string) => ({ normal: name, bold: name, italics: name, bolditalics: name });

async function make({ document, fonts }: ToPdfWorker): Promise<void> {
  pdfMake.addVirtualFileSystem(Object.fromEntries(fonts.map(({ name, file }) => [name, toBase64(file)])));
  pdfMake.setFonts({
    ...Object.fromEntries(fonts.map(({ name }) => [name, oneFile(name)])),
    Roboto: { normal: 'regular', bold: 'medium', italics: 'regular', bolditalics: 'medium' },
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
  const pdf = pdfMake.createPdf(toDefinition(document));
  mapLigaturesToText(await pdf.getStream());
  post({ kind: 'made', blob: await pdf.getBlob() });
}
