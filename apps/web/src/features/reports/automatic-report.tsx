import { Button, Checkbox } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import type { AutomaticReport as Found } from '@regie/contract/routes/months.ts';
import { routes } from '@regie/contract/routes.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { fr } from '#src/fr.ts';
import { frMonths } from '#src/fr-months.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { formatInteger, formatMoney, formatMonth, formatRate, plural } from '#src/lib/formats.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { paths } from '#src/paths.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { useListState } from '#src/ui/list-state.ts';
import { Money } from '#src/ui/money.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import classes from './add-report.module.css';

const t = frMonths.automatic;
const shownAccounts = 10;

const reportCount = (count: number) => plural(count, fr.reports.count.one, fr.reports.count.many);
const euros = (amount: number) => formatMoney(amount, 'EUR');

/** Says what a month's checked statements would post, account by account, before it asks (decisions §3). */
export function AutomaticReport() {
  const { search } = useListState();
  const canRead = useCan()('read_reports');
  const queries = useQueryClient();
  const asked = Number(search.month) || undefined;
  const [monthMs, setMonthMs] = useState(asked);
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<Found>();

  const check = useMutation({
    mutationFn: async (fromDate: number) => ({
      ...(await api(routes.automaticReport, { body: { fromDate, dryRun: true }, idempotencyKey: newId() })).data,
      // One for what is shown: pressed twice, it is posted once.
      idempotencyKey: newId(),
    }),
  });
  const post = useMutation({
    mutationFn: async ({ month, mustConfirm, idempotencyKey }: Found & { idempotencyKey: string }) =>
      (
        await api(routes.automaticReport, {
          body: { fromDate: month, dryRun: false, confirmRates: mustConfirm },
          idempotencyKey,
        })
      ).data,
    onSuccess: async (posted) => {
      setDone(posted);
      check.reset();
      await queries.invalidateQueries();
    },
  });
  // Whoever comes from the board has chosen the month there.
  const { mutate } = check;
  useEffect(() => {
    if (asked !== undefined) mutate(asked);
  }, [asked, mutate]);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setDone(undefined);
    check.reset();
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
      {post.isError && (
        <Notice tone="error" onDismiss={() => post.reset()}>
          {errorSentence(post.error)}
        </Notice>
      )}
      {check.isError && (
        <Notice tone="error" onDismiss={() => check.reset()}>
          {errorSentence(check.error)}
        </Notice>
      )}
      <div className={classes.grid}>
        <MonthField
          label={t.month}
          required
          value={monthMs}
          onChange={(month) => {
            setMonthMs(month);
            setError(undefined);
            check.reset();
          }}
          error={error}
        />
      </div>
      <div className={classes.row}>
        <Button type="submit" variant={found ? 'default' : 'filled'} loading={check.isPending}>
          {t.check}
        </Button>
      </div>
      {found && <Preview found={found} isPosting={post.isPending} onPost={() => post.mutate(found)} />}
    </form>
  );
}

function Preview({ found, isPosting, onPost }: { found: Found; isPosting: boolean; onPost: () => void }) {
  const can = useCan();
  const [isWhole, setIsWhole] = useState(false);
  const [isConfirmed, setIsConfirmed] = useState(false);
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
      <Doubts found={found} />
      {found.unchecked.length > 0 && (
        <Notice tone="info">
          {t.unchecked}
          <Files of={found.unchecked} />
        </Notice>
      )}
      {found.unmatchedEur !== 0 && (
        <Notice tone="info">
          {t.unmatched(euros(found.unmatchedEur))}{' '}
          {can('read_reports') && (
            <Link to={paths.unmatched} search={{ month: String(found.month) }}>
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
                    className={classes.link}
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
          checked={isConfirmed}
          onChange={(event) => setIsConfirmed(event.currentTarget.checked)}
        />
      )}
      <div className={classes.row}>
        <Button onClick={onPost} loading={isPosting} disabled={found.mustConfirm && !isConfirmed}>
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

/** Old rates with their own months, and a month that has not begun. */
function Doubts({ found }: { found: Found }) {
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

/** Statements by the names of their files, with the way to each. */
function Files({ of }: { of: Found['statements'] }) {
  const canRead = useCan()('read_reports');
  return (
    <ul className={classes.files}>
      {of.map(({ id, fileName }) => (
        <li key={id}>
          {canRead ? (
            <Link className={classes.link} to={paths.storeStatement(id)}>
              {fileName}
            </Link>
          ) : (
            fileName
          )}
        </li>
      ))}
    </ul>
  );
}
