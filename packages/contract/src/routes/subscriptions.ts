import { defineRoute, Id, listQuery } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { Invoice } from './invoices.ts';
import { optionalText } from './releases.ts';

/** A label subscription is an order (product §23.5); `orderItems` contains its last day. */
export const Subscription = Invoice.extend({
  /** Its last day is over in Paris; false without one. */
  isDuePassed: z.boolean(),
});
export type Subscription = z.infer<typeof Subscription>;

export const NewSubscriptionForm = z.object({ userId: Id, promoCode: optionalText(100) });
export type NewSubscriptionForm = z.output<typeof NewSubscriptionForm>;

const OrderIdParams = z.object({
  orderId: z.preprocess((text) => (/^[1-9]\d{0,15}$/.test(String(text)) ? Number(text) : undefined), Id),
});

export const subscriptionRoutes = {
  listSubscriptions: defineRoute('GET /subscriptions/list', {
    capability: ['read_subscriptions'],
    summary: 'Label subscriptions that are not cancelled, newest first.',
    query: listQuery(['id', 'dueDate'], 'desc', {
      status: z.enum(['PENDING', 'PAID']).optional(),
      due: z.enum(['running', 'passed']).optional(),
    }),
    response: z.array(Subscription),
  }),
  createSubscription: defineRoute('POST /subscriptions/new', {
    capability: ['read_subscriptions'],
    summary: 'Order a label subscription for an account, at the price of the settings; it runs once it is paid.',
    body: NewSubscriptionForm,
    response: Subscription,
    message: 'L’abonnement est commandé',
  }),
  cancelSubscription: defineRoute('DELETE /subscriptions/item/:orderId/cancel', {
    capability: ['read_subscriptions'],
    summary: 'Cancel a subscription: its order is CANCEL; an invoice that was issued keeps its number.',
    params: OrderIdParams,
    response: z.object({ id: Id }),
    message: 'L’abonnement est résilié',
  }),
};
