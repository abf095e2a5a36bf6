import { describe, expect, it } from 'vitest';
import { formatTiming, isWebUrl, linkToPassage, parseTiming } from './tickets.ts';

describe('a timing', () => {
  it.each([
    ['01:23', 83],
    ['1:23', 83],
    ['47:56', 2876],
    ['00:00', 0],
    ['120:00', 7200],
    ['2:00:00', 7200],
    ['01:02:45', 3765],
    ['0:00:01', 1],
  ])('%s is %d seconds', (text, seconds) => {
    expect(parseTiming(text)).toBe(seconds);
  });

  it.each([
    '',
    '83',
    '1:2',
    '01:60',
    '01:234',
    '1000:00',
    '-1:00',
    '1:60:00',
    '1:2:03',
    '100:00:00',
    '1:2:3:4',
    ' 01:23',
    '٠١:٢٣',
  ])('%j is not a timing', (text) => {
    expect(parseTiming(text)).toBeUndefined();
  });

  it('is parsed as it was formatted', () => {
    for (const seconds of [0, 9, 59, 60, 83, 3599, 3600, 59_999, 60_000, 359_999])
      expect(parseTiming(formatTiming(seconds))).toBe(seconds);
    expect(formatTiming(83)).toBe('01:23');
    expect(formatTiming(7200)).toBe('120:00');
    expect(formatTiming(60_000)).toBe('16:40:00');
  });
});

describe('a link to a passage', () => {
  it.each([
    ['https://www.youtube.com/watch?v=a_b-c', '02:05', 'https://www.youtube.com/watch?v=a_b-c&t=125'],
    ['https://www.youtube.com/watch?v=a_b-c&t=12s', '1:02:45', 'https://www.youtube.com/watch?v=a_b-c&t=3765'],
    ['https://youtu.be/abc', '00:30', 'https://youtu.be/abc?t=30'],
    ['https://youtu.be/abc', null, 'https://youtu.be/abc'],
    ['https://videos.example/abc?t=1', '00:30', 'https://videos.example/abc?t=1'],
    ['https://videos.example/youtu.be/', '00:30', 'https://videos.example/youtu.be/'],
  ])('%s at %s is %s', (url, startAt, link) => {
    expect(linkToPassage({ url, startAt })).toBe(link);
  });
});

describe('a link', () => {
  it.each([
    'https://youtu.be/abc',
    'http://youtu.be/abc',
    'https://www.youtube.com/watch?v=a_b-c&t=12s',
    'https://exemple.fr:8443/é',
  ])('%s is accepted', (url) => {
    expect(isWebUrl(url)).toBe(true);
  });

  it.each([
    'ftp://youtu.be/abc',
    'javascript:alert(1)',
    'https://',
    'https://localhost/x',
    'youtu.be/abc',
    'https://moi:secret@exemple.fr/',
    'https://exemple.fr/a b',
    'https://exemple.fr/a\nb',
  ])('%j is refused', (url) => {
    expect(isWebUrl(url)).toBe(false);
  });
});
