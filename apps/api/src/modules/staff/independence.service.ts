import { createHash } from 'node:crypto';
import type { Capability } from '@regie/contract/capabilities.ts';
import { sql } from 'kysely';
import { isAction } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';

type Db = Database | Trx;

/** New admins cannot approve for some days, so that the others notice them. */
const newcomerDays = 7;

/** Stands for the provider's operators among the makers: they could act as every admin who signs in there. */
export const providerId = 0;

interface Link {
  maker: number;
  admin: number;
  /**
   * Made: created or invited. Otherwise: given capabilities, an e-mail address or a password, or had a factor removed.
   */
  isMade: boolean;
  at: Date;
}

interface StaffGraph {
  /** Ids of all admins, including deleted ones. */
  ids: readonly number[];
  /** Ids of admins who joined at least `newcomerDays` ago. */
  settled: ReadonlySet<number>;
  links: readonly Link[];
  /** When somebody last vouched for an admin, by id. */
  vouchedAt: ReadonlyMap<number, Date>;
}

async function readGraph(db: Db): Promise<StaffGraph> {
  const [admins, links, vouches] = await Promise.all([
    sql<{ id: number; isSettled: boolean }>`
      SELECT id, created_by IS NULL AND NOT is_from_provider OR created_at <= now() - make_interval(days => ${newcomerDays}) AS is_settled
        FROM admins`.execute(db),
    sql<Link>`
      SELECT created_by AS maker, id AS admin, true AS is_made, created_at AS at FROM admins WHERE created_by IS NOT NULL
      UNION ALL
      SELECT invited_by, used_by, true, used_at FROM invitations WHERE used_by IS NOT NULL
      UNION ALL
      SELECT ${providerId}, i.admin_id, a.is_from_provider, i.linked_at
        FROM admin_identities i JOIN admins a ON a.id = i.admin_id
      UNION ALL
      SELECT ${providerId}, entity_id::bigint, false, at FROM audit_log
       WHERE entity = 'admin' AND ${isAction('admin.follow_provider')}
         AND NOT before -> 'capabilities' @> (after -> 'capabilities')
      UNION ALL
      SELECT admin_id, entity_id::bigint, false, at FROM audit_log
       WHERE entity = 'admin' AND admin_id IS NOT NULL AND admin_id::text <> entity_id
         AND (${isAction('admin.lift_factor')}
           OR ${isAction('admin.edit')} AND (after ? 'passwordChanged' OR after -> 'email' <> before -> 'email'
             OR NOT before -> 'capabilities' @> (after -> 'capabilities')))
      UNION ALL
      -- A job lifts it where nobody confirmed: whoever asked had it done.
      SELECT asked_by, admin_id, false, ended_at FROM factor_lifts WHERE is_lifted`.execute(db),
    sql<{ adminId: number; at: Date }>`SELECT admin_id, max(at) AS at FROM admin_vouches GROUP BY admin_id`.execute(db),
  ]);
  return {
    ids: admins.rows.map(({ id }) => id),
    settled: new Set(admins.rows.filter(({ isSettled }) => isSettled).map(({ id }) => id)),
    links: links.rows,
    vouchedAt: new Map(vouches.rows.map(({ adminId, at }) => [adminId, at])),
  };
}

/** All admins who could act as this one: themselves, their makers since the last vouching, and those admins' makers. */
function controllersOf({ links, vouchedAt }: StaffGraph, adminId: number, isMadeOnly: boolean): Set<number> {
  const found = new Set([adminId]);
  for (const admin of found) {
    const vouched = vouchedAt.get(admin)?.getTime();
    for (const link of links) {
      if (link.admin !== admin || (isMadeOnly && !link.isMade)) continue;
      if (vouched === undefined || link.at.getTime() > vouched) found.add(link.maker);
    }
  }
  return found;
}

