import type { LicenceContract } from '@regie/contract/routes/contracts.ts';
import { type ContractDocument, contractDocument } from './contract-document.ts';
import { downloadBlob } from './download.ts';
import { makePdf } from './pdf.ts';

/**
 * Makes the licence contract and hands it to the browser's downloads. Loaded when it is asked for.
 * @throws Error when it cannot be made
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
