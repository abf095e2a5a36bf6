import type { Envelope } from '@regie/contract/envelope.ts';
import { messages } from '@regie/contract/messages.ts';
import { ApiError } from './api.ts';
import { downloadBlob } from './download.ts';
import { markSessionEnded } from './session.ts';
import { askForSecondFactor, confirmIdentity } from './step-up.ts';

/**
 * Downloads a file that the server makes, under the name it gives: unlike a plain link, a refusal can be told.
 * @param path under /api
 * @throws ApiError
 */
export async function downloadFile(path: string, isRetry = false): Promise<void> {
  const sentAt = performance.now();
  const response = await fetch(`/api${path}`, { credentials: 'same-origin' }).catch(() => undefined);
  const blob = await response?.blob().catch(() => undefined);
  if (!response || !blob) throw new ApiError(0, 'network', messages.network);
  if (!response.ok) {
    if (response.status === 401) markSessionEnded();
    const envelope = await blob.text().then(readRefusal);
    if (envelope?.errors?.stepUp !== undefined && !isRetry && (await confirmIdentity('confirm', sentAt))) {
      return downloadFile(path, true);
    }
    if (envelope?.errors?.secondFactor !== undefined) askForSecondFactor();
    throw new ApiError(
      response.status,
      response.status === 401 ? 'unauthorized' : 'server_error',
      envelope?.message || messages.serverError,
    );
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  downloadBlob(blob, name ?? path.slice(path.lastIndexOf('/') + 1));
}

function readRefusal(text: string): Partial<Envelope<unknown>> | undefined {
  try {
    const envelope: Partial<Envelope<unknown>> = JSON.parse(text);
    return envelope;
  } catch {
    return undefined;
  }
}
