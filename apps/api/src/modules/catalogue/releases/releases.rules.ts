import {
  listOfStatus,
  offeredStatuses,
  type QualityReason,
  qualityReasons,
  type ReleaseListName,
  type ReleaseStatus,
  releaseLists,
} from '@regie/contract/releases.ts';
import { formatDay } from '@regie/contract/routes/releases.ts';
import { isIsrcPrefixKnown } from '@regie/values/isrc.ts';

const storedStatuses = {
  DRAFT: 'draft',
  PENDING: 'pending',
  OPENED: 'opened',
  PAID: 'paid',
  DELIVRED: 'delivered',
  CLOSED: 'closed',
  CANCEL: 'cancelled',
} as const satisfies Record<ReleaseStatus, string>;
export type StoredStatus = (typeof storedStatuses)[ReleaseStatus];

export const toStoredStatus = (status: ReleaseStatus): StoredStatus => storedStatuses[status];

const wireStatuses = new Map<string, ReleaseStatus>(
  Object.entries(storedStatuses).map(([wire, stored]) => [stored, wire as ReleaseStatus]),
);

export function toWireStatus(stored: string): ReleaseStatus {
  const status = wireStatuses.get(stored);
  if (!status) throw new Error(`unknown release status ${stored}`);
  return status;
}

export const statusesOfList = (list: ReleaseListName): StoredStatus[] =>
  releaseLists[list].statuses.map((status) => storedStatuses[status]);

/**
 * The form offers three statuses and the present one; a delivered release put back to PENDING is OPENED
 * (product §34.2).
 */
export function resolveStatus(present: ReleaseStatus, wanted: ReleaseStatus): ReleaseStatus | undefined {
  if (wanted === present) return present;
  if (!offeredStatuses.some((status) => status === wanted)) return undefined;
  return wanted === 'PENDING' && listOfStatus(present) === 'delivered' ? 'OPENED' : wanted;
}

/** Counts are numbers of tracks. */
export interface QualityFacts {
  status: string;
  hasCover: boolean;
  barcode: string | null;
  isBarcodeValid: boolean;
  isBarcodeElsewhere: boolean;
  isDatePast: boolean;
  isInCapitals: boolean;
  isAiUndeclared: boolean;
  tracks: number;
  withoutAudio: number;
  poorAudio: number;
  clippedAudio: number;
  silentAudio: number;
  isrcPrefixes: string[];
  withoutIsrc: number;
  doubledIsrc: number;
  withoutPrimaryArtist: number;
  inCapitals: number;
}

const notYetOut: readonly string[] = [...statusesOfList('unpaid'), ...statusesOfList('paid'), storedStatuses.DRAFT];

export function judgeQuality(facts: QualityFacts): QualityReason[] {
  const holds: Record<QualityReason, boolean> = {
    no_cover: !facts.hasCover,
    no_track: facts.tracks === 0,
    no_audio: facts.withoutAudio > 0,
    no_isrc: facts.withoutIsrc > 0,
    duplicate_isrc: facts.doubledIsrc > 0,
    duplicate_barcode: facts.isBarcodeElsewhere,
    no_primary_artist: facts.withoutPrimaryArtist > 0,
    no_barcode: facts.barcode === null,
    unknown_isrc_prefix: facts.isrcPrefixes.some((prefix) => !isIsrcPrefixKnown(prefix)),
    invalid_barcode: facts.barcode !== null && !facts.isBarcodeValid,
    poor_audio: facts.poorAudio > 0,
    clipped_audio: facts.clippedAudio > 0,
    silent_audio: facts.silentAudio > 0,
    title_in_capitals: facts.isInCapitals || facts.inCapitals > 0,
    ai_undeclared: facts.isAiUndeclared,
    // Released records have a past date by nature.
    past_release_date: facts.isDatePast && notYetOut.includes(facts.status),
  };
  return qualityReasonNames.filter((reason) => holds[reason]);
}

const qualityReasonNames = Object.keys(qualityReasons) as QualityReason[];

export const blockingReasons = (reasons: readonly QualityReason[]): QualityReason[] =>
  reasons.filter((reason) => qualityReasons[reason].level === 'blocking');

export function toFrenchDay(iso: string | null): string | null {
  return iso === null ? null : formatDay(iso);
}

export function toSeconds(starTime: string): number {
  const digits = starTime.replace(':', '');
  return Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
}

export function toStarTime(seconds: number | null): string | null {
  if (seconds === null) return null;
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`;
}
