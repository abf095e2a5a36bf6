import { Button } from '@mantine/core';
import type { ReportDetail } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  formatInteger,
  formatMonth,
  formatPercent,
  formatRate,
  formatReportDate,
  lastShare,
} from '@regie/values/formats.ts';
import { IconChevronLeft, IconChevronRight, IconTrash } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useReturnToList } from '#src/lib/list-return.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { ExactMoney, ExactMoneyCell } from '#src/ui/exact.tsx';
import { IconLink } from '#src/ui/icon-button.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money, MoneyCell } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import classes from './record.module.css';
import { ReportStatements } from './report-statements.tsx';
import { reportQuery } from './reports.api.ts';
import { frReports } from './reports.fr.ts';

const t = frReports.detail;
const incomeDecimals = 10;

const nameOf = (person: { fname: string; lname: string }) => `${person.fname} ${person.lname}`.trim();

export const prefetch = (client: QueryClient, id: number) => client.prefetchQuery(reportQuery(id));

export default function ReportPage() {
  const id = useIdParam();
  const report = useQuery({ ...reportQuery(id ?? 0), enabled: id !== undefined });
  if (id === undefined) return <NotFound />;
  return <Loaded query={report}>{(data) => <ReportView key={id} report={data} />}</Loaded>;
}

function ReportView({ report }: { report: ReportDetail }) {
  const can = useCan();
  const [isRemoving, setIsRemoving] = useState(false);
  const name = report.Track?.title ?? nameOf(report.Account);
  const step = (to: ReportDetail['next'], label: (name: string) => string, icon: typeof IconChevronLeft) =>
    to && <IconLink to={paths.report(to.id)} label={label(to.name)} icon={icon} />;
  return (
    <>
      <RecordPage
        header={
          <PageHeader
            title={t.title(name)}
            crumb={formatMonth(report.fromDate)}
            parent={can('manage_profiles') ? paths.profiles : undefined}
            owner={{ id: report.userId, name: nameOf(report.Account) }}
            trail={[{ label: frScreens.accounts.statement, to: paths.statement(report.userId) }]}
            badge={<StatusBadge tone="info">{frReports.type[report.type]}</StatusBadge>}
            text={
              <>
                {t.period(formatReportDate(report.fromDate), formatReportDate(report.toDate))}
                <Strip report={report} />
              </>
            }
            actions={
              <>
                {step(report.previous, t.previous, IconChevronLeft)}
                {step(report.next, t.next, IconChevronRight)}
                {can('edit_reports') && (
                  <Button variant="default" leftSection={buttonIcon(IconTrash)} onClick={() => setIsRemoving(true)}>
                    {t.remove}
                  </Button>
                )}
              </>
            }
          />
        }
        side={<Facts title={fr.common.facts} facts={factsOf(report)} />}
      >
        <Section title={t.income}>
          <IncomeTable report={report} />
        </Section>
        <Section title={t.shares}>
          {report.platformEur < 0 && report.grossEur > 0 && <Notice tone="note">{t.platformNegative}</Notice>}
          <ShareTable report={report} />
        </Section>
        {report.import.kind === 'automatic' && <ReportStatements reportId={report.id} />}
      </RecordPage>
      <RemoveReport report={report} name={name} isOpen={isRemoving} onClose={() => setIsRemoving(false)} />
    </>
  );
}

/** From what the source paid to what the account gets. */
function Strip({ report }: { report: ReportDetail }) {
  return (
    <ol className={classes.strip} aria-label={t.strip}>
      <li>
        <ExactMoney amount={report.totalIncome} currency="USD" decimals={incomeDecimals} />
      </li>
      <li>
        <ExactMoney amount={report.grossEur} currency="EUR" />
      </li>
      <li>{formatPercent(report.percentile)}</li>
      <li className={shared.figure}>
        <ExactMoney amount={report.accountEur} currency="EUR" />
      </li>
    </ol>
  );
}

const factsOf = (report: ReportDetail) => [
  { label: frReports.column.month, value: formatMonth(report.fromDate) },
  {
    label: frReports.column.track,
    value: report.Track && <TrackLink id={report.Track.id}>{report.Track.title}</TrackLink>,
  },
  {
    label: frReports.column.isrc,
    value: report.Track?.isrc ? (
      <Identifier value={report.Track.isrc} name={frReports.column.isrc}>
        <TrackLink id={report.Track.id} isInText>
          {report.Track.isrc}
        </TrackLink>
      </Identifier>
    ) : undefined,
  },
  {
    label: frReports.account,
    value: (
      <Link className={shared.link} to={paths.reporting()} search={{ userId: String(report.userId) }}>
        {nameOf(report.Account)}
      </Link>
    ),
  },
  { label: t.rate, value: t.rateValue(formatRate(report.rate)) },
  {
    label: frReports.column.import,
    value: (
      <>
        <Link className={shared.link} to={paths.import(report.import.id)}>
          {report.import.fileName ?? frRecords.importNumber(formatInteger(report.import.id))}
        </Link>
        <span className={shared.under}>
          {report.import.kind === 'single' ? (
            frReports.imports.kind.single
          ) : (
            <DateText ms={report.import.createdAt} hasTime />
          )}
        </span>
      </>
    ),
  },
  { label: t.transactions, value: report.transactions.length === 0 ? undefined : <Transactions report={report} /> },
  { label: t.createdBy, value: report.createdBy ?? undefined },
];

