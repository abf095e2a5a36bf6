import mediumUrl from 'pdfmake/fonts/Roboto/Roboto-Medium.ttf?url';
import regularUrl from 'pdfmake/fonts/Roboto/Roboto-Regular.ttf?url';
import type { Content } from 'pdfmake/interfaces';
import { coverageOf } from './font-coverage.ts';
import { type FontFile, PrintedGlyphs } from './pdf-fonts.ts';
import { type PrintedDocument, withGlyphs } from './pdf-glyphs.ts';

/**
 * A document to print: pdfmake's content, in data only, for it travels to a worker. Styles `title`, `heading`, `small`
 * and `tableHead` and the table layout `lines` are the house's.
 */
export interface PdfDocument {
  /** The file's own title, which readers show. */
  title: string;
  content: Content[];
  /** At the foot of every page, before its number. */
  footer: string;
}

export interface ToPdfWorker {
  document: PrintedDocument;
  /** By the name that the document's texts have; the first two are the house's. */
  fonts: FontFile[];
}
export type FromPdfWorker = { kind: 'made'; blob: Blob } | { kind: 'failed'; message: string };

async function load(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the letters were answered ${response.status}`);
  return response.arrayBuffer();
}

/**
 * Makes a PDF in a worker of its own, which brings pdfmake and the letters along (about 600 kB, kept by the browser).
 * The letters of other scripts come only where a text has some; a character that no font has is printed as U+FFFD.
 * A name inside a sentence may be written from right to left: `isolated` keeps the rest of the sentence in order.
 * @throws Error when it cannot be made, or the worker or letters cannot be loaded
 */
export async function makePdf(document: PdfDocument): Promise<Blob> {
  // The page loads them: the policy that a worker's own file is served with lets it fetch nothing.
  const [regular, medium] = await Promise.all([load(regularUrl), load(mediumUrl)]);
  const letters = new PrintedGlyphs({ own: coverageOf(regular), load });
  const printed = await withGlyphs(document, letters);
  const fonts = [{ name: 'regular', file: regular }, { name: 'medium', file: medium }, ...letters.files];
  const message: ToPdfWorker = { document: printed, fonts };
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' });
  const made = Promise.withResolvers<Blob>();
  worker.addEventListener('message', ({ data }: MessageEvent<FromPdfWorker>) => {
    if (data.kind === 'made') made.resolve(data.blob);
    else made.reject(new Error(data.message));
  });
  worker.addEventListener('error', (event) => made.reject(new Error(event.message || 'the worker did not load')));
  try {
    worker.postMessage(
      message,
      fonts.map(({ file }) => file),
    );
    return await made.promise;
  } finally {
    worker.terminate();
  }
}

const maxSlugLength = 60;

/** A title as part of a file's name: `Été à l’Estaque` is `ete-a-l-estaque`; empty where nothing Latin remains. */
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
