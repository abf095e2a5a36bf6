import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';

export type MailMessage = { to: string; subject: string; text: string; messageId?: string };

/** How long a mail server may take to answer. */
const sendingMs = 60_000;

export type SendMail = (message: MailMessage) => Promise<void>;

/**
 * The reply code of a permanent refusal of recipient or text; undefined for temporary errors and our own login or
 * sender.
 */
export function refusalCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'responseCode' in error && 'command' in error)) return undefined;
  const { responseCode, command } = error;
  const isOfTheLetter = command === 'RCPT TO' || command === 'DATA';
  return isOfTheLetter && typeof responseCode === 'number' && responseCode >= 500 ? responseCode : undefined;
}

const mailFaults: Record<string, string> = {
  EAUTH: 'refuse le compte ou le mot de passe',
  ETLS: 'refuse la connexion chiffrée',
  ETIMEDOUT: 'ne répond pas à temps',
  EDNS: 'est introuvable',
  ESOCKET: 'est injoignable ou son certificat n’est pas reconnu',
};

function withTimeouts(smtpUrl: string, timeoutMs: number): string {
  const limits = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const url = new URL(smtpUrl);
  for (const [name, value] of Object.entries(limits)) url.searchParams.set(name, String(value));
  return url.href;
}

/** Signs in without sending; returns what does not work, in French. */
export async function checkMailServer(smtpUrl: string, timeoutMs: number): Promise<string | undefined> {
  const transport = createTransport(withTimeouts(smtpUrl, timeoutMs));
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return mailFaults[code] ?? `ne répond pas (${code})`;
  } finally {
    transport.close();
  }
}

/** Sends by SMTP; without SMTP_URL writes .eml files to DATA_DIR/outbox (product §37.5). */
export function createMailer(options: { smtpUrl: string | undefined; from: string; dataDir: string }): SendMail {
  if (options.smtpUrl) {
    const transport = createTransport(withTimeouts(options.smtpUrl, sendingMs));
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
    // Written under a temporary name first, so that readers never see a partial letter.
    await writeFile(join(outbox, `.${name}`), eml, { mode: 0o600 });
    await rename(join(outbox, `.${name}`), join(outbox, name));
  };
}
