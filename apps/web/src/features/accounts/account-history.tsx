import { Button, Skeleton } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { formatInteger, formatMonth } from '#src/lib/formats.ts';
import { Loading } from '#src/ui/loaded.tsx';
import { Balance, Money } from '#src/ui/money.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { figuresQuery, statementMonthsQuery } from './accounts.api.ts';
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
  const months = useQuery(statementMonthsQuery(accountId));
  const rows = months.data?.slice(0, shownMonths);
  return (
    <Section
      title={t.title}
      actions={
        <Button
          renderRoot={(props) => <Link {...props} to={paths.statement(accountId)} />}
          variant="default"
          leftSection={<IconListDetails size={16} stroke={1.8} aria-hidden />}
        >
          {frAccounts.statement.button}
        </Button>
      }
    >
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
    </Section>
  );
}

const f = frAccounts.figures;

/** The account's tracks with the highest income. */
export function TopTracks({ accountId }: { accountId: number }) {
  const figures = useQuery(figuresQuery(accountId));
  const tracks = figures.data?.topTracks;
  return (
    <Section title={f.topTracks}>
      {tracks === undefined ? (
        <Loading query={figures} placeholder={<Skeleton h={120} />} />
      ) : tracks.length === 0 ? (
        <p className={classes.muted}>{f.noTracks}</p>
      ) : (
        <>
          <PlainTable name={f.topTracks} head={[f.track, { right: f.streams }, { right: f.earned }]}>
            <tbody>
              {tracks.map((track) => (
                <tr key={track.id}>
                  <td>
                    <Link className={shared.link} to={paths.release(track.releaseId)}>
                      {track.title}
                    </Link>
                    <span className={classes.hint}>{[track.releaseTitle, track.isrc].filter(Boolean).join(' · ')}</span>
                  </td>
                  <td data-align="right">{formatInteger(track.streams)}</td>
                  <td data-align="right">
                    <Money amount={track.earnedEur} currency="EUR" />
                  </td>
                </tr>
              ))}
            </tbody>
          </PlainTable>
          <p className={classes.hint}>{f.topTracksHint}</p>
        </>
      )}
    </Section>
  );
}
