import type { AutomaticReport as Preview } from '@regie/contract/routes/months.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney, formatMonth } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { monthToParam } from '#src/lib/months.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Money } from '#src/ui/money.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import { DryRunForm } from './dry-run-form.tsx';
import { shareFacts } from './import-state.tsx';
import { frReports } from './reports.fr.ts';

const t = frReports.automatic;
const lastMonth = () => monthToMs(addMonths(monthOfInstant(Date.now()), -1));

/** Whether rates, duplicates or a future month are to be confirmed, which is done on the month's page. */
const isToConfirm = ({ mustConfirm, duplicates }: Preview) =>
  mustConfirm || duplicates.some(({ isConfirmed }) => !isConfirmed);

async function post({ month, version }: Preview, idempotencyKey: string) {
  const body = { fromDate: month, version, dryRun: false, confirmRates: false, confirmDuplicates: false };
  const { data } = await api(routes.automaticReport, { body, idempotencyKey });
  flashSuccess(t.done(frRecords.reports(data.reports), formatMoney(data.accountsEur, 'EUR')));
}

export function AutomaticReport() {
  const [monthMs, setMonthMs] = useState(lastMonth);
  return (
    <DryRunForm
      check={async (options) =>
        (await api(routes.previewMonth, { body: { fromDate: monthMs, withUnchecked: false }, ...options })).data
      }
      obstacle={(outcome) => (isToConfirm(outcome) ? t.toConfirm : undefined)}
      question={(outcome) => ({
        name: t.record(formatMonth(outcome.month)),
        consequence: outcome.unchecked.length > 0 && t.unchecked(outcome.unchecked.length),
        verb: t.verb,
        isSafe: true,
        onConfirm: ({ idempotencyKey }) => post(outcome, idempotencyKey),
        children: (
          <Facts
            facts={[
              { label: frReports.imports.reports, value: formatInteger(outcome.reports) },
              { label: frReports.detail.grossEur, value: <Money amount={outcome.grossEur} currency="EUR" /> },
              ...shareFacts(outcome),
            ]}
          />
        ),
      })}
      submit={{ children: t.check }}
      aside={
        <LinkButton to={paths.month(monthToParam(monthMs) ?? '')} variant="default">
          {t.toMonth}
        </LinkButton>
      }
    >
      <MonthField label={t.month} required value={monthMs} onChange={(month) => setMonthMs(month ?? monthMs)} />
    </DryRunForm>
  );
}
