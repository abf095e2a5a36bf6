import { createHash } from 'node:crypto';
import { findHouseBankFaults } from '@regie/contract/bank-details.ts';
import { securityLetters } from '@regie/contract/letters.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { SettingProposal, SettingsAnswer, SettingsForm } from '@regie/contract/routes/settings.ts';
import { factorMessages, secondFactorPolicies } from '@regie/contract/second-factors.ts';
import {
  defaultSettings,
  GuardedSetting,
  GuardedValue,
  guardedSettings,
  guardedValue,
  type SettingName,
  Settings,
  settingNames,
  settingsMessages,
} from '@regie/contract/settings.ts';
import { de } from '@regie/values/elision.ts';
import { sql } from 'kysely';
import { nightAlert, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { notifyDeciders } from '#src/modules/staff/deciders.service.ts';
import { hasTooFewAdmins, readIndependence } from '#src/modules/staff/independence.service.ts';
import { notifyEditors } from '#src/modules/staff/vouching.service.ts';

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

/** A stored group may lack newer fields. */
function toSettings(rows: readonly StoredRow[]): Settings {
  const stored = new Map<string, unknown>(rows.map((row) => [row.key, row.value]));
  const merged = Object.entries(defaultSettings).map(([name, fallback]) => {
    const value = stored.get(name);
    if (value === undefined) return [name, fallback];
    const whole = isGroup(fallback) && isGroup(value) ? { ...fallback, ...value } : value;
    // Values stored under older rules fall back to the default.
    const isGood = Settings.shape[name as SettingName].safeParse(whole).success;
    return [name, isGood ? whole : fallback];
  });
  return Settings.parse(Object.fromEntries(merged));
}

/** All settings: stored values over the contract's defaults. */
export async function readSettings(db: Database | Trx): Promise<Settings> {
  return toSettings(await listStored(db));
}

/**
 * A hash of the values, to detect outdated forms. Guarded settings are excluded: forms do not write them, and approving
 * one must not invalidate open forms.
 */
function versionOf(settings: Settings): string {
  const { payoutApprovalEur, payoutHouseApprovalEur, adjustmentApprovalEur, ...others } = settings;
  const { iban, bic, ...house } = others.house;
  const written = { ...others, house };
  return createHash('sha256').update(JSON.stringify(written)).digest('base64url').slice(0, 22);
}

/** The settings for their screen. */
export async function describeSettings(db: Database | Trx, caller: Caller): Promise<SettingsAnswer> {
  const rows = await listStored(db);
  const settings = toSettings(rows);
  return {
    settings,
    version: versionOf(settings),
    updatedAt: rows[0]?.updatedAt.getTime() ?? null,
    updatedBy: rows[0]?.updatedBy ?? null,
    proposals: await listProposals(db, caller),
  };
}

/** A masked bank code for the journal (product §35.2). */
const masked = (code: string) => (code === '' ? '' : `••••${code.slice(-4)}`);
const maskedFields: ReadonlySet<string> = new Set(['iban', 'bic']);

/** The journalled change of a setting; for a group, only its changed fields. */
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

/**
 * Changes the given settings and journals the old values.
 * @throws AppError conflict when they changed since `version` was read
 */
export async function saveSettings(trx: Trx, caller: Caller, form: SettingsForm): Promise<SettingsAnswer> {
  // Lock: a concurrent save must see this one, including rows it inserts.
  await sql`SELECT pg_advisory_xact_lock(7243, 6)`.execute(trx);
  const before = await readSettings(trx);
  const { version, ...given } = form;
  if (version !== versionOf(before)) throw conflict();
  if (!caller.can('edit_admins') && securityLetters.some((name) => given[name] && !isSame(given[name], before[name]))) {
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
  for (const key of guardedSettings) {
    // Setting the first bank account needs no approval.
    if (key === 'houseBank' && before.house.iban === '') continue;
    // Requiring the second factor of more people needs no approval.
    if (key === 'secondFactor' && !isLowered) continue;
    await propose(trx, caller, key, guardedValue(before, key), guardedValue(wanted, key));
  }
  // Exclude guarded settings: they are proposed, or written by `propose`.
  const present = await readSettings(trx);
  const { payoutApprovalEur, payoutHouseApprovalEur, adjustmentApprovalEur } = present;
  const bank = before.house.iban === '' ? {} : { iban: present.house.iban, bic: present.house.bic };
  const after: Settings = {
    ...wanted,
    payoutApprovalEur,
    payoutHouseApprovalEur,
    adjustmentApprovalEur,
    secondFactor: isLowered ? present.secondFactor : wanted.secondFactor,
    house: { ...wanted.house, ...bank },
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
      // Applied at once, with a notification.
      alert: changed.some((name) => name === 'secondFactor' || name === 'payoutAlertEur')
        ? { kind: 'admin', text: settingsMessages.guardsChanged }
        : undefined,
    });
  }
  return describeSettings(trx, caller);
}

