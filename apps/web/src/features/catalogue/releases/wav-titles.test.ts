import { expect, test } from 'vitest';
import { namedTracks } from './wav-titles.ts';

test.each([
  ['03 - Ma_Chanson.wav', 'Ma Chanson'],
  ['03_Ma_Chanson.WAV', 'Ma Chanson'],
  ['3. Aurore.wav', 'Aurore'],
  ['03-Aurore.wav', 'Aurore'],
  ['1-03 Aurore.wav', 'Aurore'],
  ['Trio Nord - L’aube - 03. Aurore (Live).wav', 'Aurore (Live)'],
  ['E\u0301te\u0301.wav', 'Été'],
  // Numbers that belong to a title stay, as does what may be a title with its version.
  ['99 Luftballons.wav', '99 Luftballons'],
  ['Trio Nord - 03 - 7 Rings.wav', '7 Rings'],
  ['03.wav', '03'],
  ['5.1 Surround.wav', '5.1 Surround'],
  ['1-800 Songs.wav', '1-800 Songs'],
  ['Aurore - Live.wav', 'Aurore - Live'],
])('%s is the track %s', (name, title) => {
  expect(namedTracks([name]).map((track) => track.title)).toEqual([title]);
});

test.each([
  [
    ['Trio Nord - Aurore.wav', 'Trio Nord - Brume.wav'],
    ['Aurore', 'Brume'],
    [Infinity, Infinity],
  ],
  [
    ['01 - Trio - Un - Aurore.wav', '02 - Trio - Un - Brume.wav'],
    ['Aurore', 'Brume'],
    [1, 2],
  ],
  [
    ['Trio - A.wav', 'Trio - A (Live).wav'],
    ['A', 'A (Live)'],
    [Infinity, Infinity],
  ],
  [
    ['Aurore.wav', 'Aurore - Live.wav'],
    ['Aurore', 'Aurore - Live'],
    [Infinity, Infinity],
  ],
  [
    ['9 Aurore.wav', '11 Brume.wav', '10 Crue.wav'],
    ['Aurore', 'Brume', 'Crue'],
    [9, 11, 10],
  ],
  [
    ['01 - Aurore.wav', '3_Soir.wav', '2. Brume.wav', 'Track 04 Crue.wav', 'piste 5 Dune.wav', 'Coda.wav'],
    ['Aurore', 'Soir', 'Brume', 'Crue', 'Dune', 'Coda'],
    [1, 3, 2, 4, 5, Infinity],
  ],
  [
    ['01 - Aurore.wav', '5 Fin.wav', '02 - Brume.wav', 'Dune.wav', 'Coda.wav'],
    ['Aurore', 'Fin', 'Brume', 'Dune', 'Coda'],
    [1, 5, 2, Infinity, Infinity],
  ],
  [
    ['01 - Aurore.wav', '7 Rings.wav'],
    ['Aurore', '7 Rings'],
    [1, Infinity],
  ],
  [
    ['99 Luftballons.wav', '7 Rings.wav'],
    ['99 Luftballons', '7 Rings'],
    [Infinity, Infinity],
  ],
  [
    ['Coda.wav', '2-01 B.wav', '1-10 A.wav'],
    ['Coda', 'B', 'A'],
    [Infinity, 2001, 1010],
  ],
])('the files %s have no shared start in their titles, and an order', (names, titles, orders) => {
  expect(namedTracks(names).map(({ title }) => title)).toEqual(titles);
  expect(namedTracks(names).map(({ order }) => order)).toEqual(orders);
});
