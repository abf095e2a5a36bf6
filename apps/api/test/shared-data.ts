import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Files of stores and publishers that may not be committed, in a folder beside the repository's. */
export const sharedData = (name: string): string => join(import.meta.dirname, '../../../../shared/data', name);

/** Tests of such a file are `skipIf(!hasSharedData(…))`, so that the summary counts them. */
export const hasSharedData = (name: string): boolean => existsSync(sharedData(name));
