import { EnvError } from '@regie/api/env.ts';
import { BackupFileError } from '@regie/api/lib/backup-encryption.ts';
import { AppError } from '@regie/api/lib/errors.ts';
import { DataVersionError } from '@regie/api/lib/migrate.ts';
import { StorageUnavailable } from '@regie/api/lib/storage.ts';
import { EmbeddedPostgresError } from '@regie/embedded-postgres/place.ts';

/** An error for the operator, printed without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function formatSize(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return `${megabytes.toLocaleString('fr-FR', { maximumFractionDigits: 1 })} Mo`.replaceAll('\u202F', '\u00A0');
}

/** An error as lines for the operator: our own messages unchanged, others with their cause. */
export function describeError(error: unknown): string[] {
  if (error instanceof EnvError) return error.problems;
  const expected = [CommandError, EmbeddedPostgresError, BackupFileError, DataVersionError, StorageUnavailable];
  if (error instanceof Error && expected.some((kind) => error instanceof kind)) return error.message.split('\n');
  if (error instanceof AppError)
    return Object.keys(error.errors).length > 0 ? Object.values(error.errors) : [error.message];
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT', 'ECONNRESET'].includes(code)) {
    return [`La base de données ne répond pas (${code})\u00A0: vérifiez DATABASE_URL et que PostgreSQL est en marche.`];
  }
  if (code === '28P01' || code === '28000') {
    return ['La base de données refuse ce compte ou ce mot de passe\u00A0: vérifiez DATABASE_URL.'];
  }
  if (code.startsWith('ERR_PARSE_ARGS') && error instanceof Error)
    return [`Option inconnue ou incomplète\u00A0: ${error.message}`];
  if (code === 'ENOSPC') return ["Il n'y a plus de place sur le disque\u00A0: libérez-en, puis relancez."];
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return ['La commande a échoué pour une raison imprévue\u00A0:', ...detail.split('\n').map((line) => `  ${line}`)];
}

/** Runs a one-off command; on failure prints the error to stderr and exits with 1. */
export async function runCommand(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    for (const line of describeError(error)) process.stderr.write(`${line}\n`);
    process.exitCode = 1;
  }
}
