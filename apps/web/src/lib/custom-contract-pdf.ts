import { askedContractFields, knownContractFields } from '@regie/contract/custom-contracts.ts';
import { fillTemplate } from '@regie/contract/licence-contract.ts';
import type { CustomContractDocument } from '@regie/contract/routes/custom-contracts.ts';
import { frCustomContracts } from '#src/fr-custom-contracts.ts';
import { blankLine, renderParts, signatures } from './contract-document.ts';
import { downloadBlob } from './download.ts';
import { makePdf, type PdfDocument, slug } from './pdf.ts';
import { isolateDirection } from './pdf-glyphs.ts';

const t = frCustomContracts;
const fieldNames = [...Object.keys(knownContractFields), ...Object.keys(askedContractFields)];

/** Lays a kept contract out: its text with what its fields stood for, blanks to be written by hand for the rest. */
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
      footer: t.footer(isolateDirection(contract.title), client),
    },
    fileName: t.fileName([slug(contract.values.client ?? ''), slug(contract.title)], contract.id),
  };
}

/**
 * Makes the PDF of a kept contract and hands it to the browser's downloads. Loaded when it is asked for.
 * @returns the file's name
 * @throws Error when it cannot be made
 */
export async function downloadCustomContract(contract: CustomContractDocument): Promise<string> {
  const { document, fileName } = customContractDocument(contract);
  downloadBlob(await makePdf(document), fileName);
  return fileName;
}
