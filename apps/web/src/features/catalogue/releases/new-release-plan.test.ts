import type { Release } from '@regie/contract/routes/releases.ts';
import { expect, it } from 'vitest';
import { initialValues, shownPrices } from './new-release-plan.tsx';

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
  tracks: [],
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
  [0, null],
  [3, 'single'],
  [4, 'ep'],
  [6, 'ep'],
  [7, 'album'],
])('%i tracks have the plan %s while none is chosen', (count, plan) => {
  const tracks = Array.from({ length: count }, () => ({})) as Release['tracks'];
  expect(initialValues({ ...release, tracks }, { order: null }).plan).toBe(plan);
  expect(initialValues({ ...release, tracks, plan: 'label' }, { order: null }).plan).toBe('label');
});

it.each([
  ['a label of its own while nothing was chosen and the release names one', { plan: null }, true],
  ['the free label that was chosen', { plan: 'single' }, false],
  ['the label that was chosen', { plan: 'single', digitalLabel: 'Sud' }, true],
  ['the free label for a release that names none', { label: '' }, false],
] as const)('opens with %s', (_, values, hasOwnLabel) => {
  expect(initialValues({ ...release, ...values } as Release, { order: null })).toMatchObject({ hasOwnLabel });
});

it('shows the frozen prices of ordered items, and the present prices of the others', () => {
  const lines = { planPrice: 9.9, labelFees: 15, expressDeliveryPrice: 0, discount: 0, total: 24.9, currency: 'EUR' };
  const order = {
    ...{ id: 1, isPaid: false, isInvoiced: false, plan: 'single' as const, promoCode: null },
    quote: { ...lines, vatPercent: 20, vatAmount: 4.15 },
  };
  const prices = { single: 12, ep: 24, album: 36, label: 120, premiumLabelFee: 18, expressFee: 30 };
  const quote = { order, prices, currency: 'EUR', subscriptionUntil: null };
  const owned = { ...release, digitalLabel: 'Sud' };
  const values = initialValues(owned, quote);
  const ordered = shownPrices(owned, quote, values);
  const euros = (text: string) => `${text}\u00a0€`;
  expect([ordered.plan('single'), ordered.plan('ep')]).toEqual([euros('9,90'), euros('24,00')]);
  expect([ordered.label, ordered.express]).toEqual([euros('15,00'), euros('30,00')]);
  // Another choice prices the order anew, as a whole.
  expect(shownPrices(owned, quote, { ...values, expressDelivery: true }).plan('single')).toBe(euros('12,00'));
  expect(shownPrices(owned, quote, { ...values, hasOwnLabel: false }).plan('single')).toBe(euros('12,00'));
  expect(shownPrices(owned, { ...quote, order: null }, values).plan('single')).toBe(euros('12,00'));
  const covered = shownPrices(owned, { ...quote, subscriptionUntil: '31/05/2027' }, values);
  expect([covered.plan('single'), covered.plan('ep'), covered.express]).toEqual([
    euros('9,90'),
    'Compris',
    euros('30,00'),
  ]);
});
