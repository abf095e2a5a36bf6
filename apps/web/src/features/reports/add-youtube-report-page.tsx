import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { YoutubeReportForm } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { useHistoryState } from '#src/domain/history-state.ts';
import { api } from '#src/lib/api.ts';
import { formatMonth } from '#src/lib/formats.ts';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import classes from './add-report.module.css';
import { useDuplicateReportConfirmation } from './duplicate-report.tsx';
import { frReports } from './reports.fr.ts';
import { SavedReport } from './saved-report.tsx';

const t = frReports.youtube;

interface Values extends Record<string, unknown> {
  account: LookupItem | null;
  fromDate: number | undefined;
  incomeOfYoutube: number | undefined;
}

export default function AddYoutubeReportPage() {
  const { userId, userName } = useHistoryState();
  return (
    <>
      <PageHeader title={t.title} text={t.text} />
      <YoutubeReportCreation key={userId ?? 0} userId={userId} userName={userName} />
    </>
  );
}

function YoutubeReportCreation({ userId, userName }: { userId: number | undefined; userName: string | undefined }) {
  const second = useDuplicateReportConfirmation();
  const initialValues: Values = {
    account: userId === undefined ? null : { id: userId, label: userName ?? t.accountPreset(String(userId)), hint: '' },
    fromDate: undefined,
    incomeOfYoutube: undefined,
  };
  return (
    <>
      <Form
        schema={YoutubeReportForm}
        initialValues={initialValues}
        toBody={({ account, fromDate, incomeOfYoutube }) => ({ userId: account?.id, fromDate, incomeOfYoutube })}
        submit={(body, { idempotencyKey }) =>
          second.send(
            ({ again, ...options }) => api(routes.createYoutubeReport, { body: { ...body, again }, ...options }),
            idempotencyKey,
          )
        }
        isClearedOnSuccess
        successMessage={({ data }, { account, fromDate }) => {
          return { text: <SavedReport id={data.id} text={t.saved(account?.label ?? '', formatMonth(fromDate))} /> };
        }}
        submitLabel={t.save}
        hasSaveBar="new"
      >
        {(form) => (
          <>
            <AccountField label={t.account} required {...fieldProps(form, 'account', 'userId')} />
            <div className={classes.grid}>
              <MonthField label={t.month} required {...fieldProps(form, 'fromDate')} />
              <NumberField label={t.income} required unit="$US" {...fieldProps(form, 'incomeOfYoutube')} />
            </div>
          </>
        )}
      </Form>
      {second.question}
    </>
  );
}
