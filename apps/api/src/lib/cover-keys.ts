/**
 * A cover's storage key is `cover/ab/abc….png`. The wire uses its last part, and its pictures are stored under keys
 * derived from it.
 */
const coverPattern = /^cover\/([a-z0-9]{2})\/(\1[a-z0-9]+\.(?:png|jpg))$/;
const wirePattern = /^([a-z0-9]{2})[a-z0-9]+\.(?:png|jpg)$/;
const thumbnailPattern = /^thumbnail(\/.+)\.\d+\.webp$/;

export function coverUrl(storageKey: string): string {
  return `/api/img/${coverPattern.exec(storageKey)?.[2] ?? ''}`;
}

export function findCoverKey(wireKey: string): string | undefined {
  const match = wirePattern.exec(wireKey);
  return match ? `cover/${match[1]}/${wireKey}` : undefined;
}

export function thumbnailKey(storageKey: string, width: number): string {
  return `thumbnail${storageKey.slice('cover'.length)}.${width}.webp`;
}

export function ownerKey(key: string): string {
  const match = thumbnailPattern.exec(key);
  return match ? `cover${match[1]}` : key;
}
