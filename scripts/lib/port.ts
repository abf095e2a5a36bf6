import { createServer } from 'node:net';
import { CommandError } from './cli.ts';

/** Checks that the port is free before anything slow starts. @throws CommandError */
export async function assertPortIsFree(host: string, port: number): Promise<void> {
  if (port === 0) return;
  await new Promise<void>((done, fail) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => fail(explainListenError(error, host, port)));
    probe.listen({ host, port }, () => probe.close(() => done()));
  });
}

/** The French message for a server that could not listen; other errors are returned unchanged. */
export function explainListenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `Le port ${port} est déjà pris par un autre programme\u00A0: arrêtez-le, ou choisissez un autre port, par exemple PORT=${port === 65_535 ? 3000 : port + 1}.`,
    );
  }
  if (code === 'EACCES')
    return new CommandError(
      `Le port ${port} demande des droits que ce compte n'a pas\u00A0: choisissez-en un au-dessus de 1023.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CommandError(`L'adresse ${host} n'est pas une adresse de cette machine\u00A0: corrigez HOST.`);
  }
  return error;
}
