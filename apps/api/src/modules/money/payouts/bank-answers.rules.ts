import { bankMessages, type Outcome, type Verdict } from '@regie/contract/bank-answers.ts';
import { toUnits } from '@regie/values/decimal.ts';
import type { ReportedPayment, StatusReport } from '#src/lib/pain002.ts';
import type { SentRow } from './bank-answers.queries.ts';

export interface NewAnswer {
  payoutId: number;
  verdict: Verdict | null;
  outcome: Exclude<Outcome, 'unexecuted'> | null;
  code: string | null;
  said: string | null;
}

/** A payment of the exported file. */
export type SentPayment = Omit<SentRow, 'beneficiary' | 'lastVerdict'> & { endToEndId: string };

/** Codes of the verification of payees, as status or as reason. */
const verdictOf = new Map<string, Verdict>([
  ['RCVC', 'match'],
  ['RVMC', 'near'],
  ['RVNM', 'none'],
  ['RVNA', 'unverified'],
]);
const accepted = new Set(['ACCP', 'ACSP', 'ACSC', 'ACCC', 'ACFC', 'ACWC', 'ACWP']);
/** Received, checked for its form, waiting or mixed: nothing is known of a payment by it. */
const open = new Set(['', 'ACTC', 'PATC', 'PDNG', 'RCVD', 'PART', 'RVCM']);

type Judged = Pick<ReportedPayment, 'status' | 'code' | 'said'>;

function judge({ status, code, said }: Judged): Omit<NewAnswer, 'payoutId'> | undefined {
  const verdict = verdictOf.get(status) ?? verdictOf.get(code) ?? null;
  const outcome = status === 'RJCT' ? 'rejected' : accepted.has(status) ? 'accepted' : null;
  return (verdict ?? outcome)
    ? {
        verdict,
        outcome,
        code: code || (verdict !== null && verdict !== 'match' ? status : null),
        said: said.slice(0, 1000) || null,
      }
    : undefined;
}

const isKnown = (status: string) =>
  status === 'RJCT' || verdictOf.has(status) || accepted.has(status) || open.has(status);

/** Banks write up to five decimals. */
const isSameAmount = (written: string, netEur: string) =>
  /^\d+(\.\d{1,5})?$/.test(written) && toUnits(written, 5) === toUnits(netEur, 5);

/** The one status of the payments that a report counts and does not list; undefined when they are not all of one. */
function statusOfRest(report: StatusReport, listed: readonly Judged[], rest: number): string | undefined {
  const counts = new Map([report.counts, ...report.groups.map((group) => group.counts)].find((of) => of.size > 0));
  for (const { status } of listed) counts.set(status, (counts.get(status) ?? 0) - 1);
  const left = [...counts].filter(([, count]) => count > 0);
  return left.length === 1 && left[0]?.[1] === rest ? left[0][0] : undefined;
}

/** What a report says of each payment of a file. @returns a French refusal when it is not about this file */
export function readAnswers(
  report: StatusReport,
  messageId: string,
  sent: readonly SentPayment[],
): NewAnswer[] | string {
  if (report.originalMessageId !== messageId) return bankMessages.foreign(report.originalMessageId, messageId);
  const all = [report, ...report.groups, ...report.groups.flatMap(({ payments }) => payments)];
  const unknown = all.find(({ status }) => !isKnown(status));
  if (unknown) return bankMessages.status(unknown.status);
  const bySent = new Map(sent.map((one) => [one.endToEndId, one]));
  const answers = new Map<number, NewAnswer>();
  const listed: Judged[] = [];
  for (const group of report.groups) {
    for (const payment of group.payments) {
      const { endToEndId, amount } = payment;
      const of = bySent.get(endToEndId);
      if (!of) return bankMessages.unknown(endToEndId || '?');
      if (answers.has(of.payoutId)) return bankMessages.twice(endToEndId);
      if (amount !== '' && !isSameAmount(amount, of.netEur)) return bankMessages.amount(endToEndId);
      // A payment without a status has that of its group.
      const status = payment.status === '' ? { ...payment, status: group.status || report.status } : payment;
      listed.push(status);
      answers.set(of.payoutId, { payoutId: of.payoutId, ...(judge(status) ?? nothing) });
    }
  }
  const rest = sent.filter(({ payoutId }) => !answers.has(payoutId));
  const whole = [report, ...report.groups].find(({ status }) => !open.has(status));
  const status = whole?.status ?? statusOfRest(report, listed, rest.length);
  if (status !== undefined) {
    // The words beside a whole file explain codes, or why it is rejected.
    const isReject = status === 'RJCT';
    const of = judge({ status, code: isReject ? (whole?.code ?? '') : '', said: isReject ? (whole?.said ?? '') : '' });
    for (const { payoutId } of rest) if (of) answers.set(payoutId, { payoutId, ...of });
  }
  return [...answers.values()].filter(({ verdict, outcome }) => verdict !== null || outcome !== null);
}

const nothing = { verdict: null, outcome: null, code: null, said: null };

/**
 * The answers about payments that have not left the batch, where a later one replaces an earlier one.
 * @returns a French refusal for an accepted payment that has left as rejected
 */
export function findNews(answers: readonly NewAnswer[], sent: readonly SentPayment[]): NewAnswer[] | string {
  const left = new Map(sent.filter(({ hasLeft }) => hasLeft).map((one) => [one.payoutId, one]));
  const executed = answers.find(({ payoutId, outcome }) => outcome === 'accepted' && left.has(payoutId));
  if (executed) return bankMessages.contradiction(left.get(executed.payoutId)?.endToEndId ?? '');
  return answers.filter(({ payoutId }) => !left.has(payoutId));
}
