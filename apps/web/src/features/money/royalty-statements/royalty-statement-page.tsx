import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { LetterFailure, RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { royaltyMovements } from '@regie/documents/movement-labels.ts';
import { countryName } from '@regie/values/countries.ts';
import { formatDate, formatInteger, formatMonth, formatPercent } from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { IconDownload, IconFileTypePdf, IconSend } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { frRoyalty } from '#src/domain/royalties/royalty.fr.ts';
import { nameOf, periodOf } from '#src/domain/royalties/royalty-labels.tsx';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { useAct } from '#src/lib/act.ts';
import { type ApiData, api, apiQuery, isNotFound } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { downloadFile } from '#src/lib/file-download.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Balance } from '#src/ui/exact.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money, MoneyCell } from '#src/ui/money.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Facts, RecordPage, Section, TechnicalFacts } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';

const t = frRoyalty.statement;
const askEveryMs = 1500;
type Statement = ApiData<typeof routes.getRoyaltyStatement>;

const statementQuery = (id: number) => ({
  ...apiQuery(['royalty-statement', id], routes.getRoyaltyStatement, { params: { id } }),
  refetchInterval: ({ state }: { state: { data?: Statement } }) =>
    state.data?.letter.state === 'queued' ? askEveryMs : false,
});

export const prefetch = (client: QueryClient, id: number) => client.prefetchQuery(statementQuery(id));

export default function RoyaltyStatementPage() {
  const id = useIdParam();
  const statement = useQuery({ ...statementQuery(id ?? 0), enabled: id !== undefined });
  if (id === undefined || isNotFound(statement.error)) return <NotFound />;
  return <Loaded query={statement}>{(data) => <StatementView key={id} statement={data} />}</Loaded>;
}

const linesPath = (id: number) => routes.downloadRoyaltyLines.path.replace(':id', String(id));
const pdfPath = (id: number) => routes.getRoyaltyStatementPdf.path.replace(':id', String(id));

function StatementView({ statement }: { statement: Statement }) {
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  const can = useCan();
  const { record } = statement;
  const name = nameOf(statement);
  return (
    <RecordPage
      header={
        <PageHeader
          title={`${name}, ${periodOf(statement)}`}
          crumb={t.title(formatInteger(statement.number))}
          owner={{ id: statement.Account.id, name }}
          actions={
            <>
              {record && (
                <Button
                  variant="default"
                  loading={isBusy}
                  leftSection={buttonIcon(IconFileTypePdf)}
                  onClick={() => act(() => downloadFile(pdfPath(statement.id)))}
                >
                  {t.pdf}
                </Button>
              )}
              {record && record.income.lines > 0 && (
                <Button
                  variant="default"
                  disabled={isBusy}
                  leftSection={buttonIcon(IconDownload)}
                  onClick={() => act(() => downloadFile(linesPath(statement.id)))}
                >
                  {t.download}
                </Button>
              )}
              {record && can('send_statements') && <LetterActions statement={statement} onFailure={setFailure} />}
            </>
          }
        />
      }
      side={
        <>
          <Facts
            title={fr.common.facts}
            facts={[
              { label: t.number, value: formatInteger(statement.number) },
              { label: t.period, value: periodOf(statement) },
              { label: t.account, value: <AccountLink id={statement.Account.id}>{name}</AccountLink> },
              { label: t.publishedAt, value: <DateText ms={statement.publishedAt} hasTime /> },
              { label: frRoyalty.column.letter, value: <LetterFact statement={statement} /> },
              { label: t.lines, value: record ? formatInteger(record.income.lines) : undefined },
            ]}
          />
          <TechnicalFacts
            facts={[{ label: t.sha256, value: <Identifier value={statement.sha256} name={t.sha256} /> }]}
          />
        </>
      }
    >
      <Message text={failure} onDismiss={setFailure} />
      {statement.letter.failure && <Undelivered statement={statement} failure={statement.letter.failure} />}
      {record ? <Record record={record} /> : <Notice tone="note">{t.erased}</Notice>}
    </RecordPage>
  );
}

const letter = frRoyalty.letter;

function LetterFact({
  statement: {
    letter: { state, at },
    email,
    link,
    linkExpiresAt,
  },
}: {
  statement: Statement;
}) {
  return (
    <>
      {state === 'sent' && email ? letter.sentTo(email) : letter.state[state]}
      {at !== null && (
        <span className={shared.under}>
          <DateText ms={at} hasTime />
        </span>
      )}
      {state !== 'none' && link === null && <span className={shared.under}>{letter.revoked}</span>}
      {link !== null && linkExpiresAt !== null && (
        <span className={shared.under}>
          <a className={shared.textLink} href={link} target="_blank" rel="noreferrer">
            {letter.link}
          </a>
          {', '}
          {letter.until(formatDate(linkExpiresAt))}
        </span>
      )}
    </>
  );
}

function Undelivered({ statement, failure }: { statement: Statement; failure: LetterFailure }) {
  const can = useCan();
  return (
    <Notice tone="error">
      {letter.failure[failure]}. {letter.remedy[failure]}{' '}
      {failure !== 'unreachable' && can('manage_profiles') && (
        <Link className={shared.textLink} to={paths.editProfile(statement.Account.id)}>
          {letter.editAccount}
        </Link>
      )}
    </Notice>
  );
}

function LetterActions({ statement, onFailure }: { statement: Statement; onFailure: (text?: string) => void }) {
  const { act, isBusy } = useAct({ onFailure });
  const { copied, copy } = useClipboard();
  const { ask, dialog } = useAsked<void>();
  const params = { id: statement.id };
  const { link } = statement;
  return (
    <>
      <Button
        leftSection={buttonIcon(IconSend)}
        variant={statement.letter.state === 'sent' ? 'default' : 'filled'}
        loading={isBusy}
        onClick={() =>
          act((options) =>
            api(routes.sendRoyaltyStatement, { params, body: { seenAt: statement.letter.at }, ...options }),
          )
        }
      >
        {statement.letter.state === 'sent' ? letter.sendAgain : letter.send}
      </Button>
      {link !== null && statement.letter.state !== 'queued' && (
        <MoreMenu label={letter.link}>
          <Menu.Item closeMenuOnClick={false} onClick={() => copy(link)}>
            {copied ? letter.linkCopied : letter.copyLink}
          </Menu.Item>
          <Menu.Item onClick={() => ask()}>{letter.revoke}</Menu.Item>
        </MoreMenu>
      )}
      <ConfirmModal
        {...dialog}
        name={letter.linkName}
        consequence={letter.revokeConsequence}
        verb={letter.revoke}
        onConfirm={({ idempotencyKey }) => api(routes.revokeRoyaltyLink, { params, idempotencyKey })}
      />
    </>
  );
}

const shownMonth = (month: string) => formatMonth(monthToMs(month));
const shownDay = (day: string) => formatDate(Date.parse(day));

const payoutName = ({ payoutId, isReturn }: RoyaltyRecord['payouts'][number]) =>
  t.payout(formatPayoutNumber(payoutId), isReturn);

function Record({ record }: { record: RoyaltyRecord }) {
  const can = useCan();
  const mayOpen = can('edit_pending_payout') || can('edit_paid_payout');
  return (
    <>
      <Section title={t.summary}>
        <PlainTable name={t.summary} head={[t.what, { right: t.net }]}>
          <tbody>
            <Row name={t.opening} amount={record.openingEur} isBalance />
            {royaltyMovements(record).map(
              ([name, amount]) => amount !== 0 && <Row key={name} name={name} amount={amount} />,
            )}
          </tbody>
          <tfoot>
            <Row name={t.closing} amount={record.closingEur} isBalance />
          </tfoot>
        </PlainTable>
        {record.pendingEur !== 0 && (
          <p className={shared.under}>
            {t.pending} <Money amount={record.pendingEur} currency="EUR" />
          </p>
        )}
      </Section>
      <Tracks record={record} />
      <Sums title={t.stores} none={t.noStore} sums={record.income.stores} />
      <Sums
        title={t.countries}
        none={t.noCountry}
        sums={record.income.countries.map(({ name, netEur }) => ({ name: name && countryName(name), netEur }))}
      />
      <Movements
        title={t.referrals}
        rows={record.referrals.map(({ name, month, percentile, netEur }) => ({
          what: t.referral(name ?? '', shownMonth(month), percentile === null ? null : formatPercent(percentile)),
          netEur,
        }))}
      />
      <Movements
        title={t.corrections}
        rows={record.corrections.map((one) => ({
          day: one.day,
          what: (
            <>
              {t.correction(shownMonth(one.month), one.file, one.referred)}
              <span className={shared.under}>
                {t.before} <Money amount={one.beforeEur} currency="EUR" />, {t.after.toLowerCase()}{' '}
                <Money amount={one.afterEur} currency="EUR" />
                {one.reason && ` · ${one.reason}`}
              </span>
            </>
          ),
          netEur: one.netEur,
        }))}
      />
      <Movements
        title={t.payouts}
        rows={record.payouts.map((one) => ({
          day: one.day,
          what: mayOpen ? (
            <Link className={shared.link} to={paths.payout(one.payoutId)}>
              {payoutName(one)}
            </Link>
          ) : (
            payoutName(one)
          ),
          netEur: one.netEur,
        }))}
      />
      <Movements
        title={t.adjustments}
        rows={record.adjustments.map(({ day, reason, netEur }) => ({ day, what: reason, netEur }))}
      />
    </>
  );
}

const Row = ({ name, amount, isBalance }: { name: string; amount: number; isBalance?: boolean }) => (
  <tr>
    <td>{name}</td>
    <td data-align="right">{isBalance ? <Balance amount={amount} /> : <Money amount={amount} currency="EUR" />}</td>
  </tr>
);

const tracksShown = 50;

function Tracks({ record }: { record: RoyaltyRecord }) {
  const [isWhole, setIsWhole] = useState(false);
  const { tracks } = record.income;
  if (tracks.length === 0) return null;
  const shown = isWhole ? tracks : tracks.slice(0, tracksShown);
  return (
    <Section title={t.tracks}>
      <PlainTable name={t.tracks} head={[t.track, { right: t.quantity }, { right: t.net }]}>
        <tbody>
          {shown.map((track, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a frozen record never move
            <tr key={index}>
              <td>
                {track.trackId === null ? (
                  t.noTrack
                ) : (
                  <TrackLink id={track.trackId}>{track.title ?? t.noTrack}</TrackLink>
                )}
                <span className={shared.under}>{[track.release, track.isrc].filter(Boolean).join(' · ')}</span>
              </td>
              <td data-align="right">{track.quantity === null ? fr.common.none : formatInteger(track.quantity)}</td>
              <MoneyCell amount={track.netEur} currency="EUR" />
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {shown.length < tracks.length && (
        <button type="button" className={shared.textLink} onClick={() => setIsWhole(true)}>
          {t.others(tracks.length - shown.length)}
        </button>
      )}
    </Section>
  );
}

interface SumsProps {
  title: string;
  none: string;
  sums: readonly { name: string | null; netEur: number }[];
}

function Sums({ title, none, sums }: SumsProps) {
  if (sums.every(({ name }) => name === null)) return null;
  return (
    <Section title={title}>
      <PlainTable name={title} maxHeight={360}>
        <tbody>
          {sums.map(({ name, netEur }) => (
            <Row key={name} name={name ?? none} amount={netEur} />
          ))}
        </tbody>
      </PlainTable>
    </Section>
  );
}

interface Movement {
  day?: string;
  what: ReactNode;
  netEur: number;
}

function Movements({ title, rows }: { title: string; rows: readonly Movement[] }) {
  if (rows.length === 0) return null;
  const hasDays = rows[0]?.day !== undefined;
  return (
    <Section title={title}>
      <PlainTable name={title} head={[...(hasDays ? [t.date] : []), t.what, { right: t.net }]}>
        <tbody>
          {rows.map(({ day, what, netEur }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a frozen record never move
            <tr key={index}>
              {day !== undefined && <td data-short>{shownDay(day)}</td>}
              <td>{what}</td>
              <MoneyCell amount={netEur} currency="EUR" />
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Section>
  );
}
