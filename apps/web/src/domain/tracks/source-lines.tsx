import { Box, Button, Group } from '@mantine/core';
import type { ReportLines } from '@regie/contract/routes/reports.ts';
import { countryName } from '@regie/values/countries.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { fr } from '#src/lib/fr.ts';
import { ExactMoney } from '#src/ui/exact.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { frSourceLines } from './source-lines.fr.ts';

const t = frSourceLines;
const fileDecimals = 10;

type Amounts = Pick<ReportLines['lines'][number], 'kind' | 'quantity' | 'amount' | 'currency'> & {
  amountUsd?: number | null;
};
type SourceLine = Omit<ReportLines['lines'][number], 'amountUsd'> & Amounts;

interface SourceLinesProps {
  lines: readonly SourceLine[];
  total: number;
  fileName: string;
  lineNumber: (line: number) => ReactNode;
}

export function SourceLines({ lines, total, fileName, lineNumber }: SourceLinesProps) {
  const hasUsd = lines.some(({ amountUsd }) => amountUsd !== undefined);
  return (
    <>
      <PlainTable
        name={t.detailOf(fileName)}
        head={[
          t.store,
          t.country,
          t.kind,
          { right: t.quantity },
          { right: t.amount },
          ...(hasUsd ? [{ right: t.usd }] : []),
          t.lines,
        ]}
        isStackable
      >
        <tbody>
          {lines.map((line) => (
            <tr key={`${line.store} ${line.country} ${line.kind} ${line.currency}`}>
              <td>{line.store || fr.common.none}</td>
              <td data-label={t.country}>{countryName(line.country) || fr.common.none}</td>
              <FileAmounts of={line} />
              <td data-label={t.lines}>
                <Group component="span" gap={2} maw={260}>
                  {line.firstLines.map((number) => (
                    <Fragment key={number}>{lineNumber(number)}</Fragment>
                  ))}
                  {line.rows > line.firstLines.length && (
                    <Box component="span" mt={6} fz={12} className={shared.muted}>
                      {t.moreLines(line.rows - line.firstLines.length)}
                    </Box>
                  )}
                </Group>
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {total > lines.length && (
        <Box component="p" mt={6} fz={12} className={shared.muted}>
          {t.more(formatInteger(lines.length), formatInteger(total))}
        </Box>
      )}
    </>
  );
}

export function FileAmounts({ of: { kind, quantity, amount, currency, amountUsd } }: { of: Amounts }) {
  return (
    <>
      <td data-short data-label={t.kind}>
        {t.kinds[kind]}
      </td>
      <td data-align="right" data-label={t.quantity}>
        {formatInteger(quantity)}
      </td>
      <td data-align="right" data-label={t.amount}>
        <ExactMoney amount={amount} currency={currency} decimals={fileDecimals} />
      </td>
      {amountUsd !== undefined && (
        <td data-align="right" data-label={t.usd}>
          {amountUsd === null ? (
            fr.common.none
          ) : (
            <ExactMoney amount={amountUsd} currency="USD" decimals={fileDecimals} />
          )}
        </td>
      )}
    </>
  );
}

interface FileRowsProps<Row> {
  rows: readonly Row[];
  columns: number;
  /** Between the file and the button that opens its detail. */
  cells: (row: Row) => ReactNode;
  detail: (statementId: number, fileName: string) => ReactNode;
}

/** The rows of each statement's file, named once, and its detail under them. */
export function FileRows<
  Row extends { id: number; fileName: string; source: string | null; month: number; currency: string; kind?: string },
>({ rows, columns, cells, detail }: FileRowsProps<Row>) {
  const [opened, setOpened] = useState<number>();
  return (
    <tbody>
      {[...Map.groupBy(rows, ({ id }) => id)].map(([id, ofFile]) => {
        const isOpen = opened === id;
        return (
          <Fragment key={id}>
            {ofFile.map((row, index) => (
              <tr key={`${row.month} ${row.kind} ${row.currency}`}>
                <td>
                  {index === 0 && (
                    <>
                      <Link className={shared.link} to={paths.storeStatement(id)}>
                        <Box component="span" display="block" className={shared.wrap}>
                          {row.fileName}
                        </Box>
                      </Link>
                      <span className={shared.under}>{row.source}</span>
                    </>
                  )}
                </td>
                {cells(row)}
                <td data-align="right">
                  {index === 0 && (
                    <DetailButton
                      of={row.fileName}
                      isOpen={isOpen}
                      onClick={() => setOpened(isOpen ? undefined : id)}
                    />
                  )}
                </td>
              </tr>
            ))}
            {isOpen && (
              <tr>
                <td colSpan={columns}>{detail(id, ofFile[0]?.fileName ?? '')}</td>
              </tr>
            )}
          </Fragment>
        );
      })}
    </tbody>
  );
}

function DetailButton({ of, isOpen, onClick }: { of: string; isOpen: boolean; onClick: () => void }) {
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-expanded={isOpen}
      aria-label={t.detailName(of)}
      leftSection={<Chevron size={14} stroke={1.8} aria-hidden />}
      onClick={onClick}
    >
      {t.detail}
    </Button>
  );
}
