import type { LicenceContract } from '@regie/contract/routes/licence-contract.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { makePdf } from '#src/lib/pdf.ts';
import { type ContractDocument, contractDocument } from './licence-contract-document.ts';

/** Generates the licence contract and downloads it. Imported on demand. @throws Error when generation fails */
export async function downloadContract(
  contract: LicenceContract,
  fileName?: string,
): Promise<Omit<ContractDocument, 'document'>> {
  const { document, ...made } = contractDocument(contract, Date.now());
  const name = fileName ?? made.fileName;
  downloadBlob(await makePdf(document), name);
  return { ...made, fileName: name };
}
