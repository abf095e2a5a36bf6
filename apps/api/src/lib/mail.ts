import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
}

export type SendMail = (message: MailMessage) => Promise<void>;

/**
 * The reply code where a mail server refused the recipient or the text for good; undefined for what may pass (no
 * connection, a full mailbox) and for what is the house's own fault (its login, its sender).
 */
export function refusalCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'responseCode' in error && 'command' in error)) return undefined;
  const { responseCode, command } = error;
  const isOfTheLetter = command === 'RCPT TO' || command === 'DATA';
  return isOfTheLetter && typeof responseCode === 'number' && responseCode >= 500 ? responseCode : undefined;
}

/** Sends by SMTP, or without SMTP_URL leaves an .eml file in DATA_DIR/outbox (decisions §7). */
export function createMailer(options: { smtpUrl: string | undefined; from: string; dataDir: string }): SendMail {
  if (options.smtpUrl) {
    const transport = createTransport(options.smtpUrl);
    return async (message) => {
      await transport.sendMail({ ...message, from: options.from });
    };
  }
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const outbox = join(options.dataDir, 'outbox');
  return async (message) => {
    const { message: eml } = await transport.sendMail({ ...message, from: options.from });
    await mkdir(outbox, { recursive: true });
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`;
    // Written aside, then named: whoever watches the folder never reads half a letter.
    await writeFile(join(outbox, `.${name}`), eml, { mode: 0o600 });
    await rename(join(outbox, `.${name}`), join(outbox, name));
  };
}
