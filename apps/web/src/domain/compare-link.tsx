import type { revenueSubjects } from '@regie/contract/routes/compare.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMonth, formatPercent } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { apiQuery } from '#src/lib/api.ts';
import { monthToParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import { frRecords } from './records.fr.ts';

const t = frRecords.compare;

export type CompareSubject = 'account' | (typeof revenueSubjects)[number];

export interface Compared {
  subject: CompareSubject;
  value: string;
  /** First months of the periods. */
  a: number;
  b: number;
  months: number;
}

const monthBefore = (month: number) => monthToMs(addMonths(monthOfInstant(month), -1));

/** The last two months that are over. */
export function lastMonths() {
  const b = monthBefore(Date.now());
  return { a: monthBefore(b), b };
}

export const compareQuery = ({ subject, value, ...query }: Compared) => {
  const key = ['compare', subject, value, query];
  return subject === 'account'
    ? apiQuery(key, routes.compareAccount, { params: { id: Number(value) }, query })
    : apiQuery(key, routes.compareRevenue, { query: { subject, value, ...query } });
};

/** The page of a subject, without its periods. */
export const comparePage = (subject: CompareSubject, value: string) =>
  subject === 'account'
    ? { to: paths.compareAccount(Number(value)), search: {} }
    : { to: paths.compare, search: { subject, value } };

/** The link that compares a month with the one before; undefined for who may not see it. */
export function useCompareLink(subject: CompareSubject, value: number | string = '') {
  const can = useCan();
  if (!can(subject === 'account' ? 'manage_profiles' : 'read_reports')) return undefined;
  const { to, search } = comparePage(subject, String(value));
  return (month: number) => ({
    to,
    search: { ...search, a: monthToParam(monthBefore(month)), b: monthToParam(month) },
    label: t.with(formatMonth(monthBefore(month))),
  });
}

const offeredPercent = 20;

interface WhyLinkProps {
  subject: CompareSubject;
  value: number | string;
  month: number;
  before: number;
  after: number;
  /** A change above 20 % also in words, with the months, and whether income that is not posted is among it. */
  sentence?: { isForecast: boolean };
}

/** Offers the explanation of a change: of each one in a list, else above 20 %. */
export function WhyLink({ subject, value, month, before, after, sentence }: WhyLinkProps) {
  const link = useCompareLink(subject, value)?.(month);
  if (!link || (sentence && Math.abs(after - before) * 100 <= Math.abs(before) * offeredPercent)) return null;
  const percent = before > 0 ? Math.round((after / before - 1) * 100) : 0;
  const isSaid = sentence && percent !== 0 && percent < 1000;
  return (
    <>
      {isSaid &&
        t.change(
          `${percent > 0 ? '+' : ''}${formatPercent(percent)}`,
          formatMonth(month),
          formatMonth(monthBefore(month)),
          sentence.isForecast,
        )}
      <Link className={sentence ? shared.textLink : shared.link} to={link.to} search={link.search}>
        {after < before ? t.less : t.more}
      </Link>
    </>
  );
}
