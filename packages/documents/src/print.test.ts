import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { extractText, getDocumentProxy } from 'unpdf';
import { expect, it } from 'vitest';
import type { FontSource } from './fonts.ts';
import { invoiceExample } from './invoice.fixtures.ts';
import { documentsOf, invoiceDocument } from './invoice.ts';
import { prepareDocument } from './prepare.ts';
import { printDocument } from './print.ts';

const { resolve } = createRequire(import.meta.url);
const installed: FontSource = {
  regular: resolve('pdfmake/fonts/Roboto/Roboto-Regular.ttf'),
  medium: resolve('pdfmake/fonts/Roboto/Roboto-Medium.ttf'),
  css: async (family) => {
    const path = resolve(`@fontsource/${family}/400.css`);
    return (await readFile(path, 'utf8')).replaceAll('url(.', `url(${dirname(path)}`);
  },
  load: async (path) => new Uint8Array(await readFile(path)).buffer,
};

it('prints an invoice in Node with an Arabic title and a Japanese name, each in its font', {
  tags: ['slow'],
}, async () => {
  const title = 'أغنية الليل لا تنتهي (Remix) 2024';
  const invoice = {
    ...invoiceExample,
    customer: { name: '美空ひばり', lines: ['Lyon'], vatNumber: null },
    release: { id: 4, title, barcode: null, status: null },
  };
  const [issued] = documentsOf(invoice);
  if (!issued) throw new Error('no invoice');
  const { document } = invoiceDocument(invoice, issued);
  const blob = await printDocument(await prepareDocument(document, installed));
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const embedded = Buffer.from(bytes)
    .toString('latin1')
    .matchAll(/\/FontName \/[A-Z]+\+(\S+)/g);
  expect(new Set(Array.from(embedded, ([, font]) => font))).toEqual(
    new Set(['Roboto-Medium', 'Roboto-Regular', 'NotoSansJP-Regular', 'IBMPlexSansArabic-Regular']),
  );
  const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: true });
  expect(text).toContain('Facturé à\n美空ひばり\nLyon');
  // As on paper, mixed directions are extracted from left to right.
  expect(text).toContain('Sortie 2024 (Remix) أغنية الليل لا تنتهي');
});
