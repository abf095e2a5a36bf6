import type { PayoutReceipt } from '@regie/contract/routes/payouts.ts';
import { downloadBlob } from './download.ts';
import { makePdf } from './pdf.ts';
import { receiptDocument } from './receipt-document.ts';

/**
 * Makes a receipt, has it recorded, and only then hands it to the browser's downloads: a payout that was taken back
 * meanwhile has no receipt. Loaded when it is asked for.
 * @throws Error when it cannot be made or recorded
 */
export async function downloadReceipt(receipt: PayoutReceipt, record: () => Promise<unknown>): Promise<string> {
  const { document, fileName } = receiptDocument(receipt);
  const blob = await makePdf(document);
  await record();
  downloadBlob(blob, fileName);
  return fileName;
}
