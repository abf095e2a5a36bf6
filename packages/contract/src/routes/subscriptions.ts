import { defineRoute, Id, IdParams, listQuery } from '#src/route.ts';
import { optionalText, z } from '#src/zod.ts';
import { Invoice } from './invoices.ts';

/** A label subscription is an order (product §23.5); `orderItems` contains its last day. */
export const Subscription = Invoice.extend({
  /** Its last day is over in Paris; false without one. */
  isDuePassed: z.boolean(),
});
export type Subscription = z.infer<typeof Subscription>;

export const NewSubscriptionForm = z.object({ userId: Id, promoCode: optionalText(100) });
export type NewSubscriptionForm = z.output<typeof NewSubscriptionForm>;

export const subscriptionRoutes = {
  listSubscriptions: defineRoute('GET /subscriptions/list', ['read_subscriptions'], {
    summary: 'Those that are not cancelled.',
    query: listQuery(['id', 'dueDate'], 'desc', {
      status: z.enum(['PENDING', 'PAID']).optional(),
      due: z.enum(['running', 'passed']).optional(),
    }),
    response: z.array(Subscription),
  }),
  createSubscription: defineRoute('POST /subscriptions/new', ['read_subscriptions'], {
    summary: 'At the price of the settings; it runs once it is paid.',
    body: NewSubscriptionForm,
    response: Subscription,
    message: 'L’abonnement est commandé',
  }),
  cancelSubscription: defineRoute('DELETE /subscriptions/item/:orderId/cancel', ['read_subscriptions'], {
    summary: 'Its order is CANCEL; an invoice that was issued keeps its number.',
    params: z.object({ orderId: IdParams.shape.id }),
    response: z.object({ id: Id }),
    message: 'L’abonnement est résilié',
  }),
};
