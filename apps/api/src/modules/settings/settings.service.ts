import { createHash } from 'node:crypto';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { ApprovalProposal, SettingsAnswer, SettingsForm } from '@regie/contract/routes/settings.ts';
import { factorMessages } from '@regie/contract/second-factors.ts';
import { defaultSettings, type SettingName, Settings, settingNames } from '@regie/contract/settings.ts';
import { sql } from 'kysely';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, notFound } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { isIndependent } from '#src/modules/staff/staff.service.ts';

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

/**
 * The same values have the same version, whoever wrote them: a stale form is one that has not seen these. The threshold
 * is none of them: no form writes it, and its approval makes nobody's form stale.
 */
function versionOf({ payoutApprovalEur: _proposed, ...written }: Settings): string {
  return createHash('sha256').update(JSON.stringify(written)).digest('base64url').slice(0, 22);
}

/** The settings as their screen shows them. */
export async function describeSettings(db: Database | Trx, caller: Caller): Promise<SettingsAnswer> {
  const rows = await listStored(db);
  const settings = toSettings(rows);
  return {
    settings,
    version: versionOf(settings),
    updatedAt: rows[0]?.updatedAt.getTime() ?? null,
    updatedBy: rows[0]?.updatedBy ?? null,
    proposal: await describeProposal(db, caller, settings.payoutApprovalEur),
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
  const { version, payoutApprovalEur: threshold, ...given } = form;
  if (version !== versionOf(before)) throw conflict();
  if (threshold !== undefined) await proposeThreshold(trx, caller, before.payoutApprovalEur, threshold);
  const after: Settings = { ...before, ...withoutUndefined(given) };
  if (after.secondFactor !== before.secondFactor && !caller.can('edit_admins')) {
    throw new AppError('forbidden', factorMessages.policyNeedsEditAdmins);
  }
  const changed = settingNames.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length > 0) {
    await storeSettings(
      trx,
      caller,
      changed.map((key) => ({ key, value: after[key] })),
    );
    const changes = changed.map((name) => ({ name, ...describeChange(before[name], after[name]) }));
    await writeAudit(trx, caller, {
      action: 'settings.edit',
      entity: 'settings',
      entityId: null,
      before: Object.fromEntries(changes.map(({ name, old }) => [name, old])),
      after: Object.fromEntries(changes.map(({ name, now }) => [name, now])),
    });
  }
  return describeSettings(trx, caller);
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

/* payoutApprovalEur: changing it needs the very approval that it asks for (decisions §3). */

const findProposal = (db: Database | Trx) =>
  db
    .selectFrom('settingProposals as p')
    .innerJoin('admins as a', 'a.id', 'p.proposedBy')
    .select(['p.id', 'p.value', 'p.proposedBy', 'p.proposedAt'])
    .select(sql<string>`a.first_name || ' ' || a.last_name`.as('name'))
    .where('p.key', '=', 'payoutApprovalEur')
    .where('p.decidedAt', 'is', null)
    .executeTakeFirst();

async function describeProposal(
  db: Database | Trx,
  caller: Caller,
  presentEur: number,
): Promise<ApprovalProposal | null> {
  const proposal = await findProposal(db);
  if (!proposal || caller.adminId === null) return null;
  return {
    payoutApprovalEur: Number(proposal.value),
    presentEur,
    proposedBy: proposal.name,
    proposedAt: proposal.proposedAt.getTime(),
    canApprove: caller.can('edit_pending_payout') && (await isIndependent(db, caller.adminId, proposal.proposedBy)),
  };
}

/** Whoever saves the settings proposes; what was proposed before is dropped, and the present value needs nobody. */
async function proposeThreshold(trx: Trx, caller: Caller, present: number, wanted: number): Promise<void> {
  const open = await findProposal(trx);
  if (open ? Number(open.value) === wanted : present === wanted) return;
  // The form sends the present value along with whatever else it changes: that is no decision about the proposal.
  if (wanted === present || caller.adminId === null) return;
  if (open) await decideProposal(trx, caller, open.id, false);
  await trx
    .insertInto('settingProposals')
    .values({ key: 'payoutApprovalEur', value: JSON.stringify(wanted), proposedBy: caller.adminId })
    .execute();
  await writeAudit(trx, caller, {
    action: 'settings.propose',
    entity: 'settings',
    entityId: null,
    before: { payoutApprovalEur: present },
    after: { payoutApprovalEur: wanted },
  });
}

async function decideProposal(trx: Trx, caller: Caller, id: number, isApproved: boolean): Promise<void> {
  await trx
    .updateTable('settingProposals')
    .set({ decidedBy: caller.adminId, decidedAt: sql<Date>`now()`, isApproved })
    .where('id', '=', id)
    .execute();
}

/** The change of payoutApprovalEur that waits; null without one. */
export async function getProposal(db: Database | Trx, caller: Caller): Promise<ApprovalProposal | null> {
  return describeProposal(db, caller, (await readSettings(db)).payoutApprovalEur);
}

/**
 * Lets the proposed payoutApprovalEur hold.
 * @throws AppError not_found without a proposal, conflict when it is another one, forbidden for whoever proposed it or
 * depends on them
 */
export async function approveProposal(trx: Trx, caller: Caller, seenEur: number): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(7243, 6)`.execute(trx);
  const proposal = await findProposal(trx);
  if (!proposal || caller.adminId === null) throw notFound();
  const value = Number(proposal.value);
  if (value !== seenEur) throw conflict();
  if (!(await isIndependent(trx, caller.adminId, proposal.proposedBy))) {
    throw new AppError('forbidden', payoutMessages.approverDepends);
  }
  const { payoutApprovalEur: present } = await readSettings(trx);
  await decideProposal(trx, caller, proposal.id, true);
  await storeSettings(trx, caller, [{ key: 'payoutApprovalEur', value }]);
  await writeAudit(trx, caller, {
    action: 'settings.approve',
    entity: 'settings',
    entityId: null,
    before: { payoutApprovalEur: present },
    after: { payoutApprovalEur: value },
  });
  return value;
}

/** @throws AppError not_found without a proposal */
export async function withdrawProposal(trx: Trx, caller: Caller): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 6)`.execute(trx);
  const proposal = await findProposal(trx);
  if (!proposal) throw notFound();
  await decideProposal(trx, caller, proposal.id, false);
  await writeAudit(trx, caller, {
    action: 'settings.withdraw',
    entity: 'settings',
    entityId: null,
    before: { payoutApprovalEur: Number(proposal.value) },
  });
}

function withoutUndefined(values: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
