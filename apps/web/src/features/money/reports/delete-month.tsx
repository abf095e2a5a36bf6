import { Select } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import type { ReportType } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMoney, formatMonth } from '@regie/values/formats.ts';
import { useState } from 'react';
import { frRecords } from '#src/domain/records.fr.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { MonthField } from '#src/ui/month-field.tsx';
import { DryRunForm } from './dry-run-form.tsx';
import { frReports } from './reports.fr.ts';

const t = frReports.byMonth;

/** Reverses a month's reports of a type (product §27.2). */
export function DeleteMonth() {
  const [type, setType] = useState<ReportType>('platform');
  const [monthMs, setMonthMs] = useState<number>();
  const [error, setError] = useState<string>();
  return (
    <DryRunForm
      check={async (options) => {
        if (monthMs === undefined) {
          setError(messages.invalidMonth);
          return undefined;
        }
        const query = { date: monthMs, type } as const;
        const { data } = await api(routes.deleteReportsByMonth, { query: { ...query, dryRun: 'true' }, ...options });
        return { ...data, query };
      }}
      obstacle={({ deleted, query }) => (deleted === 0 ? t.nothing(formatMonth(query.date)) : undefined)}
      question={({ deleted, amountEur, query }) => ({
        name: t.record(frReports.type[query.type], formatMonth(query.date)),
        consequence: t.consequence(frRecords.reports(deleted), formatMoney(amountEur, 'EUR')),
        verb: t.verb,
        onConfirm: async (options) => {
          const { data } = await api(routes.deleteReportsByMonth, { query: { ...query, dryRun: 'false' }, ...options });
          flashSuccess(t.done(frRecords.reports(data.deleted), formatMoney(data.amountEur, 'EUR')));
        },
      })}
      submit={{ children: t.check, variant: 'default' }}
    >
      <Select
        label={t.type}
        required
        allowDeselect={false}
        data={(['platform', 'youtube'] as const).map((value) => ({ value, label: frReports.type[value] }))}
        value={type}
        onChange={(value) => setType(value === 'youtube' ? 'youtube' : 'platform')}
      />
      <MonthField
        label={frReports.column.month}
        required
        value={monthMs}
        onChange={(month) => {
          setMonthMs(month);
          setError(undefined);
        }}
        error={error}
      />
    </DryRunForm>
  );
}
