import type { InsightSummary } from '@regie/contract/routes/insight.ts';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { paths } from '#src/app/paths.ts';
import { doubledText } from '#src/domain/inexact-sums.tsx';
import { Notice } from '#src/ui/alerts.tsx';
import { frInsight as t } from './insight.fr.ts';

interface DoubledIncomeProps {
  of: Pick<InsightSummary, 'doubledEur' | 'doubledStatements'>;
  /** The figures beside it are a part of the period's. */
  isFiltered?: boolean;
}

/** Names what the period's sums include twice, and the statements that have it again; absent without any. */
export function DoubledIncome({ of, isFiltered = false }: DoubledIncomeProps) {
  const text = doubledText([of]);
  if (text === undefined) return null;
  return (
    <Notice tone="info">
      {text}
      {isFiltered && t.withoutFilters} (
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
