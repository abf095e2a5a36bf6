import type { ReleaseStatus } from '@regie/contract/releases.ts';
import { describe, expect, it } from 'vitest';
import {
  blockingReasons,
  judgeQuality,
  type QualityFacts,
  resolveStatus,
  toFrenchDay,
  toSeconds,
  toStarTime,
  toStoredStatus,
  toWireStatus,
} from './releases.rules.ts';

const statuses: ReleaseStatus[] = ['DRAFT', 'PENDING', 'OPENED', 'PAID', 'DELIVRED', 'CLOSED', 'CANCEL'];

describe('status', () => {
  it.each(statuses)('%s is stored and read unchanged', (status) => {
    expect(toWireStatus(toStoredStatus(status))).toBe(status);
  });

  it('throws on an unknown status from the database', () => {
    expect(() => toWireStatus('DELIVRED')).toThrow('unknown release status');
  });

  // product §34.2: the form offers three statuses and the present one; a delivered release put back to PENDING is
  // OPENED.
  const becomes: Record<ReleaseStatus, Partial<Record<ReleaseStatus, ReleaseStatus>>> = {
    DRAFT: { DRAFT: 'DRAFT', PENDING: 'PENDING', PAID: 'PAID', DELIVRED: 'DELIVRED' },
    PENDING: { PENDING: 'PENDING', PAID: 'PAID', DELIVRED: 'DELIVRED' },
    OPENED: { OPENED: 'OPENED', PENDING: 'PENDING', PAID: 'PAID', DELIVRED: 'DELIVRED' },
    PAID: { PENDING: 'PENDING', PAID: 'PAID', DELIVRED: 'DELIVRED' },
    DELIVRED: { PENDING: 'OPENED', PAID: 'PAID', DELIVRED: 'DELIVRED' },
    CLOSED: { CLOSED: 'CLOSED', PENDING: 'OPENED', PAID: 'PAID', DELIVRED: 'DELIVRED' },
    CANCEL: { CANCEL: 'CANCEL', PENDING: 'PENDING', PAID: 'PAID', DELIVRED: 'DELIVRED' },
  };
  it.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))('from %s to %s', (from, to) => {
    expect(resolveStatus(from, to)).toBe(becomes[from][to]);
  });
});

const clean: QualityFacts = {
  status: 'paid',
  hasCover: true,
  barcode: '3760000000017',
  isBarcodeValid: true,
  isBarcodeElsewhere: false,
  isDatePast: false,
  isInCapitals: false,
  isAiUndeclared: false,
  tracks: 2,
  withoutAudio: 0,
  poorAudio: 0,
  clippedAudio: 0,
  silentAudio: 0,
  isrcPrefixes: ['FR', 'QZ'],
  withoutIsrc: 0,
  doubledIsrc: 0,
  withoutPrimaryArtist: 0,
  inCapitals: 0,
};

describe('quality control', () => {
  const faults: [string, Partial<QualityFacts>, string[]][] = [
    ['nothing', {}, []],
    ['no cover', { hasCover: false }, ['no_cover']],
    ['no track', { tracks: 0 }, ['no_track']],
    ['a track without audio', { withoutAudio: 1 }, ['no_audio']],
    ['a track without ISRC', { withoutIsrc: 1 }, ['no_isrc']],
    ['an ISRC elsewhere', { doubledIsrc: 1 }, ['duplicate_isrc']],
    ['a barcode elsewhere', { isBarcodeElsewhere: true }, ['duplicate_barcode']],
    ['a track without primary artist', { withoutPrimaryArtist: 1 }, ['no_primary_artist']],
    ['no barcode', { barcode: null, isBarcodeValid: false }, ['no_barcode']],
    ['a wrong check digit', { isBarcodeValid: false }, ['invalid_barcode']],
    ['an ISRC of nowhere', { isrcPrefixes: ['FR', 'XX'] }, ['unknown_isrc_prefix']],
    ['an undeclared part of AI', { isAiUndeclared: true }, ['ai_undeclared']],
    ['poor audio', { poorAudio: 1 }, ['poor_audio']],
    ['clipped audio', { clippedAudio: 1 }, ['clipped_audio']],
    ['silent audio', { silentAudio: 1 }, ['silent_audio']],
    ['its title in capitals', { isInCapitals: true }, ['title_in_capitals']],
    ['a track in capitals', { inCapitals: 1 }, ['title_in_capitals']],
    ['a date in the past', { isDatePast: true }, ['past_release_date']],
    ['a date in the past, once delivered', { isDatePast: true, status: 'delivered' }, []],
  ];
  it.each(faults)('finds %s', (_name, fault, reasons) => {
    expect(judgeQuality({ ...clean, ...fault })).toEqual(reasons);
  });

  it('separates blocking problems from warnings', () => {
    expect(blockingReasons(['no_cover', 'no_barcode', 'no_isrc', 'past_release_date'])).toEqual([
      'no_cover',
      'no_isrc',
    ]);
  });
});

it('formats days and start times like the wire', () => {
  expect(toFrenchDay('2026-03-01')).toBe('01/03/2026');
  expect(toFrenchDay(null)).toBeNull();
  expect([toSeconds('01:24'), toSeconds('0124')]).toEqual([84, 84]);
  expect([toStarTime(84), toStarTime(0), toStarTime(null)]).toEqual(['01:24', '00:00', null]);
});
