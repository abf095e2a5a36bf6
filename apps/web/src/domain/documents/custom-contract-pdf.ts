import { askedContractFields, knownContractFields } from '@regie/contract/custom-contracts.ts';
import { fillTemplate } from '@regie/contract/licence-contract.ts';
import type { CustomContractDocument } from '@regie/contract/routes/custom-contracts.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { makePdf, type PdfDocument, slug } from '#src/lib/pdf.ts';
import { isolateDirection } from '#src/lib/pdf-glyphs.ts';
import { frContract } from './contract.fr.ts';
import { blankLine, renderParts, signatures } from './licence-contract-document.ts';

const fieldNames = [...Object.keys(knownContractFields), ...Object.keys(askedContractFields)];

/** The document of a stored contract: its text with its field values, blanks for missing ones. */
function customContractDocument(contract: CustomContractDocument): { document: PdfDocument; fileName: string } {
  const values = Object.fromEntries(
    fieldNames.map((name) => {
      const value = contract.values[name] ?? '';
      return [name, value === '' ? blankLine : isolateDirection(value)];
    }),
  );
  const [house = blankLine, client = blankLine] = [values.maison, values.client];
  return {
    document: {
      title: isolateDirection(contract.title),
      content: renderParts(fillTemplate(contract.template, values), () => signatures(house, client)),
      footer: frContract.customFooter(isolateDirection(contract.title), client),
    },
    fileName: frContract.customFileName([slug(contract.values.client ?? ''), slug(contract.title)], contract.id),
  };
}

/**
 * Generates the PDF of a stored contract and downloads it. Imported on demand.
 * @returns the file's name
 * @throws Error when generation fails
 */
export async function downloadCustomContract(contract: CustomContractDocument): Promise<string> {
  const { document, fileName } = customContractDocument(contract);
  downloadBlob(await makePdf(document), fileName);
  return fileName;
}
