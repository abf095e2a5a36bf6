import { keysOf } from './zod.ts';

/** The plans a release is ordered with (product §34.6); prices are settings. */
export const planNames = ['single', 'ep', 'album', 'label'] as const;
export type PlanName = (typeof planNames)[number];

export const deliveryPlatforms = {
  spotify: 'Spotify',
  'apple-music': 'Apple Music',
  deezer: 'Deezer',
  'youtube-music': 'YouTube Music',
  'amazon-music': 'Amazon Music',
  tidal: 'Tidal',
  qobuz: 'Qobuz',
  anghami: 'Anghami',
  boomplay: 'Boomplay',
  audiomack: 'Audiomack',
  soundcloud: 'SoundCloud',
  tiktok: 'TikTok',
} as const;
export const deliveryPlatformSlugs = keysOf(deliveryPlatforms);

/** The value that means all territories. */
export const allTerritories = 'all';

/** `AV-2026-00007`: credit notes have their own series, without gaps within a year. */
export const formatCreditNoteNumber = (year: number, number: number): string =>
  `AV-${formatInvoiceNumber(year, number)}`;

/** `2026-00042`: numbers run without gaps within a year (product §34.8). */
export const formatInvoiceNumber = (year: number, number: number): string =>
  `${year}-${String(number).padStart(5, '0')}`;
