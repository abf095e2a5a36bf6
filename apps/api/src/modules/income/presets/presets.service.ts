import type { PresetRow } from '@regie/contract/routes/statements.ts';
import { ownPresetKey, positionName, StatementPreset, statementMessages } from '@regie/contract/statements.ts';
import { writeAudit } from '#src/lib/audit.ts';
import { type Database, queryColumn, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { invalid, notFound } from '#src/lib/errors.ts';
import { adminOf, type Caller } from '#src/lib/route.ts';
import { builtInPresets, parsePreset } from '#src/reading/presets.ts';
import type { KnownPreset } from '#src/reading/recognise.ts';

type Db = Database | Trx;

async function listOwn(db: Db, isRemovedToo: boolean): Promise<(KnownPreset & { id: number })[]> {
  const rows = await queryRows<{ id: number; definition: unknown; isVerified: boolean }>(db)`
    SELECT id, definition, verified_at IS NOT NULL AS is_verified FROM statement_presets
     WHERE removed_at IS NULL OR ${isRemovedToo} ORDER BY id`;
  return rows.flatMap(({ id, definition, isVerified }) => {
    const preset = parsePreset(definition, isVerified);
    return preset ? [{ id, key: ownPresetKey(id), preset }] : [];
  });
}

/** Presets that read a statement which staff then validated. */
const listProven = (db: Db) =>
  queryColumn<string | null>(db)`SELECT DISTINCT preset FROM statements WHERE checked_at IS NOT NULL`;

/** Includes deleted presets. One known by its header only is verified once staff have validated a statement it read. */
export async function mapPresets(db: Db): Promise<Map<string, StatementPreset>> {
  const [own, proven] = await Promise.all([listOwn(db, true), listProven(db)]);
  return new Map(
    [...builtInPresets, ...own].map(({ key, preset }) => [
      key,
      { ...preset, isVerified: preset.isVerified || proven.includes(key) },
    ]),
  );
}

export async function listPresets(db: Db): Promise<PresetRow[]> {
  const [own, known] = await Promise.all([listOwn(db, false), mapPresets(db)]);
  const all = [...own, ...builtInPresets.map((preset) => ({ ...preset, id: null }))];
  return all.map(({ id, key, preset }) => ({ ...preset, ...known.get(key), key, id }));
}

type PresetForm = Omit<StatementPreset, 'isVerified' | 'layout'> & { replaces?: number | undefined };

/** @throws AppError validation_failed for a preset that cannot read any file */
function requireReadable({ columns, preamble, optional, width, skip, join }: PresetForm): void {
  const isThere = (field: keyof typeof columns) => columns[field] !== undefined;
  if (!isThere('amount')) throw invalid({ 'columns.amount': statementMessages.presetAmount });
  if (!isThere('isrc') && !isThere('upc') && !isThere('title')) {
    throw invalid({ 'columns.isrc': statementMessages.presetItem });
  }
  if (columns.periodEnd && !columns.month) throw invalid({ 'columns.periodEnd': statementMessages.presetPeriodEnd });
  if (preamble.periodEnd && !preamble.month) throw invalid({ 'preamble.periodEnd': statementMessages.presetPeriodEnd });
  if (width !== undefined) {
    const positions = new Set(Array.from({ length: width }, (_, index) => positionName(index + 1)));
    const named = [...Object.values(columns).flat(), ...skip.map(({ column }) => column), ...Object.values(join ?? {})];
    if (named.some((name) => !positions.has(name))) throw invalid({ width: statementMessages.presetWidth });
  }
  if (optional.includes('amount')) throw invalid({ optional: statementMessages.presetAmount });
}

/**
 * Creates a preset, or replaces a former one. It is verified once it has read a whole file.
 * @throws AppError validation_failed for a preset that cannot read any file; not_found when the former one is unknown
 */
export async function createPreset(trx: Trx, caller: Caller, { replaces, ...form }: PresetForm): Promise<string> {
  requireReadable(form);
  if (replaces !== undefined) await deletePreset(trx, caller, replaces);
  const preset: StatementPreset = { ...form, isVerified: false, layout: 'table' };
  const { id } = await trx
    .insertInto('statementPresets')
    .values({ definition: JSON.stringify(preset), createdBy: adminOf(caller) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeAudit(trx, caller, {
    action: 'statement_preset.create',
    entityId: id,
    after: { source: preset.source, name: preset.name, ...(replaces === undefined ? {} : { replaces }) },
  });
  return ownPresetKey(id);
}

/** @throws AppError not_found */
export async function deletePreset(trx: Trx, caller: Caller, id: number): Promise<void> {
  const row = await queryRow<{ definition: unknown }>(trx)`
    UPDATE statement_presets SET removed_at = now() WHERE id = ${id} AND removed_at IS NULL RETURNING definition`;
  if (!row) throw notFound();
  const parsed = StatementPreset.safeParse(row.definition);
  await writeAudit(trx, caller, {
    action: 'statement_preset.delete',
    entityId: id,
    before: parsed.success ? { source: parsed.data.source, name: parsed.data.name } : {},
  });
}
