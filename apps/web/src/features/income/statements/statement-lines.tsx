import { Button, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatLine, joinLine, splitLine } from '#src/domain/tracks/line-names.ts';
import { NumberField } from '#src/ui/number-field.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState } from '#src/ui/states.tsx';
import { linesQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';

const t = frStatements.lines;
const shown = 30;

const maxLine = 9_999_999_999;
/** More sheets than a workbook has; line numbers stay within the server's limit. */
const maxSheet = 999;
const isCount = (value: number | undefined, most: number) =>
  value !== undefined && Number.isSafeInteger(value) && value >= 1 && value <= most;

/** From two lines before the one at fault. */
const startOf = (line: number | null) => {
  const first = splitLine(line ?? 1);
  return { sheet: first.sheet, line: Math.max(1, first.line - 2) };
};
export function firstLinesQuery(id: number, line: number | null) {
  const start = startOf(line);
  return linesQuery(id, joinLine(start.sheet, start.line), shown);
}

export function LinesSection({ id, line, isWorkbook }: { id: number; line: number | null; isWorkbook: boolean }) {
  const start = startOf(line);
  const [from, setFrom] = useState(joinLine(start.sheet, start.line));
  const [typed, setTyped] = useState<number | undefined>(start.line);
  const [sheet, setSheet] = useState<number | undefined>(start.sheet);
  const lines = useQuery({ ...linesQuery(id, from, shown), placeholderData: keepPreviousData });
  const isWhole = isCount(typed, maxLine) && isCount(sheet, maxSheet);
  return (
    <Section title={t.title}>
      <Group
        component="form"
        align="flex-end"
        gap={8}
        mb={12}
        onSubmit={(event) => {
          event.preventDefault();
          if (isWhole) setFrom(joinLine(sheet ?? 1, typed ?? 1));
        }}
      >
        {isWorkbook && <NumberField label={t.sheet} value={sheet} onChange={setSheet} w={100} />}
        <NumberField label={t.from} value={typed} onChange={setTyped} w={160} />
        <Button type="submit" variant="default" disabled={!isWhole} loading={lines.isFetching}>
          {t.show}
        </Button>
      </Group>
      {lines.isError ? (
        <ErrorState query={lines} />
      ) : lines.data === undefined ? (
        <TableSkeleton />
      ) : lines.data.length === 0 ? (
        <p className={shared.under}>{t.none}</p>
      ) : (
        <PlainTable name={t.title} head={[{ right: t.line }, t.text]} isBoxed maxHeight={400}>
          <tbody>
            {lines.data.map(({ line: number, text }) => (
              <tr key={number} aria-current={number === line || undefined}>
                <td data-align="right">{formatLine(number)}</td>
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
