import { Box, Button, Checkbox, Group, Skeleton } from '@mantine/core';
import type { MonthDetail, AutomaticReport as Preview } from '@regie/contract/routes/months.ts';
import type { StatementAlert } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  formatInteger,
  formatLongMonth,
  formatMoney,
  formatMonth,
  formatRate,
  plural,
  sumAmounts,
} from '@regie/values/formats.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { NothingToPay } from '#src/domain/nothing-to-pay.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { toRate } from '#src/domain/to-rate.ts';
import { useAct } from '#src/lib/act.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { Method } from '#src/ui/method.tsx';
import { Money, MoneyCell } from '#src/ui/money.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { SuccessWithLink } from '#src/ui/success-with-link.tsx';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import { PayButton, type useMonthPayments } from './month-flow.tsx';
import classes from './month-page.module.css';
import { previewQuery } from './months.api.ts';
import { frMonths } from './months.fr.ts';
import { StatementLink } from './statement-labels.tsx';
import { frStatements } from './statements.fr.ts';

const t = frMonths.page;
const shownAccounts = 10;

const euros = (amount: number) => formatMoney(amount, 'EUR');

type PostedImport = MonthDetail['postings'][number];
const total = (postings: readonly PostedImport[], of: Exclude<keyof PostedImport, 'importId' | 'source'>) =>
  sumAmounts(postings.map((posting) => posting[of]));

export function usePosting({ month, readAt, isReading }: { month: MonthDetail; readAt: number; isReading: boolean }) {
  const can = useCan();
  const canEdit = can('edit_reports');
  // Outlives the preview that was refused.
  const [failure, setFailure] = useState<string>();
  const { act, isBusy } = useAct({ onFailure: setFailure });
  const [answers, setAnswers] = useState({ version: '', confirmRates: false, confirmDuplicates: false });
  const isReady = month.sources.some(({ readySums }) => readySums > 0);
  const hasMore = month.sources
    .flatMap((source) => source.statements)
    .some((one) => !one.isChecked && one.isWaiting && !lacksRate(one));
  const isAsked = canEdit && (isReady || hasMore);
  // While nothing is checked, what the month would be.
  const preview = useQuery({
    ...previewQuery(month.month, { withUnchecked: !isReady, readAt }),
    enabled: isAsked && !isReading,
    placeholderData: keepPreviousData,
  });
  const draft = isAsked ? preview.data : undefined;
  const isStale = isReading || (isAsked && preview.isPlaceholderData);
  const { confirmRates, confirmDuplicates } = answers.version === draft?.version ? answers : noAnswers;
  const isDoubled = draft?.duplicates.some((twice) => !twice.isConfirmed) ?? false;
  const confirm = (answer: Partial<typeof noAnswers>) =>
    setAnswers({ confirmRates, confirmDuplicates, ...answer, version: draft?.version ?? '' });
  const post = () => {
    if (!draft) return;
    const body = { fromDate: draft.month, dryRun: false, version: draft.version, confirmRates, confirmDuplicates };
    act(async ({ idempotencyKey }) => {
      const { data } = await api(routes.automaticReport, { body, idempotencyKey });
      const { importId } = data;
      const sentence = t.done(frRecords.reports(data.reports), euros(data.accountsEur));
      if (importId === null) return sentence;
      return (
        <SuccessWithUndo
          label={frRecords.reverseImport}
          undo={async (options) => (await api(routes.reverseImport, { params: { id: importId }, ...options })).message}
        >
          <SuccessWithLink to={paths.import(importId)} label={frRecords.seeImport} canOpen={can('read_reports')}>
            {sentence}
          </SuccessWithLink>
        </SuccessWithUndo>
      );
    }, body);
  };
  return {
    month,
    canEdit,
    isReady,
    hasMore,
    isAsked,
    preview,
    draft,
    failure,
    setFailure,
    isDoubled,
    confirmRates,
    confirmDuplicates,
    confirm,
    post,
    /** Its figures are those of a former answer. */
    isStale,
    isBusy: isBusy || isStale,
  };
}
const noAnswers = { confirmRates: false, confirmDuplicates: false };
type Posting = ReturnType<typeof usePosting>;

const isUncheckedOnly = ({ canEdit, isReady, hasMore }: Posting) => canEdit && !isReady && hasMore;

export function PostButton({ posting, className }: { posting: Posting; className: string | undefined }) {
  const { canEdit, month, isReady, preview, draft, post, isBusy, confirmRates, confirmDuplicates, isDoubled } = posting;
  if (isUncheckedOnly(posting)) {
    return (
      <Button className={className} disabled title={t.checkFirst}>
        {frMonths.postMonth(formatLongMonth(month.month))}
      </Button>
    );
  }
  if (!canEdit || !isReady || (!draft && preview.isError)) return null;
  return (
    <Button
      className={className}
      onClick={post}
      loading={isBusy || !draft}
      disabled={(draft?.mustConfirm && !confirmRates) || (isDoubled && !confirmDuplicates)}
    >
      {draft ? t.post(euros(draft.grossEur)) : frMonths.postMonth(formatLongMonth(month.month))}
    </Button>
  );
}

