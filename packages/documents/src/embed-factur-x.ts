const fileName = 'factur-x.xml';

/** Each property of the Factur-X schema, and what it is here: PDF/A wants properties of a foreign schema described. */
const properties = [
  ['DocumentFileName', fileName, 'name of the embedded XML invoice file'],
  ['DocumentType', 'INVOICE', 'INVOICE'],
  ['Version', '1.0', 'version of the Factur-X XML schema'],
  ['ConformanceLevel', 'EN 16931', 'conformance level of the embedded data'],
];
const namespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';
const metadata = `
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
    xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
  <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
    <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
    <pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI>
    <pdfaSchema:prefix>fx</pdfaSchema:prefix>
    <pdfaSchema:property><rdf:Seq>${properties
      .map(
        ([name, , description]) => `<rdf:li rdf:parseType="Resource">
      <pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>
      <pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${description}</pdfaProperty:description>
    </rdf:li>`,
      )
      .join('')}</rdf:Seq></pdfaSchema:property>
  </rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:fx="${namespace}">
  ${properties.map(([name, value]) => `<fx:${name}>${value}</fx:${name}>`).join('')}
</rdf:Description>`;

/** A document of PDFKit before its end; pdfmake's types do not say what it has. */
interface OpenDocument {
  file(content: ArrayBuffer, options: Record<string, unknown>): void;
  appendXML(xml: string): void;
  info: { CreationDate: Date };
}

/** Embeds the XML of an invoice and says so in the metadata, as Factur-X asks of a PDF/A-3. */
export function embedFacturX(made: object, xml: string): void {
  const open = made as OpenDocument;
  open.file(new TextEncoder().encode(xml).buffer, {
    name: fileName,
    type: 'text/xml',
    relationship: 'Alternative',
    description: 'Factur-X',
    creationDate: open.info.CreationDate,
    modifiedDate: open.info.CreationDate,
  });
  open.appendXML(metadata);
}
