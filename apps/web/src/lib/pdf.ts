import mediumUrl from 'pdfmake/fonts/Roboto/Roboto-Medium.ttf?url';
import regularUrl from 'pdfmake/fonts/Roboto/Roboto-Regular.ttf?url';
import type { Content } from 'pdfmake/interfaces';

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
  document: PdfDocument;
  /** TrueType files. */
  letters: { regular: ArrayBuffer; medium: ArrayBuffer };
}
export type FromPdfWorker = { kind: 'made'; blob: Blob } | { kind: 'failed'; message: string };

/** Intl writes U+202F between thousands, which the document's letters lack. */
const withPrintableSpaces = (document: PdfDocument): PdfDocument =>
  JSON.parse(JSON.stringify(document).replaceAll('\u202f', '\u00a0'));

async function load(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the letters were answered ${response.status}`);
  return response.arrayBuffer();
}

/**
 * Makes a PDF in a worker of its own, which brings pdfmake and the letters along (about 600 kB, kept by the browser).
 * @throws Error when it cannot be made, or the worker cannot be loaded
 */
export async function makePdf(document: PdfDocument): Promise<Blob> {
  // The page loads them: the policy that a worker's own file is served with lets it fetch nothing.
  const [regular, medium] = await Promise.all([load(regularUrl), load(mediumUrl)]);
  const message: ToPdfWorker = { document: withPrintableSpaces(document), letters: { regular, medium } };
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' });
  const made = Promise.withResolvers<Blob>();
  worker.addEventListener('message', ({ data }: MessageEvent<FromPdfWorker>) => {
    if (data.kind === 'made') made.resolve(data.blob);
    else made.reject(new Error(data.message));
  });
  worker.addEventListener('error', (event) => made.reject(new Error(event.message || 'the worker did not load')));
  try {
    worker.postMessage(message, [regular, medium]);
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