interface OutcomeProps {
  month: MonthDetail;
  posting: Posting;
  /** Undefined while something can be posted, and for those who do not pay. */
  payments: ReturnType<typeof useMonthPayments>;
}

export function MonthOutcome({ month, posting, payments }: OutcomeProps) {
  const { canEdit, isReady, isAsked, isStale, preview, draft, failure, setFailure } = posting;
  const [isWhole, setIsWhole] = useState(false);
  const failed = useRef<HTMLDivElement>(null);
  // On the phone the button stands in a bar, far from here.
  useEffect(() => {
    if (failure !== undefined) failed.current?.scrollIntoView({ block: 'center' });
  }, [failure]);
  const { postings } = month;
  const title = isReady
    ? t.title.ready
    : isAsked
      ? t.title.forecast
      : t.title[postings.length > 0 ? 'posted' : 'received'];
  const posted = {
    grossEur: total(postings, 'grossEur'),
    accountsEur: total(postings, 'accountsEur'),
    referralsEur: total(postings, 'referralsEur'),
    platformEur: total(postings, 'platformEur'),
  };
  const shown = isAsked ? draft : postings.length > 0 ? posted : undefined;
  const money = (amount: number | undefined) =>
    preview.isError ? (
      fr.common.none
    ) : amount === undefined ? (
      <Skeleton component="span" display="inline-block" h={12} w={72} />
    ) : (
      <Money amount={amount} currency="EUR" />
    );
  return (
    <section
      className={classes.outcome}
      data-whole={isWhole || undefined}
      data-stale={isStale || undefined}
      aria-label={t.outcome}
      aria-busy={preview.isFetching || undefined}
    >
      <Group gap={4} wrap="nowrap">
        <Box component="h2" fz={16} fw={620}>
          {isStale ? frStatements.readingAgain : title}
        </Box>
        <Method of={title}>{t.rounded}</Method>
      </Group>
      <Facts
        facts={
          isAsked || postings.length > 0
            ? [
                { label: t.gross, value: money(shown?.grossEur) },
                { label: t.toAccounts, value: money(shown?.accountsEur) },
                { label: t.toReferrers, value: money(shown?.referralsEur) },
                { label: t.toPlatform, value: money(shown?.platformEur) },
              ]
            : [
                { label: t.received, value: money(month.amountEur) },
                { label: frMonths.ready, value: money(month.readyEur) },
              ]
        }
      />
      <Posted postings={postings} />
      {isAsked && <LeftOut month={month} isForecast={!isReady} />}
      {isAsked && preview.isError && (
        <Notice tone="error" onRetry={() => void preview.refetch()}>
          {errorSentence(preview.error)}
        </Notice>
      )}
      <div ref={failed}>
        <Message text={failure} onDismiss={setFailure} />
      </div>
      {canEdit && isReady && draft && <Confirmations draft={draft} posting={posting} />}
      <PostButton posting={posting} className={`${shared.wrapping} ${classes.wide}`} />
      <PayButton payments={payments} className={classes.wide} />
      {payments?.data && payments.data.payableEur === 0 && payments.data.pendingEur > 0 && (
        <p className={shared.note}>
          <NothingToPay {...payments.data} />
        </p>
      )}
      {isUncheckedOnly(posting) && <p className={shared.note}>{t.checkFirst}</p>}
      {draft && draft.accounts.length > 0 && (
        <Accounts accounts={draft.accounts} isWhole={isWhole} onShow={() => setIsWhole(true)} />
      )}
    </section>
  );
}

const shownLeftOut = 5;
export const lacksRate = ({ alerts }: { alerts: readonly StatementAlert[] }) =>
  alerts.some(({ kind }) => kind === 'rate');