/** The version that vouching for this admin refers to: every act that let others act as them, with its time. */
function versionOf(graph: StaffGraph, adminId: number): string {
  const acts = [...controllersOf(graph, adminId, false)].flatMap((id) => {
    const vouched = graph.vouchedAt.get(id)?.getTime() ?? 0;
    return graph.links
      .filter(({ admin, at }) => admin === id && at.getTime() > vouched)
      .map(({ maker, admin, at }) => `${maker} ${admin} ${at.getTime()}`);
  });
  return createHash('sha256').update(acts.sort().join('\n')).digest('hex').slice(0, 16);
}

function areApart(graph: StaffGraph, one: number, other: number, isMadeOnly = false): boolean {
  const controllers = controllersOf(graph, one, isMadeOnly);
  const others = [...controllersOf(graph, other, isMadeOnly)];
  // The provider's operators could be any of the admins.
  if (!isMadeOnly && (controllers.has(providerId) || others.includes(providerId))) return false;
  return others.every((id) => !controllers.has(id));
}

/** The current answers to who is independent of whom. */
export interface Independence {
  /** Whether nobody could act as both admins. */
  areApart: (one: number, other: number) => boolean;
  /** The same, and the second one is not a newcomer. */
  isIndependent: (secondId: number, firstId: number) => boolean;
  /** This admin and all who count as the same person: somebody could act as both. */
  samePersonAs: (adminId: number) => number[];
  /** The other admins who could act as this one. */
  makersOf: (adminId: number) => number[];
  /** Changes whenever somebody new could act as this admin or as their makers. */
  versionOf: (adminId: number) => string;
}

export async function readIndependence(db: Db): Promise<Independence> {
  const graph = await readGraph(db);
  return {
    areApart: (one, other) => areApart(graph, one, other),
    isIndependent: (secondId, firstId) => graph.settled.has(secondId) && areApart(graph, secondId, firstId),
    samePersonAs: (adminId) => graph.ids.filter((id) => id === adminId || !areApart(graph, id, adminId)),
    makersOf: (adminId) => [...controllersOf(graph, adminId, false)].filter((id) => id !== adminId),
    versionOf: (adminId) => versionOf(graph, adminId),
  };
}

/**
 * Whether one admin may be the second person for another's actions (product §39.17): nobody could act as both, and the
 * second one joined at least `newcomerDays` ago.
 */
export async function isIndependent(db: Db, secondId: number, firstId: number): Promise<boolean> {
  return (await readIndependence(db)).isIndependent(secondId, firstId);
}

/**
 * Whether no two independent admins have a capability; then actions that need a second person only show a warning
 * (product §39.17). Recent removals of capabilities, and changes that made admins dependent, are ignored here, since an
 * insider could cause them.
 */
export async function hasTooFewAdmins(db: Db, capability: Capability): Promise<boolean> {
  const { graph, able } = await readAble(db, capability);
  return !able.some((one, index) => able.slice(index + 1).some((other) => areApart(graph, one, other, true)));
}

/**
 * Whether no admin with a capability could be the second person for this one; like `hasTooFewAdmins` for a single
 * admin.
 */
export async function isWithoutSecondPerson(db: Db, capability: Capability, adminId: number): Promise<boolean> {
  const { graph, able } = await readAble(db, capability);
  return !able.some((id) => areApart(graph, id, adminId, true));
}

/** Admins who have a capability, or had it recently, and are not newcomers. */
async function readAble(db: Db, capability: Capability): Promise<{ graph: StaffGraph; able: number[] }> {
  const { rows } = await sql<{ id: number }>`
    SELECT c.admin_id AS id FROM admin_capabilities c JOIN admins a ON a.id = c.admin_id
     WHERE c.capability = ${capability} AND a.deleted_at IS NULL
     UNION
    SELECT entity_id::bigint FROM audit_log
     WHERE entity = 'admin'
       AND (${isAction('admin.edit', 'admin.delete')} AND admin_id IS NOT NULL OR ${isAction('admin.follow_provider')})
       AND at > now() - make_interval(days => ${newcomerDays}) AND before -> 'capabilities' ? ${capability}`.execute(
    db,
  );
  const graph = await readGraph(db);
  return { graph, able: rows.map(({ id }) => id).filter((id) => graph.settled.has(id)) };
}
