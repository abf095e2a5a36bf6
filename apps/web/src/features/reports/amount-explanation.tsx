import { Button } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { formatAlignedPercent, formatInteger, formatMoney, formatRate, formatTotal } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Loading } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './record.module.css';
import { frReports } from './reports.fr.ts';

const t = frReports.why;
const pageSize = 50;
const ledgerDecimals = 6;

/** Explains an account's posting by its reports, percentages and exchange rate. */
export function AmountExplanation({
  transactionId,
  accountId,
  title,
}: {
  transactionId: number;
  accountId: number;
  title: string;
}) {
  const can = useCan();
  const reports = useInfiniteQuery({
    queryKey: ['posting', transactionId, accountId],
    queryFn: ({ pageParam, signal }) =>
      api(routes.explainPosting, {
        params: { id: transactionId },
        query: { userId: accountId, limit: pageSize, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta?.nextCursor ?? undefined,
  });
  const [first] = reports.data?.pages ?? [];
  if (!first) {
    return <Loading query={reports} placeholder={<TableSkeleton />} />;
  }
  const rows = reports.data?.pages.flatMap((page) => page.data.reports) ?? [];
  const isReferral = rows.some((row) => row.referralPercentile !== null);
  return (
    <Section title={title}>
      <p className={classes.hint}>
        {t.explanation(formatMoney(first.data.totalEur, 'EUR', ledgerDecimals), formatRate(first.data.rate))}
      </p>
      <PlainTable
        name={t.title}
        isStackable
        head={[
          t.report,
          { right: t.grossUsd },
          { right: t.grossEur },
          { right: t.percentile },
          ...(isReferral ? [{ right: t.accountEur }, { right: t.referral }] : []),
          { right: t.share },
        ]}
      >
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                {can('read_reports') && !row.isReversed ? (
                  <Link className={shared.link} to={paths.report(row.id)}>
                    {row.trackTitle ?? t.video}
                  </Link>
                ) : (
                  (row.trackTitle ?? t.video)
                )}
                <span className={classes.hint}>
                  {[row.isrc, row.isReversed ? t.reversed : undefined].filter(Boolean).join(' · ')}
                </span>
              </td>
              <td data-align="right" data-label={t.grossUsd}>
                <Money amount={row.grossUsd} currency="USD" decimals={ledgerDecimals} isAligned />
              </td>
              <td data-align="right" data-label={t.grossEur}>
                <Money amount={row.grossEur} currency="EUR" decimals={ledgerDecimals} isAligned />
              </td>
              <td data-align="right" data-label={t.percentile}>
                {formatAlignedPercent(row.percentile)}
              </td>
              {isReferral && (
                <>
                  <td data-align="right" data-label={t.accountEur}>
                    <Money amount={row.accountEur} currency="EUR" decimals={ledgerDecimals} isAligned />
                  </td>
                  <td data-align="right" data-label={t.referral}>
                    {row.referralPercentile === null ? fr.common.none : formatAlignedPercent(row.referralPercentile)}
                  </td>
                </>
              )}
              <td data-align="right" data-label={t.share}>
                <Money amount={row.shareEur} currency="EUR" decimals={ledgerDecimals} isAligned />
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      <div className={classes.after}>
        <span>
          {t.shown(
            formatInteger(rows.length),
            formatTotal(first.meta?.total ?? rows.length, first.meta?.totalIsExact ?? true),
          )}
        </span>
        {reports.hasNextPage && (
          <Button variant="default" loading={reports.isFetchingNextPage} onClick={() => void reports.fetchNextPage()}>
            {t.more}
          </Button>
        )}
      </div>
    </Section>
  );
}
