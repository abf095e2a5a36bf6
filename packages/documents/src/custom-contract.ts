import { askedContractFields, knownContractFields } from '@regie/contract/custom-contracts.ts';
import { fillTemplate } from '@regie/contract/licence-contract.ts';
import type { CustomContractDocument } from '@regie/contract/routes/custom-contracts.ts';
import { slug } from '@regie/values/formats.ts';
import { frDocuments } from './documents.fr.ts';
import { blankLine, renderParts, signatures } from './licence-contract.ts';
import { isolateDirection } from './mixed-scripts.ts';
import type { PdfFile } from './parts.ts';

const t = frDocuments.contract;

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

export function customContractDocument(contract: CustomContractDocument): PdfFile {
  const { parts, parties } = fillCustomContract(contract);
  return {
    document: {
      title: isolateDirection(contract.title),
      content: renderParts(parts, () => signatures(...parties)),
      footer: t.customFooter(isolateDirection(contract.title), parties[1]),
    },
    fileName: t.fileName([slug(contract.values.client ?? ''), slug(contract.title)], contract.id),
  };
}
