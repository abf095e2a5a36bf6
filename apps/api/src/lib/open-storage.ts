import { fileURLToPath } from 'node:url';
import { createFolderStorage, type Storage } from './storage.ts';
import { createBucketStorage, readBucketUrl } from './storage-bucket.ts';

/** Creates the storage of the variable, which its errors name; connects on first use. */
export function createStorage(storageUrl: string, variable = 'STORAGE_URL'): Storage {
  const folder = localFolderOf(storageUrl);
  return folder === undefined
    ? createBucketStorage(readBucketUrl(storageUrl), variable)
    : createFolderStorage(folder, variable);
}

/** The folder of this machine where the files are; undefined when a service keeps them. */
export function localFolderOf(storageUrl: string): string | undefined {
  return storageUrl.startsWith('file:') ? fileURLToPath(storageUrl) : undefined;
}
