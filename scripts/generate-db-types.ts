import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Rewrites apps/api/src/lib/db.generated.ts from the migrated database at `url`, or with `--verify` only tells
 * whether it is up to date.
 * @returns true when the types are those of the database
 */
export async function generateDbTypes(url: string, options: { verify: boolean }): Promise<boolean> {
  const child = spawn(
    'kysely-codegen',
    [
      ...['--url', url, '--dialect', 'postgres', '--camel-case', '--date-parser', 'string'],
      ...['--type-mapping', JSON.stringify({ int8: 'number', numeric: 'string', citext: 'string' })],
      ...['--exclude-pattern', 'kysely_*', '--out-file', 'apps/api/src/lib/db.generated.ts', '--log-level', 'error'],
      ...(options.verify ? ['--verify'] : []),
    ],
    { stdio: 'inherit' },
  );
  const [code] = await once(child, 'exit');
  return code === 0;
}
