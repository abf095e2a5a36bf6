import type { SignatureSubject } from '@regie/contract/signatures.ts';
import type { TestClient } from './app.ts';

/** Posts a month like its page: with the version of a dry run. */
export async function postMonthAsShown(by: TestClient, body: object, headers?: Record<string, string>) {
  const url = '/api/reporting/automatic';
  const { version = '' } = ((await by.post(url, { ...body, dryRun: true })).data ?? {}) as { version?: string };
  return by.post(url, { confirmRates: false, ...body, dryRun: false, version }, headers);
}

/** Checks a statement like its page: with the version it shows. */
export async function checkAsShown(by: TestClient, url: string, body: object = {}) {
  const shown = (await by.get(url)).data as { version?: string } | null;
  return by.post(`${url}/check`, { version: shown?.version, ...body });
}

/** Signs a record like its page: with the version it shows. */
export async function signAsShown(by: TestClient, subject: SignatureSubject, id: string | number, body: object = {}) {
  const url = `/api/signatures/${subject}/${id}`;
  const shown = (await by.get(url)).data as { signing: { version: string } } | null;
  return by.post(url, { version: shown?.signing.version ?? '', ...body });
}
