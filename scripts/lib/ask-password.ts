import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from './cli.ts';

/**
 * Asks for a password twice on the terminal, without echo.
 * @throws CommandError without a terminal, or when the two differ
 */
export async function askPassword(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandError('Sans terminal, donnez le mot de passe par ADMIN_PASSWORD.');
  const first = await readHidden(question);
  const second = await readHidden('Le même, encore une fois\u00A0: ');
  if (first !== second) throw new CommandError('Les deux mots de passe diffèrent\u00A0: relancez la commande.');
  return first;
}

async function readHidden(question: string): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  process.stdout.write(question);
  try {
    return await new Promise<string>((done, fail) => {
      // Ctrl+C and Ctrl+D close it.
      terminal.once('line', done).once('close', () => fail(new CommandError('Abandonné.')));
    });
  } finally {
    terminal.close();
    process.stdout.write('\n');
  }
}
