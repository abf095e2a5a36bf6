import type { Database, Trx } from '#src/lib/db.ts';
import * as staff from './staff.service.ts';

/** Whether `adminId` may be the second person to what `otherId` does (decisions §5, §9). */
export function isIndependent(db: Database | Trx, adminId: number, otherId: number): Promise<boolean> {
  return staff.isIndependent(db, adminId, otherId);
}
