import { Box, Button, Group, Skeleton } from '@mantine/core';
import type { AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import { routes } from '@regie/contract/routes.ts';
import { movementLabel } from '@regie/documents/movement-labels.ts';
import { formatDate, formatMonth } from '@regie/values/formats.ts';
import { IconFileTypePdf } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { apiList } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { dayToMs } from '#src/lib/months.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { Message } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Balance } from '#src/ui/exact.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { useAccount } from './account-context.ts';
import { accountName } from './account-labels.ts';
import { downloadStatementPdf, downloadStatementTable, maxPdfLines, pdfLimit } from './account-statement-export.ts';
import { statementMonthsQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import { KeyFact } from './key-fact.tsx';
import { Movement, MovementAmount, movementLink, WhyAmount } from './movement.tsx';

const t = frAccounts.statement;

const filters: ListFilter[] = [{ kind: 'days', label: t.period, fromParam: 'from', toParam: 'to' }];

const columns = (accountId: number): ListColumn<AccountStatementLine>[] => [
  dayColumn({ key: 'date', header: t.column.date, sort: 'occurredAt', width: '120px', csv: (line) => line.occurredAt }),
  {
    key: 'movement',
    header: t.column.movement,
    isIdentity: true,
    cell: (line) => <Movement line={line} accountId={accountId} />,
  },
  {
    key: 'why',
    header: t.why,
    isHeaderHidden: true,
    isSecondary: true,
    isTableOnly: true,
    cell: (line) => <WhyAmount line={line} accountId={accountId} />,
  },
  { key: 'admin', header: t.by, isSecondary: true, cell: (line) => line.admin ?? '' },
  {
    ...{ key: 'amount', header: t.column.amount, align: 'right', total: fr.list.total, isBalanceTotal: true },
    cell: (line) => <MovementAmount line={line} />,
  },
  { key: 'balance', header: t.column.balance, align: 'right', cell: (line) => <Balance amount={line.balanceEur} /> },
];

export default function StatementPage() {
  const profile = useAccount();
  const name = accountName(profile);
  const { from = '', to = '' } = parseSearch(usePageLocation().searchStr);
  const period = { userId: profile.id, from: dayToMs(from)?.startMs, to: dayToMs(to)?.endMs };
  const [problem, setProblem] = useState<string>();
  const bounds = useQuery({
    queryKey: ['statement-bounds', period],
    queryFn: ({ signal }) => apiList(routes.getStatement, { ...period, limit: 1 }, signal),
  });
  const limits =
    [
      ...(period.from === undefined ? [] : [t.from(formatDate(period.from))]),
      ...(period.to === undefined ? [] : [t.until(formatDate(period.to))]),
    ].join(' ') || t.whole;
  const total = bounds.data?.meta;
  const isEmpty = !total || total.total === 0;
  return (
    <ListPage
      exportName={null}
      isTab
      method={t.rounded}
      title={frScreens.accounts.statement}
      route={routes.getStatement}
      query={{ userId: profile.id }}
      rows={(data) => data.lines}
      columns={columns(profile.id)}
      rowName={movementLabel}
      rowLink={(line) => movementLink(line, profile.id)}
      searchPlaceholder={t.searchPlaceholder}
      filters={filters}
      defaultSort={{ key: 'occurredAt', order: 'desc' }}
      empty={{ title: t.emptyTitle, text: t.emptyText }}
      actions={
        <>
          <FileMenu
            label={fr.list.export}
            fullLabel={t.tableTitle}
            disabled={isEmpty}
            onPick={(format) => downloadStatementTable(format, period, name)}
          />
          <Button
            variant="default"
            leftSection={buttonIcon(IconFileTypePdf)}
            disabled={isEmpty}
            aria-label={t.pdfTitle}
            onClick={() => {
              const isTooLong = !total?.totalIsExact || total.total > maxPdfLines;
              setProblem(isTooLong ? t.tooLong(pdfLimit) : undefined);
              if (!isTooLong) void downloadStatementPdf(period, name, limits);
            }}
          >
            {t.pdf}
          </Button>
        </>
      }
      intro={
        <>
          {problem && (
            <Box maw={760} mb={16}>
              <Message text={problem} onDismiss={setProblem} />
            </Box>
          )}
          {/* Of the whole statement, they are nothing and the account's balance. */}
          {(period.from ?? period.to) !== undefined && (
            <Group component="dl" gap="12px 40px" mb={8} aria-busy={bounds.isPending}>
              <KeyFact label={t.opening} isLoading={!bounds.data}>
                <Balance amount={bounds.data?.data.openingEur ?? 0} />
              </KeyFact>
              <KeyFact label={t.closing} isLoading={!bounds.data}>
                <Balance amount={bounds.data?.data.closingEur ?? 0} />
              </KeyFact>
            </Group>
          )}
          <BalanceHistory accountId={profile.id} />
        </>
      }
    />
  );
}

const shownMonths = 12;
const historyHeads = {
  openingEur: frAccounts.history.opening,
  importsEur: frAccounts.history.imports,
  referralsEur: frAccounts.history.referrals,
  payoutsEur: frAccounts.history.payouts,
  adjustmentsEur: frAccounts.history.adjustments,
  closingEur: frAccounts.history.closing,
};
const historyColumns = Object.keys(historyHeads) as (keyof typeof historyHeads)[];

function BalanceHistory({ accountId }: { accountId: number }) {
  const [isOpen, setIsOpen] = useState(false);
  const months = useQuery({ ...statementMonthsQuery(accountId), enabled: isOpen });
  const rows = months.data?.slice(0, shownMonths);
  return (
    <Box component="details" mb={16} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{frAccounts.history.title}</summary>
      {rows === undefined ? (
        <Loading query={months} placeholder={<Skeleton h={160} />} />
      ) : rows.length === 0 ? (
        <p className={`${shared.muted} ${shared.spaced}`}>{frAccounts.history.empty}</p>
      ) : (
        <>
          <PlainTable
            name={frAccounts.history.title}
            head={[frAccounts.history.month, ...Object.values(historyHeads).map((right) => ({ right }))]}
          >
            <tbody>
              {rows.map((row) => (
                <tr key={row.month}>
                  <td data-short>{formatMonth(row.month)}</td>
                  {historyColumns.map((column) => (
                    <td key={column} data-align="right">
                      {column === 'openingEur' || column === 'closingEur' ? (
                        <Balance amount={row[column]} />
                      ) : (
                        <Money amount={row[column]} currency="EUR" />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </PlainTable>
          {(months.data?.length ?? 0) > shownMonths && <p className={shared.under}>{frAccounts.history.lastMonths}</p>}
        </>
      )}
    </Box>
  );
}
