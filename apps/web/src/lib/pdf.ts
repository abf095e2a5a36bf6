import mediumUrl from 'pdfmake/fonts/Roboto/Roboto-Medium.ttf?url';
import regularUrl from 'pdfmake/fonts/Roboto/Roboto-Regular.ttf?url';
import type { Content } from 'pdfmake/interfaces';
import { coverageOf } from './font-coverage.ts';
import { type FontFile, PrintedGlyphs } from './pdf-fonts.ts';
import { type PrintedDocument, withGlyphs } from './pdf-glyphs.ts';

/**
 * A document to print: pdfmake content as plain data, because it is sent to a worker. Styles `title`, `heading`,
 * `small` and `tableHead` and the table layout `lines` are defined in the worker.
 */
export interface PdfDocument {
  /** The title in the file's metadata. */
  title: string;
  content: Content[];
  /** The footer of every page, before the page number. */
  footer: string;
}

export interface ToPdfWorker {
  document: PrintedDocument;
  /** By font name; the first two are the default fonts. */
  fonts: FontFile[];
}
export type FromPdfWorker = { kind: 'made'; blob: Blob } | { kind: 'failed'; message: string };

async function load(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the letters were answered ${response.status}`);
  return response.arrayBuffer();
}

/**
 * Generates a PDF in a worker that loads pdfmake and the default fonts (about 600 kB, cached by the browser). Fonts of
 * other scripts are loaded on demand; characters without a font print as U+FFFD. For right-to-left names within a
 * sentence, use `isolateDirection`.
 * @throws Error when generation fails, or the worker or a font cannot be loaded
 */
export async function makePdf(document: PdfDocument): Promise<Blob> {
  // The page loads the fonts: the worker's content security policy forbids fetching.
  const [regular, medium] = await Promise.all([load(regularUrl), load(mediumUrl)]);
  const letters = new PrintedGlyphs({ own: coverageOf(regular), load });
  const printed = await withGlyphs(document, letters);
  const fonts = [{ name: 'regular', file: regular }, { name: 'medium', file: medium }, ...letters.files];
  const message: ToPdfWorker = { document: printed, fonts };
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' });
  const result = Promise.withResolvers<Blob>();
  worker.addEventListener('message', ({ data }: MessageEvent<FromPdfWorker>) => {
    if (data.kind === 'made') result.resolve(data.blob);
    else result.reject(new Error(data.message));
  });
  worker.addEventListener('error', (event) => result.reject(new Error(event.message || 'the worker did not load')));
  try {
    worker.postMessage(
      message,
      fonts.map(({ file }) => file),
    );
    return await result.promise;
  } finally {
    worker.terminate();
  }
}

const maxSlugLength = 60;

/** A title as part of a file name: `Été à l’Estaque` is `ete-a-l-estaque`; empty without Latin letters. */
export function slug(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlugLength)
    .replaceAll(/^-+|-+$/g, '');
}
