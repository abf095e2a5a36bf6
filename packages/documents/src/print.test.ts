import { extractText, getDocumentProxy } from 'unpdf';
import { expect, it } from 'vitest';
import { invoiceFile } from './factur-x.ts';
import { installedFonts } from './installed-fonts.ts';
import { invoiceExample } from './invoice.fixtures.ts';
import { documentsOf, invoiceDocument } from './invoice.ts';
import { prepareDocument } from './prepare.ts';
import { printDocument } from './print.ts';

it('prints an invoice in Node with an Arabic title and a Japanese name, each in its font', {
  tags: ['slow'],
}, async () => {
  const title = 'أغنية الليل لا تنتهي (Remix) 2024';
  const invoice = {
    ...invoiceExample,
    customer: { ...invoiceExample.customer, name: '美空ひばり' },
    release: { id: 4, title, barcode: null, status: null },
  };
  const [issued] = documentsOf(invoice);
  if (!issued) throw new Error('no invoice');
  const { document } = invoiceDocument(invoice, issued);
  const blob = await printDocument(await prepareDocument(document, installedFonts));
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const embedded = Buffer.from(bytes)
    .toString('latin1')
    .matchAll(/\/FontName \/[A-Z]+\+(\S+)/g);
  expect(new Set(Array.from(embedded, ([, font]) => font))).toEqual(
    new Set(['Roboto-Medium', 'Roboto-Regular', 'NotoSansJP-Regular', 'IBMPlexSansArabic-Regular']),
  );
  const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: true });
  expect(text).toContain('Facturé à\n美空ひばり\n69001 Lyon');
  // As on paper, mixed directions are extracted from left to right.
  expect(text).toContain('Sortie 2024 (Remix) أغنية الليل لا تنتهي');
});

it('prints an electronic invoice as PDF/A-3 with its XML and metadata, every font embedded', {
  tags: ['slow'],
}, async () => {
  const [issued] = documentsOf(invoiceExample);
  if (!issued) throw new Error('no invoice');
  const { document } = invoiceFile(invoiceExample, issued);
  const blob = await printDocument(await prepareDocument(document, installedFonts));
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const raw = Buffer.from(bytes).toString('latin1');
  const pdf = await getDocumentProxy(bytes);
  const attached = await pdf.getAttachmentContent('factur-x.xml');
  expect(new TextDecoder().decode(attached ?? undefined)).toBe(document.facturX);
  for (const part of [
    '/AFRelationship /Alternative',
    '/Subtype /text#2Fxml',
    '/S /GTS_PDFA1',
    '<pdfaid:part>3</pdfaid:part>',
    '<pdfaid:conformance>B</pdfaid:conformance>',
    '<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>',
    '<fx:DocumentFileName>factur-x.xml</fx:DocumentFileName>',
    '<pdfaSchema:prefix>fx</pdfaSchema:prefix>',
  ]) {
    expect(raw, part).toContain(part);
  }
  expect(raw.match(/\/AF \[/g)).toHaveLength(1);
  expect(raw.match(/\/Type \/FontDescriptor/g)?.length).toBe(raw.match(/\/FontFile2 /g)?.length);
  expect(raw).not.toMatch(/\/Encrypt|\/JavaScript/);
});
