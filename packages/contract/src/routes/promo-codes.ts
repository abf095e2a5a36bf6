import { messages } from '#src/messages.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { filledText, optionalText, z } from '#src/zod.ts';
import { findDay } from './releases.ts';

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

/** The promo code form (product §25.5): a name, 0 to 100 percent, and a day that exists. */
export const PromoCodeForm = z.object({
  name: filledText(messages.promoNameRequired, 100, 2),
  description: optionalText(1000),
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
  listPromoCodes: defineRoute('GET /promo-code/list', ['read_coupon'], {
    query: listQuery(['createdAt', 'name', 'amount', 'dueDate'], 'desc', {
      state: z.enum(['valid', 'expired']).optional(),
    }),
    response: z.array(PromoCode),
  }),
  addPromoCode: defineRoute('POST /promo-code/add', ['edit_coupon'], {
    summary: 'A name is free once the former code is removed.',
    body: PromoCodeForm,
    response: PromoCode,
    message: 'Le code promo est enregistré',
  }),
  deletePromoCode: defineRoute('DELETE /promo-code/item/:id', ['edit_coupon'], {
    summary: 'Orders that have it keep their discount.',
    response: z.object({ id: Id }),
    message: 'Le code promo est supprimé',
  }),
};
