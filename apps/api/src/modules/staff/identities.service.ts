import { type Capability, capabilityNames } from '@regie/contract/capabilities.ts';
import type { ProviderFailure } from '@regie/contract/identity-provider.ts';
import { withoutLinks } from '@regie/contract/letters.ts';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Oidc, OidcPerson } from '#src/lib/oidc.ts';
import * as queries from './staff.queries.ts';
import { addAdmin, closeAccess, describeAccessChanges, lockStaff, tellAccessChanged } from './staff.service.ts';

type Provider = Pick<Oidc, 'issuer' | 'label'>;
type Found =
  | { kind: 'linked' | 'linkable'; adminId: number }
  | { kind: 'unknown' }
  | { kind: 'refused'; failure: ProviderFailure };

/** Whether this admin signs in at the provider, and therefore nowhere else. */
export function isLinked(db: Database | Trx, adminId: number, { issuer }: Pick<Oidc, 'issuer'>): Promise<boolean> {
  return queries.isLinked(db, adminId, issuer);
}

/**
 * Which admin a person of the provider is: whom their identity names, or else who has their verified address and no
 * identity of this provider yet. Locks the staff: two sign-ins at once make one admin.
 */
export async function findPerson(
  trx: Trx,
  { issuer }: Provider,
  { subject, email }: Pick<OidcPerson, 'subject' | 'email'>,
): Promise<Found> {
  await lockStaff(trx);
  const known = await queries.findIdentity(trx, issuer, subject);
  if (known && !known.isDeleted) return { kind: 'linked', adminId: known.adminId };
  const admin = await queries.findAdminByEmail(trx, email);
  if (admin && (await queries.isLinked(trx, admin.id, issuer))) return { kind: 'refused', failure: 'taken' };
  if (admin) return { kind: 'linkable', adminId: admin.id };
  // Whoever was deleted comes back when an admin adds them again, not by themselves.
  if (known || (await queries.wasDeleted(trx, email))) return { kind: 'refused', failure: 'deleted' };
  return { kind: 'unknown' };
}

/**
 * Links an admin to the person of the provider who has their address: from now on they sign in there alone. Whoever
 * runs the provider could be that person, so everything open is closed, and the admin and the journal's readers are told.
 */
export async function linkIdentity(
  trx: Trx,
  actor: Actor,
  provider: Provider,
  { adminId, subject }: { adminId: number; subject: string },
): Promise<void> {
  await queries.saveIdentity(trx, { issuer: provider.issuer, subject, adminId });
  await closeAccess(trx, adminId);
  const label = withoutLinks(provider.label);
  const change = `Votre compte se connecte maintenant avec «\u00a0${label}\u00a0»\u00a0; son mot de passe n’ouvre plus Régie.`;
  await tellAccessChanged(trx, actor, adminId, change);
  const admin = await queries.findAdmin(trx, adminId);
  const name = `${admin?.firstName} ${admin?.lastName}`;
  await writeAudit(trx, actor, {
    action: 'admin.link_identity',
    entityId: adminId,
    after: { issuer: provider.issuer },
    alert: { kind: 'admin', text: `Le compte de ${name} se connecte maintenant avec «\u00a0${label}\u00a0».` },
  });
}

/**
 * Gives an admin the capabilities that their roles at the provider stand for, no more and no less. A change ends what
 * is open (but one session) and is told, like any change of rights.
 */
export async function followProvider(
  trx: Trx,
  actor: Actor,
  adminId: number,
  granted: readonly Capability[],
  exceptSessionId?: number,
): Promise<void> {
  const admin = await queries.findAdmin(trx, adminId);
  if (!admin) return;
  const changes = describeAccessChanges(admin, { email: admin.email, capabilities: granted });
  if (changes.length === 0) return;
  await queries.setCapabilities(trx, adminId, granted);
  for (const change of changes) await tellAccessChanged(trx, actor, adminId, change);
  await closeAccess(trx, adminId, { exceptSessionId });
  await writeAudit(trx, actor, {
    action: 'admin.follow_provider',
    entityId: adminId,
    before: { capabilities: admin.capabilities },
    after: { capabilities: granted },
  });
}

/** Ends what is open of an admin whose roles at the provider stand for nothing any more, and takes their rights away. */
export async function closeRoleless(trx: Trx, actor: Actor, adminId: number): Promise<void> {
  await followProvider(trx, actor, adminId, []);
  await closeAccess(trx, adminId);
}

const maxNameLength = 40;
const nameOf = (text: string, fallback: string) => (text || fallback).slice(0, maxNameLength).trim() || fallback;

/** Adds the admin that a person of the provider becomes at their first sign-in, with nobody's password. */
export async function addFromProvider(
  trx: Trx,
  actor: Actor,
  { issuer }: Provider,
  person: OidcPerson,
): Promise<number> {
  const fallback = (person.email.split('@')[0] ?? '').slice(0, maxNameLength) || 'Sans nom';
  const id = await addAdmin(
    trx,
    actor,
    {
      firstName: nameOf(person.firstName, fallback),
      lastName: nameOf(person.lastName, fallback),
      email: person.email,
      passwordHash: null,
      isFromProvider: true,
      capabilities: capabilityNames.filter((name) => person.capabilities.includes(name)),
    },
    'auth.provider_signup',
  );
  await queries.saveIdentity(trx, { issuer, subject: person.subject, adminId: id });
  return id;
}
