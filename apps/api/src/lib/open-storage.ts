import { fileURLToPath } from 'node:url';
import { createFolderStorage, type Storage } from './storage.ts';
import { createBucketStorage, readBucketUrl } from './storage-bucket.ts';

/** The storage that STORAGE_URL names; nothing is reached before it is used. */
export function createStorage(storageUrl: string): Storage {
  return storageUrl.startsWith('s3:')
    ? createBucketStorage(readBucketUrl(storageUrl))
    : createFolderStorage(fileURLToPath(storageUrl));
}
