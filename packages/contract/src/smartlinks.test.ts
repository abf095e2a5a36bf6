import { expect, it } from 'vitest';
import { readPlatformUrl, smartlinkPlatforms, toSmartlinkSlug } from './smartlinks.ts';

it.each([
  [
    'facebook',
    'https://www.facebook.com/awa',
    'm.facebook.com/awa',
    'https://fb.com/awa',
    'https://fb.watch/a1',
    'fb.me/a',
  ],
  ['instagram', 'https://www.instagram.com/awa/', 'instagr.am/p/1', 'https://ig.me/m/awa'],
  [
    'deezer',
    'https://www.deezer.com/fr/album/1',
    'https://link.deezer.com/s/30abc',
    'https://deezer.page.link/a',
    'https://dzr.page.link/a',
  ],
  ['spotify', 'open.spotify.com/intl-fr/album/1', 'https://spotify.link/a', 'https://spoti.fi/a', 'spotify.app.link/a'],
  ['youtube', 'https://www.youtube.com/watch?v=a', 'https://m.youtube.com/a', 'youtu.be/a', 'https://youtube.com/@awa'],
  ['youtube-music', 'https://music.youtube.com/playlist?list=2', 'https://www.youtube.com/playlist?list=OLAK5uy'],
  ['anghami', 'https://play.anghami.com/album/1', 'https://www.anghami.com./x', 'https://angha.me/a'],
  ['apple-music', 'music.apple.com/fr/album/1', 'https://geo.music.apple.com/a', 'itunes.apple.com/a', 'apple.co/a'],
] as const)('accepts the addresses of %s', (platform, ...texts) => {
  for (const text of texts) {
    const whole = text.startsWith('https://') ? text : `https://${text}`;
    expect(readPlatformUrl(platform, text)).toBe(whole);
    const others = smartlinkPlatforms.filter((other) => readPlatformUrl(other, text) !== undefined);
    expect(others).toEqual(platform.startsWith('youtube') ? ['youtube', 'youtube-music'] : [platform]);
  }
});

it.each([
  [' HTTP://WWW.Deezer.COM/fr/album/1?utm=é#x ', 'http://www.deezer.com/fr/album/1?utm=%C3%A9#x'],
  ['https://www.deezer.com:8443/a', 'https://www.deezer.com:8443/a'],
  ['https://ｄeezer.com/a', 'https://deezer.com/a'],
])('normalises %j', (text, kept) => {
  expect(readPlatformUrl('deezer', text)).toBe(kept);
});

it.each([
  '',
  'spotify',
  '10.0.0.1/album',
  'ftp://spotify.com/a',
  'javascript:alert(1)',
  'data:text/html,x',
  'https:open.spotify.com',
  'https:///open.spotify.com',
  'https://\\open.spotify.com',
  'https://open.spotify.com\\@10.0.0.1/',
  'https://user:secret@spotify.com/',
  'https://user@spotify.com/',
  'https://spotify.com/a b',
  'https://spotify.com/a\nb',
  'https://spo\ttify.com/',
  'http://localhost/',
  'http://127.0.0.1/',
  'http://[::1]/',
  'https://example.com/open.spotify.com',
  'https://open.spotify.com.example.com/',
  'https://notspotify.com/a',
  'https://spotify-com.example/',
  'https://spоtify.com/',
  'https://page.link/a',
  `https://spotify.com/${'a'.repeat(2000)}`,
])('refuses %j', (text) => {
  expect(smartlinkPlatforms.flatMap((platform) => readPlatformUrl(platform, text) ?? [])).toEqual([]);
});

it.each([
  ['Été à Tokyo (feat. Awa)', 'ete-a-tokyo-feat-awa'],
  ['L’Œuvre d’un cœur', 'l-oeuvre-d-un-coeur'],
  ['  ---  ', ''],
  ['愛', ''],
  [`${'abc '.repeat(40)}`, 'abc-'.repeat(20).slice(0, -1)],
])('makes a slug of %j', (text, slug) => {
  expect(toSmartlinkSlug(text)).toBe(slug);
});