/** A forecast includes what is not checked yet, except without a rate. */
function LeftOut({ month: { sources }, isForecast }: { month: MonthDetail; isForecast: boolean }) {
  const missing = sources.filter(({ state }) => state === 'expected');
  const unchecked = sources.flatMap(({ statements }) =>
    statements.filter((one) => !one.isChecked && (!isForecast || lacksRate(one))),
  );
  const unmatched = sources.filter(({ isMatched }) => !isMatched);
  if (missing.length + unchecked.length + unmatched.length === 0) return null;
  return (
    <Notice tone="note">
      {t.leftOut}
      <ul className={`${shared.bullets} ${classes.files}`}>
        {missing.map(({ source, lateDays }) => (
          <li key={source}>
            {source}
            {fr.common.colon}
            {lateDays > 0 ? frMonths.late(lateDays) : frMonths.state.expected.toLowerCase()}
          </li>
        ))}
        {unchecked.slice(0, shownLeftOut).map((one) => {
          // What has no title is named below.
          const amount = sumAmounts([one.amountEur, -one.unmatchedEur]);
          const isDouble = one.alerts.some(({ kind }) => kind === 'duplicates');
          return (
            <li key={one.id}>
              <StatementLink id={one.id} fileName={one.fileName} />
              {fr.common.colon}
              {amount !== 0 && `${euros(amount)}, `}
              {lacksRate(one) ? t.noRate : isDouble ? t.toCompare : t.toCheck}
            </li>
          );
        })}
        {unchecked.length > shownLeftOut && (
          <li>
            {t.leftOutMore(frStatements.count(unchecked.length - shownLeftOut))}
            {fr.common.colon}
            {t.toCheck}
          </li>
        )}
        {unmatched.map(({ source, unmatchedEur }) => (
          <li key={`${source} unmatched`}>
            {source}
            {fr.common.colon}
            {t.unmatchedPart(euros(unmatchedEur))}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Posted({ postings }: { postings: readonly PostedImport[] }) {
  if (postings.length === 0) return null;
  return (
    <p className={shared.note}>
      {t.posted(
        frRecords.reports(total(postings, 'reports')),
        euros(sumAmounts([total(postings, 'accountsEur'), total(postings, 'referralsEur')])),
      )}{' '}
      {postings.map(({ importId, source }, index) => (
        <span key={importId ?? source}>
          {index > 0 && ', '}
          {importId === null ? (
            source
          ) : (
            <Link className={shared.textLink} to={paths.import(importId)}>
              {frRecords.importNumber(String(importId))}
            </Link>
          )}
        </span>
      ))}
    </p>
  );
}

interface AccountsProps {
  accounts: Preview['accounts'];
  isWhole: boolean;
  onShow: () => void;
}

function Accounts({ accounts, isWhole, onShow }: AccountsProps) {
  const shown = isWhole ? accounts : accounts.slice(0, shownAccounts);
  return (
    <div>
      <PlainTable name={t.accounts.many} head={[t.account, { right: t.reports }, { right: t.amount }]}>
        <tbody>
          {shown.map(({ id, fname, lname, reports, accountEur }) => (
            <tr key={id}>
              <td>
                <AccountLink id={id}>{`${fname} ${lname}`}</AccountLink>
              </td>
              <td data-align="right">{formatInteger(reports)}</td>
              <MoneyCell amount={accountEur} currency="EUR" />
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {shown.length < accounts.length && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={onShow}>
          {t.showAll(plural(accounts.length, t.accounts.one, t.accounts.many))}
        </Button>
      )}
    </div>
  );
}

function Confirmations({ draft, posting }: { draft: Preview; posting: Posting }) {
  const { isDoubled, confirmRates, confirmDuplicates, confirm } = posting;
  return (
    <>
      {draft.isLate && <Notice tone="note">{t.late}</Notice>}
      <RateWarnings draft={draft} />
      {draft.duplicates.length > 0 && (
        <Notice tone="info">
          {t.duplicates}
          <ul className={`${shared.bullets} ${classes.files}`}>
            {draft.duplicates.map((twice) => (
              <li key={`${twice.statementId} ${twice.otherStatementId} ${twice.otherImportId}`}>
                <StatementLink id={twice.statementId} fileName={twice.fileName} />
                {'\u00a0: '}
                {t.duplicate(fr.list.rows(twice.lines), euros(twice.amountEur))}
                <StatementLink
                  id={twice.otherStatementId}
                  importId={twice.otherImportId}
                  fileName={twice.otherFileName}
                />{' '}
                (
                {[
                  twice.isPosted ? t.duplicatePosted : t.duplicateNow,
                  ...(twice.isConfirmed ? [t.duplicateConfirmed] : []),
                ].join(', ')}
                )
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {draft.mustConfirm && (
        <Checkbox
          label={toConfirm(draft)}
          checked={confirmRates}
          onChange={(event) => confirm({ confirmRates: event.currentTarget.checked })}
        />
      )}
      {isDoubled && (
        <Checkbox
          label={frStatements.checks.duplicatesConfirmed}
          checked={confirmDuplicates}
          onChange={(event) => confirm({ confirmDuplicates: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

function RateWarnings({ draft }: { draft: Preview }) {
  const can = useCan();
  const [stale] = draft.staleRates;
  return (
    <>
      {draft.isFuture && <Notice tone="note">{t.future(formatMonth(draft.month))}</Notice>}
      {draft.staleRates.length > 0 && (
        <Notice tone="note">
          {t.staleRates}
          <ul className={`${shared.bullets} ${classes.files}`}>
            {draft.staleRates.map(({ currency, rateMonth, rate }) => (
              <li key={currency}>{t.staleRate(currency, formatMonth(rateMonth), formatRate(rate))}</li>
            ))}
          </ul>
          {stale && can('manage_settings') && <Link {...toRate(stale)}>{frRecords.addRate}</Link>}
        </Notice>
      )}
    </>
  );
}

function toConfirm({ month, isFuture, staleRates }: Preview): string {
  const rates = staleRates.map(({ currency, rateMonth }) => frMonths.staleRate(currency, formatMonth(rateMonth)));
  return [
    ...(isFuture ? [t.confirmMonth(formatMonth(month))] : []),
    ...(rates.length > 0 ? [t.confirmRates(formatMonth(month), new Intl.ListFormat('fr').format(rates))] : []),
  ].join('. ');
}
