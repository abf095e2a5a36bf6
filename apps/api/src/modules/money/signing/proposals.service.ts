import type { AuditAction } from '@regie/contract/audit.ts';
import type { Capability } from '@regie/contract/capabilities.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { sql } from 'kysely';
import { type Actor, type AuditEntry, adminName, writeAudits } from '#src/lib/audit.ts';
import { type Database, queryRows, type Trx } from '#src/lib/db.ts';
import { AppError, conflict } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import * as signing from './signing.service.ts';

export type ProposalKind = 'adjustment' | 'setting' | 'access' | 'set' | 'batch';

export interface Proposal {
  id: number;
  kind: ProposalKind;
  /** The id of the account or admin, or the setting's name. */
  target: string;
  value: unknown;
  entryId: number;
  proposedBy: number;
  proposerName: string;
  proposedAt: Date;
  /** Null while it waits. */
  isDone: boolean | null;
}

interface Kind {
  sign: AuditAction;
  /** Who sees it besides signatories. */
  rights: readonly Capability[];
  /** EUR that it moves, signed. */
  amountOf?: (value: unknown) => string;
  apply: (trx: Trx, actor: Actor, proposal: Proposal) => Promise<void>;
}
const kinds = new Map<ProposalKind, Kind>();

export function defineProposal(kind: ProposalKind, definition: Kind) {
  kinds.set(kind, definition);
  return (trx: Trx, caller: Caller, change: Change) => propose(trx, caller, kind, change);
}

export function kindOf({ kind }: Pick<Proposal, 'kind'>): Kind {
  const definition = kinds.get(kind);
  if (!definition) throw new Error(`no service defines the proposals of ${kind}`);
  return definition;
}

/** Waiting changes, oldest first, or this one in any state. */
export const listProposals = (
  db: Database,
  { id = null, kind = null, target = null }: { id?: number | null; kind?: ProposalKind | null; target?: string | null },
) => queryRows<Proposal>(db)`
    SELECT id, kind, target, value, entry_id, proposed_by, ${adminName('proposed_by')} AS proposer_name, proposed_at, is_done FROM proposals
     WHERE (ended_at IS NULL OR id = ${id}) AND id = coalesce(${id}::bigint, id) AND kind = coalesce(${kind}::text, kind)
       AND target = coalesce(${target}::text, target) ORDER BY id`;

export const findProposal = async (db: Database, kind: ProposalKind, target: string | number) =>
  (await listProposals(db, { kind, target: String(target) }))[0];

/** Of a change of access nothing stays. */
export async function endProposal(trx: Trx, { id }: Proposal, endedBy: number | null, isDone = false): Promise<void> {
  await signing.endSignatures(trx, { shown: [{ subject: 'proposal', id }] });
  await sql`
    UPDATE proposals SET ended_at = now(), ended_by = ${endedBy}, is_done = ${isDone},
           value = CASE WHEN kind = 'access' THEN '{}' ELSE value END WHERE id = ${id}`.execute(trx);
}

export const proposalShown = ({ id }: Proposal) => ({ subject: 'proposal' as const, id, version: String(id) });

/** Nobody signs a change of their own access. */
export const isBarred = ({ kind, target }: Proposal, adminId: number | null): boolean =>
  kind === 'access' && target === String(adminId);

interface Change {
  target: string | number;
  value: unknown;
  /** What the journal, and those who sign, see of it. */
  entry: AuditEntry;
  /** Also happens later without signatures, so an empty set does not refuse it. */
  isForLater?: boolean;
}

/**
 * Replaces an open proposal for the target. A proposing signatory signs by it, which may carry it out at once.
 * @returns the proposal, unless it is done
 * @throws conflict in an empty set
 */
async function propose(
  trx: Trx,
  caller: Caller,
  kind: ProposalKind,
  { target, value, entry, isForLater = false }: Change,
): Promise<Proposal | undefined> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  await signing.lockSignatures(trx);
  if (!isForLater && (await signing.listSignatories(trx)).length === 0) throw conflict(signatureMessages.nobody);
  const open = await findProposal(trx, kind, target);
  if (open) {
    await endProposal(trx, open, caller.adminId);
    const withdrawn = { action: kindOf(open).sign, before: null, after: { withdrawn: true }, alert: undefined };
    await writeAudits(trx, caller, [{ ...entry, ...withdrawn }]);
  }
  const [entryId] = await writeAudits(trx, caller, [entry]);
  await sql`
    INSERT INTO proposals (kind, target, value, entry_id, proposed_by)
    VALUES (${kind}, ${String(target)}, ${JSON.stringify(value)}::jsonb, ${entryId}, ${caller.adminId})`.execute(trx);
  const proposal = await findProposal(trx, kind, target);
  if (!proposal) throw new Error('a proposal was not stored');
  if (!isBarred(proposal, caller.adminId)) await signing.signByAct(trx, caller, [proposalShown(proposal)]);
  return (await completeProposal(trx, caller, proposal)) ? undefined : proposal;
}

/** Carries out a signed proposal. @returns whether it is done */
export async function completeProposal(trx: Trx, caller: Caller, proposal: Proposal): Promise<boolean> {
  if (!(await signing.useSignatures(trx, [proposalShown(proposal)])).has(proposal.id)) return false;
  await kindOf(proposal).apply(trx, caller, proposal);
  await endProposal(trx, proposal, caller.adminId, true);
  return true;
}

/** Its proposer, or any proven signatory. */
export const mayEnd = async (db: Database, { adminId, session }: Caller, { proposedBy }: Proposal): Promise<boolean> =>
  adminId === proposedBy || (signing.isProven(session) && (await signing.isSignatory(db, adminId)));
