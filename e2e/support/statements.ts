import type { Locator, Page } from '@playwright/test';
import { distrokidFile as buildFile, type StatementRow } from '@regie/api/test/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './api.ts';
import { expect } from './test.ts';

/** A statement in DistroKid's format, in USD, three units a row. */
export const distrokidFile = (rows: readonly StatementRow[]): string =>
  buildFile(rows.map((row) => ({ quantity: 3, ...row })));

/** Uploads a statement's file by the API and waits until it is read. @returns its id */
export async function sendStatement(api: Api, fileName: string, content: string | Buffer): Promise<number> {
  const bytes = Buffer.from(content);
  const { data: begun } = await api.call(routes.beginStatementUpload, {
    body: { fileName, sizeBytes: bytes.length },
  });
  const { data: sent } = await api.upload(routes.uploadStatement, {
    params: { id: begun.id },
    headers: { 'x-file-start': '0' },
    bytes,
  });
  const id = sent.statementId ?? 0;
  await waitUntilRead(api, id);
  return id;
}

/** Waits until no statement is being read. */
export async function waitUntilRead(api: Api, id: number): Promise<void> {
  const status = async () => (await api.call(routes.getStoreStatement, { params: { id } })).data.status;
  await expect.poll(status).not.toMatch(/^(received|reading)$/);
}

/** Removes the test's presets. */
export async function removePresets(api: Api, source: string): Promise<void> {
  for (const preset of (await api.call(routes.listPresets)).data) {
    if (preset.source === source && preset.id !== null) {
      await api.call(routes.deletePreset, { params: { id: preset.id } });
    }
  }
}

/** Chooses several files in a drop zone through its button. */
export async function chooseFiles(
  page: Page,
  button: Locator,
  files: readonly { name: string; content: string }[],
): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await button.click();
  await (await chooser).setFiles(
    files.map(({ name, content }) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })),
  );
}
