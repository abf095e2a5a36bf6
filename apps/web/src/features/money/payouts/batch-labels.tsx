import { type BatchState, preflightProblems } from '@regie/contract/payouts.ts';
import type { PreflightRow } from '@regie/contract/routes/payouts.ts';
import { formatMoney, formatNumber } from '@regie/values/formats.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

const t = frPayouts.everyone;

export function BatchBadge({ state }: { state: BatchState }) {
  return <StatusBadge tone={stateTones.batch[state]}>{frPayouts.batch.states[state]}</StatusBadge>;
}

type ProblemsProps = Pick<PreflightRow, 'problems' | 'changes' | 'lastEur' | 'payoutAmount'>;

export function Problems({ row: { problems, changes, lastEur, payoutAmount } }: { row: ProblemsProps }) {
  if (problems.length + changes.length === 0) return '—';
  return (
    <span className={classes.badges}>
      {problems.map((problem) => (
        <StatusBadge key={problem} tone={preflightProblems[problem].isBlocking ? 'danger' : 'warning'}>
          {preflightProblems[problem].label}
        </StatusBadge>
      ))}
      {changes.map((change) => (
        <StatusBadge key={change} tone="info">
          {change === 'much_more' && lastEur !== null
            ? t.muchMore(formatNumber(payoutAmount / lastEur, 1), formatMoney(lastEur, 'EUR'))
            : t.change[change]}
        </StatusBadge>
      ))}
    </span>
  );
}
