import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { expect, it } from 'vitest';
import { createMailer } from './mail.ts';

const letter = { to: 'inès@regie.example', subject: 'Été à Évry', text: 'Bonjour,\n\nÀ bientôt\u00A0!\n' };
const from = 'Régie <regie@localhost>';

async function expectLetter(eml: string | Buffer) {
  const mail = await PostalMime.parse(eml);
  expect(mail).toMatchObject({ subject: letter.subject, from: { name: 'Régie', address: 'regie@localhost' } });
  expect(mail.to).toMatchObject([{ address: letter.to }]);
  expect(mail.text?.trim()).toBe(letter.text.trim());
}

it('writes each letter as a complete .eml readable only by its owner', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'regie-mail-'));
  try {
    const send = createMailer({ smtpUrl: undefined, from, dataDir });
    await Promise.all([send(letter), send(letter)]);
    const names = await readdir(join(dataDir, 'outbox'));
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(name).toMatch(/^[^.].*\.eml$/);
      const file = join(dataDir, 'outbox', name);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await expectLetter(await readFile(file));
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

it('sends by SMTP when configured, and fails when the server refuses', async () => {
  const received: string[] = [];
  let isRefusing = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (isRefusing) return done(new Error('mailbox full'));
        received.push(Buffer.concat(chunks).toString());
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.server.address() as AddressInfo;
    const send = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from, dataDir: '/nonexistent' });
    const ascii = { ...letter, to: 'ines@regie.example' };
    await send(ascii);
    expect(received).toHaveLength(1);
    const mail = await PostalMime.parse(received[0] ?? '');
    expect(mail).toMatchObject({ subject: letter.subject, to: [{ address: ascii.to }] });
    isRefusing = true;
    await expect(send(ascii)).rejects.toThrow(/full/);
  } finally {
    await new Promise<void>((resolve) => void server.close(resolve));
  }
});
