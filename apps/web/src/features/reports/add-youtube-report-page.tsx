import { Button } from '@mantine/core';
import { YoutubeReportForm } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { z } from 'zod';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { useHistoryState } from '#src/lib/history-state.ts';
import { useCan } from '#src/lib/session.ts';
import { paths } from '#src/paths.ts';
import { Form } from '#src/ui/form.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import classes from './add-report.module.css';
import { lookupAccounts } from './reports.api.ts';

const t = fr.reports.youtube;

type Account = Awaited<ReturnType<typeof lookupAccounts>>[number];
interface Values extends Record<string, unknown> {
  account: Account | null;
  fromDate: number | undefined;
  incomeOfYoutube: number | undefined;
}

export default function AddYoutubeReportPage() {
  const { userId } = useHistoryState();
  return (
    <>
      <PageHeader title={t.title} text={t.text} />
      <YoutubeReportCreation key={userId ?? 0} userId={userId} />
    </>
  );
}

function YoutubeReportCreation({ userId }: { userId: number | undefined }) {
  const can = useCan();
  const [createdId, setCreatedId] = useState<number>();
  const create = useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: z.output<typeof YoutubeReportForm>; idempotencyKey: string }) =>
      api(routes.createYoutubeReport, { body, idempotencyKey }),
  });
  const initialValues: Values = {
    account: userId === undefined ? null : { id: userId, label: t.accountPreset(String(userId)), hint: '' },
    fromDate: undefined,
    incomeOfYoutube: undefined,
  };
  return (
    <Form
      schema={YoutubeReportForm}
      initialValues={initialValues}
      toBody={({ account, fromDate, incomeOfYoutube }) => ({ userId: account?.id, fromDate, incomeOfYoutube })}
      submit={(body, { idempotencyKey }) => create.mutateAsync({ body, idempotencyKey })}
      onSuccess={(answer) => setCreatedId(answer.data.id)}
      submitLabel={t.save}
      asksBeforeLeaving
      secondary={
        createdId !== undefined &&
        can('read_reports') && (
          <Button component={Link} to={paths.report(createdId)} variant="default">
            {fr.reports.single.see}
          </Button>
        )
      }
    >
      {(form) => (
        <>
          <LookupField
            label={t.account}
            required
            lookup={lookupAccounts}
            value={form.values.account}
            onChange={(account) => form.setFieldValue('account', account)}
            error={form.errors.userId}
          />
          <div className={classes.grid}>
            <MonthField
              label={t.month}
              required
              value={form.values.fromDate}
              onChange={(month) => form.setFieldValue('fromDate', month)}
              error={form.errors.fromDate}
            />
            <NumberField
              label={t.income}
              required
              unit="$US"
              value={form.values.incomeOfYoutube}
              onChange={(value) => form.setFieldValue('incomeOfYoutube', value)}
              error={form.errors.incomeOfYoutube}
            />
          </div>
        </>
      )}
    </Form>
  );
}
