import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createFolderStorage, readInPlace } from '@regie/api/lib/storage.ts';
// biome-ignore lint/style/noRestrictedImports: the services keep what they read
import { builtInPresets } from '@regie/api/modules/statements/reading/presets.ts';
// biome-ignore lint/style/noRestrictedImports: the services keep what they read
import { openStatement } from '@regie/api/modules/statements/reading/read-statement.ts';

/** Reads a store's file in its own process as a load does, but keeps nothing of it. */
const [, , path = ''] = process.argv;
const { size } = await stat(path);
const folder = dirname(path);
const storage = readInPlace(createFolderStorage(dirname(folder)));
const key = join(basename(folder), basename(path));
const start = performance.now();
const opened = await openStatement({ sizeBytes: size, open: (range) => storage.open(key, range) }, builtInPresets);
if (opened.is !== 'recognised') throw new Error(`${path} is ${opened.is}`);
for await (const _lines of opened.lines());
process.send?.((performance.now() - start) / 1000);
process.disconnect();
