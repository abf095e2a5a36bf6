import { Skeleton } from '@mantine/core';
import type { MonthDetail, MonthPayments } from '@regie/contract/routes/months.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney, isShownAsZero, sumAmounts } from '@regie/values/formats.ts';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { missingRatesText } from '#src/domain/inexact-sums.tsx';
import { reasonId } from '#src/domain/unpaid-reasons.ts';
import { apiQuery } from '#src/lib/api.ts';
import { monthToParam } from '#src/lib/months.ts';
import { isAllowed, useCan, useSignedIn } from '#src/lib/session.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './month-page.module.css';
import { frMonths } from './months.fr.ts';

const t = frMonths.flow;
const euros = (amount: number) => formatMoney(amount, 'EUR');

/** What became of what the month credited to accounts, for those who pay. */
export function useMonthPayments(month: MonthDetail) {
  const { userCapabilities } = useSignedIn();
  const isShown = month.postings.length > 0 && isAllowed(routes.getMonthPayments.capability, userCapabilities);
  const query = useQuery({
    ...apiQuery(['months', month.month, 'payments'], routes.getMonthPayments, { query: { month: month.month } }),
    enabled: isShown,
  });
  return isShown ? query : undefined;
}
type Payments = UseQueryResult<MonthPayments> | undefined;

/** Where the button that posts the month was, once nothing is left to post. */
export function PayButton({ payments, className }: { payments: Payments; className: string | undefined }) {
  const can = useCan();
  if (!payments?.data || payments.data.payableEur === 0 || !can('edit_pending_payout')) return null;
  return (
    <>
      <LinkButton to={paths.payEveryone} className={className}>
        {t.pay(euros(payments.data.netEur))}
      </LinkButton>
      <p className={`${shared.note} ${classes.payAll}`}>{t.payAll}</p>
    </>
  );
}

/** A month's gross euros from the sources to the accounts, and what of them has left the bank. */
export function MonthFlow({ month, payments }: { month: MonthDetail; payments: Payments }) {
  const { sources, postings } = month;
  const unmatched = sumAmounts(sources.map((source) => source.unmatchedEur));
  const posted = sumAmounts(sources.map((source) => source.postedEur));
  const matched = sumAmounts([month.amountEur, -unmatched]);
  const checked = sumAmounts([month.readyEur, posted]);
  // Each amount is rounded once, as it is beside its file and in the forecast.
  const unchecked = sumAmounts([matched, -checked]);
  const net = sumAmounts(postings.flatMap(({ accountsEur, referralsEur }) => [accountsEur, referralsEur]));
  const missing = sources.filter(({ state }) => state === 'expected').map(({ source }) => source);
  const search = { month: monthToParam(month.month) };
  return (
    <section aria-label={t.title} className={classes.flow}>
      <ol className={classes.stages}>
        <Stage label={t.received} amount={month.amountEur}>
          {[missing.length > 0 && t.missing(missing.join(', ')), missingRatesText(sources)].filter(Boolean).join('. ')}
        </Stage>
        <Stage label={t.matched} amount={matched}>
          {unmatched !== 0 && (
            <Link className={shared.textLink} to={paths.unmatched} search={search}>
              {t.unmatched(euros(unmatched))}
            </Link>
          )}
        </Stage>
        <Stage label={t.checked} amount={checked}>
          {!isShownAsZero(unchecked) && t.unchecked(euros(unchecked))}
        </Stage>
        <Stage label={t.posted} amount={posted}>
          {month.readyEur !== 0 && t.ready(euros(month.readyEur))}
        </Stage>
        <Stage label={t.accounts} amount={net}>
          {postings.length > 0 && t.house(euros(sumAmounts(postings.map(({ platformEur }) => platformEur))))}
        </Stage>
      </ol>
      {payments && <Paid payments={payments} />}
    </section>
  );
}

function Stage({ label, amount, children }: { label: string; amount: number; children: ReactNode }) {
  return (
    <li>
      <span className={shared.under}>{label}</span>
      <strong>
        <Money amount={amount} currency="EUR" />
      </strong>
      <span className={classes.held}>{children}</span>
    </li>
  );
}

function Paid({ payments: { data, isError } }: { payments: NonNullable<Payments> }) {
  const canPay = useCan()('edit_pending_payout');
  if (isError && !data) return <p className={shared.note}>{t.failed}</p>;
  const facts = [
    { label: t.paid, amount: data?.paidEur },
    { label: t.pending, amount: data?.pendingEur },
    { label: t.payable, amount: data?.payableEur },
    { label: t.blocked, amount: data && sumAmounts(data.blocked.map(({ amountEur }) => amountEur)) },
    ...(data && data.adjustedEur !== 0 ? [{ label: t.adjusted, amount: data.adjustedEur }] : []),
  ];
  return (
    <>
      <dl className={classes.paid}>
        {facts.map(({ label, amount }) => (
          <div key={label}>
            <dt className={shared.under}>{label}</dt>
            <dd>
              {amount === undefined ? (
                <Skeleton component="span" display="block" h="1lh" w={72} />
              ) : (
                <Money amount={amount} currency="EUR" />
              )}
            </dd>
          </div>
        ))}
      </dl>
      <details className={`${shared.note} ${classes.why}`} hidden={data?.blocked.length === 0}>
        {/* Its place is kept until the count is known. */}
        <summary style={data ? undefined : { visibility: 'hidden' }}>
          {t.why(formatInteger(data?.blocked.length ?? 0))}
        </summary>
        <ul className={shared.bullets}>
          {data?.blocked.map(({ reason, accounts, amountEur }) => {
            const hash = reasonId(reason);
            return (
              <li key={reason}>
                {euros(amountEur)}, {t.blockedAccounts(accounts)} : {reason}.{' '}
                {canPay && hash !== undefined && (
                  <Link className={shared.textLink} to={paths.payEveryone} hash={hash}>
                    {t.fix}
                    <span className="visually-hidden"> ({reason})</span>
                  </Link>
                )}
              </li>
            );
          })}
        </ul>
      </details>
    </>
  );
}
