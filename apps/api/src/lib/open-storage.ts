import { fileURLToPath } from 'node:url';
import { createFolderStorage, type Storage } from './storage.ts';
import { createBucketStorage, readBucketUrl } from './storage-bucket.ts';

/** Connects on first use; errors name `variable`. */
export function createStorage(storageUrl: string, variable = 'STORAGE_URL'): Storage {
  const folder = localFolderOf(storageUrl);
  return folder === undefined
    ? createBucketStorage(readBucketUrl(storageUrl), variable)
    : createFolderStorage(folder, variable);
}

/** Undefined when a service keeps the files. */
export function localFolderOf(storageUrl: string): string | undefined {
  return storageUrl.startsWith('file:') ? fileURLToPath(storageUrl) : undefined;
}
