import { DuckDBInstance } from '@duckdb/node-api';
import { type EngineAnswer, type EngineAsked, type EngineSettings, literal } from './column-engine.ts';

/** Entry point of the process that `createColumnEngine` starts: `node column-engine-process.ts <settings>`. */
const { folders, tempFolder, memoryMb, threads } = JSON.parse(process.argv[2] ?? '') as EngineSettings;
const instance = await DuckDBInstance.create(':memory:', {
  memory_limit: `${memoryMb}MB`,
  threads: String(threads),
  temp_directory: tempFolder,
  preserve_insertion_order: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
});
const set = await instance.connect();
await set.run(`SET allowed_directories = [${folders.map((folder) => literal(`${folder}/`)).join(', ')}]`);
await set.run('SET enable_external_access = false');
await set.run('SET lock_configuration = true');
set.closeSync();

// Its parent may die while it answers.
const tell = (answer: Partial<EngineAnswer> & { ready?: true }) =>
  process.connected && process.send?.(answer, () => undefined);
const interrupts = new Map<number, () => void>();
process.on('message', (asked: EngineAsked) => {
  if ('cancel' in asked) interrupts.get(asked.cancel)?.();
  else void answer(asked);
});
process.on('disconnect', () => process.exit());
tell({ ready: true });

async function answer({ id, statements }: Extract<EngineAsked, { id: number }>): Promise<void> {
  const connection = await instance.connect();
  interrupts.set(id, () => connection.interrupt());
  try {
    let rows: EngineAnswer['rows'] = [];
    for (const statement of statements) rows = (await connection.runAndReadAll(statement)).getRowObjectsJson();
    tell({ id, rows });
  } catch (error) {
    tell({ id, failure: error instanceof Error ? error.message : String(error) });
  } finally {
    interrupts.delete(id);
    connection.closeSync();
  }
}
