import type { InsightSummary } from '@regie/contract/routes/insight.ts';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { paths } from '#src/app/paths.ts';
import { doubledText } from '#src/domain/inexact-sums.tsx';
import { Notice } from '#src/ui/alerts.tsx';

interface DoubledIncomeProps {
  of: Pick<InsightSummary, 'doubledEur' | 'doubledStatements'>;
  /** What the figures beside it are of, and this is not. */
  without?: readonly string[];
}

/** Names what the period's sums include twice, and the statements that have it again; absent without any. */
export function DoubledIncome({ of, without = [] }: DoubledIncomeProps) {
  const text = doubledText([of]);
  if (text === undefined) return null;
  return (
    <Notice tone="info">
      {[text, ...without].join(', ')} (
      {of.doubledStatements.map(({ id, fileName }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Link to={paths.storeStatement(id)}>{fileName}</Link>
        </Fragment>
      ))}
      ).
    </Notice>
  );
}
