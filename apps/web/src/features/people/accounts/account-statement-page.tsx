import { Button } from '@mantine/core';
import type { AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconFileTypePdf } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { apiList } from '#src/lib/api.ts';
import { formatDate } from '#src/lib/formats.ts';
import { dayToMs } from '#src/lib/months.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import { Balance } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { BalanceHistory } from './account-history.tsx';
import { accountName } from './account-labels.ts';
import { downloadStatementPdf, downloadStatementTable, maxPdfLines, pdfLimit } from './account-statement-export.ts';
import { hasReports, movementLabel } from './account-statement-labels.ts';
import { AccountTab } from './account-tab.tsx';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { Movement, MovementAmount } from './movement.tsx';

const t = frAccounts.statement;

const filters: ListFilter[] = [{ kind: 'days', label: t.period, fromParam: 'from', toParam: 'to' }];

export default function StatementPage() {
  return <AccountTab>{(profile) => <StatementView profile={profile} />}</AccountTab>;
}

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
    cell: (line) =>
      hasReports(line) && (
        <Link
          className={`${shared.link} ${classes.small}`}
          to={paths.transaction(line.id)}
          search={{ compte: String(accountId) }}
          aria-label={t.whyOf(movementLabel(line))}
        >
          {t.why}
        </Link>
      ),
  },
  { key: 'admin', header: t.column.by, isSecondary: true, cell: (line) => line.admin ?? '' },
  { key: 'amount', header: t.column.amount, align: 'right', cell: (line) => <MovementAmount line={line} /> },
  { key: 'balance', header: t.column.balance, align: 'right', cell: (line) => <Balance amount={line.balanceEur} /> },
];

function useStatementPeriod(userId: number) {
  const { searchStr: searchText } = usePageLocation();
  const search = parseSearch(searchText);
  return { userId, from: dayToMs(search.from ?? '')?.startMs, to: dayToMs(search.to ?? '')?.endMs };
}

function StatementView({ profile }: { profile: Profile }) {
  const name = accountName(profile);
  const period = useStatementPeriod(profile.id);
  const [problem, setProblem] = useState<string>();
  const query = { userId: period.userId, from: period.from, to: period.to };
  const bounds = useQuery({
    queryKey: ['statement-bounds', query],
    queryFn: ({ signal }) => apiList(routes.getStatement, { ...query, limit: 1 }, signal),
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
      isTab
      title={frScreens.accounts.statement}
      route={routes.getStatement}
      query={{ userId: profile.id }}
      rows={(data) => data.lines}
      columns={columns(profile.id)}
      rowName={movementLabel}
      searchPlaceholder={t.searchPlaceholder}
      filters={filters}
      defaultSort={{ key: 'occurredAt', order: 'desc' }}
      empty={{ title: t.emptyTitle, text: t.emptyText }}
      actions={
        <>
          <FileMenu
            label={t.table}
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
            <div className={classes.notices}>
              <Notice tone="error" onDismiss={() => setProblem(undefined)}>
                {problem}
              </Notice>
            </div>
          )}
          <dl className={classes.bounds} aria-busy={bounds.isPending}>
            <div>
              <dt>{t.opening}</dt>
              <dd>{bounds.data ? <Balance amount={bounds.data.data.openingEur} /> : '…'}</dd>
            </div>
            <div>
              <dt>{t.closing}</dt>
              <dd>{bounds.data ? <Balance amount={bounds.data.data.closingEur} /> : '…'}</dd>
            </div>
          </dl>
          <p className={classes.hint}>{t.rounded}</p>
          <BalanceHistory accountId={profile.id} />
        </>
      }
    />
  );
}
