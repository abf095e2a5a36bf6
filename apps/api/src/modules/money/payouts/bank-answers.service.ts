import { createHash } from 'node:crypto';
import { bankMessages, isDoubtful } from '@regie/contract/bank-answers.ts';
import { writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid } from '#src/lib/errors.ts';
import { readStatusReport, type StatusReport } from '#src/lib/pain002.ts';
import { adminOf, type Caller, type Upload } from '#src/lib/route.ts';
import { endProposal, findProposal } from '#src/modules/money/signing/proposals.service.ts';
import * as queries from './bank-answers.queries.ts';
import { findNews, type NewAnswer, readAnswers } from './bank-answers.rules.ts';
import { endToEndIdOf, fileOf } from './batch-files.rules.ts';
import type { BatchRow } from './batches.queries.ts';
import { journalLeft, lockForMove } from './batches.service.ts';

/** @throws validation_failed for a file that is no readable pain.002 */
export function readReport({ pieces }: Upload): { report: StatusReport; sha256: Buffer } {
  const report = readStatusReport(pieces);
  if (typeof report === 'string') throw invalid({ report });
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return { report, sha256: hash.digest() };
}

/** @throws not_found; conflict for a batch that is not exported; validation_failed for a report that does not fit it */
export async function storeReport(
  trx: Trx,
  caller: Caller,
  id: number,
  { report, sha256 }: ReturnType<typeof readReport>,
) {
  const { batch } = await lockForMove(trx, caller, id, 'answer');
  const messageId = report.messageId.slice(0, 35);
  if (await queries.hasReport(trx, id, { sha256, messageId })) throw conflict(bankMessages.known);
  const sent = (await listSent(trx, batch)).filter(({ beneficiary }) => fileOf(beneficiary) === 'sepa');
  const answers = readAnswers(report, batch.messageId, sent);
  if (typeof answers === 'string') throw invalid({ report: answers });
  if (answers.length === 0 && report.status !== 'PART') throw invalid({ report: bankMessages.silent });
  const news = findNews(answers, sent);
  if (typeof news === 'string') throw invalid({ report: news });
  const outcomes = new Map(sent.map(({ payoutId, lastOutcome }) => [payoutId, lastOutcome]));
  for (const { payoutId, outcome } of news) if (outcome) outcomes.set(payoutId, outcome);
  const isPart = report.status === 'PART' || (await queries.isExecuted(trx, id, sent));
  const isWhollyRejected = !isPart && [...outcomes.values()].every((outcome) => outcome === 'rejected');
  const left = isWhollyRejected ? [] : news.filter(({ outcome }) => outcome === 'rejected');
  const source = { messageId, status: report.status.slice(0, 4), sha256 };
  await store(trx, caller, batch, news, source, new Set(left.map(({ payoutId }) => payoutId)));
  await journalLeft(trx, caller, left);
  const after = {
    ...{ report: messageId, answers: news.length, returned: left.length },
    doubtful: news.filter(({ verdict }) => isDoubtful(verdict)).length,
    rejected: news.filter(({ outcome }) => outcome === 'rejected').length,
  };
  await writeAudit(trx, caller, { action: 'payout_batch.answer', entityId: id, after });
  return { id, answers: news.length, returned: left.length };
}

/**
 * What somebody typed moves no payout and lifts no doubt: those need the bank's file or signatures.
 * @throws not_found; conflict; validation_failed for a payout of another batch
 */
export async function typeAnswer(trx: Trx, caller: Caller, id: number, answer: NewAnswer) {
  const { batch } = await lockForMove(trx, caller, id, 'answer');
  const of = (await listSent(trx, batch)).find(({ payoutId }) => payoutId === answer.payoutId);
  if (!of || of.hasLeft) throw invalid({ payoutId: bankMessages.notInBatch });
  const { payoutId, verdict, outcome, code } = answer;
  if (isDoubtful(of.lastVerdict) && verdict !== null && !isDoubtful(verdict)) throw conflict(bankMessages.doubtStays);
  await store(trx, caller, batch, [answer], {}, new Set());
  await writeAudit(trx, caller, {
    action: 'payout_batch.answer',
    entityId: id,
    before: { payoutId, verdict: of.lastVerdict, outcome: of.lastOutcome },
    after: { payoutId, verdict: verdict ?? of.lastVerdict, outcome: outcome ?? of.lastOutcome, code },
  });
  return { id, answers: 1, returned: 0 };
}

const listSent = async (trx: Trx, { id, messageId }: BatchRow) =>
  (await queries.listSent(trx, id)).map((row) => ({ ...row, endToEndId: endToEndIdOf(messageId, row.payoutId) }));

/** A change that waits for signatures was proposed before these answers: it ends. */
async function store(
  trx: Trx,
  caller: Caller,
  { id }: BatchRow,
  answers: readonly NewAnswer[],
  source: { messageId?: string; status?: string; sha256?: Buffer },
  left: ReadonlySet<number>,
): Promise<void> {
  const open = await findProposal(trx, 'batch', id);
  if (open) await endProposal(trx, open, caller.adminId);
  await queries.insertAnswers(trx, { batchId: id, adminId: adminOf(caller), ...source }, answers, left);
  await queries.leaveExported(trx, id, [...left]);
}
