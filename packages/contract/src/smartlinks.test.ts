import { expect, it } from 'vitest';
import { readPublicUrl, toSmartlinkSlug } from './smartlinks.ts';

it.each([
  ['https://open.spotify.com/album/4aawyAB9vmqN3uQ7FjRGTy', 'https://open.spotify.com/album/4aawyAB9vmqN3uQ7FjRGTy'],
  [' HTTP://WWW.Deezer.COM/fr/album/1?utm=é#x ', 'http://www.deezer.com/fr/album/1?utm=%C3%A9#x'],
  ['https://müsik.example:8443/a', 'https://xn--msik-0ra.example:8443/a'],
  ['open.spotify.com/album/1', 'https://open.spotify.com/album/1'],
  ['https://www.anghami.com./x', 'https://www.anghami.com./x'],
])('keeps %j', (text, kept) => {
  expect(readPublicUrl(text)).toBe(kept);
});

it.each([
  '',
  'spotify',
  '10.0.0.1/album',
  'nas.local/album',
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
  'http://api.localhost/',
  'http://intranet/',
  'http://nas.local/',
  'http://router.home.arpa/',
  'http://db.internal/',
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://10.1.2.3/',
  'http://169.254.169.254/latest/meta-data',
  'http://192.168.1.1/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fe80::1]/',
  'http://１２７.０.０.１/',
  'http://abc.onion/',
  'https://-x.example/',
  `https://spotify.com/${'a'.repeat(2000)}`,
])('refuses %j', (text) => {
  expect(readPublicUrl(text)).toBeUndefined();
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
