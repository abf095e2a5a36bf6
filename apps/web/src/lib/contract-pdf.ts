import type { LicenceContract } from '@regie/contract/routes/contracts.ts';
import { type ContractDocument, contractDocument } from './contract-document.ts';
import { downloadBlob } from './download.ts';
import { makePdf } from './pdf.ts';

/**
 * Generates the licence contract and downloads it. Imported on demand.
 * @throws Error when generation fails
 */
export async function downloadContract(
  contract: LicenceContract,
  fileName?: string,
): Promise<Omit<ContractDocument, 'document'>> {
  const { document, ...made } = contractDocument(contract, Date.now());
  const name = fileName ?? made.fileName;
  downloadBlob(await makePdf(document), name);
  return { ...made, fileName: name };
}
