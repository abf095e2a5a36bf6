import type { PayoutReceipt } from '@regie/contract/routes/payouts.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { makePdf } from '#src/lib/pdf.ts';
import { receiptDocument } from './receipt-document.ts';

/** Records before it downloads: a payout returned meanwhile has no receipt. Imported on demand. @throws Error */
export async function downloadReceipt(receipt: PayoutReceipt, record: () => Promise<unknown>): Promise<string> {
  const { document, fileName } = receiptDocument(receipt);
  const blob = await makePdf(document);
  await record();
  downloadBlob(blob, fileName);
  return fileName;
}
