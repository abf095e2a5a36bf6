import { Checkbox, Group, Stack } from '@mantine/core';
import type { StatementHead } from '@regie/contract/routes/statements.ts';
import { maxHeaderLine } from '@regie/contract/statements.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { useEffect, useRef } from 'react';
import { NumberField } from '#src/ui/number-field.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { HeadCells } from './head-table.tsx';
import { isHeaderMissing, type MappingValues } from './mapping-form.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.mapping;
const shownCells = 12;

interface HeaderFieldsProps {
  head: StatementHead;
  values: MappingValues;
  onChange: (header: Pick<MappingValues, 'hasHeader' | 'headerLine'>) => void;
}

export function HeaderFields({ head, values, onChange }: HeaderFieldsProps) {
  const { hasHeader, headerLine } = values;
  const chosen = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    const row = headerLine === undefined ? null : chosen.current;
    const box = row?.closest<HTMLElement>('[role="group"]');
    if (!row || !box) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  }, [headerLine]);
  return (
    <Stack gap="sm">
      <div className={classes.headerFields}>
        <NumberField
          label={t.header}
          description={t.headerHint}
          value={headerLine}
          onChange={(line) => onChange({ hasHeader, headerLine: line })}
          disabled={!hasHeader}
          required={hasHeader}
          error={isHeaderMissing(head, values) && t.headerUnknown}
          w={220}
        />
        <Checkbox
          label={t.noHeader}
          checked={!hasHeader}
          onChange={(event) => onChange({ hasHeader: !event.currentTarget.checked, headerLine })}
        />
      </div>
      <PlainTable name={t.firstLines} isBoxed maxHeight={260}>
        <tbody>
          {head.rows
            .filter(({ line }) => line <= maxHeaderLine)
            .map(({ line, cells }) => {
              const isChosen = hasHeader && line === headerLine;
              return (
                <tr key={line} ref={isChosen ? chosen : undefined} aria-current={isChosen || undefined}>
                  <th scope="row" data-align="right" className={classes.lineCell}>
                    <Group component="label" gap={8} display="inline-flex" wrap="nowrap">
                      <input
                        type="radio"
                        name="header"
                        aria-label={t.chooseLine(formatInteger(line))}
                        checked={isChosen}
                        disabled={!hasHeader}
                        onChange={() => onChange({ hasHeader, headerLine: line })}
                      />
                      {formatInteger(line)}
                    </Group>
                  </th>
                  <HeadCells cells={cells.slice(0, shownCells)} />
                </tr>
              );
            })}
        </tbody>
      </PlainTable>
    </Stack>
  );
}
