import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMonth } from '#src/lib/formats.ts';
import { Loading } from '#src/ui/loaded.tsx';
import { Balance, Money } from '#src/ui/money.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { statementMonthsQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';

const t = frAccounts.history;
const shownMonths = 12;
const columns = ['openingEur', 'importsEur', 'referralsEur', 'payoutsEur', 'adjustmentsEur', 'closingEur'] as const;
const headers = {
  openingEur: t.opening,
  importsEur: t.imports,
  referralsEur: t.referrals,
  payoutsEur: t.payouts,
  adjustmentsEur: t.adjustments,
  closingEur: t.closing,
};

/** The account's balance changes, month by month. */
export function BalanceHistory({ accountId }: { accountId: number }) {
  const [isOpen, setIsOpen] = useState(false);
  const months = useQuery({ ...statementMonthsQuery(accountId), enabled: isOpen });
  const rows = months.data?.slice(0, shownMonths);
  return (
    <details className={classes.history} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t.title}</summary>
      {rows === undefined ? (
        <Loading query={months} placeholder={<Skeleton h={160} />} />
      ) : rows.length === 0 ? (
        <p className={classes.muted}>{t.empty}</p>
      ) : (
        <>
          <PlainTable name={t.title} head={[t.month, ...columns.map((column) => ({ right: headers[column] }))]}>
            <tbody>
              {rows.map((row) => (
                <tr key={row.month}>
                  <td data-short>{formatMonth(row.month)}</td>
                  {columns.map((column) => (
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
          {(months.data?.length ?? 0) > shownMonths && <p className={classes.hint}>{t.lastMonths}</p>}
        </>
      )}
    </details>
  );
}
