import { createHash } from 'node:crypto';
import type { SettingsAnswer, SettingsForm } from '@regie/contract/routes/settings.ts';
import { defaultSettings, Settings, settingNames } from '@regie/contract/settings.ts';
import { sql } from 'kysely';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { conflict } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';

const listStored = (db: Database | Trx) =>
  db
    .selectFrom('settings as s')
    .leftJoin('admins as a', 'a.id', 's.updatedBy')
    .select(['s.key', 's.value', 's.updatedAt'])
    .select(sql<string | null>`a.first_name || ' ' || a.last_name`.as('updatedBy'))
    .where('s.key', 'in', settingNames)
    .orderBy('s.updatedAt', 'desc')
    .execute();
type StoredRow = Awaited<ReturnType<typeof listStored>>[number];

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A group may have been stored before it had all its fields. */
function toSettings(rows: readonly StoredRow[]): Settings {
  const stored = new Map<string, unknown>(rows.map((row) => [row.key, row.value]));
  const merged = Object.entries(defaultSettings).map(([name, fallback]) => {
    const value = stored.get(name);
    if (value === undefined) return [name, fallback];
    return [name, isGroup(fallback) && isGroup(value) ? { ...fallback, ...value } : value];
  });
  return Settings.parse(Object.fromEntries(merged));
}

/** Every setting: what the house has stored over the defaults of the contract. */
export async function readSettings(db: Database | Trx): Promise<Settings> {
  return toSettings(await listStored(db));
}

/** The same values have the same version, whoever wrote them: a stale form is one that has not seen these. */
const versionOf = (settings: Settings): string =>
  createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 22);

/** The settings as their screen shows them. */
export async function describeSettings(db: Database | Trx): Promise<SettingsAnswer> {
  const rows = await listStored(db);
  const settings = toSettings(rows);
  return {
    settings,
    version: versionOf(settings),
    updatedAt: rows[0]?.updatedAt.getTime() ?? null,
    updatedBy: rows[0]?.updatedBy ?? null,
  };
}

/** A bank number in the journal (decisions §5). */
const masked = (iban: string) => (iban === '' ? '' : `••••${iban.slice(-4)}`);

/** What the journal keeps of a setting: of a group, the fields that changed. */
function describeChange(old: unknown, now: unknown): { old: unknown; now: unknown } {
  if (!isGroup(old) || !isGroup(now)) return { old, now };
  const changed = Object.keys(now).filter((field) => old[field] !== now[field]);
  const pick = (group: Record<string, unknown>) =>
    Object.fromEntries(changed.map((field) => [field, field === 'iban' ? masked(String(group[field])) : group[field]]));
  return { old: pick(old), now: pick(now) };
}

/**
 * Changes the settings named and journals each with its old value.
 * @throws AppError conflict when they changed since `version` was read
 */
export async function saveSettings(trx: Trx, caller: Caller, form: SettingsForm): Promise<SettingsAnswer> {
  // Two savings at once: the second one must see what the first wrote, rows that did not exist before included.
  await sql`SELECT pg_advisory_xact_lock(7243, 6)`.execute(trx);
  const before = await readSettings(trx);
  const { version, ...given } = form;
  if (version !== versionOf(before)) throw conflict();
  const after: Settings = { ...before, ...withoutUndefined(given) };
  const changed = settingNames.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length > 0) {
    await trx
      .insertInto('settings')
      .values(changed.map((key) => ({ key, value: JSON.stringify(after[key]), updatedBy: caller.adminId })))
      .onConflict((existing) =>
        existing.column('key').doUpdateSet((row) => ({
          value: row.ref('excluded.value'),
          updatedBy: row.ref('excluded.updatedBy'),
          updatedAt: sql<Date>`now()`,
        })),
      )
      .execute();
    const changes = changed.map((name) => ({ name, ...describeChange(before[name], after[name]) }));
    await writeAudit(trx, caller, {
      action: 'settings.edit',
      entity: 'settings',
      entityId: null,
      before: Object.fromEntries(changes.map(({ name, old }) => [name, old])),
      after: Object.fromEntries(changes.map(({ name, now }) => [name, now])),
    });
  }
  return describeSettings(trx);
}

function withoutUndefined(values: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
