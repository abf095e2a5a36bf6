import type { Release } from '@regie/contract/routes/releases.ts';
import { expect, it } from 'vitest';
import { initialValues } from './new-release-plan.tsx';

const release = {
  plan: null,
  label: 'Nord',
  digitalLabel: null,
  genre: 'Jazz',
  subgenre: null,
  digitalGenre: null,
  digitalSubgenre: null,
  platforms: '',
  territories: 'all',
  expressDelivery: false,
  // The form reads no other field of a release.
} as unknown as Release; // Only what the plan step reads.

it('starts with the plan of the order, whatever the release has', () => {
  const quote = { planPrice: 9.9, labelFees: 0, expressDeliveryPrice: 0, discount: 0, total: 9.9, currency: 'EUR' };
  const order = {
    id: 1,
    isPaid: false,
    plan: 'ep',
    promoCode: null,
    quote: { ...quote, vatPercent: 20, vatAmount: 1.65 },
  };
  for (const isInvoiced of [true, false]) {
    const values = initialValues(release, { order: { ...order, isInvoiced } });
    expect([values.plan, values.hasOwnLabel]).toEqual(['ep', false]);
  }
});

it.each([
  ['a label of its own while nothing was chosen and the release names one', { plan: null }, true],
  ['the free label that was chosen', { plan: 'single' }, false],
  ['the label that was chosen', { plan: 'single', digitalLabel: 'Sud' }, true],
  ['the free label for a release that names none', { label: '' }, false],
] as const)('opens with %s', (_, values, hasOwnLabel) => {
  expect(initialValues({ ...release, ...values } as Release, { order: null })).toMatchObject({ hasOwnLabel });
});
