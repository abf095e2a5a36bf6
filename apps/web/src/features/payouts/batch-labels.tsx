import { type BatchState, type PreflightProblem, preflightProblems } from '@regie/contract/payouts.ts';
import { StatusBadge, type StatusTone } from '#src/ui/status-badge.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

const tones = {
  draft: 'warning',
  approved: 'info',
  exported: 'info',
  paid: 'success',
  void: 'neutral',
} as const satisfies Record<BatchState, StatusTone>;

export function BatchBadge({ state, isApprovalMissing }: { state: BatchState; isApprovalMissing?: boolean }) {
  const { states, toApprove } = frPayouts.batch;
  return (
    <StatusBadge tone={tones[state]}>{state === 'draft' && isApprovalMissing ? toApprove : states[state]}</StatusBadge>
  );
}

/** A payout's preflight findings: red ones block it, amber ones are warnings. */
export function Problems({ problems }: { problems: readonly PreflightProblem[] }) {
  if (problems.length === 0) return '—';
  return (
    <span className={classes.badges}>
      {problems.map((problem) => (
        <StatusBadge key={problem} tone={preflightProblems[problem].isBlocking ? 'danger' : 'warning'}>
          {preflightProblems[problem].label}
        </StatusBadge>
      ))}
    </span>
  );
}
