import { type Capability, capabilityNames } from '@regie/contract/capabilities.ts';
import type { ProviderFailure } from '@regie/contract/identity-provider.ts';
import { withoutLinks } from '@regie/contract/letters.ts';
import { de } from '@regie/values/elision.ts';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import type { Oidc, OidcPerson } from '#src/lib/oidc.ts';
import { isSignatory } from '#src/modules/money/signing/signing.service.ts';
import { listFactors } from './factors.service.ts';
import * as queries from './staff.queries.ts';
import { addAdmin, closeAccess, describeAccessChanges, lockStaff, notifyAccessChanged } from './staff.service.ts';

type Provider = Pick<Oidc, 'issuer' | 'label'>;
type Found =
  | { kind: 'linked' | 'linkable'; adminId: number }
  | { kind: 'unknown' }
  | { kind: 'refused'; failure: ProviderFailure };

/** A linked admin has no other way to sign in. */
export const { isLinked } = queries;

/**
 * The linked admin, or one with the verified address and no identity of this provider. Locked: concurrent sign-ins
 * create one admin.
 */
export async function findPerson(
  trx: Trx,
  { issuer }: Provider,
  { subject, email }: Pick<OidcPerson, 'subject' | 'email'>,
): Promise<Found> {
  await lockStaff(trx);
  const identity = await queries.findIdentity(trx, issuer, subject);
  if (identity && !identity.isDeleted) return { kind: 'linked', adminId: identity.adminId };
  const admin = await queries.findAdminByEmail(trx, email);
  if (admin && (await queries.isLinked(trx, admin.id, issuer))) return { kind: 'refused', failure: 'taken' };
  // No provider links a signatory without their factor, which is asked for.
  if (admin && (await isSignatory(trx, admin.id)) && (await listFactors(trx, admin.id)).length === 0) {
    return { kind: 'refused', failure: 'signatory' };
  }
  if (admin) return { kind: 'linkable', adminId: admin.id };
  // Only another admin can bring back a deleted one.
  if (identity || (await queries.wasDeleted(trx, email))) return { kind: 'refused', failure: 'deleted' };
  return { kind: 'unknown' };
}

/**
 * From now on they sign in only there. The provider's operators could be that identity: sessions end, and admin and
 * journal's readers are notified.
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
  await notifyAccessChanged(trx, actor, adminId, change);
  const admin = await queries.findAdmin(trx, adminId);
  const name = `${admin?.firstName} ${admin?.lastName}`;
  await writeAudit(trx, actor, {
    action: 'admin.link_identity',
    entityId: adminId,
    after: { issuer: provider.issuer },
    alert: { kind: 'admin', text: `Le compte ${de(name)} se connecte maintenant avec «\u00a0${label}\u00a0».` },
  });
}

/** Exactly those of the provider's roles; a change ends other sessions and is notified. */
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
  for (const change of changes) await notifyAccessChanged(trx, actor, adminId, change);
  await closeAccess(trx, adminId, { exceptSessionId });
  await writeAudit(trx, actor, {
    action: 'admin.follow_provider',
    entityId: adminId,
    before: { capabilities: admin.capabilities },
    after: { capabilities: granted },
  });
}

/** An admin without a mapped role loses sessions and capabilities. */
export async function closeRoleless(trx: Trx, actor: Actor, adminId: number): Promise<void> {
  await followProvider(trx, actor, adminId, []);
  await closeAccess(trx, adminId);
}

const maxNameLength = 40;
const nameOf = (text: string, fallback: string) => (text || fallback).slice(0, maxNameLength).trim() || fallback;

/** At its first sign-in, without a password. */
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
      fname: nameOf(person.firstName, fallback),
      lname: nameOf(person.lastName, fallback),
      email: person.email,
      passwordHash: null,
      capabilities: capabilityNames.filter((name) => person.capabilities.includes(name)),
    },
    'auth.provider_signup',
  );
  await queries.saveIdentity(trx, { issuer, subject: person.subject, adminId: id });
  return id;
}
