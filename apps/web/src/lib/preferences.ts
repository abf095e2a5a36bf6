import { useSyncExternalStore } from 'react';

/** Preferences of this browser; when storage is refused (private windows), they last until reload. */
const memory = new Map<string, string>();
const listeners = new Set<() => void>();

export function readPreference(key: string): string | undefined {
  if (memory.has(key)) return memory.get(key);
  try {
    return window.localStorage.getItem(`regie.${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writePreference(key: string, value: string): void {
  memory.set(key, value);
  try {
    window.localStorage.setItem(`regie.${key}`, value);
  } catch {
    // The value is still in memory.
  }
  for (const listener of listeners) listener();
}

/** A choice stored in this browser, one of `values`; the first is the default. */
export function usePreference<const Value extends string>(
  key: string,
  values: readonly [Value, ...Value[]],
): [Value, (value: Value) => void] {
  const stored = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readPreference(key),
  );
  const value = values.find((candidate) => candidate === stored) ?? values[0];
  return [value, (next) => writePreference(key, next)];
}

/** Text stored in this browser, such as a list's hidden columns. */
export function useTextPreference(key: string): [string, (value: string) => void] {
  const stored = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readPreference(key),
  );
  return [stored ?? '', (next) => writePreference(key, next)];
}
