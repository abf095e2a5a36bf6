import { messages } from '@regie/contract/messages.ts';
import { ApiError, recover } from './api.ts';
import { downloadBlob } from './download.ts';

/** Unlike a plain link, errors can be shown. @param path under /api @throws ApiError */
export async function downloadFile(path: string, isRetry = false): Promise<void> {
  const sentAt = performance.now();
  const response = await fetch(`/api${path}`, { credentials: 'same-origin' }).catch(() => undefined);
  const blob = await response?.blob().catch(() => undefined);
  if (!response || !blob) throw new ApiError(0, 'network', messages.network);
  if (!response.ok) {
    const { status, headers } = response;
    const received = { status, text: await blob.text(), retryAfter: headers.get('retry-after'), sentAt };
    return recover(received, 'session', isRetry ? undefined : () => downloadFile(path, true));
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
