import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface MailServer {
  readonly url: string;
  /** By Message-ID, as a mailbox keeps them: the recipient, and the text as it was sent. */
  letters: Map<string, { to: string; text: string }>;
  /** The recipient of every delivery, repeated ones too. */
  deliveries: string[];
  stop: () => Promise<void>;
}

/** @param refuses the server answers 550 to these addresses */
export async function startMailServer(refuses: (address: string) => boolean): Promise<MailServer> {
  const letters: MailServer['letters'] = new Map();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo({ address }, _session, done) {
      done(refuses(address) ? Object.assign(new Error('no mailbox'), { responseCode: 550 }) : null);
    },
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        const to = envelope.rcptTo[0]?.address ?? '';
        mail.deliveries.push(to);
        letters.set(/^Message-ID: (.+)$/im.exec(text)?.[1] ?? '', { to, text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const mail: MailServer = {
    letters,
    deliveries: [],
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    stop: () => new Promise<void>((resolve) => void server.close(resolve)),
  };
  return mail;
}
