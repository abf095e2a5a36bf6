import type { Capability } from '@regie/contract/capabilities.ts';
import { sql } from 'kysely';
import { type Database, exists, queryRow, queryValue, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import { hasWords } from '#src/lib/text-search.ts';

export interface AdminRow {
  id: number;
  firstName: string;
  lastName: string;
  email: string;
  capabilities: Capability[];
}

const capabilitiesOf = sql<Capability[]>`ARRAY(
  SELECT c.capability FROM admin_capabilities c WHERE c.admin_id = a.id ORDER BY c.capability)`;

export const findAdmin = (db: Database, id: number) => queryRow<AdminRow>(db)`
    SELECT a.id, a.first_name, a.last_name, a.email, ${capabilitiesOf} AS capabilities
      FROM admins a WHERE a.id = ${id} AND a.deleted_at IS NULL`;

export function findAdminByEmail(db: Database, email: string) {
  return queryRow<{ id: number; passwordHash: string | null }>(db)`
    SELECT id, password_hash FROM admins WHERE email = ${email} AND deleted_at IS NULL`;
}

type AdminQuery = ListQuery<'name' | 'email' | 'id'>;
type ListedAdmin = AdminRow & { createdAt: Date; lastSeenAt: Date | null; hasFactor: boolean; isLinked: boolean };

/** `issuer` marks its linked admins. */
export async function listAdmins(db: Database, query: AdminQuery, issuer: string | undefined) {
  const page = keyset(
    query,
    {
      name: { expression: sql`fold(a.last_name || ' ' || a.first_name)`, type: 'text' },
      email: { expression: sql`lower(a.email::text)`, type: 'text' },
      id: { expression: sql`a.id`, type: 'bigint' },
    },
    sql`a.id`,
  );
  return readPage<ListedAdmin>(db, page, {
    columns: sql`a.id, a.first_name, a.last_name, a.email, a.created_at, ${capabilitiesOf} AS capabilities,
      (SELECT max(s.last_seen_at) FROM sessions s WHERE s.admin_id = a.id) AS last_seen_at,
      EXISTS (SELECT FROM second_factors f WHERE f.admin_id = a.id AND f.removed_at IS NULL) AS has_factor,
      EXISTS (SELECT FROM admin_identities i WHERE i.admin_id = a.id AND i.issuer = ${issuer ?? null}) AS is_linked`,
    from: sql`admins a`,
    row: 'a',
    where: [
      sql`a.deleted_at IS NULL`,
      query.q ? hasWords(sql`fold(a.first_name || ' ' || a.last_name || ' ' || a.email::text)`, query.q) : sql`true`,
    ],
  });
}

/** By SQL like other lists. */
export async function pageCapabilityIds(db: Database, query: AdminQuery, ids: number[]) {
  const position = { expression: sql`capability.id`, type: 'bigint' } as const;
  const page = keyset(query, { name: position, email: position, id: position }, sql`capability.id`);
  return readPage<{ id: number }>(db, page, {
    columns: sql`capability.id`,
    from: sql`unnest(${ids}::bigint[]) AS capability (id)`,
    row: 'capability',
    where: [sql`true`],
  });
}

/** Newest first; one page holds them. */
export function listOpenInvitations(db: Database, limit: number) {
  return db
    .selectFrom('invitations as i')
    .innerJoin('admins as a', 'a.id', 'i.invitedBy')
    .select(['i.id', 'i.email', 'i.expiresAt', 'i.deliveryFailedAt', 'a.firstName', 'a.lastName'])
    .select(sql<Capability[]>`i.capabilities`.as('capabilities'))
    .where('i.usedAt', 'is', null)
    .where('i.withdrawnAt', 'is', null)
    .where('i.expiresAt', '>', sql<Date>`now()`)
    .orderBy('i.id', 'desc')
    .limit(limit)
    .execute();
}

export function findOpenInvitation(db: Database, by: { id: number } | { email: string }) {
  const query = db
    .selectFrom('invitations')
    .select(['id', 'email', 'expiresAt'])
    .select(sql<boolean>`expires_at > now()`.as('isValid'))
    .select(sql<Capability[]>`capabilities`.as('capabilities'))
    .where('usedAt', 'is', null)
    .where('withdrawnAt', 'is', null);
  return ('id' in by ? query.where('id', '=', by.id) : query.where('email', '=', by.email)).executeTakeFirst();
}

export async function withdrawInvitations(db: Trx, by: { id: number } | { invitedBy: number }): Promise<void> {
  const query = db
    .updateTable('invitations')
    .set({ withdrawnAt: sql<Date>`now()` })
    .where('usedAt', 'is', null)
    .where('withdrawnAt', 'is', null);
  await ('id' in by ? query.where('id', '=', by.id) : query.where('invitedBy', '=', by.invitedBy)).execute();
}

export async function setCapabilities(trx: Trx, adminId: number, names: readonly Capability[]): Promise<void> {
  await trx.deleteFrom('adminCapabilities').where('adminId', '=', adminId).execute();
  if (names.length > 0) {
    await trx
      .insertInto('adminCapabilities')
      .values(names.map((capability) => ({ adminId, capability })))
      .execute();
  }
}

export async function setPassword(trx: Trx, adminId: number, passwordHash: string): Promise<void> {
  await trx.updateTable('admins').set({ passwordHash }).where('id', '=', adminId).execute();
  // An earlier reset link would undo the change.
  await trx.deleteFrom('passwordResets').where('adminId', '=', adminId).execute();
}

/** With edit_admins. */
export const countOtherEditors = (trx: Trx, adminId: number) => queryValue<number>(trx)`
    SELECT count(*) FROM admin_capabilities c JOIN admins a ON a.id = c.admin_id
     WHERE c.capability = 'edit_admins' AND a.deleted_at IS NULL AND a.id <> ${adminId}`;

/** Also deleted ones. */
export function findIdentity(trx: Trx, issuer: string, subject: string) {
  return queryRow<{ adminId: number; isDeleted: boolean }>(trx)`
    SELECT i.admin_id, a.deleted_at IS NOT NULL AS is_deleted
      FROM admin_identities i JOIN admins a ON a.id = i.admin_id
     WHERE i.issuer = ${issuer} AND i.subject = ${subject}`;
}

export const isLinked = (db: Database, adminId: number, issuer: string) => exists(db)`
    SELECT FROM admin_identities WHERE admin_id = ${adminId} AND issuer = ${issuer}`;

/** The identity moves to an admin who was added again. */
export async function saveIdentity(
  trx: Trx,
  identity: { issuer: string; subject: string; adminId: number },
): Promise<void> {
  await trx
    .insertInto('adminIdentities')
    .values(identity)
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'subject']).doUpdateSet({ adminId: identity.adminId, linkedAt: sql<Date>`now()` }),
    )
    .execute();
}

export const findByName = (trx: Trx, name: string, exceptId: number) => queryRow<{ id: number }>(trx)`
    SELECT id FROM admins
     WHERE lower(first_name || ' ' || last_name) = lower(${name}) AND id <> ${exceptId} AND deleted_at IS NULL`;

export const wasDeleted = (trx: Trx, email: string) => exists(trx)`
    SELECT FROM admins WHERE email = ${email} AND deleted_at IS NOT NULL`;
