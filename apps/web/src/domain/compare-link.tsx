import type { revenueSubjects } from '@regie/contract/routes/compare.ts';
import { formatMonth, formatPercent } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { monthToParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import { frRecords } from './records.fr.ts';

const t = frRecords.compare;

export type CompareSubject = 'account' | (typeof revenueSubjects)[number];

const monthBefore = (month: number) => monthToMs(addMonths(monthOfInstant(month), -1));

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
  /** Also in words, with the month before. */
  isSentence?: boolean;
}

/** Offers the explanation of a change above 20 %. */
export function WhyLink({ subject, value, month, before, after, isSentence }: WhyLinkProps) {
  const link = useCompareLink(subject, value)?.(month);
  if (!link || Math.abs(after - before) * 100 <= Math.abs(before) * offeredPercent) return null;
  const percent = before > 0 && Math.round((after / before - 1) * 100);
  return (
    <>
      {isSentence &&
        percent &&
        `${t.change(`${percent > 0 ? '+' : ''}${formatPercent(percent)}`, formatMonth(monthBefore(month)))} `}
      <Link className={isSentence ? shared.textLink : shared.link} to={link.to} search={link.search}>
        {after < before ? t.less : t.more}
      </Link>
    </>
  );
}
