import type { Content } from 'pdfmake/interfaces.js';
import { coverageOf } from './font-coverage.ts';
import { type FontFile, type FontSource, PrintedGlyphs } from './fonts.ts';
import { assignFonts, toPlainText } from './mixed-scripts.ts';
import type { PdfDocument } from './parts.ts';

/** A document with the fonts of its texts: plain data, which a worker can be sent. */
export interface PreparedDocument {
  title: string;
  content: Content[];
  footer: Content;
  fonts: FontFile[];
  facturX: string | undefined;
}

/** Characters without a font print as U+FFFD; right-to-left names within text need `isolateDirection`. @throws Error */
export async function prepareDocument(document: PdfDocument, source: FontSource): Promise<PreparedDocument> {
  const [regular, medium] = await Promise.all([source.load(source.regular), source.load(source.medium)]);
  const glyphs = new PrintedGlyphs(coverageOf(regular), source);
  const [content, footer] = await assignFonts([document.content, document.footer], glyphs);
  const fonts = [{ name: 'regular', file: regular }, { name: 'medium', file: medium }, ...glyphs.files];
  return { title: toPlainText(document.title), content, footer, fonts, facturX: document.facturX };
}
