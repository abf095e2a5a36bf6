import { Box, Button, Group, Menu, Skeleton } from '@mantine/core';
import type { MonthDetail } from '@regie/contract/routes/months.ts';
import type { StatementAlert, StatementDetail } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  capital,
  formatDate,
  formatInteger,
  formatLongMonth,
  formatMoney,
  formatMonth,
  plural,
} from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import {
  IconAlertTriangle,
  IconChevronLeft,
  IconChevronRight,
  IconCircle,
  IconCircleCheck,
  IconClock,
  IconTable,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { doubledText, InexactMark, missingRatesText } from '#src/domain/inexact-sums.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { frRoyalty } from '#src/domain/royalties/royalty.fr.ts';
import { RecordSigning, signableQuery } from '#src/domain/signing/record-signing.tsx';
import { toRate } from '#src/domain/to-rate.ts';
import { nameLine } from '#src/domain/tracks/line-names.ts';
import { useAct } from '#src/lib/act.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { monthFromParam, monthToParam } from '#src/lib/months.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { Message } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { IconLink } from '#src/ui/icon-button.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { EmptyState, NotFound } from '#src/ui/states.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import { importsLink } from './imported-cells.ts';
import { LineDownloads } from './line-downloads.tsx';
import { MonthFlow, PayButton, useMonthPayments } from './month-flow.tsx';
import { lacksRate, MonthOutcome, PostButton, usePosting } from './month-outcome.tsx';
import classes from './month-page.module.css';
import { monthQuery } from './months.api.ts';
import { frMonths } from './months.fr.ts';
import { CheckModal } from './statement-checks.tsx';
import { StatementDrop } from './statement-drop.tsx';
import { StatementBadge } from './statement-labels.tsx';
import { ReplaceStatement } from './statement-removal.tsx';
import { statementQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';

const t = frMonths.page;

type Source = MonthDetail['sources'][number];
type Statement = Source['statements'][number];

export default function MonthPage() {
  const params: { month?: string } = useParams({ strict: false });
  const month = monthFromParam(params.month);
  const detail = useQuery({ ...monthQuery(month ?? 0), enabled: month !== undefined });
  const signing = useQuery({ ...signableQuery('month', params.month ?? ''), enabled: month !== undefined });
  if (month === undefined) return <NotFound />;
  return (
    <Loaded query={detail} after={signing} placeholder={<MonthSkeleton month={month} />}>
      {(data) => (
        <MonthView key={data.month} month={data} readAt={detail.dataUpdatedAt} isReading={detail.isFetching} />
      )}
    </Loaded>
  );
}

interface HeaderProps {
  month: number;
  badge?: ReactNode;
  menu?: ReactNode;
  children?: ReactNode;
}

function Header({ month, badge, menu, children }: HeaderProps) {
  const isPhone = useIsPhone();
  const to = (by: number) => monthToMs(addMonths(monthOfInstant(month), by));
  const step = (ms: number, label: (month: string) => string, icon: typeof IconChevronLeft) =>
    ms <= monthToMs(monthOfInstant(Date.now())) &&
    monthToParam(ms) && (
      <IconLink to={paths.month(monthToParam(ms) ?? '')} label={label(formatMonth(ms))} icon={icon} />
    );
  const icons = (
    <>
      {menu}
      {step(to(-1), t.previous, IconChevronLeft)}
      {step(to(1), t.next, IconChevronRight)}
    </>
  );
  return (
    <PageHeader
      title={capital(formatLongMonth(month))}
      badge={!isPhone && badge}
      text={
        isPhone && (
          <Group gap={8} wrap="nowrap" className={classes.icons}>
            <Box mr="auto">{badge}</Box>
            {icons}
          </Group>
        )
      }
      actions={
        <>
          {children}
          {!isPhone && icons}
        </>
      }
    />
  );
}

function MonthSkeleton({ month }: { month: number }) {
  return (
    <RecordPage
      header={<Header month={month} />}
      side={
        <div className={classes.outcome} aria-hidden>
          {[140, 100, 100, 100, 120].map((width, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
            <Skeleton key={index} h={14} w={width} />
          ))}
          <Skeleton h={36} />
        </div>
      }
    >
      <div className={classes.sources} role="status" aria-label={fr.common.loading}>
        {[0, 1, 2].map((index) => (
          <div key={index} className={classes.source}>
            <Skeleton h={16} w={160} />
            <Skeleton h={14} w="60%" mt={14} />
          </div>
        ))}
      </div>
    </RecordPage>
  );
}

const isPosted = ({ state }: Source) => state === 'posted';
const isChecked = ({ state, statements }: Source) => state !== 'expected' && statements.every((one) => one.isChecked);

function MonthView({ month, readAt, isReading }: { month: MonthDetail; readAt: number; isReading: boolean }) {
  const can = useCan();
  const canEdit = can('edit_reports');
  const canPublish = can('send_statements');
  const queryClient = useQueryClient();
  const { act, isBusy, failure, setFailure } = useAct();
  const posting = usePosting({ month, readAt, isReading });
  const payments = useMonthPayments(month);
  const isPostedWhole = !posting.isReady && !posting.hasMore;
  const [reviewed, setReviewed] = useState<{ statement: StatementDetail; dialog: 'check' | 'replace' }>();
  const [dialog, setDialog] = useState<'check' | 'replace'>();
  // Opened after it is mounted, so that it returns the focus.
  useEffect(() => setDialog(reviewed?.dialog), [reviewed]);

  const { sources } = month;
  const plain = sources
    .flatMap(({ statements }) => statements)
    .flatMap(({ id, version, alerts }) => (version === null || alerts.length > 0 ? [] : [{ id, version }]));
  const alerted = sources
    .flatMap(({ statements }) => statements)
    .filter((one) => !one.isChecked && one.isWaiting && one.alerts.length > 0);
  const checkAll = () => {
    const body = { statements: plain };
    act(async ({ idempotencyKey }) => {
      const { data, message } = await api(routes.checkStatements, { body, idempotencyKey });
      // Those with an alert, and those that changed meanwhile.
      const left = [
        ...alerted.map(({ fileName, alerts: [first] }) => ({ fileName, reason: first?.message })),
        ...data.left,
      ].map(({ fileName, reason }) => [fileName, reason].filter(Boolean).join(fr.common.colon));
      const leftText = left.length > 0 ? `${t.left} ${left.join('\u00a0; ')}.` : undefined;
      if (data.checked.length === 0) {
        setFailure(leftText);
        return undefined;
      }
      return (
        <Checked ids={data.checked}>
          {message}
          {leftText && <div>{leftText}</div>}
        </Checked>
      );
    }, body);
  };
  const check = ({ id, version, alerts }: Statement) => {
    setFailure(undefined);
    if (version !== null && alerts.every(({ kind }) => kind === 'unmatched')) {
      act(
        async ({ idempotencyKey }) => {
          const { message } = await api(routes.checkStatement, { params: { id }, body: { version }, idempotencyKey });
          return <Checked ids={[id]}>{message}</Checked>;
        },
        { id, version },
      );
      return;
    }
    review(id, 'check');
  };
  const review = (id: number, asked: 'check' | 'replace') =>
    void queryClient.fetchQuery({ ...statementQuery(id), staleTime: 0 }).then(
      (statement) => setReviewed({ statement, dialog: asked }),
      (error: unknown) => setFailure(errorSentence(error)),
    );
  const replace = ({ id }: Statement) => {
    setFailure(undefined);
    review(id, 'replace');
  };
  const isClosed = sources.every(isPosted);
  const badge = sources.length > 0 && (
    <StatusBadge tone={isClosed ? 'success' : 'neutral'}>
      {isClosed
        ? frMonths.state.posted
        : t.count(
            formatInteger(sources.filter(isChecked).length),
            plural(sources.length, 'source validée', 'sources validées'),
          )}
    </StatusBadge>
  );
  const menu = sources.some(({ statements }) => statements.length > 0) && (
    <MoreMenu label={frStatements.page.moreActions}>
      <Menu.Item
        leftSection={buttonIcon(IconTable)}
        renderRoot={(props) => (
          <Link
            {...props}
            to={paths.pivot}
            search={{ columns: 'country', from: monthToParam(month.month), to: monthToParam(month.month) }}
          />
        )}
      >
        {t.pivot}
      </Menu.Item>
      <LineDownloads of={['month', month.month]} onFailure={setFailure} />
    </MoreMenu>
  );
  return (
    <>
      <RecordPage
        header={
          <>
            <Header month={month.month} badge={badge} menu={menu}>
              {canEdit && plain.length > 0 && (
                <Button variant="default" loading={isBusy} onClick={checkAll}>
                  {t.checkAll}
                </Button>
              )}
              <PostButton posting={posting} className={classes.narrow} />
              {isPostedWhole && <PayButton payments={payments} className={classes.narrow} />}
              {isPostedWhole && month.postings.length > 0 && canPublish && (
                <LinkButton to={paths.newRoyaltyRun} variant="default">
                  {frRoyalty.publish}
                </LinkButton>
              )}
            </Header>
            {sources.length > 0 && <MonthFlow month={month} payments={payments} />}
          </>
        }
        side={
          sources.length + month.postings.length > 0 ? (
            <MonthOutcome month={month} posting={posting} payments={isPostedWhole ? payments : undefined} />
          ) : undefined
        }
      >
        <RecordSigning subject="month" id={monthToParam(month.month) ?? ''} />
        <Section title={t.sources} actions={canEdit && <StatementDrop isMain={false} />}>
          <Message text={failure} onDismiss={setFailure} />
          {sources.length === 0 ? (
            <EmptyState
              title={t.emptyTitle}
              text={t.emptyText}
              link={!canEdit && { to: paths.statements, label: frMonths.toStatements }}
            />
          ) : (
            <ul className={classes.sources} aria-busy={isReading || undefined}>
              {sources.map((source) => (
                <SourceItem key={source.source} source={source} isBusy={isBusy} onCheck={check} onReplace={replace} />
              ))}
            </ul>
          )}
        </Section>
      </RecordPage>
      {reviewed && (
        <>
          <CheckModal
            statement={reviewed.statement}
            isOpen={dialog === 'check'}
            onClose={() => setDialog(undefined)}
            onChecked={(message) => flashSuccess(<Checked ids={[reviewed.statement.id]}>{message}</Checked>)}
          />
          <ReplaceStatement
            statement={reviewed.statement}
            isOpen={dialog === 'replace'}
            onClose={() => setDialog(undefined)}
          />
        </>
      )}
    </>
  );
}

function Checked({ ids, children }: { ids: readonly number[]; children: ReactNode }) {
  const undo = async () => {
    let message = '';
    for (const id of ids) {
      ({ message } = await api(routes.uncheckStatement, { params: { id }, idempotencyKey: newId() }));
    }
    return message;
  };
  return (
    <SuccessWithUndo label={frStatements.checks.uncheck} undo={undo}>
      {children}
    </SuccessWithUndo>
  );
}

interface SourceProps {
  source: Source;
  isBusy: boolean;
  onCheck: (statement: Statement) => void;
  onReplace: (statement: Statement) => void;
}

const shownStatements = 5;

function SourceItem({ source, isBusy, onCheck, onReplace }: SourceProps) {
  const canEdit = useCan()('edit_reports');
  const [isWhole, setIsWhole] = useState(false);
  const { statements, isMatched } = source;
  const isExpected = source.state === 'expected';
  const imports = importsLink(source);
  const missing = missingRatesText([source]);
  const [lacking] = source.missingRates;
  const place = { source: source.source, month: monthToParam(source.month) };
  const alerts = new Set(statements.flatMap(({ alerts }) => alerts.map(({ kind }) => kind)));
  alerts.delete('unmatched');
  // Those that wait for a person come first.
  const sorted = statements.toSorted(
    (a, b) => Number(a.isChecked) - Number(b.isChecked) || b.alerts.length - a.alerts.length,
  );
  const shown = isWhole || statements.length <= shownStatements ? sorted : sorted.slice(0, shownStatements);
  return (
    <li className={classes.source}>
      <div className={classes.head}>
        <h3>{source.source}</h3>
        <ul className={classes.steps} aria-label={t.steps}>
          <Step label={t.step.received} isDone={!isExpected} isLate={source.lateDays > 0} />
          <Step label={t.step.matched} isDone={!isExpected && isMatched} isLate={!isExpected && !isMatched} />
          <Step label={t.step.checked} isDone={isChecked(source)} isLate={alerts.size > 0} />
        </ul>
        <span className={classes.amount}>
          <InexactMark of={[source]} />
          {isExpected ? fr.common.none : <Money amount={source.amountEur} currency="EUR" />}
        </span>
      </div>
      {isExpected && (
        <Block isCalm={source.lateDays === 0} icon={IconClock}>
          {frMonths.state.expected}
          {source.lateDays > 0 && `, ${frMonths.late(source.lateDays)}`}.{' '}
          {source.dueAt !== null && `${frMonths.due(formatDate(source.dueAt))} `}
          {canEdit && (
            <Link className={shared.textLink} to={paths.statements}>
              {frStatements.list.drop}
            </Link>
          )}
        </Block>
      )}
      {imports && (
        <Block isCalm icon={IconCircleCheck}>
          {frMonths.imported}{' '}
          <Link className={shared.textLink} {...imports}>
            {frMonths.toImports}
          </Link>
        </Block>
      )}
      {source.refused.map(({ id, fileName, line }) => (
        <Block key={id}>
          {t.refused(fileName, line === null ? undefined : nameLine(line))}{' '}
          {canEdit && (
            <Link className={shared.textLink} to={paths.storeStatement(id)}>
              {t.correct}
            </Link>
          )}
        </Block>
      ))}
      {!isMatched && (
        <Block>
          {t.unmatched(formatMoney(source.unmatchedEur, 'EUR'))}{' '}
          {canEdit && (
            <Link className={shared.textLink} to={paths.unmatched} search={place}>
              {frStatements.page.assign}
            </Link>
          )}
        </Block>
      )}
      {missing !== undefined && (
        <RateBlock month={source.month} currency={lacking?.currency}>
          {missing}
        </RateBlock>
      )}
      {source.staleRates.length > 0 && (
        <RateBlock month={source.month} currency={source.staleRates[0]?.currency}>
          {frMonths.staleRates(
            source.staleRates
              .map(({ currency, rateMonth }) => frMonths.staleRate(currency, formatMonth(rateMonth)))
              .join(', '),
          )}
        </RateBlock>
      )}
      {statements.length > 0 && (
        <ul className={classes.statements}>
          {shown.map((statement) => (
            <li key={statement.id} className={classes.statement}>
              <Link className={`${shared.link} ${classes.fileName}`} to={paths.storeStatement(statement.id)}>
                {statement.fileName}
              </Link>
              <StatementState statement={statement} isBusy={isBusy} onCheck={onCheck} />
              {statements.length > 1 && (
                <span className={classes.own}>
                  <Money amount={statement.amountEur} currency="EUR" />
                </span>
              )}
              <Alerts
                alerts={statement.alerts}
                doubled={doubledText([statement])}
                hasStaleRates={source.staleRates.length > 0}
                onReplace={canEdit ? () => onReplace(statement) : undefined}
              />
            </li>
          ))}
        </ul>
      )}
      {shown.length < statements.length && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={() => setIsWhole(true)}>
          {t.showAll(frStatements.count(statements.length))}
        </Button>
      )}
    </li>
  );
}

function Step({ label, isDone, isLate }: { label: string; isDone: boolean; isLate: boolean }) {
  const Icon = isDone ? IconCircleCheck : isLate ? IconAlertTriangle : IconCircle;
  return (
    <li data-state={isDone ? 'done' : isLate ? 'late' : 'open'}>
      <Icon size={16} stroke={1.8} aria-hidden />
      {label}
      <span className="visually-hidden">
        {fr.common.colon}
        {isDone ? t.isDone : t.isOpen}
      </span>
    </li>
  );
}

interface BlockProps {
  isCalm?: boolean;
  icon?: typeof IconAlertTriangle;
  children: ReactNode;
}

function Block({ isCalm = false, icon: Icon = IconAlertTriangle, children }: BlockProps) {
  return (
    <p className={classes.block} data-calm={isCalm || undefined}>
      <Icon size={16} stroke={1.8} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

interface RateBlockProps {
  month: number;
  currency: string | undefined;
  children: ReactNode;
}

function RateBlock({ month, currency, children }: RateBlockProps) {
  const canAdd = useCan()('manage_settings');
  return (
    <Block>
      {children}.{' '}
      {canAdd && currency !== undefined && (
        <Link className={shared.textLink} {...toRate({ currency, month })}>
          {frRecords.addRate}
        </Link>
      )}
    </Block>
  );
}

interface AlertsProps {
  alerts: readonly StatementAlert[];
  /** What it has of an earlier statement, counted twice. */
  doubled: string | undefined;
  hasStaleRates: boolean;
  onReplace: (() => void) | undefined;
}

function Alerts({ alerts, doubled, hasStaleRates, onReplace }: AlertsProps) {
  const replacing = alerts.find(({ canReplace }) => canReplace);
  // Said once, with the alert that asks about it.
  const twice = alerts.find(({ kind }) => kind === 'duplicates') ?? replacing;
  // The source's unmatched income, missing and old rates are named above.
  const blocks = alerts.map(
    (alert) =>
      !(alert.kind === 'unmatched' || alert.kind === 'rate' || (alert.kind === 'rates' && hasStaleRates)) && (
        <Block key={alert.message}>
          {alert === twice && doubled !== undefined && `${doubled}. `}
          {alert.message}.{' '}
          {alert === replacing && onReplace && (
            <Button my={4} variant="default" size="compact-sm" onClick={onReplace}>
              {frStatements.page.replace}
            </Button>
          )}
        </Block>
      ),
  );
  return (
    <>
      {doubled !== undefined && !twice && <Block>{doubled}.</Block>}
      {blocks}
    </>
  );
}

function StatementState({
  statement,
  isBusy,
  onCheck,
}: { statement: Statement } & Pick<SourceProps, 'isBusy' | 'onCheck'>) {
  const canEdit = useCan()('edit_reports');
  const isBlocked = statement.alerts.some(({ kind }) => kind === 'refused');
  if (statement.isChecked || isBlocked || !canEdit) return <StatementBadge state={statement.state} />;
  if (lacksRate(statement)) return <StatusBadge tone="warning">{frStatements.months.noRate}</StatusBadge>;
  return (
    <Button
      size="compact-sm"
      variant="default"
      disabled={isBusy}
      aria-label={t.checkOne(statement.fileName)}
      onClick={() => onCheck(statement)}
    >
      {t.check}
    </Button>
  );
}
