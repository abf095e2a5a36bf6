import { AuditAction, auditActions, findAuditField, flattenFields } from '@regie/contract/audit.ts';
import type { Database } from '#src/lib/db.ts';

/** Actions, kinds, fields and coded values in the stored journal that the contract does not define. */
export async function findUnnamed(owner: Database): Promise<string[]> {
  const entries = await owner.selectFrom('auditLog').select(['action', 'entity', 'before', 'after']).execute();
  const unnamed = new Set<string>();
  for (const { action: stored, entity, before, after } of entries) {
    const action = AuditAction.safeParse(stored).data;
    if (action === undefined || auditActions[action] !== entity) {
      unnamed.add(`${stored} of ${entity}`);
      continue;
    }
    for (const state of [before, after]) {
      for (const [path, value] of flattenFields(state as Record<string, unknown> | null)) {
        const field = findAuditField(action, path);
        const words = field?.[0];
        if (field === undefined) unnamed.add(`${action}: ${path}`);
        else if (typeof words === 'object') {
          for (const word of [value].flat()) {
            if (word !== null && !(String(word) in words)) unnamed.add(`${action}: ${path} = ${word}`);
          }
        }
      }
    }
  }
  return [...unnamed];
}
