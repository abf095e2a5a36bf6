import type { FontFamily, FontSource } from '@regie/documents/fonts.ts';
import type { PdfDocument, PdfFile } from '@regie/documents/parts.ts';
import { prepareDocument } from '@regie/documents/prepare.ts';
import medium from 'pdfmake/fonts/Roboto/Roboto-Medium.ttf?url';
import regular from 'pdfmake/fonts/Roboto/Roboto-Regular.ttf?url';
import { downloadBlob } from './download.ts';

const styleSheets: Record<FontFamily, () => Promise<{ default: string }>> = {
  'ibm-plex-sans-arabic': () => import('@fontsource/ibm-plex-sans-arabic/400.css?inline'),
  'nanum-gothic': () => import('@fontsource/nanum-gothic/400.css?inline'),
  'noto-emoji': () => import('@fontsource/noto-emoji/400.css?inline'),
  'noto-sans': () => import('@fontsource/noto-sans/400.css?inline'),
  'noto-sans-arabic': () => import('@fontsource/noto-sans-arabic/400.css?inline'),
  'noto-sans-armenian': () => import('@fontsource/noto-sans-armenian/400.css?inline'),
  'noto-sans-ethiopic': () => import('@fontsource/noto-sans-ethiopic/400.css?inline'),
  'noto-sans-georgian': () => import('@fontsource/noto-sans-georgian/400.css?inline'),
  'noto-sans-hebrew': () => import('@fontsource/noto-sans-hebrew/400.css?inline'),
  'noto-sans-jp': () => import('@fontsource/noto-sans-jp/400.css?inline'),
  'noto-sans-sc': () => import('@fontsource/noto-sans-sc/400.css?inline'),
  'noto-sans-symbols': () => import('@fontsource/noto-sans-symbols/400.css?inline'),
  'noto-sans-symbols-2': () => import('@fontsource/noto-sans-symbols-2/400.css?inline'),
  'noto-sans-thai': () => import('@fontsource/noto-sans-thai/400.css?inline'),
  'noto-sans-tifinagh': () => import('@fontsource/noto-sans-tifinagh/400.css?inline'),
};

const fontSource: FontSource = {
  regular,
  medium,
  css: async (family) => (await styleSheets[family]()).default,
  load: async (url) => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the letters were answered ${response.status}`);
    return response.arrayBuffer();
  },
};

/** Prints documents in one worker, one after another. */
export function openPrinter() {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' });
  // A worker that does not load says so before its first document is prepared.
  const failure = new Promise<never>((_, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message || 'the worker did not load'));
  });
  failure.catch(() => undefined);
  return {
    /** @throws Error when printing fails */
    print: async (document: PdfDocument): Promise<Blob> => {
      // The page loads the fonts: the worker's content security policy forbids fetching.
      const prepared = await prepareDocument(document, fontSource);
      const printed = new Promise<Blob>((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<Blob>) => resolve(data);
        worker.postMessage(
          prepared,
          prepared.fonts.map(({ file }) => file),
        );
      });
      return Promise.race([printed, failure]);
    },
    close: () => worker.terminate(),
  };
}

/** Imported on demand. Downloads once `record` is done. @returns the file's name @throws Error when printing fails */
export async function downloadPdf({ document, fileName }: PdfFile, record?: () => Promise<unknown>): Promise<string> {
  const printer = openPrinter();
  try {
    const blob = await printer.print(document);
    await record?.();
    downloadBlob(blob, fileName);
    return fileName;
  } finally {
    printer.close();
  }
}
