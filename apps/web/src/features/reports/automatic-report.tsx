import { Button, Checkbox } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import type { AutomaticReport as Found } from '@regie/contract/routes/months.ts';
import { routes } from '@regie/contract/routes.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { ApiError, api, errorSentence } from '#src/lib/api.ts';
import { formatInteger, formatMoney, formatMonth, formatRate, plural } from '#src/lib/formats.ts';
import { monthFromParam, monthToParam } from '#src/lib/months.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { Money } from '#src/ui/money.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './add-report.module.css';
import { frMonths } from './months.fr.ts';

const t = frMonths.automatic;
const shownAccounts = 10;

const reportCount = (count: number) => plural(count, frRecords.reports.one, frRecords.reports.many);
const euros = (amount: number) => formatMoney(amount, 'EUR');

/** Previews what a month's checked statements would post, by account, before the confirmation (product §33.18). */
export function AutomaticReport() {
  const { search } = useListState();
  const canRead = useCan()('read_reports');
  const queries = useQueryClient();
  const monthInUrl = monthFromParam(search.month);
  const [monthMs, setMonthMs] = useState(monthInUrl);
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<Found>();

  const check = useMutation({
    mutationFn: async (fromDate: number) => ({
      ...(await api(routes.automaticReport, { body: { fromDate, dryRun: true }, idempotencyKey: newId() })).data,
      // One key per preview: pressed twice, it is posted once.
      idempotencyKey: newId(),
    }),
  });
  const post = useMutation({
    mutationFn: async ({ month, idempotencyKey, ...confirmed }: Posting) =>
      (await api(routes.automaticReport, { body: { fromDate: month, dryRun: false, ...confirmed }, idempotencyKey }))
        .data,
    onSuccess: async (posted) => {
      setDone(posted);
      check.reset();
      await queries.invalidateQueries();
    },
    // The preview is reloaded, so that the posting matches it.
    onError: (refusal, { month }) => {
      if (refusal instanceof ApiError && refusal.code === 'conflict') check.mutate(month);
    },
  });
  const forget = () => {
    check.reset();
    post.reset();
  };
  // The month board's link gives the month.
  const { mutate } = check;
  useEffect(() => {
    if (monthInUrl !== undefined) mutate(monthInUrl);
  }, [monthInUrl, mutate]);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setDone(undefined);
    forget();
    if (monthMs === undefined) setError(messages.invalidMonth);
    else check.mutate(monthMs);
  };
  const found = check.data;

  return (
    <form onSubmit={onSubmit} noValidate className={`${classes.form} ${classes.stack}`}>
      {done && (
        <Notice tone="success" onDismiss={() => setDone(undefined)}>
          {t.done(reportCount(done.reports), euros(done.accountsEur))}{' '}
          {canRead && done.importId !== null && <Link to={paths.import(done.importId)}>{t.seeImport}</Link>}
        </Notice>
      )}
      <Message tone="error" text={post.isError && errorSentence(post.error)} onDismiss={post.reset} />
      <Message tone="error" text={check.isError && errorSentence(check.error)} onDismiss={check.reset} />
      <div className={classes.grid}>
        <MonthField
          label={t.month}
          required
          value={monthMs}
          onChange={(month) => {
            setMonthMs(month);
            setError(undefined);
            forget();
          }}
          error={error}
        />
      </div>
      <div className={classes.row}>
        <Button type="submit" variant={found ? 'default' : 'filled'} loading={check.isPending}>
          {t.check}
        </Button>
      </div>
      {found && (
        <Preview
          key={found.idempotencyKey}
          found={found}
          isPosting={post.isPending}
          onPost={(confirmed) =>
            post.mutate({
              month: found.month,
              version: found.version,
              idempotencyKey: found.idempotencyKey,
              ...confirmed,
            })
          }
        />
      )}
    </form>
  );
}

/** The confirmations that a dry run requires. */
interface Confirmed {
  confirmRates: boolean;
  confirmDuplicates: boolean;
}

interface Posting extends Confirmed {
  month: number;
  version: string;
  idempotencyKey: string;
}

interface PreviewProps {
  found: Found;
  isPosting: boolean;
  onPost: (confirmed: Confirmed) => void;
}

