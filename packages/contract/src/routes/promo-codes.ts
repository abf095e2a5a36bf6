import { messages } from '#src/messages.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { findDay, optionalText } from './releases.ts';

export const PromoCode = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  type: z.literal('percent'),
  /** Percents taken off plan and fees. */
  amount: z.number(),
  /** The last valid day in Paris, dd/MM/yyyy. */
  dueDate: z.string(),
  isExpired: z.boolean(),
  /** Uncancelled orders that use it. */
  uses: z.number(),
  createdAt: Instant,
});
export type PromoCode = z.infer<typeof PromoCode>;

/** Typed numbers have one decimal mark, a dot or a comma; anything else is unchanged, and refused. */
const toPercent = (value: unknown) =>
  typeof value === 'string' && /^\s*\d{1,9}([.,]\d{1,9})?\s*$/.test(value) ? Number(value.replace(',', '.')) : value;

const maxDescription = 1000;

/** The promo code form (product §25.5): a name, 0 to 100 percent, and a day that exists. */
export const PromoCodeForm = z.object({
  name: z
    .string({ error: messages.promoNameRequired })
    .trim()
    .min(2, { error: messages.promoNameRequired })
    .max(100, { error: messages.maxLength(100) }),
  description: optionalText(maxDescription),
  amount: z.preprocess(
    toPercent,
    z
      .number({ error: messages.percentRequired })
      .min(0, { error: messages.percentRange })
      .max(100, { error: messages.percentRange })
      .refine((percent) => Number(percent.toFixed(2)) === percent, { error: messages.percentDecimals }),
  ),
  dueDate: z
    .string({ error: messages.dueDateRequired })
    .trim()
    .refine((text) => findDay(text) !== undefined, { error: messages.dueDateRequired }),
});
export type PromoCodeForm = z.output<typeof PromoCodeForm>;

export const promoCodeRoutes = {
  listPromoCodes: defineRoute('GET /promo-code/list', {
    capability: ['read_coupon'],
    summary: 'Promo codes, newest first.',
    query: listQuery(['createdAt', 'name', 'amount', 'dueDate'], 'desc', {
      state: z.enum(['valid', 'expired']).optional(),
    }),
    response: z.array(PromoCode),
  }),
  addPromoCode: defineRoute('POST /promo-code/add', {
    capability: ['edit_coupon'],
    summary: 'Add a promo code; its name is free once the former one is removed.',
    body: PromoCodeForm,
    response: PromoCode,
    message: 'Le code promo est enregistré',
  }),
  deletePromoCode: defineRoute('DELETE /promo-code/item/:id', {
    capability: ['edit_coupon'],
    summary: 'Remove a promo code; orders that have it keep their discount.',
    response: z.object({ id: Id }),
    message: 'Le code promo est supprimé',
  }),
};
