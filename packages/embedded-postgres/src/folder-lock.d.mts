export type FolderLock = { release: () => void };
export function findLockHolder(lockDir: string): number | undefined;
export function tryLock(lockDir: string): FolderLock | { holderPid: number };
export function waitForLock(lockDir: string, onWait?: (holderPid: number) => void): Promise<FolderLock>;
