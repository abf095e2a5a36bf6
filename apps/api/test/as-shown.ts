import type { TestClient } from './app.ts';

/** Approves, checks or confirms a record as its page does: upon what it showed a moment before. */
export async function actAsShown(by: TestClient, url: string, act: 'approve' | 'check' | 'confirm', body: object = {}) {
  const shown = (await by.get(url)).data as { version?: string; updatedAt?: number } | null;
  const sent = { version: shown?.version, updatedAt: shown?.updatedAt, ...body };
  return act === 'confirm' ? by.put(`${url}/confirm`, sent) : by.post(`${url}/${act}`, sent);
}
