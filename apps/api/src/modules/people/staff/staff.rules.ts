import {
  type Capability,
  capabilities,
  findCapabilityById,
  getCapability,
  withImplied,
} from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { AppError, invalid } from '#src/lib/errors.ts';

/** What an action is checked against. */
export interface Rights {
  id: number;
  capabilities: ReadonlySet<Capability>;
}

/** Admins grant and change only what they have (product §35.3). */
function holdsAll(rights: Rights, wanted: Iterable<Capability>): boolean {
  for (const name of wanted) if (!rights.capabilities.has(name)) return false;
  return true;
}

export function canEditAdmin(caller: Rights, target: Rights): boolean {
  return caller.capabilities.has('edit_admins') && holdsAll(caller, target.capabilities);
}

export function canDeleteAdmin(caller: Rights, target: Rights): boolean {
  return caller.id !== target.id && caller.capabilities.has('delete_admins') && holdsAll(caller, target.capabilities);
}

/** By wire id, in the contract's order. @throws validation_failed on `capabilities` */
export function toCapabilities(ids: readonly number[]): Capability[] {
  const names = new Set<Capability>();
  for (const id of ids) {
    const row = findCapabilityById(id);
    if (!row) throw invalid({ capabilities: messages.invalidChoice });
    names.add(row.name);
  }
  return capabilities.map((row) => row.name).filter((name) => names.has(name));
}

export function toCapabilityIds(names: Iterable<Capability>): number[] {
  return [...names].map((name) => getCapability(name).id).sort((a, b) => a - b);
}

/** @throws forbidden for a capability the caller lacks */
export function checkGrant(caller: Rights, granted: readonly Capability[]): void {
  if (!holdsAll(caller, granted)) {
    throw new AppError('forbidden', 'Vous ne pouvez accorder que les droits que vous avez vous-même');
  }
}

/** @throws forbidden when target or grant has a capability the caller lacks, or the caller reduces their own */
export function checkEdit(caller: Rights, target: Rights, granted: readonly Capability[]): void {
  if (!canEditAdmin(caller, target)) {
    throw new AppError(
      'forbidden',
      'Cet administrateur a des droits que vous n’avez pas\u00A0: vous ne pouvez pas le modifier',
    );
  }
  checkGrant(caller, granted);
  const rights = new Set(withImplied(granted));
  if (caller.id === target.id && [...target.capabilities].some((name) => !rights.has(name))) {
    throw new AppError(
      'forbidden',
      'Vous ne pouvez pas retirer vos propres droits\u00A0: demandez-le à un autre administrateur',
    );
  }
}

/** @throws forbidden */
export function checkDelete(caller: Rights, target: Rights): void {
  if (caller.id === target.id) {
    throw new AppError('forbidden', 'Vous ne pouvez pas supprimer votre propre compte');
  }
  if (!canDeleteAdmin(caller, target)) {
    throw new AppError(
      'forbidden',
      'Cet administrateur a des droits que vous n’avez pas\u00A0: vous ne pouvez pas le supprimer',
    );
  }
}
