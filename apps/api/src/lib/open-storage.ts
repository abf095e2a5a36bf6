import { fileURLToPath } from 'node:url';
import { createFolderStorage, type Storage } from './storage.ts';
import { createBucketStorage, readBucketUrl } from './storage-bucket.ts';

/** Creates the storage of STORAGE_URL; connects on first use. */
export function createStorage(storageUrl: string): Storage {
  return storageUrl.startsWith('s3:')
    ? createBucketStorage(readBucketUrl(storageUrl))
    : createFolderStorage(fileURLToPath(storageUrl));
}
