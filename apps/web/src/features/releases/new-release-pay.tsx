import { TextInput } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { listOfStatus, releaseLists } from '@regie/contract/releases.ts';
import {
  maxReference,
  OfflinePayment,
  type PaymentStart,
  type QuoteAnswer,
  ReferencedPayment,
} from '@regie/contract/routes/orders.ts';
import { type Release, ReleaseForm } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatMoney } from '#src/lib/formats.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { paths } from '#src/paths.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Form } from '#src/ui/form.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { ErrorState, PageSkeleton } from '#src/ui/states.tsx';
import classes from './new-release.module.css';
import { WizardLink } from './new-release-link.tsx';
import { OrderLines } from './order-lines.tsx';
import { releaseFormValues } from './release-form-fields.tsx';

const t = fr.wizard.pay;

// Stripe's script is only ever fetched where a card can be paid with.
const CardPayment = lazy(() => import('./card-payment.tsx').then((module) => ({ default: module.CardPayment })));

interface PayStepProps {
  release: Release;
  order: QuoteAnswer['order'];
}

/** The last step: by card where Stripe is configured, or what was paid outside, with its reference. */
export function PayStep({ release, order }: PayStepProps) {
  if (!order || release.tracks.length === 0) {
    return (
      <div className={classes.sections}>
        <Notice tone="error">{order ? fr.wizard.summary.noTrack : fr.wizard.summary.noOrder}</Notice>
        <div className={classes.footer}>
          <WizardLink step={order ? 'tracks' : 'plan'} releaseId={release.id}>
            {fr.wizard.back}
          </WizardLink>
        </div>
      </div>
    );
  }
  return <Payment release={release} order={order} />;
}

function Payment({ release, order }: { release: Release; order: NonNullable<QuoteAnswer['order']> }) {
  const navigate = useNavigate();
  // The same payment however often it is asked for: opening this step again is harmless.
  const start = useQuery({
    queryKey: ['payment', order.id, order.quote.total],
    queryFn: async () => (await api(routes.startPayment, { params: { id: release.id }, idempotencyKey: newId() })).data,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const onPaid = (message: string) => {
    flashSuccess(message, { afterNavigation: true });
    void navigate({ to: paths.release(release.id), replace: true });
  };
  return (
    <div className={classes.sections}>
      <Section title={t.order(fr.list.recordNumber(String(order.id)))}>
        <OrderLines quote={order.quote} plan={order.plan} promoCode={order.promoCode} />
      </Section>
      {start.isPending && <PageSkeleton />}
      {start.isError && <ErrorState error={start.error} onRetry={() => void start.refetch()} />}
      {start.data?.mode === 'card' && (
        <Section title={t.card}>
          <Suspense fallback={<p className={classes.hint}>{t.cardLoading}</p>}>
            <CardPayment releaseId={release.id} payment={start.data} onPaid={() => onPaid(messages.paid)} />
          </Suspense>
        </Section>
      )}
      {!start.isPending && (
        <Offline releaseId={release.id} quote={order.quote} mode={start.data?.mode ?? 'offline'} onPaid={onPaid} />
      )}
      {release.status === 'DRAFT' && <Later release={release} />}
      <div className={classes.footer}>
        <WizardLink step="summary" releaseId={release.id} variant="default">
          {fr.wizard.back}
        </WizardLink>
      </div>
    </div>
  );
}

interface OfflineProps {
  releaseId: number;
  quote: NonNullable<QuoteAnswer['order']>['quote'];
  mode: PaymentStart['mode'];
  onPaid: (message: string) => void;
}

function Offline({ releaseId, quote, mode, onPaid }: OfflineProps) {
  const isFree = mode === 'free';
  return (
    <Section title={t.offline}>
      <p className={classes.hint}>{isFree ? t.free : mode === 'card' ? t.offlineInstead : t.offlineHint}</p>
      <Form
        schema={isFree ? OfflinePayment : ReferencedPayment}
        initialValues={{ reference: '' }}
        submit={(body, { idempotencyKey }) =>
          api(routes.payOffline, { params: { id: releaseId }, body, idempotencyKey })
        }
        onSuccess={({ message }) => onPaid(message)}
        submitLabel={isFree ? t.validate : t.record(formatMoney(quote.total, quote.currency))}
        asksBeforeLeaving
      >
        {(form) =>
          !isFree && (
            <TextInput
              label={t.reference}
              description={t.referenceHint}
              required
              autoComplete="off"
              maxLength={maxReference}
              {...form.getInputProps('reference')}
            />
          )
        }
      </Form>
    </Section>
  );
}

/** Submitted without being paid: the release waits in its list. */
function Later({ release }: { release: Release }) {
  const can = useCan();
  const navigate = useNavigate();
  if (!can(releaseLists[listOfStatus('PENDING')].edit)) return null;
  return (
    <Section title={t.later}>
      <p className={classes.hint}>{t.laterHint}</p>
      <Form
        schema={ReleaseForm}
        initialValues={{ ...releaseFormValues(release), status: 'PENDING' as const }}
        submit={(body) => api(routes.editRelease, { params: { id: release.id }, body })}
        onSuccess={() => {
          flashSuccess(t.laterDone, { afterNavigation: true });
          void navigate({ to: paths.release(release.id) });
        }}
        submitLabel={t.later}
      >
        {() => null}
      </Form>
    </Section>
  );
}