function Preview({ found, isPosting, onPost }: PreviewProps) {
  const can = useCan();
  const [isWhole, setIsWhole] = useState(false);
  const [isConfirmed, setIsConfirmed] = useState(false);
  const [areRatesConfirmed, setAreRatesConfirmed] = useState(false);
  const accounts = isWhole ? found.accounts : found.accounts.slice(0, shownAccounts);
  const figures: [string, number][] = [
    [t.gross, found.grossEur],
    [t.toAccounts, found.accountsEur],
    [t.toReferrers, found.referralsEur],
    [t.toPlatform, found.platformEur],
  ];
  return (
    <section className={classes.stack} aria-live="polite">
      {found.isLate && <Notice tone="info">{t.late}</Notice>}
      <RateWarnings found={found} />
      {found.unchecked.length > 0 && (
        <Notice tone="info">
          {t.unchecked}
          <Files of={found.unchecked} />
        </Notice>
      )}
      {found.duplicates.length > 0 && (
        <Notice tone="info">
          {t.duplicates}
          <ul className={classes.files}>
            {found.duplicates.map((twice) => (
              <li key={`${twice.statementId} ${twice.otherStatementId}`}>
                <File id={twice.statementId} fileName={twice.fileName} />
                {'\u00a0: '}
                {t.duplicate(plural(twice.lines, t.rows.one, t.rows.many), euros(twice.amountEur))}
                <File id={twice.otherStatementId} fileName={twice.otherFileName} /> (
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
      {found.unmatchedEur !== 0 && (
        <Notice tone="info">
          {t.unmatched(euros(found.unmatchedEur))}{' '}
          {can('read_reports') && (
            <Link to={paths.unmatched} search={{ month: monthToParam(found.month) }}>
              {t.seeUnmatched}
            </Link>
          )}
        </Notice>
      )}
      <div>
        <h3 className={classes.subtitle}>{formatMonth(found.month)}</h3>
        <p className={classes.muted}>
          {t.summary(
            reportCount(found.reports),
            plural(found.rows, t.rows.one, t.rows.many),
            plural(found.statements.length, t.statements.one, t.statements.many),
          )}
        </p>
        <Files of={found.statements} />
      </div>
      <dl className={classes.figures}>
        {figures.map(([label, amount]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Money amount={amount} currency="EUR" />
            </dd>
          </div>
        ))}
      </dl>
      <PlainTable name={t.accounts.many} isBoxed head={[t.account, { right: t.reports }, { right: t.amount }]}>
        <tbody>
          {accounts.map((account) => (
            <tr key={account.id}>
              <td>
                {can('manage_profiles') ? (
                  <Link
                    className={shared.link}
                    to={paths.profile(account.id)}
                  >{`${account.fname} ${account.lname}`}</Link>
                ) : (
                  `${account.fname} ${account.lname}`
                )}
              </td>
              <td data-align="right">{formatInteger(account.reports)}</td>
              <td data-align="right">
                <Money amount={account.accountEur} currency="EUR" />
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {found.mustConfirm && (
        <Checkbox
          label={toConfirm(found)}
          checked={areRatesConfirmed}
          onChange={(event) => setAreRatesConfirmed(event.currentTarget.checked)}
        />
      )}
      {found.duplicates.some((twice) => !twice.isConfirmed) && (
        <Checkbox
          label={t.confirmDuplicates}
          checked={isConfirmed}
          onChange={(event) => setIsConfirmed(event.currentTarget.checked)}
        />
      )}
      <div className={classes.row}>
        <Button
          onClick={() => onPost({ confirmRates: areRatesConfirmed, confirmDuplicates: isConfirmed })}
          loading={isPosting}
          disabled={found.mustConfirm && !areRatesConfirmed}
        >
          {t.post}
        </Button>
        {accounts.length < found.accounts.length && (
          <Button variant="subtle" onClick={() => setIsWhole(true)}>
            {t.showAll(plural(found.accounts.length, t.accounts.one, t.accounts.many))}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Old rates with their months, and a month in the future. */
function RateWarnings({ found }: { found: Found }) {
  const can = useCan();
  return (
    <>
      {found.isFuture && <Notice tone="info">{t.future(formatMonth(found.month))}</Notice>}
      {found.staleRates.length > 0 && (
        <Notice tone="info">
          {t.staleRates}
          <ul className={classes.files}>
            {found.staleRates.map(({ currency, rateMonth, rate }) => (
              <li key={currency}>{t.staleRate(currency, formatMonth(rateMonth), formatRate(rate))}</li>
            ))}
          </ul>
          {can('manage_settings') && <Link to={paths.exchangeRates}>{t.updateRates}</Link>}
        </Notice>
      )}
    </>
  );
}

function toConfirm({ month, isFuture, staleRates }: Found): string {
  const rates = staleRates.map(({ currency, rateMonth }) => frMonths.staleRate(currency, formatMonth(rateMonth)));
  return [
    ...(isFuture ? [t.confirmMonth(formatMonth(month))] : []),
    ...(rates.length > 0 ? [t.confirmRates(formatMonth(month), new Intl.ListFormat('fr').format(rates))] : []),
  ].join('. ');
}

/** Statements by file name, with links. */
function Files({ of }: { of: Found['statements'] }) {
  return (
    <ul className={classes.files}>
      {of.map(({ id, fileName }) => (
        <li key={id}>
          <File id={id} fileName={fileName} />
        </li>
      ))}
    </ul>
  );
}

function File({ id, fileName }: { id: number; fileName: string }) {
  return useCan()('read_reports') ? (
    <Link className={shared.link} to={paths.storeStatement(id)}>
      {fileName}
    </Link>
  ) : (
    fileName
  );
}
