import { SimpleGrid } from '@mantine/core';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { YoutubeReportForm } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMonth } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { AccountField } from '#src/domain/account-field.tsx';
import { useHistoryState } from '#src/domain/history-state.ts';
import { lookupAccounts } from '#src/domain/lookups.ts';
import { api } from '#src/lib/api.ts';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
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
  const search: Record<string, unknown> = useSearch({ strict: false });
  const asked = /^[1-9]\d{0,14}$/.test(String(search.userId ?? '')) ? Number(search.userId) : undefined;
  return (
    <>
      <PageHeader title={t.title} text={t.text} />
      {userId === undefined && asked !== undefined ? (
        <AccountLoader key={asked} id={asked} />
      ) : (
        <YoutubeReportCreation
          key={userId ?? 0}
          account={
            userId === undefined ? null : { id: userId, label: userName ?? t.accountPreset(String(userId)), hint: '' }
          }
        />
      )}
    </>
  );
}

function AccountLoader({ id }: { id: number }) {
  const query = useQuery({
    queryKey: ['lookup', 'account', id],
    queryFn: async ({ signal }) =>
      (await lookupAccounts(String(id), signal)).find((account) => account.id === id) ?? null,
  });
  return <Loaded query={query}>{(account) => <YoutubeReportCreation account={account} />}</Loaded>;
}

function YoutubeReportCreation({ account }: { account: LookupItem | null }) {
  const second = useDuplicateReportConfirmation();
  const initialValues: Values = { account, fromDate: undefined, incomeOfYoutube: undefined };
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
            <AccountField label={frReports.account} required {...fieldProps(form, 'account', 'userId')} />
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={16} style={{ alignItems: 'start' }}>
              <MonthField label={frReports.column.month} required {...fieldProps(form, 'fromDate')} />
              <NumberField label={t.income} required unit="$US" {...fieldProps(form, 'incomeOfYoutube')} />
            </SimpleGrid>
          </>
        )}
      </Form>
      {second.question}
    </>
  );
}
