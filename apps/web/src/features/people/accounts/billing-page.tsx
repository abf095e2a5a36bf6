import { Stack } from '@mantine/core';
import { CheckedBankForm } from '@regie/contract/bank-details.ts';
import { messages } from '@regie/contract/messages.ts';
import { type BillingAccount, PaypalForm } from '@regie/contract/routes/billing.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatDateTime } from '@regie/values/formats.ts';
import { IconArrowLeft } from '@tabler/icons-react';
import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { useHistoryState } from '#src/domain/history-state.ts';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { api, errorSentence } from '#src/lib/api.ts';
import { useFormRecord } from '#src/lib/form-record.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Form } from '#src/ui/form.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import { PageSkeleton } from '#src/ui/states.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { accountName } from './account-labels.ts';
import { billingQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import { BankFields, bankValues, PaypalFields, paypalValues } from './billing-fields.tsx';
import { addressOf } from './billing-labels.ts';

const t = frAccounts.billing;

/** Without its record the screen redirects to the accounts (product §22.6, §39.1). */
const ToProfiles = ({ why }: { why: string }) => <RedirectWithProblem to={paths.profiles} why={t.failed(why)} />;

/** Shows the record passed by the list, or loads it (product §39.1). */
export default function BillingPage() {
  const id = useIdParam();
  return id === undefined ? <ToProfiles why={fr.errors.notFoundText} /> : <BillingLoader key={id} id={id} />;
}

function BillingLoader({ id }: { id: number }) {
  const { pathname } = usePageLocation();
  const { billingAccount: passed } = useHistoryState();
  const { record, loaded, version, reload } = useFormRecord(
    billingQuery(id),
    passed?.data.id === id ? passed : undefined,
  );
  if (!record) return loaded.isError ? <ToProfiles why={errorSentence(loaded.error)} /> : <PageSkeleton shape="form" />;
  // The other type has its own address.
  if (pathname !== addressOf(record)) return <Navigate to={addressOf(record)} replace />;
  return <BillingView key={version} billing={record} read={loaded.data} onReload={reload} />;
}

interface BillingViewProps {
  billing: BillingAccount;
  onReload: () => Promise<void>;
  /** As read last: a signature changes it while the form keeps its record. */
  read: BillingAccount | undefined;
}

function BillingView({ billing: first, read, onReload }: BillingViewProps) {
  const [billing, setBilling] = useState(first);
  const { blockedUntil, changedBy } = read && read.updatedAt >= billing.updatedAt ? read : billing;
  return (
    <>
      <PageHeader
        title={t.type[billing.type]}
        owner={{ id: billing.userId, name: accountName(billing.account) }}
        trail={[{ label: frScreens.accounts.billings, to: paths.billings(billing.userId) }]}
        badge={blockedUntil !== null && <StatusBadge tone="warning">{t.recently}</StatusBadge>}
        text={<AccountLink id={billing.userId}>{accountName(billing.account)}</AccountLink>}
        actions={
          <LinkButton to={paths.billings(billing.userId)} variant="default" leftSection={buttonIcon(IconArrowLeft)}>
            {t.back}
          </LinkButton>
        }
      />
      <Stack gap={10} maw={760} mb={16}>
        <Notice tone={blockedUntil === null ? 'note' : 'info'}>
          {blockedUntil === null
            ? t.tells
            : `${messages.billingHeld(formatDateTime(blockedUntil), changedBy ?? fr.common.system)}.`}
        </Notice>
        {blockedUntil !== null && <RecordSigning subject="billing" id={String(billing.id)} />}
      </Stack>
      <EditForm billing={billing} onSaved={setBilling} onReload={onReload} />
    </>
  );
}

interface EditFormProps extends Pick<BillingViewProps, 'billing' | 'onReload'> {
  onSaved: (billing: BillingAccount) => void;
}

function EditForm({ billing, onSaved, onReload }: EditFormProps) {
  const { id, updatedAt } = billing;
  const common = {
    toBody: <Values,>(values: Values) => ({ ...values, updatedAt }),
    onSuccess: ({ data }: { data: BillingAccount }) => onSaved(data),
    submitLabel: fr.common.save,
    hasSaveBar: true,
    onReload,
  };
  return billing.type === 'bank' ? (
    <Form
      {...common}
      schema={CheckedBankForm}
      initialValues={bankValues(billing)}
      submit={(body, options) => api(routes.editBankAccount, { params: { id }, body, ...options })}
    >
      {(form) => <BankFields form={form} billing={billing} />}
    </Form>
  ) : (
    <Form
      {...common}
      schema={PaypalForm}
      initialValues={paypalValues(billing)}
      submit={(body, options) => api(routes.editPaypalAccount, { params: { id }, body, ...options })}
    >
      {(form) => <PaypalFields form={form} />}
    </Form>
  );
}
