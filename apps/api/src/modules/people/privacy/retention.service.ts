import { personalFields } from '@regie/contract/audit.ts';
import type { Term } from '@regie/contract/entity.ts';
import type { Retention } from '@regie/contract/retention.ts';
import { system, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { JobDeps } from '#src/lib/jobs.ts';
import { removeOldFiles } from '#src/lib/storage.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { lockStaff } from '#src/modules/people/staff/staff.service.ts';
import { eraseAccountData, eraseAdminData, previewErasure } from './erasure.service.ts';
import { personalData } from './personal-data.ts';
import * as queries from './privacy.queries.ts';
import * as retention from './retention.queries.ts';

const reason = 'durée de conservation';
const dayMs = 86_400_000;
const atOnce = 1000;

type Figures = Partial<
  Record<
    'journalEntries' | 'admins' | 'accounts' | 'tickets' | 'contracts' | 'invoices' | 'statements' | 'letters',
    number
  >
>;

/** Journals how much it removed, without persons (product §40.7 and §40.8). */
export async function applyRetention({ outboxDir }: { outboxDir?: string }, { db, log }: JobDeps): Promise<Figures> {
  const { retention: periods } = await readSettings(db);
  const steps: { [Name in keyof Figures]-?: () => Promise<number> } = {
    journalEntries: () => forgetOrigins(db, periods),
    admins: () => eraseLeftAdmins(db, periods),
    accounts: () => eraseClosedAccounts(db, periods),
    tickets: () => deleteTickets(db, periods),
    contracts: () => endTerm(db, 'contracts', periods.contractMonths),
    invoices: () => endTerm(db, 'accounting', periods.accountingMonths),
    statements: () => retention.binStatementFiles(db, periods.statementFileMonths),
    letters: async () => {
      const failed = await retention.deleteFailedLetters(db, periods.letterDays);
      // Written to files without a mail server.
      const before = new Date(Date.now() - periods.letterDays * dayMs);
      return failed + (outboxDir === undefined ? 0 : await removeOldFiles(outboxDir, before, '.eml'));
    },
  };
  const figures: Figures = {};
  const failures: unknown[] = [];
  for (const [name, step] of Object.entries(steps)) {
    try {
      const count = await step();
      if (count > 0) figures[name as keyof Figures] = count;
    } catch (error) {
      failures.push(error);
      log.error({ step: name, error: error instanceof Error ? error.name : 'unknown' }, 'retention failed');
    }
  }
  if (Object.keys(figures).length > 0) {
    await db
      .transaction()
      .execute((trx) => writeAudit(trx, system, { action: 'retention.apply', entityId: null, after: figures }));
  }
  log.info(figures, 'retention applied');
  if (failures.length > 0) throw new AggregateError(failures, 'retention failed in part');
  return figures;
}

/** Old origins, and what old sign-ins, letters and invitations name. */
async function forgetOrigins(db: Database, { journalOriginMonths }: Retention): Promise<number> {
  const parts: [Parameters<typeof retention.listOldEntries>[1], readonly string[]][] = [
    ['sign-ins', ['device', 'address', 'fingerprint']],
    ['letters', personalFields('mail')],
    ['invitations', personalFields('invitation')],
    ['acts', []],
  ];
  let changed = 0;
  for (const [part, fields] of parts) {
    for (;;) {
      const count = await db.transaction().execute(async (trx) => {
        const ids = await retention.listOldEntries(trx, part, fields, journalOriginMonths, atOnce);
        return queries.redactJournal(trx, ids, fields, true);
      });
      changed += count;
      if (count === 0) break;
    }
  }
  return changed;
}

async function eraseLeftAdmins(db: Database, { leftAdminMonths }: Retention): Promise<number> {
  const admins = await retention.listLongGoneAdmins(db, leftAdminMonths);
  for (const { id } of admins) {
    await db.transaction().execute(async (trx) => {
      await lockStaff(trx);
      await eraseAdminData(trx, system, id, reason);
    });
  }
  return admins.length;
}

/** Disabled long ago, nothing open, no release left. */
async function eraseClosedAccounts(db: Database, { closedAccountMonths }: Retention): Promise<number> {
  let erased = 0;
  for (const { id } of await retention.listClosedAccounts(db, closedAccountMonths)) {
    await db.transaction().execute(async (trx) => {
      await queries.lockForErasure(trx, id);
      const preview = await previewErasure(trx, id);
      if (preview.obstacles.length > 0 || preview.erasedAt !== null) return;
      await eraseAccountData(trx, system, id, { ...preview, reason });
      erased += 1;
    });
  }
  return erased;
}

/** The journal keeps the ticket, not its text. */
async function deleteTickets(db: Database, { ticketMonths }: Retention): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const ids = await retention.deleteClosedTickets(trx, ticketMonths);
    const entries = await retention.listEntriesOf(trx, 'ticket', ids);
    await queries.redactJournal(trx, entries, personalFields('ticket'), false);
    return ids.length;
  });
}

/** @returns how many rows changed */
async function endTerm(db: Database, term: Term, months: number): Promise<number> {
  let changed = 0;
  await db.transaction().execute(async (trx: Trx) => {
    for (const [table, { account = {}, dated, of }] of Object.entries(personalData)) {
      const ended = Object.entries(account).flatMap(([column, how]) =>
        typeof how === 'object' && 'keep' in how && how.keep === term ? [{ column, put: how.put }] : [],
      );
      if (ended.length === 0 || of?.account === undefined) continue;
      changed += await retention.endTerm(trx, { table, ofAccount: of.account, dated, columns: ended, months });
    }
  });
  return changed;
}

export const applyRetentionJob = (options: { outboxDir?: string }) => async (_payload: unknown, deps: JobDeps) => {
  await applyRetention(options, deps);
};
