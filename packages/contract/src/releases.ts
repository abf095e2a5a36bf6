import { foldName } from '@regie/values/search-text.ts';
import { keysOf, z } from './zod.ts';

/** Statuses on the wire (product §14.1, misspelling included); DRAFT is not submitted yet (product §34.1). */
export const releaseStatuses = {
  DRAFT: { label: 'Brouillon', badge: 'neutral' },
  PENDING: { label: 'En attente', badge: 'warning' },
  OPENED: { label: 'En attente', badge: 'warning' },
  PAID: { label: 'Payée/Contrôle Qualité', badge: 'success' },
  DELIVRED: { label: 'Livrée', badge: 'success' },
  CLOSED: { label: 'Traitée', badge: 'success' },
  CANCEL: { label: 'Annulée', badge: 'danger' },
} as const;
export const ReleaseStatus = z.enum(keysOf(releaseStatuses));
export type ReleaseStatus = z.infer<typeof ReleaseStatus>;

/** The four lists, which statuses each holds, and who may read and edit them (product §34.1). */
export const releaseLists = {
  unpaid: {
    statuses: ['PENDING', 'OPENED'],
    read: 'read_none_paid_libraries',
    edit: 'edit_none_paid_libraries',
    label: 'Sorties en attente',
  },
  paid: { statuses: ['PAID'], read: 'read_paid_libraries', edit: 'edit_paid_libraries', label: 'Sorties payées' },
  delivered: {
    statuses: ['DELIVRED', 'CLOSED'],
    read: 'read_delivered_libraries',
    edit: 'edit_delivered_libraries',
    label: 'Sorties livrées',
  },
  unpublished: {
    statuses: ['CANCEL', 'DRAFT'],
    read: 'read_none_published_libraries',
    edit: 'edit_none_published_libraries',
    label: 'Sorties non publiées',
  },
} as const satisfies Record<string, { statuses: readonly ReleaseStatus[]; read: string; edit: string; label: string }>;
export type ReleaseListName = keyof typeof releaseLists;

/** Where the list depends on the record, its own list is checked afterwards (product §31.4). */
export const anyReadLibraries = [
  releaseLists.unpaid.read,
  releaseLists.paid.read,
  releaseLists.delivered.read,
  releaseLists.unpublished.read,
] as const;
export const anyEditLibraries = [
  releaseLists.unpaid.edit,
  releaseLists.paid.edit,
  releaseLists.delivered.edit,
  releaseLists.unpublished.edit,
] as const;

export function listOfStatus(status: ReleaseStatus): ReleaseListName {
  if (status === 'PAID') return 'paid';
  if (status === 'DELIVRED' || status === 'CLOSED') return 'delivered';
  return status === 'PENDING' || status === 'OPENED' ? 'unpaid' : 'unpublished';
}

/** The statuses that the edit form offers besides the current one (product §34.2). */
export const offeredStatuses = ['PENDING', 'PAID', 'DELIVRED'] as const satisfies readonly ReleaseStatus[];

/** Transitions outside the edit form: their source statuses and their target (product §34.3). */
export const releaseTransitions = {
  close: { from: ['DELIVRED'], to: 'CLOSED' },
  reopen: { from: ['DELIVRED', 'CLOSED'], to: 'OPENED' },
} as const satisfies Record<string, { from: readonly ReleaseStatus[]; to: ReleaseStatus }>;
export type ReleaseTransition = keyof typeof releaseTransitions;
export const canTransition = (status: ReleaseStatus, move: ReleaseTransition): boolean =>
  releaseTransitions[move].from.some((from) => from === status);

/** product §19.3. */
export const genres = [
  'Arabic',
  'Arabic Pop',
  'Country/Folk',
  'Dance/Electronic',
  'Hip Hop/Rap',
  'Pop',
  'Jazz',
  'Reggae/Dancehall',
  'Rock',
  'Soul/Funk',
  'Spoken Word',
  'World Music',
] as const;

/** How much of a recording, a composition or a cover generative AI made, with DDEX's value (ERN 4.3.2, `ContainsAI`). */
export const aiContributions = {
  none: { label: 'Aucune IA', ddex: 'None' },
  partly: { label: 'En partie par IA', ddex: 'Partly' },
  all: { label: 'Entièrement par IA', ddex: 'All' },
} as const;
export const AiContribution = z.enum(keysOf(aiContributions));
export type AiContribution = z.infer<typeof AiContribution>;
/** From a label, its last words (`en partie`), DDEX's value or none; undefined for other texts. */
export function readAi(text: string): AiContribution | null | undefined {
  const folded = foldName(text);
  if (folded === '' || folded === foldName(aiLabel(null))) return null;
  return AiContribution.options.find((value) => {
    const { label, ddex } = aiContributions[value];
    return [label, label.replace(/ par IA$/, ''), ddex].some((name) => foldName(name) === folded);
  });
}
/** @param value null is not declared */
export const aiLabel = (value: AiContribution | null): string =>
  value === null ? 'Non déclaré' : aiContributions[value].label;

/** Credit roles (product §19.5). */
export const artistRoles = ['Primary Artist', 'Featuring', 'With', 'Producer', 'Remixer'] as const;
export const contributorRoles = ['Composer', 'Lyricist', 'Arranger', 'Income Participant'] as const;

/** The first recording year offered; the last is the current one (product §39.2). */
export const firstRecordingYear = 1901;

/** `DELIVRED` requires that no blocking reason is present, or a confirmation; the others are warnings. */
export const qualityReasons = {
  no_cover: { level: 'blocking', label: 'Pas de pochette' },
  no_track: { level: 'blocking', label: 'Aucun titre' },
  no_audio: { level: 'blocking', label: 'Audio manquant' },
  no_isrc: { level: 'blocking', label: 'ISRC manquant' },
  duplicate_isrc: { level: 'blocking', label: 'ISRC présent ailleurs' },
  duplicate_barcode: { level: 'blocking', label: 'Code-barres présent ailleurs' },
  no_primary_artist: { level: 'blocking', label: 'Aucun artiste principal' },
  no_barcode: { level: 'warning', label: 'Code-barres manquant' },
  unknown_isrc_prefix: { level: 'warning', label: 'Préfixe d’ISRC inconnu' },
  invalid_barcode: { level: 'warning', label: 'Clé du code-barres invalide' },
  poor_audio: { level: 'warning', label: 'Audio sous 16 bits/44,1 kHz' },
  clipped_audio: { level: 'warning', label: 'Audio saturé' },
  silent_audio: { level: 'warning', label: 'Audio silencieux' },
  title_in_capitals: { level: 'warning', label: 'Titre en capitales' },
  past_release_date: { level: 'warning', label: 'Date de sortie passée' },
  ai_undeclared: { level: 'warning', label: 'Part de l’IA non déclarée' },
} as const;
export type QualityReason = keyof typeof qualityReasons;
