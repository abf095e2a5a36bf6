import { CheckedBankForm } from '@regie/contract/bank-details.ts';
import { messages } from '@regie/contract/messages.ts';
import { type BillingAccount, PaypalForm } from '@regie/contract/routes/billing.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { useHistoryState } from '#src/domain/history-state.ts';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { api, errorSentence } from '#src/lib/api.ts';
import { formatDateTime } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Form } from '#src/ui/form.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import shared from '#src/ui/shared.module.css';
import { PageSkeleton } from '#src/ui/states.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { accountName, accountTrail } from './account-labels.ts';
import { billingQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { BankFields, bankValues, PaypalFields, paypalValues } from './billing-fields.tsx';
import { addressOf } from './billing-labels.ts';

const t = frAccounts.billing;
const freshForMs = 30_000;

/** Without its record the screen redirects to the accounts (product §22.6, §39.1). */
const ToProfiles = ({ why }: { why: string }) => <RedirectWithProblem to={paths.profiles} why={t.failed(why)} />;

/** Shows the record passed by the list, or loads it (product §39.1). */
export default function BillingPage() {
  const id = useIdParam();
  return id === undefined ? <ToProfiles why={fr.errors.notFoundText} /> : <BillingLoader key={id} id={id} />;
}

function BillingLoader({ id }: { id: number }) {
  const { pathname } = usePageLocation();
  const { billingAccount: cached } = useHistoryState();
  const queryClient = useQueryClient();
  const [prefill, setPrefill] = useState(() =>
    cached && cached.data.id === id && Date.now() - cached.readAt < freshForMs ? cached.data : undefined,
  );
  const [reloads, setReloads] = useState(0);
  const loaded = useQuery({ ...billingQuery(id), staleTime: 0, gcTime: 0 });
  const billing = prefill ?? (loaded.isFetchedAfterMount ? loaded.data : undefined);
  if (billing) {
    // The other type has its own address.
    if (pathname !== addressOf(billing)) return <Navigate to={addressOf(billing)} replace />;
    const reload = async () => {
      setPrefill(await queryClient.fetchQuery({ ...billingQuery(id), staleTime: 0 }));
      setReloads((count) => count + 1);
    };
    return <BillingView key={reloads} billing={billing} read={loaded.data} onReload={reload} />;
  }
  return loaded.isError ? <ToProfiles why={errorSentence(loaded.error)} /> : <PageSkeleton shape="form" />;
}

interface BillingViewProps {
  billing: BillingAccount;
  /** Resets the form to the stored record. */
  onReload: () => Promise<void>;
  /** As read last: a signature changes it while the form keeps its record. */
  read: BillingAccount | undefined;
}

function BillingView({ billing: first, read, onReload }: BillingViewProps) {
  // The last saved record; the form keeps its input.
  const [billing, setBilling] = useState(first);
  const { blockedUntil, changedBy } = read && read.updatedAt >= billing.updatedAt ? read : billing;
  return (
    <>
      <PageHeader
        title={t.editTitle[billing.type]}
        trail={accountTrail(
          { ...billing.account, id: billing.userId },
          { label: frScreens.accounts.billings, to: paths.billings(billing.userId) },
        )}
        badge={blockedUntil !== null && <StatusBadge tone="warning">{t.recently}</StatusBadge>}
        text={
          <Link className={shared.link} to={paths.profile(billing.userId)}>
            {accountName(billing.account)}
          </Link>
        }
        actions={
          <LinkButton to={paths.billings(billing.userId)} variant="default" leftSection={buttonIcon(IconArrowLeft)}>
            {t.back}
          </LinkButton>
        }
      />
      <div className={classes.notices}>
        <Notice tone="info">
          {blockedUntil === null
            ? t.tells
            : `${messages.billingHeld(formatDateTime(blockedUntil), changedBy ?? fr.common.system)}.`}
        </Notice>
        {blockedUntil !== null && <RecordSigning subject="billing" id={String(billing.id)} />}
      </div>
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
