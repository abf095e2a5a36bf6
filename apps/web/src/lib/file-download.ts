import type { Envelope } from '@regie/contract/envelope.ts';
import { messages } from '@regie/contract/messages.ts';
import { ApiError } from './api.ts';
import { downloadBlob } from './download.ts';
import { markSessionEnded } from './session.ts';
import { askForSecondFactor, confirmIdentity } from './step-up.ts';

/** Unlike a plain link, errors can be shown. @param path under /api @throws ApiError */
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
  const name = attachedName(response.headers.get('content-disposition') ?? '');
  downloadBlob(blob, name ?? path.slice(path.lastIndexOf('/') + 1));
}

/** The accented name of an attachment, otherwise its ASCII one (RFC 6266). */
export function attachedName(disposition: string): string | undefined {
  const accented = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename="([^"]+)"/.exec(disposition)?.[1];
  try {
    return accented === undefined ? plain : decodeURIComponent(accented);
  } catch {
    return plain;
  }
}

function readRefusal(text: string): Partial<Envelope<unknown>> | undefined {
  try {
    const envelope: Partial<Envelope<unknown>> = JSON.parse(text);
    return envelope;
  } catch {
    return undefined;
  }
}
