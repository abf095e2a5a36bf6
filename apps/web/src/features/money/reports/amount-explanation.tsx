import { Button, Group } from '@mantine/core';
import type { PostedReport } from '@regie/contract/routes/account-statement.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  formatAlignedPercent,
  formatInteger,
  formatMoney,
  formatPercent,
  formatRate,
  formatTotal,
} from '@regie/values/formats.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { ExactMoneyCell } from '#src/ui/exact.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './record.module.css';
import { frReports } from './reports.fr.ts';

const t = frReports.why;
const pageSize = 50;

function alignPercents(rows: readonly PostedReport[]): (percent: number) => string {
  const percents = rows.flatMap(({ percentile, referralPercentile }) => [percentile, referralPercentile ?? 0]);
  const decimals = Math.max(0, ...percents.map((percent) => String(percent).split('.')[1]?.length ?? 0));
  return (percent) => formatAlignedPercent(percent, Math.min(2, decimals));
}

const sumOf = ({ grossEur, percentile, referralPercentile }: PostedReport) =>
  [formatMoney(grossEur, 'EUR'), percentile, referralPercentile]
    .filter((part) => part !== null)
    .map((part) => (typeof part === 'number' ? formatPercent(part) : part))
    .join(' × ');

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
        query: { userId: accountId, limit: pageSize, cursor: pageParam },
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
  const percent = alignPercents(rows);
  const isReferral = rows.some((row) => row.referralPercentile !== null);
  return (
    <Section title={title} method={t.explanation(formatRate(first.data.rate))}>
      <PlainTable
        name={t.title}
        className={classes.why}
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
                  <Link className={`${shared.link} ${shared.oneLine}`} to={paths.report(row.id)}>
                    {row.trackTitle ?? t.video}
                  </Link>
                ) : (
                  <span className={shared.oneLine}>{row.trackTitle ?? t.video}</span>
                )}
                <span className={`${shared.oneLine} ${shared.under}`}>
                  {(row.isrc || row.isReversed) && (
                    <span>
                      {row.isrc && row.trackId !== null && (
                        <TrackLink id={row.trackId} isInText>
                          {row.isrc}
                        </TrackLink>
                      )}
                      {row.isrc && row.isReversed && ' · '}
                      {row.isReversed && t.reversed}
                    </span>
                  )}
                  <span className={classes.sum}>{sumOf(row)}</span>
                </span>
              </td>
              <ExactMoneyCell amount={row.grossUsd} currency="USD" />
              <ExactMoneyCell amount={row.grossEur} currency="EUR" />
              <td data-align="right">{percent(row.percentile)}</td>
              {isReferral && (
                <>
                  <ExactMoneyCell amount={row.accountEur} currency="EUR" />
                  <td data-align="right">
                    {row.referralPercentile === null ? fr.common.none : percent(row.referralPercentile)}
                  </td>
                </>
              )}
              <ExactMoneyCell amount={row.shareEur} currency="EUR" />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t.total}</th>
            <td colSpan={isReferral ? 5 : 3} />
            <ExactMoneyCell amount={first.data.totalEur} currency="EUR" />
          </tr>
        </tfoot>
      </PlainTable>
      <Group justify="space-between" gap="8px 16px" mt={14} className={shared.note}>
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
      </Group>
    </Section>
  );
}
