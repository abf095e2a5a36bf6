import { createHash } from 'node:crypto';
import { findHouseBankFaults } from '@regie/contract/bank-details.ts';
import { letterNames } from '@regie/contract/letters.ts';
import type { SettingsForm } from '@regie/contract/routes/settings.ts';
import { factorMessages, SecondFactorPolicy } from '@regie/contract/second-factors.ts';
import {
  defaultSettings,
  GuardedSetting,
  GuardedValue,
  guardedValue,
  type SettingName,
  Settings,
  settingNames,
  settingsMessages,
} from '@regie/contract/settings.ts';
import { de } from '@regie/values/elision.ts';
import { sql } from 'kysely';
import { type Actor, type AuditEntry, notifyStaff, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import * as proposals from '#src/modules/money/signing/proposals.service.ts';
import { lockSignatures } from '#src/modules/money/signing/signing.service.ts';

const listStored = (db: Database) =>
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

/** A stored group may lack newer fields. */
function toSettings(rows: readonly StoredRow[]): Settings {
  const stored = new Map<string, unknown>(rows.map((row) => [row.key, row.value]));
  const merged = Object.entries(defaultSettings).map(([name, fallback]) => {
    const value = stored.get(name);
    if (value === undefined) return [name, fallback];
    const whole = isGroup(fallback) && isGroup(value) ? { ...fallback, ...value } : value;
    // Values of older rules fall back to the default.
    const isGood = Settings.shape[name as SettingName].safeParse(whole).success;
    return [name, isGood ? whole : fallback];
  });
  return Settings.parse(Object.fromEntries(merged));
}

/** Stored values over the defaults. */
export async function readSettings(db: Database): Promise<Settings> {
  return toSettings(await listStored(db));
}

/**
 * Detects outdated forms. Without guarded settings: forms do not write them, and signing one must not invalidate forms.
 */
function versionOf(settings: Settings): string {
  const { unsignedEur, payoutApprovalEur, adjustmentApprovalEur, ...others } = settings;
  const { iban, bic, ...house } = others.house;
  const written = { ...others, house };
  return createHash('sha256').update(JSON.stringify(written)).digest('base64url').slice(0, 22);
}

export async function describeSettings(db: Database) {
  const rows = await listStored(db);
  const settings = toSettings(rows);
  return {
    settings,
    version: versionOf(settings),
    updatedAt: rows[0]?.updatedAt.getTime() ?? null,
    updatedBy: rows[0]?.updatedBy ?? null,
    proposals: (await proposals.listProposals(db, { kind: 'setting' })).map(({ id }) => id),
  };
}

/** For the journal (product §35.2). */
const masked = (code: string) => (code === '' ? '' : `••••${code.slice(-4)}`);
const maskedFields: ReadonlySet<string> = new Set(['iban', 'bic']);

/** Of a group, its changed fields. */
function describeChange(old: unknown, now: unknown): { old: unknown; now: unknown } {
  if (!isGroup(old) || !isGroup(now)) return { old, now };
  const changed = Object.keys({ ...old, ...now }).filter((field) => !isSame(old[field], now[field]));
  const pick = (group: Record<string, unknown>) =>
    Object.fromEntries(
      changed
        .filter((field) => group[field] !== undefined)
        .map((field) => [field, maskedFields.has(field) ? masked(String(group[field])) : group[field]]),
    );
  return { old: pick(old), now: pick(now) };
}

/** @throws conflict when they changed since `version` */
export async function saveSettings(trx: Trx, caller: Caller, form: SettingsForm) {
  // Lock order of a last signature, which applies its setting.
  await lockSignatures(trx);
  await sql`SELECT pg_advisory_xact_lock(7243, 6)`.execute(trx);
  const before = await readSettings(trx);
  const { version, ...given } = form;
  if (version !== versionOf(before)) throw conflict();
  // They are about access and money.
  if (!caller.can('edit_admins') && letterNames.some((name) => given[name] && !isSame(given[name], before[name]))) {
    throw new AppError('forbidden', settingsMessages.lettersNeedEditAdmins);
  }
  if (given.house) refuseBankFaults(given.house);
  const wanted: Settings = { ...before, ...withoutUndefined(given) };
  if (wanted.secondFactor !== before.secondFactor && !caller.can('edit_admins')) {
    throw new AppError('forbidden', factorMessages.policyNeedsEditAdmins);
  }
  if (wanted.secondFactor === 'all' && before.secondFactor !== 'all') {
    const { hasFactor, provider } = caller.session ?? {};
    if (!hasFactor && !provider?.hasFactor) throw invalid({ secondFactor: factorMessages.ownFactorFirst });
  }
  const isLowered = rankOf(wanted.secondFactor) < rankOf(before.secondFactor);
  for (const key of GuardedSetting.options) {
    // Requiring the second factor of more people needs no signature.
    if (key === 'secondFactor' && !isLowered) continue;
    await proposeSetting(trx, caller, key, guardedValue(before, key), guardedValue(wanted, key));
  }
  // Guarded settings are proposed, or written by `applySetting`.
  const present = await readSettings(trx);
  const { unsignedEur, payoutApprovalEur, adjustmentApprovalEur } = present;
  const after: Settings = {
    ...wanted,
    unsignedEur,
    payoutApprovalEur,
    adjustmentApprovalEur,
    secondFactor: isLowered ? present.secondFactor : wanted.secondFactor,
    house: { ...wanted.house, iban: present.house.iban, bic: present.house.bic },
  };
  const changed = settingNames.filter((name) => JSON.stringify(present[name]) !== JSON.stringify(after[name]));
  if (changed.length > 0) {
    await storeSettings(
      trx,
      caller,
      changed.map((key) => ({ key, value: after[key] })),
    );
    const changes = changed.map((name) => ({ name, ...describeChange(present[name], after[name]) }));
    await writeAudit(trx, caller, {
      action: 'settings.edit',
      entityId: null,
      before: Object.fromEntries(changes.map(({ name, old }) => [name, old])),
      after: Object.fromEntries(changes.map(({ name, now }) => [name, now])),
      // At once, with a notification.
      alert: changed.some((name) => name === 'secondFactor' || name === 'payoutAlertEur')
        ? { kind: 'admin', text: settingsMessages.guardsChanged }
        : undefined,
    });
  }
  return describeSettings(trx);
}

const rankOf = (policy: Settings['secondFactor']) => SecondFactorPolicy.options.indexOf(policy);

/** @throws validation_failed */
function refuseBankFaults(bank: Pick<Settings['house'], 'iban' | 'bic'>): void {
  const faults = Object.entries(findHouseBankFaults(bank)).map(([field, message]) => [`house.${field}`, message]);
  if (faults.length > 0) throw invalid(Object.fromEntries(faults));
}

async function storeSettings(
  trx: Trx,
  actor: Actor,
  values: readonly { key: SettingName; value: unknown }[],
): Promise<void> {
  await trx
    .insertInto('settings')
    .values(values.map(({ key, value }) => ({ key, value: JSON.stringify(value), updatedBy: actor.adminId })))
    .onConflict((existing) =>
      existing.column('key').doUpdateSet((row) => ({
        value: row.ref('excluded.value'),
        updatedBy: row.ref('excluded.updatedBy'),
        updatedAt: sql<Date>`now()`,
      })),
    )
    .execute();
}

/* Guarded settings: changing one needs two signatures (product §33.24). */

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const isSameValue = (one: unknown, other: unknown) => isSame(GuardedValue.parse(one), GuardedValue.parse(other));

/** Replaces an earlier proposal; the present value proposes nothing. */
async function proposeSetting(
  trx: Trx,
  caller: Caller,
  key: GuardedSetting,
  present: GuardedValue,
  wanted: GuardedValue,
): Promise<void> {
  const open = await proposals.findProposal(trx, 'setting', key);
  // Every save sends the present value, so it withdraws nothing.
  if (isSameValue(wanted, present) || (open && isSameValue(open.value, wanted))) return;
  const entry: AuditEntry = {
    action: 'settings.propose',
    entityId: null,
    before: { [key]: toJournal(present) },
    after: { [key]: toJournal(wanted) },
    alert: key === 'secondFactor' ? { kind: 'admin', text: settingsMessages.guardsChanged } : undefined,
  };
  await propose(trx, caller, { target: key, value: wanted, entry });
}

const toJournal = (value: GuardedValue) =>
  typeof value === 'object' && value !== null ? { ...value, iban: masked(value.iban), bic: masked(value.bic) } : value;

const propose = proposals.defineProposal('setting', {
  sign: 'settings.sign',
  rights: ['manage_settings', 'edit_pending_payout'],
  apply: applySetting,
});

/** Staff managers are told of a changed bank account. @throws validation_failed */
async function applySetting(trx: Trx, actor: Actor, proposal: proposals.Proposal): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 6)`.execute(trx);
  const key = GuardedSetting.parse(proposal.target);
  const value = GuardedValue.parse(proposal.value);
  const settings = await readSettings(trx);
  const { house } = settings;
  await writeAudit(trx, actor, {
    action: 'settings.edit',
    entityId: null,
    before: { [key]: toJournal(guardedValue(settings, key)) },
    after: { [key]: toJournal(value) },
  });
  if (key !== 'houseBank') {
    await storeSettings(trx, actor, [{ key, value }]);
    return;
  }
  if (typeof value !== 'object' || value === null) throw new Error('the proposed account is none');
  refuseBankFaults(value);
  await storeSettings(trx, actor, [{ key: 'house', value: { ...house, ...value } }]);
  await notifyStaff(trx, {
    subject: 'Le compte bancaire du distributeur change',
    text: `Bonjour,

Les versements ${de(house.name)} partent désormais du compte ${masked(value.iban) || '(aucun)'}, au lieu de ${masked(house.iban) || '(aucun)'}.

Si vous n’attendiez pas ce changement, prévenez votre responsable sans attendre.
`,
  });
}

function withoutUndefined(values: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
