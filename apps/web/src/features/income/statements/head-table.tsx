import { Box } from '@mantine/core';
import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { frStatements } from './statements.fr.ts';

type Rows = NonNullable<StatementDetail['head']>['rows'];
const shownRows = 8;
const shownCells = 40;

export function HeadTable({ rows }: { rows: Rows }) {
  const name = frStatements.page.firstLines;
  return (
    <PlainTable name={name}>
      <tbody>
        {rows.slice(0, shownRows).map((row) => (
          <tr key={row.line}>
            <th scope="row" data-align="right">
              {formatInteger(row.line)}
            </th>
            {row.cells.slice(0, shownCells).map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells of a file, which never move
              <Box key={index} component="td" maw={320} className={`${shared.cut} ${shared.muted}`}>
                {cell}
              </Box>
            ))}
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}
