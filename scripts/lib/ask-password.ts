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
  const { stdin, stdout } = process;
  stdout.write(question);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  try {
    return await new Promise<string>((done, fail) => {
      let typed = '';
      const onData = (text: string) => {
        for (const character of text) {
          if (character === '\r' || character === '\n') {
            stdin.off('data', onData);
            done(typed);
            return;
          }
          if (character === '\u0003' || character === '\u0004') {
            stdin.off('data', onData);
            fail(new CommandError('Abandonné.'));
            return;
          }
          typed = character === '\u007F' || character === '\b' ? [...typed].slice(0, -1).join('') : typed + character;
        }
      };
      stdin.on('data', onData);
    });
  } finally {
    stdin.setRawMode(false).pause();
    stdout.write('\n');
  }
}
