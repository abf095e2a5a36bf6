import { join } from 'node:path';
import { installApart, root, run } from './lib/install-apart.ts';

/** Compares DuckDB with ClickHouse's engine (docs/decisions/440): chdb is no dependency. */
const folder = await installApart(['chdb@3.4.0'], '550 Mo');
if (folder === undefined) process.exit(1);
process.exitCode = await run(join(root, 'node_modules', '.bin', 'vitest'), ['run', '--project', 'scale'], {
  REGIE_CHDB: folder,
});
