import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import type { FastifyInstance } from 'fastify';
import type { CardEvent, CardPayments } from '#src/lib/card-payments.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, notFound } from '#src/lib/errors.ts';
import { handleCardEvent } from './orders.service.ts';

/** @throws invalid_data unless the raw body has a valid, recent signature */
function readSigned(
  cards: CardPayments,
  rawBody: Buffer | undefined,
  signature: string | string[] | undefined,
): CardEvent {
  if (!rawBody || typeof signature !== 'string') throw new AppError('invalid_data', messages.badSignature);
  try {
    return cards.readEvent(rawBody, signature);
  } catch {
    throw new AppError('invalid_data', messages.badSignature);
  }
}

/**
 * Called by Stripe: no session or CSRF token, but its signature over the raw body. Every signed event is answered 200,
 * or Stripe would resend it for days.
 */
export function registerStripeWebhook(app: FastifyInstance, deps: Deps): void {
  const contract = routes.stripeWebhook;
  app.route({
    method: contract.method,
    url: `/api${contract.path}`,
    bodyLimit: contract.bodyLimitBytes,
    handler: async (request, reply) => {
      if (!deps.cards) throw notFound();
      const event = readSigned(deps.cards, request.rawBody, request.headers['stripe-signature']);
      const isHandled = await deps.db.transaction().execute((trx) => handleCardEvent(trx, request.id, event));
      if (!isHandled) request.log.info({ event: event.id, type: event.type }, 'stripe event without effect');
      const data = contract.response.parse({ isHandled });
      return reply.send({ code: 'success', message: contract.message, data, errors: {} });
    },
  });
}
