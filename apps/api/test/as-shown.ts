import type { Admin } from '@regie/contract/routes/staff.ts';
import type { TestClient } from './app.ts';

/** Posts a month like its page: with the version of a dry run. */
export async function postMonthAsShown(by: TestClient, body: object, headers?: Record<string, string>) {
  const url = '/api/reporting/automatic';
  const { version = '' } = ((await by.post(url, { ...body, dryRun: true })).data ?? {}) as { version?: string };
  return by.post(url, { confirmRates: false, ...body, dryRun: false, version }, headers);
}

/** Approves, checks or confirms a record like its page: with the version it shows. */
export async function actAsShown(by: TestClient, url: string, act: 'approve' | 'check' | 'confirm', body: object = {}) {
  const shown = (await by.get(url)).data as { version?: string; updatedAt?: number } | null;
  const sent = { version: shown?.version, updatedAt: shown?.updatedAt, ...body };
  return act === 'confirm' ? by.put(`${url}/confirm`, sent) : by.post(`${url}/${act}`, sent);
}

/** Vouches for an admin with the version the list shows. */
export async function vouchAsShown(by: TestClient, id: number) {
  const { admins } = (await by.get('/api/manage-admins?limit=500')).data as { admins: Admin[] };
  return by.post(`/api/manage-admins/admin/${id}/vouch`, { version: admins.find((admin) => admin.id === id)?.version });
}
