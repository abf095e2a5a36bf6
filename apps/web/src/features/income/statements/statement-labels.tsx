import { Progress } from '@mantine/core';
import type { Statement } from '@regie/contract/routes/statements.ts';
import type { StatementState, StatementStatus } from '@regie/contract/statements.ts';
import { formatInteger, formatMonths } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { fr } from '#src/lib/fr.ts';
import { monthToParam } from '#src/lib/months.ts';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { useStatementProgress } from './statement-events.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements;

export function StatementBadge({ state }: { state: StatementState }) {
  return <StatusBadge tone={stateTones.statement[state]}>{t.state[state]}</StatusBadge>;
}

export const presetLabel = ({ isVerified }: Pick<NonNullable<Statement['preset']>, 'isVerified'>) =>
  isVerified ? t.verified : t.unverified;

export function PresetBadge({ preset }: { preset: Pick<NonNullable<Statement['preset']>, 'isVerified'> }) {
  return <StatusBadge tone={preset.isVerified ? 'success' : 'warning'}>{presetLabel(preset)}</StatusBadge>;
}

export const isBeingRead = (status: StatementStatus) => status === 'received' || status === 'reading';

export const monthsOf = ({ firstMonth, lastMonth }: Statement): string =>
  firstMonth === null || lastMonth === null ? '—' : formatMonths(firstMonth, lastMonth);

interface StatementLinkProps extends Pick<Statement, 'fileName'> {
  /** Null for an import. */
  id: number | null;
  importId?: number | null;
  className?: string;
}

export const StatementLink = ({ id, importId, fileName, className = shared.link }: StatementLinkProps) => (
  <Link className={className} to={id === null ? paths.import(importId ?? 0) : paths.storeStatement(id)}>
    {fileName}
  </Link>
);

export const AmountsByCurrency = ({ amounts }: Pick<Statement, 'amounts'>) =>
  amounts.map(({ currency, amount }) => (
    <div key={currency}>
      <Money amount={amount} currency={currency} />
    </div>
  ));

export function ToUnmatched({
  statement: { source },
  month,
  children,
}: {
  statement: Pick<Statement, 'source'>;
  month: number | null;
  children: ReactNode;
}) {
  return (
    <Link
      className={shared.link}
      to={paths.unmatched}
      search={{ source: source ?? undefined, month: month === null ? undefined : monthToParam(month) }}
    >
      {children}
    </Link>
  );
}

export function ReadingProgress({ statement }: { statement: Pick<Statement, 'id' | 'fileName' | 'status'> }) {
  const isActive = isBeingRead(statement.status);
  const progress = useStatementProgress(statement.id, isActive);
  if (!isActive) return null;
  const percent = progress?.sizeBytes ? Math.min(100, ((progress.bytes ?? 0) / progress.sizeBytes) * 100) : undefined;
  return (
    <span className={classes.progress}>
      <Progress.Root size={6}>
        <Progress.Section
          value={percent ?? 100}
          animated={percent === undefined}
          aria-label={t.progress.label(statement.fileName)}
        />
      </Progress.Root>
      <span className={shared.under}>
        {progress?.rows === undefined
          ? t.progress[statement.status === 'reading' ? 'starting' : 'waiting']
          : [
              t.progress.reading(fr.list.rows(progress.rows)),
              ...(percent === undefined ? [] : [t.progress.percent(formatInteger(Math.floor(percent)))]),
            ].join(' · ')}
      </span>
    </span>
  );
}
