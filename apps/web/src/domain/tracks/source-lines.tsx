import { Box, Button, Group } from '@mantine/core';
import type { ReportLines } from '@regie/contract/routes/reports.ts';
import { countryName } from '@regie/values/countries.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
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

export function DetailButton({ of, isOpen, onClick }: { of: string; isOpen: boolean; onClick: () => void }) {
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
