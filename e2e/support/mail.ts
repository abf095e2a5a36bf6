import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';

/** The link in the last e-mail to this address, once it is in the outbox (product §37.5: no SMTP_URL). */
export const readMailedLink = (dataDir: string, email: string) =>
  readFromLetter(dataDir, email, /https?:\/\/\S+\?token=\S+/);

/** The link to what a signature is asked for. */
export const readSigningLink = (dataDir: string, email: string) =>
  readFromLetter(dataDir, email, /https?:\/\/\S+\/signatures\/\S+/);

/** The eight-digit code in the last e-mail to this address. */
export const readMailedCode = (dataDir: string, email: string) => readFromLetter(dataDir, email, /^\d{8}$/m);

async function readFromLetter(dataDir: string, email: string, pattern: RegExp): Promise<string> {
  let found: string | undefined;
  await expect
    .poll(async () => (found = await findInLetter(join(dataDir, 'outbox'), email, pattern)), {
      message: `a letter to ${email}`,
      timeout: 60_000,
    })
    .toBeDefined();
  return found ?? '';
}

async function findInLetter(outbox: string, email: string, pattern: RegExp): Promise<string | undefined> {
  const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml') && name[0] !== '.');
  for (const name of names.sort().reverse()) {
    const letter = await readFile(join(outbox, name), 'utf8');
    if (letter.toLowerCase().includes(`\r\nto: ${email.toLowerCase()}\r\n`)) {
      return pattern.exec(decodeBody(letter).replaceAll('\r\n', '\n'))?.[0];
    }
  }
  return undefined;
}

/** The text of a single-part e-mail: quoted-printable, base64 or plain. */
function decodeBody(letter: string): string {
  const at = letter.indexOf('\r\n\r\n');
  const head = letter.slice(0, at);
  const body = letter.slice(at + 4);
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
