import { Box, Button, Stack } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import type { PaymentStart } from '@regie/contract/routes/orders.ts';
import { formatMoney } from '@regie/values/formats.ts';
import type { Stripe, StripeCardElement, StripeError } from '@stripe/stripe-js';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { quoteQuery } from './releases.api.ts';

const t = frNewRelease.pay;

/** The field's colours; Stripe renders it in an iframe. */
function fieldStyle() {
  const { color, fontFamily } = getComputedStyle(document.body);
  const muted = getComputedStyle(document.documentElement).getPropertyValue('--ink-2').trim();
  return { base: { color, fontFamily, fontSize: '16px', iconColor: color, '::placeholder': { color: muted } } };
}

const declinedCodes = new Map<string, string>(Object.entries(t.declinedWhy));

/** The message for the user; errors not caused by the card are 'Payement est erroné' (product §18.4). */
function sentenceOf(error: StripeError): string {
  if (error.type === 'validation_error') return error.message ?? messages.paymentWrong;
  if (error.type !== 'card_error') return messages.paymentWrong;
  return declinedCodes.get(error.decline_code ?? '') ?? declinedCodes.get(error.code ?? '') ?? t.declined;
}

const confirmEveryMs = 1500;
const confirmSoonMs = 30_000;

/** Stripe's card field; the order becomes paid with Stripe's signed event, which the wizard shows. */
export function CardPayment({ releaseId, payment }: { releaseId: number; payment: PaymentStart }) {
  const mount = useRef<HTMLDivElement>(null);
  const [field, setField] = useState<{ stripe: Stripe; card: StripeCardElement }>();
  const [failure, setFailure] = useState<string>();
  const [isUnreachable, setIsUnreachable] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [acceptedAt, setAcceptedAt] = useState<number>();
  const { publicKey, clientSecret } = payment;

  useEffect(() => {
    let isGone = false;
    let card: StripeCardElement | undefined;
    const load = async () => {
      // The pure entry loads Stripe's script when called, not when imported.
      const { loadStripe } = await import('@stripe/stripe-js/pure');
      const stripe = publicKey === null ? null : await loadStripe(publicKey, { locale: 'fr' });
      if (isGone || !mount.current) return;
      if (!stripe) throw new Error('no Stripe');
      card = stripe.elements().create('card', { hidePostalCode: true, style: fieldStyle() });
      card.mount(mount.current);
      setField({ stripe, card });
    };
    load().catch(() => {
      if (!isGone) setIsUnreachable(true);
    });
    return () => {
      isGone = true;
      card?.destroy();
    };
  }, [publicKey]);

  const order = useQuery({
    ...quoteQuery(releaseId),
    enabled: acceptedAt !== undefined,
    refetchInterval: confirmEveryMs,
    staleTime: 0,
  });
  const pay = async (event: FormEvent) => {
    event.preventDefault();
    if (!field || clientSecret === null || isBusy || acceptedAt !== undefined) return;
    setIsBusy(true);
    setFailure(undefined);
    try {
      const { error } = await field.stripe.confirmCardPayment(clientSecret, { payment_method: { card: field.card } });
      if (error) setFailure(sentenceOf(error));
      else setAcceptedAt(Date.now());
    } catch {
      setFailure(messages.paymentWrong);
    } finally {
      setIsBusy(false);
    }
  };

  if (isUnreachable) return <Notice tone="error">{t.cardUnreachable}</Notice>;
  if (acceptedAt !== undefined) {
    const isLate = order.dataUpdatedAt - acceptedAt > confirmSoonMs;
    return <Notice tone="info">{isLate ? t.confirmingLong : t.confirming}</Notice>;
  }
  return (
    <Stack component="form" gap={14} onSubmit={pay}>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <fieldset>
        <Box component="legend" mb={6} fz={14} fw={500}>
          {t.cardField}
        </Box>
        <Box ref={mount} mih={44} p={12} bd="1px solid var(--line-strong)" bdrs={6} />
      </fieldset>
      <Button type="submit" ml="auto" loading={isBusy} disabled={!field}>
        {t.cardPay(formatMoney(payment.total, payment.currency))}
      </Button>
    </Stack>
  );
}
