import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { frStatements } from '#src/fr-statements.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { NumberField } from '#src/ui/number-field.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { ErrorState } from '#src/ui/states.tsx';
import { linesQuery } from './statements.api.ts';
import classes from './statements.module.css';

const t = frStatements.lines;
const shown = 30;

/** The file itself, a few lines at a time; one that does not read or is asked for stands out among those around it. */
export function LinesSection({ id, line }: { id: number; line: number | null }) {
  const firstLine = Math.max(1, (line ?? 1) - 2);
  const [from, setFrom] = useState(firstLine);
  const [typed, setTyped] = useState<number | undefined>(firstLine);
  const lines = useQuery({ ...linesQuery(id, from, shown), placeholderData: keepPreviousData });
  const isWhole = typed !== undefined && Number.isSafeInteger(typed) && typed >= 1;
  return (
    <Section title={t.title}>
      <form
        className={classes.lineForm}
        onSubmit={(event) => {
          event.preventDefault();
          if (isWhole) setFrom(typed);
        }}
      >
        <NumberField label={t.from} value={typed} onChange={setTyped} w={160} />
        <Button type="submit" variant="default" disabled={!isWhole} loading={lines.isFetching}>
          {t.show}
        </Button>
      </form>
      {lines.isError ? (
        <ErrorState error={lines.error} onRetry={() => void lines.refetch()} />
      ) : lines.data === undefined ? (
        <TableSkeleton />
      ) : lines.data.length === 0 ? (
        <p className={classes.hint}>{t.none}</p>
      ) : (
        <PlainTable name={t.title} head={[{ right: t.line }, t.text]} isBoxed maxHeight={400}>
          <tbody>
            {lines.data.map(({ line: number, text }) => (
              <tr key={number} aria-current={number === line || undefined}>
                <td data-align="right">{formatInteger(number)}</td>
                <td>
                  <code>{text}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </Section>
  );
}