const rankOf = (policy: Settings['secondFactor']) => secondFactorPolicies.indexOf(policy);

/** @throws AppError validation_failed */
function refuseBankFaults(bank: Pick<Settings['house'], 'iban' | 'bic'>): void {
  const faults = Object.entries(findHouseBankFaults(bank)).map(([field, message]) => [`house.${field}`, message]);
  if (faults.length > 0) throw invalid(Object.fromEntries(faults));
}

async function storeSettings(
  trx: Trx,
  caller: Caller,
  values: readonly { key: SettingName; value: unknown }[],
): Promise<void> {
  await trx
    .insertInto('settings')
    .values(values.map(({ key, value }) => ({ key, value: JSON.stringify(value), updatedBy: caller.adminId })))
    .onConflict((existing) =>
      existing.column('key').doUpdateSet((row) => ({
        value: row.ref('excluded.value'),
        updatedBy: row.ref('excluded.updatedBy'),
        updatedAt: sql<Date>`now()`,
      })),
    )
    .execute();
}

/* Guarded settings: changing one needs a second person as well (product §33.24). */

const readProposals = (db: Database | Trx) =>
  db
    .selectFrom('settingProposals as p')
    .innerJoin('admins as a', 'a.id', 'p.proposedBy')
    .select(['p.id', 'p.key', 'p.value', 'p.proposedBy', 'p.proposedAt'])
    .select(sql<string>`a.first_name || ' ' || a.last_name`.as('name'))
    .where('p.decidedAt', 'is', null)
    .orderBy('p.id')
    .execute();

