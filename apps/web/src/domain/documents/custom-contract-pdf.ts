import { askedContractFields, knownContractFields } from '@regie/contract/custom-contracts.ts';
import { fillTemplate } from '@regie/contract/licence-contract.ts';
import type { CustomContractDocument } from '@regie/contract/routes/custom-contracts.ts';
import { slug } from '@regie/values/formats.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { makePdf, type PdfDocument } from '#src/lib/pdf.ts';
import { isolateDirection } from '#src/lib/pdf-glyphs.ts';
import { frContract } from './contract.fr.ts';
import { blankLine, renderParts, signatures } from './licence-contract-document.ts';

const fieldNames = [...Object.keys(knownContractFields), ...Object.keys(askedContractFields)];

export function fillCustomContract({ template, values: given }: Pick<CustomContractDocument, 'template' | 'values'>) {
  const values = Object.fromEntries(
    fieldNames.map((name) => {
      const value = given[name] ?? '';
      return [name, value === '' ? blankLine : isolateDirection(value)];
    }),
  );
  const { maison = blankLine, client = blankLine } = values;
  return { parts: fillTemplate(template, values), parties: [maison, client] as const };
}

function customContractDocument(contract: CustomContractDocument): { document: PdfDocument; fileName: string } {
  const { parts, parties } = fillCustomContract(contract);
  return {
    document: {
      title: isolateDirection(contract.title),
      content: renderParts(parts, () => signatures(...parties)),
      footer: frContract.customFooter(isolateDirection(contract.title), parties[1]),
    },
    fileName: frContract.customFileName([slug(contract.values.client ?? ''), slug(contract.title)], contract.id),
  };
}

/** Imported on demand. @returns the file's name @throws Error when generation fails */
export async function downloadCustomContract(contract: CustomContractDocument): Promise<string> {
  const { document, fileName } = customContractDocument(contract);
  downloadBlob(await makePdf(document), fileName);
  return fileName;
}
