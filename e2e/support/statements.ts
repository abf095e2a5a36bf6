import type { Locator, Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import type { Api } from './api.ts';
import { expect } from './test.ts';

export type StatementRow = {
  isrc: string;
  month: string;
  amount: string;
  store?: string;
  title?: string;
  artist?: string;
  upc?: string;
};

/** A statement in DistroKid's format, in USD. */
export function distrokidFile(rows: readonly StatementRow[]): string {
  const header =
    'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';
  const lines = rows.map(({ isrc, month, amount, store = 'Deezer', title = 'Titre', artist = 'Artiste', upc = '' }) =>
    ['2026-06-02', month, store, artist, title, isrc, upc, '3', '100', 'Song', 'FR', '0', amount].join('\t'),
  );
  return `${[header, ...lines].join('\n')}\n`;
}

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
