import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const outFile = fileURLToPath(new URL('../src/lib/db.generated.ts', import.meta.url));

/**
 * Writes lib/db.generated.ts from a migrated database; with `verify` only compares.
 * @returns whether the file matches the database
 */
export async function generateDbTypes(ownerUrl: string, options: { verify: boolean }): Promise<boolean> {
  const child = spawn(
    'kysely-codegen',
    [
      ...['--url', ownerUrl, '--dialect', 'postgres', '--camel-case', '--date-parser', 'string'],
      ...['--type-mapping', JSON.stringify({ int8: 'number', numeric: 'string', citext: 'string' })],
      ...['--exclude-pattern', 'migrations', '--out-file', outFile, '--log-level', 'error'],
      ...(options.verify ? ['--verify'] : []),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const [code] = await once(child, 'exit');
  return code === 0;
}
