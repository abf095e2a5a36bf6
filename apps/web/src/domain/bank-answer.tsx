import {
  type BankAnswer,
  type Outcome,
  outcomes,
  reasonOf,
  type Verdict,
  verdicts,
} from '@regie/contract/bank-answers.ts';
import { DateText } from '#src/ui/dates.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge, type StatusTone } from '#src/ui/status-badge.tsx';

const tones: Record<Verdict | Outcome, StatusTone> = {
  ...{ match: 'success', near: 'warning', none: 'danger', unverified: 'neutral' },
  ...{ accepted: 'success', rejected: 'danger', unexecuted: 'neutral' },
};
const names = { ...verdicts, ...outcomes };

export const AnswerBadge = ({ answer, count }: { answer: Verdict | Outcome; count?: string }) => (
  <StatusBadge tone={tones[answer]}>{count ? `${names[answer]}\u00a0: ${count}` : names[answer]}</StatusBadge>
);

/** What the bank answered last, why, and when. */
export function BankAnswerText({ answer: { verdict, outcome, code, said, at } }: { answer: BankAnswer }) {
  const isName = verdict === 'near' && said !== null;
  return (
    <span>
      {verdict && <AnswerBadge answer={verdict} />} {outcome && <AnswerBadge answer={outcome} />}{' '}
      <span className={shared.muted}>
        <DateText ms={at} />
      </span>
      {code !== null && <span className={shared.under}>{reasonOf(code)}</span>}
      {said !== null && <span className={shared.under}>{isName ? knows(said) : said}</span>}
    </span>
  );
}

const knows = (name: string) => `La banque connaît\u00a0: ${name}`;
