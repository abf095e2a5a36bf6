import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StatementPreset } from '@regie/contract/statements.ts';
import type { KnownPreset } from './recognise.ts';

/** What a file of `presets/` exports: the forms of statement that one source sends, by key. */
interface PresetSource {
  presets?: Record<string, StatementPreset>;
}

/** @throws Error when a source has no presets, or two use one key: statements remember the key */
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

/** Files of `presets/` that its sources share. */
const shared = ['preset', 'fixture'];
const sourceNames = readdirSync(join(import.meta.dirname, 'presets'))
  .flatMap((file) => /^([a-z0-9-]+)\.ts$/.exec(file)?.[1] ?? [])
  .filter((name) => !shared.includes(name))
  .sort();

/**
 * Every preset of the house, under the key that statements remember: those of each file of `presets/`. `isVerified` only
 * where a real file of that form was read.
 */
export const housePresets: readonly KnownPreset[] = collectPresets(
  await Promise.all(
    sourceNames.map(async (name) => [name, (await import(`./presets/${name}.ts`)) as PresetSource] as const),
  ),
);

/**
 * A preset as it stands in the database. A currency that no column names is asked for each file: only where the amount's
 * column says it in its name is it the preset's. What an older version wrote may lack what this one needs.
 */
export function parsePreset(definition: unknown, isVerified: boolean): StatementPreset | undefined {
  const parsed = StatementPreset.safeParse(definition);
  if (!parsed.success) return undefined;
  const { currency, ...preset } = { ...parsed.data, isVerified };
  if (currency === undefined) return preset;
  const isInName = preset.columns.amount?.every((name) => new RegExp(`\\b${currency}\\b`, 'i').test(name));
  return isInName === true ? { ...preset, currency } : { ...preset, currencies: [currency] };
}

/** A preset as a screen lists it. */
export interface PresetDescription {
  key: string;
  source: string;
  name: string;
  isVerified: boolean;
  /** The names of columns that it knows a file by. */
  columns: string[];
}

export function describePresets(known: readonly KnownPreset[] = housePresets): PresetDescription[] {
  return known.map(({ key, preset: { source, name, isVerified, columns, incomes, signature } }) => ({
    key,
    source,
    name,
    isVerified,
    columns: [
      ...new Set([
        ...Object.values(columns).flatMap((names) => names[0] ?? []),
        ...(incomes ?? []).flatMap(({ quantity, amount }) => [quantity[0] ?? '', amount[0] ?? '']),
        ...signature,
      ]),
    ],
  }));
}
