import { z } from './zod.ts';

export const UnmatchedReason = z.enum(['unknown', 'doubled', 'no_isrc']);
export type UnmatchedReason = z.infer<typeof UnmatchedReason>;

/** Grounds for a suggested track, the strongest first. */
export const CandidateGround = z.enum([
  'isrc_barcode',
  'isrc',
  'barcode_title',
  'barcode_similar',
  'barcode_only',
  'artist_title',
  'artist_similar',
  'isrc_slip',
]);
export type CandidateGround = z.infer<typeof CandidateGround>;

/** Items matched in one call. */
export const maxAssignments = 500;

export const unmatchedMessages = {
  assigned: 'Le revenu est attribué',
  manyAssigned: 'Les revenus sont attribués',
  unassigned: 'L’attribution est retirée',
  unknownTrack: 'Ce titre n’existe pas',
  unknownItem: 'Ce revenu n’existe pas',
  hasTrack: (title: string) =>
    `Ce revenu est déjà celui de «\u00a0${title}\u00a0» par son ISRC\u00a0: rechargez la liste`,
  hasAlias: (title: string) =>
    `Ce revenu est déjà attribué à «\u00a0${title}\u00a0»\u00a0: retirez d’abord cette attribution`,
  hasNoAlias: 'Cette attribution est déjà retirée\u00a0: rechargez la liste',
  takenIsrc: (isrc: string, former: string, present: string) =>
    `L’ISRC ${isrc}, qui était celui de «\u00a0${former}\u00a0», est donné à «\u00a0${present}\u00a0», d’un autre compte.`,
  twice: 'Ce revenu est déjà plus haut dans la demande',
} as const;
