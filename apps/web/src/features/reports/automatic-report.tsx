import { Button } from '@mantine/core';
import type { AutomaticReport as Preview } from '@regie/contract/routes/months.ts';
import { routes } from '@regie/contract/routes.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { type FormEvent, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatInteger, formatMoney, formatMonth, lastShare, plural } from '#src/lib/formats.ts';
import { monthToParam } from '#src/lib/months.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Money } from '#src/ui/money.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import classes from './add-report.module.css';
import { frReports } from './reports.fr.ts';

const t = frReports.automatic;
const { column } = frReports.imports;

const reportCount = (count: number) => plural(count, frRecords.reports.one, frRecords.reports.many);
const lastMonth = () => monthToMs(addMonths(monthOfInstant(Date.now()), -1));

/** Whether rates, duplicates or a future month are to be confirmed, which is done on the month's page. */
const isToConfirm = ({ mustConfirm, duplicates }: Preview) =>
  mustConfirm || duplicates.some(({ isConfirmed }) => !isConfirmed);

/** Posts a month's validated statements, after the figures of a dry run (product §22.3). */
export function AutomaticReport() {
  const [monthMs, setMonthMs] = useState(lastMonth);
  const [found, setFound] = useState<Preview>();
  const [isAsking, setIsAsking] = useState(false);
  const { act, isBusy, failure, setFailure } = useAct();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setFound(undefined);
    act(async ({ idempotencyKey }) => {
      const body = { fromDate: monthMs, withUnchecked: false };
      const { data } = await api(routes.previewMonth, { body, idempotencyKey });
      setFound(data);
      setIsAsking(!isToConfirm(data));
    });
  };
  const post = async ({ month, version }: Preview, idempotencyKey: string) => {
    const body = { fromDate: month, version, dryRun: false, confirmRates: false, confirmDuplicates: false };
    const { data } = await api(routes.automaticReport, { body, idempotencyKey });
    flashSuccess(t.done(reportCount(data.reports), formatMoney(data.accountsEur, 'EUR')));
  };
  return (
    <form onSubmit={onSubmit} noValidate className={`${classes.form} ${classes.stack}`}>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      {found && isToConfirm(found) && (
        <Notice tone="info" onDismiss={() => setFound(undefined)}>
          {t.toConfirm}
        </Notice>
      )}
      <div className={classes.grid}>
        <MonthField label={t.month} required value={monthMs} onChange={(month) => setMonthMs(month ?? monthMs)} />
      </div>
      <div className={classes.row}>
        <Button type="submit" loading={isBusy}>
          {t.check}
        </Button>
        <LinkButton to={paths.month(monthToParam(monthMs) ?? '')} variant="default">
          {t.toMonth}
        </LinkButton>
      </div>
      {found && (
        <ConfirmModal
          isOpen={isAsking}
          onClose={() => setIsAsking(false)}
          name={t.record(formatMonth(found.month))}
          consequence={found.unchecked.length > 0 && t.unchecked(plural(found.unchecked.length, t.one, t.many))}
          verb={t.verb}
          isSafe
          onConfirm={({ idempotencyKey }) => post(found, idempotencyKey)}
        >
          <PostedFigures found={found} />
        </ConfirmModal>
      )}
    </form>
  );
}

function PostedFigures({ found: { reports, grossEur, accountsEur, referralsEur } }: { found: Preview }) {
  const euros = (amount: number) => <Money amount={amount} currency="EUR" />;
  return (
    <Facts
      facts={[
        { label: frReports.imports.reports, value: formatInteger(reports) },
        { label: frReports.imports.grossEur, value: euros(grossEur) },
        { label: column.accountsEur, value: euros(accountsEur) },
        { label: column.referralsEur, value: euros(referralsEur) },
        { label: column.platformEur, value: euros(lastShare(grossEur, [accountsEur, referralsEur])) },
      ]}
    />
  );
}
