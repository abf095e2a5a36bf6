import mediumUrl from 'pdfmake/fonts/Roboto/Roboto-Medium.ttf?url';
import regularUrl from 'pdfmake/fonts/Roboto/Roboto-Regular.ttf?url';
import type { Content } from 'pdfmake/interfaces';
import { coverageOf } from './font-coverage.ts';
import { type FontFile, PrintedGlyphs } from './pdf-fonts.ts';
import { type PrintedDocument, withGlyphs } from './pdf-glyphs.ts';

/** Plain data for the worker, with its styles `title`, `heading`, `small` and `tableHead` and its layout `lines`. */
export interface PdfDocument {
  title: string;
  content: Content[];
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

/** Characters without a font print as U+FFFD; right-to-left names within text need `isolateDirection`. @throws Error */
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
