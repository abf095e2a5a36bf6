/**
 * A cover's storage key is `cover/ab/abc….png`. On the wire it goes by its last part alone, and the pictures made of it
 * are kept under keys that say whose they are.
 */
const coverPattern = /^cover\/([a-z0-9]{2})\/(\1[a-z0-9]+\.(?:png|jpg))$/;
const wirePattern = /^([a-z0-9]{2})[a-z0-9]+\.(?:png|jpg)$/;
const thumbnailPattern = /^thumbnail(\/.+)\.\d+\.webp$/;

/** Path under /api of a cover's pictures. */
export function coverUrl(storageKey: string): string {
  return `/img/${coverPattern.exec(storageKey)?.[2] ?? ''}`;
}

/** The storage key that `/img/:key` means; undefined when no cover could have it. */
export function findCoverKey(wireKey: string): string | undefined {
  const match = wirePattern.exec(wireKey);
  return match ? `cover/${match[1]}/${wireKey}` : undefined;
}

export function thumbnailKey(storageKey: string, width: number): string {
  return `thumbnail${storageKey.slice('cover'.length)}.${width}.webp`;
}

/** The key of the file that an object exists for: the cover of a thumbnail, anything else for itself. */
export function ownerKey(key: string): string {
  const match = thumbnailPattern.exec(key);
  return match ? `cover${match[1]}` : key;
}
