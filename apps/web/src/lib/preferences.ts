import { useSyncExternalStore } from 'react';

/** What a person set for this browser; storage may be refused (private windows), then it holds until reload. */
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
    // Kept in memory above.
  }
  for (const listener of listeners) listener();
}

/** A choice kept in this browser, one of `values`; the first is the default. */
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

/** Free text kept in this browser, such as the hidden columns of a list. */
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
