import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StatementPreset } from '@regie/contract/statements.ts';
import type { KnownPreset } from './recognise.ts';

type PresetSource = { presets?: Record<string, StatementPreset> };

/** @throws Error when a source has no presets, or two share a key, which statements store */
export function collectPresets(sources: readonly (readonly [name: string, PresetSource])[]): KnownPreset[] {
  const sourceOf = new Map<string, string>();
  return sources.flatMap(([name, { presets }]) => {
    if (presets === undefined) throw new Error(`presets/${name}.ts does not export presets`);
    return Object.entries(presets).map(([key, preset]) => {
      const other = sourceOf.get(key);
      if (other !== undefined)
        throw new Error(`presets/${name}.ts and presets/${other}.ts both have a preset "${key}"`);
      sourceOf.set(key, name);
      return { key, preset };
    });
  });
}

const shared = ['preset', 'fixture'];
const sourceNames = readdirSync(join(import.meta.dirname, 'presets'))
  .flatMap((file) => /^([a-z0-9-]+)\.ts$/.exec(file)?.[1] ?? [])
  .filter((name) => !shared.includes(name))
  .sort();

/** By the key that statements store. `isVerified` only when a real file of that form was read. */
export const builtInPresets: readonly KnownPreset[] = collectPresets(
  await Promise.all(
    sourceNames.map(async (name) => [name, (await import(`./presets/${name}.ts`)) as PresetSource] as const),
  ),
);

/**
 * Without a currency column, the currency is asked for each file, unless the amount column's name contains it. Fields
 * that an older version did not store get defaults.
 */
export function parsePreset(definition: unknown, isVerified: boolean): StatementPreset | undefined {
  const parsed = StatementPreset.safeParse(definition);
  if (!parsed.success) return undefined;
  const { currency, ...preset } = { ...parsed.data, isVerified };
  if (currency === undefined) return preset;
  const isInName = preset.columns.amount?.every((name) => new RegExp(`\\b${currency}\\b`, 'i').test(name));
  return isInName === true ? { ...preset, currency } : { ...preset, currencies: [currency] };
}
