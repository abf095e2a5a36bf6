import { Button, Select } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import type { ReportType } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { type FormEvent, useState } from 'react';
import { frRecords } from '#src/domain/records.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatMoney, formatMonth, plural } from '#src/lib/formats.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import classes from './add-report.module.css';
import { frReports } from './reports.fr.ts';

const t = frReports.byMonth;

interface Found {
  type: ReportType;
  monthMs: number;
  deleted: number;
  amountEur: number;
}

const reportCount = (count: number) => plural(count, frRecords.reports.one, frRecords.reports.many);

/** Shows the reports and euros it would reverse before the confirmation (product §22.3, §27.2). */
export function DeleteMonth() {
  const [type, setType] = useState<ReportType>('platform');
  const [monthMs, setMonthMs] = useState<number>();
  const [error, setError] = useState<string>();
  const [found, setFound] = useState<Found>();
  const [isAsking, setIsAsking] = useState(false);
  const { act, isBusy, failure, setFailure } = useAct();
  const check = (wanted: { type: ReportType; monthMs: number }) =>
    act(async ({ idempotencyKey }) => {
      const query = { date: wanted.monthMs, type: wanted.type, dryRun: 'true' } as const;
      const { data } = await api(routes.deleteReportsByMonth, { query, idempotencyKey });
      setFound({ ...wanted, ...data });
      setIsAsking(data.deleted > 0);
    });
  const remove = async ({ monthMs, type }: Found, idempotencyKey: string) => {
    const query = { date: monthMs, type, dryRun: 'false' } as const;
    const { data } = await api(routes.deleteReportsByMonth, { query, idempotencyKey });
    flashSuccess(t.done(reportCount(data.deleted), formatMoney(data.amountEur, 'EUR')));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setFound(undefined);
    if (monthMs === undefined) setError(messages.invalidMonth);
    else check({ type, monthMs });
  };
  return (
    <>
      <form onSubmit={onSubmit} noValidate className={`${classes.form} ${classes.stack}`}>
        <Message tone="error" text={failure} onDismiss={setFailure} />
        {found?.deleted === 0 && (
          <Notice tone="info" onDismiss={() => setFound(undefined)}>
            {t.nothing(formatMonth(found.monthMs))}
          </Notice>
        )}
        <div className={classes.grid}>
          <Select
            label={t.type}
            required
            allowDeselect={false}
            data={(['platform', 'youtube'] as const).map((value) => ({ value, label: frReports.type[value] }))}
            value={type}
            onChange={(value) => setType(value === 'youtube' ? 'youtube' : 'platform')}
          />
          <MonthField
            label={t.month}
            required
            value={monthMs}
            onChange={(month) => {
              setMonthMs(month);
              setError(undefined);
            }}
            error={error}
          />
        </div>
        <div className={classes.row}>
          <Button type="submit" variant="default" c="var(--negative)" loading={isBusy}>
            {t.check}
          </Button>
        </div>
      </form>
      {found && (
        <ConfirmModal
          isOpen={isAsking}
          onClose={() => setIsAsking(false)}
          name={t.record(frReports.type[found.type], formatMonth(found.monthMs))}
          consequence={t.consequence(reportCount(found.deleted), formatMoney(found.amountEur, 'EUR'))}
          verb={t.verb}
          onConfirm={({ idempotencyKey }) => remove(found, idempotencyKey)}
        />
      )}
    </>
  );
}
