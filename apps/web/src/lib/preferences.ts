import { createStore } from './store.ts';

/** Preferences of this browser; when storage is refused (private windows), they last until reload. */
const memory = createStore<ReadonlyMap<string, string>>(new Map());

export function readShared(key: string): string | undefined {
  try {
    return window.localStorage.getItem(`regie.${key}`) ?? undefined;
  } catch {
    return memory.get().get(key);
  }
}

const readPreference = (key: string) => memory.get().get(key) ?? readShared(key);

export function writePreference(key: string, value: string): void {
  try {
    window.localStorage.setItem(`regie.${key}`, value);
  } catch {
    // The value is kept in memory.
  }
  memory.set(new Map(memory.get()).set(key, value));
}

export function usePreference<const Value extends string>(
  key: string,
  values: readonly [Value, ...Value[]],
): [Value, (value: Value) => void] {
  memory.useValue();
  const stored = readPreference(key);
  const value = values.find((candidate) => candidate === stored) ?? values[0];
  return [value, (next) => writePreference(key, next)];
}

export function useTextPreference(key: string): [string, (value: string) => void] {
  memory.useValue();
  const stored = readPreference(key);
  return [stored ?? '', (next) => writePreference(key, next)];
}
