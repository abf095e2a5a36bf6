import type { Capability } from '@regie/contract/capabilities.ts';
import { sql } from 'kysely';
import type { Database, Trx } from '#src/lib/db.ts';

type Db = Database | Trx;

/** Who was added by somebody approves nothing at first: the others have time to hear of them. */
const newcomerDays = 7;

/** Stands among the makers for whoever runs the identity provider: they could act as everybody who signs in there. */
export const providerId = 0;

interface Link {
  maker: number;
  admin: number;
  /** Made: created or invited. Otherwise given rights, an e-mail address or a password, or freed of a lost factor. */
  isMade: boolean;
  at: Date;
}

interface StaffGraph {
  /** Ids of admins who are no newcomers. */
  settled: ReadonlySet<number>;
  links: readonly Link[];
  /** When somebody last vouched for an admin, by id. */
  vouchedAt: ReadonlyMap<number, Date>;
}

async function readGraph(db: Db): Promise<StaffGraph> {
  const [admins, links, vouches] = await Promise.all([
    sql<{ id: number }>`
      SELECT id FROM admins
       WHERE created_by IS NULL AND NOT is_from_provider OR created_at <= now() - make_interval(days => ${newcomerDays})`.execute(
      db,
    ),
    sql<Link>`
      SELECT created_by AS maker, id AS admin, true AS is_made, created_at AS at FROM admins WHERE created_by IS NOT NULL
      UNION ALL
      SELECT invited_by, used_by, true, used_at FROM invitations WHERE used_by IS NOT NULL
      UNION ALL
      SELECT ${providerId}, i.admin_id, a.is_from_provider, i.linked_at
        FROM admin_identities i JOIN admins a ON a.id = i.admin_id
      UNION ALL
      SELECT ${providerId}, entity_id::bigint, false, at FROM audit_log
       WHERE entity = 'admin' AND action = 'admin.follow_provider'
         AND NOT before -> 'capabilities' @> (after -> 'capabilities')
      UNION ALL
      SELECT admin_id, entity_id::bigint, false, at FROM audit_log
       WHERE entity = 'admin' AND admin_id IS NOT NULL AND admin_id::text <> entity_id
         AND (action = 'admin.lift_factor'
           OR action = 'admin.edit' AND (after ? 'passwordChanged' OR after -> 'email' <> before -> 'email'
             OR NOT before -> 'capabilities' @> (after -> 'capabilities')))
      UNION ALL
      -- A job lifts it where nobody confirmed: whoever asked had it done.
      SELECT asked_by, admin_id, false, ended_at FROM factor_lifts WHERE is_lifted`.execute(db),
    sql<{ adminId: number; at: Date }>`SELECT admin_id, max(at) AS at FROM admin_vouches GROUP BY admin_id`.execute(db),
  ]);
  return {
    settled: new Set(admins.rows.map(({ id }) => id)),
    links: links.rows,
    vouchedAt: new Map(vouches.rows.map(({ adminId, at }) => [adminId, at])),
  };
}

/** Everybody who may act as this admin: themselves, who made them since somebody last vouched for them, who made those. */
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

function areApart(graph: StaffGraph, one: number, other: number, isMadeOnly = false): boolean {
  const controllers = controllersOf(graph, one, isMadeOnly);
  const others = [...controllersOf(graph, other, isMadeOnly)];
  // Who runs the provider may be any of the admins.
  if (!isMadeOnly && (controllers.has(providerId) || others.includes(providerId))) return false;
  return others.every((id) => !controllers.has(id));
}

/** Who may be the second person to whom, as it stands now. */
export interface Independence {
  /** Whether nobody could act as both admins. */
  areApart: (one: number, other: number) => boolean;
  /** The same, where the second one is no newcomer either. */
  isIndependent: (secondId: number, firstId: number) => boolean;
  /** Those other admins who may act as this one. */
  makersOf: (adminId: number) => number[];
}

export async function readIndependence(db: Db): Promise<Independence> {
  const graph = await readGraph(db);
  return {
    areApart: (one, other) => areApart(graph, one, other),
    isIndependent: (secondId, firstId) => graph.settled.has(secondId) && areApart(graph, secondId, firstId),
    makersOf: (adminId) => [...controllersOf(graph, adminId, false)].filter((id) => id !== adminId),
  };
}

/**
 * Whether one admin may be the second person to what the other does (decisions §9, 17): nobody could act as both of them,
 * and the second one joined at least `newcomerDays` ago.
 */
export async function isIndependent(db: Db, secondId: number, firstId: number): Promise<boolean> {
  return (await readIndependence(db)).isIndependent(secondId, firstId);
}

/**
 * Whether no two independent admins could act with a capability: then acts that need a second person go through with a
 * warning (decisions §9, 17). Rights that were taken away within the last days, and changes of an admin that made them
 * dependent, do not make a house small: whoever wants to act alone could bring them about.
 */
export async function isHouseTooSmall(db: Db, capability: Capability): Promise<boolean> {
  const { graph, able } = await readAble(db, capability);
  return !able.some((one, index) => able.slice(index + 1).some((other) => areApart(graph, one, other, true)));
}

/** Whether nobody with a capability could be the second person for this admin: like `isHouseTooSmall`, for one of them. */
export async function isWithoutSecondPerson(db: Db, capability: Capability, adminId: number): Promise<boolean> {
  const { graph, able } = await readAble(db, capability);
  return !able.some((id) => areApart(graph, id, adminId, true));
}

/** The admins who hold a capability, or did lately, and are no newcomers. */
async function readAble(db: Db, capability: Capability): Promise<{ graph: StaffGraph; able: number[] }> {
  const { rows } = await sql<{ id: number }>`
    SELECT c.admin_id AS id FROM admin_capabilities c JOIN admins a ON a.id = c.admin_id
     WHERE c.capability = ${capability} AND a.deleted_at IS NULL
     UNION
    SELECT entity_id::bigint FROM audit_log
     WHERE entity = 'admin'
       AND (action IN ('admin.edit', 'admin.delete') AND admin_id IS NOT NULL OR action = 'admin.follow_provider')
       AND at > now() - make_interval(days => ${newcomerDays}) AND before -> 'capabilities' ? ${capability}`.execute(
    db,
  );
  const graph = await readGraph(db);
  return { graph, able: rows.map(({ id }) => id).filter((id) => graph.settled.has(id)) };
}
