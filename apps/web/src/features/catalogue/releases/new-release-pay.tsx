import { Box, Button, Group, Stack } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { listOfStatus, releaseLists } from '@regie/contract/releases.ts';
import {
  OfflinePayment,
  type PaymentStart,
  type QuoteAnswer,
  ReferencedPayment,
} from '@regie/contract/routes/orders.ts';
import { type Release, ReleaseForm } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent, useRef } from 'react';
import { paths } from '#src/app/paths.ts';
import { PaymentReferenceField } from '#src/domain/payment-reference-field.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { Form } from '#src/ui/form.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState, PageSkeleton } from '#src/ui/states.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { OrderLines } from './order-lines.tsx';
import { releaseFormValues } from './release-form-fields.tsx';

const t = frNewRelease.pay;

// Stripe's script is only loaded when payment by card is possible.
const CardPayment = lazy(() => import('./card-payment.tsx').then((module) => ({ default: module.CardPayment })));

export function PayStep({ release, order }: { release: Release; order: QuoteAnswer['order'] }) {
  if (!order || release.tracks.length === 0) {
    return (
      <Stack gap={32}>
        <Notice tone="error">{order ? frNewRelease.summary.noTrack : frNewRelease.summary.noOrder}</Notice>
        <Group justify="flex-end" gap={10}>
          <WizardLink step={order ? 'tracks' : 'plan'} releaseId={release.id}>
            {frNewRelease.back}
          </WizardLink>
        </Group>
      </Stack>
    );
  }
  return <Payment release={release} order={order} />;
}

function Payment({ release, order }: { release: Release; order: NonNullable<QuoteAnswer['order']> }) {
  const navigate = useNavigate();
  const isFree = order.quote.total === 0;
  // Starting is idempotent: opening this step again returns the same payment. The query is static: paying reloads
  // everything else, and a paid order has no payment to start.
  const start = useQuery({
    queryKey: ['payment', order.id, order.quote.total],
    queryFn: async () => (await api(routes.startPayment, { params: { id: release.id }, idempotencyKey: newId() })).data,
    staleTime: 'static',
    gcTime: 0,
    enabled: !order.isPaid && !isFree,
    retry: false,
  });
  const hasLeft = useRef(false);
  const onPaid = () => {
    if (hasLeft.current) return;
    hasLeft.current = true;
    flashSuccess(isFree ? t.validated(order.id) : messages.paid, { afterNavigation: true });
    void navigate({ to: paths.release(release.id), replace: true });
  };
  const tell = useEffectEvent(onPaid);
  useEffect(() => {
    if (order.isPaid) tell();
  }, [order.isPaid]);
  return (
    <Stack gap={32}>
      <Section title={frRecords.order(order.id)}>
        <OrderLines quote={order.quote} plan={order.plan} promoCode={order.promoCode} />
      </Section>
      {start.isLoading && <PageSkeleton shape="form" />}
      {start.isError && <ErrorState query={start} />}
      {start.data?.mode === 'card' && (
        <Section title={t.card}>
          <Suspense fallback={<p className={shared.note}>{t.cardLoading}</p>}>
            <CardPayment releaseId={release.id} payment={start.data} />
          </Suspense>
        </Section>
      )}
      {!start.isLoading && (
        <Offline
          releaseId={release.id}
          quote={order.quote}
          mode={start.data?.mode ?? (isFree ? 'free' : 'offline')}
          onPaid={onPaid}
        />
      )}
      {release.status === 'DRAFT' && !isFree && <PayLater release={release} />}
      <Group justify="flex-end" gap={10}>
        <WizardLink step="summary" releaseId={release.id} variant="default">
          {frNewRelease.back}
        </WizardLink>
      </Group>
    </Stack>
  );
}

interface OfflineProps {
  releaseId: number;
  quote: NonNullable<QuoteAnswer['order']>['quote'];
  mode: PaymentStart['mode'];
  onPaid: () => void;
}

function Offline({ releaseId, quote, mode, onPaid }: OfflineProps) {
  const isFree = mode === 'free';
  return (
    <Section title={isFree ? t.freeTitle : t.offline}>
      <Box component="p" mb={14} className={shared.note}>
        {isFree ? t.free : mode === 'card' ? t.offlineInstead : t.offlineHint}
      </Box>
      <Form
        schema={isFree ? OfflinePayment : ReferencedPayment}
        initialValues={{ reference: '' }}
        submit={(body, { idempotencyKey }) =>
          api(routes.payOffline, { params: { id: releaseId }, body, idempotencyKey })
        }
        onSuccess={onPaid}
        submitLabel={isFree ? t.validate : t.record(formatMoney(quote.total, quote.currency))}
        hasSaveBar="new"
      >
        {(form) => !isFree && <PaymentReferenceField {...form.getInputProps('reference')} />}
      </Form>
    </Section>
  );
}

function PayLater({ release }: { release: Release }) {
  const can = useCan();
  const navigate = useNavigate();
  const { act, isBusy, failure, setFailure } = useAct();
  const form = ReleaseForm.safeParse({ ...releaseFormValues(release), status: 'PENDING' });
  const wait = (body: ReleaseForm) =>
    act(async () => {
      await api(routes.editRelease, { params: { id: release.id }, body: { ...body, updatedAt: release.updatedAt } });
      flashSuccess(t.laterDone, { afterNavigation: true });
      void navigate({ to: paths.release(release.id) });
    });
  if (!form.success || !can(releaseLists[listOfStatus('PENDING')].edit)) return null;
  return (
    <Section title={t.laterTitle}>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <Box component="p" mb={14} className={shared.note}>
        {t.laterHint}
      </Box>
      <Group justify="flex-end" gap={10}>
        <Button variant="default" loading={isBusy} onClick={() => wait(form.data)}>
          {t.later}
        </Button>
      </Group>
    </Section>
  );
}