const transactionsShown = 5;

function Transactions({ report }: { report: ReportDetail }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? report.transactions : report.transactions.slice(0, transactionsShown);
  const hidden = report.transactions.length - shown.length;
  return (
    <>
      {shown.map((transaction) => (
        <div key={transaction.id}>
          <Link className={shared.link} to={paths.transaction(transaction.id)}>
            {frReports.transaction.title(String(transaction.id))}
          </Link>
          <span className={shared.under}>
            <DateText ms={transaction.occurredAt} hasTime />
          </span>
          <span className={shared.under}>
            <Money amount={transaction.amountEur} currency="EUR" />{' '}
            {report.import.kind === 'single' ? '' : t.transactionScope}
          </span>
        </div>
      ))}
      {hidden > 0 && (
        <Button variant="subtle" size="compact-sm" onClick={() => setIsWhole(true)}>
          {t.moreTransactions(formatInteger(hidden))}
        </Button>
      )}
    </>
  );
}

function IncomeTable({ report }: { report: ReportDetail }) {
  const isPlatform = report.type === 'platform';
  return (
    <PlainTable
      name={t.income}
      isStackable
      head={[
        frReports.column.month,
        ...(isPlatform ? [{ right: t.streams }, { right: t.downloads }] : []),
        { right: t.video },
        { right: t.total },
      ]}
    >
      <tbody>
        <tr>
          <td data-short>{formatReportDate(report.fromDate)}</td>
          {isPlatform && (
            <>
              <Income label={t.streams} amount={report.incomeOfStreams} count={report.numOfStreams} />
              <Income label={t.downloads} amount={report.incomeOfDownloads} count={report.numOfDownloads} />
            </>
          )}
          <Income label={t.video} amount={report.incomeOfYoutube} count={report.numOfYoutube} />
          <td data-align="right" data-label={t.total}>
            <strong>
              <ExactMoney amount={report.totalIncome} currency="USD" decimals={incomeDecimals} />
            </strong>
          </td>
        </tr>
      </tbody>
    </PlainTable>
  );
}

function Income({ label, amount, count }: { label: string; amount: number; count: number }) {
  return (
    <td data-align="right" data-label={label}>
      <div>
        <ExactMoney amount={amount} currency="USD" decimals={incomeDecimals} />
        {count !== 0 && <span className={shared.under}>{formatInteger(count)}</span>}
      </div>
    </td>
  );
}

const sharesOf = (report: ReportDetail) => [
  {
    key: 0,
    name: nameOf(report.Account),
    role: frReports.account,
    percent: t.accountPercent(formatPercent(report.percentile)),
    amount: report.accountEur,
  },
  ...report.referrals.map(({ referralId, referrer, percentile, amountEur }) => ({
    key: referralId,
    name: nameOf(referrer),
    role: t.referral,
    percent: t.referralPercent(formatPercent(percentile)),
    amount: amountEur,
  })),
];

function ShareTable({ report }: { report: ReportDetail }) {
  const shares = sharesOf(report);
  const platformShown = lastShare(
    report.grossEur,
    shares.map(({ amount }) => amount),
  );
  return (
    <PlainTable name={t.shares} head={[t.who, { right: t.share }, { right: frReports.transaction.amount }]}>
      <tbody>
        {shares.map(({ key, name, role, percent, amount }) => (
          <tr key={key}>
            <td>
              <span className={shared.name}>{name}</span>
              <span className={shared.under}>{role}</span>
            </td>
            <td data-align="right">{percent}</td>
            <ExactMoneyCell amount={amount} currency="EUR" />
          </tr>
        ))}
        <tr>
          <td>
            <span className={shared.name}>{t.platformShare}</span>
          </td>
          <td data-align="right">{t.platformRest}</td>
          <ExactMoneyCell amount={report.platformEur} currency="EUR" shown={platformShown} />
        </tr>
      </tbody>
      <tfoot>
        <tr>
          <td>{t.grossEur}</td>
          <td data-align="right" />
          <ExactMoneyCell amount={report.grossEur} currency="EUR" />
        </tr>
      </tfoot>
    </PlainTable>
  );
}

function RemoveReport({ report, name, ...dialog }: { report: ReportDetail; name: string } & DialogState) {
  const returnToList = useReturnToList();
  const remove = async (options: { idempotencyKey: string }) => {
    const answer = await api(routes.deleteReport, { params: { id: report.id }, ...options });
    flashSuccess(answer.message, { afterNavigation: true });
    await returnToList([paths.reporting(), paths.reporting('platform'), paths.reporting('youtube')]);
  };
  return (
    <ConfirmModal
      {...dialog}
      name={`${name}, ${formatMonth(report.fromDate)}`}
      consequence={t.removeConsequence}
      verb={t.remove}
      onConfirm={remove}
    >
      <PlainTable name={t.shares}>
        <tbody>
          {sharesOf(report).map(({ key, name, amount }) => (
            <tr key={key}>
              <td>{name}</td>
              <MoneyCell amount={amount === 0 ? 0 : -amount} currency="EUR" />
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </ConfirmModal>
  );
}
