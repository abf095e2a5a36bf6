import { type BatchState, type PreflightProblem, preflightProblems } from '@regie/contract/payouts.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

export function BatchBadge({ state }: { state: BatchState }) {
  return <StatusBadge tone={stateTones.batch[state]}>{frPayouts.batch.states[state]}</StatusBadge>;
}

interface ProblemsProps {
  problems: readonly PreflightProblem[];
  changes?: readonly string[] | undefined;
}

export function Problems({ problems, changes = [] }: ProblemsProps) {
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
          {change}
        </StatusBadge>
      ))}
    </span>
  );
}
