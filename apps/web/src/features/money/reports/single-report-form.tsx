import { SimpleGrid } from '@mantine/core';
import { valueFields } from '@regie/contract/imports.ts';
import { ReportForm } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMonth } from '@regie/values/formats.ts';
import { type lookupAccounts, lookupTracks } from '#src/domain/lookups.ts';
import { api } from '#src/lib/api.ts';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { isCountField, type ValueField } from './csv-columns.ts';
import { useDuplicateReportConfirmation } from './duplicate-report.tsx';
import { frReports } from './reports.fr.ts';
import { SavedReport } from './saved-report.tsx';

const t = frReports.single;

type Track = Awaited<ReturnType<typeof lookupTracks>>[number];
type Account = Awaited<ReturnType<typeof lookupAccounts>>[number];
type Values = { track: Track | null; account: Account | null; fromDate: number | undefined } & {
  [Field in ValueField]: number | undefined;
};

const initialValues: Values = {
  track: null,
  account: null,
  fromDate: undefined,
  numOfStreams: undefined,
  incomeOfStreams: undefined,
  numOfDownloads: undefined,
  incomeOfDownloads: undefined,
  numOfYoutube: undefined,
  incomeOfYoutube: undefined,
};

const toBody = (values: Values) => ({
  trackId: values.track?.id,
  userId: values.track?.accountId,
  fromDate: values.fromDate,
  ...Object.fromEntries(valueFields.map((field) => [field, values[field] ?? 0])),
});

export function SingleReportForm() {
  const second = useDuplicateReportConfirmation();
  return (
    <>
      <Form
        schema={ReportForm}
        initialValues={initialValues}
        toBody={toBody}
        submit={(body, { idempotencyKey }) =>
          second.send(
            ({ again, ...options }) => api(routes.createReport, { body: { ...body, again }, ...options }),
            idempotencyKey,
          )
        }
        isClearedOnSuccess
        successMessage={({ data }, { track, fromDate }) => {
          return { text: <SavedReport id={data.id} text={t.saved(track?.label ?? '', formatMonth(fromDate))} /> };
        }}
        submitLabel={t.save}
        hasSaveBar="new"
      >
        {(form) => (
          <>
            <LookupField
              label={frReports.column.track}
              description={t.trackHint}
              required
              lookup={lookupTracks}
              value={form.values.track}
              onChange={(track) => form.setFieldValue('track', track)}
              error={form.errors.trackId ?? form.errors.userId}
            />
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={16} style={{ alignItems: 'start' }}>
              <MonthField label={frReports.column.month} required {...fieldProps(form, 'fromDate')} />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={16} style={{ alignItems: 'start' }}>
              {valueFields.map((field) => (
                <NumberField
                  key={field}
                  label={frReports.fields[field]}
                  unit={isCountField(field) ? undefined : '$US'}
                  placeholder="0"
                  value={form.values[field]}
                  onChange={(value) => form.setFieldValue(field, value)}
                  error={form.errors[field]}
                />
              ))}
            </SimpleGrid>
          </>
        )}
      </Form>
      {second.question}
    </>
  );
}