async function findProposal(db: Database | Trx, key: GuardedSetting) {
  return (await readProposals(db)).find((proposal) => proposal.key === key);
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const isSameValue = (one: unknown, other: unknown) => isSame(GuardedValue.parse(one), GuardedValue.parse(other));

/** The pending proposals for guarded settings. */
export async function listProposals(db: Database | Trx, caller: Caller): Promise<SettingProposal[]> {
  const { adminId } = caller;
  const proposals = await readProposals(db);
  if (proposals.length === 0 || adminId === null) return [];
  const settings = await readSettings(db);
  const { isIndependent } = await readIndependence(db);
  return proposals.map(({ key, value, proposedBy, proposedAt, name }) => {
    const guarded = GuardedSetting.parse(key);
    return {
      key: guarded,
      value: GuardedValue.parse(value),
      present: guardedValue(settings, guarded),
      proposedBy: name,
      proposedAt: proposedAt.getTime(),
      canApprove: caller.can('edit_pending_payout') && isIndependent(adminId, proposedBy),
    };
  });
}

/**
 * Saving proposes the value and replaces an earlier proposal; the present value needs no approval. Without a second
 * person the value is applied at once, and the journal marks it unchecked.
 */
async function propose(trx: Trx, caller: Caller, key: GuardedSetting, present: GuardedValue, wanted: GuardedValue) {
  const { adminId } = caller;
  const open = await findProposal(trx, key);
  // Forms send the present value with every save, so it does not withdraw a proposal.
  if (adminId === null || isSameValue(wanted, present) || (open && isSameValue(open.value, wanted))) return;
  if (open) await decideProposal(trx, caller, open.id, false);
  const isUnchecked = await hasTooFewAdmins(trx, 'edit_pending_payout');
  await writeAudit(trx, caller, {
    action: isUnchecked ? 'settings.edit' : 'settings.propose',
    entityId: null,
    before: { [key]: toJournal(present) },
    after: { [key]: toJournal(wanted), ...(isUnchecked ? { unchecked: true } : {}) },
    alert: key === 'secondFactor' ? { kind: 'admin', text: settingsMessages.guardsChanged } : undefined,
  });
  if (isUnchecked) {
    await hold(trx, caller, key, wanted);
    return;
  }
  await trx
    .insertInto('settingProposals')
    .values({ key, value: JSON.stringify(wanted), proposedBy: adminId })
    .execute();
  await notifyDeciders(
    trx,
    'edit_pending_payout',
    [adminId],
    'Un réglage qui protège les versements attend une seconde personne. La demande est dans Réglages et en haut des lots de versements.',
  );
}

const toJournal = (value: GuardedValue) =>
  typeof value === 'object' && value !== null ? { ...value, iban: masked(value.iban), bic: masked(value.bic) } : value;

/** Applies a guarded value; admins with edit_admins are notified of a changed bank account. */
async function hold(trx: Trx, caller: Caller, key: GuardedSetting, value: GuardedValue): Promise<void> {
  const { house } = await readSettings(trx);
  if (typeof value === 'object' && value !== null) {
    await storeSettings(trx, caller, [{ key: 'house', value: { ...house, ...value } }]);
    await notifyEditors(trx, {
      subject: 'Le compte bancaire de la maison change',
      text: `Bonjour,

Les versements ${de(house.name)} partent désormais du compte ${masked(value.iban) || '(aucun)'}, au lieu de ${masked(house.iban) || '(aucun)'}.

Si vous n’attendiez pas ce changement, prévenez votre responsable sans attendre.
`,
    });
  } else if (key !== 'houseBank') await storeSettings(trx, caller, [{ key, value }]);
}

async function decideProposal(trx: Trx, caller: Caller, id: number, isApproved: boolean): Promise<void> {
  await trx
    .updateTable('settingProposals')
    .set({ decidedBy: caller.adminId, decidedAt: sql<Date>`now()`, isApproved })
    .where('id', '=', id)
    .execute();
}

/**
 * Applies a proposed value.
 * @throws AppError not_found without a proposal; conflict when it was replaced; forbidden for its proposer and admins
 * who depend on them
 */
export async function approveProposal(trx: Trx, caller: Caller, key: GuardedSetting, seen: GuardedValue) {
  await sql`SELECT pg_advisory_xact_lock(7243, 6)`.execute(trx);
  const proposal = await findProposal(trx, key);
  if (!proposal || caller.adminId === null) throw notFound();
  const value = GuardedValue.parse(proposal.value);
  if (!isSameValue(value, seen)) throw conflict();
  const { isIndependent } = await readIndependence(trx);
  if (!isIndependent(caller.adminId, proposal.proposedBy)) {
    throw new AppError('forbidden', payoutMessages.approverDepends);
  }
  if (typeof value === 'object' && value !== null) refuseBankFaults(value);
  const present = guardedValue(await readSettings(trx), key);
  await decideProposal(trx, caller, proposal.id, true);
  await hold(trx, caller, key, value);
  await writeAudit(trx, caller, {
    action: 'settings.approve',
    entityId: null,
    before: { [key]: toJournal(present) },
    after: { [key]: toJournal(value) },
    alert: nightAlert('Un réglage qui protège les versements est approuvé la nuit.'),
  });
}

/** @throws AppError not_found without a proposal */
export async function withdrawProposal(trx: Trx, caller: Caller, key: GuardedSetting): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 6)`.execute(trx);
  const proposal = await findProposal(trx, key);
  if (!proposal) throw notFound();
  await decideProposal(trx, caller, proposal.id, false);
  await writeAudit(trx, caller, {
    action: 'settings.withdraw',
    entityId: null,
    before: { [key]: toJournal(GuardedValue.parse(proposal.value)) },
  });
}

function withoutUndefined(values: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
